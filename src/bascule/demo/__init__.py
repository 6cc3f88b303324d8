"""The demo and everything it needs: a scripted model that the real CLI talks to, a workspace, a tour.

    from bascule.demo import Script, ScriptedModel, call, say, turn

    with ScriptedModel(Script(turn(call("Read", file_path="/tmp/a"), say("Read it.")))) as model:
        ...  # a CLI whose ANTHROPIC_BASE_URL is model.url

`script` says what the model does, `model` is the Messages API on loopback that does it, `load` reads scripts from
files, `workspace` makes a home and a small project for a CLI to work in, `tour` is the script that `bascule demo`
plays. The command itself is in `cli`. Nothing here knows how bascule drives the CLI: a scripted model serves any
program that speaks the Messages API.
"""

from bascule.demo.asked import Asked, Result
from bascule.demo.load import load_script
from bascule.demo.model import Gate, ScriptedModel
from bascule.demo.script import (
    Call,
    Script,
    Step,
    Turn,
    block,
    call,
    case,
    choose,
    cut,
    drop,
    fail,
    headers,
    pause,
    rate_limit,
    reply,
    respond,
    say,
    stop,
    think,
    turn,
    usage,
    wait,
    when,
)
from bascule.demo.workspace import Workspace, clean_environment, make_workspace, temporary_workspace

__all__ = [
    "Asked",
    "Call",
    "Gate",
    "Result",
    "Script",
    "ScriptedModel",
    "Step",
    "Turn",
    "Workspace",
    "block",
    "call",
    "case",
    "choose",
    "clean_environment",
    "cut",
    "drop",
    "fail",
    "headers",
    "load_script",
    "make_workspace",
    "pause",
    "rate_limit",
    "reply",
    "respond",
    "say",
    "stop",
    "temporary_workspace",
    "think",
    "turn",
    "usage",
    "wait",
    "when",
]
