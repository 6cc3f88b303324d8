"""A set of tools under one name, which may change while sessions use it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from bascule.errors import OptionError
from bascule.mcp.tool import NAME, Tool


class ToolServer:
    """Tools that live in this program, under one name: ``ToolServer("desk", [open_drawer, close_drawer])``.

    It may serve any number of sessions, one after the other and at once (``Options.tool_servers``).
    """

    def __init__(
        self,
        name: str,
        tools: Iterable[Tool] = (),
        *,
        version: str = "1.0.0",
        instructions: str | None = None,
        always_load: bool = True,
    ) -> None:
        """Raises ``OptionError`` for a name that cannot be, and for two tools of one name."""
        if not NAME.fullmatch(name) or "__" in name:
            raise OptionError(f"a server is called {name!r}: a name has letters, digits, - and single _, 64 at most")
        self.name = name
        """For the model its tools are ``mcp__NAME__TOOL``."""
        self.version = version
        """What the CLI is told."""
        self.instructions = instructions
        """What the model is told of when to use the server."""
        self.always_load = always_load
        """The model sees the tools from the start. If not, CLI 2.1.332 shows it their names only until it searches for
        them, which saves tokens where tools are many."""
        self._tools: dict[str, Tool] = {}
        self._watchers: tuple[Callable[[], None], ...] = ()
        self._lock = threading.Lock()
        """Around each change of the two: a script may change tools while sessions come and go in another thread."""
        tools = tuple(tools)
        self.add(*tools)
        if len(self._tools) < len(tools):
            raise OptionError(f"two tools of {name} have one name: {', '.join(each.name for each in tools)}")

    @property
    def tools(self) -> tuple[Tool, ...]:
        """In the order in which they were added."""
        return tuple(self._tools.values())

    def add(self, *tools: Tool) -> None:
        """Add tools; one of the same name is replaced. Open sessions have them from the next turn on, at the latest.

        From any thread, and while sessions run. Raises ``OptionError`` for what is no tool.
        """
        for each in tools:
            if not isinstance(each, Tool):
                raise OptionError(f"{each!r} is no tool: put @tool above the function")
        with self._lock:
            self._tools = {**self._tools, **{each.name: each for each in tools}}
        self._tell()

    def remove(self, *names: str) -> None:
        """Take tools away; a call that runs is not stopped. A name that is not there is no mistake."""
        with self._lock:
            self._tools = {name: each for name, each in self._tools.items() if name not in names}
        self._tell()

    def watch(self, watcher: Callable[[], None]) -> Callable[[], None]:
        """Call ``watcher`` after each change, in the thread that made it. What this gives ends that."""
        with self._lock:
            self._watchers = (*self._watchers, watcher)

        def unwatch() -> None:
            with self._lock:
                self._watchers = tuple(each for each in self._watchers if each is not watcher)

        return unwatch

    def _tell(self) -> None:
        for watcher in self._watchers:
            watcher()
