"""An alert, and checks that begin and end it, in a module that processes can import."""

from collections.abc import Sequence
from multiprocessing.synchronize import Barrier
from pathlib import Path

import benchbench as bb
from benchbench.history.alerts.alert import Alert, AlertBody, AlertChange, AlertEnd
from benchbench.history.alerts.targets import read_targets
from benchbench.history.alerts.update import update
from benchbench.history.store import Store, open_history

BODY = AlertBody(
    series="s1",
    kind="run",
    name="nightly",
    data="cases",
    measure="gold.nDCG@10",
    since_run=12,
    since_id="0192",
    since_at="2026-01-02T03:04:05.000Z",
    since_commit="abcdef1234567890",
    before_run=11,
    before_commit="0123456789abcdef",
    reference=0.41,
    value=0.38,
    difference=-0.03,
    low=-0.04,
    high=-0.02,
    p=0.00001,
    level=0.0002,
    runs=2,
    queries=[("q1", 0.8, 0.1), ("q2", 0.7, None)],
    slices=[("language=de", 0.4, 0.2, 10)],
    found_run=13,
)
END = AlertEnd("s1", "gold.nDCG@10", 15, "fedcba9876543210", "recovered")
BEGAN = AlertChange(Alert(7, "2026-01-02T03:04:05.000Z", BODY), "began", True)


def check(place: Path, file: Path, barrier: Barrier) -> None:
    """Begin the alert and end it, each at the same time as other processes."""
    with open_history(place) as history:
        for found in (BODY, END):
            barrier.wait()
            update(history, [found], read_targets([str(file)]), ["s1"])


def series_of(history: Store, ranks: Sequence[int], name: str = "nightly", queries: int = 20) -> None:
    """Add a run per rank, at which each of its queries has its relevant document."""
    ids = [f"q{query}" for query in range(queries)]
    qrels = bb.Qrels.from_dict({one: {"right": 1} for one in ids})
    for rank in ranks:
        hits = {f"wrong{place}": 1.0 / place for place in range(1, 4) if place != rank} | {"right": 1.0 / rank}
        scores = bb.evaluate(qrels, bb.Run.from_dict(dict.fromkeys(ids, hits)), ["RR"])
        scores.describe(name=name)
        history.add(scores)
