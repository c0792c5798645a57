"""A load test: its tables, and what else there is to say of its steps."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from benchbench.loads.load_details import Highest, LoadDetails, LoadOptions, StepDetails
from benchbench.loads.load_options import NEVER_SENT
from benchbench.loads.rates_held import Held, held
from benchbench.measures.default_list import deepest_cutoff
from benchbench.measures.latency import enough
from benchbench.measures.notation import resolve
from benchbench.report.blocks import Detail
from benchbench.report.layout import Layout
from benchbench.report.layouts.load_steps import advice, kept_up, steps_tables
from benchbench.report.layouts.load_tables import tables
from benchbench.report.layouts.load_words import CLOSED, closed, lost
from benchbench.report.layouts.notes import scoped_notes
from benchbench.report.standard import standard
from benchbench.results.headline import GOOD, OPEN, WORSE, Headline
from benchbench.results.record import GateResult, Note
from benchbench.results.result import Result
from benchbench.results.verdict import gates_counted
from benchbench.tables.shared_messages import and_joined, counted
from benchbench.tasks import count_sentences


def layout(result: Result) -> Layout:
    """Return tables of speed and quality, and notes; Markdown and LaTeX have one table."""
    whole, options = result.details_as(LoadDetails), result.settings_as(LoadOptions)
    load = whole.reported()
    arrivals = "a trace" if options.trace is not None else f"{options.arrivals} arrivals"
    gates = result.record.gates
    sizes = held(load, gates) if load.steps else []
    of_rates = sizes if load.loop == "open" and options.trace is None else []
    loop = f"open loop, {arrivals}" if load.loop == "open" else "closed loop"
    return standard(
        result,
        f"Load on {load.url}: {load.queries:,} queries, {loop}",
        headline(load, [] if options.trace is not None else sizes, gates),
        [*steps_tables(load, of_rates), *tables(load, options)],
        own=frozenset(gate.condition for gate in result.record.gates if gate.verdict != "broken")
        if of_rates
        else frozenset(),
        facts=list(_facts(load)),
        failed="request",
        failures=[failure for failure in result.record.failures if not failure.reason.startswith(NEVER_SENT)],
        rows=lambda: ({"name": step.name, **step.values} for step in whole.steps),
        lines=lambda: map(asdict, whole.steps),
        notes=[note for note in _notes(result.record.notes, load) if note not in load.defaults],
        page="load_page",
    )


def _notes(notes: Iterable[Note], load: LoadDetails) -> list[str]:
    """Return the notes without those on percentiles of steps that answered nothing."""
    unanswered = {step.name for step in load.steps if step.answered_none}
    told = [note for note in notes if "p99" not in note.text or unanswered.isdisjoint(note.scope.values())]
    return [note.text for note in scoped_notes(told)]


def _facts(load: LoadDetails) -> Iterator[tuple[str, str]]:
    """Yield sentences on the data and the steps; what the verdict says of each is for those who ask for more."""
    deepest = deepest_cutoff(resolve(load.names)) or 0
    of_data = count_sentences.counted(load.counts, deepest, {}, load.queries_without_label, {})
    yield from (("Note", sentence) for sentence in of_data)
    of_steps: dict[str, list[str]] = {}
    numbers: dict[str, dict[str, None]] = {}  # with which sentences begin that are alike otherwise
    for step in load.steps:
        for sentence in (step.client_is_the_limit, step.coordinated_omission):
            if sentence:
                yield Detail("Note", f"{step.name}: {sentence}")
        texts = count_sentences.counted(step.counts, deepest, step.unlabelled_hits, {}, step.hit_faults, asked="answer")
        asked = step.values.get("queries_asked")
        if asked is not None and asked < load.queries:
            part = (
                f"{step.name}: quality is over {asked:,.0f} of the {load.queries:,} queries; the others were not sent"
            )
            yield Detail("Note", part)
        if load.find_max is not None:
            texts.append("breaks the condition: " + ", and ".join(step.broke) if step.broke else "holds the condition")
        for sentence in texts:
            number, _, rest = sentence.rpartition(" answers had ")
            shared = f" answers had {rest}" if number else sentence
            of_steps.setdefault(shared, []).append(step.name)
            numbers.setdefault(shared, {})[number] = None
    for sentence, names in of_steps.items():
        every = len(load.steps) > 1 and len(names) == len(load.steps)
        yield "Note", f"{'all steps' if every else and_joined(names)}: {and_joined([*numbers[sentence]])}{sentence}"
    if load.loop == "closed":
        yield "Note", CLOSED
    if load.interrupted:
        yield "Note", "Interrupted: these are the steps that were finished."
    if load.find_max is not None:
        yield from (("Highest rate", highest(load.find_max.condition, rate)) for rate in load.find_max.found)


def headline(details: LoadDetails, sizes: Sequence[Held] = (), gates: Sequence[GateResult] = ()) -> Headline:
    """Return what a report begins with: the rate that is kept up with by each batch size, of an open loop."""
    steps = details.steps
    if not steps:
        return Headline([(WORSE, "No step was finished.")])
    sentences: list[tuple[str, str]] = []
    if details.interrupted:
        sentences.append((WORSE, f"Interrupted after {counted(len(steps), 'step')}."))
    if details.find_max is not None:
        sentences += [
            (
                OPEN if best.limited_by_client or best.confirmed is False else WORSE if best.rate is None else GOOD,
                highest(details.find_max.condition, best),
            )
            for best in details.find_max.found
        ]
    is_row = details.loop == "open" and details.find_max is None
    kept = [mark for size in sizes if is_row for mark in kept_up(size, len(sizes) > 1)]
    sentences += kept
    if kept and (said := gates_counted(gates)):
        sentences[-1] = (sentences[-1][0], f"{sentences[-1][1]} {said}")
    failed = int(details.total("failed_requests"))
    if failed and not kept:
        where = [step for step in steps if step.number("failed_requests")]
        among = f", in {len(where)} of {counted(len(steps), 'step')}" if len(steps) > 1 else ""
        sentences += [(WORSE, f"{clause}{among}.") for clause in lost(*steps, now=False)]
    fastest = max(steps, key=lambda step: step.number("queries_per_second"))
    if details.find_max is None and not kept and fastest.number("queries_per_second"):
        limited = any(step.client_is_the_limit for step in steps)
        pace = " ".join(closed(details, sizes)) if sizes and details.loop == "closed" else _fast(fastest)
        sentences.append((OPEN if limited else WORSE if failed else GOOD, pace))
    return Headline(sentences or [(OPEN, "Nothing was answered while the steps ran.")], list(advice(details, sizes)))


def highest(condition: str, best: Highest) -> str:
    """Return what a search for the highest rate found."""
    limit = "the client or its machine was the limit"
    refused = "" if best.refused is None else f"; {best.refused:,.6g} requests/s do not: {', and '.join(best.reasons)}"
    if best.rate is None:
        client = f"; {limit}, and the service may hold it" if best.limited_by_client else ""
        return f"No rate that was tried holds {condition} with batches of {best.batch_size}{refused}{client}."
    client = f"; above it {limit}, and the service may hold more" if best.limited_by_client else ""
    rate = f"{best.rate:,.6g} requests/s of {best.batch_size} queries, to 5 %"
    confirmed = (
        "" if best.confirmed is None else f" {'Confirmed' if best.confirmed else 'Not confirmed'}: {best.confirmation}."
    )
    return f"Highest rate that holds {condition}: {rate}{refused}{client}.{confirmed}"


def _fast(step: StepDetails) -> str:
    """Return the pace of a step, with the highest percentile that rests on enough requests."""
    requests = step.number("requests")
    known = [percent for percent in (50, 90, 95, 99) if enough(percent, requests) and step.number(f"p{percent}")]
    with_it = f", p{known[-1]} {step.number(f'p{known[-1]}'):,.1f} ms" if known else ""
    return f"Up to {step.number('queries_per_second'):,.0f} queries a second with {step.name}{with_it}."
