"""The files that pages are made of."""

from importlib.resources import files


def asset(name: str) -> str:
    """Return one of them."""
    return files("benchbench.report.assets").joinpath(name).read_text("utf-8")
