"""Every error that bascule raises, on one screen.

A class exists where a caller would act differently; its attributes are what that caller would branch on.
The message says what happened, with the value that was wrong, and what to do next. ``exit_code`` is what
``bascule run`` ends with (see docs/reference/exit-codes.md). What the CLI says never raises: it becomes events.
"""

from __future__ import annotations

from typing import Any, ClassVar


class BasculeError(Exception):
    """The root of the tree: ``except BasculeError`` catches whatever bascule raises on purpose."""

    exit_code: ClassVar[int] = 1


class LocalProtocolError(BasculeError):
    """Our side made a move that the protocol forbids; a bug in bascule or in its caller."""


class OptionError(BasculeError):
    """An option, a configuration value or a command line is wrong; nothing was started."""

    exit_code = 2


class MissingExtra(OptionError):
    """A part of bascule is not installed. ``extra`` is what ``pip install 'bascule[EXTRA]'`` needs."""

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs the extra {extra!r}: pip install 'bascule[{extra}]'")
        self.extra = extra


class RecordingError(BasculeError):
    """A file is no recording, or it cannot be read or written. ``path`` names it."""

    exit_code = 2

    def __init__(self, message: str, path: str) -> None:
        super().__init__(message)
        self.path = path


class RecordingGone(RecordingError):
    """The recording of a hub's session was removed. What happened can be read; a fork goes on with the conversation."""


class HistoryError(BasculeError):
    """A session file of the CLI is not there, is none, or cannot be read or written. ``path`` names it."""

    exit_code = 2

    def __init__(self, message: str, path: str) -> None:
        super().__init__(message)
        self.path = path


class StoreError(BasculeError):
    """The store of a hub cannot be used: another hub has it, it is of a newer version, or it is damaged."""

    exit_code = 2


class HubFull(BasculeError):
    """No session more may live on this machine now; the message says what makes room."""


class SessionInUse(BasculeError):
    """The conversation ``session`` (the CLI's id) is open elsewhere: it can neither be gone on with nor deleted.

    ``pid`` is the process that has it open, the CLI or a program of bascule's; None where that is not known.
    """

    exit_code = 4

    def __init__(self, message: str, *, session: str, pid: int | None = None) -> None:
        super().__init__(message)
        self.session = session
        self.pid = pid


class CliNotFound(BasculeError):
    """There is no Claude Code CLI. ``searched`` lists the places that were looked at, in order."""

    exit_code = 3

    def __init__(self, message: str, searched: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.searched = searched


class CliVersionRefused(BasculeError):
    """The CLI is known to be broken, failed a proof (``doctor.proof``), or does not tell its version."""

    exit_code = 3

    def __init__(self, message: str, version: str) -> None:
        super().__init__(message)
        self.version = version


class ProcessError(BasculeError):
    """The CLI process ended when it should not have. ``stderr_tail`` holds its last words, ``argv`` what was started,
    without secrets."""

    exit_code = 7

    def __init__(
        self,
        message: str,
        *,
        exit_code: int | None = None,
        signal: str | None = None,
        argv: tuple[str, ...] = (),
        stderr_tail: str = "",
    ) -> None:
        super().__init__(f"{message}\n{stderr_tail}" if stderr_tail else message)
        self.process_exit_code = exit_code
        self.signal = signal
        self.argv = argv
        self.stderr_tail = stderr_tail


class StartFailed(ProcessError):
    """The CLI ended before it was ready; no turn ran."""

    exit_code = 4


class ResumeFailed(StartFailed):
    """The conversation cannot be gone on with. Never an empty new session in its place (12_resume_stale).

    ``reason``: ``missing``: there is none of that id, title or file; ``empty``: its file is there, and nothing that can
    be read was said in it; ``message``: it has no message ``resume_at``; ``ambiguous``: several have that title;
    ``copy``: the file is one of another conversation's, and can be gone on with in a fork only.
    """

    def __init__(
        self,
        message: str,
        *,
        reason: str = "missing",
        exit_code: int | None = None,
        signal: str | None = None,
        argv: tuple[str, ...] = (),
        stderr_tail: str = "",
    ) -> None:
        super().__init__(message, exit_code=exit_code, signal=signal, argv=argv, stderr_tail=stderr_tail)
        self.reason = reason


class StartTimedOut(StartFailed):
    """The CLI was not ready in time. ``limit``: ``spawn`` if it never said a word, else ``initialize``."""

    def __init__(self, message: str, *, limit: str, argv: tuple[str, ...] = (), stderr_tail: str = "") -> None:
        super().__init__(message, argv=argv, stderr_tail=stderr_tail)
        self.limit = limit


class ProcessLost(ProcessError):
    """The CLI ended in the middle of the work; what was open is told as lost."""


class TurnTimedOut(ProcessError):
    """The turn was stopped since a limit of time was over: ``limit`` is ``first_byte``, ``silence``, ``turn`` or
    ``total``, ``complete`` the turn's ``events.Complete``. That is None when the process had to be ended for it."""

    exit_code = 6

    def __init__(
        self,
        message: str,
        *,
        limit: str,
        complete: Any = None,
        exit_code: int | None = None,
        signal: str | None = None,
        argv: tuple[str, ...] = (),
        stderr_tail: str = "",
    ) -> None:
        super().__init__(message, exit_code=exit_code, signal=signal, argv=argv, stderr_tail=stderr_tail)
        self.limit = limit
        self.complete = complete


class PromptDropped(BasculeError):
    """The prompt was taken back before it ran; no turn answers it (10_interrupt_race_cancelq)."""

    exit_code = 130


class StructuredOutputMissing(BasculeError):
    """The turn succeeded without the structured output that was asked for. ``complete`` is its ``events.Complete``.

    The CLI reminds the model once, and then lets the turn end (20_json_schema_never).
    """

    def __init__(self, complete: Any) -> None:
        super().__init__(
            "the model gave no output of the schema that was asked for; its words are in complete.text:"
            " ask again, or describe in the prompt what is wanted"
        )
        self.complete = complete


class ToolError(BasculeError):
    """For tools of yours: raise it to tell the model what went wrong. Unlike other exceptions it is not logged."""


class SessionClosed(BasculeError):
    """The session was ended; it takes no more commands."""


class RequestFailed(BasculeError):
    """The CLI answered a control request with an error. ``code`` is its ``error_code`` where it sends one."""

    def __init__(self, subtype: str, message: str, code: str | None = None) -> None:
        super().__init__(f"the CLI refused {subtype}: {message}")
        self.subtype = subtype
        self.code = code


class UnsupportedRequest(RequestFailed):
    """This CLI does not know the control request (21_control_requests: ``unsupported_request``)."""
