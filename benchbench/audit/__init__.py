"""What makes the scores of a data set lie: its texts, ids, judgments and labels, and whether a service returns them."""
