"""An invented trend: runs of every night, with a step, a drift, other rules, failures, alerts and accepted changes."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
from msgspec.structs import replace

from benchbench.history.changed import ChangedDetails
from benchbench.history.trend.lines import found_in, latest_of
from benchbench.history.trend.trend_details import (
    AcceptedDetails,
    AlertDetails,
    LineDetails,
    Trend,
    TrendDetails,
    TrendRunDetails,
    TrendSeriesDetails,
)
from benchbench.history.trend.trend_run import completed

EVIL = "<script>window.broken = 1</script><img src=x onerror='window.broken = 1'>"
_BEGAN = datetime(2026, 3, 3, 4, 0, tzinfo=UTC)
RULES = "tasks:gold|measures:nDCG@10|queries:300|version:0.2.0"


def commit(number: int) -> str:
    """Return a commit that looks like one."""
    return f"{(number * 2654435761) % (1 << 40):010x}{'0' * 30}"


def run(number: int, **members: object) -> TrendRunDetails:
    """Return a run of a night."""
    began = (_BEGAN + timedelta(days=number)).isoformat().replace("+00:00", ".000Z")
    given = {"started": began, "commit": commit(number // 2), "branch": "main", **members}
    return TrendRunDetails(number=number, id=f"id-{number}", **given)  # type: ignore[arg-type]


def of_series(
    key: str, signature: str, short: str, number: int, differs: Sequence[str] = (), data: str = "cail"
) -> TrendSeriesDetails:
    """Return a series of so many runs."""
    return TrendSeriesDetails(key=key, signature=signature, short=short, data=data, runs=number, differs=list(differs))


def runs(number: int) -> list[TrendRunDetails]:
    """Return runs: the first eighth by other rules, two that failed, settings that changed at the step."""
    other, step = number // 8, number * 5 // 8
    made = [run(place + 1, series=1 if place < other else 0) for place in range(number)]
    if number > 8:
        changed = [ChangedDetails("top_k", "50", "20"), ChangedDetails("version of numpy", "2.1.0", "2.2.1")]
        made[step] = replace(made[step], changed=changed, tags={"ci": "4711", "machine": "ci-2"})
        made[number // 3] = replace(made[number // 3], status="failed")
        made[-3] = replace(made[-3], goes_back=True)
    return made


def line(
    values: Sequence[float | None], measure: str = "gold.nDCG@10", half: float = 0.015, n: int = 300, **members: object
) -> LineDetails:
    """Return a line with intervals of such a half width; of 0 it has none."""
    low = [None if value is None or not half else value - half for value in values]
    high = [None if value is None or not half else value + half for value in values]
    given = {"name": measure.rpartition(".")[2] if "." in measure else measure, "better": "higher", **members}
    scope = {"task": measure.partition(".")[0]} if measure.startswith(("gold.", "expert.")) else {}
    name = measure.partition(".")[2] if scope else measure
    sizes = [None if value is None else n for value in values]
    lists = {"values": list(values), "low": low, "high": high, "n": sizes}
    return LineDetails(measure=measure, scope=scope, **{**lists, **given, "name": name})  # type: ignore[arg-type]


def stepped(number: int, level: float = 0.412, fall: float = 0.03, noise: float = 0.004, seed: int = 1) -> list[float]:
    """Return values that fall at five eighths."""
    random = np.random.default_rng(seed)
    values = level + noise * random.standard_normal(number)
    values[number * 5 // 8 :] -= fall
    return [float(f"{value:.6f}") for value in values]


def trend(
    number: int = 60, evil: str = "", slices: int = 4, measures: int = 3, alerts: bool = True, searched: int = 3
) -> Trend:
    """Return a trend with everything in it; `evil` stands in every name, changes are found in `searched` measures."""
    random = np.random.default_rng(7)
    made = runs(number)
    if evil:
        made = [replace(one, branch=evil, tags={evil: evil}, commit=f"<b>{one.commit}") for one in made]
        made[-1] = replace(made[-1], changed=[ChangedDetails(evil, evil, evil)])
    lines = [line(stepped(number))]
    if measures > 1:
        drifting = 0.61 - 0.0009 * np.arange(number) + 0.004 * random.standard_normal(number)
        lines.append(line([float(one) for one in drifting], "expert.nDCG@10", 0.02))
    if measures > 2:
        times = [float(one) for one in 42 + 2.2 * random.standard_normal(number)]
        lines.append(line(times, "p50", 0.0, unit="ms", better="lower"))
    for more in range(3, measures):
        lines.append(line(stepped(number, 0.3 + more / 100, 0.0, seed=more), f"gold.R@{more}{evil}"))
    if number > 12:
        gaps: list[float | None] = list(lines[-1].values)
        gaps[5] = gaps[9] = None
        lines[-1] = replace(lines[-1], values=gaps, low=[None] * number, high=[None] * number)
    names = ("criminal", "civil", "administrative", "家事・相続に関する事件")
    cut = []
    for place in range(slices):
        label = f"{names[place % 4]}{'' if place < 4 else place}{evil}"
        values = stepped(number, 0.5 - 0.04 * place, 0.09 if place == 1 else 0.004, 0.012, seed=20 + place)
        cut.append(latest_of(line(values, half=0.0, n=120 - 20 * min(place, 5), slice=f"matter={label}"), made))
    step = number * 5 // 8
    said = f"gold.nDCG@10 is worse than the reference by 0.029 (0.021 to 0.037), p < 0.001, in 41 queries.{evil}"
    open_ones = [
        AlertDetails(
            measure="gold.nDCG@10", began=step + 2, began_at=made[min(step + 1, number - 1)].started, said=said
        ),
        AlertDetails(
            measure="expert.nDCG@10",
            began=number // 4 + 1,
            began_at=made[number // 4].started,
            said="expert.nDCG@10 is worse than the reference by 0.012.",
            ended=number // 3 + 1,
            ended_at=made[number // 3].started,
            ended_why="recovered",
        ),
    ]
    later = number // 5
    accepted = [AcceptedDetails(made[later].number, made[later].started, "mk", f"shorter answers on purpose{evil}")]
    has = number > 12 and alerts
    series = [of_series("a", RULES, "1a2b3c4d", sum(one.series == 0 for one in made))]
    if number >= 8:
        series.append(of_series("b", f"{RULES}|ties:input", "99ffee00", number // 8, ["other ties (input)"]))
    found = TrendDetails(
        name=f"nightly{evil}",
        kind="run",
        data=f"cail{evil}",
        by="matter" if slices else "",
        recorded=number,
        runs=made,
        series=series,
        lines=[found_in(one, made) if place < searched else latest_of(one, made) for place, one in enumerate(lines)],
        slices=cut,
        alerts=open_ones if has else [],
        accepted=accepted if has else [],
    )
    return Trend(completed(found), {"by": found.by, "order": "recording", "last": None}, 1.78e9)
