"""How well the grammars find citations, against labels that somebody made before the grammars ran on the texts.

usage: python benchmarks/citations.py [--shared-data FOLDER]

Half of the texts were shown to the authors of the grammars (seen), the others were not (unseen). Intervals are
Wilson's, each citation counted as often as it is made.
"""

import argparse
import os
import sys
from pathlib import Path

from machine import describe

from benchbench.significance.shares import share_interval

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "answers" / "citations"))

from blind_labels import compared, labelled  # noqa: E402

LANGUAGES = {"uk": "English law", "jp": "Japanese", "cn": "Chinese"}


def share(part: int, whole: int) -> str:
    low, high = share_interval(part, whole)
    return f"{part / whole:.3f} ({low:.3f} to {high:.3f})"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument(
        "--shared-data", type=Path, default=os.environ.get("BENCHBENCH_SHARED_DATA") or ROOT.parent / "shared" / "data"
    )
    folder = arguments.parse_args().shared_data
    print(describe("orjson"))
    print("| texts | half | texts | citations | precision | recall |\n|---|---|---:|---:|---|---|")
    for language, name in LANGUAGES.items():
        for half in ("unseen", "seen"):
            of: dict[str, list[tuple[int, int, int]]] = {}
            for one in labelled(language, half, folder):
                counts, _, _ = compared(language, one)
                for origin in ("all", one.origin):
                    of.setdefault(origin, []).append(counts)
            for origin, rows in of.items():
                both, found, labels = (sum(column) for column in zip(*rows, strict=True))
                cells = (f"{name}, {origin}", half, len(rows), labels, share(both, found), share(both, labels))
                print("| " + " | ".join(map(str, cells)) + " |")


if __name__ == "__main__":
    main()
