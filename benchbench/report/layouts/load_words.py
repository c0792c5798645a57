"""What a service holds, in words: the sentence that leads the page of a load test, and its tiles."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from benchbench.loads.load_details import LoadDetails, LoadOptions, StepDetails
from benchbench.loads.rates_held import CLIENT, Held
from benchbench.report.blocks import Text
from benchbench.report.layouts.page_scales import time_tick, value_text
from benchbench.report.page_blocks import Lede, Tile, Tiles, Tone
from benchbench.results.figures import percent, rounded, span_of, time, time_parts, value
from benchbench.tables.shared_messages import and_joined, counted

if TYPE_CHECKING:
    from benchbench.loads.clouds import RequestCloud

OVER = "is over the limit"
CLOSED = "A closed loop slows down with the service, so these latencies are optimistic: --rate shows what users see."


def verdict(load: LoadDetails, sizes: Sequence[Held]) -> str:
    """Return what the service keeps up with, or what it answers, in a sentence; of several batch sizes, of the best."""
    size = _best(load, sizes)
    if load.loop == "closed":
        return closed(load, sizes)[0]
    who = load.name or "The service"
    if (step := size.held) is None:
        return f"{who} {trouble(size.steps[0], size)} already at {rate_of(size.steps[0])} requests/s, the lowest tried."
    where = f", in batches of {size.batch_size}" if len(sizes) > 1 else ""
    return f"{who} keeps up with {rate_of(step)} requests/s{_queries(size, step.number('rate'))}{where}."


def closed(load: LoadDetails, sizes: Sequence[Held]) -> tuple[str, str]:
    """Return what is answered in a closed loop, and how long it takes."""
    best = _best(load, sizes)
    return f"{load.name or 'The service'} {_closed(best)}", "".join(_closed_latency(best))


def _closed(size: Held) -> str:
    first, last, most = size.steps[0], size.steps[-1], size.most
    if size.is_flat:
        queries = "" if size.batch_size == 1 else f" ({_paces(size, 'queries_per_second')} queries/s)"
        flight = f"{rate_of(first)} to {rate_of(last)} requests in flight"
        return f"answers {_paces(size, 'requests_per_second')} requests/s{queries} with {flight}."
    begin = "at most " if last is not first else ""
    done = f"{done_of(most)} requests/s{_queries(size, most.number('requests_per_second'))}"
    return f"answers {begin}{done}, with {rate_of(most)} in flight."


def _paces(size: Held, name: str) -> str:
    """Return the lowest and the highest pace of all steps."""
    return span_of([step.number(name) for step in size.steps], 0, value)


def lede(load: LoadDetails, options: LoadOptions, sizes: Sequence[Held]) -> Lede:
    """Return how long requests take at what the verdict names, and what happens beyond it."""
    best = _best(load, sizes)
    if not load.total("requests_per_second"):
        return Lede(["", "No request was answered", "."])
    if load.loop == "closed":
        return Lede(_closed_latency(best), CLOSED)
    if options.trace is not None:
        return Lede(_trace_lede(load.steps[0], best))
    if (step := best.held) is None:
        return Lede(["At ", rate_of(best.steps[0]), *_falls(best.steps[0], best)])
    more = ["No higher rate was tried, so offer more to find the limit."]
    if best.refused is not None:
        more = ["At ", rate_of(best.refused), *_falls(best.refused, best)]
    begin = f"At {rate_of(step)} requests/s {best.slow_name(step)} is "
    return Lede([begin, time(best.slow(step)), f"{limit_of(best)}. {more[0]}", *more[1:]])


def limit_of(size: Held) -> str:
    """Return the limit of latency, as it stands behind one."""
    return "" if size.limit is None else f" (limit {time_tick(size.limit)})"


def trouble(step: StepDetails, size: Held) -> str:
    """Return what a service does at a rate that it does not sustain."""
    return OVER if size.limit is not None and not is_behind(step) and not lost(step) else "falls behind"


def lost(*steps: StepDetails, now: bool = True) -> list[str]:
    """Return how many requests fail, and how many the client never sent, as clauses; in the past tense unless `now`."""
    of = f"of {counted(round(sum(step.number('requests') for step in steps)), 'request')}"
    failed, unsent = sum(step.failed for step in steps), sum(step.unsent for step in steps)
    failing = f"{failed:,} {of} {'fail' if now else 'failed'}"
    return [failing] * (failed > 0) + [f"{unsent:,} {of} {'are' if now else 'were'} never sent"] * (unsent > 0)


def _falls(step: StepDetails, size: Held) -> list[str]:
    """Return pieces, a plain one first, on what happens at a rate that is not kept up with."""
    reasons, slow = size.why(step), [f"{size.slow_name(step)} is ", time(size.slow(step)), "."]
    if any(reason.startswith(CLIENT) for reason in reasons):
        return [" the client itself could not send all that was due, so the service may be faster."]
    parts = lost(step)
    comma = "," if parts else ""  # so that two numbers do not meet
    if step.answered_none:
        return [f"{comma} {parts[0]}."]
    if is_behind(step):
        parts += [f"it answers {done_of(step)} a second", "requests queue"]
        slow[-1] = ", more in a longer step."
    elif not parts and reasons and not reasons[0].startswith("p99 "):
        return [f" {reasons[0]}."]
    return [f"{comma} {', '.join([*parts, 'and '])}{slow[0]}" if parts else f" {slow[0]}", *slow[1:]]


def is_behind(step: StepDetails) -> bool:
    """Say that a service answered less than was due, by more than the 2 % that may be chance."""
    return step.saturation == "beyond" or step.number("requests_per_second") < 0.98 * step.number("rate")


def _closed_latency(size: Held) -> list[str]:
    """Return pieces on how long requests of a closed loop take."""
    step, first, last = size.most, size.steps[0], size.steps[-1]
    if size.is_flat:
        ends = [time(each.number("p50")) for each in (first, last)]
        return ["More in flight adds nothing but latency: p50 goes from ", ends[0], " to ", ends[1], "."]
    pieces = ["There p50 is ", time(step.number("p50")), f", and {size.slow_name(step)} ", time(size.slow(step)), "."]
    if size.enough is not None and size.enough is not step:
        pieces[-1] += f" {rate_of(size.enough)} in flight are enough for {done_of(size.enough)} requests/s."
    return pieces


def _trace_lede(step: StepDetails, size: Held) -> list[str]:
    requests = step.number("requests")
    return [
        "Of the trace, ",
        f"{requests - step.number('failed_requests'):,.0f} of {requests:,.0f} requests",
        f" were answered, at {rate_of(step)} per second on average: p50 {time(step.number('p50'))}, "
        f"{size.slow_name(step)} ",
        time(size.slow(step)),
        ".",
    ]


def rate_of(step: StepDetails) -> str:
    """Return the rate of a step, or its requests in flight."""
    return f"{step.level:,.4g}"


def done_of(step: StepDetails) -> str:
    """Return the requests per second that were answered in a step."""
    return rounded(step.values.get("requests_per_second"), 3)


def _queries(size: Held, requests: float) -> str:
    """Return the queries in so many requests, behind them; nothing where each has one."""
    return "" if size.batch_size == 1 else f" ({size.batch_size * requests:,.0f} queries/s)"


def _best(load: LoadDetails, sizes: Sequence[Held]) -> Held:
    """Return the batch size with which most queries per second are held, or answered."""

    def most(size: Held) -> tuple[bool, float]:
        step = size.most if load.loop == "closed" else size.held
        return step is not None, (step or size.most).number("queries_per_second")

    return max(sizes, key=most)


def tiles(load: LoadDetails, options: LoadOptions, sizes: Sequence[Held]) -> Tiles:
    """Return the numbers that get quoted."""
    size = _best(load, sizes)
    most = size.most
    pace = f"{most.number('queries_per_second'):,.0f} queries per second."
    if options.trace is not None:
        late, requests = most.number("late"), most.number("requests")
        text = f"{late:,.0f} of {counted(round(requests), 'request')} left more than 10 ms after they were due."
        share = Tile("Sent late", [percent(late / requests if requests else 0.0)], "%", "", text)
        first = Tile("Answers", [done_of(most)], "requests/s", "over the whole trace", pace)
        return Tiles([first, _latency_tile(most, size, load, ""), share, *_quality_tile(load, most)])
    if load.loop == "closed":
        shown = size.steps[0] if size.is_flat else most
        flight = f" with {rate_of(shown)} in flight"
        name = "Answers at most" if len(size.steps) > 1 else "Answers"
        first = Tile(name, [done_of(most)], "requests/s", f"with {rate_of(most)} in flight", pace)
        if size.is_flat:
            pace = f"{_paces(size, 'queries_per_second')} queries per second."
            done = [_paces(size, "requests_per_second")]
            first = Tile("Answers", done, "requests/s", "with any number in flight", pace)
        return Tiles([first, _latency_tile(shown, size, load, flight), *_enough_tile(size), *_quality_tile(load, most)])
    shown = size.held or size.steps[0]
    latency = _latency_tile(shown, size, load, f" at {rate_of(shown)}")
    return Tiles([_held_tile(load, size), latency, _most_tile(load, size), *_quality_tile(load, shown)])


def _enough_tile(size: Held) -> Iterator[Tile]:
    if (step := size.enough) is not None and len(size.steps) > 1:
        is_last, tried = step is size.steps[-1], and_joined([rate_of(each) for each in size.steps])
        more = "More in flight may raise throughput." if is_last else "More in flight does not raise throughput."
        yield Tile("Enough in flight", [rate_of(step)], "", f"tried: {tried}", more)


def _held_tile(load: LoadDetails, size: Held) -> Tile:
    name = "Keeps up with"
    if (step := size.held) is None:
        return Tile(name, ["–"], "", "", f"Not even {rate_of(size.steps[0])}, the lowest rate tried.")
    text = "The highest rate tried without a growing queue"
    if load.find_max is not None:
        text = f"The highest rate tried that holds {load.find_max.condition}, to 5 %"
    elif size.limit is not None:
        text += f", and with p99 within {time_tick(size.limit)} (gate {size.gate})"
    pace = f"{size.batch_size * step.number('rate'):,.0f} queries/s, {size.batch_size} per request"
    return Tile(name, [rate_of(step)], "requests/s", "" if size.batch_size == 1 else pace, f"{text}.")


def _latency_tile(step: StepDetails, size: Held, load: LoadDetails, at: str) -> Tile:
    p50, slow = step.values.get("p50"), size.slow(step)
    name = f"Latency{at}, p50 and {size.slow_name(step).removeprefix('the ')}"
    if p50 is None or slow is None:
        return Tile(name, ["–"], "", "", "Nothing was answered.")
    (low, small), (high, unit) = time_parts(p50), time_parts(slow)
    has_aside = not step.is_few and step.values.get("max") is not None
    since = "From the moment they were due" if load.loop == "open" else "From sending to the end of the answer"
    text = f"{since}, over {counted(round(step.number('requests')), 'request')}."
    aside = f"slowest {time(step.number('max'))}" if has_aside else ""
    return Tile(name, [low if small == unit else f"{low} {small}", high], unit, aside, text)


def _most_tile(load: LoadDetails, size: Held) -> Tile:
    behind = [step for step in size.steps if is_behind(step) and not step.answered_none]
    over = [done_of(step) for step in sorted(behind, key=lambda step: step.number("requests_per_second"))]
    text = "It kept up with every rate tried. " if size.refused is None else ""
    if over:
        text = f"Overloaded, it answers {' to '.join(dict.fromkeys((over[0], over[-1])))} a second. "
    text += "" if lost(*load.steps) else "No request failed."  # what failed stands above all tiles
    offered = f"when {rate_of(size.most)} are offered"
    return Tile("Answers at most", [done_of(size.most)], "requests/s", offered, text.strip())


def _quality_tile(load: LoadDetails, step: StepDetails) -> Iterator[Tile]:
    name, task = load.leading, load.tasks[0]
    if (mean := step.values.get(f"asked.{task}.{name}")) is not None:
        text = _steady(load, step, f"answered.{task}.{name}")
        yield Tile("Quality under load", [_mean(mean)], "", f"{name}, {task}" if len(load.tasks) > 1 else name, text)


def _mean(mean: float) -> str:
    return value_text(mean, 1.0 if mean <= 1.0 else 0.0)


def _steady(load: LoadDetails, step: StepDetails, answered: str) -> str:
    """Return over what the quality of a step is, and whether it is the same in all that answered every query."""
    if load.is_part(step):
        return f"Over {step.number('queries_asked'):,.0f} of the {load.queries:,} queries."
    there = [each for each in load.steps if each.number("queries_answered")]
    whole = [each for each in there if each.number("queries_answered") >= load.queries]
    known = [value for each in whole if (value := each.values.get(answered)) is not None]
    if len(known) < 2:
        lost = ", of which those of failed requests count as 0" if step.number("failed_requests") else ""
        return f"Over all {load.queries:,} queries{lost}."
    if max(known) - min(known) < 1e-9:
        if len(whole) == len(load.steps) and not load.total("failed_requests"):
            return f"It is the same in all {len(whole)} steps."
        steps = "all steps with answers" if len(whole) == len(there) else "steps that answered all of them"
        return f"Answered queries score the same in {steps}."
    return f"Of answered queries, between {_mean(min(known))} and {_mean(max(known))} over the steps."


def batches(load: LoadDetails, sizes: Sequence[Held]) -> list[Text]:
    """Return what is held with each batch size, where there are several."""
    if len(sizes) < 2:
        return []
    return [Text([f"Batches of {size.batch_size}: {_batch(load, size)}" for size in sizes])]


def _batch(load: LoadDetails, size: Held) -> str:
    """Return what is kept up with, or answered, with a batch size."""
    if load.loop == "closed":
        return _closed(size)
    if (step := size.held) is None:
        return f"at {rate_of(size.steps[0])}{''.join(_falls(size.steps[0], size))}"
    pace = f"{rate_of(step)} requests/s{_queries(size, step.number('rate'))}"
    text = f"keeps up with {pace}, {size.slow_name(step)} {time(size.slow(step))}"
    if size.refused is None:
        return f"{text}."
    return f"{text}; at {rate_of(size.refused)}{''.join(_falls(size.refused, size))}"


def title_of(load: LoadDetails, step: StepDetails) -> str:
    """Return what a step is called, with its batch size where there are several."""
    name, _, batch = step.name.rpartition(", batch ")
    sizes = {other.values.get("batch_size") for other in load.steps}
    name = name.replace("concurrency ", "") + " in flight" if name.startswith("concurrency ") else name
    return f"{name}, batch {batch}" if len(sizes) > 1 else name


def trend(load: LoadDetails, size: Held | None, step: StepDetails, requests: "RequestCloud | None") -> tuple[str, Tone]:
    """Return whether latency keeps its height in a step, in words."""
    refused = size is not None and bool(size.why(step) or step.broke)
    growth = ""
    if requests is not None and requests.growth is not None and not requests.level:
        growth = f"+{time(requests.growth)} a second"
    if growth and load.loop == "open":
        return (f"✕ {growth}", "bad") if refused else (growth, "")
    if refused and (clauses := lost(step, now=False)):
        return f"✕ {clauses[0].replace(' requests', '')}", "bad"
    if refused and step.saturation == "beyond":
        return f"✕ {step.number('backlog_end'):,.0f} requests were left", "bad"
    level = requests is not None and requests.level and load.loop == "open"  # a closed loop cannot queue
    if load.loop == "closed" or not refused:
        p50 = step.values.get("p50")
        shown = ", ".join(filter(None, ["" if p50 is None else f"p50 {time(p50)}", growth]))
        return ("✓ level", "good") if level and not refused else (shown, "")
    return ("✕ level, but not sustained" if level else "✕ not sustained"), "bad"
