"""What may run without asking: the permission modes, the allow rules, and what *always* adds to them.

Far simpler than the CLI's own rules, and on the safe side of them: what is not plainly reading asks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec

Verdict: TypeAlias = Literal["run", "ask", "deny"]

FOR_A_PERSON: Final = frozenset(("AskUserQuestion", "ExitPlanMode"))
"""They ask in every mode, whatever the rules say (14_bypass)."""
_QUIET: Final = frozenset(("EnterPlanMode",))
_WRITING: Final = frozenset(("Edit", "Write"))
_READING: Final = frozenset("cat echo false grep head ls pwd sleep tail true wc".split())
_DANGEROUS: Final = re.compile(r"[>`\n]|\$\(|<\(")
_SPLIT: Final = re.compile(r"&&|\|\||[;|]")
_FILES: Final[Mapping[str, str]] = {
    "localSettings": ".claude/settings.local.json",
    "projectSettings": ".claude/settings.json",
}


class Rights(msgspec.Struct, kw_only=True):
    """The rights of one session; they grow with the answers that say *always*."""

    cwd: Path
    config: Path
    """``CLAUDE_CONFIG_DIR``."""
    mode: str
    may_ask: bool
    """There is a ``--permission-prompt-tool``; else what would ask is denied."""
    bypass_launched: bool = False
    rules: set[tuple[str, str | None]] = set()
    """Tool and content; no content is every call."""

    @property
    def plans(self) -> Path:
        """Where plans are written, in plan mode too."""
        return self.config / "plans"

    def load(self, allowed: Iterable[str]) -> None:
        """Takes the rules of the command line and of settings files; a project's own are not trusted (30_notrust)."""
        texts = [*allowed]
        for path in (self.config / "settings.json", self.cwd / _FILES["localSettings"]):
            texts += _allowed_in(path)
        self.rules |= {_rule(text) for text in texts}

    def verdict(self, tool: str, tool_input: Mapping[str, Any]) -> Verdict:
        """Whether a call runs, asks, or is denied because nobody could be asked."""
        if tool in FOR_A_PERSON:
            return "deny" if self.mode == "dontAsk" else self._asked()
        if self.mode in ("bypassPermissions", "auto") or tool in _QUIET or self._ruled(tool, tool_input):
            return "run"
        if self.mode == "plan" and tool in _WRITING and self._is_plan(tool_input):
            return "run"
        if self._reads(tool, tool_input) or (self.mode == "acceptEdits" and self._edits_here(tool, tool_input)):
            return "run"
        return "deny" if self.mode == "dontAsk" else self._asked()

    def _asked(self) -> Verdict:
        return "ask" if self.may_ask else "deny"

    def _ruled(self, tool: str, tool_input: Mapping[str, Any]) -> bool:
        names = (tool, "Edit") if tool in _WRITING else (tool,)
        content = str(tool_input.get("command", tool_input.get("file_path", "")))
        return any(name in names and (held is None or _covers(held, content)) for name, held in self.rules)

    def _reads(self, tool: str, tool_input: Mapping[str, Any]) -> bool:
        if tool == "Bash":
            return reads_only(str(tool_input.get("command", "")))
        return tool == "Read" and self.inside(tool_input)

    def _edits_here(self, tool: str, tool_input: Mapping[str, Any]) -> bool:
        if tool == "Bash":
            return str(tool_input.get("command", "")).startswith(("touch ", "mkdir "))
        return tool in _WRITING and self.inside(tool_input)

    def _is_plan(self, tool_input: Mapping[str, Any]) -> bool:
        return Path(str(tool_input.get("file_path", "/"))).resolve().is_relative_to(self.plans.resolve())

    def inside(self, tool_input: Mapping[str, Any]) -> bool:
        """Whether the file that is meant lies in the workspace."""
        path = (self.cwd / str(tool_input.get("file_path", "/"))).resolve()
        return path.is_relative_to(self.cwd.resolve())

    def suggestions(self, tool: str, tool_input: Mapping[str, Any]) -> list[dict[str, Any]]:
        """What the CLI offers for *always*."""
        rule: dict[str, Any] = {"toolName": tool}
        if tool == "Bash":
            rule["ruleContent"] = str(tool_input.get("command", ""))
        elif tool in _WRITING:
            return [{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]
        elif tool == "Read":
            folder = Path(str(tool_input.get("file_path", "/"))).parent
            rule["ruleContent"] = f"/{folder}/**"
        destination = "session" if tool == "Read" else "localSettings"
        return [{"type": "addRules", "rules": [rule], "behavior": "allow", "destination": destination}]

    def apply(self, update: Mapping[str, Any]) -> str | None:
        """Takes one of ``updatedPermissions``; the mode, if it is one that sets it. Unknown ones do nothing."""
        match update:
            case {"type": "setMode", "mode": str(mode)}:
                return mode
            case {"type": "addRules", "behavior": "allow", "rules": list(rules), "destination": str(destination)}:
                self._add([rule for rule in rules if isinstance(rule, dict)], destination)
        return None

    def _add(self, rules: list[dict[str, Any]], destination: str) -> None:
        pairs = [(str(rule.get("toolName")), rule.get("ruleContent")) for rule in rules]
        if destination in ("session", "cliArg", "localSettings", "userSettings"):
            self.rules |= {(tool, None if content is None else str(content)) for tool, content in pairs}
        path = self.config / "settings.json" if destination == "userSettings" else _FILES.get(destination)
        if path is not None:
            _store(self.cwd / path, [tool if content is None else f"{tool}({content})" for tool, content in pairs])


def reads_only(command: str) -> bool:
    """Whether a command does nothing but look; only such ones run beside each other."""
    words = [part.split() for part in _SPLIT.split(command)]
    return not _DANGEROUS.search(command) and all(part and part[0] in _READING for part in words)


def _covers(held: str, content: str) -> bool:
    if held.startswith("//"):  # a path from the root
        folder = held[1:].removesuffix("/**")
        return content == folder or (folder != held[1:] and content.startswith(f"{folder}/"))
    for end in (":*", " *", "*"):
        if held.endswith(end):
            return content == held.removesuffix(end) or content.startswith(held.removesuffix(end) + " ")
    return content == held


def _rule(text: str) -> tuple[str, str | None]:
    tool, parenthesis, content = text.partition("(")
    return tool, content.removesuffix(")") if parenthesis else None


def _allowed_in(path: Path) -> list[str]:
    try:
        allowed = json.loads(path.read_text())["permissions"]["allow"]
    except (OSError, ValueError, LookupError, TypeError):
        return []
    return [text for text in allowed if isinstance(text, str)]


def _store(path: Path, texts: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = _allowed_in(path)
    path.write_text(json.dumps({"permissions": {"allow": [*kept, *texts]}}, indent=2) + "\n")
