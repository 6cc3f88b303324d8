"""Who decides about a call, in which order, and what the trail says of it."""

import itertools

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.errors import OptionError
from bascule.policy.call import Call
from bascule.policy.chain import NOBODY, PLAN_FIRST, USE_JUDGEMENT, covers, judge, judge_ask, wants_it_asked
from bascule.policy.config import rules_of
from bascule.policy.defaults import ACCEPTED_EDITS
from bascule.policy.grants import Grant, granted
from bascule.policy.matching import coverage
from bascule.policy.policies import Policy, named
from bascule.policy.rules import Action, Rule, parse
from bascule.policy.verdict import Allow, Ask, Deny, Pass, Verdict
from tests.policy.calls import PLANS, bash, call, call_with

NOW = 1_000
GOVERNED = ["supervised", "plan", "plan-auto", "rules"]
OTHERS = ["autonomous", "acceptEdits", "auto", "dontAsk", "manual", "bypassPermissions"]

PLAN = call("ExitPlanMode", plan="1. look")
QUESTION = call("AskUserQuestion", questions=[{"question": "Which?", "options": [{"label": "A"}]}])
EDIT = call("Edit", file_path="src/a.py", old_string="a", new_string="b")
READ = call("Read", file_path="src/a.py")


def policy(name: str = "supervised", *rules: tuple[Action, str]) -> Policy:
    return named(name, rules=tuple(parse(text, action, source="rules.toml:1") for action, text in rules))


def verdict(
    policy: Policy, call: Call, *grants: Grant, mode: str | None = "default", attended: bool = True, now: int = NOW
) -> Verdict:
    return judge(policy, call, mode=mode, attended=attended, grants=grants, now=now)


# The safe list.


@pytest.mark.parametrize(
    "safe",
    [
        READ,
        call("Read", file_path="/home/ann/app/src/a.py", limit=10),
        call("Glob", pattern="**/*.py"),
        call("Grep", pattern="def main", path="src"),
        call("Grep", pattern="credentials", glob="**/*.{py,pyi}"),
        call("Grep", pattern="def main", path="src", output_mode="count"),
        msgspec.structs.replace(
            call("Grep", pattern="def main", path="src/a.py", output_mode="content"),
            files=frozenset(("/home/ann/app/src/a.py",)),
        ),
        call("Glob", pattern="src/**/*.{ts,tsx}"),
        call("TodoWrite", todos=[]),
        call("TaskCreate", subject="x", description="y"),
        call("TaskList"),
        call("ToolSearch", query="web"),
        call("EnterPlanMode"),
    ],
)
@pytest.mark.parametrize("attended", [True, False])
def test_the_safe_list_passes_without_a_rule(safe: Call, attended: bool) -> None:
    said = verdict(policy(), safe, attended=attended)
    assert isinstance(said, Allow)
    assert "the safe list" in said.rule


@pytest.mark.parametrize("command", ["tar xf a.tar", "git pull", "unzip a.zip -d src", "patch -p1"])
def test_what_writes_unnamed_files_waits_for_the_plan_and_for_a_person(command: str) -> None:
    rules: tuple[tuple[Action, str], ...] = (("allow", "Edit"), ("allow", "Edit(src/**)"), ("allow", "Bash"))
    denied = verdict(policy("plan", *rules), bash(command), mode="plan")
    assert isinstance(denied, Deny)
    assert denied.rule == "plan first"
    accepted = tuple(Grant(rule=rule) for rule in ACCEPTED_EDITS)
    assert isinstance(verdict(policy("supervised", *rules), bash(command), *accepted), Ask)


@pytest.mark.parametrize("name", GOVERNED)
@pytest.mark.parametrize("attended", [True, False])
@pytest.mark.parametrize(
    "timer",
    [
        call("CronCreate", cron="* * * * *", prompt="look"),
        call("CronDelete", id="1"),
        call("ScheduleWakeup", delaySeconds=60, reason="r", prompt="look"),
    ],
)
def test_L83_the_clis_own_timers_are_denied_with_guidance_whatever_allows_them(
    timer: Call, attended: bool, name: str
) -> None:
    said = verdict(policy(name, ("allow", timer.facts.tool)), timer, granted(timer.facts.tool), attended=attended)
    assert isinstance(said, Deny)
    assert "say in your reply what should run later" in said.reason
    assert "bascule" in said.rule


@pytest.mark.parametrize("name", OTHERS)
def test_the_clis_own_timers_are_its_own_where_it_governs(name: str) -> None:
    assert isinstance(verdict(policy(name), call("CronCreate", cron="* * * * *", prompt="look")), Pass)


@pytest.mark.parametrize(
    "other",
    [
        call("Read", file_path="/etc/passwd"),
        call("Read", file_path="../other/a.py"),
        call("Read", file_path="~/.ssh/id_rsa"),
        call("Read", file_path=".env"),
        call("Read", file_path="deep/.env.local"),
        call("Read", file_path="deep/prod.env"),
        call("Read", file_path="tls/server.PEM"),
        call("Read", file_path="keys/id_ed25519"),
        call("Read", file_path=".aws/credentials"),
        call("Read", file_path="config/secrets.yaml"),
        call("Read", file_path=".bascule/rules.toml"),
        call("Read"),
        call_with("Read", {"file_path": 5}),
        call_with("Read", None),
        call("Grep", pattern="x", path="/etc"),
        call("Glob", pattern="/etc/**"),
        call("Glob", pattern="../**"),
        call("Grep", pattern="x", path=".ssh"),
        call("Grep", pattern="x", glob=".env*"),
        call("Grep", pattern="x", glob="*.py,*.pem"),
        call("Grep", pattern="x", glob="**/*.{py,key}"),
        call("Glob", pattern="**/.env"),
        call("Grep", pattern="x", output_mode="content"),
        call("Grep", pattern="x", output_mode="content", glob=".e?v"),
        call("Grep", pattern="x", output_mode="content", glob="*"),
        call("Grep", pattern="x", output_mode="content", path="src/a.py"),
        call("Grep", pattern="x", output_mode=5),
        call("Glob", pattern="l?/passwd"),
        call("Glob", pattern="**/link/*.py"),
        EDIT,
        bash("ls"),
        call("WebFetch", url="https://docs.python.org/", prompt="x"),
        call("mcp__files__read", path="src/a.py"),
        call("Agent", description="look", prompt="look"),
        call("Nonsense"),
        call(""),
    ],
)
def test_all_else_asks_and_is_denied_where_nobody_watches(other: Call) -> None:
    asked = verdict(policy(), other)
    assert isinstance(asked, Ask)
    assert (asked.rule, asked.reason) == (None, "no rule covers it")
    denied = verdict(policy(), other, attended=False)
    assert isinstance(denied, Deny)
    assert denied.rule == NOBODY
    assert denied.reason == "nobody is watching: no rule covers it"


def test_the_policy_rules_has_no_safe_list() -> None:
    assert isinstance(verdict(policy("rules"), READ), Ask)
    assert isinstance(verdict(policy("rules", ("allow", "Read")), READ), Allow)


# The order.


def test_deny_beats_ask_beats_allow() -> None:
    git = bash("git push")
    deny: tuple[Action, str] = ("deny", "Bash(git push)")
    ask: tuple[Action, str] = ("ask", "Bash(git *)")
    allow: tuple[Action, str] = ("allow", "Bash(git *)")
    for rules in itertools.permutations([deny, ask, allow]):
        assert isinstance(verdict(policy("supervised", *rules), git), Deny)
    for pair in itertools.permutations([ask, allow]):
        assert isinstance(verdict(policy("supervised", *pair), git), Ask)
    assert isinstance(verdict(policy("supervised", allow), git), Allow)


def test_a_grant_does_not_beat_an_ask_rule_and_needs_no_allow_rule() -> None:
    grant = granted("Bash(git push)", by="Ann")
    assert isinstance(verdict(policy("supervised", ("ask", "Bash(git *)")), bash("git push"), grant), Ask)
    said = verdict(policy(), bash("git push"), grant)
    assert isinstance(said, Allow)
    assert said.rule == "Bash(git push) (granted by Ann (session))"


def test_an_ask_rule_is_denied_where_nobody_watches() -> None:
    said = verdict(policy("supervised", ("ask", "Read")), READ, attended=False)
    assert isinstance(said, Deny)
    assert said.rule == "Read (rules.toml:1)"
    assert said.reason == "nobody is watching: the rule Read wants it asked"


def test_rules_grants_and_the_safe_list_cover_a_line_together() -> None:
    line = bash("git status && pytest -q | tail -5")
    governed = policy("supervised", ("allow", "Bash(git status)"), ("allow", "Bash(tail *)"))
    said = verdict(governed, line, granted("Bash(pytest *)"))
    assert isinstance(said, Allow)
    assert said.rule == (
        "Bash(git status) (rules.toml:1); Bash(pytest *) (granted (session)); Bash(tail *) (rules.toml:1)"
    )
    missed = verdict(governed, line)
    assert isinstance(missed, Ask)
    assert missed.trail[-2].why == "no rule allows pytest -q"


def test_the_reason_of_a_rule_is_the_reason_of_its_verdict() -> None:
    [deny, ask, allow] = rules_of(
        """
        [[rule]]
        action = "deny"
        tool = "Bash"
        match = "git push"
        reason = "pushing is for people"
        [[rule]]
        action = "ask"
        tool = "Bash"
        match = "git commit"
        reason = "look at the message"
        [[rule]]
        action = "allow"
        tool = "Bash"
        match = "git *"
        reason = "the rest of git"
        """,
        "rules.toml",
    )
    governed = named("supervised", rules=(deny, ask, allow))
    said = [verdict(governed, bash(f"git {word}")) for word in ("push", "commit", "log")]
    assert [type(one) for one in said] == [Deny, Ask, Allow]
    assert [one.reason for one in said] == ["pushing is for people", "look at the message", "the rest of git"]


def test_F60_git_diff_never_allows_what_hangs_on_it() -> None:
    governed = policy("supervised", ("allow", "Bash(git diff *)"))
    assert isinstance(verdict(governed, bash("git diff HEAD~1 --stat")), Allow)
    for command in ("git diff; rm -rf x", "git diff $(rm x)", "git diff > ~/.bashrc", "git -c core.pager='sh x' diff"):
        assert isinstance(verdict(governed, bash(command)), Ask)
        assert isinstance(verdict(governed, bash(command), attended=False), Deny)


# Plans and questions.


@pytest.mark.parametrize("name", GOVERNED)
def test_plan_mode_denies_writing_before_the_plan(name: str) -> None:
    rules: list[tuple[Action, str]] = [("allow", "*")]
    for writing in (EDIT, call("Write", file_path="a", content=""), bash("rm a"), bash("echo a > b")):
        said = verdict(policy(name, *rules), writing, granted("*"), mode="plan")
        assert isinstance(said, Deny)
        assert said.reason == PLAN_FIRST


def test_once_the_plan_is_approved_supervised_goes_on() -> None:
    assert isinstance(verdict(policy("plan"), EDIT, mode="default"), Ask)
    assert isinstance(verdict(policy("plan"), EDIT, granted("Edit"), mode="acceptEdits"), Allow)


def test_plan_mode_lets_reading_pass() -> None:
    assert isinstance(verdict(policy("plan"), READ, mode="plan"), Allow)
    assert isinstance(verdict(policy("plan"), bash("git log"), mode="plan"), Ask)
    assert isinstance(verdict(policy("plan", ("allow", "Bash(git log)")), bash("git log"), mode="plan"), Allow)


def test_plan_mode_lets_the_model_write_its_plan() -> None:
    said = verdict(policy("plan"), call("Write", file_path=f"{PLANS}/calm-river.md", content="# Plan"), mode="plan")
    assert isinstance(said, Allow)
    assert said.reason == "the CLI's own plans folder"


@pytest.mark.parametrize(
    "writing",
    [
        call("Write", file_path=f"{PLANS}/../settings.json", content=""),
        call("Write", file_path=f"{PLANS}-not/a.md", content=""),
        call("Write", "/home/ann/app", None, file_path=f"{PLANS}/calm-river.md", content=""),
    ],
)
def test_the_plans_folder_is_one_folder(writing: Call) -> None:
    assert isinstance(verdict(policy("plan"), writing, mode="plan"), Deny)


def test_a_command_that_writes_a_plan_may_do_more_and_asks() -> None:
    writing = bash(f"make && echo x > {PLANS}/a.md")
    assert isinstance(verdict(policy("plan", ("allow", "Bash(make)")), writing, mode="plan"), Ask)


@pytest.mark.parametrize("name", GOVERNED)
def test_a_plan_and_a_question_are_for_a_person_whatever_is_allowed(name: str) -> None:
    for asked in (PLAN, QUESTION):
        said = verdict(policy(name, ("allow", "*")), asked, granted("*"), mode="plan")
        assert isinstance(said, Ask)


def test_L43_nobody_watching_answers_a_question_with_words_for_the_model() -> None:
    for said in (
        verdict(policy(), QUESTION, attended=False),
        judge_ask(policy(), QUESTION, attended=False, now=NOW),
        judge_ask(policy("acceptEdits"), QUESTION, attended=False, now=NOW),
    ):
        assert isinstance(said, Deny)
        assert said.reason == USE_JUDGEMENT


def test_nobody_watching_denies_a_plan_but_for_plan_auto() -> None:
    assert isinstance(verdict(policy("plan"), PLAN, mode="plan", attended=False), Deny)
    assert isinstance(judge_ask(policy("plan"), PLAN, attended=False, now=NOW), Deny)
    in_hook = verdict(policy("plan-auto"), PLAN, mode="plan", attended=False)
    assert isinstance(in_hook, Ask)
    said = judge_ask(policy("plan-auto"), PLAN, attended=False, now=NOW)
    assert isinstance(said, Allow)
    assert (said.rule, said.reason) == ("plan-auto", "the policy approves plans unseen")


def test_plan_auto_approves_plans_and_nothing_else() -> None:
    for other in (QUESTION, EDIT, bash("ls"), READ):
        assert isinstance(judge_ask(policy("plan-auto"), other, attended=True, now=NOW), Ask)
    denied = judge_ask(policy("plan-auto", ("deny", "ExitPlanMode")), PLAN, attended=True, now=NOW)
    assert isinstance(denied, Deny)


# Where the CLI governs.


@pytest.mark.parametrize("name", OTHERS)
def test_where_the_cli_governs_only_deny_rules_are_ours(name: str) -> None:
    cli = policy(name, ("deny", "Bash(rm *)"), ("ask", "Bash(git *)"), ("allow", "Bash(ls *)"))
    assert isinstance(verdict(cli, bash("sudo rm x")), Deny)
    for command in ("git push", "ls", "make"):
        said = verdict(cli, bash(command), attended=False)
        assert isinstance(said, Pass)
        assert said.reason == f"under {name} the CLI decides"


@pytest.mark.parametrize("name", GOVERNED + OTHERS)
def test_an_ask_of_the_cli_is_for_a_person_whatever_the_rules_allow(name: str) -> None:
    generous = policy(name, ("allow", "*"))
    assert isinstance(judge_ask(generous, bash("ls"), attended=True, now=NOW), Ask)
    assert isinstance(judge_ask(generous, READ, attended=True, now=NOW), Ask)
    denied = judge_ask(generous, bash("ls"), attended=False, now=NOW)
    assert isinstance(denied, Deny)
    assert denied.reason.startswith(NOBODY)


# Words of a rule that stand inside another command.


def test_what_a_known_runner_runs_is_denied() -> None:
    rules: tuple[tuple[Action, str], ...] = (("deny", "Bash(rm *)"), ("allow", "Bash"))
    assert isinstance(verdict(policy("supervised", *rules), bash("uv run rm x")), Deny)


@pytest.mark.parametrize("name", ["supervised", "rules", "autonomous", "acceptEdits"])
def test_what_may_run_what_is_denied_asks_and_says_why(name: str) -> None:
    rules: tuple[tuple[Action, str], ...] = (("deny", "Bash(rm *)"), ("allow", "Bash"))
    made = policy(name, *rules)
    said = verdict(made, bash("frob rm x"))
    assert isinstance(said, Ask)
    assert said.rule == "Bash(rm *) (rules.toml:1)"
    assert said.reason == "it may do, by way of another program, what the rule Bash(rm *) denies"
    unwatched = verdict(made, bash("frob rm x"), attended=False)
    assert isinstance(unwatched, Deny)
    assert unwatched.reason == f"{NOBODY}: {said.reason}"
    assert not isinstance(verdict(made, bash("git commit -m 'rm x'")), Ask | Deny)


def test_what_may_run_what_is_asked_about_asks() -> None:
    rules: tuple[tuple[Action, str], ...] = (("ask", "Bash(rm *)"), ("allow", "Bash"))
    said = verdict(policy("supervised", *rules), bash("frob rm x"))
    assert isinstance(said, Ask)
    assert said.reason == "the rule Bash(rm *) wants it asked"


@pytest.mark.parametrize(
    ("command", "wanted"), [("git push", True), ("frob git push", True), ("frob rm x", True), ("ls", False)]
)
def test_it_can_be_told_whether_a_rule_wants_a_person(command: str, wanted: bool) -> None:
    made = policy("supervised", ("ask", "Bash(git *)"), ("deny", "Bash(rm *)"), ("allow", "Bash"))
    assert wants_it_asked(made, bash(command), NOW) is wanted


def test_plan_mode_stands_above_what_may_be_denied() -> None:
    made = policy("plan", ("deny", "Bash(rm *)"))
    assert isinstance(verdict(made, bash("frob rm x > a"), mode="plan"), Deny)


BEFORE = st.sampled_from(
    "uv run|uv --quiet run --with y|npx|npx --yes|docker exec web|docker run --rm alpine|"
    "docker --log-level debug exec web|poetry run|bunx|yarn|yarn run|pnpm --silent|frob|frob -x --|./a.sh|sudo|"
    "env A=1|xargs -n1|timeout 5|nohup|nice|kubectl -n x exec db --|ssh host|nix develop -c|git bisect run|"
    "find . -exec|mise exec --|flock x|setsid|busybox|python a.py|npm run a --|go run ./a|cargo run --|time|command|"
    "eval|watch|entr|parallel|tmux new|su -c|chroot /x".split("|")
)
DENIED = st.sampled_from(["rm x", "/bin/rm -rf x", "RM x", "git push", "git -C x push origin", "curl example.com"])


@given(st.lists(BEFORE, max_size=4), DENIED, st.sampled_from(["supervised", "rules", "autonomous"]))
def test_whatever_runs_it_what_is_denied_is_never_let_through(before: list[str], denied: str, name: str) -> None:
    rules: tuple[tuple[Action, str], ...] = (
        *(("deny", f"Bash({match} *)") for match in ("rm", "git push", "curl")),
        ("allow", "Bash"),
    )
    said = verdict(policy(name, *rules), bash(" ".join([*before, denied])))
    assert isinstance(said, Ask | Deny)


def test_S39_a_deny_rule_holds_for_an_ask_that_no_hook_saw() -> None:
    assert isinstance(judge_ask(policy("auto", ("deny", "Bash(rm *)")), bash("rm x"), attended=True, now=NOW), Deny)


def test_an_ask_that_a_person_answered_for_good_is_not_asked_again() -> None:
    grants = (granted("Bash(git push *)", until=2_000),)
    said = judge_ask(policy(), bash("git push origin"), attended=True, grants=grants, now=1_999)
    assert isinstance(said, Allow)
    assert isinstance(judge_ask(policy(), bash("git push origin"), attended=True, grants=grants, now=2_000), Ask)
    assert isinstance(judge_ask(policy(), PLAN, attended=True, grants=(granted("*"),), now=NOW), Ask)


# Grants.


def test_a_grant_ends_at_its_time() -> None:
    grant = granted("Edit", scope="session", until=2_000)
    assert isinstance(verdict(policy(), EDIT, grant, now=1_999), Allow)
    assert isinstance(verdict(policy(), EDIT, grant, now=2_000), Ask)


def test_a_grant_whose_text_says_nothing_is_refused() -> None:
    with pytest.raises(OptionError):
        granted("Bash(")


def test_no_grant_opens_what_is_bascules_own() -> None:
    own = call("Edit", file_path=".bascule/rules.toml", old_string="a", new_string="b")
    assert isinstance(verdict(policy("supervised", ("allow", "*")), own, granted("Edit(.bascule/**)")), Ask)


# The trail.


def test_S17_the_trail_tells_the_whole_way() -> None:
    said = verdict(policy("supervised", ("allow", "Bash(git *)")), bash("git diff; rm x"))
    assert [(step.stage, step.decided, step.why) for step in said.trail] == [
        ("deny rules", False, "no rule denies it"),
        ("plan", False, "the mode is not plan"),
        ("ask rules", False, "no rule wants it asked"),
        ("grants and allow rules", False, "no rule allows rm x"),
        ("person", True, "no rule covers it"),
    ]


def test_the_trail_ends_with_what_decided() -> None:
    said = verdict(policy("supervised", ("deny", "Bash(rm *)")), bash("rm x"))
    [step] = said.trail
    assert (step.stage, step.decided, step.rule) == ("deny rules", True, "Bash(rm *) (rules.toml:1)")
    passed = verdict(policy("auto"), bash("rm x"))
    told = [(step.stage, step.rule) for step in passed.trail]
    assert told == [("deny rules", None), ("ask rules", None), ("policy", None)]


def test_what_always_would_still_miss_can_be_shown() -> None:
    found = covers(
        policy("supervised", ("allow", "Bash(git *)")), bash("git diff; rm x"), grants=(granted("Bash(ls)"),), now=NOW
    )
    assert [(cover.text, str(cover.rule)) for cover in found] == [("git diff", "Bash(git *)"), ("rm x", "None")]


# Whatever comes.

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3),
    max_leaves=8,
)
names = st.sampled_from(["Bash", "Read", "Edit", "Grep", "Glob", "WebFetch", "Agent", "ExitPlanMode"]) | st.text()
shell_text = st.lists(
    st.sampled_from(
        ["git", "diff", "rm", "x", " ", " ", ";", "&&", "|", "$(", ")", "`", "'", '"', ">", "<", "\n", "#", "\\"]
    )
).map("".join)
inputs = json_values | st.builds(lambda text: {"command": text}, shell_text | st.text())
paths = st.text(max_size=20) | st.sampled_from(["src/a", "/etc/passwd", "..", "~/.ssh/x", ".env"])
file_inputs = st.builds(lambda path: {"file_path": path}, paths)
rule_values = st.builds(
    Rule,
    action=st.sampled_from(["allow", "ask", "deny"]),
    tool=st.sampled_from(["*", "Bash", "Read", "{Edit,Write}", "mcp__*"]),
    match=st.none() | st.text(max_size=12) | st.sampled_from(["git diff *", "*", "src/**", "domain:a.b"]),
    where=st.none() | st.sampled_from(["workspace", "anywhere", "src/**"]),
    unless=st.just(()) | st.just((".env",)),
    until=st.none() | st.just(NOW),
)
policies = st.builds(
    lambda name, rules: named(name, rules=tuple(rules)),
    st.sampled_from(GOVERNED + OTHERS),
    st.lists(rule_values, max_size=4),
)
grants_given = st.lists(
    st.builds(lambda rule: Grant(rule=rule), rule_values.filter(lambda rule: rule.action == "allow")), max_size=2
)


@given(
    policies,
    names,
    inputs | file_inputs,
    grants_given,
    st.sampled_from(["plan", "default", None, "odd"]),
    st.booleans(),
)
def test_nothing_raises_and_nothing_is_allowed_that_no_rule_covers(
    policy: Policy, tool: str, tool_input: object, grants: list[Grant], mode: str | None, attended: bool
) -> None:
    made = call_with(tool, tool_input)
    said = judge(policy, made, mode=mode, attended=attended, grants=grants, now=NOW)
    asked = judge_ask(policy, made, attended=attended, grants=grants, now=NOW)
    assert said.trail[-1].decided
    assert asked.trail[-1].decided
    may = [*(grant.rule for grant in grants), *(rule for rule in policy.rules if rule.action == "allow"), *policy.safe]
    if isinstance(said, Allow) and said.rule != "plan first":
        assert all(cover.rule is not None for cover in coverage(may, made, NOW))
    if isinstance(asked, Allow) and asked.rule != "plan-auto":
        assert all(cover.rule is not None for cover in coverage([grant.rule for grant in grants], made, NOW))
    if not attended:
        assert not isinstance(asked, Ask)


@given(policies, names, inputs, st.booleans())
def test_without_rules_and_grants_no_command_is_ever_allowed(
    policy: Policy, tool: str, tool_input: object, attended: bool
) -> None:
    bare = named(policy.name)
    said = judge(bare, call_with("Bash", tool_input), mode="default", attended=attended, now=NOW)
    assert not isinstance(said, Allow)


@given(shell_text)
def test_a_rule_for_one_command_allows_that_command_alone(text: str) -> None:
    governed = policy("supervised", ("allow", "Bash(git diff x)"))
    said = verdict(governed, bash(text))
    if isinstance(said, Allow):
        assert all(command.words == ("git", "diff", "x") for command in bash(text).facts.commands)
