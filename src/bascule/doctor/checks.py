"""What stands around the CLI on this machine: each check says what it saw and, where something is amiss, what to do."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec

from bascule.doctor.findings import Findings
from bascule.doctor.promises import PROMISES
from bascule.doctor.proof import Proof
from bascule.errors import CliVersionRefused
from bascule.session.admission import users_folder
from bascule.transport.folders import state_folder
from bascule.transport.version import Version, judged

Verdict: TypeAlias = Literal["good", "doubtful", "bad"]

EXTRAS: Final[Mapping[str, tuple[tuple[str, ...], str]]] = {
    "term": (("rich",), "colours and Markdown in the terminal are plainer"),
    "shell": (("tree_sitter", "tree_sitter_bash"), "a shell command is allowed only by a rule that repeats it exactly"),
    "images": (("PIL",), "images are attached as they are, however large"),
}
"""By extra, the modules that it brings, and what is so without it."""


class Check(msgspec.Struct, frozen=True):
    """One thing that was looked at."""

    name: str
    verdict: Verdict
    says: str
    advice: str = ""
    """What to do about it; empty when it is good."""


def version_check(version: Version) -> Check:
    """Whether this version was tested, or is known to be broken."""
    try:
        warning = judged(version).warning
    except CliVersionRefused as exc:
        return Check("version", "bad", str(exc).partition(": ")[0], "install another version of Claude Code")
    if warning is None:
        return Check("version", "good", f"{version} is in the tested range")
    advice = "see below what differs; if sessions misbehave, install a tested version"
    return Check("version", "doubtful", warning.partition(": ")[0], advice)


def proof_check(proof: Proof) -> Check:
    """Whether the CLI asks before it writes."""
    match proof.verdict:
        case "holds":
            return Check("asks", "good", proof.why)
        case "fails":
            return Check("asks", "bad", f"it {proof.why}", "start no session with it; install another version")
        case "unknown":
            return Check("asks", "bad", f"it {proof.why}", "mend that; until then `bascule run` refuses it")


def hooks_check(found: Findings) -> Check:
    """Whether hooks are asked, and what they say is done."""
    promised = {trait.name: trait for trait in PROMISES if trait.name.startswith(("hook.", "bypass.hook"))}
    broken = [trait.about for name, trait in promised.items() if found.ways.get(name) != trait.ways[0].way]
    if not broken:
        return Check("hooks", "good", "a hook's ask asks and its deny denies, also where all is allowed")
    return Check("hooks", "bad", f"not as promised: {'; '.join(broken)}", "start no session with this CLI")


def probe_check(found: Findings) -> Check:
    """Whether every scene came to its end."""
    if not found.trouble:
        return Check("probe", "good", f"{len(found.ways)} traits and {len(found.keys)} kinds of messages seen")
    return Check("probe", "bad", "; ".join(found.trouble), "run it again on a quiet machine; if it stays so, report it")


def machine_checks(env: Mapping[str, str], *, euid: int) -> Iterator[Check]:
    """What of this machine and this Python matters for sessions."""
    yield from extra_checks(importlib.util.find_spec)
    config = users_folder(env)
    yield folder_check("config", config, "Claude Code cannot keep conversations, so none can be resumed")
    yield answers_check(config / "settings.json")
    yield folder_check("state", state_folder(env), "the proof that this CLI asks is made anew at each start")
    yield git_check(shutil.which("git", path=env.get("PATH")))
    yield root_check(euid)


def extra_checks(find: Callable[[str], object | None]) -> Iterator[Check]:
    """The extras that are installed, as ``find`` (``importlib.util.find_spec``) sees them."""
    for extra, (modules, without) in EXTRAS.items():
        if all(find(module) is not None for module in modules):
            yield Check(extra, "good", f"the extra {extra} is installed")
        else:
            yield Check(extra, "doubtful", f"not installed: {without}", f"pip install 'bascule[{extra}]'")


def folder_check(name: str, folder: Path, otherwise: str) -> Check:
    """Whether a folder can be written to, or made."""
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return Check(name, "good", f"{folder} can be written to")
    return Check(name, "doubtful", f"{folder} cannot be written to: {otherwise}", f"make {there} writable for you")


def answers_check(settings: Path) -> Check:
    """Whether a hook of the user's answers asks in the user's place: it does so in parallel, and the first one wins."""
    try:
        read = msgspec.json.decode(settings.read_bytes() or b"{}", type=_Settings)
    except FileNotFoundError:
        read = _Settings()
    except (OSError, msgspec.DecodeError) as exc:
        return Check("answers", "doubtful", f"{settings} cannot be read: {exc}", "mend it, or Claude Code goes without")
    if read.off or not read.hooks.get("PermissionRequest"):
        return Check("answers", "good", "no hook of your settings answers in your place")
    says = f"a PermissionRequest hook in {settings} may answer before you do, under every policy"
    return Check("answers", "doubtful", says, "make it a hook on Notification if it only tells you, or remove it")


class _Settings(msgspec.Struct, frozen=True):
    """What counts here of a settings file of the CLI's."""

    hooks: Mapping[str, Any] = {}
    off: bool = msgspec.field(name="disableAllHooks", default=False)


def git_check(git: str | None) -> Check:
    """Whether there is git."""
    if git is not None:
        return Check("git", "good", git)
    without = "not found: uncommitted work is not held up to the agent when it stops"
    return Check("git", "doubtful", without, "install git, or put it on PATH")


def root_check(euid: int) -> Check:
    """Who we are. The CLI refuses some modes to root (26_bypass_root_nosandbox)."""
    if euid != 0:
        return Check("user", "good", "not root")
    without = "root: Claude Code refuses the policy `autonomous`"
    return Check("user", "doubtful", without, "be another user, or, inside a sandbox only, give it IS_SANDBOX=1")
