"""Control requests of the host, each answered at once and whatever else is going on.

What the CLI knows and the fake does not is refused like a request that nobody knows: a test that needs it needs the
real CLI.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from bascule.testing.fake_cli.heard import Request
from bascule.testing.fake_cli.host import HOOK_TIMEOUT_S
from bascule.testing.fake_cli.talk import Hook, Talk

_MODES: Final = ("acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan")
_MODELS: Final[Mapping[str, str]] = {"haiku": "claude-haiku-5-5", "sonnet": "claude-sonnet-5-5"}
_ACKNOWLEDGED: Final = frozenset(("apply_flag_settings", "rename_session", "set_max_thinking_tokens", "stop_task"))
"""Answered with a success that has no ``response``."""

_NOT_PLAYED: Final = frozenset(("agents", "jsonSchema", "sdkMcpServers"))

Reply: TypeAlias = dict[str, Any] | None
"""The ``response`` of a success; None: the key is left out."""


class Refusal(Exception):
    """The request is answered with an error."""

    def __init__(self, words: str, code: str) -> None:
        super().__init__(words)
        self.code = code


def obey(request: Request, talk: Talk, interrupt: Callable[..., Reply]) -> None:
    """Does what is asked for and says the ``control_response``."""
    named = {} if request.id is None else {"request_id": request.id}
    try:
        answer = _answer(request.body, talk, interrupt)
    except Refusal as exc:
        code = {"error_code": exc.code} if talk.version.checks_modes else {}
        body: dict[str, Any] = {"subtype": "error", **named, "error": str(exc), **code}
        talk.say({"type": "control_response", "response": body})
        return
    body = {"subtype": "success", **named, **({} if answer is None else {"response": answer})}
    talk.say({"type": "control_response", "response": body})
    if request.body["subtype"] == "set_permission_mode" and answer is not None:
        talk.change_mode(answer["mode"])  # behind its acknowledgement (13_plan_rearm)


def _answer(body: Mapping[str, Any], talk: Talk, interrupt: Callable[..., Reply]) -> Reply:
    match body.get("subtype", "undefined"):
        case "initialize":
            return _initialize(body, talk)
        case "interrupt":
            return interrupt(cancel_queued=body.get("cancel_queued") is True)
        case "set_permission_mode":
            return {"mode": _mode(body, talk)}
        case "set_model":
            return _set_model(body, talk)
        case "cancel_async_message":
            return _cancel(body, talk)
        case "mcp_status":
            return {"mcpServers": []}
        case subtype if subtype in _ACKNOWLEDGED:
            return None
        case subtype:
            raise Refusal(f"Unsupported control request subtype: {subtype}", "unsupported_request")


def _initialize(body: Mapping[str, Any], talk: Talk) -> Reply:
    """Hooks count from the first ``initialize`` before the first prompt; the newer version takes later ones as well."""
    for name in _NOT_PLAYED & body.keys():
        raise Refusal(f"fake claude: initialize.{name} is not played; use the real CLI for it", "not_played")
    if talk.version.late_hooks or not (talk.initialized or talk.prompted):
        talk.hooks += _hooks(body.get("hooks"), talk)
    talk.initialized = True
    answer: dict[str, Any] = {
        "commands": [{"name": "compact", "description": "Free up context", "argumentHint": ""}],
        "agents": [{"name": "general-purpose", "description": "Does what it is told"}],
        "output_style": "default",
        "available_output_styles": ["default"],
        "models": [{"value": "default", "displayName": "Default"}],
        "account": {},
        "pid": os.getpid(),
    }
    if talk.version.tells_prompts:
        answer |= {
            "claude_code_version": talk.version.number,
            "current_permission_mode": talk.rights.mode,
            "hook_on_failure_supported": talk.version.blocks_on_failure,
        }
    return answer


def _hooks(value: Any, talk: Talk) -> Iterator[Hook]:
    for event, matchers in value.items() if isinstance(value, dict) else ():
        for matcher in matchers if isinstance(matchers, list) else ():
            for callback_id in matcher.get("hookCallbackIds", ()):
                yield Hook(
                    event=str(event),
                    callback_id=str(callback_id),
                    matcher=matcher.get("matcher"),
                    timeout_s=matcher.get("timeout") or HOOK_TIMEOUT_S,
                    blocks_on_failure=matcher.get("onFailure") == "block",
                )


def _mode(body: Mapping[str, Any], talk: Talk) -> str:
    """The mode to change to; the older version takes any word for one."""
    mode = str(body.get("mode"))
    if mode == "manual" and "manual" in talk.version.modes:
        mode = "default"
    if mode not in _MODES and talk.version.checks_modes:
        raise Refusal(f"Cannot set permission mode: must be one of {', '.join(_MODES)}", "invalid_mode")
    if mode == "bypassPermissions" and not talk.rights.bypass_launched:
        words = "because the session was not launched with --dangerously-skip-permissions"
        raise Refusal(f"Cannot set permission mode to bypassPermissions {words}", "bypass_not_launched")
    return mode


def _set_model(body: Mapping[str, Any], talk: Talk) -> Reply:
    """Any name is taken. Once there was a turn, a change is told by a replay line, and before the answer."""
    wanted = body.get("model")
    named = talk.version.model if wanted in (None, "default") else str(wanted)
    model = _MODELS.get(named, named)
    changed, talk.model = model != talk.model, model
    if changed and talk.prompted:
        shown = named if model == named else f"{named} ({model})"
        words = f"<local-command-stdout>Set model to `{shown}`</local-command-stdout>"
        talk.say(talk.lines.echo(words, None))  # 21_set_model_midturn
    return {"model": talk.model} if talk.version.tells_prompts else None


def _cancel(body: Mapping[str, Any], talk: Talk) -> Reply:
    """Takes a prompt back that no turn has begun (11_cancel_async)."""
    wanted = body.get("message_uuid")
    found = next((prompt for prompt in talk.waiting if prompt.uuid is not None and prompt.uuid == wanted), None)
    if found is None:
        return {"cancelled": False}
    talk.waiting.remove(found)
    talk.tell(talk.lines.lifecycle(found.uuid, "cancelled"))
    named = {"message_uuid": wanted} if talk.version.tells_prompts else {}
    return {"cancelled": True, **named}
