"""What tools take, by the schemas that the real CLI gives its model."""

from typing import Any

from bascule.demo.script import say, turn
from bascule.tools.shapes import SHAPES
from tests.live.stage import Stage, said

WORDS = {"string": "text", "integer": "a number", "number": "a number", "boolean": "a boolean", "array": "a list"}


async def test_the_shapes_of_tools_are_those_of_the_clis_schemas(stage: Stage) -> None:
    async with stage.play(turn(say("Hello."))) as (session, model):
        await said(session, "Hi")
        offered: list[dict[str, Any]] = model.asked[-1].body["tools"]
    schemas = {tool["name"]: tool["input_schema"] for tool in offered if tool["name"] in SHAPES}
    assert schemas.keys() >= {"Agent", "Bash", "Edit", "Read", "Write"}
    for name, schema in schemas.items():
        required, optional = SHAPES[name]
        taken = {key: WORDS[field["type"]] for key, field in schema["properties"].items()}
        assert taken.items() <= {**required, **optional}.items(), name
        assert set(required) <= set(schema.get("required", ())), name
