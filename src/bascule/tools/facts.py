"""Facts of a call, for whoever decides about it: what is read, written, deleted, run and fetched.

Taken from the whole input, nothing cut. Paths and URLs are as written; ``with_paths`` has them resolved by somebody who
may look at the disk. Facts err on the side of too much: an argument that could name a file is taken for one that is
read, since nothing tells what a program does with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from bascule.payload import CodeSearch, HttpRequest, ModifyFile, Payload, ReadFile, ShellExec, SubagentTask
from bascule.tools import reach
from bascule.tools.describe import draft
from bascule.tools.fields import Fields
from bascule.tools.shell import Redirection, SimpleCommand, opaque, parse

__all__ = ["Facts", "Redirection", "SimpleCommand", "facts", "with_paths"]

_BASH: Final = frozenset(("Bash", "Monitor"))
"""Tools whose command is bash's; PowerShell's is another language."""

_NAMES_ONLY: Final = (None, "files_with_matches", "count")
"""What ``output_mode`` of Grep is where no line of a file is shown (17_search)."""

_WILD: Final = "*?[{(\\"
"""What makes a name in a pattern stand for others."""


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What a call would do, as far as its input tells."""

    tool: str
    """The tool's name as the CLI gives it."""
    input: Any = None
    reads: tuple[str, ...] = ()
    handed: tuple[str, ...] = ()
    """Those of ``reads`` that are given to a program of which nobody knows that it does no more than read."""
    writes: tuple[str, ...] = ()
    deletes: tuple[str, ...] = ()
    fills: tuple[str, ...] = ()
    """Folders below which files are written that nothing names: from an archive, a patch, a revision."""
    follows: tuple[str, ...] = ()
    """Folders whose own settings may name programs that are run, as git's do for those that stand in them."""
    command: str | None = None
    """The whole command line; null when the call runs none."""
    commands: tuple[SimpleCommand, ...] = ()
    """Its simple commands, at least one; of a line that was not parsed a single opaque one."""
    parsed: bool = True
    """False: a command line that could not be taken apart."""
    urls: tuple[str, ...] = ()
    """Addresses that are fetched, as written."""
    hosts: tuple[str, ...] = ()
    """The host of each of ``urls``, in lower case; empty where it can be read in more than one way."""
    prints: bool = False
    """A search that shows lines of whatever it finds, in all files below the first of ``reads``. Of commands each tells
    by itself (``programs.prints_what_it_finds``).
    """
    blind: bool = False
    """Its paths do not tell where it reaches: a wildcard may lead through a link to anywhere."""
    unsandboxed: bool = False
    """It asks to run outside of the CLI's sandbox."""
    agent: str | None = None
    """The kind of subagent that is started; null when none is, or it is not told."""

    @property
    def allowable(self) -> bool:
        """Whether patterns may vouch for the commands: each of them is known word by word, and where it runs."""
        return self.parsed and not self.unsandboxed and all(command.allowable for command in self.commands)


def facts(name: str, tool_input: Any) -> Facts:
    """The facts of a call."""
    payload = draft(name, tool_input)
    match payload:
        case ReadFile(file_path=path):
            return Facts(tool=name, input=tool_input, reads=_named(path))
        case ModifyFile(file_path=path):
            return Facts(tool=name, input=tool_input, writes=_named(path))
        case CodeSearch(path=path, pattern=pattern, glob=glob):
            root = path or "."
            names = pattern if name == "Glob" else glob or ""
            return Facts(
                tool=name,
                input=tool_input,
                reads=(root, *_picked(root, names)),
                prints=name == "Grep" and _given(tool_input, "output_mode") not in _NAMES_ONLY,
                blind=name == "Glob" and _is_blind(names),
            )
        case ShellExec(command=command, task_id=None):
            return _of_command(name, tool_input, command)
        case _:
            return _of_others(name, tool_input, payload)


def _of_others(name: str, tool_input: Any, payload: Payload) -> Facts:
    match payload:
        case HttpRequest(url=url):
            return Facts(tool=name, input=tool_input, urls=_named(url), hosts=tuple(map(_host, _named(url))))
        case SubagentTask(subagent_type=agent):
            return Facts(tool=name, input=tool_input, agent=agent)
        case _:
            return Facts(tool=name, input=tool_input)


def with_paths(facts: Facts, resolve: Callable[[str], str]) -> Facts:
    """``facts`` with each path put through ``resolve``. The words of commands stay as written."""
    return msgspec.structs.replace(
        facts,
        reads=tuple(map(resolve, facts.reads)),
        handed=tuple(map(resolve, facts.handed)),
        follows=tuple(map(resolve, facts.follows)),
        writes=tuple(map(resolve, facts.writes)),
        deletes=tuple(map(resolve, facts.deletes)),
        fills=tuple(map(resolve, facts.fills)),
    )


def _named(text: str) -> tuple[str, ...]:
    return (text,) if text else ()


def _picked(root: str, pattern: str) -> Iterator[str]:
    """What file patterns pick below ``root``; their wildcards stay in, for a path has to tell where they lead.

    The CLI takes several, with blanks or commas between.
    """
    for one in [pattern] if "{" in pattern else pattern.replace(",", " ").split():
        yield one if one.startswith(("/", "~")) else f"{root}/{one}"


def _is_blind(pattern: str) -> bool:
    """Whether a wildcard stands before a pattern's last name; ``**`` right before it follows no link."""
    *folders, _ = pattern.split("/")
    if folders[-1:] == ["**"]:
        folders.pop()
    return any(set(folder) & set(_WILD) for folder in folders)


def _host(url: str) -> str:
    """The host of ``url``; empty for one with a user name, a backslash or what else is read in more than one way."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return ""
    plain = url.isascii() and url.isprintable() and not set(url) & set(' \\"<>^`{|}')
    return host.rstrip(".") if plain and not set(parts.netloc) & set("@%") else ""


def _of_command(name: str, tool_input: Any, command: str) -> Facts:
    line = parse(command) if name in _BASH else opaque(command)
    places = list(reach.places(line))
    urls = [url for one in line.commands for url in reach.urls(one)]
    urls += _named(Fields(tool_input).inner("ws").text("url"))  # what a Monitor listens to
    return Facts(
        tool=name,
        input=tool_input,
        reads=_distinct(places, "read", "use"),
        handed=_distinct(places, "use"),
        follows=_distinct(places, "follow"),
        writes=_distinct(places, "write"),
        deletes=_distinct(places, "delete"),
        fills=_distinct(places, "fill"),
        command=command,
        commands=line.commands,
        parsed=line.parsed,
        urls=tuple(urls),
        hosts=tuple(map(_host, urls)),
        unsandboxed=_is_unsandboxed(tool_input),
    )


def _is_unsandboxed(tool_input: Any) -> bool:
    """Whatever is not a plain no may be taken for a yes."""
    return _given(tool_input, "dangerouslyDisableSandbox") not in (None, False)


def _given(tool_input: Any, name: str) -> Any:
    return tool_input.get(name) if isinstance(tool_input, dict) else None


def _distinct(places: list[reach.Place], *kinds: reach.Kind) -> tuple[str, ...]:
    return tuple(dict.fromkeys(place.path for place in places if place.kind in kinds))
