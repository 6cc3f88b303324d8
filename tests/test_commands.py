"""Commands as JSON: what is written is read again, by a session's reader and by a hub's."""

import msgspec
import pytest

from bascule.commands import Interrupt, Rename, from_json, hub_command, to_json
from bascule.ids import CommandId, SessionId

STOP = Interrupt(command_id=CommandId("c1"), drop_queued=True)
NAME = Rename(command_id=CommandId("c2"), session=SessionId("s"), title="Ü")


def test_a_command_is_read_as_it_was_written() -> None:
    assert from_json(to_json(STOP)) == STOP
    assert hub_command(to_json(STOP)) == STOP
    assert hub_command(to_json(NAME)) == NAME


def test_a_session_takes_no_command_that_only_a_hub_can_carry_out() -> None:
    with pytest.raises(msgspec.DecodeError, match="rename"):
        from_json(to_json(NAME))
