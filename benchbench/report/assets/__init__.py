"""The files that pages are made of."""

from pathlib import Path


def asset(name: str) -> str:
    """Return one of them."""
    return Path(__file__).with_name(name).read_text("utf-8")
