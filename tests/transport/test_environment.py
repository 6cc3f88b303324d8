"""What the CLI gets of our environment."""

import pytest

from bascule.errors import OptionError
from bascule.transport.environment import OURS, environment

PARENT = {
    "PATH": "/bin",
    "HOME": "/home/ada",
    "LC_ALL": "C",
    "XDG_RUNTIME_DIR": "/run/user/1",
    "HTTPS_PROXY": "http://proxy",
    "CLAUDE_CONFIG_DIR": "/c",
    "TELEGRAM_TOKEN": "secret",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "ANTHROPIC_API_KEY": "secret",
    "ANTHROPIC_BASE_URL": "http://elsewhere",
    "LD_PRELOAD": "/evil.so",
    "NODE_OPTIONS": "--require /evil.js",
    "CLAUDECODE": "1",
    "MY_TOOL": "yes",
}


def test_L112_what_is_not_on_the_list_does_not_pass() -> None:
    assert environment(PARENT) == {
        "PATH": "/bin",
        "HOME": "/home/ada",
        "LC_ALL": "C",
        "XDG_RUNTIME_DIR": "/run/user/1",
        "HTTPS_PROXY": "http://proxy",
        "CLAUDE_CONFIG_DIR": "/c",
        **OURS,
    }


def test_names_that_are_asked_for_pass_when_there() -> None:
    env = environment(PARENT, passed=iter(["MY_TOOL", "NOT_THERE"]))
    assert env["MY_TOOL"] == "yes"
    assert "NOT_THERE" not in env


def test_the_api_key_passes_only_when_paying_by_key_is_asked_for() -> None:
    assert "ANTHROPIC_API_KEY" not in environment(PARENT, passed=["ANTHROPIC_API_KEY"])
    assert environment(PARENT, use_api_key=True)["ANTHROPIC_API_KEY"] == "secret"
    assert "ANTHROPIC_API_KEY" not in environment({}, use_api_key=True)
    assert environment({}, given={"ANTHROPIC_API_KEY": "given"})["ANTHROPIC_API_KEY"] == "given"


def test_what_is_given_wins_over_all_else() -> None:
    env = environment(PARENT, given={"PATH": "/mine", "CLAUDE_CODE_ENTRYPOINT": "other"})
    assert env["PATH"] == "/mine"
    assert env["CLAUDE_CODE_ENTRYPOINT"] == "other"


def test_ours_wins_over_the_parents() -> None:
    name = "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS"
    assert environment({name: "0"}, passed=[name])[name] == "1"


@pytest.mark.parametrize("name", ["", "A=B", "A B", "1A", "A\0", "LC_*"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(OptionError, match="env"):
        environment(PARENT, passed=[name])
    with pytest.raises(OptionError, match="env"):
        environment(PARENT, given={name: "x"})


def test_a_value_with_nul_is_refused_and_not_repeated() -> None:
    with pytest.raises(OptionError, match="TOKEN") as caught:
        environment(PARENT, given={"TOKEN": "hunter2\0"})
    assert "hunter2" not in str(caught.value)
