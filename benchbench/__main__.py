"""`python -m benchbench`."""

from benchbench.cli.main import main

main()
