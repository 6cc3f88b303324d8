"""What outlives a session. It knows what is kept and where; who may decide over it stands in ``session/``.

``grants`` what a person allowed for longer than a session.
"""
