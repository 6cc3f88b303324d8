"""Whether the CLI took what it was asked to be, as far as its answer tells: it drops some things without a word."""

from __future__ import annotations

from collections.abc import Iterator

from bascule.errors import StartFailed
from bascule.protocol.handshake import Welcome
from bascule.recording import Noticed
from bascule.session.line import Line
from bascule.session.options import Options


def heed(line: Line, options: Options, told: Welcome) -> None:
    """Note which options an older CLI leaves aside. Raises ``StartFailed`` where it took no agents of ours."""
    lost = options.agents.keys() - {agent.name for agent in told.agents}
    if told.agents and lost:
        raise StartFailed(
            f"the CLI did not take the agents {', '.join(sorted(lost))}: it drops all when it finds fault with one;"
            " give less of them, until it takes them",
            **line.last_words(),
        )
    if told.version is None and (unknown := tuple(_new(options))):
        line.note(Noticed(level="warning", text=f"this CLI is too old to heed {', '.join(unknown)}"))


def _new(options: Options) -> Iterator[str]:
    """What is asked for and a CLI leaves aside that does not tell its version in the handshake, as 2.1.197."""
    if options.verbatim_prompts:
        yield "verbatim_prompts"
    if options.interrupt_spares_agents:
        yield "interrupt_spares_agents"
    if options.system_prompt_snapshot:
        yield "system_prompt_snapshot"
    if any(agent.omit_claude_md for agent in options.agents.values()):
        yield "omit_claude_md of an agent"
    if any(agent.observer is not None for agent in options.agents.values()):
        yield "observer of an agent"
