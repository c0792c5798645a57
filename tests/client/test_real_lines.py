"""Lines of curl as documentation and browsers have them: what is made of them is a description that reads back."""

import json

import pytest
from cases import check_each
from client.answers import rows

from benchbench.client.curl import parse
from benchbench.client.describe import described
from benchbench.client.guess_request import draft
from benchbench.client.payload import Located
from benchbench.client.toml_lines import toml
from benchbench.tables.text_files import toml_value

NAMES = ("NAMESPACE", "PINECONE_API_KEY", "TYPESENSE_API_KEY")


def test_a_line_becomes_a_description_that_reads_back_and_asks_for_the_query(monkeypatch: pytest.MonkeyPatch):
    for variable in ("INDEX_HOST", *NAMES):
        monkeypatch.setenv(variable, "a-value")

    def check(row: dict[str, str]) -> None:
        name, made = row["name"], draft(parse(row["line"]))
        assert (made.query_at, made.top_k_at) == (row["query_at"], row["top_k_at"])
        text = toml(made.description)
        read = toml_value(text.encode(), name)
        assert read == json.loads(json.dumps(made.description))
        assert not [value for value in made.environment.values() if value in text]
        asked = described(name, read, {}, name, {**dict.fromkeys(NAMES, "v"), **made.environment})
        payload = asked.payload(["wanted"], 7)
        is_located = isinstance(payload, Located)
        sent = payload.url(f"http://h{asked.path}") + str(payload.body) if is_located else payload.decode()
        assert "wanted" in sent
        assert not row["top_k_at"] or "7" in sent

    check_each(check, rows("real_lines.jsonl"))
