"""The page of load tests beside one another: which rates they keep up with, latencies by rate, and the differences."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchbench.comparison.headline import headline_of_loads
from benchbench.comparison.load_pairs import NO_VERDICT, LoadsDetails
from benchbench.report.blocks import Notes, Table, Text
from benchbench.report.layouts.compare_charts import load_panels
from benchbench.report.layouts.page_parts import band, head, hidden, passed_gates, reproduce, settings
from benchbench.report.page_blocks import Panels, Section
from benchbench.results.result import Result
from benchbench.tables.shared_messages import capital, counted

if TYPE_CHECKING:
    from benchbench.report.layout import AnyBlock

# The others of the command are of comparisons of runs
_SETTINGS = {"baseline": "baseline", "alpha": "alpha", "seed": "seed", "fail_if": "gates"}


def blocks(result: Result, shown: Sequence["AnyBlock"]) -> "list[AnyBlock]":
    """Return the page; of the blocks that are shown it takes the tables of differences and their sentences."""
    loads, record = result.details_as(LoadsDetails), result.record
    verdict = headline_of_loads(loads)
    (_, title), *others = verdict.sentences
    commands = [sentence for sentence in verdict.advice if "`" in sentence]
    pieces = [" ".join([*(each for _, each in others), *(each for each in verdict.advice if each not in commands)])]
    services = [(system.name, hidden(system.url)) for system in loads.systems]
    panels = load_panels(loads.loads, list(loads.loads))
    charts: list[AnyBlock] = [Section("latency", "Latency", "Latency by load"), Panels(panels)] if panels else []
    return [
        head("compare", record, [counted(len(loads.systems), "load test")], title, pieces, commands),
        *band(record),
        *charts,
        Section("steps", "Load steps", "Load steps"),
        *(block for block in shown if isinstance(block, Table | Text)),
        Notes([capital(note) for note in loads.notes if not (commands and note.startswith(NO_VERDICT))]),
        *passed_gates(record),
        *reproduce(record, [("Services", services), ("Settings", settings(record, _SETTINGS))]),
    ]
