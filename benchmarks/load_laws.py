"""What `benchbench load` reports of services whose law of latency is known, beside what they logged themselves.

usage: python benchmarks/load_laws.py [--duration 20] [--only laws,overload,search]

Each service runs in a process of its own and logs when it received and completed each request (law_service.py). The
first table has percentiles and completions per second from both sides, the second an overloaded service, the third a
search for the highest rate by a client that is stopped again and again. Client and service share the machine.
"""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from machine import describe

SERVICE = Path(__file__).with_name("law_service.py")
LAWS = {
    "const:0.02": 100,
    "exp:0.02": 100,
    "bimodal:0.01,0.02,0.5": 100,
    "stall:0.01,0.3,5": 100,
    "mm1:0.01": 80,
    "md1:0.01": 80,
    "cap:4,0.04": 90,
    "shed:4,0.04": 150,
    "err:0.02,0.1": 100,
}
MARKS = (50, 90, 99)
CAPACITY = "cap:4,0.04"  # 100 requests/s
OVERLOAD = (80, 99, 110, 150, 200)
PAUSES = ((0.0, 1.0), (0.04, 0.46), (0.06, 0.24))  # seconds for which the client is stopped and runs, in turn


@contextlib.contextmanager
def service(law: str, log: Path) -> Iterator[str]:
    """Run a service while the block lasts; yield its URL. The log is there afterwards."""
    with subprocess.Popen([sys.executable, SERVICE, law, log], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


def load(url: str, out: Path, *options: str, pauses: tuple[float, float] = PAUSES[0]) -> dict[str, Any]:
    """Return the summary of a load test of requests of one query by a client that is stopped and runs in turn."""
    command = ["load", "--url", url, "--batch-size", "1", "--out", str(out), "-q", "--format", "json", *options]
    with subprocess.Popen([sys.executable, "-m", "benchbench", *command], stdout=subprocess.PIPE) as client:
        over, (stopped, running) = threading.Event(), pauses

        def stop() -> None:
            while stopped and not over.wait(running):
                os.kill(client.pid, signal.SIGSTOP)
                over.wait(stopped)
                os.kill(client.pid, signal.SIGCONT)

        stopping = threading.Thread(target=stop)
        stopping.start()
        assert client.stdout is not None
        printed = client.stdout.read()
        over.set()
        stopping.join()
    summary: dict[str, Any] = json.loads(printed)
    return summary


def logged(log: Path, out: Path, duration: float) -> dict[str, float]:
    """Return what a service says of the counted requests, and of the window, whose start the client's rows tell."""
    received, completed, status = np.loadtxt(log, ndmin=2).T
    requests = pl.read_parquet(out / "requests.parquet").sort("sent")
    order = np.argsort(received)[-len(requests) :]  # the first ones asked whether the service is there
    received, completed, status = received[order], completed[order], status[order]
    origin = float(np.median(received - requests["sent"].to_numpy()))
    seconds = (completed - received)[requests["counted"].to_numpy()]
    values = {f"p{mark}": 1e3 * float(np.percentile(seconds, mark, method="inverted_cdf")) for mark in MARKS}
    inside = (completed >= origin) & (completed < origin + duration) & (status == 200)
    return {**values, "rate": float(inside.sum()) / duration}


def row(*cells: object) -> None:
    print("|", " | ".join(str(cell) for cell in cells), "|", flush=True)


def head(*cells: str) -> None:
    row(*cells)
    row("---", *["---:"] * (len(cells) - 1))


def laws(folder: Path, duration: float) -> None:
    """Print percentiles and completions of each law: the service's log, then the client from send and from due time."""
    print(f"\nOpen loop, {duration:g} s after 2 s of warm-up; ms by the service's log / sent / due\n")
    head("law", "requests/s", *(f"p{mark}" for mark in MARKS), "completions/s: log / client")
    for number, (law, rate) in enumerate(LAWS.items()):
        log, out = folder / f"{number}.log", folder / f"{number}"
        with service(law, log) as url:
            (step,) = load(url, out, "--rate", f"{rate}", "--duration", f"{duration}s", "--warm-up", "2s")["steps"]
        own, values = logged(log, out, duration), step["values"]
        times = (f"{own[f'p{m}']:.1f} / {values[f'sent_p{m}']:.1f} / {values[f'p{m}']:.1f}" for m in MARKS)
        row(f"`{law}`", rate, *times, f"{own['rate']:.1f} / {values['requests_per_second']:.1f}")


def overload(folder: Path, duration: float) -> None:
    """Print what a service of 100 requests/s shows below and beyond that."""
    print(f"\n`{CAPACITY}`, which completes 100 requests/s: {duration:g} s after 5 s of warm-up\n")
    head(
        "due/s", "answered/s", "completions/s by the log", "backlog, start to end", "growth/s", "p99, ms", "saturation"
    )
    for rate in OVERLOAD:
        log, out = folder / f"over{rate}.log", folder / f"over{rate}"
        times = ("--duration", f"{duration}s", "--warm-up", "5s", "--max-in-flight", "8192", "--timeout", "120")
        with service(CAPACITY, log) as url:
            (step,) = load(url, out, "--rate", f"{rate}", *times)["steps"]
        values: Mapping[str, float] = step["values"]
        backlog = f"{values['backlog_start']:.0f} to {values['backlog_end']:.0f}"
        answered, completed = values["requests_per_second"], logged(log, out, duration)["rate"]
        growth, p99 = f"{values['backlog_growth']:.1f}", f"{values['p99']:,.0f}"
        row(rate, f"{answered:.1f}", f"{completed:.1f}", backlog, growth, p99, step["saturation"])


def search(folder: Path) -> None:
    """Print the highest rate that a client finds that runs, and one that is stopped again and again."""
    print(f"\n`{CAPACITY}`, `--find-max 'p99<300ms'`, steps of 5 s after 1 s of warm-up\n")
    head("client", "highest rate", "steps", "the next rate", "was refused because")
    for stopped, running in PAUSES:
        out = folder / f"search{stopped}"
        with service(CAPACITY, folder / "search.log") as url:
            times = ("--duration", "5s", "--warm-up", "1s")
            summary = load(url, out, "--find-max", "p99<300ms", *times, pauses=(stopped, running))
        (found,) = summary["find_max"]["found"]
        client = f"stopped for {1e3 * stopped:.0f} of each {1e3 * (stopped + running):.0f} ms" if stopped else "runs"
        row(client, found["rate"], len(summary["steps"]), found["refused"], ", and ".join(found["reasons"]))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--duration", type=float, default=20.0)
    arguments.add_argument("--only", default="laws,overload,search")
    given = arguments.parse_args()
    print(describe("aiohttp", "numpy", "polars"))
    with tempfile.TemporaryDirectory() as name:
        folder, wanted = Path(name), given.only.split(",")
        if "laws" in wanted:
            laws(folder, given.duration)
        if "overload" in wanted:
            overload(folder, given.duration / 2)
        if "search" in wanted:
            search(folder)


if __name__ == "__main__":
    main()
