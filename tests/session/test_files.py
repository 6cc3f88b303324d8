"""Files that a session is started with: looked at before the start, or made for it and gone after it."""

import json
from pathlib import Path
from typing import Any

import pytest

from bascule.errors import OptionError
from bascule.session.files import look, settings_file
from bascule.session.options import Options, arguments
from bascule.transport.argv import argv

SANDBOX = {"enabled": True}


@pytest.mark.parametrize("option", ["system_prompt_file", "project_config_root", "debug_file"])
def test_what_is_not_there_is_said_before_the_start(tmp_path: Path, option: str) -> None:
    options: dict[str, Any] = {"cwd": tmp_path, option: "gone/there"}
    with pytest.raises(OptionError, match=f"{option}: there is no .*{tmp_path}/gone"):
        look(Options(**options))
    (tmp_path / "gone").mkdir()
    if option == "system_prompt_file":
        (tmp_path / "gone" / "there").write_text("Be brief.")
    if option == "project_config_root":
        (tmp_path / "gone" / "there").mkdir()
    look(Options(**options))


def test_settings_as_a_mapping_go_through_a_file_of_its_owners(tmp_path: Path) -> None:
    """They may hold secrets, and a command line is everybody's to see."""
    options = Options(settings={"env": {"TOKEN": "x"}})
    with settings_file(options) as name:
        assert name is not None
        assert Path(name).stat().st_mode & 0o777 == 0o600
        assert json.loads(Path(name).read_text()) == {"env": {"TOKEN": "x"}}
        assert argv(arguments(options, settings=name))[-1] == f"--settings={name}"
    assert not Path(name).exists()
    assert not [item for item in argv(arguments(options)) if item.startswith("--settings")]
    with settings_file(Options(settings={}, sandbox=SANDBOX)) as name:
        assert json.loads(Path(name or "").read_text()) == {"sandbox": {"failIfUnavailable": True, "enabled": True}}


def test_settings_that_no_json_can_say_are_refused() -> None:
    with pytest.raises(OptionError, match="cannot be JSON"), settings_file(Options(settings={"a": object()})):
        pytest.fail("there must be no file")


def test_settings_alone_go_as_they_are() -> None:
    with settings_file(Options(settings="anything")) as name:
        assert name is None


@pytest.mark.parametrize("as_file", [True, False])
def test_the_sandbox_is_laid_over_the_settings_in_a_file_of_its_owners(tmp_path: Path, as_file: bool) -> None:
    below = json.dumps({"env": {"TOKEN": "x"}, "sandbox": {"enabled": False, "allowUnsandboxedCommands": False}})
    (tmp_path / "settings.json").write_text(below)
    with settings_file(Options(cwd=tmp_path, settings="settings.json" if as_file else below, sandbox=SANDBOX)) as name:
        assert name is not None
        assert Path(name).stat().st_mode & 0o777 == 0o600
        assert json.loads(Path(name).read_text()) == {
            "env": {"TOKEN": "x"},
            "sandbox": {"failIfUnavailable": True, "enabled": True, "allowUnsandboxedCommands": False},
        }
    assert not Path(name).exists()


@pytest.mark.parametrize(
    ("settings", "sandbox", "merged"),
    [
        (None, SANDBOX, {"failIfUnavailable": True, "enabled": True}),
        (None, {"enabled": True, "failIfUnavailable": False}, {"enabled": True, "failIfUnavailable": False}),
        ('{"sandbox": 3}', SANDBOX, {"failIfUnavailable": True, "enabled": True}),
    ],
)
def test_a_sandbox_that_cannot_be_stops_the_start_unless_told_otherwise(
    settings: str | None, sandbox: dict[str, Any], merged: dict[str, Any]
) -> None:
    with settings_file(Options(settings=settings, sandbox=sandbox)) as name:
        assert name is not None
        assert json.loads(Path(name).read_text())["sandbox"] == merged


@pytest.mark.parametrize(
    ("settings", "says"), [("gone.json", "gone.json cannot be read"), ("list.json", "no JSON object"), ("{", "no JSON")]
)
def test_settings_that_cannot_be_merged_say_why(tmp_path: Path, settings: str, says: str) -> None:
    (tmp_path / "list.json").write_text("[]")
    with (
        pytest.raises(OptionError, match=says),
        settings_file(Options(cwd=tmp_path, settings=settings, sandbox=SANDBOX)),
    ):
        pytest.fail("there is nothing to start with")
