"""Proves that a CLI asks before it writes: the one thing without which a supervised session would be none.

A real session under the policy ``supervised``, as any other, but with the scripted model, and with a home and a
workspace that are gone afterwards. The model writes a file and runs a command; the first is denied, the second allowed.
Some versions of the CLI sent no asks at all (anthropics/claude-code#34046), so this is shown and not believed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

import msgspec

from bascule.commands import AllowOnce, Decision, Deny
from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, call, say, turn, when
from bascule.demo.workspace import clean_environment
from bascule.doctor.receipts import Receipts, subject
from bascule.doctor.stage import temporary_home
from bascule.errors import BasculeError, CliNotFound, CliVersionRefused, OptionError, StartFailed
from bascule.events import PermissionRequest
from bascule.session.opening import open_session
from bascule.session.options import Options
from bascule.transport.version import ask, judged, parsed

PROOF_S: Final = 60.0
"""For a proof, which takes 2 s by itself; a busy machine takes several times that."""

FILE: Final = "written"
MARK: Final = "marked"
WRITE: Final = "proof: write a file"
RUN: Final = "proof: run a command"
REASON: Final = "The proof denies this."
ELSEWHERE: Final = (
    "spoke to another model than the scripted one (does a wrapper, or a managed setting, set ANTHROPIC_BASE_URL?)"
)
CHOSEN: Final = "(does a starter choose by the folder or by a variable? Name the program behind it with --cli)"
ALONE: Final = {
    "NO_PROXY": "127.0.0.1,localhost",
    "no_proxy": "127.0.0.1,localhost",
    "CLAUDE_CODE_MAX_RETRIES": "0",
}
"""Nothing between the CLI and the scripted model, and no patience with any other."""


class Proof(msgspec.Struct, frozen=True):
    """What the proof showed."""

    verdict: Literal["holds", "fails", "unknown"]
    why: str
    """What happened, as the end of a sentence that begins with the CLI."""


class _Person:
    """Denies the file and allows the command, and notes what was there when it was asked."""

    def __init__(self, project: Path) -> None:
        self._file = project / FILE
        self._mark = project / MARK
        self._asked = 0
        self._too_soon = False

    async def decide(self, ask: PermissionRequest) -> Decision:
        """The answer to an ask. Nothing may be there yet at any of them."""
        self._too_soon = self._too_soon or self._file.exists() or self._mark.exists()
        self._asked += 1
        return Deny(reason=REASON) if self._asked == 1 else AllowOnce()

    def judged(self, trouble: str | None) -> Proof:
        """What it comes to, in the end; ``trouble`` is what kept the conversation from its end."""
        if self._too_soon or self._file.exists():
            return Proof("fails", "wrote what nobody had allowed")
        if self._asked < 2 and self._mark.exists():
            return Proof("fails", "ran a command that writes without asking anybody")
        if trouble is not None:
            return Proof("unknown", trouble)
        if self._asked < 2:
            return Proof("fails", f"asked {self._asked} times where two calls needed leave")
        if not self._mark.exists():
            return Proof("fails", "did not run a command that was allowed")
        return Proof("holds", "asked before it wrote a file and before it ran a command, and kept to the answers")


async def prove(cli: str | Path, *, version: str | None = None, within_s: float = PROOF_S) -> Proof:
    """Whether ``cli`` asks before it writes; takes a second or two. Misbehaviour is an answer and raises nothing.

    ``version`` is what the CLI told where the session is to run: a starter that chose another one for the test leaves
    it unknown. Raises what ``open_session`` raises for a CLI that does not start.
    """
    try:
        with temporary_home() as (home, project):
            return await _proved(cli, home, project, version, within_s)
    except OSError as exc:
        return Proof("unknown", f"was given no place for a test: {exc}")


async def _proved(cli: str | Path, home: Path, project: Path, version: str | None, within_s: float) -> Proof:
    person = _Person(project)
    async with ScriptedModel(_script(project)) as model:
        env = {**clean_environment(model.url, home), **ALONE}
        options = Options(cwd=project, cli=cli, env=env, on_ask=person.decide, stop_git_check=False)
        trouble = await _trouble(options, version, within_s)
        return person.judged(ELSEWHERE if trouble is None and not model.asked else trouble)


async def _trouble(options: Options, version: str | None, within_s: float) -> str | None:
    """Go through the conversation; what kept it from its end, or from being about this version."""
    try:
        async with asyncio.timeout(within_s):
            told = await _converse(options)
    except TimeoutError:
        return f"did not finish two short turns within {within_s:g} s"
    except (OptionError, CliNotFound, CliVersionRefused, StartFailed):
        raise
    except BasculeError as exc:
        return f"could not be asked: {exc}"
    return None if version in (None, told) else f"was {told or 'of an untold version'} in the test {CHOSEN}"


async def _converse(options: Options) -> str | None:
    """The version that it told on the way, in the handshake or in its first turn."""
    async with open_session(options) as session:
        for prompt in (WRITE, RUN):
            await (await session.prompt(prompt))
        told = parsed(session.welcome.version or "")
        return None if told is None else str(told)


def _script(project: Path) -> Script:
    write = call("Write", file_path=str(project / FILE), content="This should not be here.\n")
    run = call("Bash", command=f"touch {MARK}", description="Leave a mark")
    return Script(turn(write, say("Done."), when=when(prompt=WRITE)), turn(run, say("Done."), when=when(prompt=RUN)))


async def ensure_proven(
    cli: Path, env: Mapping[str, str], receipts: Receipts, *, cwd: str | Path | None = None, doubt_passes: bool = False
) -> Proof:
    """Returns when ``cli`` may be used for a supervised session; a proof that holds is kept and not made again.

    ``env`` and ``cwd`` are the session's: there the CLI tells its version. Raises ``CliVersionRefused`` when the proof
    fails, when it could not be made (unless ``doubt_passes``), or when the version is known to be broken; as ``prove``
    does when the CLI does not start.
    """
    _, proof = await _ensured(cli, env, receipts, cwd=cwd, doubt_passes=doubt_passes)
    return proof


async def version_that_asks(cli: Path, env: Mapping[str, str], receipts: Receipts, *, cwd: str | Path) -> str:
    """The version of ``cli``, when it may be used for a supervised session. Raises as ``ensure_proven`` does."""
    version, _ = await _ensured(cli, env, receipts, cwd=cwd, doubt_passes=False)
    return version


async def _ensured(
    cli: Path, env: Mapping[str, str], receipts: Receipts, *, cwd: str | Path | None, doubt_passes: bool
) -> tuple[str, Proof]:
    version = str(judged(await ask(cli, env, cwd=cwd)).version)
    proof = await proof_of(cli, version, receipts)
    if proof.verdict == "fails" or (proof.verdict == "unknown" and not doubt_passes):
        raise CliVersionRefused(refusal(cli, version, proof), version)
    return version, proof


async def proof_of(cli: Path, version: str, receipts: Receipts, *, anew: bool = False) -> Proof:
    """The proof of this very file, remembered when it holds and only then; ``anew`` believes no receipt.

    Raises as ``prove`` does.
    """
    try:
        now = await asyncio.to_thread(subject, cli, version)
    except OSError as exc:
        return Proof("unknown", f"could not be looked at: {exc}")
    if not anew and receipts.has(now):
        return Proof("holds", "was proven before")
    receipts.forget(now)
    proof = await prove(cli, version=version)
    if proof.verdict == "holds":
        receipts.keep(now)
    return proof


def refusal(cli: Path, version: str, proof: Proof) -> str:
    """Why no supervised session is started with this CLI, and what to do. One line, but for the CLI's last words."""
    told, _, last_words = proof.why.partition("\n")
    if proof.verdict == "fails":
        what = f"in a test Claude Code {version} ({cli}) {told}: no supervised session is started with it."
        advice = "Install another version; `bascule doctor` tells more"
    else:
        what = f"it could not be tested whether Claude Code {version} ({cli}) asks before it writes: it {told}."
        advice = "Mend that (`bascule doctor` tells more), or start it untested with --unproven (unproven=True)"
    return "\n".join(filter(None, (f"{what} {advice}", last_words)))
