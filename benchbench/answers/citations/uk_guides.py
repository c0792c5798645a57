"""The court guides of England and Wales, by the names in use for them."""

_GUIDES = {  # canonical name -> its other names, all without the word Guide
    "Administrative Court": ("Administrative Court Judicial Review", "Judicial Review"),
    "Chancery": ("Chancery Division", "Chancery Court"),
    "Circuit Commercial Court": ("Circuit Commercial Courts", "London Circuit Commercial Court", "Mercantile Court"),
    "Commercial Court": ("Admiralty and Commercial Courts", "Admiralty and Commercial Court"),
    "Competition Appeal Tribunal": ("CAT",),
    "Court of Appeal": ("Court of Appeal Civil Division",),
    "Financial List": (),
    "Insolvency and Companies Court": ("ICC",),
    "Intellectual Property Enterprise Court": ("IPEC",),
    "King's Bench": ("King's Bench Division", "KBD", "KB", "Queen's Bench", "Queen's Bench Division", "QBD", "QB"),
    "Media and Communications List": (),
    "Patents Court": ("Patents",),
    "Planning Court": (),
    "Senior Courts Costs Office": ("SCCO", "Supreme Court Costs Office"),
    "TCC": ("Technology and Construction Court",),
}
_CANONICAL = {
    written: f"{one} Guide"
    for one, others in _GUIDES.items()
    for name in (one, *others)
    for written in dict.fromkeys((name, name.replace(" and ", " & ")))
}
ABBREVIATED = {  # as they are written after "of the"
    "CCG": "Commercial Court Guide",
    "CCCG": "Circuit Commercial Court Guide",
    "KBG": "King's Bench Guide",
    "KBDG": "King's Bench Guide",
    "QBG": "King's Bench Guide",
    "PCG": "Patents Court Guide",
    "TCCG": "TCC Guide",
    "ACG": "Administrative Court Guide",
}

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
