"""P12: the start of a session, up to where a prompt could be sent."""

from __future__ import annotations

import statistics
import tomllib
from pathlib import Path
from typing import Final

from bench.figures import Figure, Limit
from bench.lab import ROOT, Lab, in_turn, medians, subjects

ON_TOP: Final = Limit(of="floor", plus=10)
"""The floor's start is that of the process alone."""
FILES: Final = 1_000
NOBODY: Final = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org")
NOBODY_LISTENS: Final = "http://127.0.0.1:9"
"""The CLI asks no model before the first prompt."""


def measure(lab: Lab) -> list[Figure]:
    """On the fake CLI, which starts in a millisecond: a program's first start, and each next. Then on the real one."""
    taken = in_turn(lab.rounds(9), subjects(), lambda who: lab.sample(who, "start", times=2 if lab.short else 11))
    first = medians(taken, lambda sample: sample["starts_s"][0] * 1000)
    later = medians(taken, lambda sample: statistics.median(sample["starts_s"][1:]) * 1000)
    return [
        Figure(number="P12", what="first start", unit="ms", must=(ON_TOP,), **first),
        Figure(number="P12", what="each next start", unit="ms", must=(ON_TOP,), **later),
        _in_repository(lab),
        *_real(lab),
    ]


def _in_repository(lab: Lab) -> Figure:
    """Where ours asks git what lies there, while the CLI starts."""
    folder = _repository(lab)
    starts = in_turn(lab.rounds(9), subjects(), lambda who: lab.sample(who, "start", cwd=str(folder), times=1))
    first = medians(starts, lambda sample: sample["starts_s"][0] * 1000)
    return Figure(number="P12", what="first start, in a repository", unit="ms", must=(ON_TOP,), **first)


def _repository(lab: Lab) -> Path:
    folder = lab.fresh("repository")
    folder.mkdir()
    for number in range(FILES):
        (folder / f"{number}.py").write_text(f"print({number})\n")
    for arguments in (("init", "-q"), ("add", "."), (*NOBODY, "commit", "-qm", "all")):
        lab.timed("git", "-C", str(folder), *arguments)
    return folder


def _real(lab: Lab) -> list[Figure]:
    cli = _cli()
    if not cli.exists():
        return []
    env = _clean(lab)
    taken = in_turn(lab.rounds(11), subjects(), lambda who: lab.sample(who, "start", cli=str(cli), env=env, times=1))
    starts = medians(taken, lambda sample: sample["starts_s"][0] * 1000)
    return [Figure(number="P12", what="first start, real CLI", unit="ms", must=(ON_TOP,), **starts)]


def _cli() -> Path:
    """The newest tested CLI, as `make setup` brings it."""
    pins = tomllib.loads((ROOT / "requirements" / "claude-code.toml").read_text())
    return ROOT / ".venv" / "cli" / str(pins["version"][0]["number"]) / "claude"


def _clean(lab: Lab) -> dict[str, str]:
    """An environment for the real CLI: a home of its own, and no traffic."""
    home = lab.folder / "home"
    home.mkdir(exist_ok=True)
    return {
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "ANTHROPIC_BASE_URL": NOBODY_LISTENS,
        "ANTHROPIC_API_KEY": "dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",
    }
