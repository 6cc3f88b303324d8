"""Which recording shows which class of the wire, and which of its fields: for `write_wire_reference.py`.

A line is decoded, and its JSON is gone through beside the struct that was made of it: what both have is shown. Bodies
of answers, whose class is told by the request, are read as that class.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeAlias

import msgspec

from bascule.recording import Entry
from bascule.wire import answers, control
from bascule.wire.codec import decode
from bascule.wire.fitting import Misfit, fit
from bascule.wire.hook_outputs import HookOutput
from bascule.wire.hooks import decode_hook_input
from bascule.wire.json_text import NotJson, clean, parse
from bascule.wire.leftover import beyond
from bascule.wire.permissions import decision_of
from bascule.wire.shape import Shape, Unknown, Unread
from scripts.recorded import Recording

ANSWERS: Final[dict[str, type[Any]]] = {
    "cancel_async_message": answers.MessageCancelled,
    "export_conversation": answers.Exported,
    "generate_session_title": answers.Title,
    "get_binary_version": answers.BinaryVersion,
    "get_context_usage": answers.ContextUsage,
    "get_hooks_listing": answers.HooksListing,
    "get_memory_dialog": answers.Memory,
    "get_sandbox_dialog": answers.SandboxState,
    "get_session_cost": answers.Cost,
    "get_skills_dialog": answers.SkillStates,
    "get_task_output": answers.TaskOutput,
    "get_usage": answers.UsageReport,
    "initialize": answers.Initialized,
    "interrupt": answers.Interrupted,
    "list_models": answers.Models,
    "list_permission_rules": answers.PermissionRules,
    "mcp_call": answers.Called,
    "mcp_set_servers": answers.ServersSet,
    "mcp_status": answers.Servers,
    "read_file": answers.FileContents,
    "reload_plugins": answers.Reloaded,
    "rewind_files": answers.Rewound,
    "set_mcp_permission_mode_override": answers.ModeOverridden,
    "set_model": answers.ModelSet,
    "set_permission_mode": answers.ModeSet,
    "side_question": answers.SideAnswer,
}
"""The class of the answer, by the subtype of our request."""


Sight: TypeAlias = tuple[type[Any], str | None]
"""A class, or one of its fields by the name that it has in JSON."""


class Evidence:
    """What was shown, each time by the first recording that does."""

    def __init__(self, recordings: Iterable[Recording]) -> None:
        self._shown: dict[tuple[type[Any], str | None, str], str] = {}
        self.unread: dict[tuple[str, str], dict[str, str]] = {}
        """By class and place, what no field takes: the recording by version."""
        for recording in recordings:
            self._look_at(recording)

    def of(self, kind: type[Any], version: str, field: str | None = None) -> str | None:
        """A recording of that version that shows the class, or the field; None: there is none."""
        return self._shown.get((kind, field, version))

    def _look_at(self, recording: Recording) -> None:
        asked: dict[tuple[str, str], Any] = {}
        for entry in recording.entries:
            if entry.dir in ("in", "out"):
                for raw, value in _pairs(entry, asked):
                    self._note(raw, value, recording, theirs=entry.dir == "out")

    def _note(self, raw: Any, value: Shape, recording: Recording, *, theirs: bool) -> None:
        for kind, field in _shown(raw, value):
            self._shown.setdefault((kind, field, recording.version), recording.name)
        for path in beyond(raw, value) if theirs else ():
            place = ".".join(part for part in path if isinstance(part, str))
            if place not in ("type", ""):
                self.unread.setdefault((type(value).__name__, place), {}).setdefault(recording.version, recording.name)


def _pairs(entry: Entry, asked: dict[tuple[str, str], Any]) -> Iterator[tuple[Any, Shape]]:
    """The JSON of a line and its message, and of the parts that are plain JSON to the codec."""
    try:
        raw = parse(clean(entry.line))
    except NotJson:
        return
    message = decode(entry.line)
    if isinstance(message, Unknown):
        return
    yield raw, message
    match message:
        case control.ControlRequest(request_id=request_id, request=request):
            asked[entry.dir, request_id] = request
            if isinstance(request, control.HookCallback):
                event = str(request.input.get("hook_event_name"))
                yield request.input, decode_hook_input(event, request.input)
        case control.ControlResponse(response=control.Succeeded(request_id=request_id, response=dict() as body)):
            theirs = asked.get(("in" if entry.dir == "out" else "out", request_id))
            if (answer := _read(theirs, body)) is not None:
                yield body, answer


def _shown(raw: Any, value: Any) -> Iterator[Sight]:
    """Every class in `value`, and each field of it that `raw` has."""
    match value:
        case Unread() | Unknown():
            return
        case msgspec.Struct() if isinstance(raw, dict):
            yield type(value), None
            for name, key in zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True):
                if raw.get(key) is not None:
                    yield type(value), key
                    yield from _shown(raw[key], getattr(value, name))
        case tuple() if isinstance(raw, list) and len(raw) == len(value):
            for item, kept in zip(raw, value, strict=True):
                yield from _shown(item, kept)
        case dict() if isinstance(raw, dict):
            for key, kept in value.items():
                yield from _shown(raw.get(key), kept)


def _read(request: Any, body: dict[str, Any]) -> Any:
    """The answer to a request as a struct; None where there is no class for it."""
    match request:
        case control.CanUseTool():
            return decision_of(body)
        case control.HookCallback():
            return _fitted(body, HookOutput)
        case control.McpMessage():
            return _fitted(body, control.McpAnswer)
        case control.Elicitation():
            return _fitted(body, control.ElicitationAnswer)
        case msgspec.Struct() if (kind := ANSWERS.get(str(request.__struct_config__.tag))) is not None:
            return answers.read(body, kind)
    return None


def _fitted(body: dict[str, Any], kind: type[Any]) -> Any:
    try:
        return fit(body, kind)
    except Misfit:
        return None
