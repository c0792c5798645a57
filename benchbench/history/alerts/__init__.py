"""Alerts: when they begin and end, what they say, and who is told."""
