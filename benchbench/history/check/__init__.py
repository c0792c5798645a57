"""Is the latest run worse than the reference: references, accepted changes, verdicts."""
