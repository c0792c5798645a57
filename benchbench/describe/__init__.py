"""From a curl line and an answer to the description of a service."""
