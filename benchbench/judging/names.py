"""Whether two names are of one model: providers, dates and tags differ where the model is the same."""

import re

_PROVIDER = re.compile(r"^.*/")
_VENDOR = re.compile(
    r"^(?:[a-z]{2,6}\.)?(?:openai|anthropic|azure|google|vertex_ai|bedrock|mistral|meta|cohere|deepseek|ollama)[.:]"
)
_DATE = re.compile(r"[-@_](?:20\d{2}-?[01]\d-?[0-3]\d|[0-3]?\d[01]\d|latest)(?:-v\d+(?::\d+)?)?$")
_LATEST = re.compile(r":latest$")


def plain_name(model: str) -> str:
    """Return the name of a model in lower case, without provider, date and `latest`.

    >>> plain_name("openai/gpt-4o-2024-08-06")
    'gpt-4o'
    """
    name = _VENDOR.sub("", _PROVIDER.sub("", model.strip().lower()))
    return _DATE.sub("", _LATEST.sub("", name))


def same_model(first: str, other: str) -> bool:
    """Say that two names are of one model, as far as names tell."""
    return bool(plain_name(first)) and plain_name(first) == plain_name(other)
