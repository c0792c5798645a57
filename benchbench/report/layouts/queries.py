"""One query of a result, or the worst ones: values from its table per query, and the details that its page opens."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from benchbench.errors import InputError
from benchbench.measures.notation import task_and_measures
from benchbench.report.blocks import EVERYWHERE, Block, Facts, Heading, Table, Text
from benchbench.report.layout import Layout
from benchbench.report.render.lines import cut
from benchbench.results.figures import NOTHING, value
from benchbench.results.result import Result
from benchbench.tables.shared_messages import capital

if TYPE_CHECKING:
    import polars as pl

_WIDTH = 60  # columns of a value
_LONG, _SHORT = 300, 120  # characters of a text: of the query that was asked for, of one of several
_FEW = 3  # hits and documents of each of several queries
_LATEX = frozenset({"latex"})
_KEYS = ("query_id", "query")  # columns that name queries, in the order in which they are looked for


class _Opened(NamedTuple):
    """A query, opened: its rows in reading order, each with a label, and the same as values."""

    rows: Sequence[tuple[str, str]]
    values: Mapping[str, Any]


def worst(result: Result, number: int) -> Layout:
    """Return the queries with the lowest values of the first measure, lowest first, each opened."""
    if "worst_answers" in result.tables():
        return _answers(result, number)
    values, key = _per_query(result)
    measures = _measures(values)
    shown = measures[:6]
    lowest = values.sort(measures[0], nulls_last=False, maintain_order=True).head(number)
    columns = [name for name in ("run", key, *shown, "failure") if name in values.columns]
    kept = lowest.select(columns)
    title = f"{result.record.name}: {len(kept):,} of {len(values):,} queries, by lowest {measures[0]}"
    rows = [[_shown(cell) for cell in row] for row in kept.iter_rows()]
    sides = "".join("r" if name in shown else "l" for name in kept.columns)
    keeps = [max(0, shown.index(name)) if name in shown else 0 for name in kept.columns]
    blocks: list[Block] = [Heading(title), Table(kept.columns, rows, sides, keeps=keeps)]
    names = list(dict.fromkeys(lowest[key].to_list()))
    opened, missing = _open(result, names, _SHORT, _FEW)
    blocks += [_facts(name, opened[name]) for name in names if name in opened]
    blocks += [Text(missing, EVERYWHERE)] if missing else []
    members = {"queries": kept.to_dicts(), "opened": {name: query.values for name, query in opened.items()}}
    return _layout(title, blocks, kept.to_dicts(), members)


def one_query(result: Result, query: str) -> Layout:
    """Return every value of a query, its hits and what is missing among them, as far as the result has them."""
    import polars as pl

    if "worst_answers" in result.tables():
        return _answers(result, 1, query)
    values, key = _per_query(result)
    known = values[key].unique(maintain_order=True).to_list()
    query = _named(query, known, "query of this result", by_number=key == "query")
    values = values.filter(pl.col(key) == query)
    names = [name for name in values.columns if name not in (key, "run")]
    rows = [[name, *map(_shown, values[name])] for name in names]
    runs = values["run"].to_list() if "run" in values.columns else ["Value"] * len(values)
    title = f"{result.record.name}: query {query}"
    blocks: list[Block] = [Heading(title), Table(["Of the query", *runs], rows, "l" + "r" * len(runs))]
    opened, missing = _open(result, [query], _LONG, None)
    blocks += [_facts(query, part) for part in opened.values()]
    blocks += [Table(["", query], part.rows, where=_LATEX) for part in opened.values()]  # which draws no facts
    blocks += [Text(missing, EVERYWHERE)] if missing else []
    hits: list[dict[str, Any]] = []
    if "hits" in result.tables():
        hits = result.table("hits").filter(pl.col("query_id") == query).drop("query_id").to_dicts()
    members: dict[str, Any] = {"query": values.to_dicts(), "hits": hits}
    if query in opened:
        members["opened"] = opened[query].values
    return _layout(title, blocks, hits or values.to_dicts(), members)


def _open(
    result: Result, queries: Sequence[str], length: int, most: int | None
) -> tuple[dict[str, _Opened], list[str]]:
    """Return queries opened, by id, and sentences on what is missing."""
    if "places" in result.tables():
        rows = {row["query"]: row for row in result.table("places").to_dicts()}
        opened = {query: _of_passages(rows[query], length, most) for query in queries if query in rows}
        lost = len(queries) - len(opened)
        return opened, [f"Passages of {lost:,} of {len(queries):,} queries are not in this result."] if lost else []
    if "hits" not in result.tables():
        return {}, ["This result keeps no hits."]
    from benchbench.runs.page import opened_queries

    tasks, got, texts, missing = opened_queries(result, queries, length)
    return {query: _of_run(got[query], tasks, texts.whole.get(query, ""), length, most) for query in got}, missing


def _of_run(page: Any, tasks: Sequence[str], text: str, length: int, most: int | None) -> _Opened:
    """Return a query of a run: its text, its hits, and the relevant documents that are not among them."""
    hits = page.hits[:most]
    last = max((hit.rank for hit in hits if hit.rank is not None), default=0)
    lost = [document for document in page.positives if document.rank is None or document.rank > last]
    rows = [("Query", _text(text, length))] if text else []
    rows += [(f"Hit {hit.rank or NOTHING}", _hit(hit, tasks, length)) for hit in hits]
    if page.received > len(hits):
        rows.append(("", f"and {page.received - len(hits):,} more hits"))
    rows += [("Missing", _lost(document, length)) for document in lost[:most]]
    if most is not None and len(lost) > most:
        rows.append(("", f"and {len(lost) - most:,} more relevant documents"))
    if page.judged > len(page.positives):
        rows += [("", f"{page.judged:,} documents are judged relevant; the first {len(page.positives)} are looked at")]
    values = {
        "text": text,
        "hits": [{**hit._asdict(), "relevant": _tasks(hit, tasks), "pieces": "".join(hit.pieces)} for hit in hits],
        "missing": [document._asdict() for document in lost],
    }
    return _Opened(rows, values)


def _tasks(hit: Any, tasks: Sequence[str]) -> list[str]:
    return [task for task, is_so in zip(tasks, hit.relevant, strict=False) if is_so]


def _hit(hit: Any, tasks: Sequence[str], length: int) -> str:
    relevant = _tasks(hit, tasks)
    mark = f"✕ removed ({hit.removed})" if hit.removed else f"● {', '.join(relevant)}" if relevant else "○"
    grade = "" if hit.grade is None else f", grade {hit.grade:g}"
    score = "" if hit.score is None else f" ({hit.score:.4g})"
    return f"{mark}{grade}: {hit.id}{score} {_text(''.join(hit.pieces), length)}".rstrip()


def _lost(document: Any, length: int) -> str:
    where = "not among the hits" if document.rank is None else f"at rank {document.rank:,}"
    return f"grade {document.grade:g}, {where}: {document.id} {_text(document.text, length)}".rstrip()


def _of_passages(row: Mapping[str, Any], length: int, most: int | None) -> _Opened:
    """Return a query of passages: what was retrieved, and the gold passages of which something was not."""
    rows = [("Query", _text(row["query"], length))]
    rows += [
        (f"Passage {hit['rank']}", f"{'●' if _shares(hit) else '○'} {_place(hit)}{_text(hit['text'], length)}".rstrip())
        for hit in row["retrieved"][:most]
    ]
    lost = [gold for gold in row["gold"] if gold["found"] < gold["length"]]
    rows += [
        ("Missing", f"{gold['found']:,} of {gold['length']:,} found: {_place(gold)}{_text(gold['text'], length)}")
        for gold in lost[:most]
    ]
    return _Opened(rows, row)


def _shares(passage: Mapping[str, Any]) -> bool:
    """Return whether a passage has something gold: characters, or, without places (-1), a text."""
    return passage["shared"] > 0 or (passage["shared"] < 0 and bool(passage["marks"]))


def _place(passage: Mapping[str, Any]) -> str:
    return f"{passage['file']} {passage['start']:,}–{passage['end']:,} " if passage["file"] else ""


def _answers(result: Result, number: int, which: str | None = None) -> Layout:
    """Return answers opened, the worst first, or the one with a number or a question, or the beginning of one."""
    rows = result.table("worst_answers").to_dicts()
    if which is not None:
        by_number = {str(row["number"]): row for row in rows}
        asked = {row["question"]: row for row in rows}
        rows = [by_number.get(which) or asked[_named(which, list(asked), "answer that this result keeps")]]
    rows = rows[:number]
    length = _SHORT if which is None else _LONG
    title = f"{result.record.name}: {len(rows):,} answer{'s' * (len(rows) != 1)}, worst first"
    blocks: list[Block] = [Heading(title if which is None else f"{result.record.name}: answer {rows[0]['number']}")]
    blocks += [_facts(f"Answer {row['number']}", _of_answer(row, length)) for row in rows]
    return _layout(title, blocks, rows, {"answers": rows})


def _named(given: str, names: Sequence[str], what: str, by_number: bool = False) -> str:
    """Return the name that is given in whole, by a unique beginning, or, for texts, by its number."""
    if given in names:
        return given
    begins = [name for name in names if " ".join(name.split()).startswith(" ".join(given.split()))]
    if len(begins) == 1:
        return begins[0]
    if begins:
        few = ", ".join(f"'{cut(name, _WIDTH)}'" for name in begins[:_FEW])
        raise InputError(f"--query {given} fits {len(begins):,} of {len(names):,}, such as {few}; write more of it")
    if by_number and given.isdecimal() and 0 < int(given) <= len(names):
        return names[int(given) - 1]
    raise InputError(f"--query {given} is no {what}; --worst 20 shows some")


def _of_answer(row: Mapping[str, Any], length: int) -> _Opened:
    """Return question, answer, truth, and what was matched, wrong and missed, as the page of answers marks it."""
    rows = [("Question", _text(row["question"], length))]
    rows.append(("Failed", row["failure"]) if row["failure"] else ("Answer", _text(row["answer"] or "", length)))
    rows.append(("Truth", _text(row["truth"], length)))
    marks: dict[str, list[str]] = {}
    for text, text_marks in ((row["answer"] or "", row["answer_marks"]), (row["truth"], row["truth_marks"])):
        for mark in text_marks:
            marks.setdefault(mark["found"], []).append(text[mark["start"] : mark["end"]])
    rows += [(capital(kind), ", ".join(dict.fromkeys(texts))) for kind, texts in marks.items()]
    rows += [
        ("Fault", " ".join(filter(None, (fault["metric"], fault["found"], fault["text"], fault["said"]))))
        for fault in row["faults"]
    ]
    rows.append(("Scores", ", ".join(f"{score['metric']} {_shown(score['score'])}" for score in row["scores"])))
    return _Opened(rows, row)


def _facts(name: str, opened: _Opened) -> Facts:
    return Facts([("Id", name), *opened.rows], name, EVERYWHERE)


def _text(text: str, length: int) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= length else f"{plain[:length]}…"


def _layout(title: str, blocks: Sequence[Block], rows: list[dict[str, Any]], members: Mapping[str, Any]) -> Layout:
    return Layout(title, blocks, lambda: members, lambda: rows, command="benchbench show")


def _per_query(result: Result) -> "tuple[pl.DataFrame, str]":
    """Return the values per query, and the column that names the queries."""
    if "per_query" not in result.tables():
        raise InputError(f"results of kind {result.record.kind} have no values per query")
    values = result.table("per_query")
    key = next((name for name in _KEYS if name in values.columns), None)
    if key is None:
        raise InputError(f"the values per query of this result have no column {' or '.join(_KEYS)}")
    return values, key


def _measures(values: "pl.DataFrame") -> list[str]:
    names = [name for name in values.columns if "@" in name or name[:1].isupper() or task_and_measures(name)[1]]
    if not names:
        raise InputError("this result has no measure per query")
    return names


def _shown(given: object) -> str:
    if given is None or isinstance(given, float):
        return value(given)
    return cut(str(given), _WIDTH)
