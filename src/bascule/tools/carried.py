"""Words of a command among which another command may stand: what a runner is given to run, as far as nobody knows.

For denying and asking only. Here nothing is a doubt: a command that no pattern vouches for is looked through as text,
whole (``policy/matching``). What is left are runners that rules may name (``uv run``), and programs of which nobody
knows what they do with their words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from bascule.tools import programs, reach
from bascule.tools.programs import program

_RUNS_BY_NAME: Final = frozenset(("bun", "pnpm", "yarn"))
"""They run what the workspace's packages bring by its name, where it is no subcommand of theirs."""

_NO_COMMANDS: Final = frozenset(
    "biome black cmake eslint false flake8 free gmake groups host id isort jest jq kill killall make mypy ninja nproc"
    " pgrep pkill prettier printenv ps pylint pyright pytest ruff seq sleep sum tsc true tty uname uptime vitest who"
    " whoami yes".split()
)
"""Programs whose arguments are files, names, patterns or numbers. A target of make's is none of a command."""

_NAMED_ONLY: Final[Mapping[str, str]] = {
    "apk": "add del info search",
    "apt": "install list remove search show",
    "apt-cache": "policy search show",
    "apt-get": "install remove",
    "brew": "info install list search uninstall",
    "bun": "add i install pm remove rm",
    "bundle": "add info install",
    "cargo": "add build check clippy doc fmt install remove search test",
    "composer": "remove require",
    "conda": "install list remove search",
    "dnf": "info install remove",
    "docker": "images inspect kill logs port ps pull push restart rm rmi start stats stop tag",
    "gem": "install list uninstall",
    "gh": "api issue pr release repo run search",
    "go": "build fmt get install list mod test vet",
    "helm": "get list repo status",
    "kubectl": "delete describe get logs scale top",
    "npm": "add audit ci i info install ls outdated r remove rm search un uninstall update view",
    "pip": "download freeze index install list show uninstall",
    "pnpm": "add i install list remove rm un uninstall update why",
    "poetry": "add remove show",
    "systemctl": "restart start status stop",
    "uv": "add lock pip remove sync tree",
    "yarn": "add info install list remove why",
    "yum": "info install remove",
}
"""Subcommands that are given names of packages, services, files and tests, which may be those of programs."""

_GROUPS: Final[Mapping[str, str]] = {
    "aws": "s3",
    "docker": "buildx compose container context image network system volume",
    "git": "bundle notes remote stash submodule worktree",
    "kubectl": "rollout",
    "npm": "cache",
    "pnpm": "store",
    "rustup": "component target toolchain",
    "uv": "cache python",
    "yarn": "cache",
}
"""Subcommands with subcommands of their own: ``docker volume rm`` runs no ``rm``."""

_OPERANDS: Final[Mapping[str, int]] = dict.fromkeys(
    ("docker", "docker-compose", "nerdctl", "podman", "podman-compose", "rustup"), 1
)
"""Words that these take before the command: a container, an image, a toolchain. Others take none."""


class Carried(NamedTuple):
    """The last words of a command, as far as they are another one, or one may stand among them."""

    words: Sequence[str]
    how: Literal["run", "run within", "perhaps"]
    """``run``: they are a command, from the first on. ``run within``: one begins at some word of them. ``perhaps``:
    nobody knows whether one does, at any word.
    """

    @property
    def spread(self) -> Sequence[str]:
        """The words, and behind each its value, at which a command may begin as well: ``-xrm``, ``--exec=rm``."""
        return tuple(_spread(self.words))


def carried(words: Sequence[str]) -> Iterator[Carried]:
    """What of the words of a command may be another one, the program first."""
    while behind := _behind(words):
        operands = _OPERANDS.get(program(words), 0)
        if any(word.startswith("-") for word in behind[: operands + 1]):
            yield Carried(behind, "run within")
            return
        words = behind[operands:]
        yield Carried(words, "run")
    if words and not _is_given_no_command(words):
        yield Carried(words[_own(words) :], "perhaps")


def _behind(words: Sequence[str]) -> Sequence[str]:
    """What stands behind the words by which a command runs another one; empty where it runs none."""
    behind = programs.wrapped(words)
    if behind and program(words) == "hatch":
        return (behind[0].partition(":")[2] or behind[0], *behind[1:])  # ENVIRONMENT:COMMAND
    if behind or program(words) not in _RUNS_BY_NAME or _says(_NAMED_ONLY, words):
        return behind
    return words[2:] if list(words[1:2]) == ["run"] else words[1:]


def _is_given_no_command(words: Sequence[str]) -> bool:
    """Whether all that it is given is known to be data, as far as no doubt says otherwise."""
    return reach.is_given_files(words) or program(words) in _NO_COMMANDS or _says(_NAMED_ONLY, words)


def _own(words: Sequence[str]) -> int:
    """How many of the first words say what the program itself does."""
    if program(words) not in programs.SUBCOMMANDS:
        return 1
    return 3 if _says(_GROUPS, words) else 2


def _says(table: Mapping[str, str], words: Sequence[str]) -> bool:
    """Whether the word right behind the program is one that stands in the table: behind an option nobody could tell."""
    return len(words) > 1 and words[1] in table.get(program(words), "").split()


def _spread(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        yield word
        value = word.partition("=")[2]
        if value:
            yield value
        if len(word) > 2 and word[0] == "-" != word[1]:
            yield word[2:]
