"""What the CLI may see of our environment: a short list of names, and never a secret by chance. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import translate
from typing import Final

from bascule.errors import OptionError

PASSED: Final = (
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TERM", "TMPDIR", "TZ", "XDG_*",
    "CLAUDE_CONFIG_DIR",
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
    "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
)  # fmt: skip
"""Names that pass by themselves; ``*`` stands for any rest. None of them holds a secret or changes which code runs, but
for ``PATH``, without which the agent finds no tool, and a proxy's password, which was set to be used."""

API_KEY: Final = "ANTHROPIC_API_KEY"
"""With it the CLI bills the key instead of the user's login, so it passes only when asked for."""

OURS: Final[Mapping[str, str]] = {
    "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS": "1",
    "CLAUDE_CODE_ENTRYPOINT": "sdk-cli",
}
"""What the CLI always gets. With the first it says when a run is over (``session_state_changed`` idle). The second is
what it calls itself under ``-p``: any name of our own adds an agent and 150 to 440 tokens to each request (measured on
CLI 2.1.332 and 2.1.197; tests/live/test_process_live.py)."""

_PASSED: Final = re.compile("|".join(map(translate, PASSED)))
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def environment(
    parent: Mapping[str, str],
    *,
    passed: Iterable[str] = (),
    given: Mapping[str, str] | None = None,
    use_api_key: bool = False,
) -> dict[str, str]:
    """The whole environment of a CLI: what ``parent`` has of ``PASSED`` and of the names in ``passed``, then ``given``.

    ``given`` wins over all else. ``ANTHROPIC_API_KEY`` passes with ``use_api_key`` or when it is given; that it stands
    in ``passed`` is no wish to pay by key. Raises ``OptionError`` for a name or value that no environment can hold.
    """
    given = given or {}
    wanted = frozenset(passed)
    for name in (*wanted, *given):
        if not _NAME.fullmatch(name):
            raise OptionError(f"env: {name!r} is no name of a variable")
    for name, value in given.items():
        if "\0" in value:
            raise OptionError(f"env: the value of {name} holds a NUL character")
    inherited = {name: value for name, value in parent.items() if name in wanted or _passes(name)}
    if not use_api_key:
        inherited.pop(API_KEY, None)
    elif API_KEY in parent:
        inherited[API_KEY] = parent[API_KEY]
    return {**inherited, **OURS, **given}


def _passes(name: str) -> bool:
    return _PASSED.match(name) is not None
