"""Making data sets."""
