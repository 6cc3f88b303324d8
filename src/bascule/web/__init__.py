"""The HTTP and WebSocket side of a hub: who may come in, what is asked over the wire, how events reach a reader.

It speaks to the port ``conversation.Conversations`` and knows nothing behind it. ``app.py`` puts the pieces together,
``serving.py`` listens; ``routes/`` holds one family of requests a file. Needs the extra ``hub``.
"""
