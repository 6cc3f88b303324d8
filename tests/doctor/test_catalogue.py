"""What is known of the tested versions is what their probes were recorded to say."""

import msgspec
import pytest

from bascule.doctor.catalogue import SENT, TESTED, TRAITS, is_described, recorded
from bascule.transport import version
from tests.doctor.recorded import probed


@pytest.mark.parametrize("number", TESTED)
def test_what_is_known_of_a_version_is_what_was_recorded(number: str) -> None:
    known = recorded(number).findings()
    assert msgspec.structs.replace(known, ways={}) == probed(number)
    assert known.ways.keys() == TRAITS.keys()


def test_the_tested_range_is_that_of_the_recordings() -> None:
    assert tuple(map(str, reversed(version.TESTED))) == TESTED


def test_a_version_that_was_not_tested_is_not_known() -> None:
    with pytest.raises(FileNotFoundError):
        recorded("2.1.300")


def test_every_start_sends_the_flags_that_asks_depend_on() -> None:
    assert {"--permission-prompt-tool", "--permission-mode", "--verbose", "--replay-user-messages"} <= SENT
    assert "--resume" not in SENT


@pytest.mark.parametrize(("tool", "more"), [("Bash", True), ("mcp__a__b", True), ("Workflow", False), ("", False)])
def test_a_tool_is_described_or_only_named(tool: str, more: bool) -> None:
    assert is_described(tool) is more
