"""The `/batch_search` protocol from the asking side: messages, profiles, retry, transport."""
