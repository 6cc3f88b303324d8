"""The highlighter's name of a file's language, from the ending of its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_BY_NAME: Final[Mapping[str, str]] = {"dockerfile": "dockerfile", "makefile": "makefile", "gnumakefile": "makefile"}

_BY_ENDING: Final[Mapping[str, str]] = {
    "bash": "bash",
    "c": "c",
    "cc": "cpp",
    "cpp": "cpp",
    "cs": "csharp",
    "css": "css",
    "cxx": "cpp",
    "dart": "dart",
    "diff": "diff",
    "ex": "elixir",
    "exs": "elixir",
    "go": "go",
    "gradle": "groovy",
    "graphql": "graphql",
    "h": "c",
    "hpp": "cpp",
    "hs": "haskell",
    "htm": "html",
    "html": "html",
    "ini": "ini",
    "java": "java",
    "js": "javascript",
    "json": "json",
    "jsonl": "json",
    "jsx": "jsx",
    "kt": "kotlin",
    "kts": "kotlin",
    "less": "less",
    "lua": "lua",
    "md": "markdown",
    "mjs": "javascript",
    "mk": "makefile",
    "patch": "diff",
    "php": "php",
    "pl": "perl",
    "proto": "protobuf",
    "ps1": "powershell",
    "py": "python",
    "pyi": "python",
    "r": "r",
    "rb": "ruby",
    "rs": "rust",
    "rst": "rst",
    "scala": "scala",
    "scss": "scss",
    "sh": "bash",
    "sql": "sql",
    "svelte": "svelte",
    "swift": "swift",
    "toml": "toml",
    "ts": "typescript",
    "tsx": "tsx",
    "vue": "vue",
    "xml": "xml",
    "yaml": "yaml",
    "yml": "yaml",
    "zig": "zig",
    "zsh": "bash",
}


def language(file_path: str) -> str | None:
    """The language that ``file_path`` names; null when its ending is not known."""
    name = file_path.replace("\\", "/").rpartition("/")[2].lower()
    return _BY_NAME.get(name) or _BY_ENDING.get(name.rpartition(".")[2] if "." in name else "")
