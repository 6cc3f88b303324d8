"""Tools that live in this program, served to the CLI: MCP over any carrier, JSON-RPC messages in and out.

What a tool takes is read from its function (``signature``), what it gives becomes content for the model (``content``);
``tool`` puts both behind a name, ``server`` answers for a set of tools. Nothing here knows how a message travels.
"""
