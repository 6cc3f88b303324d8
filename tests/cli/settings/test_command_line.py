"""What the options of a command say as settings."""

from pathlib import Path

import pytest

from bascule.cli.main import parser
from bascule.cli.settings.command_line import OPTIONS, given
from bascule.cli.settings.sections import Key
from bascule.errors import OptionError


def told(*line: str) -> dict[Key, object]:
    return {one.key: one.value for one in given(parser().parse_args(line))}


def test_what_was_not_given_says_nothing() -> None:
    assert told("run", "hi") == told("serve") == {}


def test_options_of_a_run_are_settings() -> None:
    line = "run --policy plan --model opus --cli x --use-api-key --pass-env A --pass-env B --turn-seconds 5 hi".split()
    assert told(*line) == {
        ("policy", "default"): "plan",
        ("claude", "model"): "opus",
        ("claude", "cli"): "x",
        ("claude", "use_api_billing"): True,
        ("claude", "env"): ("A", "B"),
        ("sessions", "turn_cap_s"): 5.0,
    }


def test_options_of_a_server_are_settings() -> None:
    line = "serve --port 0 --store here.db --allowed-host box.lan --idle-seconds never --max-live 3".split()
    assert told(*line) == {
        ("hub", "port"): 0,
        ("store", "path"): str(Path.cwd() / "here.db"),
        ("hub", "allowed_hosts"): ("box.lan",),
        ("sessions", "idle_sleep_s"): 0,
        ("sessions", "max_live"): 3,
    }


def test_what_is_given_several_times_adds_to_what_is_configured() -> None:
    assert [one.adds for one in given(parser().parse_args(["run", "--pass-env", "A", "--model", "x", "hi"]))] == [
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("run --policy yolo hi", "--policy: policy.default: there is no policy 'yolo'"),
        ("run --pass-env A=B hi", "--pass-env: claude.env: "),
        (
            "serve --idle-seconds soon",
            "--idle-seconds: sessions.idle_sleep_s is 'soon'; it must be a number",
        ),
        ("serve --port 70000", "--port: hub.port is 70000; it must be a whole number"),
    ],
)
def test_a_mistake_names_its_option(line: str, told: str) -> None:
    with pytest.raises(OptionError) as raised:
        given(parser().parse_args(line.split()))
    assert str(raised.value).startswith(told)


def test_every_option_is_one_of_a_command() -> None:
    there = {*vars(parser().parse_args(["run"])), *vars(parser().parse_args(["serve"]))}
    assert set(OPTIONS) <= there
