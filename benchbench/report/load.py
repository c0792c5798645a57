"""A load test, printed: steps down, numbers across."""

import math
from collections.abc import Callable
from typing import Any

import orjson

from benchbench.load.result import GOLD, Step
from benchbench.load_test import Found, Outcome
from benchbench.report.columns import paged, plain
from benchbench.report.escape import comma_rows, latex_notes, latex_row, markdown_notes, markdown_row
from benchbench.report.reading import beyond, counted, reading
from benchbench.results.checks import members

_MARKS = ("p50", "p90", "p95", "p99", "p99.9", "max")
_QUALITY = {"R": "R", "Success": "HitRate", "nDCG": "nDCG"}
_CLOSED = (
    "A closed loop asks a slow service less often, so these latencies leave out the waits of those who would have "
    "come meanwhile; --rate measures them."
)


def heading(outcome: Outcome) -> str:
    """Return what was loaded, and how."""
    settings = outcome.settings
    loop = f"open loop, {settings.arrivals} arrivals" if settings.open_loop else "closed loop"
    return f"Load on {outcome.url}: {outcome.queries:,} queries, {loop}"


def text(outcome: Outcome) -> str:
    """Return the tables and sentences for people."""
    settings, title = outcome.settings, heading(outcome)
    times = f"Each step {settings.duration:g} s after {settings.warm_up:g} s of warm-up, which is not counted."
    lines = [title, "=" * len(title), f"{times} Each request is sent once: no retries.", "", _speed(outcome), ""]
    if len(settings.batch_sizes) > 1:
        lines += [_amortised(outcome), ""]
    return paged([*lines, _quality(outcome), "", *remarks(outcome), f"Signature: {outcome.signature}"])


def _speed(outcome: Outcome) -> str:
    head = ["Load", "Batch", "Queries/s", "Failed", "Late", "ms a request from", *_MARKS]
    body = []
    for step in outcome.steps:
        values = step.values
        counts = [f"{values['queries_per_second']:,.0f}", _share(values, "failed_requests"), _share(values, "late")]
        body.append([step.load.name, f"{step.load.batch_size}", *counts, "due", *_milliseconds(values, "")])
        if step.load.rate is not None:
            body.append([""] * 5 + ["sent", *_milliseconds(values, "sent_")])
    return plain(head, body)


def _amortised(outcome: Outcome) -> str:
    """Return what a query's share of its request's time is, which is not how long it waited."""
    head = ["Load", "Batch", "ms a request / queries in it", *_MARKS]
    body = [
        [
            step.load.name,
            f"{step.load.batch_size}",
            "amortised a query",
            *_milliseconds(step.values, "amortised_query_"),
        ]
        for step in outcome.steps
    ]
    return plain(head, body)


def _quality(outcome: Outcome) -> str:
    k = max(outcome.settings.criteria.cutoffs)
    head = ["Load", "Batch", "Quality over", "Task", *(f"{title}@{k}" for title in _QUALITY.values())]
    body = []
    for step in outcome.steps:
        whole = step.values["failed_requests"] == 0
        named = (
            {"asked": "all (none failed)"} if whole else {"asked": "asked, failed as 0", "answered": "answered only"}
        )
        start = [step.load.name, f"{step.load.batch_size}"]
        for over, title in named.items():
            for task in outcome.tasks:
                values = [_percent(step.values[f"{over}.{task}.{measure}@{k}"]) for measure in _QUALITY]
                body.append([*start, title, task.capitalize(), *values])
                start, title = ["", ""], ""
    return plain(head, body)


def warnings(outcome: Outcome) -> list[str]:
    """Return what the numbers leave out, a sentence each: whatever shows a number shows them too."""
    unmatched = [
        f"{step.load.title}: none of the {step.counts['hits']:,} hits is a positive of its query, so that all of task "
        f"{GOLD} is 0; `benchbench run` says how they were compared"
        for step in outcome.steps
        if GOLD in outcome.tasks and step.counts.get("hits") and not step.counts["positive_hits"]
    ]
    settings = outcome.settings
    cut = [f"{step.load.title}: {said}" for step in outcome.steps for said in beyond(step.faults, settings.top_k)]
    return [*unmatched, *reading(outcome.counts, settings.criteria.max_positives), *cut]


def remarks(outcome: Outcome, gates: bool = True) -> list[str]:
    """Return the sentences that a reader must know of, with or without those of gates."""
    criteria = outcome.settings.criteria
    lines = [*warnings(outcome), *counted(outcome.counts, criteria, {}, outcome.queries_without_label, {})]
    for step in outcome.steps:
        said = [f"{times:,} requests failed: {reason}" for reason, times in list(step.failures.items())[:5]]
        said += counted(step.counts, criteria, step.unlabelled_hits, {}, step.faults)
        said += [sentence for sentence in (step.limit, step.omission) if sentence]
        asked = step.values["queries_asked"]
        if asked < outcome.queries:
            said.append(f"quality is over {asked:,.0f} of the {outcome.queries:,} queries, for it asked no others")
        if outcome.settings.find_max is not None:
            said.append("breaks the condition: " + ", and ".join(step.broke) if step.broke else "holds the condition")
        said += [f"gate failed: {sentence}" for sentence in step.failed_gates if gates]
        lines += [f"{step.load.title}: {sentence}" for sentence in said]
    lines += [_found(outcome, found) for found in outcome.found]
    if not outcome.settings.open_loop:
        lines.append(_CLOSED)
    if outcome.interrupted:
        lines.append("Interrupted: these are the steps that were finished.")
    return lines


def _found(outcome: Outcome, found: Found) -> str:
    condition = outcome.settings.find_max.text if outcome.settings.find_max else ""
    limit = "the client or its machine was the limit"
    if found.rate is None:
        client = f"; {limit}, and the service may hold it" if found.by_client else ""
        return f"No rate that was tried holds {condition} with batches of {found.batch_size}{client}."
    client = (
        "; above it the client or its machine was the limit, and the service may hold more" if found.by_client else ""
    )
    return (
        f"Highest rate that holds {condition}: {found.rate:,.6g} requests/s of {found.batch_size} queries, "
        f"to 5 %{client}."
    )


def summary(outcome: Outcome) -> dict[str, Any]:
    """Return what `summary.json` holds: every number of the load test, whole."""
    condition = outcome.settings.find_max
    return {
        "signature": str(outcome.signature),
        "name": outcome.settings.name,
        "url": outcome.url,
        "data_digest": outcome.digest,
        "queries": outcome.queries,
        "counts": outcome.counts,
        "queries_without_label": outcome.queries_without_label,
        "tasks": outcome.tasks,
        "loop": "open" if outcome.settings.open_loop else "closed",
        "interrupted": outcome.interrupted,
        "steps": [_record(step) for step in outcome.steps],
        "find_max": None
        if condition is None
        else {
            "condition": condition.text,
            "found": [
                {"batch_size": one.batch_size, "rate": one.rate, "limited_by_client": one.by_client}
                for one in outcome.found
            ],
        },
    }


def _record(step: Step) -> dict[str, Any]:
    return {
        "name": step.load.title,
        "values": step.values,
        "failures": step.failures,
        "counts": step.counts,
        "unlabelled_hits": step.unlabelled_hits,
        "hit_faults": step.faults,
        "client_is_the_limit": step.limit,
        "coordinated_omission": step.omission,
        "broke": step.broke,
        "failed_gates": step.failed_gates,
        "gates": [members(gate) for gate in step.gates],
        "histograms": step.histograms,
    }


def _json(outcome: Outcome) -> str:
    return orjson.dumps(summary(outcome), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def _json_lines(outcome: Outcome) -> str:
    return "".join(orjson.dumps(_record(step)).decode() + "\n" for step in outcome.steps)


def _comma_separated(outcome: Outcome) -> str:
    head = [["name", *step.values] for step in outcome.steps[:1]]
    rows = [
        [step.load.title, *("" if math.isnan(value) else value for value in step.values.values())]
        for step in outcome.steps
    ]
    return comma_rows([*head, *rows])


def _short(outcome: Outcome) -> tuple[list[str], list[list[str]]]:
    """Return one table for documents."""
    k, task = max(outcome.settings.criteria.cutoffs), outcome.tasks[0]
    head = ["Load", "Batch", "Queries/s", "Failed", *_MARKS, "p99 sent", *(f"{q}@{k}" for q in _QUALITY.values())]
    body = []
    for step in outcome.steps:
        values = step.values
        counts = [f"{step.load.batch_size}", f"{values['queries_per_second']:,.0f}", _share(values, "failed_requests")]
        quality = [_percent(values[f"asked.{task}.{measure}@{k}"]) for measure in _QUALITY]
        body.append([step.load.name, *counts, *_milliseconds(values, ""), _shown(values["sent_p99"]), *quality])
    return head, body


def markdown(outcome: Outcome) -> str:
    """Return one table, a row a step."""
    head, body = _short(outcome)
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *body]
    return "".join(map(markdown_row, lines))


def _latex(outcome: Outcome) -> str:
    head, body = _short(outcome)
    rows = [latex_row(row) for row in (head, *body)]
    rows.insert(1, r"\midrule")
    columns = "l" + "r" * (len(head) - 1)
    return "\n".join([rf"\begin{{tabular}}{{{columns}}}", r"\toprule", *rows, r"\bottomrule", r"\end{tabular}", ""])


def _milliseconds(values: dict[str, float], prefix: str) -> list[str]:
    return [_shown(values[f"{prefix}{mark}"]) for mark in _MARKS]


def _shown(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:,.1f}"


def _percent(value: float) -> str:
    return "-" if math.isnan(value) else f"{100 * value:.2f}"


def _share(values: dict[str, float], name: str) -> str:
    """Return so many requests of all, where there are any."""
    return f"{values[name]:,.0f} of {values['requests']:,.0f}" if values[name] else "0"


FORMATS: dict[str, Callable[[Outcome], str]] = {
    "text": text,
    "json": _json,
    "jsonl": _json_lines,
    "csv": _comma_separated,
    "markdown": lambda outcome: markdown(outcome) + markdown_notes(warnings(outcome)),
    "latex": lambda outcome: latex_notes(warnings(outcome)) + _latex(outcome),
}
