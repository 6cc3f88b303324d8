"""What outlives a session. It knows what is kept and where; who may decide over it stands in ``session/`` and ``hub/``.

``store`` the port of what a hub keeps: sessions, their journals, asks, turns, the queue. ``sqlite`` on a disk, and
``memory`` for tests. ``grants`` what a person allowed for longer than a session, in a file that ``bascule run`` reads.
"""
