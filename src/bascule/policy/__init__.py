"""May it? Rules, grants and policies over the facts of a tool call.

A policy sees values and gives a verdict; it touches nothing, asks nobody and reads no clock. A person is not a policy
but the end of its chain: ``Ask`` is what the session turns into a ``permission_request``. Parsing commands belongs to
``tools/``, resolving paths and waiting for people to ``session/``.

``rules`` and ``config`` rules as values and as text · ``matching`` whether a rule holds for a call, by ``words``,
``places`` and ``globs`` · ``grants`` what a person allowed for longer · ``policies`` the named ones · ``chain`` the
order of it all.
"""
