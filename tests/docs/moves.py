"""What happens around the programs of `how-to/coming-from-claude-agent-sdk.md`; a scene for each."""

from typing import Final

from bascule.demo.script import call, case, choose, fail, reply, respond, say, turn, wait, when
from bascule.demo.tour import TESTS
from bascule.demo.workspace import BASKET
from tests.docs.scenes import MEND, MENDED, READ, RUN_TESTS, Scene, refusable, scripted

PAGE: Final = "how-to/coming-from-claude-agent-sdk.md"

NOTES_SERVER: Final = """
import json, sys

for line in sys.stdin:
    asked = json.loads(line)
    match asked["method"]:
        case "initialize":
            server = {"name": "notes", "version": "1"}
            version = asked["params"]["protocolVersion"]
            result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}
        case "tools/list":
            tool = {"name": "read", "description": "Reads the notes.", "inputSchema": {"type": "object"}}
            result = {"tools": [tool]}
        case "tools/call":
            result = {"content": [{"type": "text", "text": "buy pears"}]}
        case _:
            continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""

SCENES: Final = (
    Scene(PAGE, "ask_once.py", scripted(say("A basket.")), ("success A basket.",)),
    Scene(
        PAGE,
        "two_turns.py",
        scripted(
            say("Binsy."), turn(respond(lambda asked: say("Ann." if "Binsy." in str(asked.messages) else "Whose?")))
        ),
        ("Binsy.", "Ann."),
    ),
    Scene(
        PAGE,
        "stream.py",
        scripted(turn(READ, say("Once upon a time."))),
        ("[Read basket.py]", "Once upon a time."),
    ),
    Scene(
        PAGE,
        "edit_input.py",
        scripted(
            turn(
                RUN_TESTS,
                call("Bash", command="git push"),
                respond(lambda asked: say(f"{asked.results[0].text.count('... ok')} ok. {asked.results[1].text}")),
            )
        ),
        ("1 ok. Only edits and tests, please.", "['Bash']"),
    ),
    Scene(
        PAGE,
        "veto.py",
        scripted(
            turn(
                call("Bash", command="ls"),
                call("Bash", command="rm -r build"),
                choose(case(say("I left it."), when=when(result="Nothing is deleted here."))),
            )
        ),
        ("I left it.",),
    ),
    Scene(
        PAGE,
        "own_tools.py",
        scripted(
            turn(
                call("mcp__desk__in_stock", name="apple"),
                respond(lambda asked: say(f"There are {asked.results[0].text}.")),
            )
        ),
        ("There are 3.",),
        fake=False,
    ),
    Scene(
        PAGE,
        "servers.py",
        scripted(turn(call("mcp__notes__read"), respond(lambda asked: say(f"They say: {asked.results[0].text}.")))),
        ("They say: buy pears.", "{'notes': 'connected', 'tickets': 'failed'}"),
        brings=(("notes_server.py", NOTES_SERVER),),
        fake=False,
    ),
    Scene(
        PAGE,
        "structured.py",
        scripted(turn(call("StructuredOutput", files=3, language="Python"))),
        ("{'files': 3, 'language': 'Python'}",),
        fake=False,
    ),
    Scene(
        PAGE,
        "go_on.py",
        scripted(
            say("Remembered."),
            turn(respond(lambda asked: say("Red." if "is red" in str(asked.messages) else "?"))),
            turn(respond(lambda asked: say("Ann's." if "What colour" in str(asked.messages) else "?"))),
        ),
        ("Red.", "True", "Ann's."),
    ),
    Scene(
        PAGE,
        "stored.py",
        scripted(turn(READ, say("basket.py."))),
        ("Which file is the longest?", "» Which file is the longest?", "[Read basket.py: complete]", "basket.py."),
        fake=False,
    ),
    Scene(
        PAGE,
        "undo.py",
        scripted(turn(READ, MEND, say("Mended."))),
        ("Mended.", "['basket.py'] 1 1"),
        files=(("basket.py", BASKET),),
        fake=False,
    ),
    Scene(
        PAGE,
        "stop.py",
        scripted(turn(say("One, two, "), wait("never")), say("One, two.")),
        ("interrupted", "One, two."),
    ),
    Scene(
        PAGE,
        "switch.py",
        scripted(turn(call("Write", file_path="note.txt", content="hi\n"), say("Written."))),
        ("mode is 'acceptEdit'", "mode: acceptEdits", "model: "),
    ),
    Scene(
        PAGE,
        "limits.py",
        scripted(turn(reply(READ), reply(READ), reply(READ), say("All read."))),
        ("max_turns",),
        fake=False,
    ),
    Scene(
        PAGE,
        "experts.py",
        scripted(
            turn(
                call("Agent", subagent_type="reviewer", description="Review it", prompt="Review basket.py"),
                say("It is under way."),
            ),
            turn(say("One mistake, in line 13."), when=when(agent=True)),
            turn(say("It found one mistake."), when=when(note="<task-notification>")),
        ),
        ("Review it: completed",),
        fake=False,
    ),
    Scene(
        PAGE,
        "isolated.py",
        scripted(*(turn(respond(lambda asked: say("Ahoy!" if "like a sailor" in str(asked.body) else "Hello."))),) * 2),
        ("None Ahoy!", "() Hello."),
        brings=(("CLAUDE.md", "Talk like a sailor."),),
        fake=False,
    ),
    Scene(PAGE, "ask_cli.py", scripted(), ("[", " of ", " tokens"), fake=False),
    Scene(
        PAGE,
        "failures.py",
        scripted(turn(fail(403, "permission_error", "not this key"))),
        ("CliNotFound: exit code 3", "StartFailed: ", "error", "authentication: "),
    ),
    Scene(
        PAGE,
        "cost.py",
        scripted(say("One."), say("Two.")),
        ("One. 0.0", " of 0.0", " tokens", "Two. 0.0", " of 0.0"),
    ),
    Scene(
        PAGE,
        "three_at_once.py",
        scripted(say("one"), say("two")),
        ("success 1", "success 2", "success 2"),
    ),
    Scene(
        PAGE,
        "background.py",
        scripted(
            turn(
                call(
                    "Agent",
                    subagent_type="general-purpose",
                    description="Look around",
                    prompt="Look through the code",
                    run_in_background=True,
                ),
                say("Somebody looks."),
            ),
            turn(say("All is well."), when=when(agent=True)),
            turn(say("They found nothing."), when=when(note="<task-notification>")),
            say("You are welcome."),
        ),
        ("1: Somebody looks.", "2: You are welcome.", "by itself: They found nothing."),
        fake=False,
    ),
    Scene(
        PAGE,
        "unattended.py",
        scripted(turn(READ, MEND, RUN_TESTS, call("Bash", command="git push"), refusable(say("Pushed.")))),
        ("It stays uncommitted.",),
        complains=("denied: Bash {'command': 'git push'}",),
        files=(("basket.py", MENDED),),
        fake=False,
    ),
    Scene(
        PAGE,
        "no_loop.py",
        scripted(
            turn(RUN_TESTS, respond(lambda asked: say("They fail." if "FAILED" in asked.results[0].text else "?")))
        ),
        (TESTS, "They fail."),
    ),
)
