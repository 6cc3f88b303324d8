// Written by scripts/write_ui_types.py from the Python structs; not to be edited.

/** Let this call run, and those like it from now on. */
export interface AllowAlways {
  readonly verb: "allow_always";
  readonly rule: string;
  readonly scope?: "local" | "project" | "session" | "user";
  readonly until?: number | null;
  readonly input?: unknown;
}

/** Let this call run. */
export interface AllowOnce {
  readonly verb: "allow_once";
  readonly input?: unknown;
}

/** How an ask was answered, and by whom. */
export interface Answer {
  readonly outcome: "allowed" | "allowed_always" | "answered" | "denied" | "denied_stop";
  readonly at: number;
  readonly by: string | null;
  readonly surface: string | null;
  readonly reason: string | null;
  readonly rule: string | null;
  readonly scope: string | null;
  readonly edited: boolean;
  readonly waited_ms: number;
  readonly choosable: boolean;
}

/** What came of a command. */
export interface Answered {
  readonly type: "receipt";
  readonly command_id: string;
  readonly receipt: Receipt;
}

/** Answer questions or a form. */
export interface Answers {
  readonly verb: "answers";
  readonly answers: Readonly<Record<string, unknown>>;
  readonly notes?: Readonly<Record<string, string>>;
}

export type AnyEvent =
  | SessionStatusEvent
  | AvailableCommandsEvent
  | PromptAcceptedEvent
  | TurnStartedEvent
  | MessageChunkEvent
  | ReasoningEvent
  | ToolCallEvent
  | ToolUpdateEvent
  | PermissionRequestEvent
  | PermissionResolvedEvent
  | PermissionCancelledEvent
  | PolicyDecidedEvent
  | ModeChangedEvent
  | ModelChangedEvent
  | ContextWindowEvent
  | TodosEvent
  | TaskStartedEvent
  | TaskProgressEvent
  | TaskEndedEvent
  | RateLimitEvent
  | RetryingEvent
  | CompactionEvent
  | GrantGivenEvent
  | GrantEndedEvent
  | HookEvent
  | CompleteEvent
  | ErrorEvent
  | SessionAsleepEvent
  | SessionEndedEvent
  | NoticeEvent
  | UnrecognisedEvent
  | QueueChangedEvent;

/** Approve the plan and say how to go on. */
export interface ApprovePlan {
  readonly verb: "approve_plan";
  readonly then?: "accept_edits" | "ask" | "auto";
  readonly plan?: string | null;
}

/** End a session and take it off the list, or put it back. */
export interface ArchiveCommand {
  readonly type: "archive";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly archived?: boolean;
}

/** A person was asked; open while `answer` and `cancelled` are both null. */
export interface AskItem {
  readonly kind: "ask";
  readonly key: string;
  readonly at: number;
  readonly turn: number;
  readonly parent: string | null;
  readonly request: PermissionRequestEvent;
  readonly answer: Answer | null;
  readonly cancelled: "expired" | "interrupted" | "lost" | "withdrawn" | null;
  readonly ended_at: number | null;
}

/** One way to answer, in the order in which it is shown. */
export interface AskOption {
  readonly id: string;
  readonly label: string;
  readonly kind: "allow" | "allow_always" | "answer" | "deny" | "deny_and_stop" | "plan";
}

/** The model asks the person. */
export interface AskUser {
  readonly kind: "ask_user";
  readonly questions: readonly Question[];
  readonly answers: Readonly<Record<string, string>> | null;
  readonly error: string | null;
  readonly cuts: readonly Cut[];
  readonly renderer: "tool_call";
}

/** The process was stopped for idleness. */
export interface AsleepItem {
  readonly kind: "asleep";
  readonly key: string;
  readonly at: number;
  readonly turn: number;
  readonly parent: string | null;
  readonly idle_s: number;
}

/** Something that went with a prompt. */
export interface Attachment {
  readonly id: string;
  readonly name: string;
  readonly media_type: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly as: "block" | "file";
  readonly path: string | null;
}

/** A file or an image to go with a prompt. */
export interface AttachmentData {
  readonly name: string;
  readonly data: string;
  readonly as?: "block" | "file";
}

/** A slash command. */
export interface AvailableCommand {
  readonly name: string;
  readonly description: string;
  readonly argument_hint: string;
}

/** The whole list of slash commands; sent when it changed. */
export interface AvailableCommandsEvent {
  readonly type: "available_commands";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly available_commands: readonly AvailableCommand[];
}

/** I am here. Either side says so when it has nothing else to say. */
export interface Beat {
  readonly type: "beat";
}

/** A tool call; of a subagent, what it did has this call's id as `parent`. */
export interface CallItem {
  readonly kind: "call";
  readonly key: string;
  readonly at: number;
  readonly turn: number;
  readonly parent: string | null;
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly title: string;
  readonly status: "cancelled" | "complete" | "denied" | "error" | "lost" | "running";
  readonly payload: Payload;
  readonly elapsed_s: number | null;
  readonly ended_at: number | null;
  readonly verdict: Verdict | null;
}

/** The mode or the model changed. */
export interface ChangeItem {
  readonly kind: "change";
  readonly key: string;
  readonly at: number;
  readonly turn: number;
  readonly parent: string | null;
  readonly what: "mode" | "model";
  readonly value: string;
  readonly by: string | null;
}

export type ClientFrame =
  | Hello
  | Send
  | Beat;

/** Files are searched by name or by content. */
export interface CodeSearch {
  readonly kind: "code_search";
  readonly query: string;
  readonly pattern: string;
  readonly path: string | null;
  readonly glob: string | null;
  readonly mode: "content" | "count" | "files";
  readonly output: SearchOutput | null;
  readonly cuts: readonly Cut[];
  readonly renderer: "tool_search";
}

/** Have the conversation put together in fewer words, after the running turn: `compaction` tells of it. */
export interface CompactCommand {
  readonly type: "compact";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly instructions?: string;
}

/** The conversation is being summarised; once per phase. */
export interface CompactionEvent {
  readonly type: "compaction";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly phase: "failed" | "finished" | "started";
  readonly trigger: string | null;
  readonly pre_tokens: number | null;
  readonly post_tokens: number | null;
}

/** The conversation was summarised. */
export interface CompactionItem {
  readonly kind: "compaction";
  readonly key: string;
  readonly at: number;
  readonly turn: number;
  readonly parent: string | null;
  readonly phase: "failed" | "finished" | "started";
  readonly trigger: string | null;
  readonly pre_tokens: number | null;
  readonly post_tokens: number | null;
  readonly ended_at: number | null;
}

/** The end of a turn: exactly one per turn, always. */
export interface CompleteEvent {
  readonly type: "complete";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly outcome: "budget" | "error" | "interrupted" | "lost" | "max_turns" | "refused" | "success";
  readonly text: string | null;
  readonly structured: unknown;
  readonly cost_usd: number | null;
  readonly total_cost_usd: number | null;
  readonly duration_ms: number | null;
  readonly duration_api_ms: number | null;
  readonly num_turns: number | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cache_read_tokens: number | null;
  readonly cache_creation_tokens: number | null;
  readonly models: Readonly<Record<string, ModelUsage>>;
  readonly permission_denials: readonly Denial[];
  readonly last_message_uuid: string | null;
  readonly prompt_ids: readonly string[];
}

/** How full the context is, in tokens. */
export interface Context {
  readonly used: number;
  readonly size: number | null;
  readonly remaining: number | null;
}

/** How full the main thread's context is, in tokens; sent when it changed. */
export interface ContextWindowEvent {
  readonly type: "context_window";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly context_window_size: number | null;
  readonly context_window_used: number;
  readonly context_window_remaining: number | null;
  readonly context_efficiency: number | null;
}

/** An entry is added to the task list. */
export interface CreateTask {
  readonly kind: "create_task";
  readonly title: string;
  readonly description: string;
  readonly task_id: string | null;
  readonly error: string | null;
  readonly cuts: readonly Cut[];
  readonly renderer: "tool_call";
}

/** One text, or list, that was longer than the limit. */
export interface Cut {
  readonly field: string;
  readonly chars: number;
  readonly lines: number;
}

/** Answer an ask. */
export interface DecideCommand {
  readonly type: "decide";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly pending_id: string;
  readonly decision: Decision;
  readonly input_hash?: string | null;
  readonly hold_ms?: number;
}

export type Decision =
  | AllowOnce
  | AllowAlways
  | Deny
  | DenyAndStop
  | Answers
  | ApprovePlan
  | OutlinePlan
  | DiscussPlan;

/** A call that was refused in the turn, as its result lists it. */
export interface Denial {
  readonly tool_name: string;
  readonly tool_call_id: string;
  readonly input: unknown;
}

/** Refuse this call; the turn, its parallel calls and its subagents go on. */
export interface Deny {
  readonly verb: "deny";
  readonly reason?: string | null;
}

/** Refuse this call and end the turn; its parallel calls are withdrawn. */
export interface DenyAndStop {
  readonly verb: "deny_and_stop";
  readonly reason?: string | null;
}

/** Talk first. */
export interface DiscussPlan {
  readonly verb: "discuss_plan";
}

/** Take a prompt that waits out of the queue. */
export interface DropQueuedCommand {
  readonly type: "drop_queued";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly queued: number;
}

/** Change a prompt that waits. */
export interface EditQueuedCommand {
  readonly type: "edit_queued";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly queued: number;
  readonly text: string;
}

/** End the session: running work is given its grace, then stopped. */
export interface EndCommand {
  readonly type: "end";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
}

/** The process is gone. */
export interface EndItem {
  readonly kind: "end";
  readonly key: string;
  readonly at: number;
  readonly turn: number;
  readonly parent: string | null;
  readonly cause: "crashed" | "ended" | "killed" | "resume_failed" | "start_failed";
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly stderr_tail: string;
}

/** The session has ended, and all its events were told. */
export interface Ended {
  readonly type: "ended";
  readonly session: string;
}

/** A failure that a person should see. */
export interface ErrorEvent {
  readonly type: "error";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly kind: string;
  readonly message: string;
  readonly hint: string;
  readonly detail: string | null;
}

/** How a policy came to its word about a call. */
export interface Explained {
  readonly verdict: "allow" | "ask" | "deny" | "pass";
  readonly rule: string | null;
  readonly reason: string;
  readonly trail: readonly Readonly<Record<string, unknown>>[];
}

/** A frame that was refused. */
export interface Failed {
  readonly type: "problem";
  readonly problem: Problem;
  readonly command_id: string | null;
}

/** Something failed. */
export interface FailureItem {
  readonly kind: "failure";
  readonly key: string;
  readonly at: number;
  readonly turn: number;
  readonly parent: string | null;
  readonly what: string;
  readonly message: string;
  readonly hint: string;
  readonly detail: string | null;
}

/** Go on in a copy, which is a session of its own. `at`: after that turn; null: from where it is. */
export interface ForkCommand {
  readonly type: "fork";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly at?: number | null;
  readonly title?: string;
}

/** A place that a search found. */
export interface Found {
  readonly session: string;
  readonly title: string;
  readonly seq: number;
  readonly at: number;
  readonly kind: "answer" | "call" | "prompt";
  readonly snippet: string;
}

/** Of a session whose conversation came back empty: go on with a new one, in the same place. */
export interface FreshCommand {
  readonly type: "fresh";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
}

/** A tool that bascule does not know. */
export interface Generic {
  readonly kind: "generic";
  readonly name: string;
  readonly input: unknown;
  readonly output: string | null;
  readonly is_error: boolean;
  readonly cuts: readonly Cut[];
  readonly renderer: "tool_call";
}

/** A workspace as git sees it. */
export interface GitState {
  readonly branch: string | null;
  readonly files: readonly string[];
  readonly diff: string;
  readonly problem: string | null;
}

/** Allow what a rule covers from now on, without an ask that prompts it. */
export interface GiveGrantCommand {
  readonly type: "grant";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly rule: string;
  readonly scope?: "project" | "session" | "user";
  readonly until?: number | null;
}

/** A grant of this session holds no more. A grant that holds at the session's end has no such event. */
export interface GrantEndedEvent {
  readonly type: "grant_ended";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly grant_id: string;
  readonly cause: "expired" | "mode" | "revoked";
  readonly by: string | null;
  readonly covered: number;
}

/** From here on calls are judged with what a person allowed beyond one call. */
export interface GrantGivenEvent {
  readonly type: "grant_given";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly grant_id: string;
  readonly rules: readonly string[];
  readonly scope: "local" | "project" | "session" | "user";
  readonly cause: "always" | "grant" | "plan" | "trust";
  readonly edits: boolean;
  readonly by: string | null;
  readonly surface: string | null;
  readonly until: number | null;
}

/** Something was allowed beyond one call. */
export interface GrantedItem {
  readonly kind: "grant";
  readonly key: string;
  readonly at: number;
  readonly turn: number;
  readonly parent: string | null;
  readonly grant: GrantGivenEvent;
  readonly ended: "expired" | "mode" | "revoked" | null;
  readonly ended_at: number | null;
  readonly ended_by: string | null;
  readonly covered: number;
}

/** What the client wants to hear. A second one takes the place of the first. */
export interface Hello {
  readonly type: "hello";
  readonly session: string;
  readonly after: number | null;
  readonly epoch: string | null;
}

/** Whether the queue waits for a person (after a stop it does), or goes on by itself when a turn ends. */
export interface HoldQueueCommand {
  readonly type: "hold_queue";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly hold: boolean;
}

/** A command hook of the user's settings ran. */
export interface HookEvent {
  readonly type: "hook";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly hook_event: string;
  readonly name: string;
  readonly outcome: string;
  readonly output: string | null;
}

/** A hook of the user's settings ran. */
export interface HookedItem {
  readonly kind: "hook";
  readonly key: string;
  readonly at: number;
  readonly turn: number;
  readonly parent: string | null;
  readonly hook_event: string;
  readonly name: string;
  readonly outcome: string;
  readonly output: string | null;
}

/** Something is fetched from the web, or searched there. */
export interface HttpRequest {
  readonly kind: "http_request";
  readonly url: string;
  readonly query: string | null;
  readonly method: string;
  readonly response: string | null;
  readonly status: number | null;
  readonly is_error: boolean;
  readonly cuts: readonly Cut[];
  readonly renderer: "tool_call";
}

export type HubCommand =
  | PromptCommand
  | InterruptCommand
  | DecideCommand
  | SetModeCommand
  | SetModelCommand
  | TrustCommand
  | GiveGrantCommand
  | RevokeGrantCommand
  | CompactCommand
  | StopTaskCommand
  | RewindCommand
  | EndCommand
  | StartCommand
  | ImportCommand
  | EditQueuedCommand
  | MoveQueuedCommand
  | DropQueuedCommand
  | SendQueuedCommand
  | HoldQueueCommand
  | UndoCommand
  | RetryCommand
  | ForkCommand
  | RenameCommand
  | SetPolicyCommand
  | SleepCommand
  | ArchiveCommand
  | FreshCommand;

/** One hunk of a unified diff. Line numbers count from 1. */
export interface Hunk {
  readonly old_start: number;
  readonly old_lines: number;
  readonly new_start: number;
  readonly new_lines: number;
  readonly lines: readonly string[];
}

/** Take over a conversation of the CLI's: a session that sleeps, shows what was said, and goes on with it at its first prompt. One of `cli_session_id` and `path` names it. A conversation that a session here goes on with already gives that session. */
export interface ImportCommand {
  readonly type: "import";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly cli_session_id?: string | null;
  readonly path?: string | null;
  readonly cwd?: string | null;
}

/** Stop the running turn. */
export interface InterruptCommand {
  readonly type: "interrupt";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly drop_queued?: boolean;
}

export type Item =
  | PromptItem
  | TextItem
  | ThoughtItem
  | CallItem
  | AskItem
  | JudgedItem
  | TurnEndItem
  | RetryItem
  | CompactionItem
  | LimitItem
  | ChangeItem
  | TaskDoneItem
  | GrantedItem
  | HookedItem
  | FailureItem
  | NoticeItem
  | AsleepItem
  | EndItem
  | UnknownItem;

/** A policy answered for a call that is not in view. */
export interface JudgedItem {
  readonly kind: "judged";
  readonly key: string;
  readonly at: number;
  readonly turn: number;
  readonly parent: string | null;
  readonly verdict: Verdict;
}

/** A usage window is nearly used up, or is. */
export interface LimitItem {
  readonly kind: "limit";
  readonly key: string;
  readonly at: number;
  readonly turn: number;
  readonly parent: string | null;
  readonly message: string;
  readonly status: "allowed" | "allowed_warning" | "rejected";
  readonly window: string | null;
  readonly utilization: number | null;
  readonly resets_at: number | null;
  readonly waiting: boolean;
}

/** The to-do list is written, changed or read. */
export interface ManageTodos {
  readonly kind: "manage_todos";
  readonly operation: "get" | "list" | "update" | "write";
  readonly items: readonly TodoItem[];
  readonly error: string | null;
  readonly cuts: readonly Cut[];
  readonly renderer: "todo";
}

/** A risk, and where it stands in the thing shown. */
export interface Mark {
  readonly mark: string;
  readonly grave: boolean;
  readonly start: number | null;
  readonly end: number | null;
}

/** A tool of an MCP server is called. */
export interface McpCall {
  readonly kind: "mcp_call";
  readonly server: string;
  readonly tool: string;
  readonly input: unknown;
  readonly output: string | null;
  readonly is_error: boolean;
  readonly cuts: readonly Cut[];
  readonly renderer: "tool_call";
}

/** An MCP server as the CLI sees it. */
export interface McpServer {
  readonly name: string;
  readonly status: string;
}

/** Who asks. */
export interface Me {
  readonly key_id: string;
  readonly role: "approver" | "owner" | "viewer";
  readonly label: string;
  readonly expires_at: number | null;
  readonly epoch: string;
  readonly csrf: string | null;
}

/** Text of the assistant. A whole chunk (lasting) replaces the deltas (passing) of its `item`. */
export interface MessageChunkEvent {
  readonly type: "message_chunk";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly item: string;
  readonly text: string;
  readonly partial: boolean;
  readonly parent_tool_call_id: string | null;
}

/** Chatter of the CLI that looks like a tool call. */
export interface Misc {
  readonly kind: "misc";
  readonly label: string;
  readonly details: string;
  readonly cuts: readonly Cut[];
  readonly renderer: "tool_call";
}

/** The permission mode in force changed. */
export interface ModeChangedEvent {
  readonly type: "mode_changed";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly mode: string;
  readonly by: string | null;
}

/** The model changed. */
export interface ModelChangedEvent {
  readonly type: "model_changed";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly model: string;
  readonly by: string | null;
}

/** Tokens and money of one model, in this turn, all threads. */
export interface ModelUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_creation_tokens: number;
  readonly cost_usd: number;
  readonly context_window: number | null;
}

/** A file is created, changed or deleted. */
export interface ModifyFile {
  readonly kind: "modify_file";
  readonly file_path: string;
  readonly mutations: readonly Mutation[];
  readonly added: number | null;
  readonly removed: number | null;
  readonly error: string | null;
  readonly cuts: readonly Cut[];
  readonly renderer: "tool_edit";
}

/** Put a prompt that waits before another one; null: at the end. */
export interface MoveQueuedCommand {
  readonly type: "move_queued";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly queued: number;
  readonly before?: number | null;
}

/** One change to one file. */
export interface Mutation {
  readonly type: "create" | "delete" | "patch" | "rename" | "replace";
  readonly content: string | null;
  readonly old_content: string | null;
  readonly diff: string;
  readonly hunks: readonly Hunk[] | null;
  readonly start_line: number | null;
  readonly everywhere: boolean;
}

/** Something worth a line. */
export interface NoticeEvent {
  readonly type: "notice";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly level: "info" | "notice" | "warning";
  readonly text: string;
}

/** Something worth a line. */
export interface NoticeItem {
  readonly kind: "notice";
  readonly key: string;
  readonly at: number;
  readonly turn: number;
  readonly parent: string | null;
  readonly level: "info" | "notice" | "warning";
  readonly text: string;
}

/** An ask that waits, in whichever session. */
export interface OpenAsk {
  readonly session: string;
  readonly title: string;
  readonly request: PermissionRequestEvent;
  readonly claimed_by: string | null;
  readonly claimed_until: number | null;
}

/** Pause: have the plan written out as text first. */
export interface OutlinePlan {
  readonly verb: "outline_plan";
}

/** One simple command of a command line. */
export interface Part {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly marks: readonly Mark[];
  readonly rule: string | null;
  readonly where: string | null;
}

/** A conversation of the CLI's on this machine, whoever began it. Times are UTC ms. */
export interface PastConversation {
  readonly id: string;
  readonly title: string | null;
  readonly first_prompt: string | null;
  readonly cwd: string | null;
  readonly branch: string | null;
  readonly model: string | null;
  readonly started_at: number | null;
  readonly changed_at: number;
  readonly messages: number | null;
  readonly bytes: number;
  readonly damaged: boolean;
  readonly session: string | null;
  readonly pid: number | null;
}

/** Some of them, the newest change first. */
export interface PastPage {
  readonly conversations: readonly PastConversation[];
  readonly after: string | null;
}

export type Payload =
  | ReadFile
  | ModifyFile
  | ShellExec
  | CodeSearch
  | HttpRequest
  | SubagentTask
  | CreateTask
  | ManageTodos
  | ShowPlan
  | AskUser
  | McpCall
  | Generic
  | Misc;

/** An ask is gone without an answer; a late answer is too late. */
export interface PermissionCancelledEvent {
  readonly type: "permission_cancelled";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly pending_id: string;
  readonly cause: "expired" | "interrupted" | "lost" | "withdrawn";
}

/** An ask opened: the CLI waits for a person. Several may be open at once. */
export interface PermissionRequestEvent {
  readonly type: "permission_request";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly pending_id: string;
  readonly ask: "dialog" | "elicitation" | "plan" | "question" | "tool";
  readonly tool_call_id: string | null;
  readonly agent_id: string | null;
  readonly tool_name: string;
  readonly title: string;
  readonly normalized: Payload;
  readonly input: unknown;
  readonly input_hash: string;
  readonly marks: readonly Mark[];
  readonly parts: readonly Part[];
  readonly says: string | null;
  readonly reason: string | null;
  readonly reason_type: string | null;
  readonly matched_rule: string | null;
  readonly blocked_path: string | null;
  readonly mcp_server: string | null;
  readonly needs_person: boolean;
  readonly default_no: boolean;
  readonly suggestions: readonly Suggestion[];
  readonly options: readonly AskOption[];
  readonly expires_at: number | null;
}

/** An ask was answered. */
export interface PermissionResolvedEvent {
  readonly type: "permission_resolved";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly pending_id: string;
  readonly outcome: "allowed" | "allowed_always" | "answered" | "denied" | "denied_stop";
  readonly by: string | null;
  readonly surface: string | null;
  readonly reason: string | null;
  readonly rule: string | null;
  readonly scope: string | null;
  readonly edited: boolean;
  readonly waited_ms: number;
  readonly choosable: boolean;
}

/** An event and its position over all sessions, which only grows; null for one that passes. */
export interface Placed {
  readonly position: number | null;
  readonly event: AnyEvent;
}

/** A policy answered without a person. */
export interface PolicyDecidedEvent {
  readonly type: "policy_decided";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly tool_call_id: string | null;
  readonly verdict: "allow" | "deny";
  readonly rule: string;
  readonly reason: string;
}

/** Why a request was refused. */
export interface Problem {
  readonly kind: "bug" | "conflict" | "csrf" | "forbidden" | "gone" | "host" | "malformed" | "method" | "not_found" | "origin" | "refused" | "too_large" | "too_many" | "unauthenticated" | "unavailable";
  readonly status: number;
  readonly detail: string;
  readonly field: string | null;
}

/** A prompt was written to the CLI, or put in our queue. */
export interface PromptAcceptedEvent {
  readonly type: "prompt_accepted";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly prompt_id: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly by: string | null;
  readonly surface: string | null;
  readonly disposition: "queued" | "sent" | "steered";
}

/** Say something to the model. */
export interface PromptCommand {
  readonly type: "prompt";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly text: string;
  readonly attachments?: readonly AttachmentData[];
  readonly when?: "now" | "queue" | "steer";
  readonly query?: boolean;
  readonly with_reason?: boolean;
  readonly prompt_id?: string | null;
}

/** What somebody said to the model. */
export interface PromptItem {
  readonly kind: "prompt";
  readonly key: string;
  readonly at: number;
  readonly turn: number;
  readonly parent: string | null;
  readonly prompt_id: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly by: string | null;
  readonly surface: string | null;
  readonly disposition: "queued" | "sent" | "steered";
  readonly state: "done" | "running" | "waiting";
}

/** What a rewind does to files, or did. */
export interface PutBack {
  readonly files: readonly string[];
  readonly insertions?: number | null;
  readonly deletions?: number | null;
}

/** One question to the person. Free text is always a valid answer. */
export interface Question {
  readonly question: string;
  readonly header: string;
  readonly options: readonly QuestionOption[];
  readonly multi_select: boolean;
}

/** One answer that a question offers. */
export interface QuestionOption {
  readonly label: string;
  readonly description: string;
  readonly preview: string | null;
}

/** Other prompts wait in the hub's queue than before, or it is held: passing, and made by the hub. */
export interface QueueChangedEvent {
  readonly type: "queue_changed";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly queued: number;
  readonly held: boolean;
}

/** A prompt that waits for its turn. */
export interface Queued {
  readonly id: number;
  readonly client_id: string;
  readonly prompt: PromptCommand;
  readonly created_at: number;
}

/** Where the account stands in a usage window; one per window and status. */
export interface RateLimitEvent {
  readonly type: "rate_limit";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly rate_limit_message: string;
  readonly status: "allowed" | "allowed_warning" | "rejected";
  readonly window: string | null;
  readonly utilization: number | null;
  readonly resets_at: number | null;
  readonly overage: string | null;
  readonly waiting: boolean;
}

/** A file is read. */
export interface ReadFile {
  readonly kind: "read_file";
  readonly file_path: string;
  readonly offset: number | null;
  readonly limit: number | null;
  readonly output: ReadOutput | null;
  readonly cuts: readonly Cut[];
  readonly renderer: "tool_read";
}

/** What a file holds, as far as it was read. */
export interface ReadOutput {
  readonly content: string;
  readonly line_count: number;
  readonly total_lines: number | null;
  readonly truncated: boolean;
  readonly language: string | null;
  readonly media: string | null;
  readonly error: string | null;
}

/** Thinking of the assistant; deltas and whole as with `message_chunk`. */
export interface ReasoningEvent {
  readonly type: "reasoning";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly item: string;
  readonly reasoning_text: string;
  readonly partial: boolean;
  readonly parent_tool_call_id: string | null;
}

export type Receipt =
  | Taken
  | TooLate
  | Refused;

/** It was not done. */
export interface Refused {
  readonly receipt: "refused";
  readonly reason: string;
}

/** Call a session something else. */
export interface RenameCommand {
  readonly type: "rename";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly title: string;
}

/** No more events follow: what the client has no longer fits. It fetches the last window and says hello again. */
export interface Resync {
  readonly type: "resync";
  readonly reason: "epoch" | "position" | "slow";
  readonly epoch: string;
}

/** Say the last prompt again, from before it: the conversation goes on at the message before (`at`: after that turn). */
export interface RetryCommand {
  readonly type: "retry";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly at?: number | null;
}

/** The API was not reached, and is asked again. */
export interface RetryItem {
  readonly kind: "retry";
  readonly key: string;
  readonly at: number;
  readonly turn: number;
  readonly parent: string | null;
  readonly attempt: number;
  readonly max_retries: number;
  readonly until: number;
  readonly error_status: number | null;
  readonly error: string;
  readonly ended_at: number | null;
}

/** The CLI waits before it asks the API again; the first of a row is lasting, the rest passes. */
export interface RetryingEvent {
  readonly type: "retrying";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly attempt: number;
  readonly max_retries: number;
  readonly delay_ms: number;
  readonly error_status: number | null;
  readonly error: string;
}

/** Take a grant of this session back; what ran since stays as it is. */
export interface RevokeGrantCommand {
  readonly type: "revoke_grant";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly grant_id: string;
}

/** Put back the files that were edited since a prompt, and delete those that were made; at rest only. What a shell command changed stays, and so does the conversation. */
export interface RewindCommand {
  readonly type: "rewind";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly at: string;
  readonly dry_run?: boolean;
}

/** What a rule would mean, before anybody makes it. */
export interface RulePreview {
  readonly rule: string;
  readonly also: readonly string[];
  readonly asked: number;
  readonly never: readonly string[];
}

/** What a search found. */
export interface SearchOutput {
  readonly files: readonly string[];
  readonly matches: readonly string[] | null;
  readonly file_count: number | null;
  readonly truncated: boolean;
  readonly error: string | null;
}

/** A command. */
export interface Send {
  readonly type: "command";
  readonly command: HubCommand;
}

/** Say a prompt that waits now: into the running turn, or as a turn of its own. */
export interface SendQueuedCommand {
  readonly type: "send_queued";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly queued: number;
}

export type ServerFrame =
  | Welcome
  | Resync
  | Ended
  | Answered
  | Failed
  | Beat;

/** The process was stopped for idleness; the next prompt wakes the session. */
export interface SessionAsleepEvent {
  readonly type: "session_asleep";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly idle_s: number;
}

/** The process is gone. */
export interface SessionEndedEvent {
  readonly type: "session_ended";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly cause: "crashed" | "ended" | "killed" | "resume_failed" | "start_failed";
  readonly stderr_tail: string;
}

/** A session as a list shows it. Times are UTC ms. */
export interface SessionFacts {
  readonly id: string;
  readonly cli_session_id: string | null;
  readonly title: string;
  readonly cwd: string;
  readonly project: string | null;
  readonly branch: string | null;
  readonly status: Status;
  readonly since: number;
  readonly until: number | null;
  readonly waits_for: readonly ("dialog" | "elicitation" | "plan" | "question" | "tool")[];
  readonly policy: string;
  readonly mode: string | null;
  readonly model: string | null;
  readonly cost_usd: number | null;
  readonly turns: number;
  readonly queued: number;
  readonly holds_queue: boolean;
  readonly background: number;
  readonly last_seq: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly archived: boolean;
  readonly recording_gone: boolean;
}

/** Who and where the session is: at the first `init` of a process, later only if a fact changed. */
export interface SessionStatusEvent {
  readonly type: "session_status";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly cli_session_id: string;
  readonly session_status: "changed" | "forked" | "new" | "resumed";
  readonly model: string | null;
  readonly cwd: string | null;
  readonly permission_mode: string | null;
  readonly requested_mode: string | null;
  readonly tools: readonly string[];
  readonly mcp_servers: readonly McpServer[];
  readonly cli_version: string | null;
  readonly capabilities: readonly string[];
  readonly api_key_source: string | null;
}

/** Change the CLI's permission mode. */
export interface SetModeCommand {
  readonly type: "set_mode";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly mode: string;
}

/** Change the model; null: the default one. */
export interface SetModelCommand {
  readonly type: "set_model";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly model?: string | null;
}

/** Put a session under another policy: its process is started anew, at rest, and goes on with the conversation. */
export interface SetPolicyCommand {
  readonly type: "set_policy";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly policy: string;
}

/** A shell command is run, watched or stopped. */
export interface ShellExec {
  readonly kind: "shell_exec";
  readonly command: string;
  readonly work_dir: string | null;
  readonly description: string | null;
  readonly timeout_ms: number | null;
  readonly background: boolean;
  readonly task_id: string | null;
  readonly output: ShellOutput | null;
  readonly cuts: readonly Cut[];
  readonly renderer: "tool_execute";
}

/** What a command printed. */
export interface ShellOutput {
  readonly exit_code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly interrupted: boolean;
  readonly truncated: boolean;
  readonly background_id: string | null;
}

/** A plan is put before the person, or plan mode is entered. */
export interface ShowPlan {
  readonly kind: "show_plan";
  readonly plan: string;
  readonly file_path: string | null;
  readonly entering: boolean;
  readonly edited: boolean;
  readonly error: string | null;
  readonly cuts: readonly Cut[];
  readonly renderer: "tool_call";
}

/** End the process of a session at rest; the next prompt wakes it. */
export interface SleepCommand {
  readonly type: "sleep";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
}

/** Begin a session. `session`: its id, if the sender wants to name it: letters, digits, `-`, `_` and `.`, 64 at most; one that is there already is refused. */
export interface StartCommand {
  readonly type: "start";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly cwd: string;
  readonly policy?: string | null;
  readonly mode?: string | null;
  readonly model?: string | null;
  readonly title?: string;
  readonly project?: string | null;
  readonly branch?: string | null;
  readonly resume?: string | null;
  readonly resume_at?: string | null;
  readonly fork?: boolean;
  readonly prompt?: string | null;
  readonly attachments?: readonly AttachmentData[];
  readonly options?: Readonly<Record<string, unknown>>;
}

export type Status =
  | "starting"
  | "running"
  | "waiting"
  | "retrying"
  | "compacting"
  | "limited"
  | "idle"
  | "asleep"
  | "ended"
  | "lost"
  | "quarantined";

/** Stop what runs in the background. One that there is not, or not any more, is stopped as well. */
export interface StopTaskCommand {
  readonly type: "stop_task";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly task_id: string;
}

/** What a subagent reported. */
export interface SubagentOutput {
  readonly status: string;
  readonly agent_id: string | null;
  readonly duration_ms: number | null;
  readonly tokens: number | null;
  readonly tool_uses: number | null;
  readonly text: string;
}

/** Work is handed to a subagent. */
export interface SubagentTask {
  readonly kind: "subagent_task";
  readonly description: string;
  readonly prompt: string;
  readonly subagent_type: string | null;
  readonly model: string | null;
  readonly background: boolean | null;
  readonly output: SubagentOutput | null;
  readonly cuts: readonly Cut[];
  readonly renderer: "tool_call";
}

/** A rule that *allow always* could make. */
export interface Suggestion {
  readonly rule: string;
  readonly scope: "local" | "project" | "session" | "user";
  readonly source: "bascule" | "cli";
  readonly update: unknown;
}

/** It is done, or on its way with nothing left that could stop it here. */
export interface Taken {
  readonly receipt: "taken";
  readonly prompt_id?: string | null;
  readonly still_queued?: readonly string[];
  readonly acknowledged?: boolean;
  readonly grant_id?: string | null;
  readonly session?: string | null;
  readonly queued?: number | null;
  readonly put_back?: PutBack | null;
}

/** Work that runs beside the turn. */
export interface Task {
  readonly task_id: string;
  readonly what: string;
  readonly title: string;
  readonly tool_call_id: string | null;
  readonly started_at: number;
  readonly usage: TaskUsage | null;
}

/** Work beside the turn ended. */
export interface TaskDoneItem {
  readonly kind: "task";
  readonly key: string;
  readonly at: number;
  readonly turn: number;
  readonly parent: string | null;
  readonly task: Task;
  readonly outcome: string | null;
}

/** A task ended; once per task. */
export interface TaskEndedEvent {
  readonly type: "task_ended";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly task_id: string;
  readonly kind: string;
  readonly title: string;
  readonly tool_call_id: string | null;
  readonly outcome: string | null;
  readonly usage: TaskUsage | null;
}

/** A task went on. */
export interface TaskProgressEvent {
  readonly type: "task_progress";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly task_id: string;
  readonly kind: string;
  readonly title: string;
  readonly tool_call_id: string | null;
  readonly usage: TaskUsage | null;
}

/** Work beside the turn began: a subagent, a shell, a monitor. */
export interface TaskStartedEvent {
  readonly type: "task_started";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly task_id: string;
  readonly kind: string;
  readonly title: string;
  readonly tool_call_id: string | null;
  readonly background: boolean | null;
}

/** What a background task has used so far. */
export interface TaskUsage {
  readonly total_tokens: number | null;
  readonly tool_uses: number | null;
  readonly duration_ms: number | null;
}

/** What the model said. */
export interface TextItem {
  readonly kind: "text";
  readonly key: string;
  readonly at: number;
  readonly turn: number;
  readonly parent: string | null;
  readonly text: string;
  readonly partial: boolean;
}

/** What the model thought. */
export interface ThoughtItem {
  readonly kind: "thought";
  readonly key: string;
  readonly at: number;
  readonly turn: number;
  readonly parent: string | null;
  readonly text: string;
  readonly partial: boolean;
  readonly ended_at: number | null;
}

/** One entry of a to-do or task list. */
export interface TodoItem {
  readonly id: string;
  readonly description: string;
  readonly status: "cancelled" | "completed" | "in_progress" | "pending";
  readonly active_form: string | null;
}

/** The whole to-do list, after a change. */
export interface TodosEvent {
  readonly type: "todos";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly items: readonly TodoItem[];
}

/** It was settled before. */
export interface TooLate {
  readonly receipt: "too_late";
  readonly winner: string;
}

/** The model calls a tool. */
export interface ToolCallEvent {
  readonly type: "tool_call";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly tool_call_id: string;
  readonly parent_tool_call_id: string | null;
  readonly tool_name: string;
  readonly tool_title: string;
  readonly tool_status: "running";
  readonly normalized: Payload;
}

/** A call went on (`running`, passing) or came to its end (lasting, once per call). */
export interface ToolUpdateEvent {
  readonly type: "tool_update";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly tool_call_id: string;
  readonly parent_tool_call_id: string | null;
  readonly tool_status: "cancelled" | "complete" | "denied" | "error" | "lost" | "running";
  readonly elapsed_s: number | null;
  readonly normalized: Payload;
}

/** Ask less for a while: it ends by itself, and what it covered is on the record. */
export interface TrustCommand {
  readonly type: "trust";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly what?: "edits" | "rule";
  readonly rule?: string | null;
  readonly minutes?: number;
}

/** The line under a turn. Tokens are the main thread's; null is not known. */
export interface TurnEndItem {
  readonly kind: "turn";
  readonly key: string;
  readonly at: number;
  readonly turn: number;
  readonly parent: string | null;
  readonly outcome: "budget" | "error" | "interrupted" | "lost" | "max_turns" | "refused" | "success";
  readonly cost_usd: number | null;
  readonly duration_ms: number | null;
  readonly rounds: number | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cache_read_tokens: number | null;
  readonly cache_creation_tokens: number | null;
  readonly models: Readonly<Record<string, ModelUsage>>;
  readonly denied: number;
  readonly structured: unknown;
}

/** A turn began: by prompts, or by the CLI itself. */
export interface TurnStartedEvent {
  readonly type: "turn_started";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly cause: "cron" | "hook" | "prompt" | "task" | "unknown" | "wakeup";
  readonly prompt_ids: readonly string[];
}

/** Take a decision back that is not yet written to the CLI. */
export interface UndoCommand {
  readonly type: "undo";
  readonly command_id: string;
  readonly session?: string;
  readonly by?: string | null;
  readonly surface?: string | null;
  readonly of: string;
}

/** The CLI said something new. */
export interface UnknownItem {
  readonly kind: "unknown";
  readonly key: string;
  readonly at: number;
  readonly turn: number;
  readonly parent: string | null;
  readonly message_type: string;
  readonly subtype: string | null;
}

/** The CLI said something that bascule does not know; the recording holds it. */
export interface UnrecognisedEvent {
  readonly type: "unrecognised";
  readonly session: string;
  readonly seq: number | null;
  readonly after: number | null;
  readonly at: number;
  readonly turn: number;
  readonly line: number;
  readonly message_type: string;
  readonly subtype: string | null;
}

/** What a policy said in a person's place. */
export interface Verdict {
  readonly verdict: "allow" | "deny";
  readonly rule: string;
  readonly reason: string;
}

/** All of it. Times are UTC ms. */
export interface View {
  readonly items: readonly Item[];
  readonly open: Readonly<Record<string, number>>;
  readonly seq: number;
  readonly running: number;
  readonly running_since: number | null;
  readonly resting: "asleep" | "ended" | "idle" | "lost" | "starting";
  readonly limited_until: number | null;
  readonly cli_session_id: string | null;
  readonly cli_version: string | null;
  readonly cwd: string | null;
  readonly model: string | null;
  readonly mode: string | null;
  readonly requested_mode: string | null;
  readonly mcp_servers: readonly McpServer[];
  readonly commands: readonly AvailableCommand[];
  readonly context: Context | null;
  readonly todos: readonly TodoItem[];
  readonly tasks: readonly Task[];
  readonly grants: Readonly<Record<string, number>>;
  readonly cost_usd: number | null;
}

/** The answer to a hello: what follows are the events after `after`, in order. */
export interface Welcome {
  readonly type: "welcome";
  readonly session: string;
  readonly epoch: string;
  readonly after: number | null;
  readonly role: "approver" | "owner" | "viewer";
  readonly beat_s: number;
  readonly silent_s: number;
  readonly facts: SessionFacts | null;
  readonly asks: readonly OpenAsk[];
}

/** What a reader begins with; a socket's hello with `after` goes on from there. */
export interface Window {
  readonly epoch: string;
  readonly facts: SessionFacts;
  readonly events: readonly AnyEvent[];
  readonly after: number;
  readonly asks: readonly OpenAsk[];
  readonly queue: readonly Queued[];
}
