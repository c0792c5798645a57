"""Several services over the same queries: one row per measure, one column per service.

Of the default measures, those at the largest cut-off are shown.
"""

from collections.abc import Callable
from dataclasses import asdict

from benchbench.measures.default_list import default_cutoffs
from benchbench.measures.latency import enough
from benchbench.measures.notation import better, measured, resolve
from benchbench.report.blocks import EVERYWHERE, TERMINAL, AnyCell, Cell, Table, Where
from benchbench.report.layout import Layout
from benchbench.report.layouts.run import COMMAND, how_made, measure_table, repeated
from benchbench.report.standard import standard
from benchbench.results.figures import behind, value
from benchbench.results.headline import best
from benchbench.results.result import Result
from benchbench.runs.headline import few_requests, headline_of_several
from benchbench.runs.run_details import AskedOptions, Run, runs_of
from benchbench.tables.shared_messages import capital, counted

# None is marked as best: that is not tested. Each has the percentile that its number of requests must be enough for.
_SERVICE: tuple[tuple[str, int, float, Callable[[Run], float]], ...] = (
    ("p50, ms per request", 1, 50.0, lambda run: run.latency.percentiles["p50"]),
    ("p99, ms per request", 1, 99.0, lambda run: run.latency.percentiles["p99"]),
    ("queries/s", 0, 50.0, lambda run: run.latency.queries_per_second),
    ("failed queries", 0, 0.0, lambda run: run.counts["failed"]),
)
_LATEX: Where = frozenset({"latex"})


def layout(result: Result) -> Layout:
    """Return the table and the facts below it."""
    runs, asked = runs_of(result), result.settings_as(AskedOptions)
    first = next(iter(runs.values()))
    in_turns = (
        f"in turns, a round of batches each, at concurrency {asked.concurrency} and "
        f"{counted(asked.batch_size, 'query')} per batch"
    )
    return standard(
        result,
        f"{', '.join(runs)} on {result.record.data.name}: {first.counts['queries']:,} queries each",
        headline_of_several(runs, result.record.data.name),
        _tables(runs),
        lead=how_made(first),
        facts=[("Asked", in_turns), *(row for name, run in runs.items() for row in _facts(name, run))],
        signed={name: run.signature for name, run in runs.items()},
        failed="query",
        rows=lambda: ({"target": name, **asdict(row)} for name, run in runs.items() for row in run.estimates),
        command=COMMAND,
    )


def _tables(runs: dict[str, Run]) -> list[Table]:
    """Return the table, and that of LaTeX: it leaves out what stands behind a value, so that cells have it as text.

    A terminal has no speed of few requests beside that of others.
    """
    body, head, sides = _body(runs), ["Task", "Metric", *runs], "ll" + "r" * len(runs)
    whole = [
        [cell if isinstance(cell, str) else cell._replace(text=f"{cell.text} {cell.aside}".rstrip()) for cell in row]
        for row in body
    ]
    return [
        Table(head, _body(runs, of_few=False), sides, grouped=True, where=TERMINAL),
        Table(head, body, sides, grouped=True, where=EVERYWHERE - _LATEX - TERMINAL),
        Table(head, whole, sides, grouped=True, where=_LATEX),
    ]


def _body(runs: dict[str, Run], of_few: bool = True) -> list[list[AnyCell]]:
    """Return a row per task and measure, the best value of which is strong, and one per number of the services."""
    body: list[list[AnyCell]] = []
    first = next(iter(runs.values()))
    for task in first.measures:
        for title, name in _lines(first.names):
            if name in first.measures[task]:
                means = [run.measures[task][name] for run in runs.values()]
                lead = best([mean.value for mean in means], better(name))
                cells = [
                    Cell(measured(name, mean.value), behind(mean.low, mean.high), strong=place in lead)
                    for place, mean in enumerate(means)
                ]
                body.append([capital(task), title, *cells])
    for title, digits, percentile, number in _SERVICE:
        if of_few or not percentile or all(enough(percentile, run.latency.timed) for run in runs.values()):
            body.append(["Service", title, *(value(number(run), digits) for run in runs.values())])
    return body


def _lines(names: list[str]) -> list[tuple[str, str]]:
    """Return title and name of each measure that is shown."""
    if not default_cutoffs(resolve(names)):
        return [(name, name) for name in names]
    table = measure_table(names)
    return [(f"{title}{table.heads[-1]}", at[-1]) for title, at in table.rows if at[-1]]


def _facts(name: str, run: Run) -> list[tuple[str, str]]:
    """Return what else there is to say of a service: whether its percentiles rest on few requests, and its passes."""
    texts = [*(f"! {few}" for few in (few_requests(run),) if few)]
    texts += [] if run.repeats is None else [fact for _, fact in repeated(run.repeats)]
    return [("" if number else name, fact) for number, fact in enumerate(texts)]
