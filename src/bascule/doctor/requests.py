"""Control requests that a probe may make to see which of them the CLI knows: of what is not there, or of nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from bascule.wire import requests as wire

NOTHING: Final = "00000000-0000-4000-8000-000000000000"
"""The id of what is not there."""


def harmless(project: Path) -> tuple[wire.CliRequest, ...]:
    """All but those that ask the model, end the process, or are a step of their own."""
    return (
        wire.SetMaxThinkingTokens(max_thinking_tokens=None),
        wire.RenameSession(title="A probe"),
        wire.McpStatus(),
        wire.McpSetServers(servers={}),
        wire.McpReconnect(server_name="nothing"),
        wire.McpToggle(server_name="nothing", enabled=False),
        wire.McpCall(tool="mcp__nothing__nothing"),
        wire.McpReadResource(server_name="nothing", uri="ui://nothing"),
        wire.GetContextUsage(),
        wire.GetSessionCost(),
        wire.GetUsage(),
        wire.ListModels(),
        wire.GetBinaryVersion(),
        wire.GetSettings(),
        wire.UpdateSettings(source="userSettings", settings={}),
        wire.ApplyFlagSettings(settings={}),
        wire.GetHooksListing(),
        wire.ListPermissionRules(),
        wire.ReadFile(path=str(project / "nothing")),
        wire.SeedReadState(path=str(project / "nothing"), mtime=0),
        wire.FileSuggestions(query="nothing"),
        wire.RewindFiles(user_message_id=NOTHING, dry_run=True),
        wire.CancelAsyncMessage(message_uuid=NOTHING),
        wire.StopTask(task_id="nothing"),
        wire.BackgroundTasks(),
        wire.GetTaskOutput(task_id="nothing"),
        wire.RegisterRepoRoot(directory=str(project)),
        wire.ReloadPlugins(),
        wire.ReloadSkills(),
        wire.GetStatus(),
        wire.GetPlan(),
        wire.ExportConversation(),
    )
