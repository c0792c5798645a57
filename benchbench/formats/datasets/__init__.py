"""Data sets of any make: what a path is, and its queries, judgments and documents."""
