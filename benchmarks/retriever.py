"""Why the embedded retriever is bm25s: index and search time beside tantivy, over the same terms.

usage: python benchmarks/retriever.py [COLLECTION] [--encoding NAME]     (pip install tantivy)

Queries are whole documents, as in the main job, so a query has hundreds of terms. tantivy gets a Boolean
query of the distinct terms, which is its fastest form for this; bm25s its default numpy backend, which
compiles nothing (its numba backend searches faster, and needs some ten seconds to compile in every process).
"""

import argparse
import time
from pathlib import Path

from machine import describe, installed

from benchbench.formats.collection import read_collection
from benchbench.formats.datasets.locate import locate
from benchbench.serve.bm25 import BM25
from benchbench.serve.tokens import tokens
from benchbench.tables.collection import Collection

QUERIES, TOP_K = 200, 20


def bm25s_seconds(collection: Collection) -> tuple[float, float]:
    started = time.perf_counter()
    index = BM25(collection)
    indexed = time.perf_counter()
    for text in collection.texts[:QUERIES]:
        index.search(text, TOP_K)
    return indexed - started, time.perf_counter() - indexed


def tantivy_seconds(collection: Collection) -> tuple[float, float]:
    import tantivy

    started = time.perf_counter()
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("terms", tokenizer_name="whitespace", index_option="freq")
    builder.add_unsigned_field("number", stored=True)
    schema = builder.build()
    index = tantivy.Index(schema)
    writer = index.writer()
    for number, text in enumerate(collection.texts):
        writer.add_document(tantivy.Document(terms=" ".join(tokens(text)), number=number))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    indexed = time.perf_counter()
    for text in collection.texts[:QUERIES]:
        clauses = [
            (tantivy.Occur.Should, tantivy.Query.term_query(schema, "terms", term)) for term in set(tokens(text))
        ]
        searcher.search(tantivy.Query.boolean_query(clauses), TOP_K)
    return indexed - started, time.perf_counter() - indexed


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("collection", nargs="?", type=Path, default=locate("synthetic-cases").collection)
    arguments.add_argument("--encoding")
    options = arguments.parse_args()
    collection = read_collection(options.collection, options.encoding)
    print(describe("bm25s", "tantivy"))
    print(f"{len(collection):,} documents, {QUERIES} queries\n\n| library | index, s | queries/s |\n|---|---:|---:|")
    for name, measure in (("bm25s", bm25s_seconds), ("tantivy", tantivy_seconds)):
        if installed(name) is None:
            print(f"| {name} | not installed | |")
            continue
        index, search = measure(collection)
        print(f"| {name} | {index:.2f} | {min(QUERIES, len(collection)) / search:,.0f} |")


if __name__ == "__main__":
    main()
