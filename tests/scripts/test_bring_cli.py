"""The pinned CLI comes whole and right, or not at all, and the refusal says what to do."""

import base64
import hashlib
import io
import os
import platform
import tarfile
from pathlib import Path

import pytest

from scripts import bring_cli

HERE = bring_cli.platform_name(platform.system(), platform.machine(), platform.libc_ver()[0])
NPM = """\
#!/bin/sh
# npm as far as it is used: `npm pack --silent --pack-destination FOLDER PACKAGE`.
[ "$1 $2 $3" = "pack --silent --pack-destination" ] || { echo "npm error unknown $*" >&2; exit 1; }
[ -f "$(dirname "$0")/package.tgz" ] || { echo "npm error 404 $5" >&2; exit 1; }
cp "$(dirname "$0")/package.tgz" "$4/anthropic-ai-claude-code.tgz"
"""


class Registry:
    """A folder on PATH with an npm that serves one package, and the pins for it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.pins = folder / "claude-code.toml"
        npm = folder / "npm"
        npm.write_text(NPM)
        npm.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.defpath}")

    def serve(self, member: str, content: bytes) -> None:
        """Serves a package with one file, and pins it."""
        package = self.folder / "package.tgz"
        with tarfile.open(package, "w:gz") as archive:
            entry = tarfile.TarInfo(member)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        digest = base64.b64encode(hashlib.sha512(package.read_bytes()).digest()).decode()
        self.pins.write_text(f'[[version]]\nnumber = "9.9.9"\n[version.integrity]\n{HERE} = "sha512-{digest}"\n')

    def bring(self, target: Path) -> None:
        bring_cli.bring("9.9.9", target, pins=self.pins)


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    folder = tmp_path / "bin"
    folder.mkdir()
    return Registry(folder, monkeypatch)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "cli" / "9.9.9" / "claude"


def test_the_binary_arrives_executable(registry: Registry, target: Path) -> None:
    registry.serve("package/claude", b"#!/bin/sh\n")
    registry.bring(target)
    assert target.read_bytes() == b"#!/bin/sh\n"
    assert os.access(target, os.X_OK)
    assert sorted(path.name for path in target.parent.iterdir()) == ["claude", "integrity"]


def test_what_is_there_is_not_fetched_again(registry: Registry, target: Path) -> None:
    registry.serve("package/claude", b"1")
    registry.bring(target)
    (registry.folder / "npm").unlink()
    os.utime(target, (0, 0))
    registry.bring(target)
    assert target.stat().st_mtime > 0


def test_a_new_pin_replaces_the_binary(registry: Registry, target: Path) -> None:
    registry.serve("package/claude", b"1")
    registry.bring(target)
    registry.serve("package/claude", b"2")
    registry.bring(target)
    assert target.read_bytes() == b"2"


def test_other_bytes_than_the_pinned_ones_are_refused(registry: Registry, target: Path) -> None:
    registry.serve("package/claude", b"good")
    pins = registry.pins.read_text()
    registry.serve("package/claude", b"evil")
    registry.pins.write_text(pins)
    with pytest.raises(bring_cli.Refused, match="not the pinned package"):
        registry.bring(target)
    assert list(target.parent.iterdir()) == []


def test_an_unpinned_version_is_brought_unchecked_and_that_is_said(
    registry: Registry, target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    registry.serve("package/claude", b"unknown")
    bring_cli.bring_unpinned("9.9.8", target, pins=registry.pins)
    assert (target.read_bytes(), "nobody checks its bytes" in capsys.readouterr().out) == (b"unknown", True)
    (registry.folder / "npm").unlink()
    bring_cli.bring_unpinned("9.9.8", target, pins=registry.pins)


def test_a_pinned_version_is_checked_there_too(registry: Registry, target: Path) -> None:
    registry.serve("package/claude", b"good")
    pins = registry.pins.read_text()
    registry.serve("package/claude", b"evil")
    registry.pins.write_text(pins)
    with pytest.raises(bring_cli.Refused, match="not the pinned package"):
        bring_cli.bring_unpinned("9.9.9", target, pins=registry.pins)
    assert not target.exists()


def test_a_package_without_the_binary_is_refused(registry: Registry, target: Path) -> None:
    registry.serve("package/cli.js", b"")
    with pytest.raises(bring_cli.Refused, match="holds no file package/claude"):
        registry.bring(target)


def test_without_npm_the_refusal_says_what_to_install(
    registry: Registry, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.serve("package/claude", b"1")
    monkeypatch.setenv("PATH", str(target.parent))
    with pytest.raises(bring_cli.Refused, match=r"npm is not on PATH.*Install Node\.js"):
        registry.bring(target)


def test_what_npm_says_about_a_failure_is_passed_on(registry: Registry, target: Path) -> None:
    registry.serve("package/claude", b"1")
    (registry.folder / "package.tgz").unlink()
    with pytest.raises(bring_cli.Refused, match=r"npm error 404 @anthropic-ai/claude-code-.*@9\.9\.9"):
        registry.bring(target)


def test_an_unpinned_version_and_platform_are_refused() -> None:
    pins = '[[version]]\nnumber = "1.0.0"\n[version.integrity]\nlinux-x64 = "sha512-x"\n'
    with pytest.raises(bring_cli.Refused, match=r"does not pin Claude Code 2\.0\.0"):
        bring_cli.pinned_integrity(pins, "2.0.0", "linux-x64")
    with pytest.raises(bring_cli.Refused, match="for linux-x64; this machine is plan9-mips"):
        bring_cli.pinned_integrity(pins, "1.0.0", "plan9-mips")


@pytest.mark.parametrize(
    ("system", "machine", "libc", "ending"),
    [
        ("Linux", "x86_64", "glibc", "linux-x64"),
        ("Linux", "aarch64", "", "linux-arm64-musl"),
        ("Darwin", "arm64", "", "darwin-arm64"),
        ("Linux", "riscv64", "glibc", "linux-riscv64"),
    ],
)
def test_the_package_is_named_after_the_platform(system: str, machine: str, libc: str, ending: str) -> None:
    assert bring_cli.platform_name(system, machine, libc) == ending
