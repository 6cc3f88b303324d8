"""A value of another type than the declared one is refused before anything starts, wherever it stands."""

from typing import Any

import msgspec
import pytest

from bascule.errors import OptionError
from bascule.session.hooks import KeptGrants, UserHook
from bascule.session.options import Options
from bascule.session.watch import Limits
from bascule.wire.initialize import Agent

TUPLES = [name for name, kind in Options.__annotations__.items() if "tuple[" in str(kind)]

ODD: tuple[Any, ...] = (
    5, 2.5, True, "x", b"x", None, (), (5,), [], {}, {"a": 5}, {5: "a"}, object(), print, "\0", "\ud800",
)  # fmt: skip


@pytest.mark.parametrize("name", TUPLES)
def test_a_text_is_no_tuple_of_its_letters(name: str) -> None:
    """`add_dirs="/tmp"` would open `/`, `t`, `m` and `p`."""
    given: dict[str, Any] = {name: "/tmp"}
    with pytest.raises(OptionError, match=f"^{name} is '/tmp': it must be a tuple of "):
        Options(**given)


def test_the_fields_that_a_text_could_open_are_among_them() -> None:
    assert {"add_dirs", "allow", "allowed_tools", "extra_args", "pass_env", "plugin_dirs", "tools"} <= set(TUPLES)


def test_a_list_will_do_for_a_tuple_and_cannot_be_changed_afterwards() -> None:
    allowed = ["Bash(ls)"]
    options = Options(allow=allowed)  # type: ignore[arg-type]
    allowed.append("Bash(rm *)")
    assert options.allow == ("Bash(ls)",)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"resume": 5}, "resume is 5: it must be str or None"),
        ({"id": 5}, "id is 5: it must be str or None"),
        ({"max_turns": "3"}, "max_turns is '3': it must be int or None"),
        ({"max_turns": True}, "max_turns is True: it must be int or None"),
        ({"grace_s": None}, "grace_s is None: it must be float"),
        ({"partial_messages": "no"}, "partial_messages is 'no': it must be bool"),
        ({"stop_git_check": "pulled"}, "stop_git_check is 'pulled': it must be bool or 'pushed' or None"),
        ({"cwd": b"."}, "cwd is of the type bytes: it must be str or Path"),
        ({"limits": {"turn_s": 1}}, "limits is of the type dict: it must be Limits"),
        ({"limits": Limits(turn_s="1")}, "limits.turn_s is of the type str: it must be float or None"),  # type: ignore[arg-type]
        ({"hooks": [print]}, "hooks[0] is of the type builtin_function_or_method: it must be UserHook"),
        ({"hooks": (UserHook(event="Stop", function=5),)}, "hooks[0].function is of the type int"),  # type: ignore[arg-type]
        ({"rules": ("Bash(ls)",)}, "rules[0] is of the type str: it must be Rule"),
        ({"on_ask": "me"}, "on_ask is 'me': it must be a function or None"),
        ({"kept_grants": 5}, "kept_grants is 5: it must be KeptGrants or None"),
        ({"tool_servers": ["calc"]}, "tool_servers[0] is of the type str: it must be ToolServer"),
        ({"json_schema": "x"}, "json_schema is 'x': it must be a mapping of str to anything or None"),
        ({"settings": 5}, "settings is 5: it must be str or a mapping of str to anything or None"),
        ({"mcp_servers": {5: {}}}, "a key of mcp_servers is of the type int: it must be str"),
        ({"mcp_servers": {"a": ["x"]}}, "mcp_servers['a'] is of the type list: it must be a mapping"),
        ({"agents": {"a": {"prompt": "p"}}}, "agents['a'] is of the type dict: it must be Agent"),
        ({"agents": {"a": Agent(5, "p")}}, "agents['a'].description is of the type int"),  # type: ignore[arg-type]
        ({"allow": ("Bash(ls)", 5)}, "allow[1] is of the type int: it must be str"),
    ],
)
def test_what_is_of_another_type_is_refused_by_its_place(given: dict[str, Any], says: str) -> None:
    with pytest.raises(OptionError) as refused:
        Options(**given)
    assert str(refused.value).startswith(says)


@pytest.mark.parametrize("given", [{"env": {"TOKEN": b"secret"}}, {"mcp_servers": [{"env": "secret"}]}])
def test_what_may_be_a_secret_is_not_repeated(given: dict[str, Any]) -> None:
    with pytest.raises(OptionError) as refused:
        Options(**given)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("name", Options.__struct_fields__)
def test_no_value_makes_another_error(name: str) -> None:
    for value in ODD:
        try:
            Options(**{name: value})
        except OptionError as exc:
            assert str(exc)


def test_whatever_keeps_grants_keeps_them() -> None:
    class Mine:
        def holding(self) -> tuple[()]:
            return ()

        async def used(self, grants: Any) -> None:
            raise AssertionError

        async def revoke(self, grant: Any) -> None:
            raise AssertionError

    mine: KeptGrants = Mine()
    assert Options(kept_grants=mine).kept_grants is mine


def test_options_made_of_others_are_looked_at_as_well() -> None:
    with pytest.raises(OptionError, match="add_dirs"):
        msgspec.structs.replace(Options(), add_dirs="/tmp")
