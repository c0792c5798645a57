"""A million pairs of query and document, got ready for a judge: the time, and the memory.

Two runs of 10,000 queries and 50 hits each over 400,000 documents of 2,000 characters, 0.9 GB in all, are pooled, and
all pairs are gone through with their texts. Nothing is asked. Needs 4 GB of disk, and takes some two minutes.
"""

import json
import resource
import tempfile
import time
from pathlib import Path

import numpy as np

from benchbench.judging.relevance.pair_texts import Spool
from benchbench.judging.relevance.pairs import PairsToJudge, ReadyPairs

QUERIES, DOCUMENTS, HITS = 10_000, 400_000, 50
WORDS = ("theft", "contract", "liability", "court", "appeal", "damage", "statute", "section", "evidence", "claim")


def main() -> None:
    with tempfile.TemporaryDirectory() as name, Spool(Path(name)) as spool:
        folder = Path(name)
        write(folder)
        before, began = memory(), time.perf_counter()
        given = PairsToJudge(folder, [folder / "a.run", folder / "b.run"], depth=HITS)
        ready = ReadyPairs(given, 0, folder, spool)
        print(f"{ready.judged:,} pairs ready in {time.perf_counter() - began:.1f} s, {memory() - before:.0f} MB")
        began = time.perf_counter()
        characters = sum(len(item.fields["document"]) for item in ready.items())
        seconds = time.perf_counter() - began
        print(f"{characters / 1e9:.1f} GB of texts gone through in {seconds:.1f} s, {memory() - before:.0f} MB")


def write(folder: Path) -> None:
    draw = np.random.default_rng(0)
    with (folder / "corpus.jsonl").open("w") as file:
        for number in range(DOCUMENTS):
            text = " ".join(WORDS[one] for one in draw.integers(0, len(WORDS), 300))
            file.write(json.dumps({"_id": f"d{number}", "text": f"{number} {text}"}) + "\n")
    with (folder / "queries.jsonl").open("w") as file:
        file.writelines(json.dumps({"_id": f"q{n}", "text": f"{n} {WORDS[n % 10]}"}) + "\n" for n in range(QUERIES))
    for name in "ab":
        with (folder / f"{name}.run").open("w") as file:
            for query in range(QUERIES):
                found = draw.choice(DOCUMENTS, HITS, replace=False)
                file.writelines(f"q{query} Q0 d{one} {n + 1} {HITS - n} {name}\n" for n, one in enumerate(found))


def memory() -> float:
    """Return the most memory so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
