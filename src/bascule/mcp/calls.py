"""Runs one call of a tool to its result: what the tool raises is logged and told to the model."""

from __future__ import annotations

import asyncio
import inspect
import logging
from functools import partial
from typing import Any

from bascule.errors import ToolError
from bascule.mcp.content import failure, result_of
from bascule.mcp.thread import in_thread
from bascule.mcp.tool import CallContext, Tool

log = logging.getLogger("bascule.mcp")


async def run(tool: Tool, arguments: Any, call: CallContext) -> dict[str, Any]:
    """The result of ``tool`` for ``arguments``, JSON of the model's. Raises nothing but a cancellation."""
    try:
        given = tool.signature.read({} if arguments is None else arguments)
        if tool.signature.given_call is not None:
            given[tool.signature.given_call] = call
        return result_of(await _in_time(tool, given))
    except ToolError as exc:
        return failure(str(exc))
    except (Exception, SystemExit) as exc:  # sys.exit() of a tool ends its call, not this program
        log.exception("the tool %s failed; the model is told", tool.name)
        return failure(f"{type(exc).__name__}: {exc}")


async def _in_time(tool: Tool, given: dict[str, Any]) -> Any:
    limit = asyncio.timeout(tool.timeout_s)
    try:
        async with limit:
            return await _invoked(tool, given)
    except TimeoutError:
        if not limit.expired():
            raise
        log.warning("the tool %s was stopped after %s s", tool.name, tool.timeout_s)
        raise ToolError(f"{tool.name} did not end within {tool.timeout_s:g} s and was stopped") from None


async def _invoked(tool: Tool, given: dict[str, Any]) -> Any:
    if inspect.iscoroutinefunction(tool.function):
        return await tool.function(**given)
    returned = await in_thread(partial(tool.function, **given), name=f"bascule tool {tool.name}")
    return await returned if inspect.isawaitable(returned) else returned
