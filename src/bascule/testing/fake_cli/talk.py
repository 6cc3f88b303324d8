"""All that one session of the fake knows, and its way to say something. What it does is in ``turn`` and ``program``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from bascule.testing.fake_cli.flags import Flags
from bascule.testing.fake_cli.heard import Prompt
from bascule.testing.fake_cli.history import Entry, History
from bascule.testing.fake_cli.host import HOOK_TIMEOUT_S, Host
from bascule.testing.fake_cli.rights import Rights
from bascule.testing.fake_cli.said import TOOLS, Lines, new_uuid
from bascule.testing.fake_cli.tools import Files, Shell
from bascule.testing.fake_cli.usage import Ledger
from bascule.testing.fake_cli.versions import Version

_NAMES: Final = re.compile(r"[\w|]+")


class Hook(msgspec.Struct, frozen=True, kw_only=True):
    """A callback that the host registered."""

    event: str
    callback_id: str
    matcher: str | None = None
    timeout_s: float = HOOK_TIMEOUT_S
    blocks_on_failure: bool = False

    def matches(self, tool: str) -> bool:
        """Names apart by bars are names; anything else is a regular expression."""
        if not self.matcher or self.matcher == "*":
            return True
        if _NAMES.fullmatch(self.matcher):
            return tool in self.matcher.split("|")
        return re.search(self.matcher, tool) is not None


class Talk(msgspec.Struct, kw_only=True):
    """One session."""

    version: Version
    flags: Flags
    cwd: Path
    env: Mapping[str, str]
    lines: Lines
    rights: Rights
    history: History
    ledger: Ledger
    host: Host
    files: Files
    shell: Shell
    say: Callable[[Mapping[str, Any]], None]
    complain: Callable[[str], None]
    model: str
    hooks: list[Hook] = []
    waiting: list[Prompt] = []
    """Prompts that no turn has taken yet, in their order."""
    seen: set[str] = set()
    """Uuids of prompts; one that comes again is not run (11_dup_uuid)."""
    results: int = 0
    ended_in_error: bool = False
    """Of the last result; the exit code tells it."""
    initialized: bool = False
    prompted: bool = False
    state: str = ""
    """What ``session_state_changed`` said last."""
    plan_after: str = "default"
    """The mode before this one: what an approved plan returns to."""
    asking: int = 0
    """Permission requests that are open."""

    def tell(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Say several lines."""
        for line in lines:
            self.say(line)

    def keep(self, entry_uuid: str, role: Any, content: list[Any], message_id: str | None = None) -> None:
        """Into the conversation."""
        self.history.add(Entry(uuid=entry_uuid, role=role, content=content, message_id=message_id))

    def told(self, content: list[Any], **fields: Any) -> None:
        """The model is told something; the host sees it too."""
        line = self.lines.user(content, **fields)
        self.say(line)
        self.keep(line["uuid"], "user", content)

    def change_state(self, state: str) -> None:
        """``running``, ``requires_action``, ``idle``: said if asked for, when it changed (30_session_state)."""
        if self.env.get("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS") == "1" and state != self.state:
            self.say(self.lines.system("session_state_changed", state=state))
        self.state = state

    def change_mode(self, mode: str) -> None:
        """The permission mode; said when it is another one."""
        if mode != self.rights.mode:
            self.plan_after, self.rights.mode = self.rights.mode, mode
            self.say(self.lines.system("status", status=None, permissionMode=mode))

    def init(self) -> None:
        """The line that begins a turn."""
        shown = self.model if self.flags.model or self.model != self.version.model else self.version.shown_model
        self.say(self.lines.init(cwd=str(self.cwd), mode=self.rights.mode, model=shown, tools=self.tools))

    @property
    def tools(self) -> list[str]:
        """On offer; without a way to ask there are no questions (26_no_prompt_tool_ask)."""
        gone = set(self.flags.disallowed_tools) | (set() if self.rights.may_ask else {"AskUserQuestion"})
        return [tool for tool in TOOLS if tool not in gone]

    def hooks_for(self, event: str, tool: str = "") -> Iterator[Hook]:
        """The callbacks for an event, in the order of their registration."""
        return (hook for hook in self.hooks if hook.event == event and hook.matches(tool))

    def hook_input(self, event: str, prompt_id: str, **fields: Any) -> dict[str, Any]:
        """What a callback is told."""
        return {
            "session_id": self.lines.session_id,
            "transcript_path": str(self.history.path or ""),
            "cwd": str(self.cwd),
            "prompt_id": prompt_id,
            "permission_mode": self.rights.mode,
            "hook_event_name": event,
            **fields,
        }

    async def call_hook(self, hook: Hook, told: Mapping[str, Any], call_id: str | None) -> Mapping[str, Any] | str:
        """The response to a callback, or why there is none."""
        request = {"subtype": "hook_callback", "callback_id": hook.callback_id, "input": told}
        return await self.host.ask({**request, "tool_use_id": call_id or new_uuid()}, timeout_s=hook.timeout_s)
