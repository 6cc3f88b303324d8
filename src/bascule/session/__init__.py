"""The driver of one CLI process: the only code that waits for the CLI, for a person and for the clock.

What a line means is decided below (``protocol/``, ``transcript/``), what may run in ``policy/``, what a person wants
comes as commands. Here it is put together: ``opening.open_session(options)`` is the way in.
"""
