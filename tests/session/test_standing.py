"""Rules in files and grants from before the session: what is written, given or taken back holds from then on."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bascule.commands import AllowAlways, AllowOnce, Refused, Taken
from bascule.errors import OptionError
from bascule.events import Notice, PermissionRequest, PolicyDecided
from bascule.ids import GrantId, PendingId
from bascule.policy.grants import Grant, granted
from tests.session.far_end import FarEnd
from tests.session.live import back, hosted, live, seen

ALLOWS = '[[rule]]\naction = "allow"\ntool = "Bash"\nmatch = "make"\n'
DENIES = '[[rule]]\naction = "deny"\ntool = "Bash"\nmatch = "make"\n'


async def says(far: FarEnd, call: str, command: str = "make") -> str:
    """What our hook answers about a command."""
    told = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": call}
    far.calls_hook(f"h{call}", "bascule:policy", "PreToolUse", **told)
    answer = await far.answered(f"h{call}")
    return str(answer["response"]["hookSpecificOutput"]["permissionDecision"])


class Shelf:
    """Keeps grants in memory, as the store does in a file."""

    def __init__(self, *grants: Grant) -> None:
        self.grants = list(grants)
        self.damaged = ""
        self.uses: list[str] = []
        self.fails_to_count = False
        self.counted = asyncio.Event()

    def holding(self) -> Sequence[Grant]:
        if self.damaged:
            raise OptionError(self.damaged)
        return tuple(self.grants)

    async def keep(self, grant: Grant) -> None:
        self.grants.append(grant)

    async def used(self, grants: Sequence[Grant]) -> None:
        self.counted.set()
        if self.fails_to_count:
            raise ZeroDivisionError
        self.uses += [str(grant.rule) for grant in grants]

    async def revoke(self, grant: Grant) -> None:
        self.grants = [one for one in self.grants if one.rule.match != grant.rule.match]


MAKE = granted("Bash(make)", scope="user", by="Anna")


async def test_a_rule_file_holds_and_a_change_holds_from_the_next_call_on(tmp_path: Path) -> None:
    path, far = tmp_path / "rules.toml", FarEnd()
    async with live(far, rule_files=(path,)) as session:
        assert await says(far, "1") == "ask"
        path.write_text(ALLOWS)
        assert await says(far, "2") == "allow"
        path.write_text(DENIES)
        assert await says(far, "3") == "deny"
        notice = await seen(session, Notice)
        assert (notice.level, notice.text) == ("info", f"{path}: 1 rule (1 allow) from now on")
        decided = await seen(session, PolicyDecided)
        assert decided.rule == f"Bash(make) ({path}:1)"


async def test_a_file_that_breaks_allows_nothing_more_and_a_warning_says_where(tmp_path: Path) -> None:
    path, far = tmp_path / "rules.toml", FarEnd()
    path.write_text(ALLOWS + DENIES.replace("make", "rm *"))
    async with live(far, rule_files=(path,)) as session:
        assert await says(far, "1") == "allow"
        path.write_text(ALLOWS + "mach = 1")
        assert await says(far, "2") == "ask"
        assert await says(far, "3", "rm x") == "deny"
        warning = await seen(session, Notice, lambda notice: notice.level == "warning")
        assert warning.text.startswith(f"{path}:5:1: there is no key 'mach'; the nearest one is 'match'")


async def test_a_file_with_mistakes_lets_no_session_begin(tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text("[[rule")
    with pytest.raises(OptionError, match=r"rules.toml:1:7: no TOML"):
        async with live(FarEnd(), rule_files=(tmp_path / "rules.toml",)):
            pass


async def test_deny_rules_of_a_file_hold_where_the_cli_governs_too(tmp_path: Path) -> None:
    path, far = tmp_path / "rules.toml", FarEnd()
    path.write_text(DENIES)
    async with live(far, rule_files=(path,), policy="acceptEdits"):
        assert await says(far, "1") == "deny"


async def test_a_rule_file_is_a_place_that_no_rule_opens(tmp_path: Path) -> None:
    path, far = tmp_path / "mine.toml", FarEnd()
    path.write_text('[[rule]]\naction = "allow"\ntool = "*"\nwhere = "anywhere"\n')
    async with live(far, rule_files=(path,), cwd=tmp_path):
        assert await says(far, "1", "touch other.toml") == "allow"
        assert await says(far, "2", "touch mine.toml") == "ask"


async def test_a_grant_from_before_allows_and_its_use_is_told(tmp_path: Path) -> None:
    far, shelf = FarEnd(), Shelf(MAKE)
    async with live(far, kept_grants=shelf) as session:
        assert await says(far, "1") == "allow"
        assert (await seen(session, PolicyDecided)).rule == "Bash(make) (granted by Anna (user))"
        await shelf.counted.wait()
    assert shelf.uses == ["Bash(make)"]


async def test_a_grant_that_answers_an_ask_of_the_clis_is_used() -> None:
    far, shelf = FarEnd(), Shelf(MAKE)
    async with live(far, policy="acceptEdits", kept_grants=shelf):
        far.init()
        far.asks("r1", command="make", call="1")
        assert (await far.answered("r1"))["response"]["behavior"] == "allow"
        await shelf.counted.wait()
    assert shelf.uses == ["Bash(make)"]


@pytest.mark.parametrize("returns", [False, True], ids=["one host", "another host"])
async def test_a_grant_answers_no_ask_of_the_clis_from_another_folder(returns: bool) -> None:
    """The ask does not tell where the CLI stands, so the hook is registered for that alone."""
    far, shelf = FarEnd(), Shelf(MAKE)
    options: dict[str, Any] = {"policy": "manual", "kept_grants": shelf, "rule_files": ()}
    async with hosted(far, **options) as session:
        handle = await session.prompt("Go")
        far.begins(handle.prompt_id)
        told = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "1", "cwd": "/"}
        far.calls_hook("h1", "bascule:policy", "PreToolUse", **told)
        assert (await far.answered("h1"))["response"] == {}
        far.asks("r1", command="make", call="1")
        await seen(session, PermissionRequest)
    async with back(far, **options) as session:
        if returns:
            far.withdraws("r1")
            far.asks("r2", command="make", call="1")
            await seen(session, PermissionRequest, lambda event: event.pending_id == "r2")
        far.asks("r3", command="make", call="3")
        assert (await far.answered("r3"))["response"]["behavior"] == "allow"
        assert not far.answer("r2" if returns else "r1")
        assert await session.decide(PendingId("r2" if returns else "r1"), AllowOnce()) == Taken()
        far.result(handle.prompt_id)


@pytest.mark.parametrize("flag", ["requires_user_interaction", "suppress_always_allow_rule", "server_policy_ask_only"])
async def test_a_grant_answers_no_ask_that_is_for_a_person_alone(flag: str) -> None:
    far, shelf = FarEnd(), Shelf(MAKE)
    async with live(far, policy="manual", kept_grants=shelf) as session:
        far.init()
        asked = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "make"}, "tool_use_id": "1"}
        far.requests_of("r1", {**asked, flag: True})
        await seen(session, PermissionRequest)
        far.requests_of("r2", {**asked, flag: False})
        assert (await far.answered("r2"))["response"]["behavior"] == "allow"
        assert await session.decide(PendingId("r1"), AllowOnce()) == Taken()
        far.result()


async def test_a_grant_that_was_taken_back_elsewhere_holds_no_more(tmp_path: Path) -> None:
    far, shelf = FarEnd(), Shelf(MAKE)
    async with live(far, kept_grants=shelf):
        assert await says(far, "1") == "allow"
        shelf.grants.clear()
        assert await says(far, "2") == "ask"


async def always(far: FarEnd, session: Any, scope: Any) -> None:
    """A person allows `make` for longer."""
    far.init()
    far.asks("r1", command="make", call="0")
    await seen(session, PermissionRequest)
    taken = await session.decide(PendingId("r1"), AllowAlways(rule="Bash(make)", scope=scope), by="Anna")
    assert taken == Taken()


async def test_an_always_for_the_user_is_kept_and_ends_where_it_is_kept() -> None:
    far, shelf = FarEnd(), Shelf()
    async with live(far, keep_grant=shelf.keep, kept_grants=shelf) as session:
        await always(far, session, "user")
        assert [grant.by for grant in shelf.grants] == ["Anna"]
        assert await says(far, "1") == "allow"
        await shelf.counted.wait()
        shelf.grants.clear()
        assert await says(far, "2") == "ask"
    assert shelf.uses == ["Bash(make)"]


async def test_an_always_that_is_taken_back_in_the_session_is_kept_no_longer() -> None:
    far, shelf = FarEnd(), Shelf()
    async with live(far, keep_grant=shelf.keep, kept_grants=shelf) as session:
        await always(far, session, "project")
        assert await session.revoke(GrantId("g1"))
        assert (shelf.grants, await says(far, "1")) == ([], "ask")


async def test_an_always_that_is_kept_with_an_end_by_now_ends_here_too() -> None:
    """Another session gave it again, with an end; what was given here without one is that grant no more."""
    far, shelf = FarEnd(), Shelf()
    async with live(far, keep_grant=shelf.keep, kept_grants=shelf) as session:
        await always(far, session, "user")
        assert await says(far, "1") == "allow"
        shelf.grants = [granted("Bash(make)", scope="user", by="Bob", until=1)]
        assert await says(far, "2") == "ask"


async def test_an_always_for_the_session_needs_nobody_who_keeps_it() -> None:
    far, shelf = FarEnd(), Shelf()
    async with live(far, kept_grants=shelf) as session:
        await always(far, session, "session")
        assert (await says(far, "1"), shelf.grants, shelf.uses) == ("allow", [], [])
        assert await session.revoke(GrantId("g1"))
        assert await says(far, "2") == "ask"


async def test_grants_that_cannot_be_read_allow_nothing_and_it_is_told_once() -> None:
    far, shelf = FarEnd(), Shelf(MAKE)
    async with live(far, kept_grants=shelf) as session:
        shelf.damaged = "grants.json is damaged"
        assert [await says(far, call) for call in "12"] == ["ask", "ask"]
        shelf.damaged = ""
        assert await says(far, "3") == "allow"
    told = [event.text async for event in session.events() if isinstance(event, Notice)]
    assert told == ["grants.json is damaged; until then no grant from before this session holds"]


async def test_a_use_that_cannot_be_counted_is_a_use(caplog: pytest.LogCaptureFixture) -> None:
    far, shelf = FarEnd(), Shelf(MAKE)
    shelf.fails_to_count = True
    async with live(far, kept_grants=shelf):
        assert await says(far, "1") == "allow"
        await shelf.counted.wait()
        assert await says(far, "2") == "allow"
    assert "the use of Bash(make) could not be counted" in caplog.text


@pytest.mark.parametrize("always", [False, True])
async def test_an_edited_call_is_judged_by_the_rules_that_deny(tmp_path: Path, always: bool) -> None:
    path, far = tmp_path / "rules.toml", FarEnd()
    path.write_text(DENIES)
    async with live(far, rule_files=(path,), cwd=tmp_path) as session:
        far.init()
        far.asks("r1", "Bash", command="mkdir x")
        await seen(session, PermissionRequest)
        for command, why in (("make", "Bash(make)"), ("touch rules.toml", "bascule's own")):
            edited = {"command": command}
            decision = AllowAlways(rule="Bash(mkdir x)", input=edited) if always else AllowOnce(input=edited)
            refused = await session.decide(PendingId("r1"), decision)
            assert isinstance(refused, Refused)
            assert why in refused.reason
        assert far.answer("r1") is None
        assert await session.decide(PendingId("r1"), AllowOnce(input={"command": "mkdir y"})) == Taken()
        assert (await far.answered("r1"))["response"]["updatedInput"] == {"command": "mkdir y"}
        far.result()
