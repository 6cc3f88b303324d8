"""What a workspace brings that would run or widen something before anybody was asked.

The CLI takes all of it unasked when a program drives it: command hooks, MCP servers, helpers and variables of the
settings in the workspace, MCP servers and skills of every folder above it too (CLI 2.1.332 and 2.1.197,
tests/live/test_trust_live.py). ``CLAUDE.md`` is words, and is not listed.

Nothing is believed to be harmless because it is not known: a setting that is not on the short list is listed, and so is
a file that cannot be read.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec

from bascule.policy.config import read

Kind: TypeAlias = Literal["hook", "server", "setting", "skill", "agent", "command", "timers", "rules", "config"]

SIZE_LIMIT: Final = 2**20
"""Bytes of a file that is looked into; a longer one may say anything."""

_TEXT: Final = 160
"""Characters that are shown of what a hook or a server would run."""

_HARMLESS: Final = frozenset(
    "$schema includeCoAuthoredBy includeGitInstructions language prefersReducedMotion showThinkingSummaries"
    " spinnerTipsEnabled spinnerVerbs theme".split()
)
"""Settings that run, widen, send and delete nothing. Not among them, by the CLI's schema (2.1.332):
``cleanupPeriodDays`` deletes transcripts of other projects, ``attribution`` can put a link to the session into commits,
``outputStyle`` takes instructions of the CLI's away, ``respectGitignore`` offers ignored files."""

_TIGHTENING: Final = frozenset(("deny", "ask", "disableBypassPermissionsMode", "disableAutoMode"))
"""Of ``permissions``, what can only take away."""

_RULE: Final = re.compile(r"[A-Za-z_][\w*-]*(?:\([^\x00-\x1f\ud800-\udfff]{1,500}\))?")
"""A rule of the CLI's that a command line can hold."""
_DENIED: Final = 200
"""Rules that are taken over, at most: a command line has an end."""

_ACTS: Final = re.compile(r"!`|^\s*```+\s*!|^(?:hooks|mcpServers|allowed-tools|permissionMode|shell)\s*:", re.MULTILINE)
"""In a skill, an agent or a command: lines that run when it is loaded, and what gives it more than others have."""

_SPEAKS: Final = re.compile(
    r"(?:(?:name|description|argument-hint|when_to_use|model|color|effort|license|version|disable-model-invocation"
    r"|user-invocable|tools|disallowedTools) *:(?: +[^\s\[{&*!|>%@`][^\0]*)?|#[^\0]*)? *"
)
"""A line of a frontmatter that only speaks, or takes rights away. YAML can say everything else in too many ways to be
told apart here: quoted, tagged, indented and flowing keys are all the same to the CLI (2.1.332, 2.1.197)."""

_FOLDERS_LIMIT: Final = 1_000
"""Folders of a workspace that are looked through."""
_INSTALLED: Final = frozenset(("__pycache__", "node_modules", "venv"))

_OURS: Final[Mapping[Kind, str]] = {
    "rules": "rules of its own: until they are accepted, those that allow are left out",
    "config": "settings of its own: until they are accepted, those that do not tighten are left out",
}

_FOLDERS: Final[Mapping[str, Kind]] = {"skills": "skill", "agents": "agent", "commands": "command"}


class Brought(msgspec.Struct, frozen=True, kw_only=True):
    """One thing."""

    kind: Kind
    path: str
    """The file it stands in, absolute."""
    what: str
    """What it would do, for people; foreign text."""
    digest: str
    """Changes with what it says, in this file."""
    details: tuple[str, ...] = ()
    """Of a rule file: each rule that would allow something, with its conditions; foreign text."""

    @property
    def comes_with_settings(self) -> bool:
        """Whether the CLI takes it together with the settings of the workspace, or leaves it out with them."""
        return self.kind not in ("timers", "rules", "config")


def brought(
    workspace: str | Path, *, config: str | Path, beside: str | Path | None = None, below: bool = True
) -> tuple[Brought, ...]:
    """What ``workspace`` brings, and what lies above it and reaches into it. Looks at files: call it in a thread.

    ``config``: the CLI's own folder, which is the user's. ``beside``: another folder whose project settings count.
    ``below``: look through the folders of the workspace too.
    """
    here = Path(os.path.realpath(workspace))
    users = Path(os.path.realpath(config))
    roots, settled = _roots(here, beside)
    found = [one for folder in settled if folder / ".claude" != users for one in _settings(folder)]
    for folder in roots:
        found += _servers(folder / ".mcp.json")
        if folder / ".claude" != users:
            found += _texts(folder / ".claude")
    inner = [one for folder in _inner(here) for one in _texts(folder)] if below else []
    return (*found, *inner, *_timers(here), *_ours(here))


def places(workspace: str | Path, *, config: str | Path, beside: str | Path | None = None) -> Iterator[Path]:
    """Where ``brought`` looks, but below the workspace: files and folders one of which changes with what it finds of
    settings, servers and texts, whether they are there or not."""
    users = Path(os.path.realpath(config))
    roots, settled = _roots(Path(os.path.realpath(workspace)), beside)
    for folder in settled:
        yield from _settings_files(folder)
    for folder in roots:
        yield folder / ".mcp.json"
        if folder / ".claude" != users:
            for name in _FOLDERS:
                yield folder / ".claude" / name
                yield from _tree(folder / ".claude" / name)


def _roots(here: Path, beside: str | Path | None) -> tuple[list[Path], list[Path]]:
    """The folders whose servers and texts count, and those whose settings do."""
    settled = [here] if beside is None else [here, Path(os.path.realpath(beside))]
    return list(dict.fromkeys([here, *here.parents, *settled])), settled


def denied(workspace: str | Path, *, beside: str | Path | None = None) -> tuple[str, ...]:
    """What the settings of ``workspace`` deny, as rules of the CLI's: nobody needs to be trusted for that."""
    folders = [workspace] if beside is None else [workspace, beside]
    rules = [
        rule for folder in folders for path in _settings_files(Path(os.path.realpath(folder))) for rule in _denied(path)
    ]
    return tuple(dict.fromkeys(rules))[:_DENIED]


def _denied(path: Path) -> Iterator[str]:
    said = _json("setting", path)
    permissions = said.get("permissions") if isinstance(said, dict) else None
    deny = permissions.get("deny") if isinstance(permissions, dict) else None
    for rule in deny if isinstance(deny, list) else ():
        if isinstance(rule, str) and _RULE.fullmatch(rule):
            yield rule


def content_of(path: Path) -> bytes | None:
    """The bytes of a file; None when there is none. Raises ``OSError`` for what cannot be read, and for a pipe."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return None
    with os.fdopen(file, "rb") as opened:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError("it is no file")
        content = opened.read(SIZE_LIMIT + 1)
    if len(content) > SIZE_LIMIT:
        raise OSError(f"it is longer than {SIZE_LIMIT} bytes")
    return content


def digest_of(kind: Kind, path: str | Path, said: Any) -> str:
    """What stands for ``said`` in the file at ``path``."""
    text = said if isinstance(said, bytes) else json.dumps(said, sort_keys=True, ensure_ascii=True).encode()
    return hashlib.sha256(b"\0".join((kind.encode(), os.fsencode(path), text))).hexdigest()


def _one(kind: Kind, path: Path, what: str, said: Any) -> Brought:
    line = " ".join(what.split())
    shown = line if len(line) <= _TEXT else f"{line[:_TEXT]}…"
    return Brought(kind=kind, path=str(path), what=shown, digest=digest_of(kind, path, [shown, said]))


def _read(kind: Kind, path: Path) -> bytes | Brought | None:
    """The content, or what is to be listed of a file that keeps its content to itself."""
    try:
        return content_of(path)
    except OSError as exc:
        return _one(kind, path, f"it cannot be read ({exc.strerror or exc}), and may say anything", None)


def _json(kind: Kind, path: Path) -> dict[str, Any] | Brought:
    content = _read(kind, path)
    if content is None or isinstance(content, Brought):
        return content or {}
    try:
        said = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        return _one(kind, path, "it is no JSON object, and may say anything", content.decode("latin-1"))
    return said


def _settings(folder: Path) -> Iterator[Brought]:
    for path in _settings_files(folder):
        said = _json("setting", path)
        if isinstance(said, Brought):
            yield said
            continue
        for key, value in said.items():
            yield from _setting(path, key, value)


def _settings_files(folder: Path) -> Iterator[Path]:
    yield from (folder / ".claude" / name for name in ("settings.json", "settings.local.json"))


def _setting(path: Path, key: str, value: Any) -> Iterator[Brought]:
    if key in _HARMLESS:
        return
    if key == "hooks" and isinstance(value, dict):
        for event, groups in value.items():
            yield from (_one("hook", path, f"{event}: {text}", hook) for text, hook in _hooks(groups))
    elif key == "permissions" and isinstance(value, dict):
        for name, inner in value.items():
            if name == "allow" and isinstance(inner, list):
                yield from (allowance(path, rule) for rule in inner)
            elif name not in _TIGHTENING:
                yield _one("setting", path, f"permissions.{name}: {_shown(inner)}", inner)
    else:
        yield _one("setting", path, f"{key}: {_shown(value)}", value)


def allowance(path: Path, rule: Any) -> Brought:
    """One rule by which the settings at ``path`` allow something: each counts for itself, as a person allows them."""
    return _one("setting", path, f"permissions.allow: {rule if isinstance(rule, str) else _shown(rule)}", rule)


def _hooks(groups: Any) -> Iterator[tuple[str, Any]]:
    """Each hook of an event with what it runs; a form that is not known as a whole."""
    for group in groups if isinstance(groups, list) else [groups]:
        hooks = group.get("hooks") if isinstance(group, dict) else None
        for hook in hooks if isinstance(hooks, list) else [group]:
            command = hook.get("command") if isinstance(hook, dict) else None
            yield command if isinstance(command, str) else _shown(hook), [group, hook]


def _servers(path: Path) -> Iterator[Brought]:
    said = _json("server", path)
    if isinstance(said, Brought):
        yield said
        return
    servers = said.get("mcpServers", said)
    for name, server in servers.items() if isinstance(servers, dict) else (("", servers),):
        yield _one("server", path, f"{name}: {_run_by(server)}", server)


def _run_by(server: Any) -> str:
    if isinstance(server, dict) and isinstance(server.get("command"), str):
        args = server.get("args")
        return " ".join([server["command"], *map(str, args if isinstance(args, list) else ())])
    return str(server["url"]) if isinstance(server, dict) and "url" in server else _shown(server)


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _texts(folder: Path) -> Iterator[Brought]:
    """Skills, agents and commands that do more than speak to the model."""
    for name, kind in _FOLDERS.items():
        for path in _markdown(folder / name):
            content = _read(kind, path)
            if isinstance(content, Brought):
                yield content
            elif content and (sign := _sign(content)):
                yield _one(kind, path, f"{path.relative_to(folder)} holds `{sign}`", content.decode("latin-1"))


def _sign(content: bytes) -> str | None:
    """Of a text, the place that shows that it may do more than speak; None: it only speaks."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "no UTF-8 text"
    acts = _ACTS.search(text)
    return acts[0].strip() if acts else next(_unclear(text), None)


def _unclear(text: str) -> Iterator[str]:
    """Lines of the frontmatter that may give rights. It ends, at the latest, where the CLI takes it to end."""
    first, *lines = text.lstrip().splitlines() or [""]
    if first.startswith("---"):
        for line in itertools.takewhile(lambda line: line.rstrip() != "---", lines):
            if not _SPEAKS.fullmatch(line):
                yield line.strip()


def _inner(workspace: Path) -> Iterator[Path]:
    """The CLI's folders below the workspace, whose skills it finds while it works there (both tested versions).

    From above downwards, as far as it takes a few milliseconds; what installed packages bring is not looked for.
    """
    waiting = [str(workspace)]
    for folder in waiting:
        try:
            inside = [one for one in os.scandir(folder) if one.is_dir(follow_symlinks=False)]
        except OSError:
            continue
        if folder != waiting[0]:
            yield from (Path(one.path) for one in inside if one.name == ".claude")
        waiting += [one.path for one in inside if not one.name.startswith(".") and one.name not in _INSTALLED]
        del waiting[_FOLDERS_LIMIT:]


def _markdown(folder: Path) -> Iterator[Path]:
    return (path for path in _tree(folder) if path.name.lower().endswith(".md") and not path.is_dir())


def _tree(folder: Path) -> Iterator[Path]:
    """Below a folder, through links too, as the CLI goes; a link that leads back is taken once."""
    seen: set[str] = set()
    for here, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(here)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        folders.sort()
        yield from (Path(here, name) for name in sorted((*folders, *names)))


def _timers(workspace: Path) -> Iterator[Brought]:
    """Work that the CLI begins by itself, in new sessions too, whatever its settings are."""
    path = workspace / ".claude" / "scheduled_tasks.json"
    said = _json("timers", path)
    if isinstance(said, Brought):
        yield said
    elif said and said != {"tasks": []}:
        tasks = said.get("tasks")
        prompts = [task.get("prompt") for task in tasks if isinstance(task, dict)] if isinstance(tasks, list) else []
        yield _one("timers", path, f"begins by itself: {'; '.join(map(str, prompts)) or _shown(said)}", said)


def _ours(workspace: Path) -> Iterator[Brought]:
    """What bascule itself would take."""
    for kind, what in _OURS.items():
        path = workspace / ".bascule" / f"{kind}.toml"
        content = _read(kind, path)
        if isinstance(content, Brought):
            yield content
        elif content:
            details = _allows(content, path) if kind == "rules" else ()
            yield Brought(
                kind=kind, path=str(path), what=what, digest=digest_of(kind, path, content), details=tuple(details)
            )


def _allows(content: bytes, path: Path) -> Iterator[str]:
    """The rules of a file that allow; what is wrong in it may be one, once it is mended."""
    rules, mistakes = read(content.decode("utf-8", "replace"), path.name)
    for rule in rules:
        if rule.action == "allow":
            where = f" where {rule.where}" if rule.where else ""
            unless = f" unless {', '.join(rule.unless)}" if rule.unless else ""
            yield " ".join(f"allow {rule}{where}{unless}".split())
    yield from mistakes
