"""One tool: a function with a name, words for the model, and how it may run."""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias, overload

import msgspec

from bascule.errors import OptionError
from bascule.ids import SessionId
from bascule.mcp.signature import Signature, signature_of

NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")

Progress: TypeAlias = Callable[[float, float | None, str | None], Awaitable[None]]


class CallContext(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a call. A tool's parameter of this type is not the model's to give."""

    session: SessionId
    """Our id of the session that calls."""
    tool_call_id: str | None = None
    """As in the session's events."""
    tell: Progress | None = None
    """Where ``progress`` goes; None: nowhere."""

    async def progress(self, done: float, *, total: float | None = None, message: str | None = None) -> None:
        """Tell the CLI how far the call is. 2.1.197 and 2.1.332 take it and show nothing of it."""
        if self.tell is not None:
            await self.tell(done, total, message)


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool for a ``ToolServer``. Made by ``tool``; calling it calls the function."""

    name: str
    """For the model it is ``mcp__SERVER__NAME``; so rules name it, too."""
    description: str
    """What the model reads."""
    function: Callable[..., Any]
    """A coroutine function; or a plain one, which runs in a daemon thread of its own: it cannot be cut short, nobody
    waits for it once its call is over, and it ends with the program."""
    signature: Signature
    timeout_s: float | None = None
    """A call that takes longer is cancelled, and the model is told; None: it may take its time."""
    read_only: bool = False
    """It changes nothing. The CLI runs calls of such tools beside each other, those of others one by one."""
    destructive: bool | None = None
    """It may destroy something; None: not said."""
    open_world: bool | None = None
    """It reaches what is outside of the program's control; None: not said."""
    max_result_chars: int | None = None
    """From how many characters on the CLI puts a result into a file, for the model to read in parts; None: as the CLI
    does for all."""

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise OptionError(f"a tool is called {self.name!r}: a name has 1 to 64 letters, digits, _ and -")
        if not self.description.strip():
            raise OptionError(f"the tool {self.name} needs a description, or a docstring: the model chooses by it")
        if self.timeout_s is not None and not self.timeout_s > 0:
            raise OptionError(f"the tool {self.name}: timeout_s is {self.timeout_s}: it must be above 0")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


@overload
def tool(function: Callable[..., Any]) -> Tool: ...


@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    timeout_s: float | None = None,
    read_only: bool = False,
    destructive: bool | None = None,
    open_world: bool | None = None,
    max_result_chars: int | None = None,
) -> Callable[[Callable[..., Any]], Tool]: ...


def tool(
    function: Callable[..., Any] | None = None,
    *,
    name: str | None = None,
    description: str | None = None,
    timeout_s: float | None = None,
    read_only: bool = False,
    destructive: bool | None = None,
    open_world: bool | None = None,
    max_result_chars: int | None = None,
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a function: ``@tool``, or ``@tool(timeout_s=5)`` with the fields of ``Tool``.

    Its parameters and their types are the tool's input; ``Annotated[int, "text"]`` describes one to the model. Name and
    description are the function's name and its docstring's first paragraph, unless given. What it returns is the
    result: text, ``Image``, a list of them, None, or anything that has a JSON form. What it raises, ``SystemExit`` as
    well, is told to the model, and logged unless it is a ``ToolError``. Raises ``OptionError`` for a function that the
    model could not call.
    """

    def make(function: Callable[..., Any]) -> Tool:
        return Tool(
            name=function.__name__ if name is None else name,
            description=_first_paragraph(function) if description is None else description,
            function=function,
            signature=signature_of(function, call_type=CallContext),
            timeout_s=timeout_s,
            read_only=read_only,
            destructive=destructive,
            open_world=open_world,
            max_result_chars=max_result_chars,
        )

    return make if function is None else make(function)


def _first_paragraph(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "").partition("\n\n")[0]
