"""`benchbench profile metrics` and `benchbench profile client`."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from benchbench.cli import common, progress
from benchbench.cli.numbers import Number
from benchbench.cli.options import loudness
from benchbench.cli.parameters import Choice, Option
from benchbench.cli.project_file import Group
from benchbench.cli.reporting import Reporting, reporting
from benchbench.profile.tools import PEERS
from benchbench.tables.numbers import TIMEOUT, Range

if TYPE_CHECKING:
    from benchbench.profile.profile_result import Profile
    from benchbench.results.gates import Gate


@click.group(cls=Group, name="profile")
def command() -> None:
    """Measure this engine's own throughput on this machine, beside its peers."""


@command.command(name="metrics")
@common.limit(50_000, "Queries to score.", "--queries", name="queries")
@click.option("--depth", type=Number(Range(1, 100_000)), default=100, show_default=True, help="Hits per query.")
@click.option("--judged", type=Number(Range(1, 100_000)), default=10, show_default=True, help="Judgments per query.")
@common.repeat
@common.seed(7)
@click.option(
    "--peers",
    cls=Option,
    listed=True,
    type=Choice(PEERS),
    metavar="PEER,…",
    help=f"Tools to measure beside it, of {', '.join(PEERS)}.  [default: all installed]",
)
@click.option(
    "--timeout",
    type=Number(TIMEOUT),
    default=600.0,
    show_default=True,
    help="Seconds that one process may take.",
)
@reporting("whole_process_ratio>1.1")
@loudness
def metrics(
    queries: int,
    depth: int,
    judged: int,
    rounds: int,
    seed: int,
    peers: tuple[str, ...],
    timeout: float,
    report: Reporting,
) -> None:
    """Measure scoring: time and memory of `benchbench score`, in turn with tools that do the same.

    It writes a run of its own to the folder for temporary files (TMPDIR), 190 MB with the defaults, and computes twelve
    measures. The row of a peer that fails says why.
    """
    from benchbench.profile import tools
    from benchbench.profile.profile_result import FIGURES
    from benchbench.profile.scoring_speed import ScoringWorkload, measure

    gates = report.gates([name for name, _, _ in FIGURES["metrics"]])
    compared = [tools.ours(), *tools.peers(peers)]
    with progress.line(report.quiet) as show:
        profile = measure(ScoringWorkload(queries, depth, judged, seed), compared, rounds, timeout, _doing(show))
    _finish(report, profile, gates)


@command.command(name="client")
@common.limit(6_400, "Queries to ask.", "--queries", name="queries")
@click.option("--batch-size", type=Number(Range(1, 4_096)), default=32, show_default=True, help="Queries per request.")
@common.top_k(20, Range(1, 1_000), "--hits", name="hits")
@common.concurrency(4)
@common.repeat
@reporting("queries_per_s<1000")
@loudness
def client(queries: int, batch_size: int, hits: int, concurrency: int, rounds: int, report: Reporting) -> None:
    """Measure the client against a service whose answers are ready, in turn with the usual loop of requests.

    Answers with texts and without, from a process of its own on a free loopback port. Beside it stand a sequential
    loop of requests (http.client where that is not installed), json and md5, and what one core can parse and hash
    without a network. The row of a client that fails says why. A second table has the time of each stage of an answer,
    from the request to judged hits.
    """
    from benchbench.formats.collection import read_collection
    from benchbench.formats.datasets.data_set import DEFAULT
    from benchbench.formats.datasets.locate import locate
    from benchbench.profile import clients
    from benchbench.profile.client import ClientWorkload, measure
    from benchbench.profile.profile_result import FIGURES, STAGE_FIGURES
    from benchbench.tasks.criteria import Criteria
    from benchbench.tasks.judging import judging_of

    data = locate(DEFAULT)
    assert data.collection is not None
    judging, documents = judging_of(Criteria(), data), read_collection(data.collection)
    gates = report.gates([name for name, _, _ in (*FIGURES["client"], *STAGE_FIGURES)])
    compared = [clients.ours(), *clients.peers()]
    with progress.line(report.quiet) as show:
        profile = measure(
            ClientWorkload(queries, batch_size, hits, concurrency), judging, documents, compared, rounds, _doing(show)
        )
    _finish(report, profile, gates)


def _finish(report: Reporting, profile: "Profile[Any]", gates: "Sequence[Gate]") -> None:
    from benchbench.errors import BenchbenchError

    report.describe(profile, gates)
    report.finish(profile)
    ours, of = profile.record.subject[0].name, profile.found.scope[-1]
    for failure in profile.record.failures:
        if failure.scope.get(of, ours) == ours:  # stages are ours
            raise BenchbenchError(f"benchbench itself was not measured: {failure.reason}")


def _doing(show: Callable[[str], None]) -> Callable[[int, int, str], None]:
    return lambda done, total, doing: show(f"Measuring: {done} of {total}, {doing}")
