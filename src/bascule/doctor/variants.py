"""In what the tested versions differ: a table. Pure."""

from __future__ import annotations

from typing import Final

from bascule.doctor.traits import Trait, Way, newer, older

VARIANTS: Final = (
    Trait(
        "agent.default",
        "A subagent",
        (
            newer("background", "runs in the background, and a turn of its own tells its end", "15_bg_agent"),
            older("foreground", "runs in the foreground, within the turn", "15_fg", "The turn's result comes last."),
        ),
    ),
    Trait(
        "interrupt.receipt",
        "An interrupt's receipt",
        (
            newer("told", "names the prompts that still wait", "10_interrupt_race_warm"),
            older(
                "silent",
                "says nothing",
                "10_interrupt_race_warm",
                "bascule sees by the turn whether it stopped; nothing is told of prompts that wait.",
            ),
        ),
    ),
    Trait(
        "interrupt.drop",
        "Prompts that wait behind an interrupted turn",
        (
            newer("dropped", "are dropped when the interrupt says so", "11_interrupt_cancel_queued"),
            older(
                "runs",
                "run all the same",
                "11_interrupt_cancel_queued",
                "With `drop_queued` bascule takes each of its own back by its id, before it interrupts.",
            ),
        ),
    ),
    Trait(
        "interrupt.partial",
        "The text that an interrupt cut off",
        (
            newer("marked", "is marked as aborted", "10_stream_text_partial"),
            older("unmarked", "looks like any other", "10_stream_text_partial", "The turn's end tells it."),
        ),
    ),
    Trait(
        "interrupt.stream",
        "The stream of an interrupted message",
        (
            newer("closed", "gets its closing events", "10_stream_text_partial"),
            older("dangling", "is left open", "10_stream_text_partial", "bascule closes it itself."),
        ),
    ),
    Trait(
        "ask.bare_allow",
        "An allow without the input",
        (
            newer("runs", "is enough", "08_allow_no_updatedInput"),
            older("fails", "fails the call", "probe/conversation", "bascule always sends the input back."),
        ),
    ),
    Trait(
        "stdin.bare_answer",
        "An answer without a body",
        (
            newer("ignored", "is ignored", "07_shape_no_response_key"),
            older("dies", "kills the CLI", "07_shape_no_response_key", "bascule writes no such line."),
        ),
    ),
    Trait(
        "stdin.blanks",
        "A line of blanks, or with a byte order mark,",
        (
            newer("ignored", "does no harm", "24_spaces"),
            older("dies", "kills the CLI", "24_bom", "bascule writes no such line."),
        ),
    ),
    Trait(
        "start.late_hooks",
        "Hooks that are registered after the first turn",
        (
            newer("applied", "are called", "21_init_twice"),
            older(
                "ignored", "are never called", "probe/late", "bascule registers all of them before the first prompt."
            ),
        ),
    ),
    Trait(
        "start.session_hooks",
        "Lines about SessionStart hooks",
        (
            newer("before", "come before the handshake's answer", "26_hook_events"),
            older("after", "come after the handshake's answer", "probe/conversation", ""),
        ),
    ),
    Trait(
        "hook.on_failure_told",
        "The handshake's answer",
        (
            newer("told", "says that a hook's failure can block", "19_init"),
            older("silent", "does not know `onFailure`", "probe/conversation", ""),
        ),
    ),
    Trait(
        "hook.failure",
        "A call whose hook fails, registered as a gate,",
        (
            newer("blocks", "does not run", "07_hook_err_block"),
            older(
                "runs",
                "runs",
                "probe/bypass",
                "bascule's own hook answers deny when it fails; if bascule dies, the CLI's rules decide.",
                "worth knowing",
            ),
        ),
        "breaking",
    ),
    Trait(
        "hook.deny_text",
        "What the model reads when a hook denies",
        (
            newer("named", "begins with the hook's name", "06_bypass_deny"),
            older("bare", "is the reason alone", "06_bypass_deny", ""),
        ),
    ),
    Trait(
        "retry.delay",
        "The delay before the API is asked again",
        (
            newer("whole", "is told in whole milliseconds", "18_500_forever"),
            older("fractions", "is told with fractions", "18_500_forever", "Both are read."),
        ),
    ),
    Trait(
        "error.reason",
        "The `terminal_reason` of an API error",
        (
            newer("api_error", "is api_error", "18_401"),
            older("completed", "is completed", "18_401", "bascule goes by is_error."),
        ),
    ),
    Trait(
        "mode.unknown",
        "A permission mode that does not exist",
        (
            newer("refused", "is refused", "21_control_requests"),
            older("acknowledged", "is acknowledged", "probe/conversation", "bascule checks the name before it asks."),
        ),
    ),
    Trait(
        "model.ack",
        "The answer to a change of the model",
        (
            newer("told", "names the model", "21_set_model_midturn"),
            older("silent", "says nothing", "21_set_model_midturn", "The next `init` tells it."),
        ),
    ),
    Trait(
        "model.effect",
        "A change of the model in the middle of a turn",
        (
            newer("next call", "counts from the next call to the API", "21_set_model_midturn"),
            older(
                "next turn",
                "counts from the next turn",
                "21_set_model_midturn",
                "The running turn ends on the old model.",
                "worth knowing",
            ),
        ),
    ),
    Trait(
        "resume.cost",
        "The cost of a resumed conversation",
        (
            newer("goes on", "goes on from where it was", "12_resume_good"),
            older("from zero", "begins at 0", "12_resume_good", "bascule takes differences, and reads both."),
        ),
    ),
    Trait(
        "clear.cost",
        "After `/clear` the cost",
        (
            newer("from zero", "begins at 0", "probe/conversation"),
            older("goes on", "goes on", "probe/conversation", "bascule takes differences, and reads both."),
        ),
    ),
    Trait(
        "clear.line",
        "`/clear`",
        (
            newer("reset", "tells that the conversation begins anew", "probe/conversation"),
            older("empty text", "answers with an empty text", "probe/conversation", "The new session id tells it."),
        ),
    ),
    Trait(
        "resume.elsewhere",
        "A conversation resumed from another folder",
        (
            newer("works", "goes on", "12_resume_other_cwd"),
            older(
                "fails",
                "is not found",
                "12_resume_other_cwd",
                "bascule finds it, and gives the CLI the path of its file.",
            ),
        ),
    ),
    Trait(
        "command.unknown",
        "A slash command that does not exist",
        (
            newer("to the model", "goes to the model as text", "probe/conversation"),
            older("answered by itself", "is answered by the CLI", "probe/conversation", ""),
        ),
    ),
    Trait(
        "plan.inline",
        "A plan without a plan file",
        (
            newer("left out", "does not reach the ask", "13_plan_deny"),
            older("passed on", "stands in the ask", "13_plan_deny", "bascule takes the plan from where it is."),
        ),
    ),
    Trait(
        "plan.launched",
        "A command that writes, where the CLI was launched in plan mode,",
        (
            newer("refused", "is refused (behind the scripted model)", "13_plan_bash_write"),
            older("asks", "waits for an answer", "13_plan_bash_write", "bascule's plan policy denies it by its hook."),
            Way("runs", "runs", {}, "worth knowing", "bascule's plan policy denies it by its hook."),
        ),
    ),
    Trait(
        "plan.command",
        "A command that writes, where plan mode was entered later,",
        (
            newer("refused", "is refused (behind the scripted model)", "probe/conversation"),
            Way("asks", "waits for an answer", {}, "harmless", "bascule's plan policy denies it by its hook."),
            older(
                "runs",
                "RUNS without an answer",
                "probe/conversation",
                "bascule's plan policy denies it by its hook; else plan mode holds only from the start.",
                "worth knowing",
            ),
        ),
    ),
    Trait(
        "end.background",
        "At the end of its input the CLI",
        (
            newer("waits", "waits for a shell in the background", "15_bg_then_eof"),
            older("kills", "ends a shell in the background after 5 s", "15_bg_then_eof", "", "worth knowing"),
        ),
    ),
    Trait(
        "end.term",
        "A command in the foreground, when the CLI is ended by SIGTERM,",
        (
            newer("kills", "is ended with it", "25_sigterm_tool"),
            older(
                "orphans", "lives on", "probe/signal", "bascule ends it: it knows every process that the CLI started."
            ),
        ),
    ),
    Trait(
        "mcp.slow_start",
        "The first turn",
        (
            newer("waits", "waits for an MCP server that starts slowly", "22_slow_start"),
            older(
                "pending",
                "begins without an MCP server that starts slowly",
                "probe/servers",
                "The model may not see the server's tools in the first turn.",
                "worth knowing",
            ),
        ),
    ),
    Trait(
        "prompt.big",
        "A prompt of 20 MB",
        (
            newer("refused", "is refused by the CLI", "probe/big"),
            older("sent", "is sent to the API", "probe/big", ""),
        ),
    ),
)
