"""`benchbench audit DATASET`."""

from typing import Annotated

from benchbench.audit.audit_settings import AuditSettings
from benchbench.cli import progress
from benchbench.cli.data_sets import with_argument
from benchbench.cli.options import ServiceOptions, tell_batch_size
from benchbench.cli.parameters import Named
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.signatures import Argument, described_command
from benchbench.formats.datasets.data_set_options import DEFAULT, DataSetOptions
from benchbench.results.settings import SERVICE, Encoding, Opt


@described_command("audit")
def command(
    place: Annotated[str | None, Argument("[DATASET]"), Named(DEFAULT)] = None,
    *,
    named: DataSetOptions,
    settings: AuditSettings,
    url: Annotated[str | None, Opt("Service to audit too.", metavar="URL", section=SERVICE)] = None,
    service: ServiceOptions,
    report: Annotated[Reporting, reporting("errors>0", "near_duplicates>0", "possible_nDCG@10<1")],
    encoding: Encoding = None,
) -> None:
    """Say what makes the scores of a data set lie: which queries it concerns, and what it does to the score.

    DATASET is what --dataset takes. With --url a service is asked too: whether it returns
    the documents of the collection, the same ones twice, and a document that is asked for by its own text.

    Exit codes: 1 for a gate that failed, 2 for data that cannot be read, 3 where the service cannot be reached, 4 where
    nothing of what it answers can be read.

    Examples
    --------
    benchbench audit scifact  # what makes its scores lie
    benchbench audit scifact --html audit.html  # as a page
    benchbench audit scifact --url http://127.0.0.1:8000  # does the service return all?
    """
    from benchbench.audit.audit_run import audit, names
    from benchbench.audit.source import audited
    from benchbench.errors import TooManyFailuresError
    from benchbench.formats.datasets.locate import located

    asked = None if url is None else service.at(url, settings.concurrency)
    gates = report.gates(names(settings, asked is not None))
    data = located(with_argument(named, place))
    tell_batch_size(asked, settings.batch_size, report.quiet)
    with progress.line(report.quiet) as show:
        found = audit(audited(data, encoding), settings, asked, show)
    report.describe(found, gates)
    report.finish(found)
    if found.unanswered:
        raise TooManyFailuresError(f"{found.service} answered nothing that can be read: failed_queries says why")
