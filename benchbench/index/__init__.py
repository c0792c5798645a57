"""Looking into a search index, and making and checking ground truth from it."""
