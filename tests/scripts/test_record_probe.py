"""A recorded probe keeps what the CLI says, and little of its prose."""

import json

from bascule.doctor.usage import usage_of
from bascule.recording import Entry
from scripts.record_probe import slim, slim_usage
from tests.doctor.test_usage import HELP


def test_prose_is_cut_and_the_rest_is_kept() -> None:
    line = {"type": "x", "commands": [{"name": "a", "description": "A long text that people would read"}], "n": 1}
    kept = json.loads(slim(Entry(0, "out", json.dumps(line))).line)
    assert kept == {"type": "x", "commands": [{"name": "a", "description": "A long text th…"}], "n": 1}


def test_where_the_cli_lay_is_not_told() -> None:
    assert slim(Entry(0, "argv", '["/home/me/bin/claude", "-p"]')).line == '["claude","-p"]'


def test_what_is_no_json_and_what_is_ours_stays() -> None:
    for entry in (Entry(0, "out", "Segmentation fault"), Entry(0, "in", '{"description": "' + "x" * 90 + '"}')):
        assert slim(entry) == entry


def test_the_help_without_its_prose_says_the_same() -> None:
    assert usage_of(slim_usage(HELP)) == usage_of(HELP)
    assert "More directories" not in slim_usage(HELP)
