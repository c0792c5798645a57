"""A load test that nobody held: two steps, the second with failures."""

from pathlib import Path

import data_sets

from benchbench.client.descriptions import profile
from benchbench.client.service import Service
from benchbench.formats.datasets.locate import locate
from benchbench.load_test import LoadOutcome, LoadSettings
from benchbench.loads.metrics import METRICS
from benchbench.loads.step import Load
from benchbench.loads.step_result import Step
from benchbench.results.signature import Signature
from benchbench.tables.shared_messages import AT_EACH_CUTOFF as MEASURES

NAN = float("nan")


def outcome(folder: Path) -> LoadOutcome:
    """Return it, over a data set that is written to a folder."""
    service = Service("http://service", profile("benchbench"))
    settings = LoadSettings(locate(str(data_sets.write(folder))), service, rates=(10.0, 20.0), batch_sizes=(4,))
    counts = {"queries": 12, "positives": 44, "without_positives": 1, "dropped_positives": 2, "skipped_lines": 3,
              "left_out_positives": 6, "queries_with_left_out_positives": 5, "assumed_tiers": 0}  # fmt: skip
    return LoadOutcome(
        settings=settings,
        url="http://service/batch_search",
        digest="digest",
        queries=12,
        counts=counts,
        queries_without_label={"gold": 1},
        signature=Signature({"data": "digest"}),
        tasks=("gold",),
        steps=[step(10.0, failed=0), step(20.0, failed=3)],
        highest=[],
        interrupted=False,
    )


def step(rate: float, failed: int) -> Step:
    """Return a step of 300 requests, of which some failed."""
    quality = {
        f"{over}.gold.{measure}@{k}": value
        for over, value in (("asked", 0.25), ("answered", 0.5))
        for k in (3, 5, 10)
        for measure in MEASURES
    }
    values = {**dict.fromkeys(METRICS, 1.0), "p99": 1234.5, "sent_p99": NAN, "requests": 300.0, "queries_asked": 12.0}
    values |= {"failed_requests": float(failed), "error_rate": failed / 300, "late": 0.0, **quality}
    failures = {"HTTP 503: busy": failed} if failed else {}
    counts, faults = {"hits": 6000, "short_lists": 7, "positive_hits": 9}, {"missing_scores": 5}
    return Step(
        load=Load(batch_size=4, rate=rate, places=256, warm_up=5.0, duration=30.0, patience=10.0),
        values=values,
        failures=failures,
        counts=counts,
        hit_faults=faults,
        unlabelled_hits={"article": 4},
    )
