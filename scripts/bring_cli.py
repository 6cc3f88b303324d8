"""Brings one pinned version of the Claude Code CLI from npm: `bring_cli.py VERSION TARGET`.

The platform's own package holds a native binary, so Node is needed to fetch it and not to run it. The package's
sha512 must be the one in requirements/claude-code.toml; TARGET appears whole or not at all. With `--unpinned` any
version is brought, as npm gives it and unchecked: for `make drift`, which looks at versions that nobody has tested.
"""

import base64
import hashlib
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

PINS = Path(__file__).parents[1] / "requirements" / "claude-code.toml"
MEMBER = "package/claude"
MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
NO_NPM = """\
npm is not on PATH, and the Claude Code CLI comes from npm. Install Node.js with npm (Debian and Ubuntu: \
`apt-get install npm`; macOS: `brew install node`), then run `make setup` again."""


class Refused(Exception):
    """The CLI was not brought; the message says why and what to do."""


def platform_name(system: str, machine: str, libc: str) -> str:
    """The ending of the platform's package name, such as `linux-x64-musl`."""
    cpu = MACHINES.get(machine.lower(), machine.lower())
    musl = "-musl" if system == "Linux" and libc != "glibc" else ""
    return f"{system.lower()}-{cpu}{musl}"


def pinned_integrity(pins: str, version: str, ending: str) -> str:
    """The `sha512-…` that the package of this version and platform must have."""
    for row in tomllib.loads(pins)["version"]:
        if row["number"] == version:
            if ending in row["integrity"]:
                return str(row["integrity"][ending])
            known = ", ".join(row["integrity"])
            raise Refused(f"{PINS.name} pins Claude Code {version} for {known}; this machine is {ending}")
    raise Refused(f"{PINS.name} does not pin Claude Code {version}")


def check_integrity(package: Path, expected: str) -> None:
    """Raises `Refused` unless the file's bytes are the pinned ones."""
    with package.open("rb") as file:
        digest = hashlib.file_digest(file, "sha512").digest()
    found = "sha512-" + base64.b64encode(digest).decode()
    if found != expected:
        raise Refused(f"{package.name} is not the pinned package: expected {expected}, got {found}")


def fetch(package: str, folder: Path) -> Path:
    """The package's tarball, fetched by npm into `folder`."""
    npm = shutil.which("npm")
    if npm is None:
        raise Refused(NO_NPM)
    command = [npm, "pack", "--silent", "--pack-destination", str(folder), package]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Refused(f"`npm pack {package}` failed ({done.returncode}):\n{(done.stderr or done.stdout).strip()}")
    return next(folder.glob("*.tgz"))


def unpack(tarball: Path, target: Path) -> None:
    """Puts the binary at `target`, executable, in one step."""
    fresh = tarball.with_name("claude")
    with tarfile.open(tarball) as archive, fresh.open("wb") as out:
        binary = archive.extractfile(MEMBER) if MEMBER in archive.getnames() else None
        if binary is None:
            raise Refused(f"{tarball.name} holds no file {MEMBER}")
        shutil.copyfileobj(binary, out)
    fresh.chmod(0o755)
    fresh.replace(target)


def bring(version: str, target: Path, *, pins: Path = PINS) -> None:
    """Brings the CLI to `target`; does nothing but renew its time stamp if the pinned one is already there."""
    ending = this_platform()
    integrity = pinned_integrity(pins.read_text(), version, ending)
    receipt = target.with_name("integrity")
    if target.is_file() and receipt.is_file() and receipt.read_text() == integrity:
        target.touch()
        return
    print(f"bringing Claude Code {version} for {ending} from npm …", flush=True)
    bring_package(version, ending, target, integrity)
    receipt.write_text(integrity)


def bring_unpinned(version: str, target: Path, *, pins: Path = PINS) -> None:
    """Brings any version to `target`; one that is not pinned is not checked, and that is said. Once is enough."""
    ending = this_platform()
    if target.is_file():
        return
    try:
        integrity: str | None = pinned_integrity(pins.read_text(), version, ending)
        told = f"bringing Claude Code {version} for {ending} from npm …"
    except Refused:
        integrity = None
        told = f"bringing Claude Code {version} for {ending} from npm: it is not pinned, so nobody checks its bytes …"
    print(told, flush=True)
    bring_package(version, ending, target, integrity)


def this_platform() -> str:
    """The ending of this machine's package name."""
    return platform_name(platform.system(), platform.machine(), platform.libc_ver()[0])


def bring_package(version: str, ending: str, target: Path, integrity: str | None) -> None:
    """Fetches the package, checks it where there is something to check it by, and puts its binary at `target`."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        tarball = fetch(f"@anthropic-ai/claude-code-{ending}@{version}", Path(folder))
        if integrity is not None:
            check_integrity(tarball, integrity)
        unpack(tarball, target)


if __name__ == "__main__":
    try:
        (bring_unpinned if "--unpinned" in sys.argv[3:] else bring)(sys.argv[1], Path(sys.argv[2]).absolute())
    except Refused as refusal:
        sys.exit(str(refusal))
