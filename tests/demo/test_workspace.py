"""The workspace of the demo: its project has exactly one bug, its environment inherits nothing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bascule.demo.workspace import FILES, clean_environment, make_workspace, temporary_workspace


def run_tests(project: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.defpath, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "unittest"]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


def test_one_test_of_the_project_fails(tmp_path: Path) -> None:
    outcome = run_tests(make_workspace(tmp_path).project)
    assert outcome.returncode == 1
    assert "Ran 2 tests" in outcome.stderr
    assert "FAILED (failures=1)" in outcome.stderr


def test_home_is_empty_and_beside_the_project(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    assert list(workspace.home.iterdir()) == []
    assert workspace.project.parent == workspace.home.parent == tmp_path


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_project_is_a_clean_git_repository_of_one_commit(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(workspace.project), *arguments]
        environment = {"PATH": os.environ["PATH"], "HOME": str(workspace.home)}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    assert git("status", "--porcelain") == ""
    assert git("log", "--format=%s by %an") == "Start the basket by bascule demo\n"


def test_without_git_the_project_is_a_plain_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    workspace = make_workspace(tmp_path)
    assert sorted(path.name for path in workspace.project.iterdir()) == sorted(FILES)


def test_temporary_workspace_is_gone_afterwards() -> None:
    with temporary_workspace() as workspace:
        folder = workspace.home.parent
        assert (workspace.project / "basket.py").is_file()
        assert folder == folder.resolve()
    assert not folder.exists()


def test_L112_environment_inherits_nothing_but_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "a real one")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.invalid")
    assert clean_environment("http://127.0.0.1:1", tmp_path) == {
        "HOME": str(tmp_path),
        "CLAUDE_CONFIG_DIR": str(tmp_path / ".claude"),
        "PATH": os.environ["PATH"],
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:1",
        "ANTHROPIC_API_KEY": "dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",
    }


def test_environment_of_a_workspace_is_that_of_its_home(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    assert workspace.environment("http://x") == clean_environment("http://x", workspace.home)
