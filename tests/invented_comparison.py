"""An outcome of a comparison with invented numbers: shaped like a real one, and with texts that make trouble."""

import functools
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import polars as pl

from benchbench.comparison.compare_result import ComparedSystem, CompareOutcome, LoadStep, SystemSpeed
from benchbench.comparison.evidence import Evidence, ShownDocument
from benchbench.comparison.speed import SpeedRatio
from benchbench.results.record import GateResult
from benchbench.significance.comparing import compare
from benchbench.significance.comparison_settings import CompareSettings
from benchbench.tables.paired import Paired

NAMES = ("bm25", "bm25-title", "dense <b>v2</b>")
MEASURES = ("nDCG@3", "nDCG@10", "nDCG@100", "R@10", "R@100", "RR")
COURTS = ("district", "high", "supreme & appeal")
EVIL = "<script>window.broken = true</script><img src=x onerror='window.broken = true'> &amp; theft of a bicycle"
TEXTS = (
    "A tenant withheld the rent because the heating failed for three winters; the landlord gave notice.",
    "被告人张某于2019年3月在某市盗窃他人电动自行车一辆,价值人民币三千二百元,案发后已退赔。",
    "المتهم سرق دراجة من أمام المحكمة في شهر مارس وأعادها بعد يومين",
    "Donaudampfschifffahrtsgesellschaftskapitänsmütze" * 5,
    "Driving under the influence on a rural road, second offence within five years, no person was hurt.",
)


@functools.cache
def outcome(
    queries: int = 1_000,
    names: tuple[str, ...] = NAMES,
    shown: int | None = None,
    speed: bool = True,
    load: bool = True,
    texts: bool = True,
    slices: bool = True,
    hits: int = 10,
) -> CompareOutcome:
    """Return a comparison of some systems; `shown` queries have evidence (all by default)."""
    random = np.random.default_rng(7)
    values = _values(random, len(names), queries)
    columns = pl.DataFrame(
        {"court": [COURTS[q % 3] for q in range(queries)], "year": [2015 + q % 4 for q in range(queries)]}
    )
    paired = Paired(names, MEASURES, [f"q{q:05d}" for q in range(queries)], values, columns)
    pairs = list(combinations(names, 2))
    half = {"ratio": 0.5, "low": 0.45, "high": 0.55}
    comparison = compare(paired, CompareSettings(slices=("court",) if slices else (), test="t", resamples=1_000))
    order = np.argsort(-np.abs(values[1, 1] - values[1, 0]), kind="stable")[: shown or queries]
    latencies = [np.sort(random.lognormal(2.3 + 0.7 * number, 0.45, 2_000)) for number in range(len(names))]
    return CompareOutcome(
        comparison=comparison,
        systems=tuple(
            _system(latencies[number], number, name, queries, speed, load) for number, name in enumerate(names)
        ),
        moved={pair: tuple(range(min(10, len(order)))) for pair in pairs},
        moved_by="nDCG@10",
        evidence=tuple(_evidence(random, int(q), names, texts, hits) for q in order),
        gates=(_gate("nDCG@10<0.3", None), _gate("p99>60ms", "p99 of dense <b>v2</b> is 85.2 ms, more than 60 ms")),
        notes=("bm25-title failed on 2 queries; they count as 0.",),
        latencies=dict(zip(names, latencies, strict=True)) if speed else {},
        speeds=tuple(SpeedRatio(baseline=first, system=second, **half) for first, second in pairs if speed),
    )


def _gate(condition: str, failure: str | None) -> GateResult:
    said = f": {condition} passed" if failure is None else f"gate failed: {failure}"
    pair = {"baseline": "", "system": ""}
    verdict = "passed" if failure is None else "failed"
    return GateResult(condition=condition, verdict=verdict, said=said, about=" against ", scope=pair)


def _values(random: np.random.Generator, systems: int, queries: int) -> np.ndarray:
    """Return values that differ little between systems, many of them equal."""
    ease = random.beta(1.2, 1.6, queries)
    made = np.empty((len(MEASURES), systems, queries))
    for m, lift in enumerate((-0.06, 0.0, 0.12, 0.05, 0.2, 0.03)):
        for s in range(systems):
            moved = random.random(queries) < 0.5 * (s > 0)
            noise = np.where(moved, random.normal(0.03 * s, 0.16, queries), 0.0)
            made[m, s] = np.clip(ease + lift + noise, 0.0, 1.0)
    return made


def _system(latencies: np.ndarray, number: int, name: str, queries: int, speed: bool, load: bool) -> ComparedSystem:
    marks = {f"p{p:g}": float(np.percentile(latencies, p)) for p in (50, 90, 95, 99)} | {"max": float(latencies[-1])}
    ran = SystemSpeed(32, 8, 690.0 / (1 + number), marks)
    steps = []
    for rate in (2, 4, 8, 12, 16):
        wait = 1 / max(0.05, 1 - rate / max(1, 18 - 3 * number))
        reached = min(float(rate), max(1.0, 17 - 3.0 * number)) * 32
        quality = {"nDCG@10": 0.41 + 0.02 * number, "R@10": 0.5}
        p50 = 10.0 * (1 + number) * wait
        steps.append(
            LoadStep(
                label=f"{rate} requests/s",
                batch_size=32,
                queries_per_second=reached,
                p50=p50,
                p99=3 * p50 * wait,
                errors=0.0,
                quality=quality,
                offered=32.0 * rate,
                sustained=reached >= 32.0 * rate,
            )
        )
    counts = {"judged": queries, "returned": queries - number, "missing": number}
    signature = f"measures:nDCG,R,RR|k:3,10,100|data:4f2a|run:{name}|version:0.1.0"
    return ComparedSystem(
        name=name,
        source=f"results/{name}",
        signature=signature,
        counts=counts,
        speed=ran if speed else None,
        load=tuple(steps) if load else (),
    )


def _evidence(random: np.random.Generator, q: int, names: tuple[str, ...], texts: bool, hits: int) -> Evidence:
    grades: dict[int, float | None] = {int(d): float(random.integers(1, 4)) for d in random.integers(0, 30, 4)}
    grades |= {31: 0.0, 32: 2.0}
    relevant = [_document(q, d, grade, texts) for d, grade in grades.items() if grade]
    found = {}
    for number, name in enumerate(names):
        order = np.random.default_rng(q * 7 + number).permutation(33)[:hits]
        found[name] = tuple(
            _document(q, int(d), grades.get(int(d)), texts, rank, 20.0 - rank * 1.7)
            for rank, d in enumerate(order, start=1)
        )
    text = None if not texts else EVIL if q % 50 == 0 else TEXTS[q % len(TEXTS)]
    best_first = tuple(sorted(relevant, key=lambda document: -(document.grade or 0)))
    return Evidence(number=q, text=text, hits=found, relevant=best_first)


def _document(
    q: int, d: int, grade: float | None, texts: bool, rank: int | None = None, score: float | None = None
) -> ShownDocument:
    number = (q * 13 + d * 7) % 1_900
    text = f"Case {number}. " + TEXTS[number % len(TEXTS)] * 3 if texts else None
    return ShownDocument(f"case-{number:05d}", grade, bool(grade), rank, score, text)


def compared(
    values: np.ndarray, settings: CompareSettings, names: Sequence[str] = (), measures: Sequence[str] = ()
) -> CompareOutcome:
    """Return a comparison of values (measures, systems, queries): of systems s0, s1, … by measures m0, m1, …"""
    names = names or [f"s{number}" for number in range(values.shape[1])]
    measures = measures or [f"m{number}" for number in range(values.shape[0])]
    paired = Paired(tuple(names), tuple(measures), [f"q{number}" for number in range(values.shape[2])], values)
    return CompareOutcome(
        comparison=compare(paired, settings),
        systems=tuple(ComparedSystem(name=name, source=name, signature="", counts={}) for name in names),
        moved={},
        moved_by=measures[0],
        evidence=(),
    )


LEVELS = (0.3, 0.7, 0.69, 0.5)


def lists(levels=LEVELS, baseline=None, queries=200, **settings) -> CompareOutcome:
    """Return a comparison of systems s0, s1, … with values about their levels, in two measures."""
    random = np.random.default_rng(3)
    hardness = random.normal(0.0, 0.1, (2, 1, queries))
    noise = random.normal(0.0, 0.03, (2, len(levels), queries))
    values = np.clip(np.array(levels)[None, :, None] + hardness + noise, 0.0, 1.0)
    return compared(values, CompareSettings(baseline=baseline, resamples=500, **settings))
