"""Bytes from and to the CLI. The only room that starts, signals and ends a process.

``pipe`` is the port; ``process``, ``replay`` and ``tap`` implement it (and ``bascule.testing.memory``). ``argv``,
``environment``, ``locate`` and ``version`` say what is started. What a line means is none of this room's business.
"""
