"""Nuggets: assigned by a judge, and scored."""
