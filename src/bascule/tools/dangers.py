"""Which commands are risky: by program, and by words that stand among its arguments.

A list that is never complete; what is not in it is not harmless.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from bascule.tools.programs import program

_SUDO: Final = frozenset("doas gosu pkexec runuser su sudo".split())

_NETWORK: Final = frozenset(
    "aria2c aws az curl dig ftp gcloud gh git-lfs glab host http https kubectl mosh nc ncat netcat nmap nslookup ping"
    " rclone rsync s3cmd scp sftp socat ssh telnet traceroute twine wget whois xh".split()
)

_DATABASE: Final = frozenset(
    "alembic clickhouse-client cqlsh createdb dropdb duckdb flyway influx liquibase mariadb mongo mongodump"
    " mongorestore mongosh mysql mysqladmin mysqldump pg_dump pg_restore psql redis-cli sqlcmd sqlite".split()
)

_DESTROYS_DATA: Final = re.compile(r"\b(drop|truncate|delete\s+from|dropdatabase|flushall|flushdb)\b", re.IGNORECASE)

_SAID: Final[Mapping[str, Sequence[str]]] = {
    "network": (
        "cargo publish, docker login, docker pull, docker push, git clone, git fetch, git ls-remote, git pull, "
        "git push, npm publish, terraform apply"
    ).split(", "),
    "install": (
        "apk add, apt install, apt-get install, brew install, bun add, bun install, bunx, cargo install, composer "
        "require, conda install, dnf install, gem install, go install, npm add, npm ci, npm i, npm install, npx, "
        "pacman -S, pip install, pipx install, pipx run, pnpm add, pnpm dlx, pnpm i, pnpm install, poetry add, "
        "python -m pip install, uv add, uv pip install, uv tool install, uvx, yarn add, yarn install, yum install"
    ).split(", "),
    "database": "prisma db, prisma migrate, rails db:drop, rails db:migrate".split(", "),
    "git push/force": "git push".split(", "),
    "delete": (
        "aws s3 rm, dd, docker rm, docker rmi, docker system prune, find -delete, git branch -D, git checkout --, "
        "git clean, git reset --hard, git restore, git rm, git stash clear, git stash drop, kubectl delete, mkfs, "
        "remove-item, rm, rmdir, shred, srm, terraform destroy, truncate, unlink, wipefs"
    ).split(", "),
}
"""Commands by mark: a program and words that stand among its arguments."""

_GRAVE: Final[Mapping[str, Sequence[str]]] = {
    "delete": (
        "dd, docker system prune, git clean -f, git reset --hard, mkfs, rm -r, rm -R, rm --recursive, remove-item "
        "-recurse, shred, srm, terraform destroy, wipefs"
    ).split(", "),
    "git push/force": (
        "git push -f, git push -d, git push --force, git push --force-with-lease, git push --delete, git push "
        "--mirror, git push --prune"
    ).split(", "),
    "database": "dropdb, rails db:drop".split(", "),
}
"""Of these, what is not to be undone."""


class Danger(NamedTuple):
    """What is risky about a command."""

    mark: str
    grave: bool


class _Known(NamedTuple):
    """A command of the tables: its mark, and the words that a call of it has."""

    mark: str
    words: Sequence[str]
    grave: bool


def _by_program() -> dict[str, list[_Known]]:
    known: dict[str, list[_Known]] = {}
    for table, grave in ((_SAID, False), (_GRAVE, True)):
        for mark, commands in table.items():
            for name, *words in map(str.split, commands):
                known.setdefault(name, []).append(_Known(mark, words, grave))
    return known


_KNOWN: Final[Mapping[str, Sequence[_Known]]] = _by_program()


def of(words: Sequence[str]) -> Iterator[Danger]:
    """The risks of a command by its words, the program first; of each kind one."""
    name = program(words).partition(".")[0]  # mkfs.ext4
    if name in _SUDO:
        yield Danger("sudo", True)
    if name in _NETWORK:
        yield Danger("network", False)
    if name in _DATABASE:
        yield Danger("database", name == "dropdb" or any(map(_DESTROYS_DATA.search, words[1:])))
    found = [known for known in _KNOWN.get(name, ()) if _says(words, known.words)]
    for mark in dict.fromkeys(known.mark for known in found):
        grave = any(known.grave for known in found if known.mark == mark)
        yield Danger(mark, grave or (mark == "git push/force" and _forces(words)))


def _forces(words: Sequence[str]) -> bool:
    """Whether a branch to push is overwritten (``+main``) or deleted (``:main``)."""
    return any(word.startswith(("+", ":")) for word in words[1:])


def _says(words: Sequence[str], said: Sequence[str]) -> bool:
    """Whether all of ``said`` stand among the arguments, whatever the order; a single letter counts in a cluster."""
    return all(any(_is_word(word, given) for given in words[1:]) for word in said)


def _is_word(word: str, given: str) -> bool:
    if len(word) == 2 and word[0] == "-" and word[1].isalpha():
        return given.startswith("-") and not given.startswith("--") and word[1] in given
    return given.casefold() == word or given.startswith(f"{word}=")
