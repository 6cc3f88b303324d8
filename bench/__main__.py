"""``python -m bench [NAME ...] [--short] [--json FILE]``: see the package."""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import Final

from bench import figures
from bench.lab import Lab, lab, subjects

HERE: Final = Path(__file__).parent
NAMES: Final = tuple(sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py")))


def main() -> None:
    """Measure, print, write. No time makes it fail: a machine may be busy, and a benchmark is no test. A loss does."""
    args = _arguments()
    with lab(short=args.short) as here:
        measured = [figure for name in args.names or NAMES for figure in _measure(name, here)]
    measured.sort(key=lambda figure: int(figure.number.removeprefix("P")))
    about = figures.machine()
    print(*(f"{key}: {value}" for key, value in about.items()), sep="\n", end="\n\n")
    if "sdk" not in subjects():
        print("claude-agent-sdk is not installed here: `make bench` brings it\n")
    print(figures.table(measured))
    args.json.write_text(figures.as_json(measured, about))
    if wrong := [f"{figure.number} {figure.what}: {figure.ours:g}" for figure in measured if figure.is_wrong]:
        sys.exit("\n".join(["this must not happen, however busy the machine is:", *wrong]))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="What bascule costs beside its peers.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--short", action="store_true", help="everything once and small, to see that it works")
    parser.add_argument("--json", type=Path, default=HERE / "results.json", help="where the samples go")
    args = parser.parse_args()
    if unknown := set(args.names) - set(NAMES):
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    return args


def _measure(name: str, here: Lab) -> list[figures.Figure]:
    print(f"measuring {name} …", file=sys.stderr)
    measured: list[figures.Figure] = importlib.import_module(f"bench.bench_{name}").measure(here)
    return measured


if __name__ == "__main__":
    main()
