"""What well-known programs do with their words: tables, and the functions that read them.

Nothing here allows. ``doubts`` says why a pattern must not vouch for a command although its words are plain: it runs
other commands, takes a program as text, or has an option that makes it run, write or load something. The rest names
what a command does, for marks and facts. Lists are never complete; a program that is missing has no mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

HARMLESS_VARIABLES: Final = frozenset(
    "CI COLUMNS DEBIAN_FRONTEND FORCE_COLOR LANG LANGUAGE LC_ALL LC_CTYPE LC_MESSAGES LINES NODE_ENV NO_COLOR"
    " PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONUNBUFFERED RUST_BACKTRACE RUST_LOG TERM TZ".split()
)
"""What may be set for a command without a doubt. Others change which program runs (PATH, LD_PRELOAD, PAGER, …)."""

RUNNERS: Final = frozenset(
    "- at batch busybox chroot chrt command coproc crontab doas env eval exec fakeroot firejail flock gosu ionice"
    " ld-linux-x86-64.so ltrace nice nocorrect noglob nohup nsenter parallel pkexec proxychains repeat rlwrap runuser"
    " script setarch setpriv setsid ssh-agent stdbuf strace su sudo systemd-run taskset time timeout torsocks toybox"
    " unbuffer unshare watch xargs xvfb-run".split()
)
"""Programs and words of the shell whose arguments are a command."""

SHELLS: Final = frozenset("ash bash csh dash fish ksh mksh pwsh sh tcsh zsh".split())

_BUILTINS: Final = frozenset(
    ". [ [[ alias autoload bg bind break builtin caller compgen complete compopt continue declare dirs disown emulate"
    " enable export fc fg functions getopts hash help history jobs let local logout mapfile popd print pushd read"
    " readarray readonly return sched set setopt shift shopt source suspend test times trap typeset ulimit umask"
    " unalias unset unsetopt wait zle zmodload".split()
)
"""Builtins of bash and zsh that change the shell for what follows, run what they are given, or evaluate it:
``test -v 'a[$(rm x)]'`` runs rm.
"""

_CAN_RUN_A_SHELL: Final = frozenset(
    "ed emacs ex ftp joe less man more most nano nvim pico rview rvim telnet vi view vim vimdiff".split()
)
"""They have a command for it."""

_PROGRAM_TEXT: Final[Mapping[str, str]] = {
    "bun": "e p eval print",
    "lua": "e",
    "node": "e p r eval print require import loader experimental-loader",
    "osascript": "e",
    "perl": "e E M m I",
    "php": "r B R E F d",
    "python": "c",
    "ruby": "e r I",
    "tclsh": "",
}
"""Interpreters, and the options with which they take a program, or load one, from somewhere else than their file."""

_ALWAYS_TEXT: Final = frozenset(
    "awk bc dc duckdb expect gawk gdb jshell lldb m4 mariadb mawk mongosh mysql nawk octave psql r sqlite3".split()
)
"""Their first argument or their input is a program that can run others."""

_ESCAPES: Final[Mapping[str, str]] = {
    "cargo": "config",
    "cmake": "E P C",
    "curl": "K config o O output remote-name remote-name-all J c cookie-jar D dump-header trace trace-ascii T"
    " upload-file stderr hsts alt-svc etag-save",
    "date": "s set",
    "docker": "privileged volume v mount",
    "fd": "x X exec exec-batch",
    "fdfind": "x X exec exec-batch",
    "find": "exec execdir ok okdir delete fls fprint fprint0 fprintf",
    "git": "c C O x config-env exec exec-path ext-diff extcmd git-dir open-files-in-pager output receive-pack template"
    " textconv upload-pack work-tree",
    "go": "exec toolexec o ldflags gcflags overlay vettool",
    "hostname": "F file b boot",
    "ip": "b batch force",
    "make": "eval E",
    "nmap": "script iL oA oG oN oX",
    "npm": "script-shell node-options prefix userconfig globalconfig",
    "pip": "target prefix root index-url i extra-index-url config-settings",
    "rg": "pre hostname-bin",
    "rsync": "e rsh rsync-path",
    "scp": "o S F D",
    "sftp": "o S F D b",
    "sort": "o output compress-program T temporary-directory files0-from",
    "ssh": "o F E S W L R D",
    "tar": "I F to-command checkpoint-action use-compress-program rsh-command info-script new-volume-script",
    "tree": "o",
    "wget": "O output-document output-file o a append-output P directory-prefix use-askpass e execute i input-file",
    "zip": "T TT unzip-command m",
}
"""Options that make a program run, write or load something else, with their dashes left off. One letter also counts
inside a cluster (``-uo``), a long one also cut short (``--out``).
"""

_RUNNING_SUBCOMMANDS: Final[Mapping[str, str]] = {
    "deno": "eval",
    "git": "config daemon difftool filter-branch foreach hook mergetool run",
}
"""Subcommands that run what they are given, or have it run later: ``git bisect run``, ``git config core.pager``."""

_SED_PRINTS: Final = re.compile(r"[\d,;$p ]+")
"""A sed program that can do nothing but print lines."""

_VERSIONED: Final = re.compile(r"(?<=[a-z])[\d.]+$")


def program(words: Sequence[str]) -> str:
    """The program's bare name: without its folder and version, in lower case; empty for no words."""
    name = words[0].rpartition("/")[2].lower() if words else ""
    return _VERSIONED.sub("", name)


def doubts(words: Sequence[str]) -> Iterator[str]:
    """Why no pattern may vouch for these words. The program's name is taken as the shell takes it, not as it is told:
    ``./git`` is another program than ``git``, but a pattern says so itself.
    """
    name = program(words)
    if not name:
        yield "no program"
    if name in RUNNERS or _runs_by_subcommand(name, words):
        yield "runs its arguments"
    if name in _BUILTINS or (name == "printf" and "-v" in words[1:2]):
        yield "changes the shell"
    if name == "cd" and not _is_plain_cd(words):
        yield "changes the folder in a way of its own"
    if name in _CAN_RUN_A_SHELL:
        yield "can run a shell"
    if _takes_a_program(name, words):
        yield "takes a program as text"
    option = _escape(name, words)
    if option is not None:
        yield f"option {option}"


def _plain(words: Sequence[str]) -> list[str]:
    """The arguments that are no options."""
    return [word for word in words[1:] if not word.startswith("-")]


def _is_plain_cd(words: Sequence[str]) -> bool:
    """Whether ``cd`` goes where its one argument says: not back, and not by options."""
    return len(words) == 2 and not words[1].startswith("-")


def _runs_by_subcommand(name: str, words: Sequence[str]) -> bool:
    if name == "ssh":
        return len(_plain(words)) > 1
    return not {*_plain(words)[:2]}.isdisjoint(_RUNNING_SUBCOMMANDS.get(name, "").split())


def _takes_a_program(name: str, words: Sequence[str]) -> bool:
    if name == "sed":
        return not _SED_PRINTS.fullmatch("".join(_plain(words)[:1])) or not _options_are(words, "-[nEr]")
    if name in SHELLS:
        return not _plain(words) or not _options_are(words, "-[eux]+")
    if name in _PROGRAM_TEXT:
        return "-" in words or not _plain(words) or _option(_PROGRAM_TEXT[name].split(), words) is not None
    return name in _ALWAYS_TEXT


def _options_are(words: Sequence[str], form: str) -> bool:
    return all(re.fullmatch(form, word) for word in words[1:] if word.startswith(("-", "+")))


def _escape(name: str, words: Sequence[str]) -> str | None:
    """The first option by which the program does more than its name says."""
    if name == "make" and any("=" in word for word in _plain(words)):
        return "NAME=VALUE"
    if name == "git" and any(word.startswith("ext::") for word in words[1:]):
        return "ext::"
    return _option(_ESCAPES[name].split(), words) if name in _ESCAPES else None


def _option(names: Sequence[str], words: Sequence[str]) -> str | None:
    letters = {name for name in names if len(name) == 1}
    return next((word for word in words[1:] if word.startswith("-") and _is_option(names, letters, word)), None)


def _is_option(names: Sequence[str], letters: set[str], word: str) -> bool:
    named = word.partition("=")[0]
    if not word.startswith("--") and letters & set(named):
        return True
    named = named.lstrip("-")
    return len(named) > 1 and any(name.startswith(named) for name in names)


_TOO_MUCH: Final = frozenset(
    "chmod chown curl dd kill killall mkfs mv nc ncat netcat pkill rm rmdir rsync scp sftp shred socat srm ssh truncate"
    " unlink wget bunx npx sed uvx".split()
)
"""Programs that destroy, or send anywhere, whatever they are given."""

_SUBCOMMANDS: Final = frozenset(
    "apt apt-get aws brew bun bundle cargo composer conda docker docker-compose dotnet gcloud gem gh git glab go gradle"
    " helm hg just kubectl make mix mvn npm pip pipx pnpm poetry rails rustup svn systemctl terraform uv yarn".split()
)

_NAMES_A_SCRIPT: Final = frozenset(("npm run", "yarn run", "pnpm run", "bun run", "uv run", "poetry run", "python -m"))


def may_be_prefix(words: Sequence[str]) -> bool:
    """Whether ``PROGRAM *`` is a rule to offer: not for what interprets or destroys whatever it is given.

    For a command without doubts, so that what runs its arguments is out already.
    """
    name = program(words)
    if name in _PROGRAM_TEXT:
        return len(words) > 2 and words[1] == "-m"
    return name not in _TOO_MUCH | SHELLS


def head(words: Sequence[str]) -> Sequence[str]:
    """The words that say what is done: the program, its subcommand, and the script that a subcommand runs."""
    if program(words) not in _SUBCOMMANDS | _PROGRAM_TEXT.keys():
        return words[:1]
    count = 2
    if " ".join((program(words), *words[1:2])) in _NAMES_A_SCRIPT:
        count = 3
    return words[:count]
