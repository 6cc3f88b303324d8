"""Files read, written and edited: Read, Write, Edit, MultiEdit, NotebookEdit."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from bascule.payload import ModifyFile, Mutation, ReadFile, ReadOutput
from bascule.tools.diff import Change, passages, patched
from bascule.tools.fields import Fields
from bascule.tools.language import language
from bascule.tools.outcome import Outcome

_NUMBERED: Final = re.compile(r"^ *\d+[\t→]", re.MULTILINE)
"""What the model sees before each line of a file."""

_NOTEBOOK: Final = "application/x-ipynb+json"


def read(call: Fields) -> ReadFile:
    """A file, or some lines of it."""
    return ReadFile(file_path=call.text("file_path"), offset=call.whole("offset"), limit=call.whole("limit"))


def has_read(payload: ReadFile, outcome: Outcome) -> ReadFile:
    """``payload`` with what was read (17_read_kinds, CLI 2.1.332)."""
    return msgspec.structs.replace(payload, output=_read_output(payload, outcome))


def _read_output(payload: ReadFile, outcome: Outcome) -> ReadOutput:
    if outcome.error is not None:
        return ReadOutput(error=outcome.error)
    file = outcome.fields.inner("file")
    match outcome.fields.text("type"):
        case "text":
            return _text_output(payload, file)
        case "image":
            return ReadOutput(media=file.text_or_none("type"))
        case "pdf" | "parts":
            return ReadOutput(media="application/pdf")
        case "notebook":
            return _plain_output(payload, outcome.text, media=_NOTEBOOK)
        case "file_unchanged":
            return ReadOutput(language=language(payload.file_path))
        case _:
            return _plain_output(payload, _NUMBERED.sub("", outcome.text), media=None)


def _text_output(payload: ReadFile, file: Fields) -> ReadOutput:
    content, total = file.text("content"), file.whole("totalLines")
    count = file.whole("numLines") or 0
    last = (file.whole("startLine") or 1) - 1 + count
    return ReadOutput(
        content=content,
        line_count=count,
        total_lines=total,
        truncated=file.flag("truncatedByTokenCap") or (payload.limit is None and total is not None and last < total),
        language=language(payload.file_path),
    )


def _plain_output(payload: ReadFile, text: str, *, media: str | None) -> ReadOutput:
    return ReadOutput(
        content=text, line_count=text.count("\n") + 1 if text else 0, language=language(payload.file_path), media=media
    )


def write(call: Fields) -> ModifyFile:
    """A whole file written anew; whether there was one before is known from the result only."""
    return ModifyFile(
        file_path=call.text("file_path"), mutations=(Mutation(type="replace", content=call.text("content")),)
    )


def edit(call: Fields) -> ModifyFile:
    """One passage for another; the whole file for an empty one (17_edit_write)."""
    return _edits(call.text("file_path"), [call])


def multi_edit(call: Fields) -> ModifyFile:
    """Several passages of one file, one after the other. Older CLIs had such a tool; those of today do not."""
    return _edits(call.text("file_path"), call.objects("edits"))


def notebook_edit(call: Fields) -> ModifyFile:
    """A cell of a notebook; the cell before is known from the result only."""
    mutation = Mutation(type="patch", content=call.text("new_source"))
    if call.text("edit_mode") != "insert":
        return ModifyFile(file_path=call.text("notebook_path"), mutations=(mutation,))
    change = _unplaced(passages("", call.text("new_source")))
    return _changed(ModifyFile(file_path=call.text("notebook_path")), mutation, change)


def _edits(file_path: str, edits: list[Fields]) -> ModifyFile:
    changes = [passages(one.text("old_string"), one.text("new_string")) for one in edits]
    return ModifyFile(
        file_path=file_path,
        mutations=tuple(_passage(one, change) for one, change in zip(edits, changes, strict=True)),
        added=sum(change.added for change in changes),
        removed=sum(change.removed for change in changes),
    )


def _passage(one: Fields, change: Change) -> Mutation:
    old = one.text("old_string")
    return Mutation(
        type="patch" if old else "create",  # without an old passage the CLI makes the file (17_edit_write)
        content=one.text("new_string"),
        old_content=old or None,
        diff=change.diff,
        everywhere=one.flag("replace_all"),
    )


def has_modified(payload: ModifyFile, outcome: Outcome) -> ModifyFile:
    """``payload`` with the CLI's own patch instead of the passages (17_edit_write, 17_notebook, CLI 2.1.332)."""
    told = outcome.fields
    error = outcome.error if outcome.error is not None else told.text("error") or None
    if error is not None:
        return msgspec.structs.replace(payload, error=error)
    if "notebook_path" in told:
        return _cell(payload, told)
    if "structuredPatch" not in told:
        return payload
    if "content" in told:
        return _written(payload, told)
    return _edited(payload, told)


def _cell(payload: ModifyFile, told: Fields) -> ModifyFile:
    old, new = told.text_or_none("old_source"), told.text("new_source")
    mutation = Mutation(type="patch", content=new, old_content=old)
    return _changed(payload, mutation, _unplaced(passages(old or "", new)))


def _written(payload: ModifyFile, told: Fields) -> ModifyFile:
    content = told.text("content")
    if told.text("type") == "create":  # its patch is empty
        change = passages("", content)._replace(hunks=())
        return _changed(payload, Mutation(type="create", content=content), change)
    old = told.text_or_none("originalFile")
    mutation = Mutation(type="replace", content=content, old_content=old)
    return _changed(payload, mutation, patched(told.objects("structuredPatch")))


def _edited(payload: ModifyFile, told: Fields) -> ModifyFile:
    """The patch is of the whole call: it is put on the mutation when there is but one."""
    change = patched(told.objects("structuredPatch"))
    if len(payload.mutations) != 1:
        return msgspec.structs.replace(payload, added=change.added, removed=change.removed)
    mutation = msgspec.structs.replace(
        payload.mutations[0],
        content=told.text("newString"),
        old_content=told.text("oldString") or None,
        everywhere=told.flag("replaceAll"),
    )
    return _changed(payload, mutation, change)


def _unplaced(change: Change) -> Change:
    """``change`` of a passage whose place in the file is not known."""
    return change._replace(hunks=(), start_line=None)


def _changed(payload: ModifyFile, mutation: Mutation, change: Change) -> ModifyFile:
    placed = msgspec.structs.replace(
        mutation, diff=change.diff, hunks=change.hunks or None, start_line=change.start_line
    )
    return msgspec.structs.replace(payload, mutations=(placed,), added=change.added, removed=change.removed)
