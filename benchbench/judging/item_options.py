"""What is judged, as on the command line: pairs of query and document, and nuggets."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from benchbench.results.ranges import COUNT, COUNT_OR_0, HITS
from benchbench.results.settings import Encoding, Opt

SAMPLE = 200  # labels by people that the judge is compared with
MEASURES = ("nDCG@10",)


@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)  # a base
class PairOptions:
    """Which pairs are judged, and what the labels are compared with."""

    depth: Annotated[
        int | None,
        Opt(
            "Hits to judge per query and run.",
            HITS,
            ("-k", "--cutoff"),
            "10; with --holes the deepest cut-off of -m",
            old=("--depth",),
        ),
    ] = None
    pairs: Annotated[Path | None, Opt("Judge the pairs in this file of judgments instead of runs.")] = None
    holes: Annotated[bool, Opt("Judge only the unjudged hits of the compared RUNs, for queries with judgments.")] = (
        False
    )
    measures: Annotated[
        tuple[Any, ...],
        Opt("With --holes: measures whose differences are shown before and after.", flags=("-m", "--measure")),
    ] = MEASURES
    limit: Annotated[int | None, Opt("Pairs to judge, drawn with --seed.", COUNT, default="all")] = None
    compare_with: Annotated[
        Path | None, Opt("Labels by people to compare the judge with.", default="those of the data set")
    ] = None
    compare_sample: Annotated[
        int, Opt("How many of these to ask the judge about, only for the comparison; 0: none.", COUNT_OR_0)
    ] = SAMPLE
    ranked_by: Annotated[
        tuple[str, ...],
        Opt(
            "Model that retrieved or reranked; run tags are checked as well.",
            metavar="MODEL",
        ),
    ] = ()
    encoding: Encoding = None


@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)  # a base
class NuggetOptions:
    """How nuggets are assigned, and what runs are compared with."""

    baseline: Annotated[str | None, Opt("Run to compare with.", default="of two runs the first", metavar="RUN")] = None
    window: Annotated[int, Opt("Nuggets per request to the judge.", COUNT)] = 10  # as the track's tool does
    answered_by: Annotated[
        str | None, Opt("Model that wrote the answers, if runs have other names.", metavar="NAME")
    ] = None
