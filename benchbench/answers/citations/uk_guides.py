"""The court guides of England and Wales, by the names in use for them."""

_GUIDES = {  # canonical name -> its other names, all without the word Guide
    "Administrative Court": (),
    "Chancery": (),
    "Circuit Commercial Court": ("Circuit Commercial Courts",),
    "Commercial Court": ("Admiralty and Commercial Courts", "Admiralty & Commercial Courts"),
    "Insolvency and Companies Court": ("ICC",),
    "Intellectual Property Enterprise Court": ("IPEC",),
    "King's Bench": ("King's Bench Division", "KBD", "KB", "Queen's Bench", "Queen's Bench Division", "QBD", "QB"),
    "Patents Court": ("Patents",),
    "Senior Courts Costs Office": ("SCCO",),
    "Technology and Construction Court": ("TCC",),
}
_CANONICAL = {name: f"{one} Guide" for one, others in _GUIDES.items() for name in (one, *others)}

NAMES = [  # as patterns, the longest first, for "King's Bench" must not hide "King's Bench Division"
    rf"{name} Guide".replace("'", "['’]").replace(" Guide", r"\s{1,2}Guide").replace(" ", r"\s")
    for name in sorted(_CANONICAL, key=len, reverse=True)
]
GUIDE = rf"(?:{'|'.join(NAMES)})"


def guide(written: str) -> str:
    """Return the canonical name of a guide, as `GUIDE` found it."""
    return _CANONICAL[" ".join(written.replace("’", "'").split()[:-1])]
