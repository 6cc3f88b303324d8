"""Rules of ours in the CLI's own meaning, for where it keeps them. The other way round nothing is needed."""

from __future__ import annotations

from typing import Final

from bascule.tools.names import EDIT, READ, aliases

_FILES: Final = (READ, EDIT)
"""The tools under which the CLI looks for rules on files, whatever tool reads or changes them."""


def cli_rule(rule: str) -> tuple[str, str | None]:
    """``Tool(content)`` as the CLI means it: the tool's name, and the content or null for every call of the tool.

    In a rule of the CLI's on files a path that begins with one slash begins at the folder of its settings, and with
    two at the root (09_parallel_asks).
    """
    tool, _, content = rule.strip().removesuffix(")").partition("(")
    tool = tool.strip()
    family = next((name for name in aliases(tool) if name in _FILES), None)
    if not content or family is None:
        return tool, content or None
    return family, f"/{content}" if content.startswith("/") and not content.startswith("//") else content
