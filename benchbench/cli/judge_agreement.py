"""`benchbench judge agreement HUMAN JUDGE…`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from benchbench.cli.judge import named
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.signatures import Argument, File, Options, described_command
from benchbench.formats.datasets.data_set_options import DEFAULT, DataSetOptions
from benchbench.results.ranges import ALPHA
from benchbench.results.settings import Encoding, Opt, Seed

if TYPE_CHECKING:
    from benchbench.formats.records import Part
    from benchbench.judging.agreement.grades import Grades
    from benchbench.judging.agreement.suspects import Suspects


class SuspectOptions(Options):
    """What the grades of a judge may go by, besides relevance."""

    dataset: Annotated[
        str | None,
        Opt(
            "Data set that was judged.",
            completed=(DEFAULT,),
        ),
    ] = None
    collection: Annotated[Path | None, Opt("Documents, to see if grades go by length.")] = None
    pairs: Annotated[
        Path | None,
        Opt(
            "Table of pairs with length, position or model.",
            flags=("--items",),
        ),
    ] = None
    again: Annotated[Path | None, Opt("Grades of the same pairs in another order.")] = None
    order: Annotated[Path | None, Opt("Run in whose order the judge saw documents.", flags=("--shown-in",))] = None
    own: Annotated[str | None, Opt("The judge's own model in --items.", default="the judge's", metavar="MODEL")] = None
    own_run: Annotated[Path | None, Opt("Run that the judge's own model has ranked.")] = None

    def read(self, people: "Grades", judges: "list[Grades]", encoding: str | None) -> "tuple[str, Suspects]":
        """Return the digest of the data set, empty without one, and what grades may go by."""
        import numpy as np

        from benchbench.formats.qrels_runs import Qrels, Run
        from benchbench.judging.agreement.suspects import Suspects, read_lengths, read_pair_columns

        digest = ""
        part: Part | Path | None = self.collection
        if self.dataset is not None:
            from benchbench.formats.datasets.locate import located
            from benchbench.formats.datasets.reading import read_queries

            data = located(DataSetOptions(dataset=self.dataset, collection=self.collection))
            digest, part = read_queries(data, encoding).digest, data.collection
        documents = np.concatenate([grades.qrels.document for grades in (people, *judges)])
        return digest, Suspects(
            lengths=None if part is None else read_lengths(part, documents, encoding),
            columns=None if self.pairs is None else read_pair_columns(self.pairs, encoding),
            again=None if self.again is None else Qrels.from_file(self.again),
            order=None if self.order is None else Run.from_file(self.order),
            own=self.own or "",
            own_run=None if self.own_run is None else Run.from_file(self.own_run),
        )


@described_command("agreement")
def command(
    human: File,
    judges: Annotated[tuple[Path, ...], Argument("JUDGE…")],
    judge_names: Annotated[
        tuple[str, ...],
        Opt(
            "Name of each judge.",
            flags=("--judge-name",),
            default="as the file",
        ),
    ] = (),
    runs: Annotated[tuple[Path, ...], Opt("Systems to rank under people and judge: run files.", flags=("--run",))] = (),
    measures: Annotated[tuple[str, ...], Opt("Measures that --run is ranked by.", flags=("-m", "--measure"))] = (
        "nDCG@10",
    ),
    *,
    options: SuspectOptions,
    alpha: Annotated[float, Opt("Largest p-value that counts.", ALPHA)] = 0.05,
    seed: Seed = 0,
    report: Annotated[Reporting, reporting("low kappa<0.4", "kappa@2<0.6")],
    encoding: Encoding = None,
) -> None:
    """Say how far to trust judges: agreement with people, on all grades and on each cut, with intervals by query.

    HUMAN has people's labels, each JUDGE those of a judge: files of judgments as `score` takes them, or the results
    folder of `judge relevance`. No model is asked. With --run: whether the judge ranks systems as people do, and what
    its labels are worth where people have labelled some of the queries.

    --out keeps the calibration, which the gates of other commands ask for.

    Examples
    --------
    benchbench judge agreement human.qrels judge.qrels  # how far to trust a judge
    benchbench judge agreement human.qrels a.qrels b.qrels  # two judges
    benchbench judge agreement human.qrels judge.qrels --dataset scifact  # with its texts
    """
    from benchbench.formats.qrels_runs import scan_run
    from benchbench.formats.source import stem
    from benchbench.judging.agreement.agreement_run import judge_agreement
    from benchbench.judging.agreement.grades import read_judges, read_people, renamed

    people = read_people(human)
    given = renamed([judge for path in judges for judge in read_judges(path, bool(judge_names))], judge_names)
    digest, suspects = options.read(people, given, encoding)
    systems = {name: scan_run(path) for name, path in named(runs, stem, str).items()}
    result = judge_agreement(
        people, given, systems, measures, suspects=suspects, alpha=alpha, seed=seed, data=digest, fail_if=report.fail_if
    )
    report.describe(result)
    report.finish(result)
