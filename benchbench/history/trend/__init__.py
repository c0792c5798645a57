"""How measures moved from run to run: changes, drift, slices."""
