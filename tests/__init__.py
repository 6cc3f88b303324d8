"""Tests of bascule; the folders mirror src/bascule."""
