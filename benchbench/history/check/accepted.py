"""Changes that were meant: each begins a new reference, and with it a new budget of alpha."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchbench.history.database import among

if TYPE_CHECKING:
    from benchbench.history.entry import Series
    from benchbench.history.store import Store


@dataclass(frozen=True, slots=True)
class Accepted:
    """A change that was meant.

    Attributes
    ----------
    id
        0 stands for the beginning of a series, which nobody has to accept.
    series
        Key of the runs.
    run
        Number of the first run of the new reference.
    at, by, reason
        When (UTC), by whom, and why.
    """

    id: int
    series: str
    run: int
    at: str = ""
    by: str = ""
    reason: str = ""


def accepted(history: "Store", series: Collection[str] | None = None) -> list[Accepted]:
    """Return the accepted changes, of some series or of all, the latest last."""
    where = "" if series is None else f"WHERE series IN {among(series)}"
    sql = f'SELECT id, series, run, at, "by", reason FROM accepted {where} ORDER BY id'
    with history.reading() as connection:
        return [Accepted(*row) for row in connection.rows(sql, [*(series or ())])]


def latest(history: "Store", series: "Series") -> Accepted:
    """Return what the reference of a series begins with: its latest accepted change, else its first run."""
    found = accepted(history, [series.key])
    return found[-1] if found else Accepted(0, series.key, 0)
