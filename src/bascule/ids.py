"""The ids that bascule itself gives, as types, so that one is not taken for another.

What the CLI names (tool calls, tasks, agents, message uuids) stays a plain ``str``: its form is not ours to promise.
"""

from __future__ import annotations

from typing import NewType

SessionId = NewType("SessionId", str)
"""A session of ours; stable over processes, resumes, forks and ``/clear``."""

CliSessionId = NewType("CliSessionId", str)
"""What the CLI calls its session; may change (``/clear``, fork)."""

PromptId = NewType("PromptId", str)
"""A prompt: the ``uuid`` of its line on stdin."""

PendingId = NewType("PendingId", str)
"""An open ask: the CLI's ``request_id``."""

CommandId = NewType("CommandId", str)
"""A command; made by the client, so that sending it twice does it once."""

GrantId = NewType("GrantId", str)
"""A grant of a session: ``g1``, ``g2``, … in the order they were given."""
