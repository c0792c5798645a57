"""BM25 over chunks of LegalBench-RAG's contracts, scored: the figures of docs/passages.md.

usage: legalbench.py FOLDER    (LegalBench-RAG's, with corpus/ and benchmarks/contractnli.json)
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import orjson
from machine import describe

SIZES = (250, 500, 1000)


def main(folder: Path) -> None:
    print(describe("bm25s"), end="\n\n")
    gold = folder / "benchmarks" / "contractnli.json"
    rows: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as place:
        for size in SIZES:
            data, results = Path(place, str(size)), Path(place, f"{size}-results")
            run("prepare", "legalbench-rag", folder / "corpus", gold, "--chunk-size", size, "--out", data)
            run("run", "--dataset", data, "--out", results)
            scores = orjson.loads(run("passages", results, gold, "--format", "json"))
            documents = orjson.loads((data / "tiered.card.json").read_bytes())["collection"]["documents"]
            rows.setdefault("chunks", []).append(f"{documents:,}")
            for name, value in scores["measures"].items():
                rows.setdefault(name, []).append(f"{value:.4f}")
    print(f"| | {' | '.join(f'{size} characters' for size in SIZES)} |")
    print(f"|---|{'---:|' * len(SIZES)}")
    for name, values in rows.items():
        print(f"| {name} | {' | '.join(values)} |")


def run(*arguments: object) -> bytes:
    command = [sys.executable, "-m", "benchbench", *map(str, arguments)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


if __name__ == "__main__":
    main(Path(sys.argv[1]))
