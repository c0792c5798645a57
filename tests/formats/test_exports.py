from pathlib import Path
from typing import Any

import orjson
import pytest

from benchbench.formats.exports import read_export
from benchbench.tables.documents import Document

RECORD = {"@search.score": 3.1, "id": "d1", "sourcepage": "N", "sourcefile": "f.pdf", "content": "text"}
WHOLE = Document("d1", "N", "f.pdf", "", "text")


@pytest.mark.parametrize(
    ("value", "query", "document"),
    [
        ({"query": "q", "documents": [{"id": "d1", "name": "N", "file": "f.pdf", "text": "text"}]}, "q", WHOLE),
        ({"query": "q", "@odata.count": 1, "value": [RECORD]}, "q", WHOLE),
        ({"query": "q", "results": [RECORD]}, "q", WHOLE),
        ([{"title": "N", "category": None, "text": 3}], "", Document("", "N")),  # a list alone has no query
    ],
)
def test_the_shapes_of_exports(tmp_path: Path, value: Any, query: str, document: Document):
    path = tmp_path / "export.json"
    path.write_bytes(orjson.dumps(value))
    export = read_export(path)
    assert (export.query, export.documents) == (query, [document])
