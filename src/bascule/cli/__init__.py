"""The `bascule` command: composition only. It alone names concrete sessions, screens and files.

Imports stand inside the functions that need them, so that `bascule --version` costs little more than Python itself.
"""
