"""Load tests: when each request is due, sending it, its latency, and whether the client kept up."""
