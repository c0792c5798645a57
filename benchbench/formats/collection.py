"""Collections of documents: JSON lines in BEIR's layout, ours (with `meta`), or a file of CAIL cases."""

from pathlib import Path

from benchbench.errors import InputError
from benchbench.formats.lines import json_lines
from benchbench.tables.collection import Collection
from benchbench.tables.fields import ACCUSATION, ARTICLES, ID, SENTENCE, TEXT, first, identity, label

_NAMES = {"names": ("sourcepage", "title"), "files": ("sourcefile",), "categories": ("category",)}
_LABELS = {"accusation": ACCUSATION, "relevant_articles": ARTICLES, "imprisonment": SENTENCE}


def read_collection(path: Path, encoding: str | None = None) -> Collection:
    """Read a collection whole; a document without an id is named by its line number.

    Raises
    ------
    InputError
        With file, line number and reason: no text, a bad id, an id used twice.
    """
    lines: dict[str, int] = {}
    texts, meta = [], []
    named: dict[str, list[str]] = {column: [] for column in _NAMES}
    for number, record in json_lines(path, encoding):
        if not isinstance(record, dict):
            raise InputError(f"{path}, line {number}: not a JSON object")
        text = first(record, TEXT)
        if not isinstance(text, str):
            raise InputError(f'{path}, line {number}: the document has no text (a member "text")')
        given = first(record, ID)
        document = str(number) if given is None else identity(given)
        if document is None:
            raise InputError(f"{path}, line {number}: the id is neither a number nor a string")
        if document in lines:
            raise InputError(f"{path}, line {number}: id {document} was used in line {lines[document]} already")
        lines[document] = number
        title = record.get("title")
        texts.append(f"{title} {text}" if isinstance(title, str) and title else text)
        meta.append({name: value for name, names in _LABELS.items() if (value := label(record, names)) is not None})
        for column, names in _NAMES.items():
            value = label(record, names)
            named[column].append(value if isinstance(value, str) else "")
    if not texts:
        raise InputError(f"{path} has no document")
    return Collection(list(lines), texts, meta, **{column: all_ for column, all_ in named.items() if any(all_)})
