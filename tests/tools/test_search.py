"""Searches by name and by content."""

from bascule.payload import CodeSearch, SearchOutput
from bascule.tools import describe
from tests.tools.recorded import Recorded, recorded


def test_a_search_by_name_finds_files() -> None:
    some, none, *_ = recorded("17_search")
    assert some.described == CodeSearch(query="**/*.py", pattern="**/*.py")
    assert some.finished == CodeSearch(
        query="**/*.py", pattern="**/*.py", output=SearchOutput(files=("code.py",), file_count=1)
    )
    assert isinstance(none.finished, CodeSearch)
    assert none.finished.output == SearchOutput(file_count=0)


def test_a_search_by_content_tells_lines_and_that_it_was_limited() -> None:
    _, _, files, content, count, _ = [call.finished for call in recorded("17_search")]
    assert isinstance(files, CodeSearch)
    assert files.output == SearchOutput(files=("code.py",), file_count=1)
    assert isinstance(content, CodeSearch)
    assert content.mode == "content"
    assert content.output == SearchOutput(
        matches=("code.py:1:line 1", "code.py:10:line 10", "code.py:11:line 11"), truncated=True
    )
    assert isinstance(count, CodeSearch)
    assert count.output == SearchOutput(matches=("code.py:40",), file_count=1)


def test_all_of_the_input_is_told() -> None:
    tool_input = {"pattern": "x", "path": "src", "glob": "*.py", "output_mode": "files_with_matches"}
    assert describe("Grep", tool_input) == CodeSearch(query="x", pattern="x", path="src", glob="*.py", mode="files")


def test_without_a_structured_result_the_lines_are_the_matches() -> None:
    done = Recorded("Glob", {"pattern": "*"}, "a.py\nb.py", None, False).finished
    assert isinstance(done, CodeSearch)
    assert done.output == SearchOutput(matches=("a.py", "b.py"))
    nothing = Recorded("Glob", {"pattern": "*"}, "", None, False).finished
    assert isinstance(nothing, CodeSearch)
    assert nothing.output == SearchOutput(matches=())


def test_a_search_that_failed_says_why() -> None:
    done = Recorded("Glob", {"pattern": "*"}, "<tool_use_error>no such folder</tool_use_error>", "Error", True).finished
    assert isinstance(done, CodeSearch)
    assert done.output == SearchOutput(error="no such folder")


def test_files_of_a_list_that_was_cut_short() -> None:
    result = {"filenames": ["a", 1, "b"], "numFiles": 2, "truncated": True}
    done = Recorded("Glob", {"pattern": "*"}, "a\nb", result, False).finished
    assert isinstance(done, CodeSearch)
    assert done.output == SearchOutput(files=("a", "b"), file_count=2, truncated=True)
