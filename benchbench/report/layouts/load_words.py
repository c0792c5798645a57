"""What a service holds, in words: the sentence that leads the page of a load test, and its tiles."""

from collections.abc import Iterator, Sequence

from benchbench.loads.details import LoadDetails, LoadOptions, StepDetails
from benchbench.loads.rates_held import Held, load_of
from benchbench.report.blocks import Text
from benchbench.report.layouts.load_charts import is_few, leading_of, of_part
from benchbench.report.layouts.page_scales import time_tick, value_text
from benchbench.report.page_blocks import Lede, Tile, Tiles
from benchbench.results.figures import percent, time, time_parts
from benchbench.tables.shared_messages import counted


def lede(load: LoadDetails, options: LoadOptions, sizes: Sequence[Held]) -> Lede:
    """Return what the service holds, and what happens beyond it; of several batch sizes, with the best."""
    best = _best(load, sizes)
    if not total(load, "requests_per_second"):
        return Lede(["", "No request was answered", ", so there is nothing to hold."])
    if load.loop == "closed":
        return Lede(_closed_lede(load, best))
    if options.trace is not None:
        return Lede(_trace_lede(load))
    if best.held is None:
        return Lede(_none_lede(load, best))
    step = load.steps[best.held]
    rate, unit = rate_of(step), "" if best.batch_size == 1 else f" ({_queries(best.batch_size, step)})"
    where = f" in batches of {best.batch_size}" if len(sizes) > 1 else ""
    pieces = ["Holds ", f"{rate} requests per second", f"{unit}{where} with {_name(step)} "]
    if best.limit is None:
        pieces += [time(step.values.get("p99") or 0.0), ". "]
    else:
        pieces[-1] += "under "
        pieces += [time_tick(best.limit), ". "]
    if best.refused is None:
        pieces[-1] += "It was not pushed past its limit: that is the highest rate tried, so offer more."
        return Lede(pieces)
    refused = load.steps[best.refused]
    pieces[-1] += "At "
    return Lede([*pieces, rate_of(refused), *_falls(refused, best, best.refused)])


def _none_lede(load: LoadDetails, size: Held) -> list[str]:
    step = load.steps[size.places[0]]
    begin = "Falls behind already at " if _is_behind(step) else "Does not hold even "
    first, *rest = _falls(step, size, size.places[0], again=True)
    return [begin, f"{rate_of(step)} requests per second", f", the lowest rate tried:{first}", *rest]


def _falls(step: StepDetails, size: Held, place: int, again: bool = False) -> list[str]:
    """Return pieces, a plain one first, on what happens at a rate that is not held; `again` where that is said."""
    values, reasons = step.values, size.reasons.get(place, ())
    failed, requests = values.get("failed_requests") or 0.0, values.get("requests") or 0.0
    p99, name = time(values.get("p99") or 0.0), _name(step)
    if any(reason.startswith("the client did not keep up") for reason in reasons):
        return [" the client itself could not send all that was due, and the service may hold more."]
    if failed:
        share = f"{failed:,.0f} of {requests:,.0f}"
        return [
            " " if again else ", ",
            share,
            f" requests fail, it answers {done_of(step)} a second, and {name} is ",
            p99,
            ".",
        ]
    if _is_behind(step):
        begin = " it" if again else " it falls behind: it"
        return [f"{begin} answers {done_of(step)}, requests queue, and {name} is ", p99, "."]
    if reasons and not reasons[0].startswith("p99 "):
        return [f" {reasons[0]}."]
    return [f" {name} is ", p99, "."]


def _is_behind(step: StepDetails) -> bool:
    due, done = step.values.get("rate") or 0.0, step.values.get("requests_per_second") or 0.0
    return step.saturation == "beyond" or done < 0.98 * due


def _closed_lede(load: LoadDetails, size: Held) -> list[str]:
    step, enough = load.steps[size.most], load.steps[size.enough if size.enough is not None else size.most]
    p50, p99 = (time(step.values.get(name) or 0.0) for name in ("p50", "p99"))
    pieces = [
        "Answers at most ",
        f"{done_of(step)} requests per second",
        f"{'' if size.batch_size == 1 else f' ({_queries(size.batch_size, step)})'}, with ",
        f"{load_of(step) or 0:,.0f} in flight",
        f": half within {p50}, {_within(step)} ",
        p99,
        ".",
    ]
    if size.enough is not None and size.enough != size.most:
        pieces[-1] += f" {load_of(enough) or 0:,.0f} in flight are enough for {done_of(enough)}."
    return pieces


def _trace_lede(load: LoadDetails) -> list[str]:
    (step, *_), values = load.steps, load.steps[0].values
    requests, failed = values.get("requests") or 0.0, values.get("failed_requests") or 0.0
    p50, p99 = (time(values.get(name) or 0.0) for name in ("p50", "p99"))
    return [
        "Of the trace, ",
        f"{requests - failed:,.0f} of {requests:,.0f} requests",
        f" were answered, at {rate_of(step)} per second on average: half within {p50}, {_within(step)} ",
        p99,
        ".",
    ]


def _within(step: StepDetails) -> str:
    return "the slowest" if is_few(step) else "99 of 100 within"


def _name(step: StepDetails) -> str:
    return "the slowest" if is_few(step) else "p99"


def rate_of(step: StepDetails) -> str:
    """Return the rate of a step, or its requests in flight."""
    return f"{load_of(step) or 0.0:,.4g}"


def done_of(step: StepDetails) -> str:
    """Return the requests per second that were answered in a step."""
    return f"{step.values.get('requests_per_second') or 0.0:,.3g}"


def _queries(batch: int, step: StepDetails) -> str:
    rate = step.values.get("rate") or step.values.get("requests_per_second") or 0.0
    return f"{batch * rate:,.0f} queries"


def _best(load: LoadDetails, sizes: Sequence[Held]) -> Held:
    """Return the batch size with which most queries per second are held, or answered."""

    def most(size: Held) -> tuple[bool, float]:
        place = size.most if load.loop == "closed" else size.held
        step = load.steps[size.most if place is None else place]
        return place is not None, step.values.get("queries_per_second") or 0.0

    return max(sizes, key=most)


def tiles(load: LoadDetails, options: LoadOptions, sizes: Sequence[Held]) -> Tiles:
    """Return the numbers that get quoted."""
    size = _best(load, sizes)
    most = load.steps[size.most]
    if options.trace is not None:
        late, requests = (most.values.get(name) or 0.0 for name in ("late", "requests"))
        text = f"{late:,.0f} of {counted(round(requests), 'request')} left more than 10 ms after they were due."
        share = Tile("Sent late", [percent(late / requests if requests else 0.0)], "%", "", text)
        first = Tile("Answers", [done_of(most)], "requests/s", "over the whole trace", _pace(most))
        return Tiles([first, _latency_tile(most, load, options), share, *_quality_tile(load, most)])
    if load.loop == "closed":
        flight = f"with {rate_of(most)} in flight"
        first = Tile("Answers at most", [done_of(most)], "requests/s", flight, _pace(most))
        return Tiles([first, _latency_tile(most, load, options), *_enough_tile(load, size),
                      *_quality_tile(load, most)])  # fmt: skip
    shown = load.steps[size.places[0] if size.held is None else size.held]
    return Tiles([_held_tile(load, size), _latency_tile(shown, load, options), _most_tile(load, size),
                  *_quality_tile(load, shown)])  # fmt: skip


def _pace(step: StepDetails) -> str:
    return f"{step.values.get('queries_per_second') or 0.0:,.0f} queries per second."


def _enough_tile(load: LoadDetails, size: Held) -> Iterator[Tile]:
    if size.enough is None or len(size.places) < 2:
        return
    step = load.steps[size.enough]
    p50 = time(step.values.get("p50") or 0.0)
    text = f"The fewest that get 98 % of the most done: {done_of(step)} requests/s, half within {p50}."
    yield Tile("Enough in flight", [rate_of(step)], "", f"of {len(size.places)} tried", text)


def _held_tile(load: LoadDetails, size: Held) -> Tile:
    if size.held is None:
        return Tile("Holds", ["–"], "", "", f"Not even {rate_of(load.steps[size.places[0]])}, the lowest rate tried.")
    step = load.steps[size.held]
    text = "The highest rate tried at which it answers all that is asked"
    if load.find_max is not None:
        text = f"The highest rate tried that holds {load.find_max.condition}, to 5 %"
    elif size.limit is not None:
        slow = "the slowest takes" if is_few(step) else "p99 stays"
        text += f" and {slow} under {time_tick(size.limit)}"
        text += f" (gate {size.gate})" if size.gate else ""
    batch = "" if size.batch_size == 1 else f"{_queries(size.batch_size, step)}/s, {size.batch_size} a request"
    return Tile("Holds", [rate_of(step)], "requests/s", batch, f"{text}.")


def _latency_tile(step: StepDetails, load: LoadDetails, options: LoadOptions) -> Tile:
    values = step.values
    p50, p99 = values.get("p50"), values.get("p99")
    at = "" if options.trace is not None else f" at {rate_of(step)}"
    at = f" with {rate_of(step)} in flight" if load.loop == "closed" else at
    name = f"Latency{at}, p50 and {'slowest' if is_few(step) else 'p99'}"
    if p50 is None or p99 is None:
        return Tile(name, ["–"], "", "", "Nothing was answered.")
    (low, small), (high, unit) = time_parts(p50), time_parts(p99)
    aside = "" if values.get("max") is None else f"slowest {time(values['max'] or 0.0)}"
    requests = counted(round(values.get("requests") or 0.0), "request")
    since = "from the moment they were due" if load.loop == "open" else "from sending to the end of the answer"
    text = f"Half of {requests} took {time(p50)} or less, {since}."
    return Tile(name, [low if small == unit else f"{low} {small}", high], unit, "" if is_few(step) else aside, text)


def _most_tile(load: LoadDetails, size: Held) -> Tile:
    most, last = load.steps[size.most], load.steps[size.places[-1]]
    aside = f"when {rate_of(most)} are offered"
    failed = sum(load.steps[place].values.get("failed_requests") or 0.0 for place in size.places)
    none = "no request fails" if not failed else f"{counted(round(failed), 'request')} of all steps together fail"
    if size.most == size.places[-1]:
        text = (
            f"At the highest rate tried; {none}." if size.refused is not None else "It kept up with all that was asked."
        )
    else:
        less = (last.values.get("requests_per_second") or 0.0) < 0.98 * (most.values.get("requests_per_second") or 0.0)
        grows = "less" if less else "no more"
        text = f"Pushed to {rate_of(last)} it answers {grows}: {done_of(last)} a second, and {none}."
    return Tile("Answers at most", [done_of(most)], "requests/s", aside, text)


def _quality_tile(load: LoadDetails, step: StepDetails) -> Iterator[Tile]:
    name, task = leading_of(load), load.tasks[0]
    mean = step.values.get(f"asked.{task}.{name}")
    if mean is None:
        return
    text = value_text(mean, 1.0 if mean <= 1.0 else 0.0)
    yield Tile("Quality under load", [text], "", f"{name}, {task}", _steady(load, step, task, name))


def _steady(load: LoadDetails, step: StepDetails, task: str, name: str) -> str:
    """Return over what the quality of a step is, and whether it is the same in all that answered every query."""
    if of_part(load, step):
        return f"Over {step.values['queries_asked']:,.0f} of the {load.queries:,} queries."
    whole = [each for each in load.steps if (each.values.get("queries_answered") or 0.0) >= load.queries]
    over = [each.values.get(f"answered.{task}.{name}") for each in whole]
    known = [value for value in over if value is not None]
    if len(known) < 2:
        lost = ", of which those of failed requests count as 0" if step.values.get("failed_requests") else ""
        return f"Over all {load.queries:,} queries{lost}."
    if max(known) - min(known) < 1e-9:
        what = "Of answered queries it is the same" if total(load, "failed_requests") else "It is the same"
        if len(whole) == len(load.steps):
            return f"{what} in all {len(whole)} steps."
        return f"{what} in the {len(whole)} steps that answered every query."
    ends = [value_text(value, 1.0 if value <= 1.0 else 0.0) for value in (min(known), max(known))]
    return f"Of answered queries, between {ends[0]} and {ends[1]} over the steps."


def batches(load: LoadDetails, sizes: Sequence[Held]) -> list[Text]:
    """Return what is held with each batch size, where there are several."""
    if len(sizes) < 2:
        return []
    return [Text([f"Batches of {size.batch_size}: {_batch(load, size)}" for size in sizes])]


def _batch(load: LoadDetails, size: Held) -> str:
    """Return what is held with a batch size."""
    if load.loop == "closed":
        step = load.steps[size.most]
        queries = _queries(size.batch_size, step)
        return f"at most {done_of(step)} requests per second ({queries}), with {rate_of(step)} in flight."
    if size.held is None:
        text = "".join(_none_lede(load, size))
        return text[:1].lower() + text[1:]
    step = load.steps[size.held]
    under = "" if size.limit is None else f", {_name(step)} under {time_tick(size.limit)}"
    text = f"{rate_of(step)} requests per second ({_queries(size.batch_size, step)}) are held{under}"
    if size.refused is None:
        return f"{text}."
    refused = load.steps[size.refused]
    return f"{text}; at {rate_of(refused)}{''.join(_falls(refused, size, size.refused))}"


def total(load: LoadDetails, name: str) -> float:
    """Return the sum of a number over all steps."""
    return sum(step.values.get(name) or 0.0 for step in load.steps)
