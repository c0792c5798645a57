"""Any data set as the files of another make: a BEIR folder, or TREC's topics, qrels and documents."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from benchbench.errors import InputError, visible
from benchbench.formats.collection import documents, labels_of
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.digests import part_files
from benchbench.formats.datasets.reading import read_queries
from benchbench.formats.table_records import is_header
from benchbench.formats.trec_writing import gold_qrels, token
from benchbench.prepare.files import check_free, together
from benchbench.tables.fields import called
from benchbench.tables.queries import Queries

_NO_TASKS = "its tasks by labels are not in these files, which have only judgments"

_Lines = Callable[[Queries], Iterator[bytes]]
_Document = Callable[[str, str, str, dict[str, Any]], dict[str, Any]]  # of id, title, text and labels


class Converted(NamedTuple):
    """What was written: files, how many queries, judgments and documents are in them, and lines that are in none."""

    files: tuple[str, ...]
    queries: int
    judgments: int
    documents: int | None
    skipped_lines: dict[str, int]
    notes: tuple[str, ...]


def write_beir(
    data: DataSet, out: Path, encoding: str | None = None, skip_bad_lines: bool = False, replace: bool = False
) -> Converted:
    """Write a data set as BEIR has it: corpus.jsonl, queries.jsonl, and qrels/SPLIT.tsv of the split that is taken.

    Parameters
    ----------
    data
        What `locate` found.
    out
        The folder; made if need be. The files appear together, at the end.
    encoding, skip_bad_lines
        As `formats.datasets.reading.read_queries` has them.
    replace
        Whether files of these names may be there already.

    Raises
    ------
    InputError
        What cannot be read or written, files that are there already, and files of the data set itself.
    """
    qrels = f"qrels/{data.split or 'test'}.tsv"

    def queries(asked: Queries) -> Iterator[bytes]:
        for query, text in zip(asked.ids, asked.texts, strict=True):
            yield _line({"_id": query, "text": text})

    def judgments(asked: Queries) -> Iterator[bytes]:
        yield b"query-id\tcorpus-id\tscore\n"
        for query, document, grade in _judgments(asked):
            for one in (query, document):
                if any(mark in one for mark in "\t\n\r"):
                    raise InputError(f"{qrels} cannot hold the id {visible(one)}, which has a tab or a line end")
            yield f"{query}\t{document}\t{grade}\n".encode()

    def document(identity: str, title: str, text: str, labels: dict[str, Any]) -> dict[str, Any]:
        return {"_id": identity, "title": title, "text": text, "metadata": labels}

    writers: dict[str, _Lines] = {"queries.jsonl": queries, qrels: judgments}
    return _write(data, out, writers, ("corpus.jsonl", document), encoding, skip_bad_lines, replace)


def write_trec(
    data: DataSet, out: Path, encoding: str | None = None, skip_bad_lines: bool = False, replace: bool = False
) -> Converted:
    """Write a data set as TREC has it: topics.tsv, qrels.txt, and collection.jsonl; parameters as of `write_beir`.

    Ids with white space are percent-encoded, alike in all files. Line ends and tabs in topics become blanks.
    """

    def topics(found: Queries) -> Iterator[bytes]:
        rows = ((token(query), " ".join(text.split())) for query, text in zip(found.ids, found.texts, strict=True))
        for number, row in enumerate(rows):
            if number == 0 and is_header(row, ()):  # it would be read as the names of columns, unless these are there
                yield b"query_id\ttext\n"
            yield f"{row[0]}\t{row[1]}\n".encode(errors="surrogatepass")

    def qrels(found: Queries) -> Iterator[bytes]:
        return (line.encode() for line in gold_qrels(found))

    def document(identity: str, title: str, text: str, labels: dict[str, Any]) -> dict[str, Any]:
        return {"id": token(identity), "title": title, "text": text, "meta": labels}

    writers: dict[str, _Lines] = {"topics.tsv": topics, "qrels.txt": qrels}
    return _write(data, out, writers, ("collection.jsonl", document), encoding, skip_bad_lines, replace)


def _write(
    data: DataSet,
    out: Path,
    writers: Mapping[str, _Lines],
    collection: tuple[str, _Document],
    encoding: str | None,
    skip_bad_lines: bool,
    replace: bool,
) -> Converted:
    name, written = collection
    names = (*writers, *((name,) if data.collection is not None else ()))
    check_free(out, names, replace)
    _check_others(data, [out / one for one in names])
    found = read_queries(data, encoding, skip_bad_lines)
    if not found.positives.offsets[-1]:
        raise InputError(f"{data.name} has no judgment, so these files would not say what is relevant")
    count, skipped = None, 0
    with together(out, names, replace) as parts:
        for file, lines in writers.items():
            with parts[file].open("wb") as opened:
                opened.writelines(lines(found))
        if data.collection is not None:
            count = 0
            with parts[name].open("wb", buffering=1 << 20) as opened:
                for _, one in documents(data.collection, encoding, skip_bad_lines):
                    if one is None:
                        skipped += 1
                    else:
                        opened.write(_line(written(one.id, one.title, one.text, labels_of(one.record))))
                        count += 1
    notes = (*found.notes, _NO_TASKS) if data.described.get("tasks") else found.notes
    bad = {"queries": found.skipped_lines, "collection": skipped}
    return Converted(names, len(found), int(found.positives.offsets[-1]), count, bad, notes)


def _check_others(data: DataSet, written: Sequence[Path]) -> None:
    """Raise InputError where a file of the data set would be replaced by what is made of it."""
    parts = [data.queries, *data.qrels, *((data.collection,) if data.collection is not None else ())]
    own = [path for part in parts for path in part_files(part)]
    for path in written:
        if path.exists() and any(path.samefile(part_file) for part_file in own):
            raise InputError(
                f"{path} is part of the data set itself and would be overwritten; name another folder with --out"
            )


def _judgments(found: Queries) -> Iterator[tuple[str, str, str]]:
    positives = found.positives
    for q, query in enumerate(found.ids):
        for p in range(positives.offsets[q], positives.offsets[q + 1]):
            yield query, positives.ids[p], called(float(positives.grade[p]))


def _line(value: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    except orjson.JSONEncodeError as error:  # such as half a surrogate pair
        raise InputError(f"{visible(str(next(iter(value.values()))))} cannot be written as JSON: {error}") from None
