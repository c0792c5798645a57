"""`benchbench profile metrics` and `benchbench profile client`."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import click

from benchbench.cli import progress
from benchbench.cli.groups import Group
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.signatures import described_command
from benchbench.profile.tools import PEERS
from benchbench.results.ranges import COUNT, TIMEOUT, Range
from benchbench.results.settings import Concurrency, Opt, Seed

if TYPE_CHECKING:
    from benchbench.profile.profile_result import ProfileResult
    from benchbench.results.gates import Gate


Rounds = Annotated[int, Opt("How many times each is measured.", COUNT, ("--repeat",), old=("--rounds",))]


@click.group(cls=Group, name="profile")
def command() -> None:
    """Measure this engine's own throughput on this machine, beside its peers."""


@described_command("metrics", within=command)
def metrics(
    queries: Annotated[int, Opt("Queries to score.", COUNT, ("--limit",), old=("--queries",))] = 50_000,
    depth: Annotated[int, Opt("Hits per query.", Range(1, 100_000))] = 100,
    judged: Annotated[int, Opt("Judgments per query.", Range(1, 100_000))] = 10,
    rounds: Rounds = 3,
    seed: Seed = 7,
    peers: Annotated[
        tuple[str, ...],
        Opt(f"{', '.join(PEERS)}.", PEERS, default="all", metavar="PEER,…"),
    ] = (),
    timeout: Annotated[float, Opt("Seconds that one process may take.", TIMEOUT)] = 600.0,
    *,
    report: Annotated[Reporting, reporting("whole_process_ratio>1.1")],
) -> None:
    """Measure scoring: time and memory of `benchbench score`, in turn with tools that do the same.

    It writes a run to the folder for temporary files (TMPDIR), 190 MB with the defaults, and computes twelve
    measures. The row of a peer that fails says why.

    Examples
    --------
    benchbench profile metrics  # how fast scoring is here
    benchbench profile metrics --peers pytrec_eval  # beside one other
    benchbench profile metrics --format json  # for a program
    """
    from benchbench.profile import tools
    from benchbench.profile.profile_result import FIGURES
    from benchbench.profile.scoring_speed import ScoringWorkload, measure

    gates = report.gates(FIGURES["metrics"])
    compared = [tools.ours(), *tools.peers(peers)]
    with progress.line(report.quiet) as show:
        profile = measure(ScoringWorkload(queries, depth, judged, seed), compared, rounds, timeout, _doing(show))
    _finish(report, profile, gates)


@described_command("client", within=command)
def client(
    queries: Annotated[int, Opt("Queries to ask.", COUNT, ("--limit",), old=("--queries",))] = 6_400,
    batch_size: Annotated[int, Opt("Queries per request.", Range(1, 4_096))] = 32,
    hits: Annotated[int, Opt("Hits to ask for per query.", Range(1, 1_000), ("--top-k",), old=("--hits",))] = 20,
    concurrency: Concurrency = 4,
    rounds: Rounds = 3,
    *,
    report: Annotated[Reporting, reporting("queries_per_s<1000")],
) -> None:
    """Measure the client against a service whose answers are ready, in turn with the usual loop of requests.

    Answers with texts and without, from a separate process on a free loopback port. Beside it stand a sequential
    loop of requests (http.client where that is not installed), json and md5, and what one core can parse and hash
    without a network. The row of a client that fails says why. A second table has the time of each stage of an answer,
    from the request to judged hits.

    Examples
    --------
    benchbench profile client  # how fast the client is here
    benchbench profile client --html client.html  # as a page
    benchbench profile client --format json  # for a program
    """
    from benchbench.formats.collection import read_collection
    from benchbench.formats.datasets.data_set_options import DEFAULT
    from benchbench.formats.datasets.locate import locate
    from benchbench.profile import clients
    from benchbench.profile.client import ClientWorkload, measure
    from benchbench.profile.profile_result import FIGURES
    from benchbench.tasks.criteria import Criteria
    from benchbench.tasks.judging import judging_of

    data = locate(DEFAULT)
    assert data.collection is not None
    judging, documents = judging_of(Criteria(), data), read_collection(data.collection)
    gates = report.gates([*FIGURES["client"], *FIGURES["stages"]])
    compared = [clients.ours(), *clients.peers()]
    with progress.line(report.quiet) as show:
        profile = measure(
            ClientWorkload(queries, batch_size, hits, concurrency), judging, documents, compared, rounds, _doing(show)
        )
    _finish(report, profile, gates)


def _finish(report: Reporting, profile: "ProfileResult", gates: "Sequence[Gate]") -> None:
    from benchbench.errors import BenchbenchError

    report.describe(profile, gates)
    report.finish(profile)
    ours, key = profile.record.subject[0].name, profile.measured.scope[-1]
    for failure in profile.record.failures:
        if failure.scope.get(key, ours) == ours:  # stages are ours
            raise BenchbenchError(f"benchbench itself was not measured: {failure.reason}")


def _doing(show: Callable[[str], None]) -> Callable[[int, int, str], None]:
    return lambda done, total, doing: show(f"Measuring: {done} of {total}, {doing}")
