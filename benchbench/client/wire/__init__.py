"""What goes over a connection: requests as bytes, answers as they come, and the connections themselves."""
