"""The folder of a run with invented queries, hits and requests: of any size, and with names that make trouble."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import orjson
import polars as pl

from benchbench.formats.trec_writing import token
from benchbench.results.folder import RECORD, SUMMARY
from benchbench.results.record import GateResult, TableFile, plain, utc
from benchbench.results.result import Result
from benchbench.runs.run_record import of_summary
from benchbench.stored import load

TASKS = ("gold", "accusation")
LABELS = ("盗窃", "诈骗", "危险驾驶", "抢劫")
HITS = 12
REASON = "HTTP 503: overloaded"
_BEGINNING = (
    "经审理查明，被告人于二〇一九年三月在某市某区某街道某小区某号楼某单元某室内，"
    "趁被害人外出之机，撬开房门进入室内，取走现金若干，随后逃离现场。"
)
_END = "其行为已构成{label}罪，应依法惩处。第{number}号。"


def text(number: int, said: str = "") -> str:
    """Return the text of a query: what it is about stands at its end."""
    return f"{said}{_BEGINNING}{_END.format(label=LABELS[number % 4], number=number)}"


def relevant(number: int) -> int:
    """Return how many of the first ten hits of a query are relevant for the gold task."""
    return 0 if number % 3 == 0 else number % 11


def result(folder: Path, queries: int = 60, failed: int = 0, said: str = "", **changed: Any) -> Result:
    """Write the folder of a run and its data set, and return the result.

    Parameters
    ----------
    folder
        Where; the data set lies beside it.
    queries, failed
        How many, and how many of the last ones got no answer.
    said
        What stands in every name, id, text and label besides.
    changed
        Members of `summary.json`, and `gates`, their results.
    """
    folder.mkdir(parents=True)
    data = folder.with_name(f"{folder.name}-data")
    data.mkdir()
    ids = [f"q{number}{said}" for number in range(queries)]
    lost = set(range(queries - failed, queries))
    _write_data(data, ids, said)
    values = {
        "gold": np.array([0.0 if n in lost else relevant(n) / 10 for n in range(queries)]),
        "accusation": np.array([0.0 if n in lost else min(relevant(n) + 1, 10) / 10 for n in range(queries)]),
    }
    _write_tables(folder, ids, lost, values)
    reason = f"{REASON}{said}"
    measures = {
        task: {f"P@{k}": _value(column * factor) for k, factor in ((10, 1.0), (5, 0.9))}
        for task, column in values.items()
    }
    sent = {"requests": queries, "attempts": queries, "failed_attempts": failed, "bytes": 1000}
    gates = changed.pop("gates", [])
    summary = {
        "signature": "tasks:gold,accusation|measures:P",
        "name": f"bm25{said}",
        "url": "http://127.0.0.1:1/batch_search",
        "counts": _counts(queries, failed) | changed.pop("counts", {}),
        **{name: {} for name in ("unlabelled_hits", "queries_without_label", "hit_faults")},
        "failures": {reason: failed} if failed else {},
        "latency_ms": {"mean": 10.0, "p50": 9.0, "p90": 20.0, "p95": 25.0, "p99": 40.0, "max": 41.0},
        "throughput": {"queries_per_second": 100.0, "seconds": 1.0, **sent},
        "client": {"cpu": 0.2, "lag_p99_ms": 1.0, "lag_max_ms": 2.0},
        "measures": measures,
        "warnings": [f"a warning{said}"] if said else [],
        **changed,
    }
    options = {
        "dataset": str(data / "tiered.jsonl"),
        "collection": str(data / "collection.jsonl"),
        "batch_size": 1,
        "concurrency": 4,
        "criteria": {"max_positives": 10, "self_by": "text"},
        "url": "http://127.0.0.1:1/batch_search",
        "max_error_rate": 1.0,
    }
    config = {"options": options, "command": ["run", "--dataset", f"/home/somebody/data{said}"], "host": {"cpus": 2}}
    record = of_summary(summary, config, 1.0)
    tables = [TableFile(name=name, file=f"{name}.parquet", rows=1) for name in ("hits", "per_query", "requests")]
    record = msgspec.structs.replace(record, finished=utc(2.0), gates=[*record.gates, *gates], tables=tables)
    (folder / RECORD).write_bytes(orjson.dumps(plain(record)))
    (folder / SUMMARY).write_bytes(orjson.dumps(summary))
    return load(folder)


def one_task(folder: Path, queries: int = 60, failed: int = 0, said: str = "", **changed: Any) -> Result:
    """Write the folder of a run with the gold task alone, as of a BEIR data set; a query has three judged documents."""
    rules = 'tasks:gold=judgments(by="id")|measures:P|recall:full|'
    value = {"P@10": _value(np.full(queries, 0.2)), "P@5": _value(np.full(queries, 0.3))}
    result(folder, queries, failed, said, signature=rules, measures={"gold": value}, **changed)
    hits = pl.read_parquet(folder / "hits.parquet").with_columns(gold=pl.col("positive_id").is_not_null())
    hits.write_parquet(folder / "hits.parquet")
    return load(folder)


def gate(failed: bool, said: str = "") -> GateResult:
    """Return the result of a gate."""
    outcome = f"gate failed: P@10 is 0.3, required at least 0.9{said}" if failed else f"P@10 is 0.3{said}"
    verdict = "failed" if failed else "passed"
    return GateResult(condition=f"P@10<0.9{said}", verdict=verdict, said=outcome, name="gold.P@10", value=0.3)


def _write_data(data: Path, ids: list[str], said: str) -> None:
    with (data / "tiered.jsonl").open("wb") as file:
        for number, name in enumerate(ids):
            meta = {"accusation": [f"{LABELS[number % 4]}{said}"]}
            query = {"fact": text(number, said), "meta": meta}
            positives = [{"fact_id": f"d{one}{said}", "fact": f"document {one}", "tier": 1} for one in range(3)]
            file.write(orjson.dumps({"query_id": name, "query": query, "positives": positives}) + b"\n")
    with (data / "collection.jsonl").open("wb") as file:
        for number in range(HITS):
            shared = "撬开房门" if number == 1 else ""
            whole = f"{'甲' * 200}第{number}号{said}{'乙' * 50}{shared}{'丙' * 60}"
            document = {"_id": f"d{number}{said}", "text": whole}
            file.write(orjson.dumps(document) + b"\n")


def _write_tables(folder: Path, ids: list[str], lost: set[int], values: dict[str, np.ndarray]) -> None:
    said = ids[0].removeprefix("q0")
    reason = f"{REASON}{said}"
    pl.DataFrame(
        {
            "query_id": ids,
            "latency_ms": [1.0 + number % 40 for number in range(len(ids))],
            "failure": pl.Series([reason if n in lost else None for n in range(len(ids))], dtype=pl.String),
            **{f"{task}.P@{k}": column * f for task, column in values.items() for k, f in ((10, 1.0), (5, 0.9))},
        }
    ).write_parquet(folder / "per_query.parquet")
    rows = [
        (
            *(ids[n], place, None if place == 1 else place - 1, f"d{place - 1}{said}", 30.0 - place),
            *(place == 1, False, False, 1 < place <= relevant(n) + 1, 1 < place <= relevant(n) + 2),
            f"d{place - 1}{said}" if 1 < place <= relevant(n) + 1 and place < 4 else None,
        )
        for n in range(len(ids))
        if n not in lost
        for place in range(1, HITS + 1)
    ]
    names = ("query_id", "place", "rank", "id", "score", "self", "copy", "duplicate", *TASKS, "positive_id")
    pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None).write_parquet(folder / "hits.parquet")
    numbers = np.arange(len(ids))
    sent = numbers * 0.01
    pl.DataFrame(
        {
            "first_query": numbers,
            "queries": np.ones(len(ids), np.int64),
            "attempt": np.ones(len(ids), np.int64),
            "sent": sent,
            "end": sent + (1.0 + numbers % 40) / 1e3,
            "error": pl.Series([reason if n in lost else None for n in numbers], dtype=pl.String),
        }
    ).write_parquet(folder / "requests.parquet")
    lines = (f"{token(name)} 0 {token(f'd{one}{said}')} 5\n" for name in ids for one in range(1, 4))
    (folder / "qrels.trec").write_text("".join(lines), encoding="utf-8")


def _value(column: np.ndarray) -> dict[str, Any]:
    mean = float(column.mean())
    ends = {"low": max(mean - 0.05, 0.0), "high": min(mean + 0.05, 1.0)}
    return {"value": mean, "stderr": 0.01, **ends, "interval": "bootstrap"}


def _counts(queries: int, failed: int) -> dict[str, int]:
    names = ("self_hits", "copies", "duplicates", "own_text_first", "short_lists", "asked_again")
    return {"queries": queries, "scored": queries - failed, "failed": failed, **dict.fromkeys(names, 0)} | {
        "hits": HITS * (queries - failed)
    }
