"""Drives Claude Code and puts a person in front of every decision."""
