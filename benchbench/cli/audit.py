"""`benchbench audit DATASET`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from benchbench.cli import common, data_sets, progress
from benchbench.cli.numbers import Number
from benchbench.cli.options import encoding, loudness, service_options
from benchbench.cli.parameters import Named, Option
from benchbench.cli.project_file import Command
from benchbench.cli.reporting import Reporting, reporting
from benchbench.tables.numbers import BATCH, COUNT, COUNT_OR_0, HITS, Range

if TYPE_CHECKING:
    from benchbench.client.service import Service


@click.command(cls=Command, name="audit")
@click.argument("place", metavar="[DATASET]", required=False, type=Named("synthetic-cases"))
@data_sets.data_set_options
@click.option(
    "-k",
    "--cutoff",
    cls=Option,
    type=Number(HITS),
    default=10,
    show_default=True,
    help="Cut-off of the scores that effects are told in.",
)
@click.option(
    "--near",
    type=Number(Range(0.1, 1, whole=False)),
    default=0.8,
    show_default=True,
    help="Jaccard index from which two texts are near-duplicates.",
)
@click.option(
    "--sample",
    type=Number(COUNT_OR_0),
    default=100_000,
    show_default=True,
    help="Documents, and queries, compared as near-duplicates; 0: all.",
)
@click.option(
    "--max-tokens", type=Number(COUNT), default=512, show_default=True, help="Tokens from which a text is long."
)
@click.option("--url", metavar="URL", help="Service to audit too: does it return what is in the collection?")
@service_options
@common.limit(100, "Queries, and documents, that the service is asked for.")
@common.top_k(20)
@click.option(
    "--batch-size",
    type=Number(BATCH),
    help="Queries per request.  [default: 32, or 1 where the protocol takes one query per request]",
)
@common.concurrency(8)
@reporting("errors>0", "near_duplicates>0", "possible_nDCG@10<1")
@encoding
@loudness
def command(
    place: str | None,
    cutoff: int,
    near: float,
    sample: int,
    max_tokens: int,
    url: str | None,
    service: "Callable[[str | None, int], Service]",
    limit: int,
    top_k: int,
    batch_size: int | None,
    concurrency: int,
    encoding: str | None,
    report: Reporting,
    **others: Any,
) -> None:
    """Say what makes the scores of a data set lie: which queries it concerns, and what it does to the score.

    DATASET is what --dataset takes. With --url a service is asked too: whether it returns
    the documents of the collection, the same ones twice, and a document that is asked for by its own text.

    Exit codes: 1 for a gate that failed, 2 for data that cannot be read, 3 where the service cannot be reached, 4 where
    nothing of what it answers can be read.
    """
    from benchbench.audit.outcome import audit
    from benchbench.audit.record import names
    from benchbench.audit.settings import AuditSettings
    from benchbench.audit.source import audited
    from benchbench.errors import TooManyFailuresError
    from benchbench.formats.datasets.locate import located

    settings = AuditSettings(
        cutoff,
        near,
        sample,
        max_tokens,
        limit,
        top_k,
        batch_size,  # type: ignore[arg-type]  # None is what the protocol allows
        concurrency,
    )
    asked = None if url is None else service(url, concurrency)
    gates = report.gates(names(settings, asked is not None))
    data = located(data_sets.with_argument(data_sets.named(others), place))
    common.tell_batch_size(asked, batch_size, report.quiet)
    with progress.line(report.quiet) as show:
        found = audit(audited(data, encoding), settings, asked, show)
    report.describe(found, gates)
    report.finish(found)
    if found.unanswered:
        raise TooManyFailuresError(f"{found.service} answered nothing that can be read: failed_queries says why")
