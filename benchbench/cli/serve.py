"""`benchbench serve COLLECTION`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbench.cli import data_sets
from benchbench.cli.numbers import Number
from benchbench.cli.options import bm25, encoding, loudness
from benchbench.cli.parameters import PATH
from benchbench.cli.project_file import Command
from benchbench.errors import InputError, visible
from benchbench.tables.numbers import Range

if TYPE_CHECKING:
    from benchbench.tables.bm25_options import BM25Options

_NAMED = 5  # members that are too long


@click.command(cls=Command, name="serve")
@click.argument("source", metavar="COLLECTION", type=PATH, required=False)
@data_sets.data_set_options
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=Number(Range(0, 65_535)), default=0, show_default="a free one", help="Port.")
@click.option("--until-eof", is_flag=True, hidden=True, help="Stop when standard input ends.")
@bm25
@encoding
@loudness
def command(
    source: Path | None,
    host: str,
    port: int,
    until_eof: bool,
    bm25: "BM25Options",
    encoding: str | None,
    quiet: bool,
    **others: Any,
) -> None:
    """Serve a COLLECTION, or that of a data set of any make, with BM25.

    A hit comes with what the collection says of its document besides id, title and text: short members of its meta and
    beside the text, in meta.

    The URL is printed on standard output once the service listens. It stops on Ctrl-C or SIGTERM; requests
    in flight have two seconds to be answered.

    It answers to the name that --host gives it and to localhost, so that no page of the web reads the collection
    under a name of its own; behind --host 0.0.0.0, to any name.
    """
    import asyncio

    from benchbench.formats.collection import LONGEST, MOST, read_collection
    from benchbench.formats.datasets.locate import located, served_part
    from benchbench.serve.app import Service
    from benchbench.serve.run import serve

    given = data_sets.named(others)
    if source is not None and given.given():
        raise InputError(f"COLLECTION and {given.arguments()[0].partition('=')[0]} both name what is served; give one")
    if source is None and not given.given():
        raise InputError("name a collection, a data set or ir_datasets:ID, as in: benchbench serve corpus.jsonl")
    part = located(given).served() if source is None else served_part(str(source))
    documents = read_collection(part, encoding)
    service = Service(documents, bm25)

    def ready(url: str) -> None:
        click.echo(url)
        if until_eof:
            click.echo(service.about)  # for the parent
        if not quiet:
            click.echo(
                f"Serving {len(documents):,} documents of {part.path}: POST {url}/batch_search, "
                f"{url}/search; description at {url}/openapi.json. Ctrl-C stops.\n{service.about}",
                err=True,
            )
            if documents.left_out:
                names = [f"{visible(name, 60)} ({n:,})" for name, n in documents.left_out.items()]
                more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
                click.echo(
                    f"Too long for the meta of hits ({LONGEST:,} bytes per member, {MOST:,} per document), with the "
                    f"number of documents: {', '.join(names[:_NAMED])}{more}",
                    err=True,
                )

    asyncio.run(serve(service.application(host), host, port, ready, until_eof))
