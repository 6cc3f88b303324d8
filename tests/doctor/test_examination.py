"""The whole examination, and how it is told."""

from pathlib import Path

import pytest

from bascule.doctor.catalogue import recorded
from bascule.doctor.checks import Check
from bascule.doctor.compare import Difference
from bascule.doctor.examination import Report, examine
from bascule.doctor.findings import Findings
from bascule.doctor.receipts import Receipts, subject
from bascule.doctor.telling import lines
from bascule.doctor.traits import NEWEST, OLDEST
from bascule.terminal.paint import rows
from bascule.testing.fake_cli import install
from bascule.transport.folders import state_folder
from tests.doctor.broken import asks_nobody
from tests.doctor.programs import program


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, so that no receipt is left in ours."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    return folder


async def like_the_oldest(cli: Path) -> Findings:
    """What a probe of the older version finds."""
    return recorded(OLDEST).findings()


async def broken(cli: Path) -> Findings:
    return Findings(trouble=("scene x: the CLI ended",))


def verdicts(report: Report) -> dict[str, str]:
    return {check.name: check.verdict for check in report.checks}


async def test_a_fit_cli_is_examined_whole(tmp_path: Path, home: Path) -> None:
    cli = install(tmp_path, version=OLDEST)
    report = await examine(str(cli), look=like_the_oldest)
    assert (report.cli, report.version, report.against, report.code) == (str(cli), OLDEST, NEWEST, 0)
    assert list(report.checks)[:5] == [check for check in report.checks if check.verdict == "good"][:5]
    assert [check.name for check in report.checks[:5]] == ["found", "version", "asks", "hooks", "probe"]
    assert report.differences
    assert Receipts(state_folder({"HOME": str(home)})).has(subject(cli, OLDEST))


async def test_a_quick_examination_looks_for_no_differences(tmp_path: Path) -> None:
    report = await examine(str(install(tmp_path)), look=None)
    assert report.differences is None
    assert verdicts(report)["asks"] == "good"
    assert "probe" not in verdicts(report)


async def test_a_cli_that_is_not_there_is_bad_and_the_rest_is_still_looked_at(tmp_path: Path) -> None:
    report = await examine(str(tmp_path / "claude"))
    assert (report.code, report.cli, report.checks[0].verdict) == (1, None, "bad")
    assert "does not exist" in report.checks[0].says
    assert "install Claude Code" in report.checks[0].advice
    assert "git" in verdicts(report)


async def test_a_program_that_tells_no_version_is_bad(tmp_path: Path) -> None:
    report = await examine(str(program(tmp_path, "echo hello")))
    assert verdicts(report)["version"] == "bad"
    assert "asks" not in verdicts(report)


async def test_a_cli_that_asks_nobody_is_bad_and_not_probed(tmp_path: Path) -> None:
    report = await examine(str(asks_nobody(tmp_path)), look=broken)
    assert (verdicts(report)["asks"], report.code, report.differences) == ("bad", 1, None)


@pytest.mark.parametrize("later", ["exit 9", 'exec "{asks_nobody}" "$@"'])
async def test_what_no_longer_holds_is_remembered_no_more(tmp_path: Path, home: Path, later: str) -> None:
    """A program behind a starter has changed; the starter has not."""
    for name in ("good", "bad"):
        (tmp_path / name).mkdir()
    then = later.format(asks_nobody=asks_nobody(tmp_path / "bad"))
    changed = f'[ "$1" != --version ] && [ -e "{tmp_path}/flip" ] && {{ {then}; }}'
    cli = program(tmp_path, f'{changed}\nexec "{install(tmp_path / "good")}" "$@"')
    receipts, proven = Receipts(state_folder({"HOME": str(home)})), subject(cli, NEWEST)
    assert (await examine(str(cli), look=None)).code == 0
    assert receipts.has(proven)
    (tmp_path / "flip").touch()
    assert verdicts(await examine(str(cli), look=None))["asks"] == "bad"
    assert not receipts.has(proven)


async def test_a_cli_that_does_not_start_is_bad(tmp_path: Path) -> None:
    told = 'test "$1" = --version && echo "2.1.300 (Claude Code)" && exit; echo "no such library" >&2; exit 9'
    report = await examine(str(program(tmp_path, told)), look=broken)
    (asks,) = [check for check in report.checks if check.name == "asks"]
    assert asks.verdict == "bad"
    assert "does not start" in asks.says


async def test_a_probe_that_broke_off_is_bad(tmp_path: Path) -> None:
    report = await examine(str(install(tmp_path)), look=broken)
    assert (verdicts(report)["probe"], verdicts(report)["hooks"], report.code) == ("bad", "bad", 1)


def told(report: Report, width: int = 80) -> list[str]:
    return rows(lines(report), width, "none")


GOOD = Check("found", "good", "/usr/bin/claude")
GIT = Check("git", "doubtful", "not found", "install git")
BAD = Check("asks", "bad", "it wrote what nobody had allowed", "install another version")


def test_a_report_fits_into_eighty_columns() -> None:
    long = Check("config", "doubtful", "/a/very" * 9 + " cannot be written to", "make it writable " * 9)
    flags = Difference("flag", "missing", "harmless", tuple(f"--flag-{number}" for number in range(30)), "", "Why.")
    report = Report(version="2.1.200", checks=(long, GIT), differences=(flags,))
    assert max(map(len, told(report))) <= 80


def test_every_failure_says_what_to_do() -> None:
    text = told(Report(version="2.1.200", checks=(GOOD, GIT, BAD)))
    assert text[0] == "Claude Code 2.1.200"
    assert "✓ found    /usr/bin/claude" in text
    assert text[text.index("! git      not found") + 1] == "           → install git"
    assert text[text.index("✗ asks     it wrote what nobody had allowed") + 1] == "           → install another version"
    assert text[-1] == "Something is broken: see the lines with ✗."


def test_a_version_that_differs_in_nothing_says_so() -> None:
    text = told(Report(version=NEWEST, checks=(GOOD,), differences=()))
    assert f"It says and does what {NEWEST} does, the newest tested version." in text
    assert text[-1] == "Fit for use."


def test_what_was_not_looked_for_is_not_told() -> None:
    assert not [row for row in told(Report(checks=(GOOD, GIT))) if "newest tested" in row]
    assert told(Report(checks=(GIT,)))[-1] == "Fit for use; see the lines with !."


def test_differences_are_told_by_weight_with_what_they_mean() -> None:
    grave = Difference("behaviour", "changed", "breaking", ("x",), "A write runs.", "Nobody is asked.")
    many = Difference("tool", "new", "harmless", tuple("abcdefghij"), "", "Shown by name.", like=(OLDEST,))
    report = Report(version="2.1.200", checks=(GOOD,), differences=(grave, many))
    text = told(report)
    at = text.index(f"What differs from {NEWEST}, the newest tested version:")
    assert text[at + 1 : at + 5] == [
        "✗ A write runs.",
        "  Nobody is asked.",
        "· new tools: a, b, c, d, e, f and 4 more (--json names them) (as in 2.1.197)",
        "  Shown by name.",
    ]
    assert (report.code, text[-1]) == (1, "Something is broken: see the lines with ✗.")


def test_a_tested_version_is_not_compared_with_itself() -> None:
    like = Difference("tool", "new", "harmless", ("a",), "", like=(OLDEST,))
    more = Difference("capability", "missing", "harmless", ("b", "c"), "")
    text = told(Report(version=OLDEST, differences=(like, more)))
    assert "· new tool: a" in text
    assert "· missing capabilities: b, c" in text


def test_what_a_cli_says_steers_no_terminal() -> None:
    evil = Difference("tool", "new", "harmless", ("\x1b[2Jx",), "")
    assert "\x1b" not in "".join(told(Report(checks=(Check("found", "good", "\x1b]0;x\x07y"),), differences=(evil,))))
