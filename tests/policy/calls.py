"""Calls for tests: a workspace of its own, paths resolved by their text alone."""

import posixpath
from typing import Any

from bascule.policy.call import Call
from bascule.policy.places import Ground
from bascule.tools.facts import facts, with_paths

WORKSPACE = "/home/ann/app"
HOME = "/home/ann"
PLANS = "/home/ann/.claude/plans"
STATE = "/home/ann/app/.bascule"


def call(tool: str, cwd: str = WORKSPACE, plans: str | None = PLANS, /, **tool_input: Any) -> Call:
    """A call of `tool` in the workspace."""
    return call_with(tool, tool_input, cwd=cwd, plans=plans)


def call_with(tool: str, tool_input: Any, *, cwd: str = WORKSPACE, plans: str | None = PLANS) -> Call:
    def resolve(path: str) -> str:
        path = HOME + path[1:] if path.startswith("~") else path
        return posixpath.normpath(posixpath.join(cwd, path))

    return Call(
        facts=with_paths(facts(tool, tool_input), resolve),
        ground=Ground(workspace=WORKSPACE, home=HOME),
        cwd=cwd,
        plans=plans,
        protected=(STATE,),
    )


def bash(command: str, cwd: str = WORKSPACE) -> Call:
    return call("Bash", cwd, command=command)
