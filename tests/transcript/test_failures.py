import pytest

from bascule.events import Error
from bascule.transcript.failures import HINTS, kind_of
from bascule.wire.messages import Assistant
from bascule.wire.result import Result
from tests.transcript.told import RECORDINGS, entries, folded


@pytest.mark.parametrize(
    ("recording", "kinds"),
    [
        ("2.1.332/18_400_credit", ["billing"]),
        ("2.1.332/18_400_generic", ["invalid_request"]),
        ("2.1.332/18_400_prompt_too_long", ["context"]),
        ("2.1.332/18_401", ["authentication"]),
        ("2.1.332/18_413", ["too_large"]),
        ("2.1.332/18_500_forever", ["api"]),
        ("2.1.332/18_529_forever", ["overloaded"]),
        ("2.1.332/18_conn_refused", ["connection"]),
        ("2.1.332/18_ratelimit_apikey", ["rate_limit"] * 2),
        ("2.1.332/18_midstream_cut_forever", []),
        ("2.1.197/18_400_credit", ["billing"]),
        ("2.1.197/18_401", ["authentication"]),
        ("2.1.197/18_413", ["too_large"]),
        ("2.1.197/18_500_forever", ["api"]),
        ("2.1.197/18_conn_refused", ["connection"]),
        ("2.1.197/18_refusal", ["refused"]),
    ],
)
def test_the_failure_of_a_recording_is_told_with_what_to_do(recording: str, kinds: list[str]) -> None:
    errors = [event for event in folded(entries(RECORDINGS / f"{recording}.jsonl")) if isinstance(event, Error)]
    assert [error.kind for error in errors] == kinds
    assert all(error.hint == HINTS.get(error.kind, "") for error in errors)


@pytest.mark.parametrize(
    ("result", "error", "kind"),
    [
        (Result(api_error="usage_limit_reached", api_error_status=429), "rate_limit", "usage_limit"),
        (Result(terminal_reason="structured_output_retry_exhausted"), None, "structured_output"),
        (Result(terminal_reason="image_error", api_error_status=400), "invalid_request", "too_large"),
        (Result(terminal_reason="completed", api_error_status=404), "model_not_found", "model"),
        (Result(api_error_status=403), "oauth_org_not_allowed", "authentication"),
        (Result(), "cloud_credential_error", "cloud_credentials"),
        (Result(), "verification_required", "account"),
        (Result(api_error_status=418), "what nobody knows yet", "invalid_request"),
        (Result(api_error_status=503), None, "api"),
        (Result(), "unknown", "error"),
    ],
)
def test_the_most_exact_sign_names_a_failure(result: Result, error: str | None, kind: str) -> None:
    assert kind_of(result, None if error is None else Assistant(error=error)) == kind


def test_every_hint_is_one_line_that_says_what_to_do() -> None:
    assert all(hint and "\n" not in hint and not hint.endswith(".") for hint in HINTS.values())
