"""A data set of LegalBench-RAG: texts cut into chunks, and questions whose positives are the chunks with answers."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchbench.errors import InputError
from benchbench.formats.datasets.data_set import COLLECTION
from benchbench.formats.datasets.description import DESCRIBED
from benchbench.formats.datasets.legalbench_rag import TASKS, Cut, placed_gold, query_labels, read_text, text_files
from benchbench.formats.datasets.tiered import QUERIES
from benchbench.prepare.files import CARD, Digested, check_free, together
from benchbench.results.folder import pretty
from benchbench.tables.hashing import content_digest
from benchbench.tables.passages import Passage, Passages


def write_chunks(corpus: Path, benchmark: Path, out: Path, cut: Cut, replace: bool = False) -> dict[str, Any]:
    """Write a collection, queries, their card and `dataset.toml` with the tasks into a folder; return the card.

    Parameters
    ----------
    corpus
        The folder that the file paths of the benchmark start from. Only files that it names are read.
    benchmark
        A JSON file of LegalBench-RAG, in which every snippet has file_path and span.
    out
        The folder; made if need be. The four files appear together, at the end.
    cut
        How the texts are cut. Chunks that are only white space are left out.
    replace
        Whether files of these names may be there already.

    Raises
    ------
    InputError
        A file that is named and not there, a snippet that is not what stands in the text, a file to write that is
        there already, a folder that cannot be written to.
    """
    files = (COLLECTION, QUERIES, CARD, DESCRIBED)
    check_free(out, files, replace)
    gold = placed_gold(benchmark)
    texts = _texts(corpus, benchmark, gold)
    chunks = {
        file: [Passage(text[place.start : place.end], place) for place in cut.places(file, len(text))]
        for file, text in texts.items()
    }
    with together(out, files, replace) as parts:
        collection, queries = Digested(parts[COLLECTION]), Digested(parts[QUERIES])
        documents = 0
        with collection:
            for chunk in (passage for file in chunks.values() for passage in file if passage.text.strip()):
                collection.write({"_id": str(chunk.place), "text": chunk.text, "meta": _span(chunk)})
                documents += 1
        positives = 0
        with queries:
            for number, (query, snippets) in enumerate(gold.by_query.items(), 1):
                contracts = list(dict.fromkeys(snippet.place.file for snippet in snippets if snippet.place))
                found = [
                    {"fact_id": str(one.place), "fact": one.text}
                    for file in contracts
                    for one in chunks[file]
                    if one.text.strip() and any(_share(one, snippet) for snippet in snippets)
                ]
                queries.write(
                    {
                        "query_id": number,
                        "query": {"fact": query, "meta": query_labels(gold, query)},
                        "positives": found,
                        "positives_count": len(found),
                    }
                )
                positives += len(found)
        card = {
            "about": "Questions over chunks of contracts, from LegalBench-RAG",
            "licence": "CC BY 4.0",
            "source": {
                "benchmark": {"file": benchmark.name, "digest": f"xxh3-128:{gold.digest}"},
                "texts": {"files": len(texts), "characters": sum(map(len, texts.values())), "digest": _digest(texts)},
            },
            "options": asdict(cut),
            "queries": {
                "file": QUERIES,
                "count": len(gold.by_query),
                "positives": positives,
                "digest": queries.digest(),
            },
            "collection": {"file": COLLECTION, "documents": documents, "digest": collection.digest()},
        }
        parts[CARD].write_bytes(pretty(card))
        parts[DESCRIBED].write_bytes(TASKS.read_bytes())
    return card


def _texts(corpus: Path, benchmark: Path, gold: Passages) -> dict[str, str]:
    """Return the texts that the snippets point into, by the path the benchmark gives them, in its order."""
    texts = {file: read_text(path) for file, path in text_files(corpus, benchmark, gold).items()}
    for text, place in (one for passages in gold.by_query.values() for one in passages):
        if place is not None and texts[place.file][place.start : place.end] != text:
            raise InputError(
                f"{benchmark}: the snippet {str(place)!r} is not the text at that place; are corpus and "
                "benchmark of the same version?"
            )
    return texts


def _span(passage: Passage) -> dict[str, Any]:
    """Return where a passage stands, with the members that a task by spans compares."""
    return {} if passage.place is None else passage.place._asdict()


def _share(first: Passage, second: Passage) -> bool:
    """Say whether two placed passages have a character in common."""
    a, b = first.place, second.place
    return a is not None and b is not None and a.file == b.file and max(a.start, b.start) < min(a.end, b.end)


def _digest(texts: dict[str, str]) -> str:
    digest = content_digest()
    for file in sorted(texts):
        digest.update(f"{file}\0{len(texts[file])}\0{texts[file]}".encode())
    return "xxh3-128:" + digest.hexdigest()
