"""Two stored runs side by side."""
