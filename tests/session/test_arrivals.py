"""What a workspace brings while a session runs: nothing more runs, and the session ends."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from bascule.errors import SessionClosed
from bascule.events import Notice, SessionEnded
from bascule.recording import Noticed
from bascule.session.admission import acceptances, unaccepted
from bascule.session.arrivals import Arrivals
from bascule.session.options import Options
from tests.session.far_end import FarEnd
from tests.session.live import live, seen
from tests.session.test_granted import verdict_on, working

HOOK = {"hooks": {"PermissionRequest": [{"hooks": [{"type": "command", "command": "echo yes"}]}]}}


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    (tmp_path / "work" / ".claude" / "skills").mkdir(parents=True)
    return tmp_path / "work"


def brings(work: Path, name: str = ".claude/settings.json", said: Any = HOOK) -> Path:
    path = work / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(said if isinstance(said, str) else json.dumps(said))
    return path


def env(work: Path) -> dict[str, str]:
    return {"HOME": str(work.parent / "home")}


def arrivals(work: Path, *argv: str, **options: Any) -> Arrivals:
    noted: list[Noticed] = []
    found = Arrivals(Options(cwd=work, **options), env(work), lambda: argv, noted.append)
    assert found.look() is None
    return found


def age(*paths: Path) -> None:
    """As if they had been written long ago: what was just written may be written again without a sign."""
    for path in paths:
        os.utime(path, (1, 1))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (".claude/settings.json", HOOK),
        (".claude/settings.local.json", {"apiKeyHelper": "x"}),
        (".mcp.json", {"mcpServers": {"evil": {"command": "x"}}}),
        ("../.mcp.json", {"mcpServers": {"evil": {"command": "x"}}}),
        (".claude/skills/deep/SKILL.md", "!`x`"),
        (".claude/agents/evil.md", "---\n'hooks': x\n---\n"),
    ],
)
def test_what_appears_is_told_with_what_to_do(name: str, said: Any, work: Path) -> None:
    age(work / ".claude" / "skills")
    found = arrivals(work)
    assert found.look() is None
    brings(work, name, said)
    told = found.look()
    assert told is not None
    assert name in told
    assert told.endswith("To see and accept it: bascule trust; then resume the session")


def test_what_was_there_once_may_have_been_taken_up_for_good(work: Path) -> None:
    found = arrivals(work)
    path = brings(work)
    told = found.look()
    path.unlink()
    assert found.look() == told


def test_what_was_accepted_is_expected_until_it_changes_or_is_taken_back(work: Path) -> None:
    brings(work)
    acceptances().accept(work, unaccepted(Options(cwd=work), env(work)))
    for change in (lambda: brings(work, said={"env": {}}), lambda: acceptances().revoke(work)):
        brings(work)
        found = arrivals(work)
        change()
        assert found.look() is not None


def test_what_speaks_only_may_come(work: Path) -> None:
    found = arrivals(work)
    brings(work, said={"permissions": {"deny": ["Read"]}})
    brings(work, ".claude/skills/kind/SKILL.md", "---\nname: kind\n---\n")
    assert found.look() is None


def test_many_things_are_told_shortly(work: Path) -> None:
    found = arrivals(work)
    brings(work, said={f"key{number}": "x" for number in range(9)})
    assert "6 more" in str(found.look())


def test_what_was_accepted_must_be_known(work: Path) -> None:
    found = arrivals(work)
    brings(work.parent, "home/bascule/trust.json", "{")
    brings(work)
    assert "cannot be known" in str(found.look())


@pytest.mark.parametrize(
    ("argv", "options"),
    [
        (("claude", "--setting-sources=user"), {}),
        (("claude", "--setting-sources="), {}),
        ((), {"setting_sources": ("user",)}),
        (("claude",), {"trust": "all"}),
        (("claude", "--setting-sources=user"), {"trust": "none"}),
    ],
)
def test_what_the_cli_does_not_read_or_everybody_trusts_may_come(
    argv: tuple[str, ...], options: dict[str, Any], work: Path
) -> None:
    found = arrivals(work, *argv, **options)
    brings(work)
    assert found.look() is None


def test_the_process_tells_better_than_the_options_what_it_reads(work: Path) -> None:
    found = arrivals(work, "claude", "--setting-sources=user,project", setting_sources=("user",))
    brings(work)
    assert found.look() is not None


async def test_calls_are_denied_with_the_reason_and_the_session_ends_with_a_notice(work: Path) -> None:
    far = FarEnd()
    async with working(far, cwd=work, policy="bypassPermissions", rules=()) as session:
        brings(work)
        assert await verdict_on(far, "t1", "Bash", command="ls") == "deny"
        told = await seen(session, Notice, lambda event: "nobody has accepted" in event.text)
        assert "PermissionRequest: echo yes" in told.text
        await seen(session, SessionEnded)


async def test_a_prompt_is_refused(work: Path) -> None:
    far = FarEnd()
    async with live(far, cwd=work) as session:
        brings(work)
        with pytest.raises(SessionClosed, match="bascule trust"):
            await session.prompt("Go")
        assert far.of("user") == []
        assert "nobody has accepted" in (await seen(session, Notice)).text


async def test_a_session_at_rest_ends_by_itself(work: Path) -> None:
    far = FarEnd()
    async with live(far, cwd=work) as session:
        brings(work)
        await seen(session, SessionEnded)
        with pytest.raises(SessionClosed):
            await session.prompt("Go")


async def test_an_ask_is_denied_where_the_cli_governs(work: Path) -> None:
    far = FarEnd()
    async with working(far, cwd=work, policy="manual") as session:
        brings(work)
        far.asks("r1", "Bash", command="ls")
        answer = await far.answered("r1")
        assert answer["response"]["behavior"] == "deny"
        assert "nobody has accepted" in answer["response"]["message"]
        await seen(session, SessionEnded)
