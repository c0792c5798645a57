"""The lists of a jurisdiction as a lawyer reads and extends them: names and abbreviations of laws, courts, terms."""

from functools import cache
from importlib import resources
from typing import Any

from benchbench.tables.text_files import toml_value


@cache
def law_lists(jurisdiction: str) -> dict[str, Any]:
    """Return what `jp.toml`, `cn.toml` or `uk.toml` has; it is read by whoever needs it first."""
    name = f"{jurisdiction}.toml"
    return toml_value(resources.files("benchbench.answers.citations").joinpath(name).read_bytes(), name)
