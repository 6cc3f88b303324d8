"""Control requests of the host."""

from bascule.demo.script import say
from tests.live.conformance.stage import Stage, inits
from tests.testing.driven import shapes


def test_the_mode_is_acknowledged_and_then_told(stage: Stage, newer: bool) -> None:
    stage.play(say("One."))
    with stage.start() as cli:
        cli.initialize()
        assert cli.request("set_permission_mode", mode="plan")["response"] == {"mode": "plan"}
        told = cli.next(lambda line: line.get("subtype") == "status")
        assert told["permissionMode"] == "plan"
        assert cli.request("set_permission_mode", mode="bypassPermissions")["subtype"] == "error"
        refused = cli.request("set_permission_mode", mode="bogus")
        assert refused["subtype"] == ("error" if newer else "success")
        cli.turn("hi")
        assert inits(cli.lines)[-1]["permissionMode"] == ("plan" if newer else "bogus")


def test_the_model_is_changed_with_a_replay_line(stage: Stage, newer: bool) -> None:
    model = stage.play(say("One."), say("Two."))
    with stage.start() as cli:
        cli.turn("hi")
        answer = cli.request("set_model", model="claude-fable-9")
        assert answer.get("response") == ({"model": "claude-fable-9"} if newer else None)
        assert shapes(cli.lines)[-2:] == ["user/replay", "control_response"]
        cli.turn("hi again")
        assert model.asked[1].model == "claude-fable-9"


def test_an_unknown_request_is_refused_and_harms_nothing(stage: Stage, newer: bool) -> None:
    stage.play(say("One."))
    with stage.start() as cli:
        refused = cli.request("make_coffee")
        assert refused["error"] == "Unsupported control request subtype: make_coffee"
        assert refused.get("error_code") == ("unsupported_request" if newer else None)
        assert cli.turn("hi")["result"] == "One."
