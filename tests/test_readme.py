"""The README's way to the numbers of one's own data and service, typed as it stands."""

import os
import re
import shlex
from pathlib import Path
from typing import Any

import one_data_set
import polars as pl
import pytest
import services
from aiohttp import web
from command_line import said

from benchbench.formats.collection import read_collection
from benchbench.serve.bm25 import BM25

PAGE = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
OWN = PAGE.partition("## Measure your own")[2]


def commands() -> list[str]:
    """Return the commands that lead from one's own data to the numbers of a service with a key."""
    lines = [line for block in re.findall(r"```sh\n(.*?)```", OWN, flags=re.DOTALL)[:2] for line in block.splitlines()]
    assert len(lines) == 3
    return lines


@pytest.mark.slow  # a process that serves
def test_own_data_and_a_service_that_is_asked_by_get_with_a_key_have_numbers_after_three_commands(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one_data_set.beir(tmp_path / "path" / "to" / "scifact")
    collection = read_collection(tmp_path / "path" / "to" / "scifact" / "corpus.jsonl")
    index = BM25(collection)

    async def answer(service: services.Service, request: web.Request, message: Any) -> web.Response:
        if request.headers.get("X-API-Key") != "my-key":
            return web.Response(status=401)
        numbers, scores = index.search(request.query["text"], int(request.query["n"]))
        found = zip(numbers.tolist(), scores.tolist(), strict=True)
        return web.json_response({"items": [{"id": collection.ids[n], "score": score} for n, score in found]})

    with services.running(answer) as service:
        for number, line in enumerate(commands()):
            words = shlex.split(line.replace("http://127.0.0.1:8000", service.url).replace("stolen+phone", "cedar+elm"))
            while "=" in words[0]:
                monkeypatch.setenv(*words.pop(0).split("=", 1))
            assert words.pop(0) == "benchbench"
            out = ("--out", tmp_path / str(number)) if words[0] == "run" else ()
            done = said(capsys, *words, *out)
            assert done.code == 0, done.errors
    assert "my-key" not in (tmp_path / "mine.toml").read_text()
    ours, theirs = (pl.read_parquet(tmp_path / one / "per_query.parquet").drop("latency_ms") for one in "02")
    assert ours.equals(theirs)
    assert os.environ["SEARCH_API_KEY"] == "my-key"
