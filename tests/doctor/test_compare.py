"""Differences, by name and by weight."""

from typing import Any

import msgspec
import pytest

from bascule.doctor.catalogue import TRAITS, recorded
from bascule.doctor.compare import Difference, compared, differences
from bascule.doctor.findings import NEW, Findings
from bascule.doctor.traits import NEWEST, OLDEST
from bascule.doctor.variants import VARIANTS

KNOWN = recorded(NEWEST).findings()


def like_the_newest(**changes: Any) -> Findings:
    """A CLI that is as the newest tested one, but for this."""
    return msgspec.structs.replace(KNOWN, **changes)


def only(found: Findings) -> Difference:
    """The one difference."""
    (difference,) = differences(found, KNOWN)
    return difference


def told(difference: Difference) -> tuple[str, str, str, tuple[str, ...]]:
    return difference.about, difference.change, difference.weight, difference.names


def test_the_newest_version_does_not_differ_from_itself() -> None:
    assert compared(KNOWN) == ()


def test_the_older_version_differs_in_every_variant_and_in_nothing_graver() -> None:
    found = compared(recorded(OLDEST).findings())
    assert {name for each in found if each.about == "behaviour" for name in each.names} == {t.name for t in VARIANTS}
    assert {each.weight for each in found} == {"worth knowing", "harmless"}
    assert {each.like for each in found} == {(OLDEST,)}


@pytest.mark.parametrize(
    ("about", "change", "name"),
    [
        ("behaviour", "changed", "agent.default"),
        ("message", "missing", "command_lifecycle"),
        ("key", "missing", "assistant.user_message_uuids"),
        ("key", "missing", "result.result_index"),
        ("key", "missing", "result.origin"),
        ("key", "missing", "result.model_usage_since_last_result"),
        ("key", "missing", "user.tool_result_meta"),
        ("key", "missing", "system/init.capabilities"),
        ("key", "missing", "answer/interrupt.still_queued"),
        ("behaviour", "changed", "interrupt.receipt"),
        ("behaviour", "changed", "interrupt.drop"),
        ("behaviour", "changed", "ask.bare_allow"),
        ("behaviour", "changed", "stdin.bare_answer"),
        ("behaviour", "changed", "start.late_hooks"),
        ("behaviour", "changed", "start.session_hooks"),
        ("behaviour", "changed", "hook.deny_text"),
        ("behaviour", "changed", "retry.delay"),
        ("behaviour", "changed", "mode.unknown"),
        ("behaviour", "changed", "model.effect"),
        ("behaviour", "changed", "model.ack"),
        ("behaviour", "changed", "interrupt.stream"),
        ("key", "missing", "stream_event.abandoned_blocks"),
        ("key", "missing", "assistant.aborted"),
        ("behaviour", "changed", "error.reason"),
        ("behaviour", "changed", "resume.cost"),
        ("behaviour", "changed", "clear.cost"),
        ("behaviour", "changed", "resume.elsewhere"),
        ("behaviour", "changed", "command.unknown"),
        ("behaviour", "changed", "clear.line"),
        ("message", "missing", "conversation_reset"),
        ("behaviour", "changed", "plan.inline"),
        ("behaviour", "changed", "plan.launched"),
        ("tool", "new", "TaskCreate"),
        ("behaviour", "changed", "end.background"),
        ("behaviour", "changed", "end.term"),
        ("behaviour", "changed", "mcp.slow_start"),
        ("behaviour", "changed", "prompt.big"),
        ("mode", "missing", "manual"),
        ("flag", "missing", "--permission-prompts"),
        ("flag", "missing", "--forward-subagent-text"),
        ("behaviour", "changed", "hook.failure"),
        ("behaviour", "changed", "stdin.blanks"),
    ],
)
def test_every_known_difference_of_the_tested_versions_is_named(about: str, change: str, name: str) -> None:
    found = compared(recorded(OLDEST).findings())
    assert [each for each in found if (each.about, each.change) == (about, change) and name in each.names]


def test_a_promise_that_is_broken_is_breaking() -> None:
    broken = only(like_the_newest(ways={**KNOWN.ways, "ask.command": "runs unasked"}))
    assert told(broken) == ("behaviour", "changed", "breaking", ("ask.command",))
    assert broken.says == "A command that writes runs without an answer."
    assert "supervised session does not start" in broken.means


def test_a_way_that_nobody_has_seen_weighs_what_its_trait_says() -> None:
    found = only(like_the_newest(ways={**KNOWN.ways, "bypass.hook_deny": "asks a friend"}))
    assert (found.weight, found.says) == ("breaking", f"{TRAITS['bypass.hook_deny'].about}: asks a friend.")
    assert only(like_the_newest(ways={**KNOWN.ways, "clear.line": "sings"})).weight == "worth knowing"


def test_a_trait_that_was_not_looked_at_is_no_difference() -> None:
    assert differences(like_the_newest(ways={}), KNOWN) == ()


def test_the_gravest_come_first() -> None:
    ways = {**KNOWN.ways, "clear.cost": "goes on", "ask.deny": "runs all the same", "model.effect": "next turn"}
    weights = [each.weight for each in differences(like_the_newest(ways=ways), KNOWN)]
    assert weights == ["breaking", "worth knowing", "harmless"]


def test_a_message_that_does_not_come_weighs_what_bascule_does_with_it() -> None:
    without = {kind: keys for kind, keys in KNOWN.keys.items() if kind != "result"}
    assert told(only(like_the_newest(keys=without))) == ("message", "missing", "breaking", ("result",))
    without = {kind: keys for kind, keys in KNOWN.keys.items() if kind != "system/session_title_changed"}
    assert only(like_the_newest(keys=without)).weight == "harmless"


def test_a_key_that_does_not_come_is_missing() -> None:
    keys = {**KNOWN.keys, "result": KNOWN.keys["result"] - {"is_error"}}
    assert told(only(like_the_newest(keys=keys))) == ("key", "missing", "breaking", ("result.is_error",))


def test_a_key_that_a_class_reads_is_nothing_new() -> None:
    keys = {**KNOWN.keys, "result": KNOWN.keys["result"] | {"structured_output"}}
    assert differences(like_the_newest(keys=keys), KNOWN) == ()


def test_what_no_class_reads_is_new_unless_the_newest_version_says_it_too() -> None:
    unread = {**KNOWN.unread, "result": frozenset({"mood", "usage.gold"}), "system/weather": frozenset({NEW})}
    key, message = sorted(differences(like_the_newest(unread=unread), KNOWN), key=lambda each: each.about)
    assert told(key) == ("key", "new", "harmless", ("result.mood", "result.usage.gold"))
    assert told(message) == ("message", "new", "worth knowing", ("system/weather",))


@pytest.mark.parametrize(
    ("flag", "weight", "words"),
    [
        ("--verbose", "breaking", "at every start"),
        ("--max-budget-usd", "worth knowing", "`max_budget_usd`"),
        ("--disallowed-tools", "worth knowing", "`disallowed_tools`"),
        ("--teleport", "harmless", "Never sent"),
    ],
)
def test_a_flag_that_is_gone_weighs_what_is_done_with_it(flag: str, weight: str, words: str) -> None:
    gone = only(like_the_newest(flags=KNOWN.flags - {flag}))
    assert (gone.change, gone.weight) == ("missing", weight)
    assert words in gone.means


def test_a_new_flag_is_taken_as_an_extra_argument_or_not() -> None:
    new = differences(like_the_newest(flags=KNOWN.flags | {"--sing", "--allow-everything"}), KNOWN)
    assert {each.names[0]: "refuses it" in each.means for each in new} == {"--sing": False, "--allow-everything": True}
    assert {each.weight for each in new} == {"harmless"}


@pytest.mark.parametrize(
    ("field", "name", "about", "weight"),
    [
        ("modes", "yolo", "mode", "worth knowing"),
        ("modes", "default", "mode", "harmless"),
        ("tools", "Sing", "tool", "harmless"),
        ("tools", "TodoWrite", "tool", "harmless"),
        ("models", "sonata", "model", "harmless"),
        ("capabilities", "sings_v1", "capability", "harmless"),
        ("hook_events", "Sunrise", "hook event", "harmless"),
        ("requests", "end_session", "request", "harmless"),
    ],
)
def test_what_is_new_is_named(field: str, name: str, about: str, weight: str) -> None:
    new = only(like_the_newest(**{field: getattr(KNOWN, field) | {name}}))
    assert told(new) == (about, "new", weight, (name,))


@pytest.mark.parametrize(
    ("field", "name", "about", "weight"),
    [
        ("modes", "plan", "mode", "worth knowing"),
        ("modes", "manual", "mode", "harmless"),
        ("tools", "Bash", "tool", "harmless"),
        ("models", "haiku", "model", "harmless"),
        ("capabilities", "msg_lifecycle_v1", "capability", "harmless"),
        ("hook_events", "PreToolUse", "hook event", "breaking"),
        ("hook_events", "Stop", "hook event", "worth knowing"),
        ("requests", "interrupt", "request", "breaking"),
        ("requests", "get_usage", "request", "harmless"),
    ],
)
def test_what_is_missing_weighs_what_is_done_with_it(field: str, name: str, about: str, weight: str) -> None:
    gone = [
        each
        for each in differences(like_the_newest(**{field: getattr(KNOWN, field) - {name}}), KNOWN)
        if each.about == about
    ]
    assert list(map(told, gone)) == [(about, "missing", weight, (name,))]


def test_a_list_that_was_not_told_misses_nothing() -> None:
    assert differences(like_the_newest(flags=frozenset(), hook_events=frozenset()), KNOWN) == ()


def test_where_a_scene_broke_off_nothing_is_missing() -> None:
    found = like_the_newest(keys={}, tools=frozenset({"Sing"}), trouble=("scene x: the CLI ended",))
    assert told(only(found)) == ("tool", "new", "harmless", ("Sing",))


def test_an_answer_that_a_missing_request_would_have_is_not_told_twice() -> None:
    keys = {kind: keys for kind, keys in KNOWN.keys.items() if kind != "answer/get_plan"}
    found = like_the_newest(keys=keys, requests=KNOWN.requests - {"get_plan"})
    assert told(only(found)) == ("request", "missing", "harmless", ("get_plan",))


def test_what_no_older_version_does_is_like_none() -> None:
    tools = KNOWN.tools - {"Monitor", "Bash"}
    (gone,) = compared(like_the_newest(tools=tools))
    assert (gone.names, gone.like) == (("Bash", "Monitor"), ())
    (gone,) = compared(like_the_newest(tools=KNOWN.tools - {"Monitor"}))
    assert gone.like == (OLDEST,)
