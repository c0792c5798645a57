"""Which measures of runs are shown: those that are named, or the first."""

import json
from collections.abc import Collection, Sequence

import polars as pl

from benchbench.errors import InputError
from benchbench.results.gates import GOLD, Condition, kind_and_name
from benchbench.tables.shared_messages import not_among

ALL = "all"
_OF_PAIR = r"(^|\.)(Δ|p|p_\w+|changed|found|lost|need|design_effect|worst|best|spread) "  # differences and their tests
_USUAL = (  # shown before others
    *("nDCG@10", "R@10", "RR@10", "P@10", "Success@10", "F1@10", "nDCG", "AP", "RR"),
    *("p50", "p99", "queries_per_second"),
)


def named(wanted: Sequence[str], names: Collection[str]) -> list[str]:
    """Return the measures that texts name, each once, in their order.

    Parameters
    ----------
    wanted
        As gates name them: `gold.nDCG@10`, or `nDCG@10` of the gold task or the only one; `all` for all.
    names
        Those that there are, in the order of the records.

    Raises
    ------
    InputError
        With what there is, for one that is none of them or could be several.
    """
    found: dict[str, None] = {}
    for text in wanted:
        if text == ALL:
            found |= dict.fromkeys(names)
            continue
        try:
            found[Condition(*kind_and_name(text), "<", 0.0, "").among(names, final=True)] = None
        except InputError as problem:
            if not names:
                raise InputError(f"{text} is not stored: the runs have no numbers") from None
            raise problem if "several" in str(problem) else InputError(not_among(text, "stored", names)) from None
    return list(found)


def leading(numbers: pl.DataFrame, most: int) -> list[str]:
    """Return the measures that stand for the others where none is named.

    Parameters
    ----------
    numbers
        Of a run, in the order of its record, as `History.numbers` returns them: `measure`, `scope`, `slice`, `better`.
    most
        How many at most.

    Returns
    -------
    list of str
        Of the gold task, where there is one, and of none; none of a difference; those with a better
        side where there are such; the usual ones first.
    """
    whole = numbers.filter(pl.col("slice").is_null(), ~pl.col("measure").str.contains(_OF_PAIR))
    sided = whole.filter(pl.col("better").is_not_null())
    rows = (sided if sided.height else whole).select("measure", "scope").unique(maintain_order=True).rows()
    tasks = {measure: json.loads(scope).get("task") for measure, scope in rows}
    has_gold = GOLD in tasks.values()
    found = [measure for measure, task in tasks.items() if not has_gold or task in (GOLD, None)]
    return sorted(found, key=_place)[:most]


def _place(measure: str) -> int:
    """Return how early a measure comes; those that are not usual keep their order."""
    return next(
        (place for place, one in enumerate(_USUAL) if measure == one or measure.endswith(f".{one}")), len(_USUAL)
    )
