"""Many sessions that outlive whoever looks at them: who owns each, what waits, what is stored before it is told.

It knows which sessions live. What one session does stands in ``session/``, what is kept in ``store/``; surfaces speak
to the port ``conversation.Conversations``, which ``hub.Hub`` implements.
"""
