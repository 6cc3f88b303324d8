"""Pages fetched and searches of the web."""

from bascule.payload import HttpRequest
from tests.tools.recorded import Recorded, recorded


def test_a_page_tells_its_status_and_what_the_model_read() -> None:
    call = recorded("31_webfetch")[0]
    assert call.described == HttpRequest(url="https://127.0.0.1:8943/page", query="summarise")
    assert call.finished == HttpRequest(
        url="https://127.0.0.1:8943/page", query="summarise", response="Hello from the fake model.", status=200
    )


def test_a_page_that_failed_has_no_status() -> None:
    failed = recorded("30_web")[0].finished
    assert failed == HttpRequest(
        url="http://127.0.0.1:8914/page",
        query="x",
        response="error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER",
        is_error=True,
    )


def test_a_search_of_the_web_lists_its_hits() -> None:
    call = recorded("30_web")[1]
    assert call.described == HttpRequest(query="hello")
    assert call.finished == HttpRequest(query="hello", response="Example\nhttps://example.com/\n\nFound example.")


def test_without_a_structured_result_the_text_is_the_response() -> None:
    done = Recorded("WebFetch", {"url": "https://a.b"}, "text", None, False).finished
    assert done == HttpRequest(url="https://a.b", response="text")


def test_a_failure_without_content_is_told_by_its_result() -> None:
    done = Recorded("WebFetch", {"url": "u"}, None, "Error: timed out", True).finished
    assert done == HttpRequest(url="u", response="Error: timed out", is_error=True)
