"""Flags to plain arguments to one call; one file a command."""
