"""What asyncio lacks for our work: cleanup that cannot be cut short, and a hand-over that may drop.

Knows nothing of the CLI, of events or of sessions.
"""
