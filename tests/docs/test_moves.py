"""The names that `how-to/coming-from-claude-agent-sdk.md` gives for those of the SDK are bascule's."""

import re

import pytest

import bascule
from tests.docs import pages
from tests.docs.pages import ROOT

PAGE = ROOT / "docs" / "how-to" / "coming-from-claude-agent-sdk.md"
NAMES, OPTIONS, ABSENT = pages.tables(PAGE)
SDK_OPTIONS = """
    add_dirs agents allowed_tools betas can_use_tool cli_path client_app continue_conversation cwd
    disallowed_tools effort enable_file_checkpointing env extra_args fallback_model fork_session
    forward_subagent_text hooks include_hook_events include_partial_messages max_budget_usd max_buffer_size
    max_thinking_tokens max_turns mcp_servers model output_format permission_mode permission_prompt_tool_name
    plugins resume resume_drops_turn resume_session_at sandbox session_id session_store setting_sources settings
    skills stderr strict_mcp_config system_prompt task_budget thinking tools user verbatim_prompts
""".split()
"""The fields of the SDK's options, of version 0.2.189, but for a dead one and two of the session store."""


def is_ours(name: str) -> bool:
    """Whether the name is public, or that of an option."""
    owner, _, rest = name.removesuffix("()").partition(".")
    if owner in bascule.Options.__struct_fields__ or owner in bascule.events.ToolUpdate.__struct_fields__:
        return True
    return owner in bascule.__all__ and (not rest or hasattr(getattr(bascule, owner), rest))


@pytest.mark.parametrize("row", NAMES[1:], ids=lambda row: row[0][:40])
def test_a_name_of_ours_is_one(row: list[str]) -> None:
    words = [word for word in re.findall(r"`([^`]+)`", row[1]) if "=" not in word]
    assert [word for word in words if not is_ours(word)] == []


@pytest.mark.parametrize("row", OPTIONS[1:], ids=lambda row: row[0][:40])
def test_an_option_of_ours_is_one(row: list[str]) -> None:
    named = [word.partition("=") for word in re.findall(r"`([^`]+)`", row[1]) if word[0] != '"']
    assert [name for name, _, _ in named if name not in bascule.Options.__struct_fields__] == []


def test_every_option_of_the_sdk_has_its_place() -> None:
    same = re.search(r"means the same: (.*?)\[Each", pages.prose(PAGE), re.DOTALL)
    assert same is not None
    called_the_same = set(re.findall(r"`(\w+)`", same[1]))
    told = {name for row in (*OPTIONS, *ABSENT) for name in re.findall(r"`(\w+)", row[0])}
    assert called_the_same <= set(bascule.Options.__struct_fields__)
    assert set(SDK_OPTIONS) - called_the_same - told == set()


def test_what_is_left_out_is_not_there() -> None:
    absent = {name for row in ABSENT[1:] for name in re.findall(r"`(\w+)`", row[0])}
    assert absent & set(bascule.Options.__struct_fields__) == set()


def test_a_name_that_is_gone_is_seen() -> None:
    assert [is_ours(name) for name in ("events.Complete", "events.Nothing", "Nobody", "cli", "run()")] == [
        True,
        False,
        False,
        True,
        True,
    ]
