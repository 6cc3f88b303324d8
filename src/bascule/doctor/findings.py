"""What a CLI was found to say and do, from the lines of its conversations and from its help. Pure.

A *kind* is the name of a message, with what tells it apart: ``assistant``, ``system/init``, ``asked/can_use_tool`` (a
request of the CLI), ``answer/initialize`` (the body of an answer to ours), ``hook/PreToolUse`` (a callback's input).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from bascule.doctor.usage import Usage, usage_of
from bascule.recording import Entry
from bascule.wire.answers import HooksListing, Initialized, read
from bascule.wire.codec import decode
from bascule.wire.control import ControlRequest, ControlResponse, Failed, HookCallback, Succeeded, UnknownRequest
from bascule.wire.hooks import decode_hook_input
from bascule.wire.json_text import NotJson, clean, parse
from bascule.wire.leftover import Path, beyond, extra
from bascule.wire.shape import Message, Unknown
from bascule.wire.system import Init, System

NEW: Final = "(new)"
"""Stands among the keys of a kind that no class models."""

_ENVELOPE: Final = frozenset(("type", "subtype", "uuid", "session_id", "request_id", "hook_event_name"))
_UNSUPPORTED: Final = "Unsupported control request subtype"


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """All that a probe found. Sets of names; which of them matter is decided in ``compare``."""

    version: str | None = None
    """As the CLI told it in the conversation."""
    keys: Mapping[str, frozenset[str]] = {}
    """By kind, the keys of its messages, envelopes left aside."""
    unread: Mapping[str, frozenset[str]] = {}
    """By kind, where its messages say more than our classes take, or something else: ``message.usage.speed``."""
    tools: frozenset[str] = frozenset()
    models: frozenset[str] = frozenset()
    capabilities: frozenset[str] = frozenset()
    hook_events: frozenset[str] = frozenset()
    """Those that the CLI lists; none where it cannot list them. What it calls back is among ``keys``."""
    requests: frozenset[str] = frozenset()
    """The control requests that it knows, of those it was asked."""
    flags: frozenset[str] = frozenset()
    modes: frozenset[str] = frozenset()
    ways: Mapping[str, str] = {}
    """By trait, the way that the CLI goes; see ``traits``."""
    trouble: tuple[str, ...] = ()
    """What could not be found out, and why."""


def findings(
    entries: Iterable[Entry], *, usage: str = "", ways: Mapping[str, str] | None = None, trouble: Iterable[str] = ()
) -> Findings:
    """What conversations and the text of ``--help`` (``usage``) tell; answers are told by our requests before them."""
    heard = _Heard()
    for entry in entries:
        if entry.dir == "in":
            heard.ours(decode(entry.line))
        elif entry.dir == "out":
            heard.theirs(entry.line)
    told: Usage = usage_of(usage)
    return Findings(
        version=heard.version,
        keys=_frozen(heard.keys),
        unread=_frozen(heard.unread),
        tools=frozenset(heard.tools),
        models=frozenset(heard.models),
        capabilities=frozenset(heard.capabilities),
        hook_events=frozenset(heard.hook_events),
        requests=frozenset(heard.requests),
        flags=told.flags,
        modes=told.modes,
        ways=dict(ways or {}),
        trouble=tuple(trouble),
    )


class _Heard:
    """What was heard so far."""

    def __init__(self) -> None:
        self.version: str | None = None
        self.keys: defaultdict[str, set[str]] = defaultdict(set)
        self.unread: defaultdict[str, set[str]] = defaultdict(set)
        self.tools: set[str] = set()
        self.models: set[str] = set()
        self.capabilities: set[str] = set()
        self.hook_events: set[str] = set()
        self.requests: set[str] = set()
        self._asked: dict[str, str] = {}
        """Our requests' subtypes, by their ids; the newest counts, since every process has its own ids."""

    def ours(self, message: Message) -> None:
        """A line of ours: what is being asked."""
        if isinstance(message, ControlRequest):
            self._asked[message.request_id] = str(message.request.__struct_config__.tag)

    def theirs(self, line: str) -> None:
        """A line of the CLI's."""
        try:
            raw = parse(clean(line))
        except NotJson:
            self.unread["(no JSON)"].add(line[:80])
            return
        message = decode(line)
        match message:
            case ControlRequest(request=request):
                body = raw["request"]
                more: Mapping[Path, Any] = {(): NEW} if isinstance(request, UnknownRequest) else extra(line)
                self._note(f"asked/{body.get('subtype')}", body, more)
                if isinstance(request, HookCallback):
                    self._called(request)
            case ControlResponse(response=answer):
                self._answered(answer)
            case Unknown():
                self._note(_kind(message), raw, {(): NEW})
            case _:
                self._note(_kind(message), raw, extra(line))
        if isinstance(message, Init):
            self._begun(message)

    def _note(self, kind: str, raw: Any, more: Mapping[Path, Any]) -> None:
        self.keys[kind] |= (raw.keys() if isinstance(raw, dict) else set()) - _ENVELOPE
        if more:
            self.unread[kind] |= {_place(path) or NEW for path in more}

    def _begun(self, init: Init) -> None:
        self.version = init.claude_code_version or self.version
        self.tools.update(init.tools)
        self.capabilities.update(init.capabilities or ())

    def _called(self, request: HookCallback) -> None:
        event = str(request.input.get("hook_event_name"))
        self._note(f"hook/{event}", request.input, beyond(request.input, decode_hook_input(event, request.input)))

    def _answered(self, answer: Succeeded | Failed) -> None:
        asked = self._asked.get(answer.request_id)
        if asked is None:
            return
        if isinstance(answer, Failed):
            if not (answer.error or "").startswith(_UNSUPPORTED):
                self.requests.add(asked)
            return
        self.requests.add(asked)
        self._note(f"answer/{asked}", answer.response, {})
        if asked == "initialize":
            self._greeted(answer.response)
        elif asked == "get_hooks_listing":
            self.hook_events.update(
                each.name for each in read(answer.response, HooksListing).event_catalog if each.name
            )

    def _greeted(self, response: Any) -> None:
        told = read(response, Initialized)
        self.version = told.claude_code_version or self.version
        self.models.update(model.value for model in told.models if model.value)
        if more := beyond(response, told):
            self.unread["answer/initialize"] |= set(map(_place, more))


def _kind(message: Message) -> str:
    match message:
        case System():
            return f"system/{message.__struct_config__.tag}"
        case Unknown(type=type_, subtype=subtype):
            return f"{type_}/{subtype}" if subtype else str(type_)
        case _:
            return str(message.__struct_config__.tag)


def _place(path: Path) -> str:
    """``message.usage.speed``; places in lists are left out."""
    return ".".join(part for part in path if isinstance(part, str))


def _frozen(sets: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    return {kind: frozenset(names) for kind, names in sorted(sets.items())}
