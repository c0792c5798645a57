"""The client side of the `/batch_search` protocol: messages, profiles, retry, transport."""
