"""`benchbench judge agreement HUMAN JUDGE…`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchbench.cli.common import seed as seed_option
from benchbench.cli.numbers import Number
from benchbench.cli.options import encoding, loudness
from benchbench.cli.parameters import PATH, Named, Option
from benchbench.cli.project_file import Command
from benchbench.cli.reporting import Reporting, reporting
from benchbench.tables.numbers import ALPHA

if TYPE_CHECKING:
    from benchbench.formats.records import Part
    from benchbench.judging.agreement.grades import Grades
    from benchbench.judging.agreement.suspects import Suspects


@click.command(cls=Command, name="agreement")
@click.argument("human", type=PATH)
@click.argument("judges", type=PATH, nargs=-1, required=True, metavar="JUDGE…")
@click.option(
    "--judge-name",
    "judge_names",
    cls=Option,
    listed=True,
    help="Name of each judge, in their order.  [default: as the file names it, or as the file]",
)
@click.option(
    "--run", "runs", cls=Option, listed=True, type=PATH, help="Systems to rank under people and judge: run files."
)
@click.option(
    "-m",
    "--measure",
    "measures",
    cls=Option,
    listed=True,
    default=("nDCG@10",),
    show_default=True,
    help="Measures that --run is ranked by, as `score` takes them.",
)
@click.option(
    "--dataset",
    type=Named("synthetic-cases"),
    help="Data set that was judged: calibrations are bound to it, and its texts show whether grades go by length.",
)
@click.option("--collection", type=PATH, help="Documents, whose texts show whether grades go by length.")
@click.option(
    "--items",
    "pairs",
    type=PATH,
    help="Table of pairs: query_id, doc_id, and length, position, position_again or model (JSONL, CSV, Parquet).",
)
@click.option("--again", type=PATH, help="The same judge's grades of the same pairs, asked in another order.")
@click.option("--shown-in", "order", type=PATH, help="Run in whose order the judge was shown the documents.")
@click.option("--own", metavar="MODEL", help="What --items calls the judge's own model.  [default: the judge's]")
@click.option(
    "--own-run", type=PATH, help="Run that the judge's own model has ranked: its first 10 hits are its own choice."
)
@click.option(
    "--alpha",
    type=Number(ALPHA),
    default=0.05,
    show_default=True,
    help="Largest p-value that counts.",
)
@seed_option(0)
@reporting("low kappa<0.4", "kappa@2<0.6")
@encoding
@loudness
def command(
    human: Path,
    judges: tuple[Path, ...],
    judge_names: tuple[str, ...],
    runs: tuple[Path, ...],
    measures: tuple[str, ...],
    dataset: str | None,
    collection: Path | None,
    pairs: Path | None,
    again: Path | None,
    order: Path | None,
    own: str | None,
    own_run: Path | None,
    alpha: float,
    seed: int,
    encoding: str | None,
    report: Reporting,
) -> None:
    """Say how far to trust judges: agreement with people, on all grades and on each cut, with intervals by query.

    HUMAN has people's labels, each JUDGE those of a judge: files of judgments as `score` takes them, or the results
    folder of `judge relevance`. No model is asked. With --run: whether the judge ranks systems as people do, and what
    its labels are worth where people have labelled some of the queries.

    --out keeps the calibration, which the gates of other commands ask for.
    """
    from benchbench.formats.qrels_runs import scan_run
    from benchbench.judging.agreement.grades import read_judges, read_people, renamed
    from benchbench.judging.agreement.run import judge_agreement

    people = read_people(human)
    given = renamed([one for path in judges for one in read_judges(path, bool(judge_names))], judge_names)
    digest, suspects = _suspects(people, given, dataset, collection, pairs, again, order, own, own_run, encoding)
    systems = {name: scan_run(path) for name, path in _named(runs).items()}
    found = judge_agreement(
        people, given, systems, measures, suspects=suspects, alpha=alpha, seed=seed, data=digest, fail_if=report.fail_if
    )
    report.describe(found)
    report.finish(found)


def _suspects(
    people: "Grades",
    judges: "list[Grades]",
    dataset: str | None,
    collection: Path | None,
    pairs: Path | None,
    again: Path | None,
    order: Path | None,
    own: str | None,
    own_run: Path | None,
    encoding: str | None,
) -> "tuple[str, Suspects]":
    """Return the digest of the data set, empty without one, and what grades may go by."""
    import numpy as np

    from benchbench.formats.qrels_runs import Qrels, Run
    from benchbench.judging.agreement.pair_columns import read_lengths, read_pair_columns
    from benchbench.judging.agreement.suspects import Suspects

    digest = ""
    part: Part | Path | None = collection
    if dataset is not None:
        from benchbench.formats.datasets.data_set import DataSetOptions
        from benchbench.formats.datasets.locate import located
        from benchbench.formats.datasets.reading import read_queries

        data = located(DataSetOptions(dataset=dataset, collection=collection))
        digest, part = read_queries(data, encoding).digest, data.collection
    documents = np.concatenate([one.qrels.document for one in (people, *judges)])
    return digest, Suspects(
        None if part is None else read_lengths(part, documents, encoding),
        None if pairs is None else read_pair_columns(pairs, encoding),
        None if again is None else Qrels.from_file(again),
        None if order is None else Run.from_file(order),
        own or "",
        None if own_run is None else Run.from_file(own_run),
    )


def _named(runs: tuple[Path, ...]) -> dict[str, Path]:
    """Return the runs by name: as much of their paths as tells them apart."""
    from benchbench.comparison.run_names import run_names
    from benchbench.judging.agreement.grades import stem

    if not runs:
        return {}
    ways = [[way(path) for path in runs] for way in (stem, str)]
    return dict(zip(run_names((), ways), runs, strict=True))
