"""What Chinese laws are called, from the lists in `cn.toml`, as the grammar takes them."""

from benchbench.answers.citations.law_lists import law_lists

_LISTS = law_lists("cn")
LAWS, ORDERS = (tuple(_LISTS[name].split()) for name in ("laws", "regulations"))
ABBREVIATED: dict[str, str] = _LISTS["abbreviations"]
INTERPRETED: dict[str, str] = _LISTS["interpretations"]
ISSUERS: dict[str, str] = {name: name for name in _LISTS["issuers"].split()} | _LISTS["issuers_in_short"]
PARTS, COUNTRIES, _PROVINCES, _ORGANS = (  # as patterns
    "|".join(_LISTS[name].split()) for name in ("civil_code_parts", "countries", "provinces", "local_organs")
)
LOCAL_ISSUERS = f"(?:{_PROVINCES})(?:{_ORGANS})"
