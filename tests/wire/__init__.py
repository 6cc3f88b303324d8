"""Tests of the wire: what the CLI says, read and written; the recordings decide."""
