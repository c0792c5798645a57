"""Retrieved passages from the results folder of a run: its hits, with the texts of the collection."""

from pathlib import Path
from typing import Any

from benchbench.errors import InputError, said_by
from benchbench.formats.collection_texts import texts_of
from benchbench.formats.datasets.locate import stored_data_set
from benchbench.formats.datasets.reading import read_queries
from benchbench.formats.lines import json_file, open_input
from benchbench.tables.hashing import content_digest
from benchbench.tables.passages import Passage, Passages, Place


def read_results(folder: Path) -> Passages:
    """Read what was retrieved for each query, in rank order; removed hits are left out.

    An id `file#start-end`, as `prepare legalbench-rag` writes it, is the passage's place.

    Raises
    ------
    InputError
        When it is no such folder, when data set or collection are not where they were, or when a hit is in none.
    """
    import polars as pl

    options = _options(folder)
    if options["collection"] is None:
        raise InputError(
            f"{folder}: the run had no collection, so the texts of its hits are unknown; run again with --collection"
        )
    data = stored_data_set(options)
    queries = read_queries(data, options["encoding"], options["skip_bad_lines"])
    hits = folder / "hits.parquet"
    with open_input(hits) as file:
        content = file.read()
    try:
        frame = pl.read_parquet(content, columns=["query_id", "rank", "id"])
    except pl.exceptions.PolarsError as error:
        raise InputError(f"{hits} is not the file of hits that a run writes: {said_by(error)}") from None
    ranked = frame.filter(pl.col("rank") > 0).sort("query_id", "rank").select("query_id", "id")
    texts = texts_of(data.served(), ranked["id"].unique().to_list(), options["encoding"], None)
    found: dict[str, list[Passage]] = {query: [] for query in queries.ids}
    for query, document in ranked.rows():
        if query not in found:
            raise InputError(
                f"{folder}: the query {query!r} is none of {options['dataset']}; has the file changed since?"
            )
        if document not in texts:
            raise InputError(f"{folder}: the hit {document!r} is no document of {options['collection']}")
        found[query].append(Passage(texts[document], Place.parse(document)))
    by_query: dict[str, list[Passage]] = {}
    for query, text in zip(queries.ids, queries.texts, strict=True):
        by_query.setdefault(text, found[query])
    repeated, digest = len(queries) - len(by_query), content_digest(content).hexdigest()
    return Passages(str(folder), by_query, repeated=repeated, digest=digest, skipped_lines=queries.skipped_lines)


def _options(folder: Path) -> dict[str, Any]:
    path = folder / "config.json"
    if not path.exists():
        raise InputError(f"{folder} is not a results folder of one service: it has no config.json")
    try:
        options: dict[str, Any] = json_file(path)["options"]
        return options | {name: options[name] for name in ("dataset", "collection", "encoding", "skip_bad_lines")}
    except (KeyError, TypeError):
        raise InputError(f"{path} is not the config.json of a run") from None
