"""Labels by a judge: pools, texts, holes, and what the labels are worth."""
