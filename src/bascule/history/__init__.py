"""The CLI's own session files: list, read, search, name, fork, repair and delete conversations on the disk.

    for session in sessions(cwd="."):
        print(session.id, session.title or session.first_prompt)

All functions work on files and block: call them by ``asyncio.to_thread`` from async code. A CLI may go on writing
meanwhile: reading sees what is there, and what is added goes behind the rest. Only ``delete`` changes more than that,
and refuses while the session runs.

The file's words are in ``entries``, where files lie in ``places``; ``nodes``, ``branches`` and ``pairs`` are pure. Not
here: what a running session says (``session``), and recordings, which are bascule's own (``recording``).
"""

from bascule.history.branches import Branch
from bascule.history.forks import fork
from bascule.history.items import AnyItem, Called, Compacted, Item, Prompt, Remark, Reply, Thought
from bascule.history.listing import StoredAgent, find, sessions, subagents
from bascule.history.marks import rename, tag
from bascule.history.pairs import Problem
from bascule.history.removal import Own, delete
from bascule.history.repair import Repaired, check, repair
from bascule.history.search import Hit, search
from bascule.history.stored import StoredSession, glance
from bascule.history.transcript import Numbered, Transcript, read

__all__ = [
    "AnyItem",
    "Branch",
    "Called",
    "Compacted",
    "Hit",
    "Item",
    "Numbered",
    "Own",
    "Problem",
    "Prompt",
    "Remark",
    "Repaired",
    "Reply",
    "StoredAgent",
    "StoredSession",
    "Thought",
    "Transcript",
    "check",
    "delete",
    "find",
    "fork",
    "glance",
    "read",
    "rename",
    "repair",
    "search",
    "sessions",
    "subagents",
    "tag",
]
