"""Measures the engine itself, beside its peers, on the machine at hand."""
