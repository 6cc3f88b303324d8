"""Whether a rule holds for a call: what covers it, what touches it."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.policy import places
from bascule.policy.call import Call
from bascule.policy.matching import coverage, may_touch, touches
from bascule.policy.rules import Rule, parse
from bascule.tools.suggest import suggestions
from tests.policy.calls import WORKSPACE, bash, call, call_with

NOW = 1_000


def covered(call: Call, *rules: str | Rule, now: int = NOW) -> bool:
    made = [rule if isinstance(rule, Rule) else parse(rule) for rule in rules]
    return all(cover.rule is not None for cover in coverage(made, call, now))


def touched(call: Call, rule: str | Rule, now: int = NOW) -> bool:
    return touches(rule if isinstance(rule, Rule) else parse(rule, "deny"), call, now)


def perhaps_touched(call: Call, rule: str | Rule) -> bool:
    return may_touch(rule if isinstance(rule, Rule) else parse(rule, "deny"), call, NOW)


COVERED = [
    ("git status", ["Bash(git status)"]),
    ("git status -s", ["Bash(git status *)"]),
    ("git status && git log", ["Bash(git *)"]),
    ("git status; ls src | head -5", ["Bash(git status)", "Bash(ls *)", "Bash(head *)"]),
    ("git status 2>/dev/null", ["Bash(git status)"]),
    ("pytest tests > report.txt", ["Bash(pytest *)"]),
    ("'git' \"status\"", ["Bash(git status)"]),
    ("ls", ["Bash"]),
    ("ls", ["*"]),
    ("ls", ["{Edit,Bash}(ls)"]),
    ("cat /etc/hosts", ["Bash(cat /etc/hosts)"]),
    ("echo $(rm x)", ["Bash(echo $(rm x))"]),
    ("for x in a b; do echo $x; done", ["Bash(for x in a b; do echo $x; done)"]),
    ("  make  ", ["Bash(make)"]),
]

NEVER_COVERED = [
    "git diff; rm -rf x",
    "git diff && rm x",
    "git diff || rm x",
    "git diff | sh",
    "git diff & rm x",
    "git diff\nrm x",
    "git diff $(rm x)",
    "git diff `rm x`",
    'git diff "$(rm x)"',
    "git diff <(rm x)",
    "git diff > ~/.bashrc",
    "git diff > /etc/passwd",
    "git diff >> ../other",
    "git diff > .bascule/rules.toml",
    "git -c core.pager='sh x' diff",
    "git diff --ext-diff",
    "git diff --output=/etc/x",
    "GIT_PAGER='sh x' git diff",
    "PATH=. git diff",
    "LD_PRELOAD=x.so git diff",
    "eval git diff",
    "xargs git diff",
    "sh -c 'git diff'",
    "sudo git diff",
    "env X=1 git diff",
    "nohup git diff",
    "command git diff",
    "/tmp/git diff",
    "./git diff",
    "git diff $X",
    "git diff ${X}",
    "git diff $((1))",
    "git diff $'\\x41'",
    "git diff {a,b}",
    "git diff \\\n; rm x",
    "(git diff)",
    "{ git diff; }",
    "if true; then git diff; fi",
    "while git diff; do :; done",
    "git() { rm x; }; git diff",
    "alias git=rm; git diff",
    "git diff <<E\nx\nE",
    "git diff 'unclosed",
    "git diff )",
    "git diff\u2028rm x",
    "git diff\x00rm x",
    "git diff\rrm x",
    "git\u00a0diff",
    "git d\u0456ff",
    "git diff \ud83d",
    "!git diff",
    "git diff #\nrm x",
    "git diff;",
    "cd /etc && git diff",
    "git diff ../../secret",
    "git diff /etc/passwd",
    "git diff ~/.ssh/id_rsa",
    "gitdiff",
    "",
    " ",
]


@pytest.mark.parametrize(("command", "rules"), COVERED)
def test_a_command_that_rules_say_is_covered(command: str, rules: list[str]) -> None:
    assert covered(bash(command), *rules)


@pytest.mark.parametrize("command", [command for command in NEVER_COVERED if command != "git diff;"])
def test_F60_a_rule_for_git_diff_covers_nothing_else(command: str) -> None:
    assert not covered(bash(command), "Bash(git diff *)", "Bash(cd *)")


def test_each_part_of_a_line_tells_what_covers_it() -> None:
    git = parse("Bash(git *)")
    found = coverage([git], bash("git diff && rm -rf x"), NOW)
    assert [(cover.text, cover.rule) for cover in found] == [("git diff", git), ("rm -rf x", None)]


def test_a_line_that_holds_a_doubt_is_one_part() -> None:
    [cover] = coverage([parse("Bash")], bash("git diff $(rm x)"), NOW)
    assert (cover.text, cover.rule) == ("git diff $(rm x)", None)


def test_a_command_outside_the_workspace_is_covered_where_a_rule_says_so() -> None:
    away = bash("git status", "/srv/other")
    assert not covered(away, "Bash(git status *)")
    assert not covered(away, Rule(action="allow", tool="Bash", match="git *", where="workspace"))
    assert covered(away, Rule(action="allow", tool="Bash", match="git *", where="/srv/**"))
    assert covered(away, Rule(action="allow", tool="Bash", match="git *", where="anywhere"))


def test_a_redirection_out_of_the_workspace_is_never_covered() -> None:
    anywhere = Rule(action="allow", tool="Bash", match="echo *", where="anywhere")
    assert covered(bash("echo x > out.txt"), anywhere)
    assert not covered(bash("echo x > /tmp/out.txt"), anywhere)
    assert not covered(bash("echo x > ~/.bashrc"), anywhere)


def test_a_command_to_the_letter_says_its_place_itself() -> None:
    assert covered(bash("cat /etc/hosts"), "Bash(cat /etc/hosts)")
    assert covered(bash("ls '/etc/*'"), "Bash(ls '/etc/*')")
    assert covered(bash('ls "/etc/*"'), "Bash(ls '/etc/*')")
    assert not covered(bash("cat /etc/hosts", "/srv/other"), "Bash(cat /etc/hosts)")
    assert not covered(bash("cat /etc/hosts"), "Bash(cat *)")
    assert not covered(bash("cat /etc/hosts"), Rule(action="allow", tool="Bash", match="cat /etc/hosts", where="src/"))


SUGGESTED = [
    bash("git status -s"),
    bash("git commit -m 'fix it'"),
    bash("ls '*.py'"),
    bash("cat /etc/hosts"),
    bash("echo $(date) | tee log"),
    bash("pytest 'a b' 'x[1]'"),
    call("Edit", file_path="src/a.py", old_string="a", new_string="b"),
    call("Write", file_path="/tmp/x/y/a.txt", content="a"),
    call("Read", file_path="/etc/hosts"),
    call("WebFetch", url="https://docs.python.org/3/", prompt="x"),
    call("mcp__db__query", sql="select 1"),
    call("Agent", description="look", prompt="look"),
    call("Nonsense", a=1),
]


@pytest.mark.parametrize("made", SUGGESTED, ids=lambda made: str(made.facts.command or made.facts.tool))
def test_a_rule_that_is_suggested_covers_the_call_it_is_suggested_for(made: Call) -> None:
    """The narrowest one always; a wider one keeps to the workspace, whatever it was suggested for."""
    narrowest, *wider = [suggestion.rule for suggestion in suggestions(made.facts)]
    outside = not all(places.inside(path, WORKSPACE) for path in made.paths)
    assert covered(made, narrowest)
    assert [text for text in wider if not covered(made, text) and not outside] == []


FILES = [
    ("Read", "src/a.py", ["Read"], True),
    ("Read", "src/a.py", ["Read(src/**)"], True),
    ("Read", "lib/a.py", ["Read(src/**)"], False),
    ("Read", "/etc/passwd", ["Read"], False),
    ("Read", "../other", ["Read"], False),
    ("Read", "/etc/hosts", ["Read(/etc/hosts)"], True),
    ("Read", "~/notes/a", ["Read(~/notes/*)"], True),
    ("Read", "src/a.py", ["Edit"], False),
    ("Write", "src/a.py", ["{Edit,Write}"], True),
    ("Edit", ".bascule/rules.toml", ["Edit"], False),
    ("Edit", ".bascule/rules.toml", ["Edit(/**)"], False),
]


@pytest.mark.parametrize(("tool", "path", "rules", "is_covered"), FILES)
def test_files_are_covered_by_path(tool: str, path: str, rules: list[str], is_covered: bool) -> None:
    assert covered(call(tool, file_path=path), *rules) is is_covered


def test_an_exception_of_a_rule_is_not_covered() -> None:
    rule = Rule(action="allow", tool="Read", where="workspace", unless=(".env", "*.{pem,key}"))
    assert covered(call("Read", file_path="src/a.py"), rule)
    assert not covered(call("Read", file_path="deep/.ENV"), rule)
    assert not covered(call("Read", file_path="tls.key"), rule)


def test_a_rule_that_says_where_does_not_cover_a_call_without_a_place() -> None:
    here = Rule(action="allow", tool="*", where="workspace")
    assert not covered(call_with("Read", {"file_path": 5}), here)
    assert not covered(call("mcp__db__query", sql="select 1"), here)
    assert covered(call("mcp__db__query", sql="select 1"), "mcp__db__*")


ADDRESSES = [
    ("https://docs.python.org/3/", "WebFetch(domain:docs.python.org)", True),
    ("https://docs.python.org/3/", "WebFetch(https://docs.python.org/*)", True),
    ("https://docs.python.org/3/", "WebFetch", True),
    ("https://docs.python.org@evil.example/", "WebFetch(domain:docs.python.org)", False),
    ("https://evil.example/docs.python.org", "WebFetch(domain:docs.python.org)", False),
    ("https://evil.example/?docs.python.org/", "WebFetch(https://docs.python.org/*)", False),
]


@pytest.mark.parametrize(("url", "rule", "is_covered"), ADDRESSES)
def test_addresses_are_covered_by_host_and_path(url: str, rule: str, is_covered: bool) -> None:
    assert covered(call("WebFetch", url=url, prompt="read"), rule) is is_covered


def test_other_calls_are_covered_by_their_input() -> None:
    query = call("mcp__db__query", sql="select 1", base="a")
    assert covered(query, 'mcp__db__query({"base":"a","sql":"select *"})')
    assert not covered(query, "mcp__db__query(select 1)")
    assert touched(query, "mcp__db__query(SELECT 1)")
    assert not touched(query, "mcp__db__query(delete)")


def test_an_input_that_is_no_json_is_a_doubt() -> None:
    odd = call_with("mcp__db__query", {"a": object()})
    assert not covered(odd, "mcp__db__query(*)")
    assert touched(odd, "mcp__db__query(delete)")
    huge = call("mcp__db__query", sql="x" * 1_000_001)
    assert not covered(huge, "mcp__db__query(*)")
    assert touched(huge, "mcp__db__query(delete)")


@pytest.mark.parametrize("name", ["Agent", "Task"])
@pytest.mark.parametrize("said", ["Agent", "Task"])
def test_agent_and_task_are_one_name(name: str, said: str) -> None:
    assert covered(call(name, description="look", prompt="look"), said)
    assert touched(call(name, description="look", prompt="look"), said)


@pytest.mark.parametrize("tool", ["Edit", "MultiEdit", "Write"])
def test_a_rule_on_edit_is_about_whatever_changes_a_file(tool: str) -> None:
    made = call(tool, file_path="src/a.py", content="x")
    assert covered(made, "Edit") and covered(made, "Edit(src/**)")
    assert touched(made, "Edit") and touched(made, "Edit(a.py)")
    assert not touched(made, "Read(a.py)")
    assert covered(made, "Write") is (tool == "Write")


def test_a_rule_on_read_is_about_searches_too() -> None:
    search = call("Grep", pattern="x", path="src")
    assert covered(search, "Read(src/**)")
    assert not covered(search, "Read(lib/**)")
    assert touched(call("Glob", pattern="*.pem", path="tls"), "Read(tls/**)")


@pytest.mark.parametrize(
    ("command", "rule", "is_touched"),
    [
        ("cat .env", "Read(.env)", True),
        ("mv .env x", "Read(.env)", True),
        ("sort < .env", "Read(.env)", True),
        ("cat $(echo .env)", "Read(.env)", True),
        ("cat .env.example", "Read(.env)", False),
        ("cat a.txt", "Read", False),
        ("tee .env", "Read(.env)", False),
        ("sed -i s/a/b/ .env", "Edit(.env)", True),
        ("rm .env", "Edit(.env)", True),
        ("echo x > .env", "Edit(.env)", True),
        ("cp $x .env", "Edit(.env)", True),
        ("cat .env", "Edit(.env)", False),
        ("cat $(echo .env)", "WebFetch(.env)", False),
    ],
)
def test_a_rule_on_some_files_is_about_commands_that_reach_them(command: str, rule: str, is_touched: bool) -> None:
    assert touched(bash(command), rule) is is_touched
    assert not touched(bash(command), msgspec.structs.replace(parse(rule), until=NOW), now=NOW)


@pytest.mark.parametrize(
    ("path", "rule", "is_covered"),
    [
        ("src/a.py", "Edit", True),
        (".claude/settings.json", "Edit", False),
        (".git/hooks/pre-commit", "Edit", False),
        (".mcp.json", "*", False),
        (".env", "Write", False),
        (".claude/settings.json", "Edit(**)", False),
        (".claude/settings.json", "Edit(*.json)", False),
        (".claude/settings.json", "Edit(.claude/**)", True),
        (".mcp.json", "Edit(.mcp.json)", True),
        (".env", "Edit(.env*)", True),
    ],
)
def test_what_changes_later_runs_is_covered_only_by_name(path: str, rule: str, is_covered: bool) -> None:
    assert covered(call("Write", file_path=path, content="x"), rule) is is_covered


@pytest.mark.parametrize(
    ("command", "rules"),
    [
        ("echo x > .git/hooks/pre-commit", ["Bash", "Bash(echo *)", "Bash(echo x)"]),
        ("cp x .claude/settings.json", ["Bash(cp *)", "Bash(cp x *)"]),
        ("rm .git/index.lock", ["Bash(rm *)", "Bash(rm *.lock)"]),
        ("pytest --junitxml=.git/hooks/pre-commit", ["Bash(pytest *)"]),
    ],
)
def test_a_command_that_could_change_later_runs_is_covered_only_by_name(command: str, rules: list[str]) -> None:
    assert not covered(bash(command), *rules)
    assert covered(bash(command), f"Bash({command})")


@pytest.mark.parametrize("rule", ["Bash(rm .git/index.lock)", "Bash(rm .git/*)", "Bash(rm -f .git/index.lock)"])
def test_a_rule_whose_words_name_what_it_changes_covers_it(rule: str) -> None:
    assert covered(bash("rm .git/index.lock"), rule) is ("-f" not in rule)


@pytest.mark.parametrize("command", ["ls *", "ls *\n"])
def test_a_pattern_that_reads_like_the_command_does_not_say_it_to_the_letter(command: str) -> None:
    assert not covered(bash(command), "Bash(ls *)")
    assert covered(bash("ls 'a b'"), "Bash(ls 'a b')")
    assert not covered(bash("make\r"), "Bash(make)")


def test_git_is_covered_in_the_workspace_itself_and_where_a_rule_names_the_folder() -> None:
    """Settings of git's in a folder below name programs that `git status` runs."""
    below = bash("git status", f"{WORKSPACE}/sub")
    assert not covered(below, "Bash(git status)", "Bash(git *)")
    assert not covered(below, Rule(action="allow", tool="Bash", match="git *", where="workspace"))
    assert covered(below, Rule(action="allow", tool="Bash", match="git *", where="sub/**"))
    assert covered(bash("ls", f"{WORKSPACE}/sub"), "Bash(ls *)")
    assert not covered(bash("cd sub && git status"), "Bash(cd *)", "Bash(git *)")
    assert covered(bash(f"cd {WORKSPACE} && git status"), "Bash(cd *)", "Bash(git *)")


def test_a_search_through_folders_is_not_covered_by_a_rule_with_exceptions() -> None:
    grep = msgspec.structs.replace(parse("Bash(grep *)"), unless=(".env",))
    assert covered(bash("grep x a"), grep)
    assert not covered(bash("grep -r x"), grep)
    assert covered(bash("grep -r x"), "Bash(grep *)")


def test_what_is_only_read_need_not_be_named() -> None:
    assert covered(bash("cat .git/hooks/pre-commit"), "Bash(cat *)")
    assert covered(bash("git add .github/workflows/ci.yml"), "Bash(git add *)")


def test_no_rule_covers_what_runs_outside_the_sandbox() -> None:
    made = call("Bash", command="make", dangerouslyDisableSandbox=True)
    assert not covered(made, "Bash(make)", "Bash(make *)", "Bash", "*")
    assert touched(made, "Bash(make)")
    assert covered(call("Bash", command="make", dangerouslyDisableSandbox=False), "Bash(make)")


FILLING = [
    ("tar xf a.tar", "Bash(tar xf *)"),
    ("tar -xzf a.tar -C src", "Bash(tar -x*)"),
    ("unzip a.zip", "Bash(unzip *)"),
    ("git pull", "Bash(git pull *)"),
    ("git switch main", "Bash(git switch main)"),
    ("git --no-pager stash pop", "Bash(git --no-pager stash *)"),
    ("git reset --hard", "Bash(git reset *)"),
    ("gh pr checkout 5", "Bash(gh pr checkout *)"),
    ("patch -p1 -i a.diff", "Bash(patch *)"),
    ("cpio -i", "Bash(cpio -i *)"),
    ("rsync -a evil/ src/", "Bash(rsync *)"),
    ("svn up", "Bash(svn up)"),
]


@pytest.mark.parametrize(("command", "rule"), FILLING)
def test_what_writes_unnamed_files_is_covered_only_by_a_rule_that_says_so(command: str, rule: str) -> None:
    wide = {"Bash", "*", "Bash(*)", "Bash(?*)", "Bash([a-z/]*)", f"Bash({command.split()[0]} *)"} - {rule}
    assert [text for text in wide if covered(bash(command), text)] == []
    assert covered(bash(command), rule)
    assert covered(bash(command), f"Bash({command})")
    assert not covered(bash(command), Rule(action="allow", tool="*", where="workspace"))
    assert not covered(bash(command), msgspec.structs.replace(parse(rule), unless=(".env",)))
    assert not covered(bash(command), msgspec.structs.replace(parse(rule), where="src/"))


def test_what_writes_unnamed_files_may_touch_those_that_a_rule_denies() -> None:
    pull = bash("git pull")
    assert perhaps_touched(pull, "Edit(.github/**)") and perhaps_touched(pull, "Edit(src/a.py)")
    assert perhaps_touched(pull, "*(*.pem)") and perhaps_touched(pull, "{Write,Edit}(.env)")
    assert perhaps_touched(pull, f"Edit({WORKSPACE}/src/*)") and perhaps_touched(pull, "Edit(~/app/src)")
    assert perhaps_touched(pull, "Edit(/home/**)")
    assert perhaps_touched(pull, Rule(action="deny", tool="*", where="migrations/**"))
    assert not perhaps_touched(pull, "Edit(/etc/**)") and not perhaps_touched(pull, "Edit(~/notes/*)")
    for rule in ("Read(.env)", "Edit", "*(rm *)", "Bash(.env)"):
        assert not perhaps_touched(pull, rule)
    assert not perhaps_touched(bash("git status"), "Edit(.github/**)")
    assert not perhaps_touched(call("Edit", file_path="a"), "Edit(.github/**)")
    assert not perhaps_touched(pull, msgspec.structs.replace(parse("Edit(.github/**)"), until=NOW))


@pytest.mark.parametrize(
    ("command", "opened"),
    [("tar xf a.tar", True), ("tar xf a.tar -C ~/.config", False), ("unzip a -d ~/.config/bascule", False)],
)
def test_what_writes_unnamed_files_opens_nothing_of_ours(command: str, opened: bool) -> None:
    made = msgspec.structs.replace(bash(command), protected=OWN)
    rules = [msgspec.structs.replace(parse(rule), where="anywhere") for rule in ("Bash(tar xf *)", "Bash(unzip *)")]
    assert covered(made, *rules) is opened
    home = places.Ground(workspace="/home/ann", home="/home/ann")
    at_home = msgspec.structs.replace(bash(command, "/home/ann"), ground=home, protected=OWN)
    assert not covered(at_home, *rules)


def test_a_search_whose_wildcards_may_lead_anywhere_is_covered_where_a_rule_says_anywhere() -> None:
    made = call("Glob", pattern="l?/passwd")
    assert not covered(made, "Glob")
    assert covered(made, msgspec.structs.replace(parse("Glob"), where="anywhere"))


def test_a_search_that_prints_is_covered_by_a_rule_without_exceptions() -> None:
    made = call("Grep", pattern="x", output_mode="content")
    assert covered(made, "Grep")
    assert not covered(made, msgspec.structs.replace(parse("Grep"), unless=(".env",)))


def test_a_rule_ends_at_its_time() -> None:
    rule = msgspec.structs.replace(parse("Bash(git *)"), until=NOW)
    assert covered(bash("git status"), rule, now=NOW - 1)
    assert not covered(bash("git status"), rule, now=NOW)
    assert not touched(bash("git status"), rule, now=NOW)


TOUCHED = [
    "rm x",
    "git diff; rm x",
    "/bin/rm x",
    "sudo rm x",
    "env A=1 rm x",
    "xargs rm",
    "find . -exec rm {} +",
    "bash -c 'rm x'",
    "echo $(rm x)",
    "r''m x",
    "\\rm x",
    "if true; then rm x; fi",
    "rm x 'unclosed",
    "echo x | tee y | rm -",
    "rm\u00a0x",
]


@pytest.mark.parametrize("command", TOUCHED)
def test_a_rule_that_denies_rm_touches_it_wherever_it_hides(command: str) -> None:
    assert touched(bash(command), "Bash(rm *)")


@pytest.mark.parametrize("command", ["git rm x", "echo 'rm x'", "rmdir x", "git commit -m 'rm x'"])
def test_a_rule_that_denies_rm_leaves_other_commands_alone(command: str) -> None:
    assert not touched(bash(command), "Bash(rm *)")


RUN = ["uv run rm x", "npx rm x", "docker exec web rm x", "docker exec -it web rm x", "yarn run /bin/RM x", "uv run rm"]
PERHAPS = [
    "frob -xrm",
    "frob a=b=rm",
    "frob a:rm,x",
    "frob 'a;rm'",
    "frob rm x",
    "frob --exec=rm x",
    "frob 'rm x'",
    "frob --exec='r\"m\" x'",
    "npm run clean rm",
    "npx frob rm",
]
NEITHER = ["docker rm web", "npm run clean", "echo rm x", "git commit -m 'rm x'", "pytest -k rm", "npx eslint rm"]


@pytest.mark.parametrize("command", RUN)
def test_a_rule_that_denies_touches_what_a_runner_is_given_to_run(command: str) -> None:
    assert touched(bash(command), "Bash(rm *)")


@pytest.mark.parametrize("command", PERHAPS)
def test_a_rule_that_denies_may_touch_what_an_unknown_program_is_given(command: str) -> None:
    assert not touched(bash(command), "Bash(rm *)")
    assert perhaps_touched(bash(command), "Bash(rm *)")


@pytest.mark.parametrize("command", NEITHER)
def test_what_is_known_to_run_nothing_of_it_is_left_alone(command: str) -> None:
    assert not touched(bash(command), "Bash(rm *)")
    assert not perhaps_touched(bash(command), "Bash(rm *)")


def test_what_a_rule_may_touch_is_bound_as_what_it_touches() -> None:
    frob = bash("frob rm src/a")
    assert not perhaps_touched(frob, "Bash")
    assert not perhaps_touched(frob, "Edit(rm *)")
    assert not perhaps_touched(call("mcp__db__query", sql="rm x"), "*(rm *)")
    elsewhere = msgspec.structs.replace(parse("Bash(rm *)", "deny"), where="/srv/**")
    assert not perhaps_touched(frob, elsewhere)
    assert perhaps_touched(frob, msgspec.structs.replace(elsewhere, where="src/"))
    assert not perhaps_touched(frob, msgspec.structs.replace(parse("Bash(rm *)"), until=NOW))


def test_a_rule_for_every_tool_is_touched_by_a_path_in_a_command() -> None:
    secret = parse("*(*.pem)", "deny")
    assert touched(bash("cat tls.pem"), secret)
    assert not touched(bash("cat tls.py"), secret)
    assert touched(call("Read", file_path="/x/tls.pem"), secret)
    assert not touched(call("Read", file_path="/x/tls.py"), secret)


def test_touching_by_address() -> None:
    fetched = call("WebFetch", url="https://docs.python.org/3/", prompt="read")
    assert touched(fetched, "WebFetch(domain:python.org)")
    assert not touched(fetched, "WebFetch(domain:example.com)")
    assert touched(call("WebFetch", url="https://a@b/", prompt="read"), "WebFetch(domain:example.com)")


def test_a_denying_rule_with_a_place_is_about_what_is_there_or_could_be() -> None:
    there = Rule(action="deny", tool="*", where="migrations/**")
    assert touched(call("Edit", file_path="migrations/1.sql"), there)
    assert not touched(call("Edit", file_path="src/a.py"), there)
    assert touched(bash("rm migrations/1.sql"), there)
    assert not touched(bash("ls src"), there)
    assert touched(bash("ls $X"), there)
    assert touched(call("mcp__db__query", sql="x"), there)


def test_a_denying_rule_leaves_alone_what_is_wholly_excepted() -> None:
    rule = Rule(action="deny", tool="*", match="*.env*", unless=(".env.example",))
    assert touched(call("Read", file_path=".env"), rule)
    assert not touched(call("Read", file_path=".env.example"), rule)
    assert touched(bash("cp .env.example .env"), rule)
    assert not touched(bash("cat .env.example"), rule)
    assert touched(bash("cat .env.example $X"), rule)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=8,
)
tools = st.sampled_from(["Bash", "Read", "Edit", "Grep", "WebFetch", "Agent", "mcp__a__b", "Nonsense"]) | st.text()


@given(tools, json_values, st.text(max_size=20))
def test_whatever_is_covered_by_a_match_is_touched_by_it(tool: str, tool_input: object, match: str) -> None:
    made = call_with(tool, tool_input)
    rule = Rule(action="allow", tool="*", match=match)
    if covered(made, rule):
        assert touched(made, rule)


OWN = ("/home/ann/.config/bascule", "/home/ann/.local/state/bascule", f"{WORKSPACE}/.bascule/rules.toml")


@pytest.mark.parametrize(
    ("command", "opened"),
    [
        ("mv evil/bascule ~/.local/state", False),
        ("cp -r evil/bascule ~/.local/state/", False),
        ("rsync -a evil/ ~/.local/state/", False),
        ("tar -cf /tmp/x ~/.local", False),  # handed: nobody knows what becomes of it
        ("rm -rf ~/.config", False),
        ("rm -rf /home/ann", False),
        ("rm -rf /home/ann/app", False),
        ("rm -rf .bascule", False),
        ("rsync -a evil/ src/../", False),
        ("rsync -a evil/ /home/ann/app", False),
        ("ls ~/.config", True),
        ("rm -rf ~/.config/other", True),
        ("cp a.py .", True),
        ("rsync -a evil/ src/", True),
        ("mypy .", True),
    ],
)
def test_what_holds_our_own_folders_is_as_closed_as_they_are(command: str, opened: bool) -> None:
    made = msgspec.structs.replace(bash(command), protected=OWN)
    rules = [msgspec.structs.replace(parse(rule), where="anywhere") for rule in ("Bash", "Bash(rsync *)")]
    assert covered(made, *rules) is opened


@pytest.mark.parametrize("command", ["cp -r evil/.config .", "rm -rf .config", "mv evil/state .local"])
def test_a_home_that_is_the_workspace_keeps_our_folders_closed(command: str) -> None:
    home = places.Ground(workspace="/home/ann", home="/home/ann")
    made = msgspec.structs.replace(bash(command, "/home/ann"), ground=home, protected=OWN)
    assert not covered(made, "Bash")
