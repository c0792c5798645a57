"""A load test: its tables, and what else there is to say of its steps."""

from collections.abc import Iterator
from dataclasses import asdict

from benchbench.loads.details import LoadDetails, LoadOptions
from benchbench.loads.headline import headline, highest
from benchbench.measures.default_list import deepest_cutoff
from benchbench.measures.notation import resolve
from benchbench.report.blocks import Detail
from benchbench.report.layout import Layout
from benchbench.report.layouts.load_tables import tables
from benchbench.report.layouts.notes import scoped_notes
from benchbench.report.standard import standard
from benchbench.results.result import Result
from benchbench.tasks import count_sentences

_CLOSED = (
    "A closed loop asks a slow service less often, so these latencies leave out the waits of those who would have "
    "come meanwhile; --rate measures them."
)


def layout(result: Result) -> Layout:
    """Return tables of speed and quality, and notes; Markdown and LaTeX have one table."""
    load, options = result.details_as(LoadDetails), result.settings_as(LoadOptions)
    arrivals = "a trace" if options.trace is not None else f"{options.arrivals} arrivals"
    loop = f"open loop, {arrivals}" if load.loop == "open" else "closed loop"
    return standard(
        result,
        f"Load on {load.url}: {load.queries:,} queries, {loop}",
        headline(load),
        tables(load, options),
        facts=list(_facts(load)),
        failed="request",
        rows=lambda: ({"name": step.name, **step.values} for step in load.steps),
        lines=lambda: map(asdict, load.steps),
        notes=[note.text for note in scoped_notes(result.record.notes) if note.text not in load.defaults],
        page="load_page",
    )


def _facts(load: LoadDetails) -> Iterator[tuple[str, str]]:
    """Yield sentences on the data and the steps; what the verdict says of each is for those who ask for more."""
    deepest = deepest_cutoff(resolve(load.names)) or 0
    of_data = count_sentences.counted(load.counts, deepest, {}, load.queries_without_label, {})
    yield from (("Note", sentence) for sentence in of_data)
    for step in load.steps:
        for sentence in (step.client_is_the_limit, step.coordinated_omission):
            if sentence:
                yield Detail("Note", f"{step.name}: {sentence}")
        texts = count_sentences.counted(step.counts, deepest, step.unlabelled_hits, {}, step.hit_faults)
        asked = step.values.get("queries_asked")
        if asked is not None and asked < load.queries:
            texts.append(f"quality is over {asked:,.0f} of the {load.queries:,} queries; the others were not sent")
        if load.find_max is not None:
            texts.append("breaks the condition: " + ", and ".join(step.broke) if step.broke else "holds the condition")
        yield from (("Note", f"{step.name}: {sentence}") for sentence in texts)
    if load.loop == "closed":
        yield "Note", _CLOSED
    if load.interrupted:
        yield "Note", "Interrupted: these are the steps that were finished."
    if load.find_max is not None:
        yield from (("Highest rate", highest(load.find_max.condition, rate)) for rate in load.find_max.found)
