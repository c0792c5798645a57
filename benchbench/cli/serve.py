"""`benchbench serve COLLECTION`."""

from pathlib import Path
from typing import Annotated

import click

from benchbench.cli.signatures import Argument, described_command
from benchbench.errors import InputError, visible
from benchbench.formats.datasets.data_set_options import DataSetOptions
from benchbench.results.ranges import Range
from benchbench.results.settings import SERVICE, Encoding, Opt
from benchbench.retrieval.bm25_options import BM25Options

_NAMED = 5  # members that are too long


@described_command("serve")
def command(
    source: Annotated[Path | None, Argument("COLLECTION")] = None,
    *,
    given: DataSetOptions,
    host: Annotated[str, Opt("Address to listen on.", section=SERVICE)] = "127.0.0.1",
    port: Annotated[int, Opt("Port.", Range(0, 65_535), default="(a free one)", section=SERVICE)] = 0,
    until_eof: Annotated[bool, Opt("Stop when standard input ends.", is_hidden=True)] = False,
    bm25: BM25Options,
    encoding: Encoding = None,
    quiet: bool,
) -> None:
    """Serve a COLLECTION, or that of a data set of any make, with BM25.

    A hit comes with what the collection says of its document besides id, title and text: short members of its meta and
    beside the text, in meta.

    The URL is printed on standard output once the service listens. It stops on Ctrl-C or SIGTERM; requests
    in flight have two seconds to be answered.

    It answers to the name that --host gives it and to localhost, so that no page of the web reads the collection
    under a name of its own; behind --host 0.0.0.0, to any name.

    Examples
    --------
    benchbench serve scifact  # our BM25 over a data set
    benchbench serve documents.jsonl --port 8000  # over any documents
    benchbench serve documents.jsonl --analysis words  # without stems
    """
    import asyncio

    from benchbench.formats.collection import LONGEST, MOST, read_collection
    from benchbench.formats.datasets.locate import located, served_part
    from benchbench.serve.app import SearchService
    from benchbench.serve.foreground import serve

    if source is not None and given.given():
        raise InputError(f"COLLECTION and {given.arguments()[0].partition('=')[0]} both name what is served; give one")
    if source is None and not given.given():
        raise InputError("name a collection, a data set or ir_datasets:ID, as in: benchbench serve corpus.jsonl")
    part = located(given).served() if source is None else served_part(str(source))
    documents = read_collection(part, encoding)
    service = SearchService(documents, bm25)

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
