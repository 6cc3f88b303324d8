"""What came of a conversation: the facts behind an exit code, folded from its events."""

from __future__ import annotations

from bascule.commands import AnyCommand, Prompt, Receipt, Refused
from bascule.events import AnyEvent, Complete, Error, PermissionResolved, PolicyDecided, SessionEnded, SessionStatus
from bascule.ids import CliSessionId
from bascule.terminal.answers import JUDGE_YOURSELF, NO_ANSWER_LEFT, NOBODY


class Tally:
    """The last outcome, how the session ended, and where it can be gone on with."""

    def __init__(self) -> None:
        self.complete: Complete | None = None
        self.ended: SessionEnded | None = None
        self.problem: str | None = None
        """The last failure that a person should see, and that no turn after it made good."""
        self._overdue = False
        """The time of the turn that runs is over."""
        self.unanswered = 0
        """Calls that were denied only because nobody could be asked."""
        self.cli_session_id: CliSessionId | None = None
        self.cwd: str | None = None
        self.interrupted = False
        """Somebody ended it before it was done."""
        self.out_of_time = False
        """The time of the whole run was over."""
        self.timed_out = False
        """The last turn was stopped since its time was over, or the session was."""
        self.unread = False
        """Nobody read the output any more."""

    def feed(self, event: AnyEvent) -> None:
        """Take one event into account."""
        match event:
            case Complete(outcome=outcome):
                self.complete = event
                self.problem = None if outcome == "success" else self.problem
                self.timed_out, self._overdue = self._overdue and outcome != "success", False
            case SessionEnded():
                self.ended = event
            case Error(kind=kind, message=message):
                self.problem = message
                self.timed_out = self._overdue = kind == "timeout" or self._overdue
            case PolicyDecided(rule=rule, verdict="deny"):
                self.unanswered += rule == NOBODY
            case PermissionResolved(rule=rule, reason=reason, outcome="denied"):
                self.unanswered += rule == NOBODY or reason in (NOBODY, NO_ANSWER_LEFT, JUDGE_YOURSELF)
            case SessionStatus(cli_session_id=cli_session_id, cwd=cwd):
                self.cli_session_id, self.cwd = cli_session_id, cwd
            case _:
                return

    def receipt(self, command: AnyCommand, receipt: Receipt) -> None:
        """A prompt that was refused is a run that failed."""
        match command, receipt:
            case Prompt(), Refused(reason=reason):
                self.problem = reason
            case _:
                return
