"""May it? Rules, grants and policies over the facts of a tool call.

A policy sees values and gives a verdict; it touches nothing, asks nobody and reads no clock. A person is not a policy
but the end of its chain: ``Ask`` is what the session turns into a ``permission_request``. Parsing commands belongs to
``tools/``, resolving paths and waiting for people to ``session/``.

``rule text or TOML -> rules.Rule``  ·  ``policies.named(name) -> Policy``  ·  ``chain.judge(policy, call, …) -> Verdict``
"""
