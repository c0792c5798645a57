"""Is the difference real: tests, intervals, corrections, slices."""
