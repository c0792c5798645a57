"""Joining what a comparison needs: scores from run files or results folders, queries, hits, texts."""
