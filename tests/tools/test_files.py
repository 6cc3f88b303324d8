"""Files read, written and edited: what the payload tells at the call and after the result."""

from typing import Any

import pytest

from bascule.payload import Hunk, ModifyFile, Mutation, ReadFile, ReadOutput
from bascule.tools import describe, finish
from tests.tools.recorded import Recorded, recorded


def read(file_path: str, *, result: Any = None, content: Any = "", is_error: bool = False) -> ReadOutput:
    """The output of a Read that ended so."""
    payload = Recorded("Read", {"file_path": file_path}, content, result, is_error).finished
    assert isinstance(payload, ReadFile)
    assert payload.output is not None
    return payload.output


def modified(name: str, tool_input: Any, result: Any) -> ModifyFile:
    payload = Recorded(name, tool_input, "done", result, False).finished
    assert isinstance(payload, ModifyFile)
    return payload


def test_reading_part_of_a_file_tells_lines_and_language() -> None:
    part, whole, *_ = recorded("17_edit_write")
    assert part.described == ReadFile(file_path="/home/dev/project/code.py", offset=3, limit=3)
    assert part.finished == ReadFile(
        file_path="/home/dev/project/code.py",
        offset=3,
        limit=3,
        output=ReadOutput(content="line 3\nline 4\nline 5", line_count=3, total_lines=41, language="python"),
    )
    assert isinstance(whole.finished, ReadFile)
    assert whole.finished.output is not None
    assert not whole.finished.output.truncated


def test_each_kind_of_file_says_what_it_is() -> None:
    image, pdf, notebook, too_big, binary, latin, missing, folder, *_ = [
        call.finished.output for call in recorded("17_read_kinds") if isinstance(call.finished, ReadFile)
    ]
    assert image == ReadOutput(media="image/png")
    assert pdf == ReadOutput(media="application/pdf")
    assert notebook is not None
    assert notebook.media == "application/x-ipynb+json"
    assert "print(1)" in notebook.content
    assert too_big is not None
    assert too_big.error is not None
    assert too_big.error.startswith("File content (350.5KB) exceeds")
    assert binary is not None
    assert binary.error is not None
    assert binary.error.startswith("This tool cannot read binary files.")
    assert latin == ReadOutput(content="caf\ufffd\n", line_count=2, total_lines=2)
    assert missing == ReadOutput(error="File does not exist. Note: your current working directory is /home/dev/project")
    assert folder == ReadOutput(error="EISDIR: illegal operation on a directory, read '/home/dev/project'")


def test_L3_reading_an_image_keeps_its_bytes_out_of_the_payload() -> None:
    image = recorded("17_read_kinds")[0]
    assert image.result["file"]["base64"] not in str(image.finished)


def test_a_file_that_the_cli_cut_is_truncated_unless_a_part_was_asked_for() -> None:
    file = {"content": "a", "numLines": 2000, "startLine": 1, "totalLines": 5000}
    assert read("a.md", result={"type": "text", "file": file}).truncated
    capped = {"content": "a", "numLines": 1, "totalLines": 1, "truncatedByTokenCap": True}
    assert read("a.md", result={"type": "text", "file": capped}).truncated
    part = Recorded("Read", {"file_path": "a.md", "limit": 9}, "", {"type": "text", "file": file}, False).finished
    assert isinstance(part, ReadFile)
    assert part.output is not None
    assert not part.output.truncated


def test_an_unchanged_file_gives_no_content() -> None:
    result = {"type": "file_unchanged", "file": {"filePath": "a.py"}}
    assert read("a.py", result=result, content="Wasted call") == ReadOutput(language="python")


def test_without_a_structured_result_the_line_numbers_go() -> None:
    assert read("a.py", content="1\tif x:\n2\t    y\n12\t") == ReadOutput(
        content="if x:\n    y\n", line_count=3, language="python"
    )
    assert read("Makefile", content=None) == ReadOutput(language="makefile")


def test_an_edit_shows_its_passage_first_and_the_real_patch_after() -> None:
    call = recorded("17_edit_write")[2]
    assert call.described == ModifyFile(
        file_path="/home/dev/project/code.py",
        mutations=(
            Mutation(
                type="patch",
                content="line five\nline 5b\n",
                old_content="line 5\n",
                diff="@@ -1,1 +1,2 @@\n-line 5\n+line five\n+line 5b\n",
            ),
        ),
        added=2,
        removed=1,
    )
    lines = (
        " line 2", " line 3", " line 4", "-line 5", "+line five", "+line 5b", " line 6", " line 7", " line 8",
    )  # fmt: skip
    assert call.finished == ModifyFile(
        file_path="/home/dev/project/code.py",
        mutations=(
            Mutation(
                type="patch",
                content="line five\nline 5b\n",
                old_content="line 5\n",
                diff="@@ -2,7 +2,8 @@\n" + "".join(f"{line}\n" for line in lines),
                hunks=(Hunk(2, 7, 2, 8, lines),),
                start_line=5,
            ),
        ),
        added=2,
        removed=1,
    )


def test_replacing_everywhere_counts_every_place() -> None:
    call = recorded("17_edit_write")[3]
    assert isinstance(call.described, ModifyFile)
    assert (call.described.added, call.described.removed) == (1, 1)
    assert isinstance(call.finished, ModifyFile)
    assert (call.finished.added, call.finished.removed) == (11, 11)
    (mutation,) = call.finished.mutations
    assert mutation.everywhere
    assert mutation.start_line == 1
    assert mutation.hunks is not None
    assert [(hunk.old_start, hunk.old_lines) for hunk in mutation.hunks] == [(1, 4), (8, 16)]


def test_an_edit_that_failed_keeps_its_passage_and_says_why() -> None:
    call = recorded("17_edit_write")[4]
    assert call.finished == ModifyFile(
        file_path="/home/dev/project/code.py",
        mutations=(
            Mutation(type="patch", content="x", old_content="not there", diff="@@ -1,1 +1,1 @@\n-not there\n+x\n"),
        ),
        added=1,
        removed=1,
        error="String to replace not found in file.\nString: not there",
    )


def test_writing_over_a_file_tells_what_was_there() -> None:
    call = recorded("17_edit_write")[7]
    assert call.described == ModifyFile(
        file_path="/home/dev/project/code.py", mutations=(Mutation(type="replace", content="all new\n"),)
    )
    assert isinstance(call.finished, ModifyFile)
    (mutation,) = call.finished.mutations
    assert mutation.type == "replace"
    assert mutation.old_content is not None
    assert mutation.old_content.startswith("L1\nline 2\n")
    assert (call.finished.added, call.finished.removed, mutation.start_line) == (1, 41, 1)


def test_writing_a_new_file_creates_it() -> None:
    call = recorded("17_edit_write")[8]
    assert call.finished == ModifyFile(
        file_path="/home/dev/project/sub/dir/new.py",
        mutations=(Mutation(type="create", content="a=1\n", diff="@@ -0,0 +1,1 @@\n+a=1\n", start_line=1),),
        added=1,
        removed=0,
    )


def test_several_edits_show_their_passages_and_count_by_the_patch() -> None:
    edits = [
        {"old_string": "a", "new_string": "b"},
        {"old_string": "", "new_string": "c\n"},
        {"old_string": "d", "new_string": "d"},
        "no edit",
    ]
    tool_input = {"file_path": "x", "edits": edits}
    described = describe("MultiEdit", tool_input)
    assert isinstance(described, ModifyFile)
    assert [mutation.type for mutation in described.mutations] == ["patch", "create", "patch", "create"]
    assert (described.added, described.removed) == (2, 1)
    patch = [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 3, "lines": ["-a", "+b", "+c", "+d"]}]
    finished = modified("MultiEdit", tool_input, {"filePath": "x", "structuredPatch": patch})
    assert finished.mutations == described.mutations
    assert (finished.added, finished.removed) == (3, 1)


def test_an_edit_that_makes_a_file_creates_it() -> None:
    call = recorded("17_edit_write")[-1]
    assert isinstance(call.finished, ModifyFile)
    assert call.finished.mutations[0].type == "create"
    assert call.finished.mutations[0].old_content is None


def test_notebook_cells_are_patched_inserted_and_deleted() -> None:
    _, patched, inserted, deleted = recorded("17_notebook")
    assert patched.described == ModifyFile(
        file_path="/home/dev/project/nb.ipynb", mutations=(Mutation(type="patch", content="print(2)"),)
    )
    assert patched.finished == ModifyFile(
        file_path="/home/dev/project/nb.ipynb",
        mutations=(
            Mutation(
                type="patch",
                content="print(2)",
                old_content="print(1)",
                diff="@@ -1,1 +1,1 @@\n-print(1)\n+print(2)\n",
            ),
        ),
        added=1,
        removed=1,
    )
    new = Mutation(type="patch", content="# new", diff="@@ -0,0 +1,1 @@\n+# new\n")
    assert inserted.described == inserted.finished
    assert inserted.finished == ModifyFile(file_path="/home/dev/project/nb.ipynb", mutations=(new,), added=1, removed=0)
    assert isinstance(deleted.finished, ModifyFile)
    assert deleted.finished.mutations[0].diff == "@@ -1,1 +0,0 @@\n-# Title\n"


def test_a_notebook_tells_its_error_in_a_result_that_is_none() -> None:
    tool_input = {"notebook_path": "n.ipynb", "new_source": "x"}
    failed = modified("NotebookEdit", tool_input, {"notebook_path": "n.ipynb", "error": "no such cell"})
    assert failed.error == "no such cell"


def test_an_edit_inside_a_subagent_has_no_result_and_keeps_its_passage() -> None:
    tool_input = {"file_path": "a", "old_string": "x", "new_string": "y"}
    assert modified("Edit", tool_input, None) == describe("Edit", tool_input)


@pytest.mark.parametrize("patch", [[], [{}], ["nonsense"], [{"oldStart": "1", "lines": [1, None]}]])
def test_a_patch_of_no_sense_changes_nothing(patch: Any) -> None:
    tool_input = {"file_path": "a", "content": "x"}
    result = {"type": "update", "content": "x", "structuredPatch": patch, "originalFile": None}
    done = modified("Write", tool_input, result)
    assert (done.added, done.removed, done.mutations[0].start_line) == (0, 0, None)


def test_an_edit_changed_by_the_person_shows_what_was_written() -> None:
    described = describe("Edit", {"file_path": "a", "old_string": "x", "new_string": "y"})
    result = {"filePath": "a", "oldString": "x", "newString": "z", "structuredPatch": [], "replaceAll": True}
    done = finish(described, "Edit", {}, content="", result=result, is_error=False)
    assert isinstance(done, ModifyFile)
    assert done.mutations[0].content == "z"
    assert done.mutations[0].everywhere
