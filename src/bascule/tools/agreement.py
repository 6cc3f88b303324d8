"""Whether bash would read a text as the parser did, as far as a parse tree can show it.

tree-sitter-bash passes over blanks where bash ends a word or a command: behind a line that goes on, between two quotes,
around the number of a descriptor. Each rule here is such a difference, found by having bash run what was parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node

_NOTHING: Final = re.compile("")
_APART: Final = re.compile(r"[ \t](?:[ \t]|\\\n)*")
"""Between the words of a command. A line that goes on right behind a word carries the word on."""
_INLINE: Final = re.compile(rf"(?:{_APART.pattern})?")
_BLANK: Final = re.compile(r"(?:[ \t\n](?:[ \t\n]|\\\n)*)?")

_REDIRECTS: Final = frozenset(("file_redirect", "heredoc_redirect", "herestring_redirect"))

_GAPS: Final[Mapping[str, re.Pattern[str]]] = {
    "command": _APART,
    "command_name": _NOTHING,
    "concatenation": _NOTHING,
    "file_redirect": _INLINE,
    "negated_command": _APART,
    "redirected_statement": _INLINE,
    "variable_assignment": _NOTHING,
}
"""What may stand between the parts of a node; of others any blanks."""

_LEAVES: Final[Mapping[str, re.Pattern[str]]] = {
    "word": re.compile(r"(?:\\.|[^\s\\|&;()<>`$\"'])+", re.DOTALL),
    "number": re.compile(r"-?\w+(?:#\w+)?"),
    "file_descriptor": re.compile(r"\d+"),
}
"""What a leaf may hold."""

_DESCRIPTOR: Final = re.compile(r"\d+|[^-!\d].*", re.DOTALL)
"""What ``>&`` and ``<&`` may be followed by: a number, or what can be nothing but a file."""

_WHOLE: Final = frozenset(("string", "heredoc_body"))
"""Nodes whose blanks are their own."""


class Source:
    """A text, and where the parser's bytes stand in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.data = text.encode()
        self._at: list[int] | None = None
        if len(self.data) != len(text):
            self._at = [at for at, character in enumerate(text) for _ in character.encode()]
            self._at.append(len(text))

    def span(self, node: Node) -> tuple[int, int]:
        """First character of ``node``, and the one after its last."""
        if self._at is None:
            return node.start_byte, node.end_byte
        return self._at[node.start_byte], self._at[node.end_byte]

    def of(self, node: Node) -> str:
        """The text of ``node``."""
        start, end = self.span(node)
        return self.text[start:end]


def walk(root: Node, leaf: frozenset[str] = frozenset()) -> Iterator[Node]:
    """Every node in the order of the text, those of the kinds in ``leaf`` without their parts.

    Without recursion, for lines nest as deep as they like.
    """
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        if node.type not in leaf:
            stack.extend(reversed(node.children))


def agrees(source: Source, root: Node) -> bool:
    """Whether nothing in the tree is known to be read otherwise by bash."""
    start, end = source.span(root)
    return (
        not root.has_error
        and _fits(_BLANK, source.text, 0, start)
        and _fits(_BLANK, source.text, end, len(source.text))
        and all(_agrees(source, node) for node in walk(root, _WHOLE))
    )


def _agrees(source: Source, node: Node) -> bool:
    if node.type == "file_redirect" and not _is_redirect(source, node):
        return False
    if node.child_count == 0 or node.type in _WHOLE:
        leaf = _LEAVES.get(node.type)
        return leaf is None or leaf.fullmatch(source.text, *source.span(node)) is not None
    return _hangs_together(source, node)


def _is_redirect(source: Source, node: Node) -> bool:
    """Whether digits before it are its own, and a descriptor after it is one."""
    operators = [child for child in node.children if not child.is_named]
    start, end = source.span(node)
    if source.text[max(start - 1, 0) : start].isdigit() or len(operators) != 1:
        return False
    target = source.text[source.span(operators[0])[1] : end].lstrip(" \t")
    if source.of(operators[0]) in {">&", "<&"}:
        return _DESCRIPTOR.fullmatch(target) is not None
    return not target.startswith("!")  # zsh takes it for a part of the operator


def _hangs_together(source: Source, node: Node) -> bool:
    """Whether between the parts of ``node`` is what parts them in bash."""
    at, end = source.span(node)
    gap = _NOTHING
    for child in node.children:
        first, last = source.span(child)
        if not _fits(_INLINE if child.type in _REDIRECTS else gap, source.text, at, first):
            return False
        at, gap = last, _GAPS.get(node.type, _BLANK)
    return at == end if node.parent else _fits(_BLANK, source.text, at, end)


def _fits(gap: re.Pattern[str], text: str, start: int, end: int) -> bool:
    """Whether ``gap`` is all there is; parts of a here-document overlap, which leaves none."""
    return end < start or gap.fullmatch(text, start, end) is not None
