"""How sure a number is, and whether a difference is real: intervals, tests, corrections, slices."""
