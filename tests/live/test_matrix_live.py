"""Every policy with every kind of call and every answer, on the fake CLI among the fast tests and on the real ones."""

import sys
from pathlib import Path
from typing import Any

import pytest

from bascule.demo.model import ScriptedModel
from bascule.policy.policies import named
from tests.live.matrix import POLICIES, PROBES, WORD, Ground, cells, expected, play, script
from tests.live.stage import Stage
from tests.testing.driven import measured

SMOKE = ("supervised", "plan", "rules", "dontAsk")
"""Whose cells a quick look at the real CLI plays: all that asks, and what is denied without asking."""

SERVER = """
import json, sys
from pathlib import Path

SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}

def answer(method, params):
    match method:
        case "initialize":
            told = {"capabilities": {"tools": {}}, "serverInfo": {"name": "toy", "version": "1"}}
            return {"protocolVersion": params["protocolVersion"], **told}
        case "tools/list":
            names = [f"put{number}" for number in range(100)]
            return {"tools": [{"name": name, "description": "Puts", "inputSchema": SCHEMA} for name in names]}
        case "tools/call":
            Path(params["arguments"]["name"]).touch()
            return {"content": [{"type": "text", "text": "put"}]}
    return {}

for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = answer(message.get("method"), message.get("params"))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


@pytest.fixture
def options(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """What a session of the real CLI needs for all kinds of calls."""
    path = tmp_path / "toy.py"
    path.write_text(SERVER)
    return {"mcp_servers": {"toy": {"command": sys.executable, "args": [str(path)]}}}


@pytest.mark.parametrize("attended", [True, False], ids=["attended", "nobody"])
@pytest.mark.parametrize(
    "policy", [pytest.param(policy, marks=[pytest.mark.smoke] if policy in SMOKE else []) for policy in POLICIES]
)
async def test_every_call_does_what_the_policy_and_the_answer_say(
    cli: Path,
    cli_version: str,
    clean_env: dict[str, str],
    tmp_path: Path,
    options: dict[str, Any],
    policy: str,
    attended: bool,
) -> None:
    fake = cli.parent.name == "fake"
    ground = Ground(tmp_path / "work", tmp_path / "outside")
    for folder in ground:
        folder.mkdir()
    stage = Stage(cli, {**clean_env, **measured()}, ground.workspace, newer=True)
    played = cells(policy, attended=attended, fake=fake)
    governs = named(policy).governs
    given = {
        "policy": policy,
        "attended": attended,
        "stop_git_check": False,
        "allow": ("Agent",) if governs else (),
        **({} if fake else options),
    }
    async with ScriptedModel(script(played, ground)) as model, stage.session(model, **given) as session:
        found = {cell.name: await play(session, model, cell, ground) for cell in played}
        assert model.left == 0
    assert found == {cell.name: expected(cell) for cell in played}


def test_the_matrix_has_every_cell() -> None:
    """A word for each policy and tool, and each answer is played at least once wherever something asks."""
    assert set(WORD) == set(PROBES)
    assert {len(row.split()) for row in WORD.values()} == {len(POLICIES)}
    for policy in POLICIES:
        asking = {cell.tool for cell in cells(policy, attended=True, fake=False) if cell.word == "asks"}
        answers = {cell.answer for cell in cells(policy, attended=True, fake=False) if cell.tool in asking}
        assert answers >= {"once", "deny", "stop"} or policy == "dontAsk"
