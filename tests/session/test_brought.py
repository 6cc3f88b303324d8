"""What a workspace brings: everything that would run or widen something is found, wherever it hides."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from bascule.session.brought import Brought, brought, denied


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "up" / "work"
    folder.mkdir(parents=True)
    return folder


def write(path: Path, said: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(said if isinstance(said, str) else json.dumps(said))
    return path


def found(work: Path) -> tuple[Brought, ...]:
    return brought(work, config=work.parents[1] / "home" / ".claude")


def told(work: Path) -> list[tuple[str, str, str]]:
    return [(one.kind, os.path.relpath(one.path, work), one.what) for one in found(work)]


def test_a_workspace_that_only_speaks_brings_nothing(work: Path) -> None:
    write(work / "CLAUDE.md", "Be kind. !`not run`")
    write(work / ".claude" / "skills" / "kind" / "SKILL.md", "---\nname: kind\n---\nBe kind! `ls`\n")
    write(work / ".claude" / "settings.json", {"permissions": {"deny": ["Read"], "ask": ["Bash"]}, "language": "de"})
    write(work / ".claude" / "settings.local.json", {})
    write(work / ".bascule" / "rules.toml", "")
    assert told(work) == []


def test_hooks_are_listed_with_what_they_run(work: Path) -> None:
    group = {"matcher": "Bash", "hooks": [{"type": "command", "command": "touch a"}, {"type": "prompt", "prompt": "x"}]}
    write(work / ".claude" / "settings.json", {"hooks": {"PreToolUse": [group], "Stop": [{"hooks": "odd"}], "New": 5}})
    assert told(work) == [
        ("hook", ".claude/settings.json", "PreToolUse: touch a"),
        ("hook", ".claude/settings.json", 'PreToolUse: {"type": "prompt", "prompt": "x"}'),
        ("hook", ".claude/settings.json", 'Stop: {"hooks": "odd"}'),
        ("hook", ".claude/settings.json", "New: 5"),
    ]


def test_settings_that_widen_or_that_nobody_knows_are_listed(work: Path) -> None:
    permissions = {"allow": ["Bash(*)"], "additionalDirectories": ["/"], "defaultMode": "acceptEdits", "deny": ["Read"]}
    said = {
        "permissions": permissions,
        "env": {"A": "b"},
        "apiKeyHelper": "x",
        "statusLine": {},
        "brandNew": 1,
        "hooks": [],
    }
    write(work / ".claude" / "settings.local.json", said)
    assert [what for _, _, what in told(work)] == [
        "permissions.allow: Bash(*)",
        'permissions.additionalDirectories: ["/"]',
        'permissions.defaultMode: "acceptEdits"',
        'env: {"A": "b"}',
        'apiKeyHelper: "x"',
        "statusLine: {}",
        "brandNew: 1",
        "hooks: []",
    ]


def test_servers_of_the_workspace_and_of_every_folder_above_are_listed(work: Path) -> None:
    servers = {
        "evil": {"command": "python", "args": ["-c", "x"]},
        "far": {"type": "http", "url": "https://x"},
        "odd": 1,
    }
    write(work / ".mcp.json", {"mcpServers": servers})
    write(work.parent / ".mcp.json", {"bare": {"command": "sh"}})
    write(work.parents[1] / ".mcp.json", {"mcpServers": 7})
    assert told(work) == [
        ("server", ".mcp.json", "evil: python -c x"),
        ("server", ".mcp.json", "far: https://x"),
        ("server", ".mcp.json", "odd: 1"),
        ("server", "../.mcp.json", "bare: sh"),
        ("server", "../../.mcp.json", ": 7"),
    ]


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("Now !`touch a`.", "!`"),
        ("```!\ntouch a\n```", "```!"),
        ("---\nname: x\nhooks:\n  Stop: []\n---\n", "hooks:"),
        ("---\nallowed-tools: Bash\n---\n", "allowed-tools:"),
        ("---\nmcpServers: [evil]\n---\n", "mcpServers:"),
    ],
)
def test_skills_agents_and_commands_that_act_are_listed(text: str, sign: str, work: Path) -> None:
    write(work / ".claude" / "skills" / "a" / "SKILL.md", text)
    write(work / ".claude" / "agents" / "b.md", text)
    write(work.parent / ".claude" / "commands" / "deep" / "c.MD", text)
    assert told(work) == [
        ("skill", ".claude/skills/a/SKILL.md", f"skills/a/SKILL.md holds `{sign}`"),
        ("agent", ".claude/agents/b.md", f"agents/b.md holds `{sign}`"),
        ("command", "../.claude/commands/deep/c.MD", f"commands/deep/c.MD holds `{sign}`"),
    ]


@pytest.mark.parametrize(
    ("frontmatter", "sign"),
    [
        ('"hooks":\n  Stop: []', '"hooks":'),
        ("? hooks\n:\n  Stop: []", "? hooks"),
        ("!!str hooks:\n  Stop: []", "!!str hooks:"),
        ("  name: boo\n  hooks:\n    Stop: []", "name: boo"),
        ('{"name": "boo", "hooks": {}}', '{"name": "boo", "hooks": {}}'),
        ("name: boo\rhooks: {}", "hooks: {}"),
        ("name: boo\x85hooks: {}", "hooks: {}"),
        ("name: &a\n  hooks: {}\n<<: *a", "name: &a"),
        ("<<: {hooks: {}}", "<<: {hooks: {}}"),
        ("isolation: worktree", "isolation: worktree"),
        ("name: boo\x00", "name: boo\x00"),
        ("description: >\n  long", "description: >"),
    ],
)
def test_a_frontmatter_that_may_say_more_than_words_is_listed(frontmatter: str, sign: str, work: Path) -> None:
    write(work / ".claude" / "agents" / "b.md", f"---\nname: boo\n{frontmatter}\n---\nBoo\n")
    assert told(work) == [("agent", ".claude/agents/b.md", f"agents/b.md holds `{sign}`")]


@pytest.mark.parametrize("start", ["\ufeff---\n", "\n---  \n", "--- \r\n"])
def test_a_frontmatter_is_seen_wherever_the_cli_may_see_one(start: str, work: Path) -> None:
    write(work / ".claude" / "agents" / "b.md", f'{start}"hooks": x\n---\n')
    assert [kind for kind, _, _ in told(work)] == ["agent"]


def test_a_frontmatter_without_an_end_hides_nothing(work: Path) -> None:
    write(work / ".claude" / "agents" / "b.md", "---\nname: a\ndescription: b--- c\n'hooks': d")
    assert [kind for kind, _, _ in told(work)] == ["agent"]


def test_a_text_in_another_encoding_may_say_anything(work: Path) -> None:
    path = write(work / ".claude" / "agents" / "b.md", "")
    path.write_bytes("---\nhooks: x\n---\n".encode("utf-16"))
    assert told(work) == [("agent", ".claude/agents/b.md", "agents/b.md holds `no UTF-8 text`")]


def test_a_frontmatter_of_words_is_not_listed(work: Path) -> None:
    words = "name: boo\r\ndescription: 'Be: kind'\r\nmodel: opus\r\ntools: Read, Grep\r\n# why\r\n\r\nversion:"
    write(work / ".claude" / "agents" / "b.md", f"---\n{words}\n---\n\n'hooks': are only spoken of here\n")
    write(work / ".claude" / "agents" / "empty.md", "\n")
    assert told(work) == []


@pytest.mark.parametrize("key", ["cleanupPeriodDays", "attribution", "outputStyle", "respectGitignore"])
def test_a_setting_that_could_delete_send_or_take_instructions_away_is_listed(key: str, work: Path) -> None:
    write(work / ".claude" / "settings.json", {key: 1})
    assert told(work) == [("setting", ".claude/settings.json", f"{key}: 1")]


def test_a_skill_behind_a_link_is_found_and_a_link_in_a_circle_ends(work: Path) -> None:
    write(work / "hidden" / "SKILL.md", "!`touch a`")
    (work / ".claude" / "skills").mkdir(parents=True)
    (work / ".claude" / "skills" / "x").symlink_to(work / "hidden")
    (work / "hidden" / "again").symlink_to(work / "hidden")
    assert [path for _, path, _ in told(work)] == [".claude/skills/x/SKILL.md"]


def test_skills_of_folders_below_are_listed_whatever_leads_there(work: Path) -> None:
    for folder in ("a/b", "a/node_modules/c", ".hidden", "d"):
        write(work / folder / ".claude" / "skills" / "s" / "SKILL.md", "!`x`")
    (work / "link").symlink_to(work)
    (work / "shut").mkdir(mode=0)
    assert [path for _, path, _ in told(work)] == ["d/.claude/skills/s/SKILL.md", "a/b/.claude/skills/s/SKILL.md"]


def test_a_large_workspace_is_looked_through_from_above_as_far_as_it_goes(work: Path) -> None:
    write(work / "near" / ".claude" / "skills" / "s" / "SKILL.md", "!`x`")
    for number in range(1_100):
        (work / "many" / str(number)).mkdir(parents=True)
    write(work / "many" / "0" / "far" / ".claude" / "skills" / "s" / "SKILL.md", "!`x`")
    assert [path for _, path, _ in told(work)] == ["near/.claude/skills/s/SKILL.md"]


def test_what_cannot_be_read_is_listed(work: Path) -> None:
    write(work / ".claude" / "settings.json", "{ // comment\n}")
    write(work / ".claude" / "settings.local.json", "[" * 200_000)
    write(work / ".mcp.json", " " * (2**20 + 1))
    os.mkfifo(write(work / ".claude" / "agents" / "x", "").with_suffix(".md"))
    write(work / ".bascule" / "rules.toml", "").unlink()
    (work / ".bascule" / "rules.toml").mkdir()
    assert [(kind, what.partition(",")[0].partition(" (")[0]) for kind, _, what in told(work)] == [
        ("setting", "it is no JSON object"),
        ("setting", "it is no JSON object"),
        ("server", "it cannot be read"),
        ("agent", "it cannot be read"),
        ("rules", "it cannot be read"),
    ]


def test_files_of_bascules_own_are_listed_and_are_not_the_clis(work: Path) -> None:
    write(work / ".bascule" / "rules.toml", '[[rule]]\naction = "allow"\ntool = "*"\n')
    write(work / ".bascule" / "config.toml", "[claude]\n")
    [rules, config] = found(work)
    assert (rules.kind, rules.comes_with_settings) == ("rules", False)
    assert (config.kind, config.comes_with_settings) == ("config", False)


def test_a_rule_file_is_listed_with_each_rule_that_allows(work: Path) -> None:
    rule = '[[rule]]\naction = "{}"\ntool = "{}"\n{}\n'
    said = (
        rule.format("allow", "Bash", 'match = "git push\\n *"\nwhere = "anywhere"\nunless = ["a", "b"]'),
        rule.format("deny", "Read", ""),
        rule.format("allow", "Edit", ""),
        rule.format("allow", "Edit", "mach = 1"),
    )
    write(work / ".bascule" / "rules.toml", "".join(said))
    [one] = found(work)
    assert one.details[:2] == ("allow Bash(git push *) where anywhere unless a, b", "allow Edit")
    assert one.details[2].startswith("rules.toml:")


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ({"tasks": [{"prompt": "tick"}, {"prompt": "tock"}, 1]}, "begins by itself: tick; tock"),
        ({"tasks": []}, None),
        ({"other": 1}, 'begins by itself: {"other": 1}'),
        ("no JSON", "it is no JSON object, and may say anything"),
    ],
)
def test_timers_are_listed_and_do_not_come_with_the_settings(said: Any, what: str | None, work: Path) -> None:
    write(work / ".claude" / "scheduled_tasks.json", said)
    assert [(one.kind, one.what, one.comes_with_settings) for one in found(work)] == (
        [] if what is None else [("timers", what, False)]
    )


def test_the_users_own_folder_is_not_the_workspaces(work: Path) -> None:
    """In the home the CLI's own folder is the user's, whichever link leads there."""
    write(work / ".claude" / "settings.json", {"env": {"A": "b"}})
    write(work / ".claude" / "skills" / "a" / "SKILL.md", "!`x`")
    (work / "link").symlink_to(work / ".claude")
    assert brought(work, config=work / "link") == ()


def test_another_folder_whose_settings_count_is_looked_at_as_well(work: Path, tmp_path: Path) -> None:
    other = tmp_path / "checkout"
    write(other / ".claude" / "settings.json", {"env": {"A": "b"}})
    write(other / ".claude" / "skills" / "a" / "SKILL.md", "!`x`")
    assert [one.kind for one in brought(work, config=tmp_path / "c", beside=other)] == ["setting", "skill"]


def test_what_changes_has_another_digest_and_what_does_not_has_the_same(work: Path) -> None:
    settings = work / ".claude" / "settings.json"
    write(settings, {"env": {"A": "b"}, "statusLine": {"command": "x"}})
    before = found(work)
    write(settings, {"statusLine": {"command": "x"}, "env": {"A": "c"}})
    after = found(work)
    assert after[0].digest == before[1].digest
    assert after[1].digest != before[0].digest


def test_what_the_settings_deny_is_known_as_far_as_a_command_line_can_say_it(work: Path) -> None:
    odd = ["Read(./.env)", "WebFetch", "mcp__git__*", "", "--x", "Bash(\0)", "Bash(\ud800)", 7, "A b", "Bash(a b:*)"]
    write(work / ".claude" / "settings.json", {"permissions": {"deny": odd}})
    write(work / ".claude" / "settings.local.json", {"permissions": {"deny": ["WebFetch", "Bash"]}})
    assert denied(work) == ("Read(./.env)", "WebFetch", "mcp__git__*", "Bash(a b:*)", "Bash")
    write(work / "x" / ".claude" / "settings.json", {"permissions": {"deny": [f"T{n}" for n in range(300)]}})
    assert len(denied(work / "x")) == 200
    assert denied(work / "y", beside=work)[0] == "Read(./.env)"


@pytest.mark.parametrize("said", ["no JSON", [], {"permissions": 1}, {"permissions": {"deny": "Bash"}}])
def test_settings_that_deny_in_no_known_way_deny_nothing(said: Any, work: Path) -> None:
    write(work / ".claude" / "settings.json", said)
    assert denied(work) == ()


def test_a_long_text_is_cut_but_counts_whole(work: Path) -> None:
    write(work / ".mcp.json", {"mcpServers": {"a": {"command": "x" * 500}}})
    [one] = found(work)
    write(work / ".mcp.json", {"mcpServers": {"a": {"command": "x" * 501}}})
    [other] = found(work)
    assert one.what == other.what == f"a: {'x' * 157}…"
    assert one.digest != other.digest
