"""Runs: their settings, numbers and results."""
