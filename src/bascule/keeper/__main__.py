"""Runs a keeper by the path of this file: ``python -I -S .../bascule/keeper/__main__.py``, its order on stdin.

No package is installed for an interpreter that was started so. ``bascule`` becomes a name for the folder that this file
lies in, and its own ``__init__`` does not run.
"""

from __future__ import annotations

import importlib
import os
import sys
import types

if __name__ == "__main__":
    bascule = types.ModuleType("bascule")
    bascule.__path__ = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
    sys.modules["bascule"] = bascule
    importlib.import_module("bascule.keeper.keeper").main()
