"""Options and subcommands by which a program does more than its name says: it runs, writes or loads something else.

Tables, and the functions that find their entries among words. A table is never complete; what can run anything whatever
its options are is told in ``programs``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

_DOCKER: Final = (
    "privileged volume v mount device pid cap-add security-opt volumes-from H host context config env-file ipc uts"
    " userns cgroup-parent output o entrypoint"
)
_GNU_MAKE: Final = "eval E f file makefile C directory I include-dir"
_C_COMPILER: Final = "B wrapper fplugin specs Xclang load"

_OPTIONS: Final[Mapping[str, str]] = {
    "ack": "pager ackrc output",
    "ag": "f follow pager",
    "ant": "f file buildfile lib main propertyfile",
    "apt": "o option c config-file",
    "apt-get": "o option c config-file",
    "bat": "pager",
    "batcat": "pager",
    "bun": "e p r eval print preload require",
    "cargo": "config manifest-path C Z",
    "cc": _C_COMPILER,
    "clang": _C_COMPILER,
    "cmake": "E P C",
    "cp": "H L T no-target-directory dereference l link s symbolic-link",
    "cpio": "rsh-command F file I O H",
    "ctest": "S SP script D dashboard",
    "curl": "K config o O output output-dir remote-name remote-name-all J c cookie-jar D dump-header trace trace-ascii"
    " T upload-file stderr hsts alt-svc etag-save w write-out libcurl engine E",
    "date": "s set",
    "docker": _DOCKER,
    "du": "files0-from",
    "eslint": "c config rulesdir plugin resolve-plugins-relative-to f format parser o output-file",
    "fd": "x X exec exec-batch L follow",
    "fdfind": "x X exec exec-batch L follow",
    "file": "C compile",
    "find": "exec execdir ok okdir delete fls fprint fprint0 fprintf files0-from L follow",
    "g++": _C_COMPILER,
    "gcc": _C_COMPILER,
    "git": "config config-env exec exec-path ext-diff extcmd git-dir open-files-in-pager output receive-pack template"
    " textconv upload-pack work-tree",
    "git archive": "o",
    "git clone": "c u",
    "git diff": "no-index submodule",
    "git format-patch": "o",
    "git grep": "O no-exclude-standard no-index untracked",
    "git log": "submodule",
    "git rebase": "x",
    "git show": "submodule",
    "gmake": _GNU_MAKE,
    "go": "exec toolexec o ldflags gcflags asmflags gccgoflags overlay vettool modfile C",
    "gradle": "I init-script b build-file c settings-file p project-dir",
    "grep": "R dereference-recursive",
    "hg": "config config-file R repository cwd",
    "hostname": "F file b boot",
    "install": "strip-program",
    "ip": "b batch force",
    "jest": "c config globalSetup globalTeardown resolver runner setupFiles testEnvironment transform",
    "jq": "f from-file L library-path",
    "just": "c command f justfile d working-directory shell shell-arg set dotenv-path chooser",
    "make": _GNU_MAKE,
    "mocha": "r require config opts file ui reporter loader import fgrep-file",
    "mvn": "f file s settings gs global-settings t toolchains",
    "mypy": "config-file python-executable custom-typing-module install-types non-interactive",
    "nc": "e c exec sh-exec lua-exec",
    "ncat": "e c exec sh-exec lua-exec",
    "ninja": "f C t",
    "nmap": "script iL oA oG oN oX",
    "npm": "script-shell shell node-options node-gyp prefix C userconfig globalconfig call git python",
    "nox": "f noxfile",
    "npx": "c call",
    "pandoc": "F filter L lua-filter pdf-engine o output",
    "pdflatex": "shell-escape enable-write18",
    "pip": "target t prefix root index-url i extra-index-url find-links f config-settings python",
    "podman": _DOCKER,
    "prettier": "plugin config",
    "pylint": "init-hook load-plugins rcfile",
    "pytest": "p c config-file cov-config o override-ini rootdir basetemp pastebin pdb pdbcls trace tx px rsyncdir",
    "rake": "e E f r execute require rakefile",
    "rg": "pre hostname-bin L follow",
    "rollup": "c config p plugin",
    "rpm": "E eval pipe D define",
    "rsync": "e rsh rsync-path L copy-links k config log-file write-batch only-write-batch backup-dir",
    "rustc": "C codegen Z",
    "scp": "o S F D",
    "sdiff": "o output diff-program",
    "shuf": "o output",
    "sort": "o output compress-program T temporary-directory files0-from",
    "split": "filter",
    "ssh": "o F E S W L R D I",
    "ssh-add": "s",
    "ssh-keygen": "D w",
    "tar": "I F P absolute-names h dereference to-command checkpoint-action use-compress-program rsh-command"
    " rmt-command info-script new-volume-script",
    "task": "t taskfile d dir g global",
    "tcpdump": "z w",
    "tox": "c conf x override root workdir",
    "tree": "o R l",
    "uv": "directory project config-file default-index index index-url extra-index-url find-links",
    "vite": "c config",
    "vitest": "c config r root dir",
    "wc": "files0-from",
    "webpack": "c config",
    "wget": "O output-document output-file o a append-output P directory-prefix use-askpass e execute i input-file"
    " config save-cookies warc-file rejected-log hsts-file post-file body-file",
    "zip": "T TT unzip-command m",
}
"""Options that make a program run, write or load something else, or follow links out of a folder, with their dashes
left off; for some only behind a subcommand. One letter also counts inside a cluster (``-uo``), a long one also cut
short (``--out``, ``--o``).
"""

_WHOLE: Final[Mapping[str, frozenset[str]]] = {
    "docker": frozenset(("env",)),
    "pip": frozenset(("pre",)),
    "pytest": frozenset(("co", "cov")),
    "tar": frozenset(("checkpoint",)),
}
"""Long options that are no other one cut short."""

_SUBCOMMANDS: Final[Mapping[str, Sequence[str]]] = {
    "adb": ("exec-out", "shell"),
    "aws-vault": ("exec",),
    "bun": ("c", "create", "exec", "repl"),
    "cargo": ("watch",),
    "chamber": ("exec",),
    "crictl": ("exec",),
    "deno": ("eval", "repl"),
    "devbox": ("run", "shell"),
    "doppler": ("run",),
    "flatpak": ("run",),
    "fly": ("console", "ssh"),
    "flyctl": ("console", "ssh"),
    "gcloud": ("compute ssh",),
    "gh": ("alias", "codespace ssh", "config", "cs ssh", "extension"),
    "git": (
        *"bisect run, citool, config, credential, cvsserver, daemon, difftool, fast-import, filter-branch".split(", "),
        *"for-each-repo, gui, hook, http-backend, imap-send, instaweb, maintenance run, merge-index".split(", "),
        *"mergetool, p4, remote-ext, remote-fd, send-email, shell, submodule foreach, svn".split(", "),
        *"checkout-index, upload-pack, receive-pack, upload-archive, web--browse".split(", "),
    ),
    "guix": ("environment", "repl", "shell"),
    "heroku": ("ps:exec", "run"),
    "incus": ("exec", "shell"),
    "infisical": ("run",),
    "ip": ("netns", "vrf"),
    "kubectl": ("attach", "debug", "edit", "exec", "proxy", "run"),
    "lerna": ("exec",),
    "lxc": ("exec", "shell"),
    "mix": ("cmd", "run"),
    "nix": ("develop", "eval", "repl", "run", "shell"),
    "npm": ("c", "config", "create", "edit", "exec", "explore", "init", "innit", "pkg", "run env", "set", "x"),
    "nx": ("exec",),
    "oc": ("debug", "exec", "rsh", "run"),
    "op": ("run",),
    "pip": ("config",),
    "pm": ("start",),
    "pnpm": ("config", "create", "dlx", "exec", "set"),
    "pre-commit": ("try-repo",),
    "rails": ("c", "console", "dbconsole", "r", "runner"),
    "repo": ("forall",),
    "snap": ("run",),
    "sops": ("edit", "exec-env", "exec-file"),
    "systemctl": ("edit",),
    "toolbox": ("enter", "run"),
    "tox": ("exec",),
    "tsh": ("exec", "ssh"),
    "vagrant": ("ssh",),
    "yarn": ("config", "create", "dlx", "exec", "node"),
}
"""Subcommands that run what they are given, or have it run later: ``git bisect run``, ``git config core.pager``."""

_GIT_ASKS: Final = frozenset("--get --get-all --get-regexp --list -l get list".split())
_GIT_BEFORE: Final = frozenset(
    "--help --literal-pathspecs --no-optional-locks --no-pager --no-replace-objects --version -P".split()
)
"""What may stand before a subcommand of git: other options change what git is or where it works, or take a value."""

_WITHOUT_CLUSTERS: Final = frozenset(("find", "go"))
"""Their options of one dash are words, of which no letter counts by itself."""

_NONE: Final = re.compile("(?!)")
_ODD: Final[Mapping[str, re.Pattern[str]]] = {
    **dict.fromkeys(
        "cc clang g++ gcc javac ld mypy pylint pytest rustc".split(), re.compile("@.+")
    ),  # options in a file
    "cp": re.compile(r".*/\.+/?"),  # not a folder under its name, but all that is in it
    "date": re.compile(r"[\d.]+"),  # sets the clock
    "mvn": re.compile(r"(?:.*:)?exec:.*|-Dexec\..*", re.DOTALL),
    "rsync": re.compile(r"\./?"),  # over all that is here
    "jq": re.compile(r".*(?:\b(?:env|import|include)\b|\$ENV).*", re.DOTALL),  # tells secrets, loads modules
    **dict.fromkeys(("gmake", "make"), re.compile(r"(?!-).*=.*", re.DOTALL)),  # a variable of its own
}
"""Other words by which they do."""

_HELPERS: Final = re.compile(r"(?:ext|fd)::|://-")
"""In addresses: by it git has a program of their choice carry its data, or gives ssh an option."""


def runs_by_subcommand(name: str, words: Sequence[str]) -> bool:
    """Whether a subcommand runs what it is given."""
    if name == "ssh":
        return len(plain(words)) > 1
    if name == "git" and plain(words)[:1] == ["config"] and _asks_git(words):
        return False
    table = _SUBCOMMANDS.get(name, ())
    return any(begun[: one.count(" ") + 1] == one.split(" ") for begun in said(words) for one in table)


def _asks_git(words: Sequence[str]) -> bool:
    return _GIT_ASKS.issuperset(words[words.index("config") + 1 :][:1] or "?")


def said(words: Sequence[str]) -> Iterator[list[str]]:
    """The plain words from each one on that may be the subcommand: behind an option a word may be its value, so that
    the next one is it (``kubectl -n web exec``).
    """
    for at, word in enumerate(words):
        if at and not word.startswith("-"):
            yield [word, *plain(words[at:])]
            if not words[at - 1].startswith("-"):
                return


def option(name: str, words: Sequence[str]) -> str | None:
    """The first option, or what does as one, by which ``name`` does more than its name says."""
    if name == "git":
        return _option_of_git(words)
    odd = next(filter(_ODD.get(name, _NONE).fullmatch, words[1:]), None)
    if odd is not None:
        return odd
    if name == "tar":  # its oldest form has no dash: `tar cIf`
        words = [*words[:1], *(f"-{word.lstrip('-')}" for word in words[1:2] if not word.startswith("--")), *words[1:]]
    asked = [word for word in words[1:] if _taken_apart(word).name not in _WHOLE.get(name, ())]
    return _option(_OPTIONS.get(name, ""), asked, clusters=name not in _WITHOUT_CLUSTERS)


def plain(words: Sequence[str]) -> list[str]:
    """The arguments that are no options."""
    return [word for word in words[1:] if not word.startswith("-")]


def _option_of_git(words: Sequence[str]) -> str | None:
    at = next((at for at, word in enumerate(words) if at and not word.startswith("-")), len(words))
    before = next((word for word in words[1:at] if word not in _GIT_BEFORE), None)
    if before is not None:
        return before
    helped = next(filter(None, map(_HELPERS.search, words)), None)
    if helped is not None:
        return helped[0]
    named = " ".join(("git", *words[at : at + 1]))
    return _option(f"{_OPTIONS['git']} {_OPTIONS.get(named, '')}", words[at:])


def _option(table: str, arguments: Sequence[str], *, clusters: bool = True) -> str | None:
    letters = {name for name in table.split() if len(name) == 1}
    long = [name for name in table.split() if len(name) > 1]
    for word in arguments:
        named, dashes = _taken_apart(word)
        if dashes == 1 and (not letters.isdisjoint(named) if clusters else named in letters):
            return word
        if dashes and len(named) > 2 - dashes and any(name.startswith(named) for name in long):
            return word
    return None


class _Named(NamedTuple):
    """An option without its value."""

    name: str
    dashes: int
    """Two at most; none: it is no option."""


def _taken_apart(word: str) -> _Named:
    name = word.lstrip("-")
    return _Named(name.partition("=")[0], min(len(word) - len(name), 2))
