"""From values per query to reported numbers, and the signature that makes them reproducible."""
