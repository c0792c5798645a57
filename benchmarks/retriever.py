"""What the embedded retriever's analyses cost, bm25s and Lucene's arithmetic beside tantivy over the same terms.

usage: python benchmarks/retriever.py [COLLECTION] [--encoding NAME] [--analysis NAME]     (pip install tantivy)
       python benchmarks/retriever.py COLLECTION --queries queries.jsonl --qrels qrels/test.tsv     how good each is

Queries are whole documents, as in the main job, so a query has hundreds of terms. tantivy gets a Boolean
query of the distinct terms, which is its fastest form for this; bm25s its default numpy backend, which
compiles nothing (its numba backend searches faster, and needs some ten seconds to compile in every process).
"""

import argparse
import json
import time
from pathlib import Path
from typing import get_args

from machine import describe, installed

import benchbench as bb
from benchbench.formats.collection import read_collection
from benchbench.formats.datasets.locate import locate
from benchbench.retrieval.bm25_options import AnalysisName, BM25Options
from benchbench.serve.analysis import analysis_of
from benchbench.serve.bm25 import BM25
from benchbench.tables.collection import Collection

QUERIES, TOP_K = 200, 20
MEASURES = ("nDCG@10", "R@100", "AP", "P@30")


def own_seconds(collection: Collection, options: BM25Options) -> tuple[float, float]:
    started = time.perf_counter()
    index = BM25(collection, options)
    indexed = time.perf_counter()
    for text in collection.texts[:QUERIES]:
        index.search(text, TOP_K)
    return indexed - started, time.perf_counter() - indexed


def tantivy_seconds(collection: Collection, options: BM25Options) -> tuple[float, float]:
    import tantivy

    terms = analysis_of(options, collection.texts).terms
    started = time.perf_counter()
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("terms", tokenizer_name="whitespace", index_option="freq")
    builder.add_unsigned_field("number", stored=True)
    schema = builder.build()
    index = tantivy.Index(schema)
    writer = index.writer()
    for number, text in enumerate(collection.texts):
        writer.add_document(tantivy.Document(terms=" ".join(terms(text)), number=number))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    indexed = time.perf_counter()
    for text in collection.texts[:QUERIES]:
        clauses = [(tantivy.Occur.Should, tantivy.Query.term_query(schema, "terms", term)) for term in set(terms(text))]
        searcher.search(tantivy.Query.boolean_query(clauses), TOP_K)
    return indexed - started, time.perf_counter() - indexed


def quality(collection: Collection, queries: Path, qrels: Path, options: BM25Options) -> tuple[list[float], float]:
    judged: dict[str, dict[str, int]] = {}
    for line in qrels.read_text(encoding="utf-8").splitlines():
        query, *_, document, grade = line.split()
        if query != "query-id":
            judged.setdefault(query, {})[document] = int(grade)
    index, run = BM25(collection, options), {}
    started = time.perf_counter()
    for line in queries.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["_id"] in judged:
            found = zip(*(part.tolist() for part in index.search(record["text"], 1000)), strict=True)
            run[record["_id"]] = {collection.ids[number]: score for number, score in found}
    rate = len(run) / (time.perf_counter() - started)
    scores = bb.evaluate(bb.Qrels.from_dict(judged), bb.Run.from_dict(run), list(MEASURES)).aggregates
    return [scores[measure] for measure in MEASURES], rate


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("collection", nargs="?", type=Path, default=locate("synthetic-cases").collection)
    arguments.add_argument("--encoding")
    arguments.add_argument("--analysis", choices=get_args(AnalysisName), default="auto")
    arguments.add_argument("--queries", type=Path)
    arguments.add_argument("--qrels", type=Path)
    options = arguments.parse_args()
    collection = read_collection(options.collection, options.encoding)
    print(describe("bm25s", "tantivy"))
    if options.queries and options.qrels:
        print(f"\n| analysis | {' | '.join(MEASURES)} | queries/s |\n|---|{'---:|' * (len(MEASURES) + 1)}")
        for name in get_args(AnalysisName)[1:]:
            values, rate = quality(collection, options.queries, options.qrels, BM25Options(name))
            print(f"| {name} | {' | '.join(f'{value:.4f}' for value in values)} | {rate:,.0f} |")
        return
    asked = BM25Options(options.analysis)
    print(analysis_of(asked, collection.texts).about)
    print(f"{len(collection):,} documents, {QUERIES} queries\n\n| library | index, s | queries/s |\n|---|---:|---:|")
    for name, measure in (("our own", own_seconds), ("tantivy", tantivy_seconds)):
        if name == "tantivy" and installed(name) is None:
            print(f"| {name} | not installed | |")
            continue
        index, search = measure(collection, asked)
        print(f"| {name} | {index:.2f} | {min(QUERIES, len(collection)) / search:,.0f} |")


if __name__ == "__main__":
    main()
