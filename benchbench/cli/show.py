"""`benchbench show RESULTS`."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from benchbench.cli.files import is_same_file
from benchbench.cli.options import Force
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.signatures import File, described_command
from benchbench.results.ranges import COUNT
from benchbench.results.settings import Opt

if TYPE_CHECKING:
    from benchbench.results.checks import Refusals
    from benchbench.results.record import GateResult
    from benchbench.results.result import Result


@described_command("show")
def command(
    results: File,
    query: Annotated[
        str | None,
        Opt("Show one query with its values and its hits; an id, a number, or the beginning of a text.", metavar="ID"),
    ] = None,
    worst: Annotated[
        int | None, Opt("Show this many queries, those with the lowest values of the first measure.", COUNT)
    ] = None,
    run_file: Annotated[Path | None, Opt("Write the hits as a TREC run, with ir_metadata above it.")] = None,
    force: Force = False,
    *,
    report: Annotated[Reporting, reporting("nDCG@10<0.4", out=None, name=None, record=False)],
) -> None:
    """Show a RESULTS folder of any kind again, in any format; those of version 0.1 as well.

    Gates are checked against the numbers in the folder; those on a judge's scores that nothing vouches for are
    refused. Without --fail-if the exit code is 0, even if a gate of the original command failed.
    """
    from benchbench.errors import InputError
    from benchbench.report.draw import layout
    from benchbench.report.layouts import queries
    from benchbench.results.verdict import end
    from benchbench.stored import load

    if query is not None and worst is not None:
        raise InputError("--query shows one query, and --worst several; give either")
    result = load(results)
    gates = gates_of(result, report)
    if query is not None:
        drawn = queries.one_query(result, query)
    elif worst is not None:
        drawn = queries.worst(result, worst)
    else:
        drawn = layout(result)
    if run_file is not None:
        _write_run(result, results / "run.trec", run_file, force)
    report.show(result, drawn, results if query is None and worst is None else None)
    end(gates)


def gates_of(result: "Result", report: Reporting) -> "list[GateResult]":
    """Return what becomes of the gates of `--fail-if` with the numbers of a stored result, and put it in its record."""
    from benchbench.results.checks import check
    from benchbench.results.gates import as_gates, kind_and_name, parse_gate

    numbers = result.record.numbers
    kinds = {kind_and_name(number.name)[0] for number in numbers}
    tests = [kind.removeprefix("p_") for kind in kinds if kind.startswith("p_")]
    gates = check(as_gates(report.fail_if, partial(parse_gate, tests=tests)), numbers, _refusals(result))
    if gates:
        result.describe(gates=gates)
    return gates


def _refusals(result: "Result") -> "Refusals":
    """Return which numbers of a judge no gate may go by, as where they were judged."""
    from benchbench.results.checks import Refusal

    way_out = "--trust-judge uses it anyway, where it was judged"
    return {
        name: Refusal(refusal.why, way_out if refusal.way_out else "") for name, refusal in result.refusals().items()
    }


def _write_run(result: "Result", run: Path, path: Path, force: bool) -> None:
    """Write a run with its metadata above it; the file appears whole or not at all."""
    from benchbench.errors import InputError
    from benchbench.prepare.files import together
    from benchbench.results.ir_metadata import header

    if not run.is_file():
        raise InputError(f"{run.parent} has no {run.name} to write with its metadata")
    if is_same_file(run, path):
        raise InputError(f"--run-file {path} is the run itself; name another file")
    with (
        together(path.parent, [path.name], force, "--run-file") as parts,
        run.open("rb") as source,
        parts[path.name].open("wb") as to,
    ):
        to.write(header(result.record).encode())
        while block := source.read(1 << 20):
            to.write(block)
