"""Writes `docs/reference/config.md` from the settings themselves: `python -m scripts.write_config_reference`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from bascule.cli.settings.command_line import OPTIONS
from bascule.cli.settings.sections import LATER, LATER_SECTIONS, PROJECTS, SECTIONS, Key, Project
from bascule.cli.settings.surroundings import variable
from bascule.cli.settings.values import ABSENT, settings_of, words
from scripts.docstrings import shape_of

PAGE: Final = Path(__file__).parents[1] / "docs" / "reference" / "config.md"

MADE: Final = (
    "<!-- Made by `python -m scripts.write_config_reference` from the docstrings of cli/settings/sections.py: change it"
    " there. -->"
)
INTRODUCTION: Final = """\
Everything that can be configured. [How to write it, and where](../how-to/configure.md)

What is said twice is said by the later of: defaults, your `~/.config/bascule/config.toml`, the workspace's
`.bascule/config.toml` (which only tightens until you accept it, and says something in `[claude]` and `[policy]` alone),
the environment, the command line."""


def page() -> str:
    """The whole page."""
    parts = [MADE, "# Configuration", INTRODUCTION]
    told: dict[str, type[msgspec.Struct]] = {**SECTIONS, PROJECTS: Project}
    for name, section in told.items():
        parts += _section(name, section)
    return "\n\n".join((*parts, "## Not yet", "\n".join(_later()))) + "\n"


def _section(name: str, section: type[msgspec.Struct]) -> Iterator[str]:
    shape = shape_of(section)
    yield f"## [{name}{'.NAME' if name == PROJECTS else ''}]"
    yield shape.doc
    told = {field.name: field.doc for field in shape.fields}
    rows = [_row((name, key), setting, told[key]) for key, setting in settings_of(section).items()]
    yield "\n".join(("| key | value | default | | also by |", "|---|---|---|---|---|", *rows))


def _row(key: Key, setting: Any, doc: str) -> str:
    return f"| `{key[-1]}` | {words(setting.kind)} | {_default(setting.default)} | {doc} | {_also(key)} |"


def _default(value: Any) -> str:
    if value is ABSENT:
        return "must be given"
    if value is None:
        return ""
    return "empty" if value == () else f"`{_said(value)}`"


def _said(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else msgspec.json.encode(value).decode().strip('"')


def _also(key: Key) -> str:
    if key[0] == PROJECTS:
        return ""
    options = [f"`--{option.replace('_', '-')}`" for option, named in OPTIONS.items() if named == key]
    return " ".join((f"`{variable(key)}`", *options))


def _later() -> Iterator[str]:
    yield "These have their meaning, and nothing in this version obeys them; they are refused with these words:"
    yield ""
    yield from (f"- `{section}.{key}`" for section, keys in LATER.items() for key in sorted(keys))
    yield from (f"- `[{section}]`" for section in sorted(LATER_SECTIONS))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
