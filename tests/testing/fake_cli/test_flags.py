"""The command line, to either version."""

import pytest

from bascule.testing.fake_cli import VERSIONS
from bascule.testing.fake_cli.flags import ROOT, Flags, Refused, read

NEW, OLD = VERSIONS.values()
STREAMS = ["-p", "--output-format=stream-json", "--input-format=stream-json", "--verbose"]
ID = "11111111-1111-4111-8111-111111111111"


def taken(*argv: str, old: bool = False) -> Flags:
    return read([*STREAMS, *argv], OLD if old else NEW, root=False, sandboxed=False)


def test_values_may_be_attached_or_stand_apart() -> None:
    assert taken("--model=x", "--session-id", ID).model == "x"
    assert taken("--model", "x").model == "x"
    assert taken("--allowedTools", "Read", "Edit,Write", "--verbose").allowed_tools == ("Read", "Edit", "Write")


def test_short_names_are_names() -> None:
    flags = taken("-c", "-r")
    assert (flags.continue_, flags.resume) == (True, "")


def test_the_words_of_a_prompt_are_passed_over() -> None:
    assert taken("say", "something", "--", "--no-such-flag").model is None


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--await-initialize=1"], "error: unknown option '--await-initialize=1'"),
        (["--max-turns=x"], "must be a number"),
        (["--json-schema={}"], "fake claude: --json-schema is not played"),
        (["--mcp-config", "x"], "fake claude: --mcp-config is not played"),
        (["--include-partial-messages", "--output-format=text"], "--input-format=stream-json requires"),
        (["--output-format=text", "--input-format=text", "--include-partial-messages"], "requires --print and"),
        (["--output-format=stream-json", "--input-format=text", "--replay-user-messages"], "requires both"),
        (["--output-format=text", "--input-format=text"], "fake claude: only"),
        (["--session-id=" + ID, "--continue"], "--session-id with --continue"),
        (["--session-id=" + ID.upper() + "0"], "Must be a valid UUID"),
    ],
)
def test_what_cannot_be_is_refused(argv: list[str], words: str) -> None:
    with pytest.raises(Refused, match=words):
        taken(*argv)


def test_without_verbose_there_is_no_stream() -> None:
    with pytest.raises(Refused, match="requires --verbose"):
        read(STREAMS[:-1], NEW, root=False, sandboxed=False)


def test_flags_of_the_newer_version_are_unknown_to_the_older() -> None:
    taken("--await-initialize", "--permission-mode=manual")
    with pytest.raises(Refused, match="unknown option '--await-initialize'"):
        taken("--await-initialize", old=True)
    with pytest.raises(Refused, match="unknown option '--autocompact'"):
        taken("--autocompact", old=True)
    with pytest.raises(Refused, match="argument 'manual' is invalid"):
        taken("--permission-mode=manual", old=True)


@pytest.mark.parametrize("argv", [["--dangerously-skip-permissions"], ["--permission-mode=bypassPermissions"]])
def test_root_skips_no_permissions_outside_of_a_sandbox(argv: list[str]) -> None:
    with pytest.raises(Refused, match=ROOT):
        read([*STREAMS, *argv], NEW, root=True, sandboxed=False)
    assert read([*STREAMS, *argv], NEW, root=True, sandboxed=True).verbose
    assert read([*STREAMS, *argv], NEW, root=False, sandboxed=False).verbose


def test_the_version_is_told_whatever_else_is_wrong() -> None:
    assert read(["--version"], NEW, root=True, sandboxed=False).version
