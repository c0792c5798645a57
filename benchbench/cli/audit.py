"""`benchbench audit DATASET`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from benchbench.audit.settings import AuditSettings
from benchbench.cli import common, data_sets, progress
from benchbench.cli.options import encoding, loudness, service_options
from benchbench.cli.parameters import Named
from benchbench.cli.project_file import Command
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.settings_options import settings_options

if TYPE_CHECKING:
    from benchbench.client.service import Service


@click.command(cls=Command, name="audit")
@click.argument("place", metavar="[DATASET]", required=False, type=Named("synthetic-cases"))
@data_sets.data_set_options
@settings_options(AuditSettings)
@click.option("--url", metavar="URL", help="Service to audit too: does it return what is in the collection?")
@service_options
@reporting("errors>0", "near_duplicates>0", "possible_nDCG@10<1")
@encoding
@loudness
def command(
    place: str | None,
    url: str | None,
    service: "Callable[[str | None, int], Service]",
    encoding: str | None,
    settings: dict[str, Any],
    report: Reporting,
    **others: Any,
) -> None:
    """Say what makes the scores of a data set lie: which queries it concerns, and what it does to the score.

    DATASET is what --dataset takes. With --url a service is asked too: whether it returns
    the documents of the collection, the same ones twice, and a document that is asked for by its own text.

    Exit codes: 1 for a gate that failed, 2 for data that cannot be read, 3 where the service cannot be reached, 4 where
    nothing of what it answers can be read.
    """
    from benchbench.audit.run import audit, names
    from benchbench.audit.source import audited
    from benchbench.errors import TooManyFailuresError
    from benchbench.formats.datasets.locate import located

    given = AuditSettings(**settings)
    asked = None if url is None else service(url, given.concurrency)
    gates = report.gates(names(given, asked is not None))
    data = located(data_sets.with_argument(data_sets.named(others), place))
    common.tell_batch_size(asked, given.batch_size, report.quiet)
    with progress.line(report.quiet) as show:
        found = audit(audited(data, encoding), given, asked, show)
    report.describe(found, gates)
    report.finish(found)
    if found.unanswered:
        raise TooManyFailuresError(f"{found.service} answered nothing that can be read: failed_queries says why")
