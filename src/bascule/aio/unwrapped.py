"""The one error of a TaskGroup, as its caller knows it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def only_error() -> Iterator[None]:
    """What was raised inside a TaskGroup, without the group around it when it is one."""
    try:
        yield
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]
        raise error from error.__cause__
