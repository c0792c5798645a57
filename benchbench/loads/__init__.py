"""Requests at a service by a plan: when each is due, sending it, how long it took, and whether we kept up."""
