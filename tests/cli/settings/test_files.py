"""Configuration files: what they say, and each mistake with its place."""

from pathlib import Path

import pytest

from bascule.cli.settings.files import page_of, read

TEXT = """\
[claude]
model = "opus"
setting_sources = ["user"]

[policy]
stop_git_check = "pushed"
ask_timeout_s = 30

[projects."my app"]
path = "~/app"
"""


def test_what_a_file_says_comes_with_its_places() -> None:
    page = read(TEXT, "f", "user")
    assert page.mistakes == ()
    assert [(one.key, one.value, one.place) for one in page.said] == [
        (("claude", "model"), "opus", "f:2:1"),
        (("claude", "setting_sources"), ("user",), "f:3:1"),
        (("policy", "stop_git_check"), "pushed", "f:6:1"),
        (("policy", "ask_timeout_s"), 30.0, "f:7:1"),
        (("projects", "my app", "path"), "~/app", "f:10:1"),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[claude]\n  modle = "x"', "f:2:3: there is no key 'modle' in [claude]; the nearest one is 'model'"),
        ("[claud]", "f:1:1: there is no section 'claud'; the nearest one is 'claude'"),
        ("\nclaude = 1", "f:2:1: claude is a section: write [claude]"),
        ("[budget]\nturn_usd = 1", "f:1:1: [budget] is of a later version, and nothing obeys it yet: leave it out"),
        ("[[webhook_in]]\na = 1", "f:1:1: [webhook_in] is of a later version, and nothing obeys it yet: leave it out"),
        (
            "[store]\nbackup = 9",
            "f:2:1: store.backup is of a later version, and nothing obeys it yet: leave it out",
        ),
        ("[claude]\nuse_api_billing = 1", "f:2:1: claude.use_api_billing is 1; it must be true or false"),
        ('[claude]\nmodel = ["opus"]', "f:2:1: claude.model is ['opus']; it must be a text"),
        ('[claude]\nenv = "HOME"', "f:2:1: claude.env is 'HOME'; it must be a list of texts"),
        (
            '[claude]\nsetting_sources = ["usr"]',
            'f:2:1: claude.setting_sources is [\'usr\']; it must be a list of "user" or "project" or "local"',
        ),
        (
            '[claude]\nextra_args = ["-p"]',
            "f:2:1: claude.extra_args: extra_args: -p is refused: bascule speaks over these streams itself",
        ),
        ('[claude]\nenv = ["A=B"]', "f:2:1: claude.env: env: 'A=B' is no name of a variable"),
        ("[policy]\nask_timeout_s = 0", "f:2:1: policy.ask_timeout_s is 0; it must be a number of seconds above 0"),
        ("[policy]\nask_timeout_s = inf", "f:2:1: policy.ask_timeout_s is inf; it must be a number of seconds above 0"),
        (
            '[policy]\ndefault = "supervisd"',
            "f:2:1: policy.default: there is no policy 'supervisd'; did you mean 'supervised'?",
        ),
        (
            '[policy]\nstop_git_check = "pushd"',
            "f:2:1: policy.stop_git_check is 'pushd'; it must be true or false or \"pushed\"",
        ),
        ("[hub]\nport = 70000", "f:2:1: hub.port is 70000; it must be a whole number, 0 or more, 65535 at most"),
        ("[store]\nkeep_days = -1", "f:2:1: store.keep_days is -1; it must be a whole number, 0 or more"),
        (
            '[store]\npath = "bascule.db"',
            "f:2:1: store.path is 'bascule.db'; it must be a path that begins with / or ~",
        ),
        ('[projects.app]\nbase = "main"', 'f:1:1: a project names its folder: path = "/…"'),
        (
            '[projects.app]\npath = "/a"\npolicy = "plann"',
            "f:3:1: there is no policy 'plann'; did you mean 'plan'?",
        ),
        ('[projects.app]\npath = "/a"\nname = "b"', "f:3:1: there is no key 'name' in [projects.app]; the nearest"),
        ("projects = 1", "f:1:1: projects are written as [projects.NAME] tables"),
        ("[projects]\napp = 1", "f:2:1: projects.app is a section: write [projects.app]"),
        ("[claude]\nmodel = ", "f:2:9: no TOML: Invalid value"),
        ("[claude]\nmodel = 2026-01-01", "f:2:1: claude.model is datetime.date(2026, 1, 1); it must be a text"),
    ],
)
def test_a_mistake_is_told_with_its_place_and_what_would_do(text: str, told: str) -> None:
    [mistake] = read(text, "f", "user").mistakes
    assert mistake.startswith(told)


def test_every_mistake_is_told_and_what_is_right_beside_it_is_read() -> None:
    page = read('[claude]\nmodle = "x"\neffort = "high"\n[hub]\nprt = 1\n', "f", "user")
    assert [mistake.partition(": ")[0] for mistake in page.mistakes] == ["f:2:1", "f:5:1"]
    assert [one.key for one in page.said] == [("claude", "effort")]


def test_a_file_that_is_not_there_says_nothing(tmp_path: Path) -> None:
    assert page_of(tmp_path / "none" / "config.toml", "user") == ((), (), None)
    (tmp_path / "file").write_text("")
    assert page_of(tmp_path / "file" / "config.toml", "user").mistakes == ()


def test_a_file_that_cannot_be_read_is_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"[claude]\nmodel = '\xff'")
    assert page_of(path, "user").mistakes == (f"{path}:2:10: no UTF-8 text",)
    path.write_text("[claude]\n")
    path.chmod(0o666)
    assert page_of(path, "user").mistakes == (f"{path}: cannot be read: everybody may write to it: chmod o-w",)
    assert page_of(tmp_path, "user").mistakes[0].startswith(f"{tmp_path}: cannot be read: ")
