"""What bascule costs, beside the official Python SDK and a bare asyncio loop, measured in the same run.

``python -m bench [NAME ...] [--short]`` runs every ``bench_*.py`` here, or the named ones, prints one table, and writes
the same as JSON. Each sample is a fresh interpreter that runs one of ``subjects/``; the three take turns, so that
whatever else the machine does falls on all of them, and the median counts. The CLI is ``fakecli.c``, which costs
nothing that could be seen, but where a start of the real one is what is asked for.
"""
