"""What a call reads, writes, deletes, runs and fetches."""

from typing import Any

import pytest

from bascule.payload import Mark
from bascule.tools import Facts, facts, marks, suggestions, with_paths
from bascule.tools.names import aliases


def bash(command: str) -> Facts:
    return facts("Bash", {"command": command})


@pytest.mark.parametrize(
    ("name", "tool_input", "expected"),
    [
        ("Read", {"file_path": "/w/a"}, {"reads": ("/w/a",)}),
        ("Write", {"file_path": "a"}, {"writes": ("a",)}),
        ("Edit", {"file_path": "a"}, {"writes": ("a",)}),
        ("NotebookEdit", {"notebook_path": "a.ipynb"}, {"writes": ("a.ipynb",)}),
        ("Edit", {}, {}),
        ("Grep", {"pattern": "/etc", "path": "src"}, {"reads": ("src",)}),
        ("Grep", {"pattern": "x"}, {"reads": (".",)}),
        ("Glob", {"pattern": "**/*.py"}, {"reads": (".", "./**/*.py")}),
        ("Glob", {"pattern": "/etc/*"}, {"reads": (".", "/etc/*")}),
        ("Glob", {"pattern": "a/../../*", "path": "src"}, {"reads": ("src", "src/a/../../*")}),
        ("Grep", {"pattern": "x", "glob": "*.py,~/*.md {a,b}"}, {"reads": (".", "./*.py,~/*.md {a,b}")}),
        ("Grep", {"pattern": "x", "glob": "*.py,~/*.md c"}, {"reads": (".", "./*.py", "~/*.md", "./c")}),
        ("Glob", {"pattern": "~/*"}, {"reads": (".", "~/*")}),
        ("WebFetch", {"url": "https://A.example/x"}, {"urls": ("https://A.example/x",), "hosts": ("a.example",)}),
        ("WebSearch", {"query": "x"}, {}),
        ("Agent", {"subagent_type": "Explore"}, {"agent": "Explore"}),
        ("Task", {}, {}),
        ("BashOutput", {"bash_id": "b"}, {}),
        ("TodoWrite", {"todos": []}, {}),
        ("mcp__git__log", {"path": "/etc"}, {}),
        ("Unknown", 5, {}),
    ],
)
def test_a_call_tells_what_it_touches(name: str, tool_input: Any, expected: dict[str, Any]) -> None:
    assert facts(name, tool_input) == Facts(tool=name, input=tool_input, **expected)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://example.com:80/", "example.com"),
        ("https://example.com.", "example.com"),
        ("http://[::1]/", "::1"),
        ("https://good.example@evil.example/", ""),
        ("https://good.example\\@evil.example/", ""),
        ("https://go%6fd.example/", ""),
        ("https://g\u043e\u043ed.example/", ""),
        ("https://good.example\n/", ""),
        ("http://[bad/", ""),
        ("no address", ""),
    ],
)
def test_a_host_that_reads_in_two_ways_is_none(url: str, host: str) -> None:
    assert facts("WebFetch", {"url": url}).hosts == (host,)


@pytest.mark.parametrize(
    ("command", "reads", "writes", "deletes"),
    [
        ("cat a b", ("a", "b"), (), ()),
        ("rm -rf a b", (), (), ("a", "b")),
        ("touch a", (), ("a",), ()),
        ("cp a b", ("a",), ("b",), ()),
        ("cp -t b a", (), ("b", "a"), ()),
        ("mv a b", (), ("b",), ("a",)),
        ("dd if=a of=/b", (), ("if=a", "a", "of=/b", "/b"), ()),
        ("sed -i s/a/b/ c", (), ("s/a/b/", "c"), ()),
        ("sed -n 1p c", ("1p", "c"), (), ()),
        ("ls > out < in 2>&1 2> /dev/null", ("in",), ("out",), ()),
        ("gcc -I/usr/include -L~/lib -O2 --sysroot=/opt --help=", ("/usr/include", "~/lib", "/opt"), (), ()),
        ("curl https://example.com/a", (), (), ()),
        ("ls a=", ("a=",), (), ()),
        ("git show HEAD:a", ("show", "HEAD:a", "HEAD", "a"), (), ()),
        ("git rm a", (), (), ("rm", "a")),
        ("git mv a b", (), ("b",), ("mv", "a")),
        ("curl -d@a file:///b -F x=@c", ("@a", "a", "file:///b", "file", "///b", "x=@c", "c"), (), ()),
        ("cat https://a/b", ("https://a/b",), (), ()),
        ("tar -xvf/a", ("vf/a", "/a"), (), ()),
        ("git format-patch -o..", ("format-patch", ".."), (), ()),
        ("cp a b --backup=c", ("a", "c"), ("b",), ()),
        ("ls a; ls a", ("a",), (), ()),
        ("cat ''", (), (), ()),
        ("./run.sh a", ("./run.sh", "a"), (), ()),
        ("uniq a b", ("a",), ("b",), ()),
        ("{ ls; } > out", (), ("out",), ()),
    ],
)
def test_the_arguments_of_commands_could_be_files(
    command: str, reads: tuple[str, ...], writes: tuple[str, ...], deletes: tuple[str, ...]
) -> None:
    found = bash(command)
    assert (found.reads, found.writes, found.deletes) == (reads, writes, deletes)


@pytest.mark.parametrize(
    ("command", "handed"),
    [("cat a", ()), ("pytest --x=a b", ("a", "b")), ("git add a", ()), ("git apply a", ("apply", "a"))],
)
def test_what_a_program_may_do_more_with_than_read_is_told(command: str, handed: tuple[str, ...]) -> None:
    assert bash(command).handed == handed


def test_behind_a_cd_paths_are_told_from_both_folders() -> None:
    found = bash("cd /etc && rm passwd /tmp/x > out")
    assert found.deletes == ("passwd", "/tmp/x", "/etc/passwd")
    assert found.writes == ("out", "/etc/out")
    assert found.reads == ("/etc",)
    assert bash("cd && rm x").deletes == ("x", "~/x")
    assert bash("cd a/; cd b; rm x").deletes == ("x", "a/x", "a/b/x")
    assert bash("cd a && tar xf /b.tar").fills == (".", "a/.")


def test_a_command_tells_its_addresses() -> None:
    found = bash("curl -s https://example.com/x 'see http://127.0.0.1:8/y'")
    assert found.urls == ("https://example.com/x", "http://127.0.0.1:8/y")
    assert found.hosts == ("example.com", "127.0.0.1")
    monitor = facts("Monitor", {"ws": {"url": "wss://example.com/feed"}})
    assert monitor.urls == ("wss://example.com/feed",)


def test_a_line_is_allowable_if_each_of_its_commands_is() -> None:
    assert bash("git status && ls").allowable
    assert not bash("git status && ls *").allowable
    assert not bash("echo 'a").allowable
    assert not bash("").allowable
    assert bash("echo 'a").parsed is False


def test_the_whole_command_counts_however_long_it_is() -> None:
    command = "ls " + "x" * 60_000 + " ; rm -rf y"
    assert bash(command).command == command
    assert not bash(command).allowable


def test_powershell_is_another_language() -> None:
    found = facts("PowerShell", {"command": "ls"})
    assert (found.parsed, found.allowable, found.command) == (False, False, "ls")


def test_paths_are_resolved_by_somebody_else() -> None:
    found = with_paths(bash("rm a > b < c"), lambda path: f"/w/{path}")
    assert (found.reads, found.writes, found.deletes) == (("/w/c",), ("/w/b",), ("/w/a",))
    assert with_paths(bash("git pull"), lambda path: f"/w/{path}").fills == ("/w/.",)
    assert found.commands[0].words == ("rm", "a")


def test_a_list_that_names_task_means_agent() -> None:
    assert aliases("Agent") == ("Agent", "Task")
    assert aliases("Task") == ("Task", "Agent")
    assert aliases("Bash") == ("Bash",)


@pytest.mark.parametrize(
    ("name", "tool_input", "prints"),
    [
        ("Grep", {"pattern": "x"}, False),
        ("Grep", {"pattern": "x", "output_mode": "files_with_matches"}, False),
        ("Grep", {"pattern": "x", "output_mode": "count"}, False),
        ("Grep", {"pattern": "x", "output_mode": "content"}, True),
        ("Grep", {"pattern": "x", "output_mode": ["content"]}, True),
        ("Glob", {"pattern": "x", "output_mode": "content"}, False),
    ],
)
def test_a_search_that_shows_lines_of_files_says_so(name: str, tool_input: Any, prints: bool) -> None:
    assert facts(name, tool_input).prints is prints


@pytest.mark.parametrize(
    ("pattern", "blind"),
    [
        ("*.py", False),
        ("src/*.{ts,tsx}", False),
        ("src/**/*.py", False),
        ("l?/passwd", True),
        ("{a,ln/passwd}", True),
        ("l[n]/x", True),
        ("l\\n/x", True),
        ("@(ln)/x", True),
        ("**/ln/x", True),
    ],
)
def test_a_wildcard_before_the_last_name_may_lead_anywhere(pattern: str, blind: bool) -> None:
    assert facts("Glob", {"pattern": pattern}).blind is blind
    assert not facts("Grep", {"pattern": "x", "glob": pattern}).blind


@pytest.mark.parametrize(
    ("given", "unsandboxed"), [(True, True), ("yes", True), (0, False), (False, False), (None, False)]
)
def test_a_command_that_asks_out_of_the_sandbox_is_in_doubt(given: Any, unsandboxed: bool) -> None:
    found = facts("Bash", {"command": "make", "dangerouslyDisableSandbox": given})
    assert (found.unsandboxed, found.allowable) == (unsandboxed, not unsandboxed)
    assert bool(suggestions(found)) is not unsandboxed
    assert (Mark(mark="outside sandbox", grave=True) in marks(found, None)) is unsandboxed


def test_a_rule_on_edit_or_read_speaks_of_the_whole_family() -> None:
    assert [aliases(name) for name in ("Write", "Grep", "Edit")] == [("Write", "Edit"), ("Grep", "Read"), ("Edit",)]
