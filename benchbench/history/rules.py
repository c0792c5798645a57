"""By which rules and on what data a run was measured, in digits by which people tell two apart."""

from collections.abc import Iterable

from benchbench.comparison.comparable import comparable_parts
from benchbench.history.entry import Entry
from benchbench.results.signature import Signature, short


def rules(signature: str) -> str:
    """Return 8 digits of what makes numbers of a signature comparable; empty where it says nothing.

    What came out, such as the digest of a run's hits, is not in it: runs with the same digits may be compared.
    """
    parts = comparable_parts(signature)
    return short(str(Signature(parts))) if parts else ""


def comparable_groups(entries: Iterable[Entry]) -> list[int]:
    """Return a number per run, from 0 in their order: of runs with the same one numbers may be compared.

    They are of one kind, with the same data and by the same rules, whatever their names.
    """
    known: dict[tuple[str, str, str], int] = {}
    of_signature: dict[str, str] = {}
    groups = []
    for one in entries:
        if one.signature not in of_signature:
            of_signature[one.signature] = rules(one.signature)
        key = (one.kind, one.data_digest or one.data, of_signature[one.signature])
        groups.append(known.setdefault(key, len(known)))
    return groups
