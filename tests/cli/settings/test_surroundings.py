"""What the environment says."""

import pytest

from bascule.cli.settings.sections import Key
from bascule.cli.settings.surroundings import read_environment, variable
from bascule.cli.settings.values import known


@pytest.mark.parametrize(
    ("name", "text", "key", "value"),
    [
        ("BASCULE_CLAUDE_MODEL", "opus", ("claude", "model"), "opus"),
        ("BASCULE_CLAUDE_MODEL", "5", ("claude", "model"), "5"),
        ("BASCULE_CLAUDE_ENV", "A, B", ("claude", "env"), ("A", "B")),
        ("BASCULE_CLAUDE_ENV", "A", ("claude", "env"), ("A",)),
        ("BASCULE_CLAUDE_SETTING_SOURCES", "[]", ("claude", "setting_sources"), ()),
        ("BASCULE_CLAUDE_USE_API_BILLING", "true", ("claude", "use_api_billing"), True),
        ("BASCULE_POLICY_ASK_TIMEOUT_S", "1.5", ("policy", "ask_timeout_s"), 1.5),
        ("BASCULE_POLICY_STOP_GIT_CHECK", "pushed", ("policy", "stop_git_check"), "pushed"),
        ("BASCULE_POLICY_STOP_GIT_CHECK", "false", ("policy", "stop_git_check"), False),
        ("BASCULE_HUB_PORT", "0", ("hub", "port"), 0),
        ("BASCULE_STORE_PATH", "/x", ("store", "path"), "/x"),
    ],
)
def test_a_variable_says_a_setting(name: str, text: str, key: Key, value: object) -> None:
    [said] = read_environment({name: text}).said
    assert (said.key, said.value, said.origin, said.place) == (key, value, "environment", name)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("BASCULE_CLAUDE_MODLE", "x", "there is no key 'modle' in [claude]; the nearest one is 'model'"),
        ("BASCULE_CLAUD_MODEL", "x", "there is no such setting; did you mean BASCULE_CLAUDE_MODEL?"),
        ("BASCULE_BUDGET_TURN_USD", "1", "[budget] is of a later version"),
        ("BASCULE_STORE_BACKUP", "1", "store.backup is of a later version"),
        ("BASCULE_PROJECTS_APP_PATH", "/x", "projects stand in your configuration file only"),
        ("BASCULE_HUB_PORT", "many", "hub.port is 'many'; it must be a whole number"),
        ("BASCULE_HUB_PORT", "1\nx = 2", "hub.port is '1\\nx = 2'; it must be a whole number"),
        ("BASCULE_CLAUDE_USE_API_BILLING", "yes", "claude.use_api_billing is 'yes'; it must be true or false"),
        ("BASCULE_POLICY_DEFAULT", "yolo", "policy.default: there is no policy 'yolo'"),
    ],
)
def test_what_a_variable_cannot_say_is_a_mistake(name: str, text: str, told: str) -> None:
    page = read_environment({name: text})
    assert page.said == ()
    assert page.mistakes[0].startswith(f"{name}: {told}")


def test_what_is_empty_or_not_ours_says_nothing() -> None:
    others = {"BASCULE_CLAUDE_MODEL": "", "BASCULE_DEBUG": "1", "BASCULE_CONFIG": "/x", "BASCULE_HUB": "1", "HOME": "/"}
    others |= {"BASCULE_URL": "x", "BASCULE_TOKEN": "x", "BASCULE_PROCESS": "1"}
    assert read_environment(others) == ((), (), None)


def test_no_two_settings_have_one_name() -> None:
    assert len({variable(key) for key in known()}) == len(known())
