"""The keeper: the small program that owns one CLI process, so that who talks to the CLI may die and come back.

It starts the CLI, appends every line of both directions to the recording, and serves a socket to any number of clients.
It understands no line, holds none in memory, and stays until the CLI has ended. Standard library only, and of that the
quick parts: it runs as ``python -I -S``, starts in 60 ms and lives in 12 MB (bench/bench_keeper.py). Who starts a
keeper, and speaks to one, is ``bascule.transport.keeper``.
"""
