"""Outcome to text, JSON and HTML. No number is computed here."""
