"""The CLI's words: what it writes to stdout and reads from stdin, as structs. Names in our words are not here.

One module a concern; ``codec`` reads and writes lines. Nothing is re-exported: import the module, say what is meant
(``system.Init``, ``messages.Assistant``).
"""
