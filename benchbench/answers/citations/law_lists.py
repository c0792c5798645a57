"""The lists of a jurisdiction, which a lawyer can read and extend: names and abbreviations of laws, courts, terms."""

from functools import cache
from typing import Any

from benchbench.tables.text_files import toml_beside


@cache
def law_lists(jurisdiction: str) -> dict[str, Any]:
    """Return the lists of `jp.toml`, `cn.toml` or `uk.toml`, which is read once."""
    return toml_beside(__file__, f"{jurisdiction}.toml")
