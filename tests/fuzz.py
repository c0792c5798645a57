"""Broken files at every reader of qrels and runs, for as long as you like: `scripts/fuzz SECONDS [SEED]`.

A reader gives one sentence or the right rows. It never crashes (each round is a process of its own, and says which
seed killed it), never hangs, and for TREC text never differs from the plain reading in this file.
"""

import gzip
import io
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import orjson
import polars as pl

from benchbench.errors import InputError
from benchbench.formats.qrels_runs import Qrels, Run, scan_run
from benchbench.scoring import evaluate

ROUND, LONGEST = 400, 20  # files a process, seconds a file
WHITE = b" \t\x0b\x0c\r"
BITS = (
    b" ", b"\t", b"\n", b"\r\n", b"\0", b"#", b"{", b'"', b"nan", b"inf", b"-", b"0x10", b"1e400", b"1e-400", b"\xff",
    b"5e-324", b"9007199254740993", b"0.1234567890123456789", b"  ", b"\x0b", b"\xef\xbb\xbf", b",", b"query_id", b"}",
)  # fmt: skip


def rows(chance: random.Random) -> list[tuple[str, str, str, float]]:
    """Return the second field, query, document and value of some rows."""
    return [
        (chance.choice("01"), f"q{q}", f"d{chance.randrange(30)}é"[: chance.randrange(2, 5)], chance.choice(VALUES))
        for q in range(chance.randrange(1, 6))
        for _ in range(chance.randrange(1, 12))
    ]


VALUES = (0.0, 1.0, 2.0, -1.0, 0.5, 12.345678, 1e-7, 123456.75, 3.0)


def trec_run(chance: random.Random) -> bytes:
    return "".join(f"{q} Q0 {d} {i} {v!r} t\n" for i, (_, q, d, v) in enumerate(rows(chance))).encode()


def trec_qrels(chance: random.Random) -> bytes:
    return "".join(f"{q} {s} {d} {v:g}\n" for s, q, d, v in rows(chance)).encode()


def json_dicts(chance: random.Random) -> bytes:
    table: dict[str, dict[str, float]] = {}
    for _, q, d, v in rows(chance):
        table.setdefault(q, {})[d] = v
    return orjson.dumps(table)


def json_lines(chance: random.Random) -> bytes:
    return b"".join(orjson.dumps({"query_id": q, "doc_id": d, "score": v}) + b"\n" for _, q, d, v in rows(chance))


def table(chance: random.Random) -> bytes:
    mark = chance.choice("\t,")
    lines = [("query-id", "corpus-id", "score"), *((q, d, str(v)) for _, q, d, v in rows(chance))]
    return "".join(mark.join(line) + "\n" for line in lines).encode()


def binary(write: str) -> Callable[[random.Random], bytes]:
    def make(chance: random.Random) -> bytes:
        file = io.BytesIO()
        columns = ["iteration", "query_id", "doc_id", "score"]
        getattr(pl.DataFrame(rows(chance), schema=columns, orient="row"), write)(file)
        return file.getvalue()

    return make


MAKERS: dict[str, Callable[[random.Random], bytes]] = {
    "a.run": trec_run,
    "a.qrels": trec_qrels,
    "a.json": json_dicts,
    "a.jsonl": json_lines,
    "a.tsv": table,
    "a.parquet": binary("write_parquet"),
    "a.arrow": binary("write_ipc"),
    "a.run.gz": lambda chance: gzip.compress(trec_run(chance)),
}


def broken(data: bytes, chance: random.Random) -> bytes:
    """Return the bytes with a few things wrong, or with nothing wrong."""
    for _ in range(chance.choice((0, 1, 1, 2, 5))):
        i = chance.randrange(len(data) + 1)
        j = min(len(data), i + chance.choice((0, 1, 1, 4, 40)))
        put = chance.choice((b"", chance.choice(BITS), data[j : j + 20], bytes([chance.randrange(256)])))
        data = data[:i] + put + data[j:]
        if chance.random() < 0.05:
            data = data[: chance.randrange(len(data) + 1)]
    return data


def plain_reading(data: bytes, run: bool) -> dict[bytes, dict[bytes, float]] | None:
    """Read TREC text slowly; None for what must be refused."""
    table: dict[bytes, dict[bytes, float]] = {}
    for line in data.split(b"\n"):
        if line.startswith(b"#") or not line.strip(WHITE):
            continue
        fields = line.translate(bytes.maketrans(WHITE, b" " * len(WHITE))).split(b" ")
        fields = [field for field in fields if field]
        least = 5 if run else 4
        if (
            b"\r" in line.removesuffix(b"\r")
            or min(line.replace(b"\t", b" ").translate(None, WHITE[2:])) < 32
            or len(fields) < least
        ):
            return None
        if (not run and len(fields) > 4) or (run and fields[3][:1] not in b"0123456789-"):
            return None
        try:
            value = float(fields[4 if run else 3])
        except ValueError:
            return None
        if value != value or b"_" in fields[4 if run else 3]:
            return None
        table.setdefault(fields[0], {}).setdefault(fields[2], value)
    return table


def same(run: Run, hits: dict[bytes, dict[bytes, float]]) -> bool:
    text = {q.decode("latin-1"): {d.decode("latin-1"): v for d, v in found.items()} for q, found in hits.items()}
    return len(run) == len(text) and run.rankings.document.size == sum(map(len, text.values()))


def check(path: Path, data: bytes) -> None:
    """Read a file in every way; AssertionError when numbers come out of what should have been refused."""
    path.write_bytes(data)
    told = None
    for ties in ("trec", "input"):
        try:
            run = Run.from_file(path, ties)
        except InputError as error:
            told = str(error)
            assert "\n" not in told, told
            assert path.name in told, told
            continue
        if path.name == "a.run" and not data.lstrip().startswith((b"{", b"PAR1", b"ARROW1")):
            hits = plain_reading(data, True)
            assert hits is not None, data
            assert same(run, hits), data
        evaluate_both(path, run, ties)
    if path.name == "a.run" and told and plain_reading(data, True):
        assert "header" in told or "column" in told or data.lstrip().startswith((b"{", b"PAR1")), (told, data)
    try:
        Qrels.from_file(path)
    except InputError as error:
        told = str(error)
        assert "\n" not in told, told


def evaluate_both(path: Path, run: Run, ties: str) -> None:
    qrels = Qrels.from_dict({"q0": {"d1": 1, "d2": 2}, "q1": {"d3": 1}})
    try:
        eager = evaluate(qrels, run, ["nDCG@10", "AP"])
    except InputError:
        return
    lazy = evaluate(qrels, scan_run(path, ties), ["nDCG@10", "AP"])
    assert eager.mean() == lazy.mean()
    assert all(0 <= value <= 1 for value in eager.mean().values())


def round_of(seed: int) -> None:
    """Check `ROUND` files; the process ends with the first that is read wrongly."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(ROUND):
            chance = random.Random(f"{seed}.{number}")
            name = chance.choice(list(MAKERS))
            data = broken(MAKERS[name](chance), chance)
            print(f"seed {seed}.{number}: {name}", file=sys.stderr)
            signal.alarm(LONGEST)  # a hang ends the process
            check(Path(folder) / name, data)
    signal.alarm(0)


def main() -> None:
    if sys.argv[1] == "--round":
        round_of(int(sys.argv[2]))
        return
    end, seed, files = time.monotonic() + float(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 0, 0
    aborted = 0
    while time.monotonic() < end:
        done = subprocess.run([sys.executable, __file__, "--round", str(seed)], capture_output=True, text=True)
        if done.returncode < 0 and "polars_" in done.stderr:
            aborted += 1  # a damaged Parquet or Arrow file asks polars for more memory than there is: it aborts
        elif done.returncode:
            sys.exit(f"{done.stderr[-3000:]}\nended with {done.returncode}")
        files, seed = files + ROUND, seed + 1
    print(f"{files:,} files read, none wrongly; polars itself aborted {aborted} of {files // ROUND} processes")


if __name__ == "__main__":
    main()
