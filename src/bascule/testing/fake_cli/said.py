"""The lines of stdout: their shapes, by version. Builds them, does not write them.

Every line of the session has a uuid of its own. Texts that the CLI shows to people or to the model stand where they are
used; here is what a line consists of.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from bascule.testing.fake_cli.versions import Version

TOOLS: Final = ("Task", "AskUserQuestion", "Bash", "Edit", "EnterPlanMode", "ExitPlanMode", "Read", "Write")
"""What the fake plays, as ``init`` lists it; calls of ``Task`` are not played."""

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def encoded(line: Mapping[str, Any]) -> bytes:
    """The line with its newline: UTF-8, but a lone surrogate as an escape (26_unicode)."""
    text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
    return _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode() + b"\n"


def new_uuid() -> str:
    """A uuid for a line, a request, a session."""
    return str(uuid.uuid4())


class Lines(msgspec.Struct, kw_only=True):
    """Builds the lines of one session."""

    version: Version
    session_id: str
    """Changes with ``/clear`` in the CLI; the fake keeps it."""

    def line(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Any line of the session."""
        return {"type": kind, **fields, "uuid": new_uuid(), "session_id": self.session_id}

    def system(self, subtype: str, **fields: Any) -> dict[str, Any]:
        """A ``system`` line."""
        return {"type": "system", "subtype": subtype, **fields, "uuid": new_uuid(), "session_id": self.session_id}

    def init(self, *, cwd: str, mode: str, model: str, tools: Sequence[str]) -> dict[str, Any]:
        """The line at the start of each turn."""
        newer = {"capabilities": list(self.version.capabilities)} if self.version.capabilities else {}
        return self.system(
            "init",
            cwd=cwd,
            tools=list(tools),
            mcp_servers=[],
            model=model,
            permissionMode=mode,
            slash_commands=["clear", "compact"],
            apiKeySource="ANTHROPIC_API_KEY",
            claude_code_version=self.version.number,
            output_style="default",
            agents=["general-purpose"],
            skills=[],
            plugins=[],
            **newer,
        )

    def assistant(self, message: Mapping[str, Any], prompts: Sequence[str], **fields: Any) -> dict[str, Any]:
        """One block of a message; ``prompts`` are named by the first line of a turn only."""
        return self.line("assistant", message=message, parent_tool_use_id=None, **fields, **self.marks(prompts))

    def user(self, content: list[Any] | str, **fields: Any) -> dict[str, Any]:
        """What the model is told by a tool, or by the CLI itself."""
        return self.line(
            "user", message={"role": "user", "content": content}, parent_tool_use_id=None, timestamp=now(), **fields
        )

    def echo(self, content: list[Any] | str, uuid: str | None) -> dict[str, Any]:
        """A prompt, given back because of ``--replay-user-messages``."""
        return {**self.user(content, isReplay=True), "uuid": uuid or new_uuid()}

    def lifecycle(self, prompt: str | None, state: str) -> list[dict[str, Any]]:
        """How a prompt of the host goes on; nothing for one without a uuid, and from the older version."""
        if prompt is None or not self.version.tells_prompts:
            return []
        return [self.line("command_lifecycle", command_uuid=prompt, state=state)]

    def marks(self, prompts: Sequence[str]) -> dict[str, Any]:
        """Which prompts a line answers."""
        if not prompts or not self.version.tells_prompts:
            return {}
        return {"user_message_uuid": prompts[-1], "user_message_uuids": list(prompts)}

    def result(self, index: int, fields: Mapping[str, Any], prompts: Sequence[str]) -> dict[str, Any]:
        """The end of a turn. The newer version keeps no order among the keys, and ``type`` is not the first."""
        line = self.line("result", **fields, **self.marks(prompts))
        if not self.version.tells_prompts:
            return line
        keys = sorted({**line, "result_index": index})
        turned = [*keys[index % len(keys) :], *keys[: index % len(keys)]]
        whole = {**line, "result_index": index}
        return {key: whole[key] for key in turned if key != "type"} | {"type": "result"}


def now() -> str:
    """A timestamp as the CLI writes it."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
