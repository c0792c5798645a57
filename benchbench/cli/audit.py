"""`benchbench audit DATASET`."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchbench.cli import common, progress
from benchbench.cli.numbers import Number
from benchbench.cli.options import encoding, loudness, service_options
from benchbench.cli.parameters import PATH, Named, Option
from benchbench.cli.project_file import Command
from benchbench.cli.reporting import Reporting, reporting
from benchbench.tables.numbers import BATCH, COUNT, COUNT_OR_0, HITS, Range

if TYPE_CHECKING:
    from benchbench.client.service import Service


@click.command(cls=Command, name="audit")
@click.argument("dataset", type=Named("synthetic-cases"))
@click.option("--collection", type=PATH, help="Collection, where it is not beside the queries.")
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
    help="Documents compared as near-duplicates; 0: all.",
)
@click.option(
    "--max-tokens", type=Number(COUNT), default=512, show_default=True, help="Tokens from which a text is long."
)
@click.option("--url", metavar="URL", help="Service to audit too: does it return what is in the collection?")
@service_options
@common.limit(100, "Queries, and documents, that the service is asked for.")
@common.top_k(20)
@click.option("--batch-size", type=Number(BATCH), default=32, show_default=True, help="Queries per request.")
@common.concurrency(8)
@reporting("errors>0", "near_duplicates>0", "possible_nDCG@10<1")
@encoding
@loudness
def command(
    dataset: str,
    collection: Path | None,
    cutoff: int,
    near: float,
    sample: int,
    max_tokens: int,
    url: str | None,
    service: "Callable[[str | None, int], Service]",
    limit: int,
    top_k: int,
    batch_size: int,
    concurrency: int,
    encoding: str | None,
    report: Reporting,
) -> None:
    """Say what makes the scores of a data set lie: which queries it concerns, and what it does to the score.

    DATASET is a path or a name, as --dataset of `run` takes it. With --url a service is asked too: whether it returns
    the documents of the collection, the same ones twice, and a document that is asked for by its own text.
    """
    from benchbench.audit.outcome import audit
    from benchbench.audit.record import names
    from benchbench.audit.settings import AuditSettings
    from benchbench.audit.source import audited
    from benchbench.formats.card import locate

    settings = AuditSettings(cutoff, near, sample, max_tokens, limit, top_k, batch_size, concurrency)
    asked = None if url is None else service(url, concurrency)
    gates = report.gates(names(settings, asked is not None))
    data = locate(dataset)
    if collection is not None:
        data = replace(data, collection=collection)
    with progress.line(report.quiet) as show:
        found = audit(audited(data, dataset, encoding), settings, asked, show)
    report.describe(found, gates)
    report.finish(found)
