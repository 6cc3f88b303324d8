"""The person's own programs: an editor for a text, a pager for one that is long. Each has the terminal for itself."""

from __future__ import annotations

import asyncio
import os
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from bascule.aio.beside import beside
from bascule.errors import OptionError

GRACE_S: Final = 2.0
"""How long a program may take to put its things away when the run ends."""


class Programs:
    """What `VISUAL`, `EDITOR` and `PAGER` name, or what every system has. Their files stand in `folder` meanwhile.

    When `ending` is set, the one that runs is stopped.
    """

    def __init__(
        self, environ: Mapping[str, str], folder: Path | None = None, *, ending: asyncio.Event | None = None
    ) -> None:
        self._folder = folder
        self._ending = ending or asyncio.Event()
        self._editor = shlex.split(environ.get("VISUAL") or environ.get("EDITOR") or "vi")
        self._pager = shlex.split(environ.get("PAGER") or "less")

    async def edit(self, text: str, suffix: str) -> str:
        """`text` as the person leaves it; the file it stands in meanwhile is only his to read, and gone afterwards.

        Raises `OptionError` when the editor cannot be started or ends with an error: then nothing was edited.
        """
        path = self._written(text, suffix)
        try:
            await self._run([*self._editor, str(path)], "the editor", "set EDITOR")
            return path.read_text(encoding="utf-8", errors="replace")
        finally:
            path.unlink(missing_ok=True)

    async def view(self, text: str) -> None:
        """Shown until the person closes it. Raises `OptionError` as `edit` does."""
        path = self._written(text, ".txt")
        try:
            await self._run([*self._pager, str(path)], "the pager", "set PAGER")
        finally:
            path.unlink(missing_ok=True)

    def _written(self, text: str, suffix: str) -> Path:
        file, name = tempfile.mkstemp(prefix="bascule-", suffix=suffix, dir=self._folder)
        with os.fdopen(file, "w", encoding="utf-8", errors="replace") as out:
            out.write(text)
        return Path(name)

    async def _run(self, argv: Sequence[str], what: str, hint: str) -> None:
        try:
            process = await asyncio.create_subprocess_exec(*argv)
        except OSError as exc:
            raise OptionError(f"{what} {argv[0]!r} cannot be started ({exc.strerror}): {hint}") from exc
        async with beside(self._stop(process), name="terminal program"):
            code = await process.wait()
        if code:
            raise OptionError(f"{what} {argv[0]!r} ended with {code}, so nothing was taken from it")

    async def _stop(self, process: asyncio.subprocess.Process) -> None:
        await self._ending.wait()
        process.terminate()
        await asyncio.sleep(GRACE_S)
        process.kill()
