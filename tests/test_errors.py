"""The error tree: what a caller branches on, and the exit code of each."""

import pytest

from bascule import errors
from bascule.errors import BasculeError


@pytest.mark.parametrize(
    ("error", "exit_code"),
    [
        (errors.OptionError("--policy: no such policy"), 2),
        (errors.MissingExtra("term", "the terminal"), 2),
        (errors.RecordingError("no recording", "x.jsonl"), 2),
        (errors.RecordingGone("it was removed", "x.jsonl"), 2),
        (errors.HistoryError("no session file", "x.jsonl"), 2),
        (errors.CliNotFound("no claude", ("/usr/bin",)), 3),
        (errors.CliVersionRefused("too old", "1.0"), 3),
        (errors.StartFailed("it ended"), 4),
        (errors.ResumeFailed("no such session"), 4),
        (errors.SessionInUse("it runs", session="an id"), 4),
        (errors.StartTimedOut("not ready", limit="spawn"), 4),
        (errors.ProcessLost("it died", signal="SIGKILL"), 7),
        (errors.TurnTimedOut("too long", limit="turn"), 6),
        (errors.SessionClosed("ended"), 1),
    ],
)
def test_each_error_has_its_exit_code(error: BasculeError, exit_code: int) -> None:
    assert error.exit_code == exit_code


def test_S5_a_process_error_carries_exit_code_signal_and_stderr() -> None:
    error = errors.ProcessLost("it died", exit_code=1, argv=("claude", "-p"), stderr_tail="boom")
    assert (error.process_exit_code, error.signal, error.stderr_tail) == (1, None, "boom")
    assert error.argv == ("claude", "-p")
    assert str(error) == "it died\nboom"


def test_a_missing_extra_says_what_to_install() -> None:
    error = errors.MissingExtra("term", "the terminal")
    assert "pip install 'bascule[term]'" in str(error)
    assert error.extra == "term"


def test_an_error_keeps_what_a_caller_branches_on() -> None:
    assert errors.CliNotFound("no", ("a", "b")).searched == ("a", "b")
    assert errors.CliVersionRefused("no", "2.0.0").version == "2.0.0"
    assert errors.RecordingError("no", "x.jsonl").path == "x.jsonl"
    in_use = errors.SessionInUse("it runs", session="an id", pid=7)
    assert (in_use.session, in_use.pid) == ("an id", 7)
    assert errors.ResumeFailed("no", reason="copy").reason == "copy"
    assert errors.StartTimedOut("no", limit="spawn").limit == "spawn"
    late = errors.TurnTimedOut("no", limit="silence", complete=1)
    assert (late.limit, late.complete) == ("silence", 1)
    refused = errors.UnsupportedRequest("get_plan", "unknown", "unsupported_request")
    assert (refused.subtype, refused.code) == ("get_plan", "unsupported_request")
    assert str(refused) == "the CLI refused get_plan: unknown"
