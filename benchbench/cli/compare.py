"""`benchbench compare QRELS RUN_A RUN_B…` and `benchbench compare RESULTS_A RESULTS_B…`."""

from collections.abc import Collection, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from benchbench.cli.options import ScoringOptions
from benchbench.cli.parameters import long_name, on_the_line
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.screen import screen
from benchbench.cli.signatures import Argument, Fields, described_command
from benchbench.errors import InputError
from benchbench.results.settings import AllowDifferent, Encoding, Moved, Opt
from benchbench.significance.comparison_settings import CompareSettings

if TYPE_CHECKING:
    from benchbench.comparison.stored_results import StoredLoad
    from benchbench.formats.qrels_runs import Qrels
    from benchbench.results.result import Result

_OF_TESTS = {field.name for field in fields(CompareSettings)} - {"baseline", "alpha", "resamples", "seed"}
_OF_JUDGMENTS = {*_OF_TESTS, "allow_different", "pairs", "no_positives", "rel"}  # say nothing of runs alone
_OF_QUERIES = {*_OF_TESTS, "resamples", "measures", "moved", "pairs", "queries", "collection", "encoding", "ties",
               "score_precision", "no_positives", "rel", "strict"}  # fmt: skip  # … and nothing of load tests
_TOO_FEW = "a comparison needs QRELS and two runs or more, two results folders or more, or two runs or more alone"
_WIDEST = 160  # columns that a failure list takes of a wide terminal


@described_command("compare")
def command(
    sources: Annotated[tuple[Path, ...], Argument("QRELS RUN… | RESULTS… | RUN…")],
    measures: Annotated[
        tuple[str, ...],
        Opt(
            "Measures, as `score` or gates name them.",
            flags=("-m", "--measure"),
            default="nDCG@10,…",
        ),
    ] = (),
    run_names: Annotated[
        tuple[str, ...], Opt("Name of each run, in their order.", flags=("--run-name",), default="as its file")
    ] = (),
    names: Annotated[tuple[str, ...], Opt("What this result is called.", flags=("--name",), is_repeated=True)] = (),
    *,
    settings: Annotated[dict[str, Any], Fields(CompareSettings)],
    moved: Moved = 5,
    pairs: Annotated[str | None, Opt("Show the pairs of this system, or all pairs.", metavar="SYSTEM|all")] = None,
    queries: Annotated[Path | None, Opt("Texts and columns of queries: JSONL, CSV, Parquet.")] = None,
    collection: Annotated[Path | None, Opt("Collection with the texts of the documents to show.")] = None,
    allow_different: AllowDifferent = False,
    report: Annotated[Reporting, reporting("Δ nDCG@10<-0.01 and p<0.05", name=None)],
    scoring: ScoringOptions,
    encoding: Encoding = None,
) -> None:
    """Say whether runs differ: paired tests, intervals, corrections, slices, and the queries that moved most.

    QRELS and two or more RUNs as `score` takes them; or two or more RESULTS folders of `run`, with those of `load`
    beside them. RUNs alone, without QRELS, are compared with one another: overlap@k, RBO, tau, and changed top hits.

    Examples
    --------
    benchbench compare qrels.trec a.run b.run  # is the difference real?
    benchbench compare results/before results/after  # two stored results
    benchbench compare qrels.trec a.run b.run c.run d.run --pairs a  # every pair of one system
    """
    from benchbench.comparison.runs import Sources

    if len(names) > 1:
        if run_names:
            raise InputError("--name is what the result is called; give it once")
        run_names = names
    report = replace(report, name=names[0] if len(names) == 1 else None)
    shown = moved > 0 and report.output in ("text", "json")
    baseline = settings.pop("baseline")
    settings |= {
        "allow_different": allow_different,
        "moved": moved,
        "fail_if": report.fail_if,
        "evidence": shown or report.html is not None or report.out is not None,
    }
    options: dict[str, Any] = {"run_name": list(run_names)}
    outcome: Result
    if _are_folders(sources) and (tests := _load_tests(sources)):
        from benchbench.comparison.load_pairs import compare_loads

        _refuse(_OF_QUERIES, "is about queries, and load tests are compared by their repeats")
        taken = {name: settings[name] for name in ("alpha", "seed", "allow_different", "fail_if")}
        outcome = compare_loads(tests, baseline, names=run_names, **taken)
    elif _are_folders(sources):
        from benchbench.comparison.folders import compare_results

        texts = Sources(None, queries, collection, encoding)
        outcome = compare_results(sources, measures, baseline, names=run_names, sources=texts, **settings)
    elif (judged := _judgments(sources)) is None:
        from benchbench.comparison.agreement import LEAD, compare_runs
        from benchbench.comparison.run_names import baseline_among
        from benchbench.measures.agreement import DEFAULT

        _refuse(_OF_JUDGMENTS, "needs judgments, and all files are runs")
        named = _named(sources, run_names)
        outcome = compare_runs(
            {name: scoring.read(path) for name, path in named.items()},
            measures or DEFAULT,
            baseline_among(named, baseline),
            **{name: settings[name] for name in ("alpha", "resamples", "seed", "moved", "fail_if")},
            sources=Sources(None, queries, collection, encoding),
            lead=LEAD.replace(":", f": {sources[0]} is a run, so", 1),
        )
        options |= scoring.described("strict", "score_precision")
    else:
        from benchbench.comparison.run_names import baseline_among
        from benchbench.comparison.runs import MEASURES, compare
        from benchbench.measures.notation import resolve, with_rel

        qrels, *paths = sources
        named = _named(paths, run_names)
        wanted = resolve(measures or MEASURES)
        wanted = wanted if scoring.rel is None else [with_rel(measure, scoring.rel) for measure in wanted]
        runs = {name: scoring.read(path) for name, path in named.items()}
        outcome = compare(
            judged,
            runs,
            wanted,
            baseline_among(named, baseline),
            no_positives=scoring.no_positives,
            sources=Sources(qrels, queries, collection, encoding),
            **settings,
        )
        options |= scoring.described()
    outcome.describe(options=options)
    if len(names) > 1 and not report.quiet:
        click.echo("--name, given several times, is called --run-name", err=True)
    report.describe(outcome)
    drawn: dict[str, Any] = {} if outcome.kind == "loads" else {"width": min(screen().columns, _WIDEST)}
    if pairs is not None:
        drawn["pairs"] = pairs
    report.finish(outcome, **drawn)


def _are_folders(sources: Sequence[Path]) -> bool:
    from benchbench.formats.shards import are_shards

    folders = [path for path in sources if path.is_dir() and not are_shards(path)]
    if folders and len(folders) < len(sources):
        other = next(path for path in sources if path not in folders)
        raise InputError(
            f"{folders[0]} is a folder and {other} is {'not' if other.exists() else 'not there'}; give QRELS and RUNs, "
            "or RESULTS folders"
        )
    return bool(folders)


def _load_tests(folders: Sequence[Path]) -> "list[StoredLoad]":
    """Return the load tests, where all folders are of load; none where there is a run among them."""
    from benchbench.comparison.stored_results import StoredLoad, read_results

    if len(folders) < 2:
        return []
    stored = [results for folder in folders for results in read_results(folder)]
    loads = [results for results in stored if isinstance(results, StoredLoad)]
    return loads if len(loads) == len(stored) else []


def _refuse(names: Collection[str], why: str) -> None:
    """Refuse what was asked for and says nothing of what is compared."""
    context = click.get_current_context()
    for parameter in context.command.params:
        if parameter.name in names and on_the_line(context, parameter.name):
            raise InputError(f"{long_name(parameter)} {why}")


def _judgments(sources: Sequence[Path]) -> "Qrels | None":
    """Return the judgments that the first file has; None where all files are runs."""
    from benchbench.formats.swapped_files import read_judgments

    if len(sources) < 2:
        raise InputError(_TOO_FEW)
    return read_judgments(sources[0], sources[1:])


def _named(runs: Sequence[Path], names: Sequence[str]) -> dict[str, Path]:
    """Return the runs by name: as given, or else by as much of their paths as tells them apart."""
    from benchbench.comparison.run_names import run_names
    from benchbench.formats.source import stem

    if len(runs) < 2:
        raise InputError(_TOO_FEW)
    ways = [[way(path) for path in runs] for way in (stem, lambda path: path.name, str)]
    return dict(zip(run_names(names, ways), runs, strict=True))
