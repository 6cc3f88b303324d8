"""The corpus: command lines with what is to be found in them, and what is to be said of them under three rule files.

`corpus/*.toml` beside the three rule files hold a table each, one line a row:

    line      the command line; with `times`, so many of it in a row
    runs      its simple commands, each as words with blanks between, or as a list of words; left out where the line is
              one command without any sign
    parsed    false: nobody can tell what it runs, which is a doubt and a mark by itself
    doubts    why no pattern vouches for it
    marks     its risks; a `!` is a grave one
    writes, fills, deletes, hosts   what is known of it
    reads     some of what it may read, since each of its words is taken for a file
    strict, usual, loose     what a person who knows shells would say under that file: `ask` where nothing is written,
              else `allow`, `deny` or `ask` and what the rules say that decide
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from bascule.policy.chain import judge
from bascule.policy.config import rules_of
from bascule.policy.policies import Policy, named
from bascule.policy.rules import Rule
from bascule.policy.verdict import Allow, Ask, Deny, Verdict
from tests.policy.calls import bash

CORPUS: Final = Path(__file__).parent / "corpus"
RULES: Final = ("strict", "usual", "loose")
NOW: Final = 1_000

_PLAIN: Final = re.compile(r"[\w ./:@%+,=^~-]+")


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command line and what is expected of it."""

    line: str
    times: int = 1
    runs: tuple[str | tuple[str, ...], ...] | None = None
    parsed: bool = True
    doubts: frozenset[str] = frozenset()
    marks: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    fills: frozenset[str] = frozenset()
    deletes: frozenset[str] = frozenset()
    hosts: tuple[str, ...] = ()
    strict: str = "ask"
    usual: str = "ask"
    loose: str = "ask"

    def __str__(self) -> str:
        return ascii(self.line)[1:60]

    @property
    def text(self) -> str:
        return self.line * self.times

    @property
    def all_doubts(self) -> frozenset[str]:
        return self.doubts if self.parsed else self.doubts | {"not parsed"}

    @property
    def all_marks(self) -> frozenset[str]:
        return self.marks if self.parsed else self.marks | {"unparsed"}

    @property
    def commands(self) -> list[tuple[str, ...]]:
        """The words of its simple commands; an opaque one has none."""
        if not self.parsed:
            return [()]
        if self.runs is None:
            assert _PLAIN.fullmatch(self.line), f"say what {self.line!r} runs"
            return [tuple(self.line.split())]
        return [tuple(run.split()) if isinstance(run, str) else run for run in self.runs]


def rows() -> list[Row]:
    """All rows of the corpus, in the order of its files."""
    return [row for path in sorted(CORPUS.glob("*.toml")) if path.stem not in RULES for row in _rows(path)]


def _rows(path: Path) -> Iterator[Row]:
    table = tomllib.loads(path.read_text("utf-8"))
    yield from msgspec.convert(table, dict[str, list[Row]])["rows"]


def policies() -> Mapping[str, Policy]:
    """The policy of each rule file."""
    return {name: named("rules", rules=rules(name)) for name in RULES}


def rules(name: str) -> tuple[Rule, ...]:
    """The rules of a file, as far as a verdict names them: without the place where they stand."""
    read = rules_of((CORPUS / f"{name}.toml").read_text("utf-8"), name)
    return tuple(msgspec.structs.replace(rule, source="") for rule in read)


def verdict(policy: Policy, line: str) -> Verdict:
    """What a policy says of a command in the workspace of `calls`, when somebody could answer."""
    return judge(policy, bash(line), mode="default", attended=True, now=NOW)


def said(found: Verdict) -> str:
    """A verdict as the rows write it."""
    assert isinstance(found, Allow | Ask | Deny)
    rule = re.sub(r"\bBash\(([^()]*)\)", r"\1", found.rule or "")
    return f"{type(found).__name__.lower()} {rule}".strip()
