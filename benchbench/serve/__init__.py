"""Something to measure against: an aiohttp service over an embedded retriever."""
