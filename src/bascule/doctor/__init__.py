"""What the installed Claude Code CLI does, found out by talking to it: is it fit for bascule, and what differs in it?

A probe starts the CLI against the scripted model, with a home and a workspace of its own, and watches what it says and
does (``probe``, ``dialogue``, ``scenes``, ``lives``, ``findings``). What bascule knows of the CLI is the ``catalogue``:
the classes of ``wire/``, the flags of ``transport/``, and what the tested versions were recorded to do (``recorded``,
``traits``). ``compare`` names the differences and what each means. ``proof`` is the part on which a supervised session
depends: that the CLI asks before it writes. ``checks`` looks at the machine around it.

No session runs here, and nothing of the user's is read or written, but for the receipt of a proof (``receipts``).
"""
