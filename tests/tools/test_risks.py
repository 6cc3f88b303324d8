"""Marks: which risks a call has, how grave, and where they stand."""

from typing import Any

import pytest

from bascule.payload import Mark, Part
from bascule.tools import facts, marks, parts

CWD = "/home/dev/project"


def marked(command: str) -> list[tuple[str, str | None]]:
    """The risks of a command, grave ones with an exclamation mark, and the text they stand at."""
    return [
        (f"{mark.mark}!" if mark.grave else mark.mark, None if mark.start is None else command[mark.start : mark.end])
        for mark in marks(facts("Bash", {"command": command}), CWD)
    ]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git status", []),
        ("rm x", [("delete", "rm")]),
        ("rm -rf x", [("delete!", "rm")]),
        ("rm -f -R x", [("delete!", "rm")]),
        ("rm --recursive x", [("delete!", "rm")]),
        ("/bin/rm -r x", [("delete!", "/bin/rm")]),
        ("git clean -xdf", [("delete!", "git")]),
        ("git clean -n", [("delete", "git")]),
        ("git reset --hard HEAD~1", [("delete!", "git")]),
        ("git checkout -- .", [("delete", "git")]),
        ("git checkout main", []),
        ("git branch -D x", [("delete", "git")]),
        ("git branch -d x", []),
        ("find . -name x -delete", [("delete", "find")]),
        ("dd of=x", [("delete!", "dd")]),
        ("sudo ls", [("sudo!", "sudo")]),
        ("sudo -u root rm -r x", [("sudo!", "sudo"), ("delete!", "rm")]),
        ("su - -c 'rm x'", [("sudo!", "su"), ("delete", "'rm x'")]),
        ("curl example.com", [("network", "curl")]),
        ("git fetch", [("network", "git")]),
        ("open https://example.com", [("network", "https://example.com")]),
        ("curl http://127.0.0.1:1/", [("network", "curl"), ("network", "http://127.0.0.1:1/"), ("network!", None)]),
        ("npm install x", [("install", "npm")]),
        ("pip3 install x", [("install", "pip3")]),
        ("python -m pip install x", [("install", "python")]),
        ("npx x", [("install", "npx")]),
        ("git push", [("network", "git"), ("git push/force", "git")]),
        ("git push -f", [("network", "git"), ("git push/force!", "git")]),
        ("git push --force-with-lease=x", [("network", "git"), ("git push/force!", "git")]),
        ("git push origin +main", [("network", "git"), ("git push/force!", "git")]),
        ("git push origin :main", [("network", "git"), ("git push/force!", "git")]),
        ("psql -c 'select 1'", [("database", "psql")]),
        ("psql -c 'DROP TABLE x'", [("database!", "psql")]),
        ("redis-cli flushall", [("database!", "redis-cli")]),
        ("dropdb x", [("database!", "dropdb")]),
        ("npx prisma migrate reset", [("install", "npx"), ("database", "prisma")]),
        ("cat .env", [("secrets path!", ".env")]),
        ("cat .env.example", []),
        ("cat .env.local", [("secrets path!", ".env.local")]),
        ("cat ~/.ssh/config", [("secrets path!", "~/.ssh/config"), ("outside workspace", "~/.ssh/config")]),
        ("cat deploy/server.key", [("secrets path!", "deploy/server.key")]),
        ("ls environment keys monkey.py", []),
        ("cat ../x", [("outside workspace", "../x")]),
        ("cat src/../x", []),
        ("cat /home/dev/project/x", []),
        ("cat /home/dev/projects", [("outside workspace", "/home/dev/projects")]),
        ("cat $HOME/x", []),
        ("gcc -I/usr/include x", [("outside workspace", "-I/usr/include")]),
        ("ls > ~/.bashrc", [("outside workspace", "> ~/.bashrc"), ("runs later!", None)]),
        ("ls > /dev/null", []),
        ("{ ls; } > /etc/x", [("outside workspace", None)]),
        ("bash -c 'rm -rf x; git push'", [
            ("delete!", "'rm -rf x; git push'"),
            ("network", "'rm -rf x; git push'"),
            ("git push/force", "'rm -rf x; git push'"),
        ]),
        ("xargs rm", [("delete", "rm")]),
        ("bash x", []),
        ("rm x; rm y", [("delete", "rm"), ("delete", "rm")]),
    ],
)  # fmt: skip
def test_risks_stand_where_they_are(command: str, expected: list[tuple[str, str | None]]) -> None:
    assert marked(command) == expected


def test_a_line_that_was_not_parsed_is_looked_through_word_by_word() -> None:
    assert marked("echo 'a; (sudo rm -rf /etc)") == [
        ("unparsed", "echo 'a; (sudo rm -rf /etc)"),
        ("sudo!", "sudo"),
        ("outside workspace", "/etc"),
        ("delete!", "rm"),
    ]
    assert marked("") == [("unparsed", "")]


@pytest.mark.parametrize(
    ("name", "tool_input", "expected"),
    [
        ("Edit", {"file_path": f"{CWD}/a"}, ()),
        ("Edit", {"file_path": "/etc/passwd"}, (Mark(mark="outside workspace"),)),
        ("Read", {"file_path": f"{CWD}/.env"}, (Mark(mark="secrets path", grave=True),)),
        ("WebFetch", {"url": "https://example.com"}, (Mark(mark="network"),)),
        ("WebFetch", {"url": "http://localhost:80"}, (Mark(mark="network", grave=True),)),
        ("WebFetch", {"url": "http://2130706433/"}, (Mark(mark="network", grave=True),)),
        ("WebFetch", {"url": "http://[::1]/"}, (Mark(mark="network", grave=True),)),
        ("WebFetch", {"url": "http://10.0.0.1/"}, (Mark(mark="network", grave=True),)),
        ("WebFetch", {"url": "http://a@example.com"}, (Mark(mark="network", grave=True),)),
        ("TodoWrite", {}, ()),
    ],
)
def test_calls_without_a_command_are_marked_as_a_whole(name: str, tool_input: Any, expected: tuple[Mark, ...]) -> None:
    assert marks(facts(name, tool_input), CWD) == expected
    assert parts(facts(name, tool_input), CWD) == ()


def test_without_a_folder_only_a_home_is_outside() -> None:
    found = marks(facts("Bash", {"command": "cat /etc/x ~/y"}), None)
    assert found == (Mark(mark="outside workspace", start=11, end=14),)


def test_each_simple_command_is_a_part_with_its_own_risks() -> None:
    assert parts(facts("Bash", {"command": "git status && rm -r x"}), CWD) == (
        Part(text="git status", start=0, end=10),
        Part(text="rm -r x", start=14, end=21, marks=(Mark(mark="delete", grave=True, start=14, end=16),)),
    )


def test_a_part_of_odd_characters_can_be_shown() -> None:
    (part,) = parts(facts("Bash", {"command": "echo \ud83d" + "x" * 60_000}), CWD)
    assert part.text.startswith("echo \ufffdxxx")
    assert (len(part.text), part.end) == (50_000, 60_006)


def test_many_words_behind_a_runner_are_not_all_looked_at() -> None:
    assert len(marks(facts("Bash", {"command": "sudo " + "rm " * 200}), CWD)) == 20
