"""What a run is: its settings, what it adds up to, and its outcome."""
