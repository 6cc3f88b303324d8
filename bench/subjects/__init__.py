"""The three that are compared. Each is a program: ``python -m bench.subjects.NAME SCENARIO JSON``.

A scenario is an async function of the subject; JSON gives its arguments, and what it returns is printed as JSON. The
scenarios of the same name do the same work in the subject's own, most ordinary way.

``stream``     one prompt; every message that follows is read until the last result
``interrupt``  one prompt; nobody reads; an interrupt once everything was printed, or while it is
``many``       ``stream`` in so many sessions at once
``start``      one session after the other is opened and closed
``stages``     ours alone: what of ``stream`` is spent in which pure stage
"""
