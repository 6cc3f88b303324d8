"""What well-known programs do with their words: tables, and the functions that read them. Options that turn a program
into another one stand in ``escapes``, interpreters in ``interpreters``.

Nothing here allows. ``doubts`` says why a pattern must not vouch for a command although its words are plain: it runs
other commands, takes a program as text, or has an option that makes it run, write or load something. The rest names
what a command does, for marks and facts. Lists are never complete; a program that is missing has no mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from bascule.tools import escapes, interpreters
from bascule.tools.interpreters import SHELLS

_HARMLESS_VARIABLES: Final = frozenset(
    "CI COLUMNS DEBIAN_FRONTEND FORCE_COLOR LANG LANGUAGE LC_ALL LC_CTYPE LC_MESSAGES LINES NODE_ENV NO_COLOR"
    " PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONUNBUFFERED RUST_BACKTRACE RUST_LOG TERM TZ".split()
)
"""What may be set for a command without a doubt. Others change which program runs (PATH, LD_PRELOAD, PAGER, …)."""

_HARMLESS_VALUE: Final = re.compile(r"(?![/:'\"]*/|.*\.\.).*", re.DOTALL)
"""Neither a path from the root nor one that climbs: some programs load what they find under such a name."""


def is_harmless(name: str, value: str) -> bool:
    """Whether a variable may be set for a command without a doubt; ``value`` as written."""
    return name in _HARMLESS_VARIABLES and _HARMLESS_VALUE.fullmatch(value) is not None


RUNNERS: Final = frozenset(
    "- abduco ansible arch at autossh batch bpftrace busybox bwrap byobu caffeinate catchsegv cgexec choom chpst"
    " chronic chroot chrt command concurrently coproc crontab cross-env cross-env-shell daemonize dbus-launch"
    " dbus-run-session direnv distrobox doas dotenv dsh dtach dumb-init eatmydata entr env envdir eval exec fakechroot"
    " fakeroot faketime firejail flock foreman forever fzf gdbserver gosu heaptrack honcho hyperfine ifne ionice"
    " ld-linux-x86-64.so ld.so ldd linux ltrace mise mosh nice nix-shell nocorrect nodemon noglob nohup npm-run-all"
    " nsenter nsjail numactl nvm onchange overmind parallel pdsh pee perf pkexec prlimit proot proxychains pssh reflex"
    " repeat rlwrap rr run-one run-parts runuser s6-setuidgid schedtool screen script sem setarch setpriv setsid"
    " setuidgid sg softlimit ssh-agent sshpass start-server-and-test start-stop-daemon stdbuf strace su su-exec sudo"
    " sudoedit supervisord systemd-inhibit systemd-run taskset time timeout tini tmux torify torsocks toybox trickle"
    " tsocks uclampset uftrace unbuffer unshare valgrind viddy watch watchexec watchman winpty xargs xdotool xvfb-run"
    " zellij".split()
)
"""Programs and words of the shell whose arguments are a command."""

_WRAPPERS: Final = frozenset(
    "asdf exec, bun x, bundle exec, bunx, conda run, docker exec, docker run, docker-compose exec,"
    " docker-compose run, dotenvx run, fnm exec, goenv exec, hatch run, jenv exec, mamba run, micromamba run,"
    " nerdctl exec, nerdctl run, nodenv exec, npx, nyc, pdm run, pipenv run, pipx run, pixi run, podman exec,"
    " podman run, podman-compose exec, podman-compose run, poetry run, pyenv exec, rbenv exec, rustup run, rye run,"
    " uv run, uvx, volta run".split(", ")
)
"""Commands that run another one in a place of its own. Rules may name what they run, as ``uv run pytest *`` does; what
may not be run without them may not be run by them.
"""

_WRAPPED_LIMIT: Final = 50
"""Words of such a command that are looked through; one with more is doubted."""

_BUILTINS: Final = frozenset(
    ". .. [ [[ alias autoload bg bind break builtin caller chdir compgen complete compopt continue declare dirs disable"
    " disown emulate enable export fc fg float functions getln getopts hash help history integer jobs let limit local"
    " logout mapfile popd print private pushd pushln read readarray readonly rehash return sched set setopt shift shopt"
    " source suspend test times trap typeset ulimit umask unalias unhash unlimit unset unsetopt vared wait zcompile zle"
    " zmodload zparseopts zpty zstyle zsystem ztcp"
    " ! ]] case do done elif else end esac fi for foreach function if in select then until while".split()
)
"""Builtins and reserved words of bash and zsh that change the shell for what follows, run what they are given, or
evaluate it: ``test -v 'a[$(rm x)]'`` runs rm. To a shell that was told so (``autocd``), ``..`` is ``cd ..``.
"""

_CAN_RUN_A_SHELL: Final = frozenset(
    "ed elinks emacs emacsclient ex ftp gvim helix hx info jed joe kak lazygit less lf lftp links lynx mail mailx man"
    " mc micro more most mutt nano ncdu ncftp nnn nvim pico ranger rview rvim sftp telnet tig vi view vifm vim vimdiff"
    " visudo w".split()
)
"""They have a command for it."""

_ALWAYS_TEXT: Final = frozenset(
    "awk bc cmd dc duckdb expect gawk gdb gnuplot jshell lldb m mariadb mawk mongosh mysql nawk octave psql r socat"
    " sqlite".split()
)
"""Their first argument or their input is a program that can run others. Told without versions: ``m4`` is ``m``."""

_SED_PRINTS: Final = re.compile(r"[\d,;$p ]+")
"""A sed program that can do nothing but print lines."""

_SEARCHES: Final = frozenset(("ack", "ag", "rg"))
_SEARCH_IF_TOLD: Final = frozenset(("diff", "egrep", "fgrep", "grep", "zgrep"))
_RECURSIVE: Final = re.compile(r"-[^-]*[rRd]|--(?:r|de|di)")
_NAMES_ONLY: Final[Mapping[str, str]] = {
    "diff": "-rq|-qr",
    "grep": "-[EFHhinrsvwx]*[clq][EFHchilnqrsvwx]*",
    "rg": "-[Finsvwx]*[clq][Fcilnqsvwx]*|--files",
}
"""Options with which a search shows no line of a file; all letters in it take no value."""

_VERSIONED: Final = re.compile(r"(?<=[a-z])[\d.]+$")


def program(words: Sequence[str]) -> str:
    """The program's bare name: without its folder and version, in lower case; empty for no words."""
    name = words[0].rpartition("/")[2].lower() if words else ""
    return _VERSIONED.sub("", name.removesuffix(".exe"))


def doubts(words: Sequence[str]) -> Iterator[str]:
    """Why no pattern may vouch for these words. The program's name is taken as the shell takes it, not as it is told:
    ``./git`` is another program than ``git``, but a pattern says so itself.
    """
    yield from _doubts(words)
    name = program(words)
    module = interpreters.module(name, words)
    if module and not _takes_a_program(name, words):
        yield from _doubts(module)  # ``python -m pip`` is ``pip``


def _doubts(words: Sequence[str]) -> Iterator[str]:
    name = program(words)
    if not name:
        yield "no program"
    if _runs_its_arguments(name, words) or _wraps_what_is_doubted(words):
        yield "runs its arguments"
    if name in _BUILTINS or name.startswith("%") or (name == "printf" and "".join(words[1:2]).startswith("-v")):
        yield "changes the shell"
    if name == "cd" and not _is_plain_cd(words):
        yield "changes the folder in a way of its own"
    if name in _CAN_RUN_A_SHELL:
        yield "can run a shell"
    if _takes_a_program(name, words):
        yield "takes a program as text"
    option = escapes.option(name, words)
    if option is not None:
        yield f"option {option}"


def _runs_its_arguments(name: str, words: Sequence[str]) -> bool:
    if name == "command" and words[1:2] and words[1] in ("-v", "-V"):
        return False  # it tells what the name stands for
    return name in RUNNERS or escapes.runs_by_subcommand(name, words)


def _wraps_what_is_doubted(words: Sequence[str]) -> bool:
    """Which word is the program, nobody knows who does not know all options: none of them may be one to doubt."""
    behind = wrapped(words)
    limit = _WRAPPED_LIMIT if behind else len(words)
    return len(words) > limit or any(_is_doubted(behind[at:]) for at in range(len(behind)))


def wrapped(words: Sequence[str]) -> Sequence[str]:
    """Where in ``words`` the command stands that is run in a place of its own, options before it included; empty: they
    are no such runner's. Whether a word is its subcommand or the value of an option, nobody knows who does not know all
    options: the first that could be it is taken for it.
    """
    name = program(words)
    if name in _WRAPPERS:
        return words[1:]
    at = next((at for at, word in enumerate(words) if at and f"{name} {word}" in _WRAPPERS), len(words))
    return words[at + 1 :]


def _is_doubted(words: Sequence[str]) -> bool:
    name = program(words)
    return len(name) > 1 and (
        _runs_its_arguments(name, words)
        or name in _CAN_RUN_A_SHELL
        or _takes_a_program(name, words)
        or escapes.option(name, words) is not None
    )


def prints_what_it_finds(words: Sequence[str]) -> bool:
    """Whether it shows lines of files that its words do not name: a search through folders."""
    name = program(words)
    if name == "git":
        return escapes.plain(words)[:1] == ["grep"]
    if name in _SEARCHES:
        return not _names_only(name, words)
    return name in _SEARCH_IF_TOLD and any(map(_RECURSIVE.match, words[1:])) and not _names_only(name, words)


def _names_only(name: str, words: Sequence[str]) -> bool:
    """Whether the first argument, which nothing takes for its value, asks for names or counts of files alone, and no
    long option may overrule it (``--json``).
    """
    asks = re.fullmatch(_NAMES_ONLY.get(name, "(?!)"), "".join(words[1:2])) is not None
    return asks and not any(word.startswith("--") for word in words[2:])


def _is_plain_cd(words: Sequence[str]) -> bool:
    """Whether ``cd`` goes where its one argument says: not back, not by options, and not up, for behind a link ``..``
    is one folder to ``cd`` and another to all else.
    """
    return len(words) == 2 and not words[1].startswith(("-", "+")) and ".." not in words[1].split("/")


def _takes_a_program(name: str, words: Sequence[str]) -> bool:
    if name == "sed":
        return not _SED_PRINTS.fullmatch("".join(escapes.plain(words)[:1])) or not _are_quiet(words)
    if name in interpreters.NAMES:
        return interpreters.takes_a_program(name, words)
    return name in _ALWAYS_TEXT


def _are_quiet(words: Sequence[str]) -> bool:
    return all(re.fullmatch("-[nEr]+", word) for word in words[1:] if word.startswith("-"))


_TOO_MUCH: Final = frozenset(
    "chmod chown curl dd kill killall mkfs mv nc ncat netcat pkill rm rmdir rsync scp sftp shred socat srm ssh truncate"
    " unlink wget bunx npx sed uvx".split()
)
"""Programs that destroy, or send anywhere, whatever they are given."""

SUBCOMMANDS: Final = frozenset(
    "apt apt-get aws brew bun bundle cargo composer conda docker docker-compose dotnet gcloud gem gh git glab go gradle"
    " helm hg just kubectl make mix mvn npm pip pipx pnpm poetry rails rustup svn systemctl terraform uv yarn".split()
)

_NAMES_A_SCRIPT: Final = frozenset(("npm run", "yarn run", "pnpm run", "bun run", "uv run", "poetry run", "python -m"))


def may_be_prefix(words: Sequence[str]) -> bool:
    """Whether ``PROGRAM *`` is a rule to offer: not for what interprets or destroys whatever it is given.

    For a command without doubts, so that what runs its arguments is out already.
    """
    name = program(words)
    if name in interpreters.NAMES - SHELLS or name == "bun":
        return len(words) > 2 and words[1] == "-m"
    return name not in _TOO_MUCH | SHELLS


def head(words: Sequence[str]) -> Sequence[str]:
    """The words that say what is done: the program, its subcommand, and the script that a subcommand runs."""
    if program(words) not in SUBCOMMANDS | interpreters.NAMES:
        return words[:1]
    count = 2
    if " ".join((program(words), *words[1:2])) in _NAMES_A_SCRIPT:
        count = 3
    return words[:count]
