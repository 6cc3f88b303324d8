"""Doubles for people who test what they build on bascule: they behave, and are checked against the real thing."""
