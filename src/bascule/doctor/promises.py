"""What bascule builds on: the traits that are the same in every tested version. A table. Pure."""

from __future__ import annotations

from typing import Final

from bascule.doctor.traits import Trait, Way, always

_UNASKED: Final = "Nobody would be asked: a supervised session does not start with this CLI."
_RUNS: Final = Way("runs unasked", "runs without an answer", {}, "breaking", _UNASKED)
_NEVER: Final = Way("never asks", "never comes to anybody, and does not run", {}, "breaking", _UNASKED)
_RAN_ALL_THE_SAME: Final = Way(
    "runs all the same", "runs all the same", {}, "breaking", "What was denied happens: use no session with this CLI."
)

PROMISES: Final = (
    Trait(
        "start.handshake",
        "The handshake with every hook",
        (always("takes it", "is taken", "21_init_options"),),
        "breaking",
    ),
    Trait(
        "ask.command",
        "A command that writes",
        (always("asks", "waits for an answer", "06_default_allow", before="08_deny_msg"), _RUNS, _NEVER),
        "breaking",
    ),
    Trait(
        "ask.file",
        "A file that is to be written",
        (always("asks", "waits for an answer", "17_edit_write"), _RUNS, _NEVER),
        "breaking",
    ),
    Trait(
        "ask.deny",
        "A call that was denied",
        (always("holds", "does not run", "08_deny_msg"), _RAN_ALL_THE_SAME),
        "breaking",
    ),
    Trait(
        "hook.ask",
        "A call whose hook says ask",
        (always("asks", "waits for an answer", "06_bypass_ask"), _RUNS, _NEVER),
        "breaking",
    ),
    Trait(
        "hook.deny",
        "A call whose hook says deny",
        (always("holds", "does not run", "06_bypass_deny"), _RAN_ALL_THE_SAME),
        "breaking",
    ),
    Trait(
        "bypass.hook_ask",
        "Where all is allowed, a call whose hook says ask",
        (always("asks", "waits for an answer", "06_bypass_ask"), _RUNS),
        "breaking",
    ),
    Trait(
        "bypass.hook_deny",
        "Where all is allowed, a call whose hook says deny",
        (always("holds", "does not run", "06_bypass_deny"), _RAN_ALL_THE_SAME),
        "breaking",
    ),
    Trait("ask.question", "A question to a person", (always("answers", "is answered", "14_answers_str"),), "breaking"),
    Trait("ask.plan", "A plan", (always("asks", "waits for its approval", "13_plan_allow_setmode"),), "breaking"),
    Trait(
        "bypass.question",
        "Where all is allowed, a question to a person",
        (always("asks", "waits for an answer", "14_bypass", before="probe/bypass"),),
        "breaking",
    ),
    Trait(
        "interrupt.stops",
        "A turn that is interrupted",
        (always("stops", "stops", "10_stream_text_partial"),),
        "breaking",
    ),
    Trait("turn.init", "A turn", (always("each turn", "begins with `init`", "02_multi_turn"),), "breaking"),
    Trait(
        "turn.text", "The text of a reply", (always("told", "is told whole in the result", "04_partial"),), "breaking"
    ),
    Trait("error.is_error", "A turn that an API error ended", (always("told", "says is_error", "18_401"),), "breaking"),
    Trait("resume", "A conversation that is resumed", (always("works", "goes on", "12_resume_good"),), "breaking"),
    Trait("end.of_input", "At the end of its input the CLI", (always("ends well", "ends with 0", "02_multi_turn"),)),
)
