"""Records the probe of a CLI: `python -m scripts.record_probe .venv/cli/VERSION/claude`. For a newly tested version.

Writes `tests/doctor/recordings/VERSION/SCENE.jsonl` and `usage.txt`, whose texts are cut short: what is kept of a CLI
is what it says, not its prose. `python -m scripts.write_wire_reference` makes of them what bascule knows of a version.
"""

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any, Final

from bascule import recording
from bascule.doctor.probe import Played, help_of, probe
from bascule.doctor.usage import usage_of
from bascule.recording import Entry

RECORDINGS: Final = Path(__file__).parents[1] / "tests" / "doctor" / "recordings"

PROSE: Final = frozenset("description summary argumentHint markdown text instructions".split())
"""Keys whose values are for people."""
KEPT: Final = 14
"""Characters that are kept of such a text."""


def slim(entry: Entry) -> Entry:
    """An entry without the CLI's prose, and without the place where the CLI lay."""
    try:
        match entry.dir:
            case "argv":
                program, *arguments = json.loads(entry.line)
                line: Any = [Path(program).name, *arguments]
            case "out":
                line = _cut(json.loads(entry.line))
            case _:
                return entry
    except ValueError:
        return entry
    return Entry(entry.t, entry.dir, json.dumps(line, separators=(",", ":")))


def _cut(value: Any, key: str = "") -> Any:
    match value:
        case dict():
            return {name: _cut(item, name) for name, item in value.items()}
        case list():
            return [_cut(item, key) for item in value]
        case str() if key in PROSE and len(value) > 2 * KEPT:
            return f"{value[:KEPT]}…"
    return value


def slim_usage(text: str) -> str:
    """The help of the CLI without its prose: the names of its options, and the choices that they take."""
    options = re.sub(r"\n {4,}(?=\S)", " ", text).splitlines()
    kept = [line for line in options if line.startswith("  -")]
    lines = []
    for line in kept:
        names = re.match(r" {2}-.*?(?= {2,}|$| [A-Z])", line)
        choices = re.search(r"\(choices: [^)]*\)", line)
        lines.append(f"{names[0] if names else line}{'  ' + choices[0] if choices else ''}")
    return "Options:\n" + "\n".join(lines) + "\n"


async def record(cli: Path) -> None:
    """Probe `cli`, and keep what was said."""
    played: list[Played] = []
    found = await probe(cli, seen=played.append)
    if found.version is None or found.trouble:
        sys.exit(f"{cli} cannot be recorded: {'; '.join(found.trouble) or 'it tells no version'}")
    folder = RECORDINGS / found.version
    folder.mkdir(parents=True, exist_ok=True)
    for one in played:
        lines = b"".join(recording.encode(slim(entry)) for entry in one.entries)
        (folder / f"{one.scene.name}.jsonl").write_bytes(lines)
    text = await help_of(cli)
    (folder / "usage.txt").write_text(slim_usage(text), encoding="utf-8")
    assert usage_of(slim_usage(text)) == usage_of(text)
    print(f"recorded {len(played)} scenes of Claude Code {found.version} in {folder}")


if __name__ == "__main__":
    asyncio.run(record(Path(sys.argv[1]).absolute()))
