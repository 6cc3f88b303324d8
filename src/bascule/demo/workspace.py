"""A place for a CLI to work in: a home of its own, a small project with a bug, an environment that inherits nothing.

The project is a Python package of two modules under git (where git is installed), whose only test fails until the
bug is mended. Nothing outside the folder is read or written, and no setting of the user's reaches the CLI.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

README: Final = """\
# basket

What a basket of goods costs, after the discount.

    python3 -m unittest

The test of the discount fails. Nobody has looked into it yet.
"""

BASKET: Final = '''\
"""What a basket of goods costs."""

from decimal import Decimal


def total(prices: list[Decimal]) -> Decimal:
    """The sum of the prices."""
    return sum(prices, Decimal(0))


def discounted(amount: Decimal, percent: int) -> Decimal:
    """The amount, less a discount in percent."""
    return amount - amount * percent / 10
'''

TEST_BASKET: Final = """\
import unittest
from decimal import Decimal

from basket import discounted, total


class BasketTest(unittest.TestCase):
    def test_total_adds_the_prices(self):
        self.assertEqual(total([Decimal("2.50"), Decimal("7.50")]), Decimal(10))

    def test_discount_is_taken_off(self):
        self.assertEqual(discounted(Decimal(200), 15), Decimal(170))


if __name__ == "__main__":
    unittest.main()
"""

FILES: Final[Mapping[str, str]] = {
    "README.md": README,
    "basket.py": BASKET,
    "test_basket.py": TEST_BASKET,
    ".gitignore": "__pycache__/\n",
}

GIT_TIMEOUT_S: Final = 20


class Workspace(msgspec.Struct, frozen=True):
    """Where the CLI lives and works. `home` is empty at first, `project` holds `FILES`."""

    home: Path
    project: Path

    def environment(self, model_url: str) -> dict[str, str]:
        """The whole environment for a CLI that works here and talks to that model."""
        return clean_environment(model_url, self.home)


@contextmanager
def temporary_workspace() -> Iterator[Workspace]:
    """A workspace that is gone at the end of the block, with whatever the CLI left in it.

    with temporary_workspace() as workspace, ScriptedModel(tour(workspace.project)) as model:
        subprocess.run([cli, …], cwd=workspace.project, env=workspace.environment(model.url))
    """
    # A CLI that was just ended may still be writing its last lines while its home is removed.
    with TemporaryDirectory(prefix="bascule-demo-", ignore_cleanup_errors=True) as folder:
        yield make_workspace(Path(folder).resolve())


def make_workspace(folder: Path) -> Workspace:
    """A workspace in `folder`, which exists; without git on the machine the project is a plain folder."""
    workspace = Workspace(folder / "home", folder / "basket")
    workspace.home.mkdir()
    workspace.project.mkdir()
    for name, text in FILES.items():
        (workspace.project / name).write_text(text, encoding="utf-8")
    if git := shutil.which("git"):
        _commit_all(git, workspace)
    return workspace


def clean_environment(model_url: str, home: Path) -> dict[str, str]:
    """An environment for a CLI that talks to the model at `model_url` and to nobody else.

    Of the caller's environment only PATH is in it, so that tools find their programs: no login, no settings, no
    proxy. `home` is both the user's home and where the CLI keeps its own files (`.claude`). IS_SANDBOX lets it run
    with every permission mode as root too.
    """
    return {
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "PATH": os.environ.get("PATH", os.defpath),
        "ANTHROPIC_BASE_URL": model_url,
        "ANTHROPIC_API_KEY": "dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",
    }


def _commit_all(git: str, workspace: Workspace) -> None:
    """One commit, under a name of the demo's own and without the user's configuration of git."""
    person = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in _PERSON.items()}
    environment = {
        "HOME": str(workspace.home),
        "PATH": os.environ.get("PATH", os.defpath),
        "GIT_CONFIG_NOSYSTEM": "1",
        **person,
    }
    for arguments in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "--message", "Start the basket")):
        subprocess.run(
            [git, *arguments],
            cwd=workspace.project,
            env=environment,
            check=True,
            capture_output=True,
            timeout=GIT_TIMEOUT_S,
        )


_PERSON: Final[Mapping[str, str]] = {"NAME": "bascule demo", "EMAIL": "demo@example.org"}
