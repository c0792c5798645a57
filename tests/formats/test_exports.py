from pathlib import Path
from typing import Any

import orjson
import pytest

from benchbench.errors import InputError
from benchbench.formats.exports import read_export
from benchbench.tables.documents import Document

RECORD = {"@search.score": 3.1, "id": "d1", "sourcepage": "Part 36", "sourcefile": "f.pdf", "content": "text"}


@pytest.mark.parametrize(
    "value",
    [
        {"query": "offers", "documents": [{"id": "d1", "name": "Part 36", "file": "f.pdf", "text": "text"}]},
        {"query": "offers", "@odata.count": 1, "value": [RECORD]},
        {"query": "offers", "results": [RECORD]},
    ],
)
def test_the_shapes_of_exports(tmp_path: Path, value: Any):
    path = tmp_path / "export.json"
    path.write_bytes(orjson.dumps(value))
    export = read_export(path)
    assert (export.query, export.documents) == ("offers", [Document("d1", "Part 36", "f.pdf", "", "text")])


def test_a_list_alone_has_no_query(tmp_path: Path):
    path = tmp_path / "export.json"
    path.write_bytes(orjson.dumps([{"title": "Part 36", "category": None, "text": 3}]))
    export = read_export(path)
    assert (export.query, export.documents) == ("", [Document("", "Part 36")])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "{path} does not exist"),
        (b"", "{path} is empty"),
        (b"[", "{path}, line 1, column 2: not JSON ("),
        (b"3", "{path} is no export: it has no list of documents; `benchbench index export` writes one"),
        (b'{"value": 3}', "{path} is no export"),
        (b"[3]", "{path}, document 1: not a JSON object"),
        (b'[{"id": 1, "text": "a"}, {"text": "b"}]', "{path}, document 2: it has neither a name nor an id"),
    ],
)
def test_what_is_no_export_is_said(tmp_path: Path, content: bytes | None, reason: str):
    path = tmp_path / "export.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError) as error:
        read_export(path)
    assert str(error.value).startswith(reason.format(path=path))
