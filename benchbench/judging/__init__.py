"""Verdicts by a language model: items are judged, verdicts are stored, counted and calibrated."""
