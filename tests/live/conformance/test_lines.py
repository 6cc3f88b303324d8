"""Lines that kill, lines that are passed over, and command lines that are refused."""

import subprocess

import pytest

from bascule.demo.script import say, turn, wait
from tests.live.conformance.stage import ID, Stage
from tests.testing.driven import FLAGS, Driven


@pytest.mark.parametrize(
    "line",
    [
        "{not json}",
        "null",
        '{"type":"user","message":{"role":"user","content":"a"}}{"type":"user"}',
        '{"type":"control_request"}',
        '{"type":"user","message":{"role":"assistant","content":"a"}}',
        '{"type":"user"}',
    ],
)
def test_a_bad_line_kills_at_once(stage: Stage, line: str) -> None:
    stage.play(turn(say("One. "), wait("never")))
    with stage.start("--include-partial-messages") as cli:
        cli.prompt("hi")
        cli.next(lambda line: line.get("event", {}).get("type") == "content_block_stop")
        cli.raw(line)
        assert cli.exit_code() == 1
        assert "result" not in [line["type"] for line in cli.lines]
        assert cli.stderr.startswith(b"Error")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[1, 2]",
        '"text"',
        '{"type":"nonsense"}',
        '{"a":1}',
        '{"type":"keep_alive"}',
        '{"type":"control_cancel_request","request_id":"x"}',
        '{"type":"control_response","response":"text"}',
        '{"type":"user","message":{"role":"user","content":"hi"}}\r',
    ],
)
def test_an_odd_line_is_passed_over(stage: Stage, line: str) -> None:
    stage.play(say("One."), say("Two."))
    with stage.start() as cli:
        cli.raw(line)
        taken = cli.result()["result"] if '"hi"' in line else None
        assert cli.turn("hi again")["result"] == ("Two." if taken else "One.")


@pytest.mark.parametrize("line", ["   ", '\ufeff{"type":"keep_alive"}', '{"type":"control_response"}'])
def test_some_lines_kill_the_older_version_only(stage: Stage, line: str, newer: bool) -> None:
    stage.play(say("One."))
    with stage.start() as cli:
        cli.initialize()
        cli.raw(line)
        if newer:
            assert cli.turn("hi")["result"] == "One."
        else:
            assert cli.exit_code() == 1


REFUSED = [
    (["--no-such-flag"], "error: unknown option '--no-such-flag'"),
    (
        ["--permission-mode=foo"],
        "error: option '--permission-mode <mode>' argument 'foo' is invalid. Allowed choices are",
    ),
    (["--output-format=xml"], "error: option '--output-format <format>' argument 'xml' is invalid."),
    (["--output-format=json"], "Error: --input-format=stream-json requires output-format=stream-json."),
    (["--verbose=3"], "error: unknown option '--verbose=3'\n(Did you mean --verbose?)"),
    (["--session-id=xyz"], "Error: Invalid session ID. Must be a valid UUID."),
    (["--session-id=" + ID.format(1), "--resume=" + ID.format(2)], "Error: --session-id"),
    (["--resume-session-at=abc"], "Error: --resume-session-at requires --resume"),
    (["--setting-sources=foo"], "Error processing --setting-sources: Invalid setting source: foo."),
    (["--model"], "error: option '--model <model>' argument missing"),
]


@pytest.mark.parametrize(("flags", "words"), REFUSED, ids=[" ".join(row[0]) for row in REFUSED])
def test_a_wrong_command_line_ends_it_before_a_word(stage: Stage, flags: list[str], words: str) -> None:
    with stage.start(*flags, mode=None) as cli:
        assert cli.exit_code() == 1
        assert cli.lines == []
        assert cli.stderr.decode().startswith(words)


def test_without_verbose_it_does_not_start(stage: Stage) -> None:
    flags = [flag for flag in FLAGS if flag != "--verbose"]
    with Driven(stage.cli, stage.env, stage.workspace, "--verbose", mode=None) as cli:
        assert cli.end() == 0
    ended = subprocess.run(
        [stage.cli, *flags], check=False, cwd=stage.workspace, env=stage.env, capture_output=True, input=b""
    )
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert b"requires --verbose" in ended.stderr
