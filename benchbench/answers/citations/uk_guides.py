"""The court guides of England and Wales, by the names in use for them."""

from benchbench.answers.citations.law_lists import law_lists

_LISTS = law_lists("uk")
_CANONICAL = {
    written: f"{one} Guide"
    for one, others in _LISTS["guides"].items()
    for name in (one, *others)
    for written in dict.fromkeys((name, name.replace(" and ", " & ")))
}
ABBREVIATED: dict[str, str] = _LISTS["guides_in_short"]
NAMES = [  # as patterns, the longest first, for "King's Bench" must not hide "King's Bench Division"
    rf"{name} Guide".replace("'", "['’]").replace(" Guide", r"\s{1,2}Guide").replace(" ", r"\s")
    for name in sorted(_CANONICAL, key=len, reverse=True)
]
NAMES += [rf"Guide\sto\sthe\s{name.removesuffix(chr(92) + 's{1,2}Guide')}" for name in NAMES]
GUIDE = rf"(?:{'|'.join(NAMES)})\b"


def guide(written: str) -> str:
    """Return the canonical name of a guide, as `GUIDE` found it."""
    words = written.replace("’", "'").split()
    return _CANONICAL[" ".join(words[3:] if words[0] == "Guide" else words[:-1])]
