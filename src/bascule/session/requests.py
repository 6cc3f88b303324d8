"""What the CLI of a session can be asked beside the conversation: a method for each request that a host can use.

Requests of the conversation itself, such as an interrupt or a change of mode, are methods of the session. Those that
need Anthropic's servers, a browser or a desktop have no method here; ``Cli.request`` makes any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, TypeVar

from bascule.errors import LocalProtocolError, RequestFailed, UnsupportedRequest
from bascule.session.line import Line
from bascule.session.served import Served
from bascule.transport.version import Version, parsed
from bascule.wire import answers, requests
from bascule.wire.control import OurRequest, UnknownRequest
from bascule.wire.shape import Number, Shape
from bascule.wire.system import SlashCommand

CHECKS_SINCE: Final = Version(2, 1, 332)
"""The first tested version that heeds ``check_permissions``; 2.1.197 leaves it aside."""

AnswerT = TypeVar("AnswerT", bound=Shape)


class Cli:
    """The CLI of one session, to be asked and told. Any time, in any number, beside a running turn too.

    What an answer leaves out is None or empty; most of them say less on 2.1.197. Every method raises
    ``UnsupportedRequest`` when this CLI does not know the request, ``RequestFailed`` when it refuses, ``ProcessLost``
    when it ends first, and ``SessionClosed``. None has a limit of its own: put ``asyncio.timeout`` around it, and a
    request that is given up so is withdrawn.
    """

    def __init__(self, line: Line, tools: Served, refuse_when_closed: Callable[[], None]) -> None:
        self._line = line
        self._tools = tools
        self._refuse_when_closed = refuse_when_closed

    async def request(self, subtype: str, **fields: Any) -> Any:
        """Make any request, in the CLI's own words: the ``response`` of its answer, as JSON; None when it has none.

        Raises ``LocalProtocolError`` for ``initialize``: a second one is answered, and harms (21_init_twice).
        """
        if subtype == "initialize":
            raise LocalProtocolError("the handshake is made when a session opens, and only then: use its options")
        return await self._ask(UnknownRequest(raw={"subtype": subtype, **fields}))

    async def context_usage(self, *, detail: Literal["summary", "full"] | None = None) -> answers.ContextUsage:
        """How full the context is, and of what, in tokens. ``detail``: of 2.1.332 only."""
        return await self._read(requests.GetContextUsage(detail=detail), answers.ContextUsage)

    async def usage(self) -> answers.UsageReport:
        """Money, time and tokens of the session, and the rate limits of the account where it has a login."""
        return await self._read(requests.GetUsage(skip_behaviors=True), answers.UsageReport)

    async def session_cost(self) -> str:
        """The same in words for people."""
        return (await self._read(requests.GetSessionCost(), answers.Cost)).text or ""

    async def settings(self) -> answers.Settings:
        """The settings in force, and where each comes from."""
        return await self._read(requests.GetSettings(), answers.Settings)

    async def update_settings(self, source: Literal["userSettings", "localSettings"], **settings: Any) -> None:
        """Write into a settings FILE. Few keys may be: ``effortLevel`` of the user's, ``outputStyle`` of the local one.

        2.1.332.
        """
        await self._ask(requests.UpdateSettings(source=source, settings=settings))

    async def apply_settings(self, **settings: Any) -> None:
        """Lay settings over those of the files, for this session. All of them or none."""
        await self._ask(requests.ApplyFlagSettings(settings=settings))

    async def models(self) -> tuple[answers.ModelInfo, ...]:
        """What ``Session.set_model`` can choose from. 2.1.332; what it was at the start, ``welcome.models`` tells."""
        return (await self._read(requests.ListModels(), answers.Models)).models

    async def set_thinking(
        self, max_tokens: int | None, *, display: Literal["summarized", "omitted", "highlights"] | None = None
    ) -> None:
        """Bound the thinking, in tokens; None: the default."""
        await self._ask(requests.SetMaxThinkingTokens(max_thinking_tokens=max_tokens, thinking_display=display))

    async def mcp_status(self) -> tuple[answers.ServerStatus, ...]:
        """Every MCP server with its state and its tools; maybe none before the first of them is connected."""
        return (await self._read(requests.McpStatus(), answers.Servers)).mcp_servers

    async def set_mcp_servers(self, servers: Mapping[str, Mapping[str, Any]]) -> answers.ServersSet:
        """Connect these servers, in the CLI's own form, in place of those that were set this way before.

        Those of the options and of settings files stay, and so do those that live in this program.
        """
        return await self._read(requests.McpSetServers(servers=self._tools.beside(servers)), answers.ServersSet)

    async def reconnect_mcp(self, server: str) -> None:
        """Connect a server anew."""
        await self._ask(requests.McpReconnect(server_name=server))

    async def toggle_mcp(self, server: str, *, enabled: bool) -> None:
        """Switch a server on or off."""
        await self._ask(requests.McpToggle(server_name=server, enabled=enabled))

    async def call_mcp(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        check_permissions: bool = False,
        timeout_s: float | None = None,
        error_is_result: bool = False,
    ) -> Any:
        """Call a tool, ``mcp__SERVER__TOOL``, without the model; gives the result of MCP.

        NOBODY IS ASKED unless ``check_permissions``: then rules, policy and people have their say as about any call of
        the model's. 2.1.197 would run it all the same, so that it raises ``UnsupportedRequest`` there.

        What takes longer than ``timeout_s``, 1 at least, raises ``RequestFailed`` with the code ``timeout``; 2.1.197
        waits for it. What the tool calls an error raises it with the tool's words, or with ``error_is_result`` is given
        as it is, by 2.1.332. Not of servers that live in this program: the CLI refuses, since you can call those
        yourself.
        """
        if check_permissions:
            await self._demand(CHECKS_SINCE, "mcp_call", "it would run the tool without asking")
        asked = requests.McpCall(
            tool=tool,
            arguments=dict(arguments or {}),
            timeout_ms=None if timeout_s is None else timeout_s * 1000,
            check_permissions=check_permissions or None,
            soft_error_result=error_is_result or None,
        )
        given = await self._ask(asked)
        staging = answers.read(given, answers.Called).staging
        if staging is not None and staging.ok is False:
            raise RequestFailed("mcp_call", staging.detail or "it did not run", staging.error_code)
        return given

    async def set_mcp_mode(self, server: str, mode: Literal["default", "auto"] | None) -> answers.ModeOverridden:
        """Let the CLI judge calls of one MCP server in this mode, whatever the session's is; None: as all others.

        It is for sessions that are laxer than that: under ``autonomous`` the server's calls are asked about.
        """
        asked = requests.SetMcpPermissionModeOverride(server_name=server, mode=mode)
        return await self._read(asked, answers.ModeOverridden)

    async def read_mcp_resource(self, server: str, uri: str) -> tuple[answers.Resource, ...]:
        """What a server holds at a ``ui://`` address. 2.1.332."""
        asked = requests.McpReadResource(server_name=server, uri=uri)
        return (await self._read(asked, answers.ResourceContents)).contents

    async def permission_rules(self) -> answers.RulesState:
        """The CLI's own permission rules and where they stand; bascule's are not among them. 2.1.332."""
        return (await self._read(requests.ListPermissionRules(), answers.PermissionRules)).state

    async def hooks_listing(self) -> answers.HooksListing:
        """The command hooks of the settings, and every hook event that there is. 2.1.332."""
        return await self._read(requests.GetHooksListing(), answers.HooksListing)

    async def plan(self) -> answers.Plan:
        """The plan that the model has written in plan mode, if there is one. 2.1.332."""
        return await self._read(requests.GetPlan(), answers.Plan)

    async def status(self) -> tuple[answers.StatusSection, ...]:
        """What ``/status`` shows: tables for people. 2.1.332."""
        return (await self._read(requests.GetStatus(), answers.StatusReport)).sections

    async def memory(self) -> answers.Memory:
        """The files and folders that the model's memory is read from. 2.1.332."""
        return await self._read(requests.GetMemoryDialog(), answers.Memory)

    async def skills(self) -> tuple[answers.SkillState, ...]:
        """The skills of the user, the project and plugins, with what each takes of the context. 2.1.332."""
        return (await self._read(requests.GetSkillsDialog(), answers.SkillStates)).skills

    async def sandbox(self) -> answers.SandboxState:
        """How shell commands are shut in, and what this machine lacks for it. 2.1.332."""
        return await self._read(requests.GetSandboxDialog(), answers.SandboxState)

    async def pause_suggestions(self, *, paused: bool) -> None:
        """Leave off suggesting next prompts (flag ``--prompt-suggestions``), or begin again. 2.1.332."""
        await self._ask(requests.SetPromptSuggestionsPaused(paused=paused))

    async def binary_version(self) -> answers.BinaryVersion:
        """Which CLI this is, and when it was built."""
        return await self._read(requests.GetBinaryVersion(), answers.BinaryVersion)

    async def read_file(
        self, path: str, *, max_bytes: int | None = None, encoding: Literal["utf-8", "base64"] | None = None
    ) -> answers.FileContents:
        """A file, as far as the CLI may read it. One that is not there is refused like one that may not be read."""
        return await self._read(
            requests.ReadFile(path=path, max_bytes=max_bytes, encoding=encoding), answers.FileContents
        )

    async def seed_read_state(self, path: str, *, mtime: Number) -> None:
        """Tell the CLI that the model knows this file as it was at ``mtime`` (ms), so that it may edit it unread."""
        await self._ask(requests.SeedReadState(path=path, mtime=mtime))

    async def file_suggestions(self, query: str) -> tuple[answers.FileSuggestion, ...]:
        """Files that an ``@`` and these letters could mean, the likeliest first."""
        return (await self._read(requests.FileSuggestions(query=query), answers.FileSuggestions)).suggestions

    async def set_cwd(self, path: str, *, trusted: str | None = None) -> answers.CwdSet:
        """Move the session to another folder, between turns. 2.1.332.

        A folder that nobody has trusted yet is not entered: the answer is ``needs_trust`` and names it, and is to be
        put before a person; then ask again with that name as ``trusted``. Rules go on to mean the first workspace.
        """
        asked = requests.SetCwd(path=path, trust_accepted=None if trusted is None else True, trusted_directory=trusted)
        return await self._read(asked, answers.CwdSet)

    async def register_repo_root(
        self, directory: str, *, claude_md: bool = False, plugins: bool = False, skills: bool = False
    ) -> None:
        """Add a folder below the workspace as a root of its own, and read its CLAUDE.md, plugins and skills."""
        asked = requests.RegisterRepoRoot(
            directory=directory,
            reload_claude_md=claude_md or None,
            reload_plugins=plugins or None,
            reload_skills=skills or None,
        )
        await self._ask(asked)

    async def rename(self, title: str) -> None:
        """Give the conversation a title."""
        await self._ask(requests.RenameSession(title=title))

    async def generate_title(self, description: str, *, persist: bool = False) -> str | None:
        """A title that the model makes of ``description``; with ``persist`` the conversation takes it."""
        asked = requests.GenerateSessionTitle(description=description, persist=persist)
        return (await self._read(asked, answers.Title)).title

    async def side_question(self, question: str) -> answers.SideAnswer:
        """Ask the model beside the conversation, which it knows and which keeps nothing of it."""
        return await self._read(requests.SideQuestion(question=question), answers.SideAnswer)

    async def export_conversation(self) -> answers.Exported:
        """The conversation as text, and a name for its file. 2.1.332."""
        return await self._read(requests.ExportConversation(), answers.Exported)

    async def stop_task(self, task_id: str) -> None:
        """Stop a background task; a task that there is not is stopped as well (15_stop_task)."""
        await self._ask(requests.StopTask(task_id=task_id))

    async def background_tasks(self, tool_call_id: str | None = None) -> None:
        """Let what the turn waits for go on in the background: one call, or all."""
        await self._ask(requests.BackgroundTasks(tool_use_id=tool_call_id))

    async def task_output(self, task_id: str) -> answers.TaskOutput:
        """What a shell or a monitor in the background has written so far. 2.1.332."""
        return await self._read(requests.GetTaskOutput(task_id=task_id), answers.TaskOutput)

    async def reload_plugins(
        self, *, add: Sequence[str] = (), refuse_if_busy: bool = False, hold_on_cache_impact: bool = False
    ) -> answers.Reloaded:
        """Read the plugins anew, with those in the folders ``add``; gives what there is then.

        ``refuse_if_busy``: not beside a turn (``RequestFailed``). ``hold_on_cache_impact``: not where the API would
        have to read the conversation again (``held``, and ``cache_impact`` says why). 2.1.197 adds none.
        """
        added = tuple({"type": "local", "path": path} for path in add)
        asked = requests.ReloadPlugins(
            add_plugins=added or None,
            refuse_if_busy=refuse_if_busy or None,
            hold_on_cache_impact=hold_on_cache_impact or None,
        )
        return await self._read(asked, answers.Reloaded)

    async def reload_skills(self) -> tuple[SlashCommand, ...]:
        """Read the skills anew; gives what there is then."""
        return (await self._read(requests.ReloadSkills(), answers.Skills)).skills

    async def reload_output_styles(self) -> tuple[str, ...]:
        """Read the output styles anew; gives their names. 2.1.332."""
        return (await self._read(requests.ReloadOutputStyles(), answers.OutputStyles)).available_output_styles

    async def _demand(self, since: Version, subtype: str, otherwise: str) -> None:
        """Raises ``UnsupportedRequest`` for a CLI that would leave aside what it is asked, without a word."""
        told = (await self.binary_version()).version or "unknown"
        version = parsed(told)
        if version is None or version < since:
            raise UnsupportedRequest(subtype, f"CLI {told} does not check permissions: {otherwise}")

    async def _read(self, body: OurRequest, kind: type[AnswerT]) -> AnswerT:
        return answers.read(await self._ask(body), kind)

    async def _ask(self, body: OurRequest) -> Any:
        self._refuse_when_closed()
        return (await self._line.request(body, within_s=None)).response
