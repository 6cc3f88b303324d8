"""``python -m bascule.testing.fake_cli.scripted``: the fake with a model of its own.

``BASCULE_FAKE_SCRIPT`` names the file that the model plays (see ``bascule.demo.load``). Apart from the fake itself,
since most tests have a model already and need not wait for another one to be loaded.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from bascule.demo.load import load_script
from bascule.demo.model import ScriptedModel
from bascule.errors import OptionError
from bascule.testing.fake_cli import __main__ as fake
from bascule.testing.fake_cli.program import refuse

SCRIPT: Final = "BASCULE_FAKE_SCRIPT"


def main(argv: Sequence[str], env: Mapping[str, str]) -> int:
    """The exit code of one run."""
    try:
        script = load_script(Path(env.get(SCRIPT, "")).read_text())
    except (OptionError, OSError) as exc:
        return refuse(f"fake claude: {SCRIPT}: {exc}")
    with ScriptedModel(script) as model:
        return fake.main(argv, {**env, "ANTHROPIC_BASE_URL": model.url})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
