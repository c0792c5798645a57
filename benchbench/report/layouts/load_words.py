"""What a service holds, in words: the sentence that leads the page of a load test, and its tiles."""

from collections.abc import Iterator, Sequence

from benchbench.loads.load_details import LoadDetails, LoadOptions, StepDetails
from benchbench.loads.rates_held import Held
from benchbench.report.blocks import Text
from benchbench.report.layouts.page_scales import time_tick, value_text
from benchbench.report.page_blocks import Lede, Tile, Tiles
from benchbench.results.figures import percent, time, time_parts
from benchbench.tables.shared_messages import counted


def lede(load: LoadDetails, options: LoadOptions, sizes: Sequence[Held]) -> Lede:
    """Return what the service holds, and what happens beyond it; of several batch sizes, with the best."""
    best = _best(load, sizes)
    if not load.total("requests_per_second"):
        return Lede(["", "No request was answered", ", so there is nothing to hold."])
    if load.loop == "closed":
        return Lede(_closed_lede(best))
    if options.trace is not None:
        return Lede(_trace_lede(load.steps[0]))
    if (step := best.held) is None:
        return Lede(_none_lede(best))
    unit = "" if best.batch_size == 1 else f" ({_queries(best, step)})"
    where = f" in batches of {best.batch_size}" if len(sizes) > 1 else ""
    under, limit = ("", time(step.number("p99"))) if best.limit is None else ("under ", time_tick(best.limit))
    pieces = ["Holds ", f"{rate_of(step)} requests per second", f"{unit}{where} with {_name(step)} {under}", limit]
    if best.refused is None:
        return Lede([*pieces, ". It was not pushed past its limit: that is the highest rate tried, so offer more."])
    return Lede([*pieces, ". At ", rate_of(best.refused), *_falls(best.refused, best)])


def _none_lede(size: Held) -> list[str]:
    step = size.steps[0]
    begin = "Falls behind already at " if _is_behind(step) else "Does not hold even "
    first, *rest = _falls(step, size, again=True)
    return [begin, f"{rate_of(step)} requests per second", f", the lowest rate tried:{first}", *rest]


def _falls(step: StepDetails, size: Held, again: bool = False) -> list[str]:
    """Return pieces, a plain one first, on what happens at a rate that is not held; `again` where that is said."""
    reasons, p99, name = size.why(step), time(step.number("p99")), _name(step)
    if any(reason.startswith("the client did not keep up") for reason in reasons):
        return [" the client itself could not send all that was due, and the service may hold more."]
    if failed := step.number("failed_requests"):
        share = f"{failed:,.0f} of {step.number('requests'):,.0f}"
        text = f" requests fail, it answers {done_of(step)} a second, and {name} is "
        return [" " if again else ", ", share, text, p99, "."]
    if _is_behind(step):
        begin = " it" if again else " it falls behind: it"
        return [f"{begin} answers {done_of(step)}, requests queue, and {name} is ", p99, "."]
    if reasons and not reasons[0].startswith("p99 "):
        return [f" {reasons[0]}."]
    return [f" {name} is ", p99, "."]


def _is_behind(step: StepDetails) -> bool:
    return step.saturation == "beyond" or step.number("requests_per_second") < 0.98 * step.number("rate")


def _closed_lede(size: Held) -> list[str]:
    step, enough = size.most, size.enough
    queries = "" if size.batch_size == 1 else f" ({_queries(size, step)})"
    pieces = [
        "Answers at most ",
        f"{done_of(step)} requests per second",
        f"{queries}, with ",
        f"{step.level:,.0f} in flight",
        f": {_times(step)}",
        time(step.number("p99")),
        ".",
    ]
    if enough is not None and enough is not step:
        pieces[-1] += f" {enough.level:,.0f} in flight are enough for {done_of(enough)}."
    return pieces


def _trace_lede(step: StepDetails) -> list[str]:
    requests = step.number("requests")
    return [
        "Of the trace, ",
        f"{requests - step.number('failed_requests'):,.0f} of {requests:,.0f} requests",
        f" were answered, at {rate_of(step)} per second on average: {_times(step)}",
        time(step.number("p99")),
        ".",
    ]


def _times(step: StepDetails) -> str:
    return f"half within {time(step.number('p50'))}, {'the slowest' if step.is_few else '99 of 100 within'} "


def _name(step: StepDetails) -> str:
    return "the slowest" if step.is_few else "p99"


def rate_of(step: StepDetails) -> str:
    """Return the rate of a step, or its requests in flight."""
    return f"{step.level:,.4g}"


def done_of(step: StepDetails) -> str:
    """Return the requests per second that were answered in a step."""
    return f"{step.number('requests_per_second'):,.3g}"


def _queries(size: Held, step: StepDetails) -> str:
    return f"{size.batch_size * (step.number('rate') or step.number('requests_per_second')):,.0f} queries"


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
        return Tiles([first, _latency_tile(most, load, ""), share, *_quality_tile(load, most)])
    if load.loop == "closed":
        flight = f" with {rate_of(most)} in flight"
        first = Tile("Answers at most", [done_of(most)], "requests/s", flight.strip(), pace)
        return Tiles([first, _latency_tile(most, load, flight), *_enough_tile(size), *_quality_tile(load, most)])
    shown = size.held or size.steps[0]
    latency = _latency_tile(shown, load, f" at {rate_of(shown)}")
    return Tiles([_held_tile(load, size), latency, _most_tile(size), *_quality_tile(load, shown)])


def _enough_tile(size: Held) -> Iterator[Tile]:
    if (step := size.enough) is not None and len(size.steps) > 1:
        half = f"half within {time(step.number('p50'))}"
        text = f"The fewest that get 98 % of the most done: {done_of(step)} requests/s, {half}."
        yield Tile("Enough in flight", [rate_of(step)], "", f"of {len(size.steps)} tried", text)


def _held_tile(load: LoadDetails, size: Held) -> Tile:
    if (step := size.held) is None:
        return Tile("Holds", ["–"], "", "", f"Not even {rate_of(size.steps[0])}, the lowest rate tried.")
    text = "The highest rate tried at which it answers all that is asked"
    if load.find_max is not None:
        text = f"The highest rate tried that holds {load.find_max.condition}, to 5 %"
    elif size.limit is not None:
        text += f" and {'the slowest takes' if step.is_few else 'p99 stays'} under {time_tick(size.limit)}"
        text += f" (gate {size.gate})" if size.gate else ""
    batch = "" if size.batch_size == 1 else f"{_queries(size, step)}/s, {size.batch_size} a request"
    return Tile("Holds", [rate_of(step)], "requests/s", batch, f"{text}.")


def _latency_tile(step: StepDetails, load: LoadDetails, at: str) -> Tile:
    p50, p99 = step.values.get("p50"), step.values.get("p99")
    name = f"Latency{at}, p50 and {'slowest' if step.is_few else 'p99'}"
    if p50 is None or p99 is None:
        return Tile(name, ["–"], "", "", "Nothing was answered.")
    (low, small), (high, unit) = time_parts(p50), time_parts(p99)
    has_aside = not step.is_few and step.values.get("max") is not None
    since = "from the moment they were due" if load.loop == "open" else "from sending to the end of the answer"
    text = f"Half of {counted(round(step.number('requests')), 'request')} took {time(p50)} or less, {since}."
    aside = f"slowest {time(step.number('max'))}" if has_aside else ""
    return Tile(name, [low if small == unit else f"{low} {small}", high], unit, aside, text)


def _most_tile(size: Held) -> Tile:
    most, last = size.most, size.steps[-1]
    failed = sum(step.number("failed_requests") for step in size.steps)
    none = f"{counted(round(failed), 'request')} of all steps together fail" if failed else "no request fails"
    if most is not last:
        less = last.number("requests_per_second") < 0.98 * most.number("requests_per_second")
        answers = f"it answers {'less' if less else 'no more'}: {done_of(last)} a second"
        text = f"Pushed to {rate_of(last)} {answers}, and {none}."
    elif size.refused is not None:
        text = f"At the highest rate tried; {none}."
    else:
        text = "It kept up with all that was asked."
    return Tile("Answers at most", [done_of(most)], "requests/s", f"when {rate_of(most)} are offered", text)


def _quality_tile(load: LoadDetails, step: StepDetails) -> Iterator[Tile]:
    name, task = load.leading, load.tasks[0]
    if (mean := step.values.get(f"asked.{task}.{name}")) is not None:
        text = _steady(load, step, f"answered.{task}.{name}")
        yield Tile("Quality under load", [_mean(mean)], "", f"{name}, {task}", text)


def _mean(mean: float) -> str:
    return value_text(mean, 1.0 if mean <= 1.0 else 0.0)


def _steady(load: LoadDetails, step: StepDetails, answered: str) -> str:
    """Return over what the quality of a step is, and whether it is the same in all that answered every query."""
    if load.is_part(step):
        return f"Over {step.number('queries_asked'):,.0f} of the {load.queries:,} queries."
    whole = [each for each in load.steps if each.number("queries_answered") >= load.queries]
    known = [value for each in whole if (value := each.values.get(answered)) is not None]
    if len(known) < 2:
        lost = ", of which those of failed requests count as 0" if step.number("failed_requests") else ""
        return f"Over all {load.queries:,} queries{lost}."
    if max(known) - min(known) < 1e-9:
        what = "Of answered queries it is the same" if load.total("failed_requests") else "It is the same"
        if len(whole) == len(load.steps):
            return f"{what} in all {len(whole)} steps."
        return f"{what} in the {len(whole)} steps that answered every query."
    return f"Of answered queries, between {_mean(min(known))} and {_mean(max(known))} over the steps."


def batches(load: LoadDetails, sizes: Sequence[Held]) -> list[Text]:
    """Return what is held with each batch size, where there are several."""
    if len(sizes) < 2:
        return []
    return [Text([f"Batches of {size.batch_size}: {_batch(load, size)}" for size in sizes])]


def _batch(load: LoadDetails, size: Held) -> str:
    """Return what is held with a batch size."""
    if load.loop == "closed":
        done, flight = f"{done_of(size.most)} requests per second", f"{rate_of(size.most)} in flight"
        return f"at most {done} ({_queries(size, size.most)}), with {flight}."
    if (step := size.held) is None:
        text = "".join(_none_lede(size))
        return text[:1].lower() + text[1:]
    under = "" if size.limit is None else f", {_name(step)} under {time_tick(size.limit)}"
    text = f"{rate_of(step)} requests per second ({_queries(size, step)}) are held{under}"
    if size.refused is None:
        return f"{text}."
    return f"{text}; at {rate_of(size.refused)}{''.join(_falls(size.refused, size))}"
