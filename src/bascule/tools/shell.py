"""Reading a command line: which simple commands it runs, with which words, and what of it no pattern may vouch for.

The parser is tree-sitter-bash (extra ``shell``). It is no shell: where the two could differ, and wherever the shell
would decide something that the text does not tell, the command gets a *doubt*. A command without doubts consists of
node types from a short list; its words are then the words that the program gets. Fail closed: a line that does not
parse, that holds characters which hide something, or that nobody can parse here, is one opaque command with a doubt.

Positions are in characters of the line.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from bascule.tools import programs
from bascule.tools.agreement import Source, agrees, walk

try:
    import tree_sitter
    import tree_sitter_bash
except ImportError:  # the extra is not installed
    AVAILABLE = False
else:
    AVAILABLE = True

if TYPE_CHECKING:
    from tree_sitter import Node

LINE_LIMIT: Final = 10_000
"""Characters above which a line is not parsed: the parser may need time with their square (``fi?`` over and over)."""

OPERATOR_LIMIT: Final = 1_000
"""Operator characters above which a line is not parsed: the parser may need memory with their square, for 8,000 pipes
600 MB.
"""

_OPERATOR: Final = re.compile(r"[|&;<>(){}\[\]$`=!^]")

NOT_PARSED: Final = "not parsed"

_PLAIN: Final = frozenset(
    "program list pipeline negated_command command command_name redirected_statement file_redirect file_descriptor"
    " variable_assignment variable_name word number raw_string string string_content concatenation comment"
    ' && || | |& ; ! " = > >> >| < &> &>> >& <& \n'.split(" ")
)
"""All that may occur in a command that a pattern can allow. Everything else is a doubt, what is not yet known too."""

_DOUBTS: Final = {
    "&": "background",
    "subshell": "subshell",
    "command_substitution": "command substitution",
    "process_substitution": "process substitution",
    "simple_expansion": "variable",
    "expansion": "variable",
    "arithmetic_expansion": "arithmetic",
    "heredoc_redirect": "here-document",
    "herestring_redirect": "here-string",
    "ansi_c_string": "escaped string",
    "function_definition": "function",
    "declaration_command": "sets a variable",
    "unset_command": "sets a variable",
}

_COMMANDS: Final = frozenset(("command", "declaration_command", "unset_command", "test_command"))
"""Nodes that are a simple command each. The words of the last three are doubted as builtins are."""
_REDIRECTIONS: Final = frozenset(("file_redirect", "heredoc_redirect", "herestring_redirect"))
_LEFT_OUT: Final = _REDIRECTIONS | {"variable_assignment", "comment"}
_QUOTED: Final = frozenset(("raw_string", "string", "ansi_c_string", "translated_string"))

_ESCAPED: Final = re.compile(r"\\(?:\n|(.))", re.DOTALL)
_ESCAPED_IN_QUOTES: Final = re.compile(r'\\(?:\n|([$`"\\]))')
_UNSURE: Final = re.compile(r"^~(?!/|$)|^=|[=:]~|(?:^|/)\^|[*?\[\]{}]")
"""Unquoted text that the shell turns into other words: file names, several words, somebody's home; in zsh a program,
and, if it was told so (``extendedglob``), all files but one: ``^x``. Inside a word a ``^`` stays: ``HEAD^``.
"""

_BLANK_LETTERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and signs that nobody sees."""

_WITHOUT_FILE: Final = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr"))


class Redirection(msgspec.Struct, frozen=True):
    """Where input comes from or output goes to."""

    operator: str
    """``>``, ``>>``, ``<``, ``&>``, …"""
    target: str
    """A path as written, or the number of a descriptor."""
    start: int
    end: int

    @property
    def path(self) -> str | None:
        """The file that is opened; null for a descriptor and for what is no file."""
        to_descriptor = self.operator in {">&", "<&"} and self.target.isdecimal()
        return None if to_descriptor or self.target in _WITHOUT_FILE else self.target or None

    @property
    def writes(self) -> bool:
        return ">" in self.operator


class SimpleCommand(msgspec.Struct, frozen=True, kw_only=True):
    """One program with its words."""

    text: str
    """As written, its redirections included."""
    start: int
    end: int
    words: tuple[str, ...] = ()
    """Without quotes, the program first; as written where only the shell knows what becomes of one. Empty: opaque."""
    spans: tuple[tuple[int, int], ...] = ()
    """Where each word stands, quotes included."""
    assignments: tuple[str, ...] = ()
    """Names of the variables set for it."""
    redirections: tuple[Redirection, ...] = ()
    doubts: tuple[str, ...] = ()
    """Why no pattern may allow it, in words for people; empty: one may."""

    @property
    def allowable(self) -> bool:
        return not self.doubts


class Line(msgspec.Struct, frozen=True):
    """A command line, read."""

    commands: tuple[SimpleCommand, ...]
    """In the order of the text, those inside substitutions too; never empty."""
    redirections: tuple[Redirection, ...] = ()
    """All of them, those of whole groups too."""
    parsed: bool = True
    """False: ``commands`` is one opaque command."""


def parse(text: str) -> Line:
    """What ``text`` would run. Never raises; in doubt it is opaque."""
    if not AVAILABLE or _is_too_much(text) or _hides(text):
        return opaque(text)
    source = Source(text)
    root = _parser().parse(source.data).root_node
    return _Reader(source).read(root) if agrees(source, root) else opaque(text)


def opaque(text: str) -> Line:
    """``text`` as one command of which nothing is known."""
    return Line((SimpleCommand(text=text, start=0, end=len(text), doubts=(NOT_PARSED,)),), parsed=False)


def _is_too_much(text: str) -> bool:
    return len(text) > LINE_LIMIT or len(_OPERATOR.findall(text)) > OPERATOR_LIMIT


def _hides(text: str) -> bool:
    """Whether a character may be another thing to the shell, the parser and the reader: controls, odd blanks, marks of
    direction. Blanks other than space, tab and newline part words for the parser but not for bash.
    """
    odd = set(text) - set(" \t\n")
    return not odd.isdisjoint(_BLANK_LETTERS) or any(unicodedata.category(character)[0] in "CZ" for character in odd)


def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


class _Draft(NamedTuple):
    """A command whose doubts are still being collected; a dict keeps their order and drops doubles."""

    command: SimpleCommand
    doubts: dict[str, None]


class _Reader:
    """One pass over the tree: commands as they come, each node's doubt to the command that it is in, else to all."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._drafts: list[_Draft] = []
        self._redirections: list[Redirection] = []
        self._of_all: dict[str, None] = {}

    def read(self, root: Node) -> Line:
        stack: list[tuple[Node, _Draft | None, bool]] = [(root, None, False)]
        while stack:
            node, draft, doubted = stack.pop()
            if node.type in _COMMANDS:
                draft, doubted = self._draft(node), False
                self._drafts.append(draft)
            elif node.type == "file_redirect":
                self._redirections.append(self._redirection(node))
            doubt = None if doubted else self._doubt(node, within=draft is not None)
            if doubt is not None:
                (self._of_all if draft is None else draft.doubts)[doubt] = None
            # What a node of another kind consists of needs no doubt of its own.
            doubted = doubted or doubt is not None
            stack.extend((child, draft, doubted) for child in reversed(node.children))
        return self._line()

    def _line(self) -> Line:
        redirections = tuple(self._redirections)
        if not self._drafts:
            return msgspec.structs.replace(opaque(self._source.text), redirections=redirections)
        if not {*redirections} <= {one for draft in self._drafts for one in draft.command.redirections}:
            self._of_all["redirects by itself"] = None
        started = [programs.program(draft.command.words) for draft in self._drafts]
        if started.count("cd") > 1:
            self._of_all["changes the folder twice"] = None
        if len(started) > 1 and "ln" in started:
            self._of_all["makes a link and goes on"] = None  # where it leads, nobody could look up before
        return Line(tuple(map(self._with_doubts, self._drafts)), redirections)

    def _with_doubts(self, draft: _Draft) -> SimpleCommand:
        return msgspec.structs.replace(draft.command, doubts=(*draft.doubts, *self._of_all))

    def _doubt(self, node: Node, *, within: bool) -> str | None:
        match node.type:
            case "variable_assignment":
                name, value = self._name(node), self._source.of(node).partition("=")[2]
                return None if within and programs.is_harmless(name, value) else f"sets {name}"
            case "word" if _UNSURE.search(_ESCAPED.sub("_", self._source.of(node))):
                return "wildcard"
            case "file_redirect":
                return self._redirect_doubt(node)
            case kind if kind in _PLAIN:
                return None
            case kind:
                return _DOUBTS.get(kind, kind.replace("_", " "))

    def _redirect_doubt(self, node: Node) -> str | None:
        """The parser takes what follows a target for more targets; to bash they are arguments."""
        targets = self._targets(node)
        if len(targets) != 1:
            return "arguments after a redirection"
        return "network" if self._unquoted(targets[0]).startswith(("/dev/tcp/", "/dev/udp/")) else None

    def _draft(self, node: Node) -> _Draft:
        around = [*_redirects(node), *_redirects_after(node)]
        redirects = [part for redirect in around for part in walk(redirect) if part.type == "file_redirect"]
        nodes = _words(node) + [extra for redirect in redirects for extra in self._targets(redirect)[1:]]
        words = tuple(map(self._unquoted, nodes))
        spans = [self._source.span(node), *map(self._source.span, around)]
        start, end = min(span[0] for span in spans), max(span[1] for span in spans)
        command = SimpleCommand(
            text=self._source.text[start:end],
            start=start,
            end=end,
            words=words,
            spans=tuple(map(self._source.span, nodes)),
            assignments=tuple(self._name(child) for child in node.children if child.type == "variable_assignment"),
            redirections=tuple(map(self._redirection, redirects)),
        )
        return _Draft(command, dict.fromkeys(programs.doubts(words)))

    def _name(self, assignment: Node) -> str:
        return self._source.of(assignment).partition("=")[0].rstrip("+")

    def _targets(self, redirect: Node) -> list[Node]:
        return [child for child in redirect.children if child.is_named and child.type != "file_descriptor"]

    def _redirection(self, node: Node) -> Redirection:
        operator = next((self._source.of(child) for child in node.children if not child.is_named), "")
        target = "".join(map(self._unquoted, self._targets(node)[:1]))
        return Redirection(operator, target, *self._source.span(node))

    def _unquoted(self, node: Node) -> str:
        text = self._source.of(node)
        match node.type:
            case "word":
                return _ESCAPED.sub(lambda escape: escape[1] or "", text)
            case "raw_string":
                return text[1:-1]
            case "string":
                return _ESCAPED_IN_QUOTES.sub(lambda escape: escape[1] or "", text[1:-1])
            case "command_name" | "concatenation":
                return "".join(map(self._unquoted, node.children))
            case _:
                return text


def _words(node: Node) -> list[Node]:
    """The nodes that are a word each; a test is a tree of its own, whose leaves are."""
    if node.type == "test_command":
        return [leaf for leaf in walk(node, _QUOTED) if not leaf.children or leaf.type in _QUOTED]
    return [child for child in node.children if child.type not in _LEFT_OUT]


def _redirects(node: Node) -> list[Node]:
    return [child for child in node.children if child.type in _REDIRECTIONS]


def _redirects_after(node: Node) -> list[Node]:
    """The redirections that the parser hangs on what ``node`` is, or is the last command of."""
    parent = node.parent
    while parent is not None and parent.type in {"pipeline", "list", "negated_command"}:
        if parent.children[-1] != node:
            return []
        node, parent = parent, parent.parent
    return _redirects(parent) if parent is not None and parent.type == "redirected_statement" else []
