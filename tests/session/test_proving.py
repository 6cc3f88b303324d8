"""Whether a session depends on a proof, and on which version."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from bascule.errors import CliVersionRefused
from bascule.session.options import Options
from bascule.session.proving import compare, proven

CLI = Path("/opt/claude")


async def prove(cli: Path, env: Mapping[str, str], cwd: Path) -> str:
    return f"{cli} {dict(env)} {cwd}"


@pytest.mark.parametrize("policy", ["supervised", "plan", "rules"])
async def test_where_bascule_governs_the_cli_has_to_be_proven(policy: str) -> None:
    assert await proven(prove, Options(policy=policy), CLI, {"A": "b"}, Path("/w")) == "/opt/claude {'A': 'b'} /w"


@pytest.mark.parametrize(
    "options", [Options(policy="acceptEdits"), Options(policy="autonomous"), Options(unproven=True)]
)
async def test_nothing_is_proven_where_nothing_depends_on_it(options: Options) -> None:
    assert await proven(prove, options, CLI, {}, Path("/w")) is None


async def test_a_session_that_nobody_proves_for_is_not_proven() -> None:
    assert await proven(None, Options(), CLI, {}, Path("/w")) is None


def test_another_version_than_the_one_that_was_proven_is_refused() -> None:
    with pytest.raises(CliVersionRefused, match=r"2\.1\.332 was shown to ask, and 2\.1\.333 was started") as refused:
        compare("2.1.332", "2.1.333")
    assert refused.value.version == "2.1.333"


@pytest.mark.parametrize(("shown", "told"), [("2.1.332", "2.1.332"), ("2.1.197", None), (None, "2.1.333")])
def test_a_version_that_is_the_same_or_not_told_passes(shown: str | None, told: str | None) -> None:
    assert compare(shown, told) is None  # type: ignore[func-returns-value]
