"""Files that the CLI is started with: those that the options name, looked at before the start, and the settings.

Settings that are laid over each other go through a file that only its owner can read: they may hold secrets, and a
command line is everybody's to see.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from bascule.errors import OptionError
from bascule.session.options import Options


def look(options: Options) -> None:
    """Raises ``OptionError`` for a file or folder that must be there and is not."""
    prompt, root, debug = options.system_prompt_file, options.project_config_root, options.debug_file
    if prompt is not None and not Path(options.cwd, prompt).is_file():
        raise OptionError(f"system_prompt_file: there is no file {Path(options.cwd, prompt)}: name another")
    if root is not None and not Path(options.cwd, root).is_dir():
        raise OptionError(f"project_config_root: there is no folder {Path(options.cwd, root)}: name another")
    if debug is not None and not Path(options.cwd, debug).parent.is_dir():
        raise OptionError(f"debug_file: there is no folder {Path(options.cwd, debug).parent}: make it, or name another")


def settings_content(options: Options) -> bytes | None:
    """What a file for ``--settings`` says where they are a mapping or the sandbox is laid over them; None: they go as
    they are. Raises ``OptionError`` as ``settings_file``."""
    if options.sandbox is None and not isinstance(options.settings, Mapping):
        return None
    return _encoded(_laid_over(_settings(options), options.sandbox))


@contextmanager
def settings_file(options: Options) -> Iterator[str | None]:
    """The file for ``--settings`` where they are a mapping or the sandbox is laid over them; None: they go as they are.

    The file is gone at the end of the block. Raises ``OptionError`` for settings that cannot be read or are no object.
    """
    content = settings_content(options)
    if content is None:
        yield None
        return
    handle, name = tempfile.mkstemp(prefix="bascule-settings-", suffix=".json")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        yield name
    finally:
        Path(name).unlink(missing_ok=True)


def _encoded(settings: Mapping[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(settings)
    except (TypeError, ValueError) as exc:
        raise OptionError(
            f"settings: they cannot be JSON ({exc}): say them in texts, numbers, lists and dicts"
        ) from exc


def _laid_over(settings: Mapping[str, Any], sandbox: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Without the last word the CLI would go on in the open where it finds no sandbox, and only warn."""
    if sandbox is None:
        return settings
    below = settings.get("sandbox")
    merged = {**(below if isinstance(below, dict) else {}), **sandbox}
    return {**settings, "sandbox": {"failIfUnavailable": True, **merged}}


def _settings(options: Options) -> Mapping[str, Any]:
    given = options.settings
    if not isinstance(given, str):
        return given or {}
    try:
        text = given.encode() if given.lstrip().startswith("{") else Path(options.cwd, given).read_bytes()
        return msgspec.json.decode(text, type=dict[str, Any])
    except OSError as exc:
        why = f"{given} cannot be read ({exc.strerror}): name another file"
    except msgspec.DecodeError as exc:
        why = f"they are no JSON object ({exc}): mend that, or leave sandbox out and put it there by hand"
    raise OptionError(f"settings: sandbox cannot be laid over them: {why}")
