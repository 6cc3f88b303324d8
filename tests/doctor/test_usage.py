"""The help of the CLI, as it prints it."""

import pytest

from bascule.doctor.usage import Usage, usage_of
from tests.doctor.recorded import RECORDINGS

HELP = """\
Usage: claude [options] [command] [prompt]

Options:
  --add-dir <directories...>            More directories, beside --cwd
  --allowedTools, --allowed-tools <tools...>
      Comma or space-separated list (e.g. "Bash(git *) Edit"), see --tools
  -c, --continue                        Go on
  --permission-mode <mode>              Permission mode to use for the session
                                        (choices: "acceptEdits", "auto",
                                        "plan", default: "auto")
  -p, --print                           Print

Commands:
  mcp                                   Configure --servers
"""


def test_the_help_names_flags_and_modes() -> None:
    flags = {"--add-dir", "--allowedTools", "--allowed-tools", "--continue", "--permission-mode", "--print"}
    assert usage_of(HELP) == Usage(frozenset(flags), frozenset({"acceptEdits", "auto", "plan"}))


@pytest.mark.parametrize("text", ["", "Segmentation fault", "  --", "\n\n   --indented <x>"])
def test_what_is_no_help_names_nothing(text: str) -> None:
    assert usage_of(text) == Usage()


def test_a_mode_without_choices_names_none() -> None:
    assert usage_of("  --permission-mode <mode>  Which").modes == frozenset()


@pytest.mark.parametrize(("version", "flags", "mode"), [("2.1.332", 69, "manual"), ("2.1.197", 60, "default")])
def test_the_recorded_help_is_read(version: str, flags: int, mode: str) -> None:
    told = usage_of((RECORDINGS / version / "usage.txt").read_text())
    assert mode in told.modes
    assert {"--resume", "--print", "--model", "--permission-mode"} <= told.flags
    assert len(told.flags) == flags
