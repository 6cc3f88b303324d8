"""What a workspace brings after a session has begun: the CLI takes it up at once, and nobody has accepted it.

The CLI reads changed settings about a second after they were written, hooks that answer asks among them
(tests/live/test_trust_live.py); nothing but the end of the process keeps it from that. Timers, and skills of folders
below the workspace, are looked at only when a session begins.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from bascule.errors import OptionError
from bascule.recording import Noticed
from bascule.session.admission import acceptances, users_folder
from bascule.session.brought import Brought, brought, places
from bascule.session.options import Options
from bascule.session.rulebook import Stamp, is_settled, stamp_of
from bascule.session.trust import reads_workspace

POLL_S: Final = 0.25
"""Between two looks: the CLI waits until a file has been at rest for longer (2.1.332, 2.1.197)."""

_SHOWN: Final = 3
"""Things that a reason names."""
_SOURCES: Final = "--setting-sources="

_Stamps: TypeAlias = dict[Path, Stamp | None]


class Arrivals:
    """Of one process. Looks at files: a ``stat`` each, and into them when one has changed."""

    def __init__(
        self,
        options: Options,
        env: Mapping[str, str],
        argv: Callable[[], Sequence[str]],
        note: Callable[[Noticed], object],
    ) -> None:
        """``options`` as they were admitted; ``argv`` tells how the process was started, which counts more."""
        self._options = options
        self._config = users_folder(env)
        self._argv = argv
        self._note = note
        self._accepted = acceptances()
        self._seen: _Stamps | None = None
        self._told: str | None = None

    def look(self) -> str | None:
        """What has come that nobody has accepted, and what to do; noted at first.

        Once it was there, the CLI may hold it for good.
        """
        if self._told is None and self._is_taken() and not self._is_as_before():
            self._told = self._found()
            if self._told is not None:
                self._note(Noticed(level="warning", text=self._told))
        return self._told

    async def come(self) -> str:
        """Returns what ``look`` tells, when it does."""
        while True:
            if (said := self.look()) is not None:
                return said
            await asyncio.sleep(POLL_S)

    def _is_taken(self) -> bool:
        """Whether the CLI reads anything that the workspace brings, and what was accepted matters."""
        argv = self._argv()
        given = [part.removeprefix(_SOURCES) for part in argv if part.startswith(_SOURCES)]
        sources = given[-1].split(",") if given else None if argv else self._options.setting_sources
        return self._options.trust == "known" and reads_workspace(sources)

    def _is_as_before(self) -> bool:
        seen = self._seen
        return seen is not None and all(stamp_of(path) == stamp for path, stamp in seen.items())

    def _found(self) -> str | None:
        here, beside = self._options.cwd, self._options.project_config_root
        self._seen = None
        stamps = {
            path: stamp_of(path) for path in (self._accepted.path, *places(here, config=self._config, beside=beside))
        }
        found = brought(here, config=self._config, beside=beside, below=False)
        found = tuple(one for one in found if one.comes_with_settings)
        try:
            unknown = self._accepted.unknown(here, found) if found else ()
        except OptionError as exc:
            return f"what was accepted of the workspace cannot be known any more, so this session ends: {exc}"
        if unknown:
            return _reason(unknown, here)
        now = time.time_ns()
        self._seen = stamps if all(is_settled(stamp, now) for stamp in stamps.values()) else None
        return None


def _reason(unknown: Sequence[Brought], workspace: str | Path) -> str:
    here = os.path.realpath(workspace)
    named = [f"{os.path.relpath(one.path, here)} ({one.what})" for one in unknown[:_SHOWN]]
    more = [f"{len(unknown) - _SHOWN} more"] if len(unknown) > _SHOWN else []
    return (
        f"the workspace has brought what nobody has accepted while the session ran: {', '.join((*named, *more))}."
        " Nothing runs, and the session ends. To see and accept it: bascule trust; then resume the session"
    )
