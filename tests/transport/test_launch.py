"""A process that cannot be started says which value is wrong and what to do, and leaves nothing open."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bascule.errors import BasculeError, CliNotFound, OptionError, StartFailed
from bascule.recording import Exit
from bascule.transport.backlog import stopwatch
from bascule.transport.ends import Limits
from bascule.transport.launch import Launch, refusal
from bascule.transport.process import ProcessPipe, open_process
from tests.transport.programs import ECHO, open_files, program


@pytest.fixture(autouse=True)
def nothing_is_left_open() -> Iterator[None]:
    before = open_files()
    yield
    assert open_files() - before == set()


async def refused(launch: Launch) -> BasculeError:
    """The error that starting `launch` raises."""
    with pytest.raises(BasculeError) as caught:
        async with open_process(launch):
            pytest.fail("it started")
    return caught.value


async def test_a_missing_program_is_named(tmp_path: Path) -> None:
    error = await refused(Launch((str(tmp_path / "claude"),), {}, str(tmp_path)))
    assert isinstance(error, CliNotFound)
    assert error.searched == (str(tmp_path / "claude"),)
    assert "install Claude Code" in str(error)


@pytest.mark.parametrize("there", [True, False], ids=["a-file", "missing"])
async def test_a_working_directory_that_is_none_is_named(tmp_path: Path, there: bool) -> None:
    launch = program(tmp_path, ECHO)
    cwd = tmp_path / "workspace"
    if there:
        cwd.write_text("")
    error = await refused(Launch(launch.argv, launch.env, str(cwd)))
    assert isinstance(error, OptionError)
    assert f"working directory {cwd}" in str(error)


async def test_a_program_that_may_not_be_run_is_told_apart(tmp_path: Path) -> None:
    launch = program(tmp_path, ECHO)
    (tmp_path / "fake_cli").chmod(0o644)
    error = await refused(launch)
    assert isinstance(error, StartFailed)
    assert "chmod +x" in str(error)


async def test_a_script_without_its_interpreter_is_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "claude"
    path.write_text("#!/no/such/node\n")
    path.chmod(0o755)
    error = await refused(Launch((str(path),), {}, str(tmp_path)))
    assert isinstance(error, StartFailed)
    assert "interpreter" in str(error)


async def test_a_file_that_is_no_program_is_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "claude"
    path.write_bytes(b"\x7fELF but not really")
    path.chmod(0o755)
    error = await refused(Launch((str(path),), {}, str(tmp_path)))
    assert isinstance(error, StartFailed)
    assert "no program for this machine" in str(error)


async def test_a_command_line_that_is_too_long_says_to_use_files(tmp_path: Path) -> None:
    launch = program(tmp_path, ECHO)
    error = await refused(Launch((*launch.argv, "x" * 10_000_000), launch.env, launch.cwd))
    assert isinstance(error, StartFailed)
    assert "into files" in str(error)


@pytest.mark.parametrize("value", ["nul \0 inside", "lone \ud83d surrogate"])
async def test_an_argument_that_no_system_takes_is_an_option_error(tmp_path: Path, value: str) -> None:
    launch = program(tmp_path, ECHO)
    assert isinstance(await refused(Launch((*launch.argv, value), launch.env, launch.cwd)), OptionError)


def test_any_other_refusal_tells_the_reason() -> None:
    error = refusal(Launch(("/bin/true",), {}, "/"), OSError(12, "Cannot allocate memory"))
    assert isinstance(error, StartFailed)
    assert "Cannot allocate memory" in str(error)
    assert "odd" in str(refusal(Launch(("/bin/true",), {}, "/"), OSError("odd")))


async def test_a_pipe_whose_process_never_started_closes_and_takes_no_signal() -> None:
    pipe = ProcessPipe(stopwatch(), Limits())
    pipe.signal(9)
    assert await pipe.close() == Exit()
