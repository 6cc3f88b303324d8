"""What the CLI answers to our requests."""

from typing import Any

import pytest

from bascule.wire import answers
from bascule.wire.codec import decode
from bascule.wire.control import ControlRequest, ControlResponse, Succeeded
from bascule.wire.requests import CancelAsyncMessage, Interrupt, SetModel, SetPermissionMode
from bascule.wire.shape import Shape
from tests.wire.recorded import scenario


def body(name: str, kind: type[Any]) -> Any:
    """The body of the answer to the last request of that kind in a recording."""
    requests = [message for message in map(decode, scenario(name, "in")) if isinstance(message, ControlRequest)]
    wanted = [request.request_id for request in requests if isinstance(request.request, kind)][-1]
    return next(
        message.response.response
        for message in map(decode, scenario(name, "out"))
        if isinstance(message, ControlResponse)
        and isinstance(message.response, Succeeded)
        and message.response.request_id == wanted
    )


def named(name: str, subtype: str) -> Any:
    """The body of the answer to a request that the recorder named by its subtype."""
    return next(
        message.response.response
        for message in map(decode, scenario(name, "out"))
        if isinstance(message, ControlResponse)
        and isinstance(message.response, Succeeded)
        and message.response.request_id.startswith(f"gt_{subtype}_")
    )


@pytest.mark.parametrize(("version", "told"), [("2.1.332", "2.1.332"), ("2.1.197", None)])
def test_initialize_tells_commands_models_and_the_version(version: str, told: str | None) -> None:
    initialized = answers.read(named(f"{version}/02_two_prompts_at_once", "initialize"), answers.Initialized)
    assert initialized.claude_code_version == told
    assert (initialized.capabilities is None) == (told is None)
    assert initialized.commands[0].name
    assert initialized.models[0].value == "default"
    assert initialized.account.api_key_source == "ANTHROPIC_API_KEY"


def test_an_interrupt_tells_what_is_still_queued() -> None:
    newer = answers.read(body("2.1.332/11_interrupt_cancel_queued", Interrupt), answers.Interrupted)
    older = answers.read(body("2.1.197/10_interrupt_race_warm", Interrupt), answers.Interrupted)
    assert newer.still_queued == ()
    assert len(newer.cancelled) == 1
    assert older == answers.Interrupted()


@pytest.mark.parametrize(
    ("subtype", "kind", "attribute"),
    [
        ("get_context_usage", answers.ContextUsage, "max_tokens"),
        ("get_usage", answers.UsageReport, "session"),
        ("get_session_cost", answers.Cost, "text"),
        ("list_models", answers.Models, "models"),
        ("get_binary_version", answers.BinaryVersion, "version"),
        ("list_permission_rules", answers.PermissionRules, "state"),
        ("read_file", answers.FileContents, "contents"),
        ("reload_plugins", answers.Reloaded, "commands"),
        ("side_question", answers.SideAnswer, "response"),
        ("export_conversation", answers.Exported, "default_filename"),
        ("rewind_files", answers.Rewound, "error"),
        ("set_model", answers.ModelSet, "model"),
        ("set_permission_mode", answers.ModeSet, "mode"),
        ("get_hooks_listing", answers.HooksListing, "event_catalog"),
    ],
)
def test_a_recorded_answer_is_read(subtype: str, kind: type[Shape], attribute: str) -> None:
    read = answers.read(named("2.1.332/21_control_requests", subtype), kind)
    assert getattr(read, attribute) != getattr(kind(), attribute)


def test_a_server_tells_its_tools() -> None:
    (server,) = answers.read(named("2.1.332/22_tools", "mcp_status"), answers.Servers).mcp_servers
    assert (server.name, server.status, server.scope) == ("toy", "connected", "dynamic")
    assert server.server_info == answers.ServerInfo("toy", "1")
    assert server.tools[0] == answers.ServerTool("echo", annotations={"readOnly": True})


def test_a_queued_prompt_is_taken_back() -> None:
    taken = answers.read(body("2.1.332/11_cancel_async", CancelAsyncMessage), answers.MessageCancelled)
    assert taken.cancelled is not None


@pytest.mark.parametrize("missing", [None, "text", []])
def test_an_answer_without_a_body_says_nothing(missing: Any) -> None:
    assert answers.read(missing, answers.ModelSet) == answers.ModelSet()


def test_a_model_and_a_mode_are_confirmed() -> None:
    model = answers.read(body("2.1.332/21_control_requests", SetModel), answers.ModelSet)
    mode = answers.read(body("2.1.332/13_plan_rearm", SetPermissionMode), answers.ModeSet)
    assert model.model
    assert mode.mode == "plan"
