"""What retrieval by words has in common, wherever it runs: terms and the options of BM25."""
