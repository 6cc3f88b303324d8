"""What we ask of the CLI."""

import json
from typing import get_args

import pytest

from bascule.wire import requests
from bascule.wire.codec import decode, encode
from bascule.wire.control import ControlRequest
from tests.wire.recorded import lines


@pytest.mark.parametrize(
    ("request_", "body"),
    [
        (requests.Interrupt(), {"subtype": "interrupt"}),
        (requests.Interrupt(cancel_queued=True), {"subtype": "interrupt", "cancel_queued": True}),
        (requests.SetPermissionMode("plan"), {"subtype": "set_permission_mode", "mode": "plan"}),
        (requests.SetModel(None), {"subtype": "set_model", "model": None}),
        (requests.SetMaxThinkingTokens(None), {"subtype": "set_max_thinking_tokens", "max_thinking_tokens": None}),
        (requests.McpToggle("s", enabled=False), {"subtype": "mcp_toggle", "serverName": "s", "enabled": False}),
        (requests.McpReadResource("s", "u"), {"subtype": "mcp_read_resource", "serverName": "s", "uri": "u"}),
        (requests.McpStatus(), {"subtype": "mcp_status"}),
        (requests.RewindFiles("u", dry_run=True), {"subtype": "rewind_files", "user_message_id": "u", "dry_run": True}),
        (requests.StopTask("t"), {"subtype": "stop_task", "task_id": "t"}),
        (requests.EndSession(), {"subtype": "end_session"}),
    ],
)
def test_a_request_is_written_inside_its_envelope(request_: requests.CliRequest, body: object) -> None:
    text = encode(ControlRequest("r", request_))
    assert json.loads(text) == {"type": "control_request", "request_id": "r", "request": body}
    assert decode(text) == ControlRequest("r", request_)


def test_every_request_is_recognised_by_a_recorded_cli() -> None:
    """The recorder asked for all of them; these were not recorded, or only in another form."""
    written = {
        type(message.request)
        for recorded in lines("in")
        if isinstance(message := decode(recorded.line), ControlRequest)
    }
    assert set(get_args(requests.CliRequest)) - written == {
        requests.RegisterRepoRoot,
        requests.McpReadResource,
        requests.SetCwd,
        requests.UpdateSettings,
        requests.SetMcpPermissionModeOverride,
        requests.SetPromptSuggestionsPaused,
    }
