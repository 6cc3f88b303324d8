"""Records tests/docs/recordings/made.jsonl anew: `python -m scripts.record_made CLI`.

What bascule itself says stands in a recording, so a strict replay of it fails when that changes on purpose, such as
when a hook is registered more. This is the session that docs/how-to/test-your-own-code.md plays.
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from bascule import Options, commands, events, open_session, recording
from bascule.demo import Script, ScriptedModel, call, clean_environment, say, turn

MADE: Final = Path(__file__).parents[1] / "tests" / "docs" / "recordings" / "made.jsonl"
SCRIPT: Final = Script(turn(call("Bash", command="touch made.txt", description="Make it"), say("Made.")))
KEPT: Final = 2
"""Entries of a list of commands, skills, agents, models."""
LISTS: Final = ("commands", "agents", "models", "slash_commands", "skills", "tools", "available_output_styles")
PROSE: Final = 60
"""Characters of a description; the CLI's own texts are not ours to keep at length."""


async def allow(ask: events.PermissionRequest) -> commands.Decision:
    """Yes."""
    return commands.AllowOnce()


async def record(folder: Path, model_url: str, cli: str, path: Path) -> None:
    """The session."""
    options = Options(
        cwd=folder, cli=cli, env=clean_environment(model_url, folder / "home"), on_ask=allow, record=path, unproven=True
    )
    async with open_session(options) as session:
        await (await session.prompt("Make a file"))
        await session.idle()


def trimmed(entries: Iterable[recording.Entry | recording.Damage], places: dict[str, str]) -> Iterator[bytes]:
    """The lines to keep, with `places` of this machine made general and the CLI's prose cut."""
    for entry in entries:
        assert isinstance(entry, recording.Entry)
        line = entry.line
        for here, anywhere in places.items():
            line = line.replace(here, anywhere)
        if entry.dir == "out":
            line = json.dumps(cut(json.loads(line)), separators=(",", ":"))
        yield recording.encode(recording.Entry(entry.t, entry.dir, line))


def cut(value: Any) -> Any:
    """A message without most of what it lists and describes."""
    match value:
        case dict():
            return {key: _cut_field(key, item) for key, item in value.items()}
        case list():
            return [cut(item) for item in value]
        case _:
            return value


def _cut_field(key: str, value: Any) -> Any:
    if key in LISTS and isinstance(value, list):
        return [cut(item) for item in value[:KEPT]]
    if key == "description" and isinstance(value, str) and len(value) > PROSE:
        return f"{value[:PROSE]}…"
    return cut(value)


def main() -> int:
    """Record it."""
    cli = str(Path(sys.argv[1]).absolute())
    with tempfile.TemporaryDirectory() as name, ScriptedModel(SCRIPT) as model:
        folder, raw = Path(name).resolve(), Path(name) / "raw.jsonl"
        (folder / "home").mkdir()
        asyncio.run(record(folder, model.url, cli, raw))
        places = {cli: "/usr/local/bin/claude", str(folder): "/tmp/demo", str(folder).replace("/", "-"): "-tmp-demo"}
        with raw.open("rb") as file:
            MADE.write_bytes(b"".join(trimmed(recording.read(file), places)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
