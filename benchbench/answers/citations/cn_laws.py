"""What Chinese laws are called, from the lists in `cn.toml`, as the grammar takes them."""

from benchbench.answers.citations.law_lists import law_lists

_LISTS = law_lists("cn")


def _pattern(name: str) -> str:
    """Return the names of a list as a pattern; a longer one comes before one that it begins with."""
    return "|".join(sorted(_LISTS[name].split(), key=len, reverse=True))


LAWS, ORDERS = (tuple(_LISTS[name].split()) for name in ("laws", "regulations"))
ABBREVIATED: dict[str, str] = _LISTS["abbreviations"]
INTERPRETED: dict[str, str] = _LISTS["interpretations"]
ISSUERS: dict[str, str] = {name: name for name in _LISTS["issuers"].split()} | _LISTS["issuers_in_short"]
PARTS, COUNTRIES = _pattern("civil_code_parts"), _pattern("countries")
LOCAL_ISSUERS = f"(?:{_pattern('provinces')})(?:{_pattern('local_organs')})"
