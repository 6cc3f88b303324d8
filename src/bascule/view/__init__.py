"""What a reader sees: a ``View`` folded from events, the same in Python and, by its twin, in the browser.

Pure: no clock, so ages and countdowns are left to whoever shows it; no words, so each surface has its own.
"""
