"""No allow without a rule that says every program that bash then runs: what bash really runs is the oracle.

Only lines that the rules allowed are run, in a folder of their own, with an environment of their own. PATH is
nowhere and bash's builtins are switched off, so that whatever a line would start is not found; a function then writes
its words down. Nothing but redirections happens, and where those wrote is looked at too.
"""

import shlex
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bascule.policy.chain import judge
from bascule.policy.policies import Policy
from bascule.policy.rules import Rule
from bascule.policy.verdict import Allow
from bascule.session.facts import ground
from bascule.tools.shell import parse
from tests.policy import lines
from tests.policy.calls import WORKSPACE
from tests.tools.test_agreement import BASH, needs_bash

RECORD: Final = """
command_not_found_handle() { enable printf; printf '%s\\0' "$@" >"$CALLS/$BASHPID"; return "$STATUS"; }
for each in $(compgen -b); do
  case $each in enable|return) ;; *) enable -n "$each" ;; esac
done
"""

USUAL: Final = lines.rules("usual")
POLICIES: Final = lines.policies()


class Place(NamedTuple):
    """A home with a workspace in it, and a folder that takes down what is run."""

    home: Path
    calls: Path

    @property
    def workspace(self) -> Path:
        return self.home / "app"

    def allows(self, policy: Policy, line: str) -> bool:
        """Whether the policy allows the line here, where paths are looked up for real."""
        call = ground(self.workspace, {"HOME": str(self.home)}).call("Bash", {"command": line}, cwd=None)
        return isinstance(judge(policy, call, mode="default", attended=True, now=lines.NOW), Allow)

    def run(self, line: str, status: int) -> set[tuple[str, ...]]:
        """The words of each program that bash starts for `line` when each of them ends with `status`."""
        subprocess.run(
            [*BASH, "-c", RECORD + line],
            check=False,  # of what was not found, mostly
            cwd=self.workspace,
            env={
                "PATH": "/nowhere",
                "HOME": str(self.home),
                "CALLS": str(self.calls),
                "STATUS": str(status),
                "LC_ALL": "C.UTF-8",
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=10,
        )
        return set(self._take())

    def _take(self) -> Iterator[tuple[str, ...]]:
        for call in self.calls.iterdir():
            yield tuple(call.read_bytes().decode().split("\0")[:-1])
            call.unlink()

    def untouchable(self) -> dict[Path, bytes]:
        """What no line may have changed: all that is outside of the workspace, and what runs later."""
        inside = (self.workspace / ".git", self.workspace / ".claude")
        return {
            path: path.read_bytes() if path.is_file() else b""
            for path in self.home.rglob("*")
            if not path.is_relative_to(self.workspace) or any(map(path.is_relative_to, inside))
        }


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("bash")
    made = Place(folder / "home", folder / "calls")
    for each in ("src", "logs", ".git/hooks", ".claude"):
        (made.workspace / each).mkdir(parents=True)
    made.calls.mkdir()
    for each in ("src/app.py", ".env"):
        (made.workspace / each).touch()
    (made.home / ".bashrc").write_text("# as it was\n")
    (made.workspace / ".git" / "config").write_text("[core]\n")
    return made


def is_said(rules: Sequence[Rule], words: tuple[str, ...]) -> bool:
    """Whether an allow rule of the simple sort, words and maybe a star behind them, says these words."""
    said = (tuple(shlex.split(rule.match or "")) for rule in rules if rule.action == "allow")
    return any(words == one or (one[-1] == "*" and words[: len(one) - 1] == one[:-1]) for one in said)


def is_safe_to_run(line: str) -> bool:
    """No program is called by its path, so that bash looks for all of them where none are."""
    return not any("/" in command.words[0] for command in parse(line).commands)


def test_the_oracle_sees_what_bash_runs_and_writes(place: Place) -> None:
    before = place.untouchable()
    ran = place.run("cd src; X=rm; $X 'a b' | eval rm c; echo d > ../.bashrc > .git/hooks/x; false || kill 0", 1)
    assert ran == {("cd", "src"), ("rm", "a b"), ("eval", "rm", "c"), ("echo", "d"), ("false",), ("kill", "0")}
    after = place.untouchable()
    assert {path.name for path in after if before.get(path) != after[path]} == {".bashrc", "x"}
    (place.workspace / ".git" / "hooks" / "x").unlink()
    (place.home / ".bashrc").write_text("# as it was\n")


def test_the_oracle_knows_a_rule_that_says_it() -> None:
    assert is_said(USUAL, ("git", "status", "-s"))
    assert is_said(USUAL, ("make", "test"))
    assert not is_said(USUAL, ("make", "test", "x"))
    assert not is_said(USUAL, ("rm", "x"))
    assert not is_said(USUAL, ("git", "push"))


@needs_bash
@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", lines.RULES)
def test_of_an_allowed_line_bash_runs_nothing_else(name: str, place: Place) -> None:
    before = place.untouchable()
    allowed = [
        row.text.replace(WORKSPACE, str(place.workspace))
        for row in lines.rows()
        if getattr(row, name).startswith("allow ") and is_safe_to_run(row.text)
    ]
    assert [line for line in allowed if not place.allows(POLICIES[name], line)] == []
    for line in allowed:
        read = {at_home(command.words, place) for command in parse(line).commands}
        run = place.run(line, 0) | place.run(line, 1)
        assert run and run <= read, line
    assert place.untouchable() == before


def at_home(words: tuple[str, ...], place: Place) -> tuple[str, ...]:
    """`words` with their tildes as bash reads them."""
    return tuple(f"{place.home}{word[1:]}" if word == "~" or word.startswith("~/") else word for word in words)


ALLOWED: Final = [row.text for row in lines.rows() if row.usual.startswith("allow ")]
OTHERS: Final = [row.text for row in lines.rows() if row.times == 1 and not row.usual.startswith("allow ")]

pieces = st.sampled_from(ALLOWED) | st.sampled_from(ALLOWED) | st.sampled_from(OTHERS)
CONNECTORS: Final = ("; ", " && ", " || ", " | ", " |& ", "\n", ";\n", " &&\n", " \\\n&& ", " # \n", " & ", ";")
PLAIN: Final = (
    "{}",
    "{} ",
    " {}",
    "{};",
    "! {}",
    "{} # rm x",
    "{} 2>/dev/null",
    "{} > out.txt",
    "> out.txt {}",
    "CI=1 {}",
)
WRAPPERS: Final = (
    *("({})", "{{ {}; }}", "$({})", 'echo "$({})"', "`{}`", "ls <({})", "if true; then {}; fi", "f() {{ {}; }}; f"),
    *("eval '{}'", "sh -c '{}'", "sudo {}", "env {}", "time {}", "xargs {}", "PATH=. {}", "cat <<E\n{}\nE"),
    *("{} > ~/.bashrc", "{} > .git/hooks/x", "{} >> ../x", "{}\n> ../x", "cat <<< '{}'", '"{}"', "'{}'", "\\{}"),
    *("{} $X", "{} *", "{} ~", '{} "', "{} '", "{} {{a,b}}", "{} $'x'", "{}\r", "{}\u00a0x", "{}\u200b", "{}\\\n"),
)

connectors = st.sampled_from(CONNECTORS)
wrappers = st.sampled_from(PLAIN) | st.sampled_from(WRAPPERS)
composed = st.lists(st.tuples(wrappers, pieces), min_size=1, max_size=4).flatmap(
    lambda parts: st.lists(connectors, min_size=len(parts), max_size=len(parts)).map(
        lambda between: "".join(
            f"{connector if at else ''}{wrapper.format(piece)}"
            for at, (connector, (wrapper, piece)) in enumerate(zip(between, parts, strict=True))
        )
    )
)
allowed_ones = composed.filter(
    lambda line: isinstance(lines.verdict(POLICIES["usual"], line), Allow) and is_safe_to_run(line)
)


@needs_bash
@pytest.mark.timeout(120)
@settings(max_examples=150, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(line=allowed_ones, status=st.sampled_from([0, 1]))
def test_of_composed_lines_none_is_allowed_without_a_rule_for_each_program(
    line: str, status: int, place: Place
) -> None:
    line = line.replace(WORKSPACE, str(place.workspace))
    before = place.untouchable()
    ran = place.run(line, status)
    assert [words for words in ran if not is_said(USUAL, words)] == []
    assert place.untouchable() == before


@settings(max_examples=300, deadline=None)
@given(line=composed)
def test_a_composed_line_that_is_allowed_is_covered_part_by_part(line: str) -> None:
    if isinstance(lines.verdict(POLICIES["usual"], line), Allow):
        assert [words for words in (one.words for one in parse(line).commands) if not is_said(USUAL, words)] == []
