"""Names the differences between what a probe found and what a tested version says, and what each means. Pure.

Two yardsticks. What is *missing* or goes *another way* is told against the newest tested version. What is *new* is told
against the code: a key that a class reads is nothing new, whichever version first sent it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal, TypeAlias

import msgspec

from bascule.doctor.catalogue import SENT, TESTED, TRAITS, is_described, recorded
from bascule.doctor.findings import NEW, Findings
from bascule.doctor.traits import Trait, Weight
from bascule.errors import OptionError
from bascule.transport.extra import REFUSED, checked_extra
from bascule.wire.hooks import EVENTS
from bascule.wire.permissions import MODES

About: TypeAlias = Literal[
    "behaviour", "message", "key", "flag", "mode", "tool", "model", "capability", "hook event", "request"
]
Change: TypeAlias = Literal["new", "missing", "changed"]

WEIGHTS: Final[tuple[Weight, ...]] = ("breaking", "worth knowing", "harmless")


Meaning: TypeAlias = tuple[Weight, str]

UNREAD: Final = "Kept in recordings, and shown to nobody."

GONE_KINDS: Final[Mapping[str, Meaning]] = {
    "assistant": ("breaking", "No reply would be seen."),
    "user": ("breaking", "No call would be seen to end."),
    "result": ("breaking", "No turn would be seen to end."),
    "system/init": ("breaking", "No turn would be seen to begin."),
    "asked/can_use_tool": ("breaking", "No ask would reach a person."),
    "hook/PreToolUse": ("breaking", "No policy would be asked."),
    "stream_event": ("worth knowing", "Text comes in whole blocks, not as it is written."),
    "system/session_state_changed": ("worth knowing", "When a run is over is told by its results alone."),
    "hook/Stop": ("worth knowing", "Uncommitted work is not held up to the agent."),
    "command_lifecycle": ("harmless", "Which turn answers a prompt is told by echoes and by order."),
    "conversation_reset": ("harmless", "A new session id tells that a conversation begins anew."),
    "system/permission_denied": ("harmless", "A denial that nobody was asked about is told by the result of the call."),
}
"""What it means that a kind of message does not come; of others nothing that a user would see."""

GONE_KEYS: Final[Mapping[str, Meaning]] = {
    "result.is_error": ("breaking", "A turn that failed would look like one that went well."),
    "result.total_cost_usd": ("worth knowing", "No cost is told, and budgets do not hold."),
    "result.usage": ("worth knowing", "No tokens are told."),
    "result.user_message_uuids": ("harmless", "Which turn answers a prompt is told by echoes and by order."),
    "result.model_usage_since_last_result": ("harmless", "Costs are told by differences."),
    "result.origin": ("harmless", "A turn that the CLI began itself is told by its order."),
    "user.tool_result_meta": ("harmless", "Who decided about a call is told by bascule's own record alone."),
    "system/init.capabilities": ("harmless", "What the CLI can do is told by what it sends."),
    "assistant.aborted": ("harmless", "That a text was cut off is told by the turn's end."),
    "stream_event.abandoned_blocks": ("harmless", "Blocks that broke off are closed when the next message begins."),
    "answer/initialize.claude_code_version": ("harmless", "The version is told with the first turn."),
    "answer/interrupt.still_queued": ("harmless", "Nothing is told of prompts that wait behind an interrupt."),
}
"""What it means that a key does not come."""

GATED: Final = frozenset(("PreToolUse", "PermissionRequest"))
"""Hook events on which a policy depends."""

VERBS: Final[Mapping[str, str]] = {
    "initialize": "Every start",
    "interrupt": "`interrupt`",
    "set_permission_mode": "`set_mode`",
    "set_model": "`set_model`",
}
"""What a session does with a request."""


class Difference(msgspec.Struct, frozen=True):
    """One difference, or several of one kind that mean the same."""

    about: About
    change: Change
    weight: Weight
    names: tuple[str, ...]
    """What differs: names of the CLI's, or of a trait."""
    says: str
    """A sentence, or empty where the names say it all."""
    means: str = ""
    """For whoever uses bascule; empty when there is nothing to say."""
    like: tuple[str, ...] = ()
    """Tested versions that are so too."""
    source: str = ""
    """The recording that shows it, of a version that is so too."""


def compared(found: Findings) -> tuple[Difference, ...]:
    """How a CLI differs from the newest tested version, the gravest first, and which older one is the same in it."""
    newest, *older = (recorded(version).findings() for version in TESTED)
    told = differences(found, newest)
    for other in older:
        same = {name for difference in differences(other, newest) for name in _marks(difference)}
        told = tuple(
            msgspec.structs.replace(each, like=(*each.like, str(other.version))) if _marks(each) <= same else each
            for each in told
        )
    return told


def _marks(difference: Difference) -> frozenset[tuple[str, ...]]:
    """What makes a difference the same as another one, name by name."""
    return frozenset((difference.about, difference.change, name, difference.says) for name in difference.names)


def differences(found: Findings, newest: Findings) -> tuple[Difference, ...]:
    """How ``found`` differs from a ``newest`` version and from what bascule reads; the gravest first.

    Where a scene broke off (``found.trouble``), nothing is called missing: it may not have been looked for.
    """
    told = (
        *_ways(found),
        *_kinds(found, newest),
        *_keys(found, newest),
        *_unread(found, newest),
        *_sets(found, newest),
    )
    certain = (each for each in told if not (found.trouble and each.change == "missing"))
    return tuple(sorted(certain, key=lambda difference: WEIGHTS.index(difference.weight)))


def _ways(found: Findings) -> Iterator[Difference]:
    for name, trait in TRAITS.items():
        if name in found.ways and found.ways[name] != trait.ways[0].way:
            yield _way(trait, found.ways[name])


def _way(trait: Trait, name: str) -> Difference:
    way = trait.known(name)
    if way is None:
        means = "No tested version does this."
        return Difference("behaviour", "changed", trait.otherwise, (trait.name,), f"{trait.about}: {name}.", means)
    source = next(iter(way.shown.values()), "")
    return Difference(
        "behaviour", "changed", way.weight, (trait.name,), f"{trait.about} {way.says}.", way.means, source=source
    )


def _kinds(found: Findings, newest: Findings) -> Iterator[Difference]:
    new: dict[str, Meaning] = {kind: ("worth knowing", UNREAD) for kind in found.unread if NEW in found.unread[kind]}
    unanswered = {f"answer/{request}" for request in newest.requests - found.requests}
    lost = newest.keys.keys() - found.keys.keys() - unanswered
    gone = {kind: GONE_KINDS.get(kind, ("harmless", "")) for kind in lost}
    yield from _grouped("message", "new", new)
    yield from _grouped("message", "missing", gone)


def _keys(found: Findings, newest: Findings) -> Iterator[Difference]:
    gone = {
        f"{kind}.{key}": GONE_KEYS.get(f"{kind}.{key}", ("harmless", ""))
        for kind in newest.keys.keys() & found.keys.keys()
        for key in newest.keys[kind] - found.keys[kind]
    }
    yield from _grouped("key", "missing", gone)


def _unread(found: Findings, newest: Findings) -> Iterator[Difference]:
    """What no class takes, but for what none took of the newest tested version either."""
    new: dict[str, Meaning] = {
        f"{kind}.{place}": ("harmless", "Kept in recordings, and not read.")
        for kind, places in found.unread.items()
        for place in places - newest.unread.get(kind, frozenset()) - {NEW}
    }
    yield from _grouped("key", "new", new)


def _sets(found: Findings, newest: Findings) -> Iterator[Difference]:
    """Flags, tools and the like: what a CLI has that the other has not. Nothing is missing where it told nothing."""
    yield from _set("flag", found.flags, newest.flags, _flag)
    yield from _set("mode", found.modes, newest.modes, _mode)
    yield from _set("tool", found.tools, newest.tools, _tool)
    yield from _set("model", found.models, newest.models, _nothing)
    yield from _set("hook event", found.hook_events, newest.hook_events, _hook_event)
    yield from _set("request", found.requests, newest.requests, _request)
    yield from _set("capability", found.capabilities, newest.capabilities, _nothing)


def _set(
    about: About, has: frozenset[str], had: frozenset[str], meaning: Callable[[str, Change], Meaning]
) -> Iterator[Difference]:
    yield from _grouped(about, "new", {name: meaning(name, "new") for name in has - had})
    if has:
        yield from _grouped(about, "missing", {name: meaning(name, "missing") for name in had - has})


def _nothing(name: str, change: Change) -> Meaning:
    return "harmless", ""


def _flag(name: str, change: Change) -> Meaning:
    if change == "new":
        try:
            checked_extra((f"{name}=x",))
        except OptionError as exc:
            return "harmless", f"`extra_args` refuses it: {str(exc).rpartition(': ')[2]}."
        return "harmless", "`extra_args` takes it."
    if name in SENT:
        return "breaking", "bascule sends it at every start, and the CLI ends at once with an unknown flag."
    option = _OPTIONS.get(_spelling(name))
    if option is not None:
        return "worth knowing", f"A start with the option {option} fails."
    return "harmless", "Never sent by bascule."


def _mode(name: str, change: Change) -> Meaning:
    if change == "new":
        return "harmless" if name in MODES else "worth knowing", "" if name in MODES else "No policy has this name."
    return "worth knowing" if name in MODES else "harmless", "A start in this mode fails."


def _tool(name: str, change: Change) -> Meaning:
    if change == "missing" or is_described(name):
        return "harmless", ""
    return "harmless", "Shown by name and input; rules can name it, and without one it asks."


def _hook_event(name: str, change: Change) -> Meaning:
    if change == "new":
        return "harmless", "" if name in EVENTS else "Callbacks cannot be registered for it."
    return "breaking" if name in GATED else "worth knowing", "Callbacks for it are never called."


def _request(name: str, change: Change) -> Meaning:
    if change == "missing" and name in VERBS:
        return "breaking", f"{VERBS[name]} fails."
    return "harmless", ""


def _grouped(about: About, change: Change, meanings: Mapping[str, Meaning]) -> Iterator[Difference]:
    """One difference for all names that mean the same."""
    names: dict[Meaning, list[str]] = {}
    for name, meaning in sorted(meanings.items()):
        names.setdefault(meaning, []).append(name)
    for (weight, means), same in names.items():
        yield Difference(about, change, weight, tuple(same), "", means)


def _spelling(flag: str) -> str:
    return flag.lower().replace("-", "")


_OPTIONS: Final = {
    _spelling(name): reason.partition("use the option ")[2]
    for name, reason in REFUSED.items()
    if "use the option" in reason
}
"""The option that sends a flag, by the flag."""
