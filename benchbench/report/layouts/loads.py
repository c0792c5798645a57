"""Load tests compared with each other: one row per step and number, and a sentence on each pair."""

from collections.abc import Iterator

from benchbench.comparison.headline import headline_of_loads
from benchbench.comparison.load_pairs import LoadDifference, LoadsDetails
from benchbench.report.blocks import EVERYWHERE, TERMINAL, AnyCell, Cell, Table, Text
from benchbench.report.layout import Layout
from benchbench.report.standard import standard
from benchbench.results.figures import ends, p_said, p_value, signed, value
from benchbench.results.record import plain
from benchbench.results.result import Result
from benchbench.tables.shared_messages import and_joined

_NAMES = {"queries_per_second": "queries/s", "error_rate": "error rate"}
_WORDS = {1: "better", -1: "worse", 0: ""}
_TONES = {1: "good", -1: "bad", 0: ""}


def layout(result: Result) -> Layout:
    """Return the differences of each pair, and what they rest on."""
    found = result.details_as(LoadsDetails)
    title = f"{and_joined([one.name for one in found.systems])}: load tests"
    repeats = and_joined([f"{one.name} {one.repeats}" for one in found.systems])
    percent = f"{100 * (1 - found.alpha):g} %"
    said = (
        f"Means over repeats ({repeats}); {percent} intervals and p-values by permutation of the repeats, over all "
        "numbers of a pair together. Noise is how far the odd repeats of a system are from its even ones."
    )
    pairs = dict.fromkeys((one.baseline, one.system) for one in found.differences)
    return standard(
        result,
        title,
        headline_of_loads(found),
        [Text([said], where=TERMINAL), *(_table(found, *pair) for pair in pairs), Text(list(_sentences(found)))],
        said=said,
        signed={one.name: one.signature for one in found.systems},
        members=lambda: plain(found),
        rows=lambda: (plain(one) for one in found.differences),
        command="benchbench compare",
    )


def _table(found: LoadsDetails, baseline: str, system: str) -> Table:
    head = [
        "Load",
        "Number",
        baseline,
        system,
        "Difference",
        f"{100 * (1 - found.alpha):g} % interval",
        "p",
        "Noise",
        "",
    ]
    rows: list[list[AnyCell]] = []
    before = ""
    for one in found.differences:
        if (one.baseline, one.system) != (baseline, system):
            continue
        digits = _digits(one)
        means = [value(one.baseline_mean, digits), value(one.system_mean, digits)]
        name = f"{_NAMES.get(one.measure, one.measure)}{' ms' if one.unit == 'ms' else ''}"
        tested = [signed(one.mean, digits), ends(one, digits, signed), p_value(one.p), value(one.noise, digits)]
        verdict = Cell(_WORDS[one.direction], tone=_TONES[one.direction])
        rows.append(["" if one.step == before else one.step, name, *means, *tested, verdict])
        before = one.step
    return Table(head, rows, "ll" + "r" * 6 + "l", where=EVERYWHERE, keeps=[0, 0, 0, 0, 0, 1, 2, 3, 0])


def _sentences(found: LoadsDetails) -> Iterator[str]:
    for one in found.differences:
        if one.direction:
            yield (
                f"{one.step}: {one.system} is {_WORDS[one.direction]} than {one.baseline} in "
                f"{_NAMES.get(one.measure, one.measure)} ({value(one.system_mean, _digits(one))} against "
                f"{value(one.baseline_mean, _digits(one))}; {p_said(one.p)})."
            )
    for baseline, system in dict.fromkeys((one.baseline, one.system) for one in found.differences):
        of = [one for one in found.differences if (one.baseline, one.system) == (baseline, system)]
        if any(one.p is not None for one in of) and not any(one.direction for one in of):
            yield f"No difference shown between {system} and {baseline}; that does not say that they are the same."


def _digits(one: LoadDifference) -> int:
    return 4 if one.measure == "error_rate" else 1
