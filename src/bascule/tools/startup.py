"""Files by which something runs later, or that hold secrets: one table, with the reason for each row.

What is *guarded* is read or run without anybody naming it: by the next shell, the next ``git status``, an editor that
opens the folder, a machine that builds it. Accepted edits do not reach it, its mark is grave, and no rule opens it for
writing but one that names it, or that says by which word files are filled (``tar -x *``). What is *built with* is run
by a command that people give every day (``make``, ``npm test``); changing it is everyday work, and a mark says so.

Patterns are those of rules: a name is meant at every depth, a folder with a slash behind it with all that is below.
Lists are never complete.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple


class Row(NamedTuple):
    """Files with the same reason."""

    why: str
    patterns: Sequence[str]


SECRETS: Final = Row(
    "Holds passwords, keys or tokens.",
    (
        ".env .env.* *.env *.pem *.key *.p12 *.pfx *.jks *.keystore *.kdbx *.ppk *.gpg *credentials*"
        " *client_secret* *secrets* .ssh/ .gnupg/ .aws/ .azure/ .kube/ .password-store/ .docker/config.json .netrc"
        " _netrc .pgpass .pypirc .vault-token"
    ).split(),
)

GUARDED: Final = (
    Row(
        "git and its like run hooks, filters and programs that it names.",
        ".git/ .hg/ .gitconfig .gitmodules .gitattributes .hgrc .config/git/".split(),
    ),
    Row(
        "Claude Code takes from it settings, hooks, servers, and what it is told in every session.",
        ".claude/ .claude.json .mcp.json claude.md claude.local.md agents.md".split(),
    ),
    Row("bascule takes its rules and settings from it.", [".bascule/"]),
    Row(
        "Every shell that starts runs it.",
        (
            ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin"
            " .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .config/fish/ .config/nushell/"
            " .config/powershell/"
        ).split(),
    ),
    Row(
        "The desktop or the system starts what it names.",
        (
            ".xprofile .xinitrc .xsession .xsessionrc .pam_environment .config/autostart/ .config/environment.d/"
            " .config/systemd/ launchagents/ .local/bin/"
        ).split(),
    ),
    Row(
        "It is run by stepping into the folder.",
        ".envrc .direnvrc .config/direnv/ .mise.toml mise.toml .mise/ .autoenv.zsh".split(),
    ),
    Row(
        "Editors run tasks, settings and scripts of it when the folder is opened.",
        (
            ".vscode/ .idea/ .fleet/ .zed/ .cursor/ .devcontainer/ .devcontainer.json *.code-workspace"
            " *.sublime-project .exrc .vimrc .gvimrc .nvimrc .nvim.lua .lvimrc .vim/ .config/nvim/ .emacs .emacs.d/"
            " .dir-locals.el .dir-locals-2.el .nanorc"
        ).split(),
    ),
    Row(
        "Every commit runs it.",
        (
            ".husky/ .githooks/ .lefthook/ lefthook.* .lefthook.* .pre-commit-config.yaml .pre-commit-hooks.yaml"
            " .overcommit.yml .lintstagedrc* lint-staged.config.*"
        ).split(),
    ),
    Row(
        "Package managers and builds take from it where they fetch, and what they run meanwhile.",
        (
            ".npmrc .yarnrc .yarnrc.yml .yarn/ .pnpmfile.cjs .pnpmfile.mjs bunfig.toml .bunfig.toml .cargo/"
            " .bundle/ .gemrc pip.conf .pip/ .config/pip/ .condarc .mvn/ .gradle/ gradle.properties init.gradle"
            " .bazelrc nuget.config"
        ).split(),
    ),
    Row(
        "Interpreters and tools load it at each start.",
        (
            "sitecustomize.py usercustomize.py *.pth pyvenv.cfg .pythonrc .pythonrc.py .pdbrc .ipython/ .jupyter/"
            " .irbrc .pryrc .rprofile .renviron .gdbinit .lldbinit .psqlrc .sqliterc .my.cnf .curlrc .wgetrc"
            " .tmux.conf .screenrc"
        ).split(),
    ),
    Row(
        "Programs in it are found in the place of the system's.",
        ".venv/bin/ venv/bin/ .venv/scripts/ venv/scripts/ node_modules/.bin/".split(),
    ),
    Row(
        "Machines that build and publish run it, with their secrets.",
        (
            ".github/ .gitlab/ .gitlab-ci.yml .circleci/ .buildkite/ .forgejo/ .gitea/ .tekton/ .woodpecker/"
            " .woodpecker.yml .drone.yml .travis.yml appveyor.yml .appveyor.yml azure-pipelines.yml"
            " bitbucket-pipelines.yml jenkinsfile cloudbuild.yaml buildspec.yml"
        ).split(),
    ),
    SECRETS,
)

BUILT_WITH: Final = Row(
    "Run by a command that names it or its folder: a build, a test, an installation.",
    (
        "makefile gnumakefile *.mk justfile taskfile.yml rakefile gemfile cmakelists.txt meson.build build.rs"
        " cargo.toml package.json pyproject.toml setup.py setup.cfg conftest.py tox.ini noxfile.py tasks.py"
        " manage.py go.mod pom.xml build.gradle build.gradle.kts settings.gradle settings.gradle.kts dockerfile"
        " compose.yml compose.yaml docker-compose.yml docker-compose.yaml procfile *.config.js *.config.cjs"
        " *.config.mjs *.config.ts .eslintrc.js .babelrc.js"
    ).split(),
)

PATTERNS: Final = tuple(pattern for row in GUARDED for pattern in row.patterns)
"""All that is guarded."""


def _anywhere(patterns: Sequence[str]) -> re.Pattern[str]:
    """One expression for all of them, for marks are made for every path of every call."""
    return re.compile(f"(?:^|/)(?:{'|'.join(map(_expression, patterns))})", re.DOTALL)


def _expression(pattern: str) -> str:
    names = re.escape(pattern.rstrip("/")).replace(r"\*", "[^/]*")
    return names + ("(?:/|$)" if pattern.endswith("/") else r"\Z")


_WILD: Final = frozenset("*?[]{}")

_GUARDED: Final = _anywhere(PATTERNS)
_RUN_UNNAMED: Final = _anywhere([pattern for row in GUARDED if row is not SECRETS for pattern in row.patterns])
_RUN_BY_NAME: Final = _anywhere(BUILT_WITH.patterns)


def may_be_guarded(path: str) -> bool:
    """Whether one of the patterns may mean ``path``. A quick look, since a line can name thousands: a path with
    wildcards of its own, as a search has, is left to who knows rules.
    """
    names = "/".join(name for name in path.casefold().split("/") if name not in ("", "."))
    return not _WILD.isdisjoint(path) or _GUARDED.search(names) is not None


def runs_unnamed(path: str) -> bool:
    """Whether what is written to ``path`` runs later without anybody naming it."""
    return _RUN_UNNAMED.search(path.casefold()) is not None


def is_built_with(path: str) -> bool:
    """Whether what is written to ``path`` runs with a build or a test."""
    return _RUN_BY_NAME.search(path.casefold()) is not None
