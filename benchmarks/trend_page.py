"""How fast a trend is: read from a store, drawn as a page, and opened in Chromium.

    python benchmarks/trend_page.py [--runs 1000] [--rounds 5]

Runs of one name are stored, one measure falls at five eighths of them, and one drifts. Pages of one, six and thirty
measures are made, and opened from a file at 1,280 pixels, each in a page of its own: when something is painted first,
when all of it is there (two frames after the event `load`), and how long it takes to choose another measure, and to
read a run by keys. Times are medians. Needs Debian's Chromium.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from machine import describe
from playwright.sync_api import Browser, sync_playwright

from benchbench.history.adding import insert, rows_of
from benchbench.history.store import Store, open_history
from benchbench.history.trend.trend_run import trend
from benchbench.history.wanted import Wanted
from benchbench.report.draw import draw
from benchbench.results.record import Data, Number, Record, Setting, record
from benchbench.results.result import Result

MEASURES, DAY = 30, 86_400.0
_DRAWN = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => done()));
  await frame();
  await frame();
  return [performance.getEntriesByName("first-paint")[0]?.startTime ?? 0, performance.now()];
}"""
_CHOSEN = """async () => {
  const began = performance.now();
  const list = document.querySelector("select[data-choice]");
  const button = document.querySelectorAll('.seg input[name="measure"]')[1];
  if (list) { list.value = "1"; list.dispatchEvent(new Event("change")); } else button?.click();
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return performance.now() - began;
}"""
_READ = """() => {
  const slider = [...document.querySelectorAll(".slider")].find((one) => one.offsetParent);
  slider.focus();
  const began = performance.now();
  for (let i = 0; i < 100; i++) slider.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft" }));
  return (performance.now() - began) / 100;
}"""


class Night(Result):
    """A run with thirty measures."""

    kind = "run"

    def __init__(self, night: int, means: Sequence[float]) -> None:
        """Keep its values."""
        self.night, self.means = night, means

    def to_record(self) -> Record:
        """Return the record."""
        numbers = [
            Number(name=f"nDCG@{k}", value=mean, low=mean - 0.02, high=mean + 0.02, n=300, better="higher", scope=_GOLD)
            for k, mean in enumerate(self.means, start=1)
        ]
        began = 1.6e9 + DAY * self.night
        tags = {"commit": f"{self.night * 2654435761 % (1 << 40):040x}", "branch": "main"}
        settings = {"top_k": Setting(value=20 + self.night // 300)}
        return record("run", began, began + 60, name="nightly", data=Data(name="cases"), numbers=numbers, tags=tags,
                      settings=settings)  # fmt: skip


_GOLD = {"task": "gold"}


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    print(describe())
    print(f"{given.runs:,} runs; milliseconds, medians of {given.rounds}\n")
    head = ("measures", "read and tested", "page made", "kB", "first paint", "all drawn", "another measure", "a key")
    print("".join(f"{one:>16}" for one in head))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        with open_history(Path(folder) / "history.db", create=True) as history:
            store(history, given.runs)
            for count in (1, 6, MEASURES):
                measured(history, browser, Path(folder) / "trend.html", count, given.rounds)
        browser.close()


def store(history: Store, runs: int) -> None:
    """Store the runs in one transaction."""
    random = np.random.default_rng(0)
    means = 0.4 + 0.004 * random.standard_normal((runs, MEASURES))
    means[runs * 5 // 8 :, 9] -= 0.03
    means[:, 1] -= 0.1 * np.arange(runs) / runs
    with history.transaction() as connection:
        for night, row in enumerate(means):
            insert(connection, rows_of(Night(night, [float(one) for one in row]), {}, ""))


def measured(history: Store, browser: Browser, path: Path, count: int, rounds: int) -> None:
    """Print a row: of a page of so many measures."""
    names = [f"gold.nDCG@{k}" for k in range(10, 10 + min(count, MEASURES - 9))]
    names += [f"gold.nDCG@{k}" for k in range(1, 1 + count - len(names))]
    began = time.perf_counter()
    found = trend(history, Wanted(), names)
    read = time.perf_counter()
    source = draw(found, "html")
    made = time.perf_counter()
    path.write_text(source, encoding="utf-8")
    times = [opened(browser, path) for _ in range(rounds)]
    shown = [statistics.median(column) for column in zip(*times, strict=True)]
    row = [count, 1e3 * (read - began), 1e3 * (made - read), len(source.encode()) / 1e3, *shown]
    print("".join(f"{one:>16,.0f}" for one in row[:-1]) + f"{row[-1]:>16.1f}")


def opened(browser: Browser, path: Path) -> list[float]:
    """Return the times of a page that is opened once."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page: Any = context.new_page()
    page.goto(path.as_uri())
    times = [*page.evaluate(_DRAWN), page.evaluate(_CHOSEN), page.evaluate(_READ)]
    context.close()
    return times


if __name__ == "__main__":
    main()
