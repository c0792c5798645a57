"""The names by which services call what a search has; which, and how likely, stands in `usual_names.toml`."""

import re

from benchbench.tables.text_files import toml_beside

_NAMES: dict[str, dict[str, list[str]]] = toml_beside(__file__, "usual_names.toml")
IN_REQUESTS, IN_HITS = _NAMES["request"], _NAMES["hits"]


def plain(name: object) -> str:
    """Return a name in small letters and digits alone, as those of the lists are written."""
    return re.sub(r"[^a-z0-9]", "", str(name).lower())
