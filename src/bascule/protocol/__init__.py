"""The conversation with the CLI, sans-I/O: bytes to lines, requests and their answers, the handshake.

Values in, values out: nothing here reads, writes or waits, and nothing here knows what an ask means to a person.
"""
