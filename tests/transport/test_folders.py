"""Where bascule's own folders are."""

from pathlib import Path

import pytest

from bascule.transport.folders import config_file, config_folder, state_folder

HOME = {"HOME": "/home/ann"}


@pytest.mark.parametrize(
    ("env", "folder"),
    [
        ({}, "/home/ann/.config/bascule"),
        ({"XDG_CONFIG_HOME": "/c"}, "/c/bascule"),
        ({"XDG_CONFIG_HOME": "relative"}, "/home/ann/.config/bascule"),
        ({"XDG_CONFIG_HOME": "/c", "BASCULE_CONFIG": "/x/mine.toml"}, "/x"),
    ],
)
def test_the_configuration_is_where_the_user_says(env: dict[str, str], folder: str) -> None:
    assert config_folder({**HOME, **env}) == Path(folder)


def test_the_file_is_the_one_that_is_named_or_the_usual_one() -> None:
    assert config_file(HOME) == Path("/home/ann/.config/bascule/config.toml")
    assert config_file({**HOME, "BASCULE_CONFIG": "/x/mine.toml"}) == Path("/x/mine.toml")
    assert config_file({**HOME, "BASCULE_CONFIG": "mine.toml"}) == Path.cwd() / "mine.toml"


def test_a_configuration_that_is_named_relatively_is_found_from_here() -> None:
    assert config_folder({**HOME, "BASCULE_CONFIG": "mine.toml"}) == Path.cwd()


@pytest.mark.parametrize(
    ("env", "platform", "folder"),
    [
        ({}, "linux", "/home/ann/.local/state/bascule"),
        ({}, "darwin", "/home/ann/Library/Application Support/bascule"),
        ({"XDG_STATE_HOME": "/s"}, "darwin", "/s/bascule"),
        ({"XDG_STATE_HOME": "s"}, "linux", "/home/ann/.local/state/bascule"),
    ],
)
def test_the_state_is_where_the_system_keeps_it(env: dict[str, str], platform: str, folder: str) -> None:
    assert state_folder({**HOME, **env}, platform=platform) == Path(folder)


def test_the_home_is_asked_of_the_system_where_no_variable_tells() -> None:
    assert state_folder({}, platform="linux") == Path.home() / ".local/state/bascule"
