"""What requests are asked for by name, with its bounds."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias

from litestar import Request
from litestar.datastructures import State
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter, SkipValidation

from bascule.conversation import Conversations
from bascule.ids import PendingId, SessionId

Hub: TypeAlias = NamedDependency[SkipValidation[Conversations]]
Asked: TypeAlias = Request[Any, Any, State]

LARGEST: Final = 2**53 - 1
"""Numbers are exact in JavaScript up to here."""

Session: TypeAlias = FromPath[SessionId]
Pending: TypeAlias = FromPath[PendingId]
Number: TypeAlias = Annotated[int, QueryParameter(ge=0, le=LARGEST)]
Limit: TypeAlias = Annotated[int, QueryParameter(ge=1, le=1000)]
