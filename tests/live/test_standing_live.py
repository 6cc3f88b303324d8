"""Rules in files and grants in the store, while a session runs: on the fake CLI and on the real one."""

from pathlib import Path
from typing import Any

import pytest

from bascule.commands import AllowAlways, Decision
from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, call, say, turn
from bascule.events import GrantEnded, PermissionRequest, PolicyDecided
from bascule.session.judging import TRUSTED
from bascule.session.opening import open_session
from bascule.session.options import Options
from bascule.store.grants import Grants, GrantsHere
from tests.live.stage import bash, said
from tests.testing.driven import measured

MAKE = bash("touch made")
ALLOWS = '[[rule]]\naction = "allow"\ntool = "Bash"\nmatch = "touch *"\n'


def options(cli: Path, env: dict[str, str], model: ScriptedModel, folder: Path, **more: Any) -> Options:
    (folder / "work").mkdir(exist_ok=True)
    given = {**env, **measured(), "ANTHROPIC_BASE_URL": model.url}
    rest = {"rule_files": (), "stop_git_check": False, **more}
    return Options(cwd=folder / "work", cli=cli, env=given, **rest)


def taken(folder: Path) -> bool:
    """Whether the command ran; once for each time that it did."""
    made = folder / "work" / "made"
    found = made.exists()
    made.unlink(missing_ok=True)
    return found


async def test_a_rule_that_is_written_while_a_session_runs_holds_for_the_next_call(
    cli: Path, clean_env: dict[str, str], tmp_path: Path
) -> None:
    rules = tmp_path / "rules.toml"
    texts = ("", ALLOWS, ALLOWS.replace('"allow"', '"deny"'), ALLOWS + "mach = 1", ALLOWS)
    async with ScriptedModel(Script(*(turn(MAKE, say("Tried.")) for _ in texts))) as model:
        given = options(cli, clean_env, model, tmp_path, rule_files=(rules,), attended=False)
        ran = []
        async with open_session(given) as session:
            for text in texts:
                rules.write_text(text)
                await said(session, "Go")
                ran.append(taken(tmp_path))
    assert ran == [False, True, False, False, True]


@pytest.mark.parametrize("policy", ["bypassPermissions", "acceptEdits"])
async def test_a_deny_rule_that_is_written_while_a_session_runs_holds_where_the_cli_governs(
    cli: Path, clean_env: dict[str, str], tmp_path: Path, policy: str
) -> None:
    rules = tmp_path / "rules.toml"
    texts = ("", ALLOWS.replace('"allow"', '"deny"'), "")
    async with ScriptedModel(Script(*(turn(MAKE, say("Tried.")) for _ in texts))) as model:
        given = options(cli, clean_env, model, tmp_path, rule_files=(rules,), policy=policy)
        ran = []
        async with open_session(given) as session:
            for text in texts:
                rules.write_text(text)
                await said(session, "Go")
                ran.append(taken(tmp_path))
    decided = [event async for event in session.events() if isinstance(event, PolicyDecided)]
    assert [(event.verdict, event.rule) for event in decided] == [("deny", f"Bash(touch *) ({rules}:1)")]
    assert ran == [True, False, True]


async def test_what_trust_in_edits_covers_is_on_the_record_where_the_cli_governs(
    cli: Path, clean_env: dict[str, str], tmp_path: Path
) -> None:
    """A file that is written, and a command that the mode lets pass: each is asked about before and after."""
    written = call("Write", file_path=str(tmp_path / "work" / "made"), content="x")
    script = Script(*(turn(step, say("Tried.")) for step in (written, written, MAKE, bash("ls"), written)))
    ran = []
    async with ScriptedModel(script) as model:
        given = options(cli, clean_env, model, tmp_path, policy="manual", attended=False, rule_files=(tmp_path / "r",))
        async with open_session(given) as session:
            await said(session, "Go")
            ran.append(taken(tmp_path))
            grant_id = await session.trust(minutes=5)
            for _ in range(3):
                await said(session, "Go")
                ran.append(taken(tmp_path))
            assert await session.revoke(grant_id)
            await said(session, "Go")
            ran.append(taken(tmp_path))
    events = [event async for event in session.events()]
    assert ran == [False, True, True, False, False]
    assert [event.covered for event in events if isinstance(event, GrantEnded)] == [2]
    allowed = [event for event in events if isinstance(event, PolicyDecided) and event.verdict == "allow"]
    assert [event.reason for event in allowed] == [TRUSTED, TRUSTED]


async def test_an_always_holds_in_the_next_session_and_until_it_is_taken_back(
    cli: Path, clean_env: dict[str, str], tmp_path: Path
) -> None:
    grants = Grants(tmp_path / "state")
    here = GrantsHere(grants, tmp_path / "work", surface="test")
    asked: list[str] = []

    async def always(event: PermissionRequest) -> Decision:
        asked.append(event.title)
        return AllowAlways(rule="Bash(touch made)", scope="project")

    async with ScriptedModel(Script(*(turn(MAKE, say("Tried.")) for _ in range(4)))) as model:
        first = options(cli, clean_env, model, tmp_path, keep_grant=here.keep, kept_grants=here, on_ask=always)
        async with open_session(first) as session:
            await said(session, "Go")
        assert (taken(tmp_path), len(asked)) == (True, 1)
        later = options(cli, clean_env, model, tmp_path, kept_grants=here, attended=False)
        async with open_session(later) as session:
            await said(session, "Go")
            assert taken(tmp_path)
            [kept] = grants.all()
            grants.revoke(kept.id)
            await said(session, "Go")
            assert not taken(tmp_path)
    assert (kept.rule, kept.scope, kept.workspace) == ("Bash(touch made)", "project", str(tmp_path / "work"))
