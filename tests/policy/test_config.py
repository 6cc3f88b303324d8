"""Rules in TOML: what they say, and how a mistake is told."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.errors import OptionError
from bascule.policy.config import read, rules_of, tightening
from bascule.policy.defaults import SAFE
from bascule.policy.rules import Rule

FULL = """
# what may run
[[rule]]
action = "allow"
tool   = "Bash"
match  = "git status*"
where  = "workspace"
unless = [".env"]
reason = "reading only"
until  = 2026-12-31

[[rule]]
action = "deny"
tool   = "mcp__*"
"""


def utc_ms(*moment: int) -> int:
    return int(dt.datetime(*moment, tzinfo=dt.UTC).timestamp() * 1000)  # type: ignore[misc, arg-type]


def test_rules_come_in_order_with_their_places() -> None:
    assert rules_of(FULL, "rules.toml") == (
        Rule(
            action="allow",
            tool="Bash",
            match="git status*",
            where="workspace",
            unless=(".env",),
            reason="reading only",
            until=utc_ms(2027, 1, 1),
            source="rules.toml:3",
        ),
        Rule(action="deny", tool="mcp__*", source="rules.toml:12"),
    )


def test_an_empty_text_has_no_rules() -> None:
    assert rules_of("", "rules.toml") == ()


def test_a_place_that_cannot_be_counted_is_a_number() -> None:
    text = 'rule = [{action = "deny", tool = "A"}, {action = "deny", tool = "B"}]'
    assert [rule.source for rule in rules_of(text, "f")] == ["f, rule 1", "f, rule 2"]


@pytest.mark.parametrize(
    ("written", "until"),
    [
        ("2026-12-31", utc_ms(2027, 1, 1)),
        ('"2026-12-31"', utc_ms(2027, 1, 1)),
        ("2026-12-31T08:00:00Z", utc_ms(2026, 12, 31, 8)),
        ("2026-12-31T08:00:00", utc_ms(2026, 12, 31, 8)),
        ('"2026-12-31T08:00:00+02:00"', utc_ms(2026, 12, 31, 6)),
    ],
)
def test_an_end_is_a_day_or_a_moment(written: str, until: int) -> None:
    [rule] = rules_of(f'[[rule]]\naction = "allow"\ntool = "Read"\nuntil = {written}', "f")
    assert rule.until == until


RULE = '[[rule]]\naction = "allow"\ntool = "Bash"\n'


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("\n[[rule]\n", r"^rules\.toml:2:7: no TOML: Expected \S+ at the end of an array declaration$"),
        ("[[rule]]\nunless = [", r"^rules\.toml:2:11: no TOML: "),
        ("a = " + "[" * 5_000, "rules.toml:1:5005: no TOML"),
        ("[[rules]]", "rules.toml:1:1: there is no key 'rules'; the nearest one is 'rule'"),
        ("[rule.x]", r"rules.toml:1:1: rules are written as \[\[rule\]\] tables"),
        ("\n  rule = [{}, 1]", r"rules.toml:2:3: rules are written"),
        ("rule = [{action = 'deny', tool = 'A'}, {}]", "rules.toml:1:1, rule 2: action is None"),
        ('rule = "x"', r"written as \[\[rule\]\] tables"),
        ("rule = [1]", r"written as \[\[rule\]\] tables"),
        ("\n\n" + RULE + 'mach = "x"', "rules.toml:6:1: there is no key 'mach'; the nearest one is 'match'"),
        (RULE + "zzz = 1", "there is no key 'zzz'; the nearest one is "),
        ('[[rule]]\ntool = "Bash"', "rules.toml:1:1: action is None; it must be one of allow, ask, deny"),
        ('[[rule]]\naction = "alow"\ntool = "Bash"', "rules.toml:2:1: action is 'alow'"),
        ('[[rule]]\naction = ["allow"]\ntool = "Bash"', r"action is \['allow'\]"),
        ('[[rule]]\naction = "deny"', "a rule names its tool"),
        ('[[rule]]\naction = "deny"\ntool = "Bash(ls)"', r"rules.toml:3:1: tool is 'Bash\(ls\)'; .* apart"),
        ('[[rule]]\naction = "deny"\ntool = 3', "tool is 3; it must be a text"),
        (RULE + 'match = " "', "match is ' '; it must be a text that is not empty"),
        (RULE + 'unless = ".env"', "unless is '.env'; it must be a list"),
        (RULE + "unless = [1]", "unless is 1; it must be a text"),
        (RULE + "until = 5", "until is 5; write a day"),
        (RULE + 'until = "tomorrow!"', "until is 'tomorrow!'; write a day"),
        (RULE + 'until = "2026-31-12"', "until is '2026-31-12'; write a day"),
        (RULE + "until = 9999-12-31", "until is .*; write a day"),
        (RULE + f'match = "{"{a,b}" * 9}"', "rules.toml:4:1: the braces of"),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, complaint: str) -> None:
    with pytest.raises(OptionError, match=complaint):
        rules_of(text, "rules.toml")


def test_every_rule_with_a_mistake_is_told_and_the_others_are_read() -> None:
    rules, mistakes = read(f"{RULE}mach = 1\n{RULE}{RULE}where = 1\nzzz = 1\n[extra]\n", "f")
    assert [rule.source for rule in rules] == ["f:5"]
    assert [mistake.split(" ")[0] for mistake in mistakes] == ["f:4:1:", "f:12:1:", "f:13:1:"]
    with pytest.raises(OptionError, match=r"f:4:1: .*\nf:12:1: .*\nf:13:1: "):
        rules_of(f"{RULE}mach = 1\n{RULE}{RULE}where = 1\nzzz = 1\n[extra]\n", "f")


@given(st.text())
def test_a_text_gives_rules_or_an_option_error(text: str) -> None:
    try:
        rules = rules_of(text, "f")
    except OptionError as exc:
        assert str(exc).startswith("f")
    else:
        assert isinstance(rules, tuple)


def test_a_file_that_is_not_trusted_can_only_tighten() -> None:
    allow, deny = rules_of(FULL, "rules.toml")
    assert tightening((allow, deny)) == (deny,)


def test_the_safe_list_comes_with_the_package() -> None:
    assert {rule.action for rule in SAFE} == {"allow"}
    assert all(rule.reason and rule.where and rule.source.startswith("the safe list:") for rule in SAFE)
