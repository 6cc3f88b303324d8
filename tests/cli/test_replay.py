"""Any recording is shown, as a conversation or as events, also when it is cut off."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bascule import events, recording
from bascule.cli.main import main
from bascule.ids import SessionId
from bascule.transcript.fold import Fold
from tests.cli.command import bascule
from tests.cli.goldens import GOLDEN, names
from tests.cli.goldens import shown as shown_as

RECORDINGS = Path(__file__).parents[1] / "recordings"
SIMPLE = RECORDINGS / "2.1.332" / "01_simple_text.jsonl"
ALL = sorted(RECORDINGS.glob("2.*/*.jsonl"))


def shown(path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    assert main(["replay", *options, str(path)]) == 0
    return capsys.readouterr().out


def test_a_recording_is_a_conversation(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(SIMPLE, capsys).split("\n") == [
        "» hi", "", "Claude Code 2.1.332 · claude-opus-5-5 · mode default · /home/dev/project", "",
        "Hello from the fake model.", "", "✓ 0.1 s · $0.0003 · 20 in / 12 out · 0 % of context", "",
    ]  # fmt: skip


@pytest.mark.parametrize("path", ALL, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_recording_can_be_shown_without_a_sequence_or_a_traceback(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = shown(path, capsys)
    assert "\x1b" not in out
    assert out.strip() or path.stat().st_size < 5_000


@pytest.mark.parametrize("name", names())
def test_a_conversation_reads_as_it_did(name: str) -> None:
    assert shown_as(name) == (GOLDEN / f"{name}.txt").read_text()


def test_there_are_conversations_to_compare_with() -> None:
    assert len(names()) >= 10


def test_events_are_exactly_those_of_the_fold() -> None:
    fold = Fold(SessionId(SIMPLE.stem))
    expected = []
    for entry in recording.read(SIMPLE.read_bytes().splitlines()):
        assert isinstance(entry, recording.Entry)
        expected += fold.feed(entry)
    expected += fold.end()
    lines = bascule("replay", "--json", str(SIMPLE)).out.encode().splitlines()
    assert lines == [events.to_json(event) for event in expected]
    assert [events.from_json(line) for line in lines] == expected


def test_a_recording_of_ours_names_its_session_and_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    began = recording.note(recording.Began(session=SessionId("ours"), at=1_700_000_000_000))
    entries = [recording.Entry(0, "note", began), *recording.read(SIMPLE.read_bytes().splitlines())]
    ours = tmp_path / "ours.jsonl"
    ours.write_bytes(b"".join(recording.encode(entry) for entry in entries if isinstance(entry, recording.Entry)))
    first = json.loads(shown(ours, capsys, "--json").splitlines()[0])
    assert (first["session"], first["at"]) == ("ours", 1_700_000_000_000)


def test_a_recording_that_is_cut_off_is_shown_as_far_as_it_goes(tmp_path: Path) -> None:
    cut = tmp_path / "cut.jsonl"
    whole = SIMPLE.read_bytes()
    cut.write_bytes(whole[: len(whole) // 2])
    ran = bascule("replay", str(cut))
    assert ran.code == 0
    assert ran.out.startswith("» hi\n")
    assert "↯ lost" in ran.out
    assert ran.err.startswith(f"bascule: {cut}, line ")
    assert "is damaged and left out" in ran.err


def test_much_damage_is_counted(tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b"garbage\n" * 15 + SIMPLE.read_bytes())
    ran = bascule("replay", str(bad))
    assert (ran.code, ran.err.count("is damaged and left out")) == (0, 10)
    assert ran.err.endswith("5 more lines are damaged\n")


def test_a_recording_may_come_on_standard_input() -> None:
    ran = bascule("replay", "-", stdin=SIMPLE.read_text())
    assert (ran.code, ran.out.startswith("» hi\n")) == (0, True)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "standard input is empty, so it is no recording"),
        ("no recording\n", "standard input is no recording (line 1: Expecting value"),
        ('{"a": 1}\n', "standard input is no recording (line 1: `t` is not a number of seconds): make one with"),
    ],
)
def test_what_is_no_recording_is_refused(text: str, problem: str) -> None:
    ran = bascule("replay", "-", stdin=text)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"bascule: {problem}")
    assert ran.err.count("\n") == 1


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    ran = bascule("replay", str(tmp_path / "gone"))
    assert ran == (2, "", f"bascule: {tmp_path}/gone cannot be read (No such file or directory): name a recording\n")
    assert bascule("replay", str(tmp_path)).code == 2


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_reader_that_has_seen_enough_is_no_failure(options: list[str]) -> None:
    argv = [
        sys.executable,
        "-m",
        "bascule.cli.main",
        "replay",
        *options,
        str(RECORDINGS / "2.1.332/17_edit_write.jsonl"),
    ]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(argv, stdout=write, stderr=subprocess.PIPE, timeout=15, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_output_never_fails_on_what_it_cannot_say() -> None:
    odd = recording.encode(recording.Entry(0.0, "err", "\udcff")).decode()
    ran = bascule("replay", "-", stdin=odd + SIMPLE.read_text(), env={"PYTHONIOENCODING": "ascii"})
    assert (ran.code, ran.err) == (0, "")
    assert "? hi" in ran.out
    assert "Hello from the fake model." in ran.out
