"""The rule files of a session: what they hold now, and what a person is told when they change."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from bascule.errors import OptionError
from bascule.session.rulebook import Rulebook, RuleFile, users_file

LONG_AGO = 1_700_000_000_000_000_000
RULES = """
[[rule]]
action = "allow"
tool = "Bash"
match = "ls"

[[rule]]
action = "deny"
tool = "Bash"
match = "rm *"
"""
DENIES = "Bash(rm *)"
ALLOWS = "Bash(ls)"


def write(path: Path, text: str | bytes, *, at: int = LONG_AGO) -> Path:
    """A file that was written so long ago that it can be taken for settled."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    os.utime(path, ns=(at, at))
    return path


def rules(book: Rulebook) -> list[str]:
    return [str(rule) for rule in book.rules]


def test_the_rules_of_all_files_count_with_their_places(tmp_path: Path) -> None:
    users, projects = write(tmp_path / "a.toml", RULES), write(tmp_path / "b.toml", RULES)
    book = Rulebook([RuleFile(users), RuleFile(projects)])
    assert rules(book) == [ALLOWS, DENIES, ALLOWS, DENIES]
    assert book.rules[3].source == f"{projects}:7"
    assert book.paths == (users, projects)


def test_a_file_that_is_not_there_has_no_rules_until_it_is(tmp_path: Path) -> None:
    book = Rulebook([RuleFile(tmp_path / "rules.toml")])
    assert (rules(book), book.look()) == ([], [])
    write(tmp_path / "rules.toml", RULES)
    [said] = book.look()
    assert (said.level, said.text) == ("info", f"{tmp_path}/rules.toml: 2 rules (1 allow, 1 deny) from now on")
    assert rules(book) == [ALLOWS, DENIES]


def test_a_file_that_did_not_change_is_not_read_again(tmp_path: Path) -> None:
    asked: list[bytes] = []

    def may_allow(content: bytes) -> bool:
        asked.append(content)
        return True

    book = Rulebook([RuleFile(write(tmp_path / "rules.toml", RULES), may_allow)])
    assert (book.look(), book.look(), len(asked)) == ([], [], 1)


def test_a_file_is_read_again_when_what_it_may_do_has_changed(tmp_path: Path) -> None:
    allowed: list[bool] = []
    ledger = tmp_path / "trust.json"
    book = Rulebook([RuleFile(write(tmp_path / "rules.toml", RULES), lambda _: bool(allowed), ledger)])
    assert rules(book) == [DENIES]
    allowed.append(True)
    assert book.look() == []
    write(ledger, "[]")
    [said] = book.look()
    assert (said.level, rules(book)) == ("info", [ALLOWS, DENIES])


def test_a_file_that_was_written_just_now_is_read_again(tmp_path: Path) -> None:
    """Two writings within one tick of the clock leave the same time, and here the same size."""
    path = tmp_path / "rules.toml"
    path.write_text(RULES)
    book = Rulebook([RuleFile(path)])
    times = path.stat()
    path.write_text(RULES.replace('"ls"', '"id"'))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert book.look() == []
    assert rules(book) == ["Bash(id)", DENIES]


def becomes_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def becomes_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


BREAKS: list[Callable[[Path], object]] = [
    lambda path: write(path, RULES + "mach = 1"),
    lambda path: write(path, "[[rule"),
    lambda path: write(path, b"\xff"),
    lambda path: write(path, " " * (2**20 + 1)),
    lambda path: path.chmod(0o666),
    Path.unlink,
    becomes_a_folder,
    becomes_a_pipe,
]


@pytest.mark.parametrize("breaks", BREAKS)
def test_what_breaks_or_vanishes_allows_nothing_and_denies_what_it_denied(
    breaks: Callable[[Path], object], tmp_path: Path
) -> None:
    path = write(tmp_path / "rules.toml", RULES)
    book = Rulebook([RuleFile(path)])
    breaks(path)
    [said] = book.look()
    assert said.level == "warning"
    assert said.text.startswith(str(path))
    assert "it allows nothing until it can be read" in said.text
    assert rules(book) == [DENIES]
    assert (book.look(), rules(book)) == ([], [DENIES])


def test_a_file_that_was_mended_counts_again(tmp_path: Path) -> None:
    path = write(tmp_path / "rules.toml", RULES)
    book = Rulebook([RuleFile(path)])
    write(path, "[[rule", at=LONG_AGO + 1)
    assert [said.level for said in book.look()] == ["warning"]
    write(path, RULES, at=LONG_AGO + 2)
    assert [said.level for said in book.look()] == ["info"]
    assert rules(book) == [ALLOWS, DENIES]


def test_a_file_with_mistakes_is_an_error_at_the_beginning(tmp_path: Path) -> None:
    files = [write(tmp_path / "a", RULES + "mach = 1"), write(tmp_path / "b", b"[x]\n \xff")]
    with pytest.raises(OptionError) as caught:
        Rulebook([RuleFile(path) for path in files])
    assert str(caught.value).split("\n") == [
        f"{files[0]}:11:1: there is no key 'mach'; the nearest one is 'match'",
        f"{files[1]}:2:2: no UTF-8 text",
    ]


def test_content_that_is_not_trusted_can_only_tighten(tmp_path: Path) -> None:
    path = write(tmp_path / "rules.toml", RULES)
    book = Rulebook([RuleFile(path, lambda content: content == RULES.encode())])
    assert rules(book) == [ALLOWS, DENIES]
    write(path, RULES + RULES)
    [said] = book.look()
    assert rules(book) == [DENIES, DENIES]
    assert said.text.endswith(
        "2 rules (2 deny) from now on; 2 that would allow count when the file is trusted (bascule trust)"
    )


def test_the_files_are_where_the_documentation_says() -> None:
    home = {"HOME": "/home/ann"}
    assert users_file(home) == Path("/home/ann/.config/bascule/rules.toml")
    assert users_file({**home, "XDG_CONFIG_HOME": "/c"}) == Path("/c/bascule/rules.toml")
    assert users_file({**home, "XDG_CONFIG_HOME": "c"}) == Path("/home/ann/.config/bascule/rules.toml")
    assert users_file({**home, "BASCULE_CONFIG": "/x/mine.toml"}) == Path("/x/rules.toml")
