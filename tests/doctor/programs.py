"""Programs of a few lines of shell, in a CLI's place."""

from pathlib import Path


def program(folder: Path, text: str) -> Path:
    """An executable `claude` that does this."""
    path = folder / "claude"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path
