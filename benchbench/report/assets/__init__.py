"""The files that pages are made of. `scripts/vendor-charts` makes `echarts.min.js` and its licences."""

from importlib.resources import files


def asset(name: str) -> str:
    """Return one of them."""
    return files("benchbench.report.assets").joinpath(name).read_text("utf-8")
