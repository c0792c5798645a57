"""Means of scores as numbers of a record."""

from benchbench.results.record import Better, Number, Scope, band_in_record


def mean_number(
    name: str,
    value: float | None,
    ends: tuple[float | None, float | None],
    method: str,
    n: int,
    scope: Scope,
    *,
    better: Better | None = None,
    unit: str = "",
    band: str = "",
) -> Number:
    """Return a mean with its 95 % interval, where it has one; `method` says how that was made.

    A `band` that is none of those of records, such as `not tested`, is left out.
    """
    low, high = ends
    interval = f"95 %, {method}" if method and low is not None else None
    return Number(
        name=name,
        value=value,
        low=low,
        high=high,
        interval=interval,
        n=n,
        unit=unit,
        better=better,
        scope=scope,
        band=band_in_record(band),
    )
