"""`python -m benchbench`."""

from benchbench.cli.main import entry

entry()
