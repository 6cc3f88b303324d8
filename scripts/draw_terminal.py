"""Draws docs/images/terminal.svg: the terminal at the moment when a change is put before a person.

`python -m scripts.draw_terminal CLI` runs that Claude Code on the demo's scripted model, shows the session as
`bascule run` would, and stops at the first ask. Nothing in the picture is made by hand, but for the workspace's path,
which is a temporary one.
"""

import asyncio
import io
import re
import sys
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from bascule import CommandId, Options, events, open_session
from bascule.demo import ScriptedModel, Workspace, temporary_workspace
from bascule.demo.tour import PROMPTS, tour
from bascule.terminal.desk import Desk, Say
from bascule.terminal.lines import Piece
from bascule.terminal.paint import rows

PICTURE: Final = Path(__file__).parents[1] / "docs" / "images" / "terminal.svg"
COLUMNS: Final = 84
PROMPT: Final = PROMPTS[1]
SHOWN_AS: Final = "~/basket"
THEME: Final = TerminalTheme(
    (24, 26, 31),
    (214, 218, 224),
    [
        (24, 26, 31), (232, 104, 104), (126, 190, 110), (222, 178, 92),
        (110, 160, 232), (190, 140, 220), (92, 186, 196), (214, 218, 224),
    ],
    [
        (122, 130, 144), (240, 130, 130), (150, 208, 134), (236, 198, 122),
        (140, 182, 242), (206, 164, 232), (124, 206, 214), (240, 242, 246),
    ],
)  # fmt: skip
FORM: Final = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"
  aria-label="bascule run: a change is put before a person">
<style>
.{unique_id}-matrix {{
  font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px;
  line-height: {line_height}px;
}}
.{unique_id}-title {{ font-family: system-ui, Arial, "DejaVu Sans", sans-serif; font-size: 17px; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g>
</g>
</svg>
"""
"""As rich's own form, without a font from elsewhere."""
CELL: Final = 12.2
"""Width of a character in rich's pictures."""
INDENTED: Final = re.compile(
    r"""x="(?P<x>[\d.]+)"[ ]y="(?P<y>[\d.]+)"[ ]textLength="(?P<length>[\d.]+)"(?P<rest>[^>]*)>
    (?P<blanks>(?:&\#160;|\u00a0)+)""",
    re.VERBOSE,
)


async def screen(workspace: Workspace, model_url: str, cli: str) -> list[str]:
    """The rows of the terminal when the first ask is open."""
    desk = Desk(new_id=lambda: CommandId("picture"))
    said: list[Piece] = []
    now = 0
    options = Options(cwd=workspace.project, cli=cli, env=workspace.environment(model_url), unproven=True)
    async with open_session(options) as session:
        await session.prompt(PROMPT)
        async for told in session.events():
            event = elsewhere(told, str(workspace.project))
            now = event.at
            for effect in desk.event(event, now):
                if isinstance(effect, Say):
                    said += effect.pieces
            if isinstance(event, events.PermissionRequest):
                break
    moving, foot = desk.face(now)
    return [*rows([*said, *moving, *foot.lines], COLUMNS, "colour"), ""]


def elsewhere(event: events.AnyEvent, project: str) -> events.AnyEvent:
    """The event, as if the workspace were not a temporary one."""
    return events.from_json(events.to_json(event).replace(project.encode(), SHOWN_AS.encode()))


def drawn(lines: list[str]) -> str:
    """The rows as a picture."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    for row in lines:
        console.print(Text.from_ansi(row), no_wrap=True)
    picture = console.export_svg(title="bascule run", theme=THEME, code_format=FORM, unique_id="bascule")
    return INDENTED.sub(_moved, picture)


def _moved(text: re.Match[str]) -> str:
    """A text without its leading blanks, as far to the right: some programs that draw SVG leave them out."""
    width = CELL * len(text["blanks"].replace("&#160;", " "))
    x, length = float(text["x"]) + width, float(text["length"]) - width
    return f'x="{x:g}" y="{text["y"]}" textLength="{length:g}"{text["rest"]}>'


def main() -> int:
    """Draw it."""
    with temporary_workspace() as workspace, ScriptedModel(tour(workspace.project)) as model:
        lines = asyncio.run(screen(workspace, model.url, sys.argv[1]))
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(drawn(lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
