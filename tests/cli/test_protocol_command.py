import io
import json
import os
import pty
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import aiohttp
import command_line
import copied_processes
import data_sets
import polars as pl
import pytest
import services
from aiohttp import web
from cases import first_of
from command_line import said, sentence
from polars.testing import assert_frame_equal

from benchbench.cli.main import main
from benchbench.client.protocols import BUILT_IN
from benchbench.serve.bm25 import BM25

KEY = "k3y-s3cr3t-value"
Found = Callable[[str, int], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return data_sets.write(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def found(data: Path) -> Found:
    """Return a function that searches the collection of the data set."""
    collection = data_sets.collection(data)
    index = BM25(collection)

    def hits(query: str, top_k: int) -> list[dict[str, Any]]:
        numbers, scores = index.search(query, top_k)
        return [
            {"id": collection.ids[d], "score": score, "text": collection.texts[d], "meta": collection.meta[d]}
            for d, score in zip(numbers.tolist(), scores.tolist(), strict=True)
        ]

    return hits


def plain(found: Found) -> services.Answer:
    """Answer `GET /q?text=…&n=…` with a key."""

    async def answer(service: services.Service, request: web.Request, message: Any) -> web.Response:
        if request.path != "/api/q" or request.method != "GET":
            return web.Response(status=404)
        if request.headers.get("X-API-Key") != KEY and request.query.get("key") != KEY:
            return web.json_response({"error": "no such key"}, status=401)
        hits = found(request.query["text"], int(request.query["n"]))
        return web.json_response({"took": 1, "items": [{**one, "content": one.pop("text")} for one in hits]})

    return answer


def elastic(found: Found) -> services.Answer:
    """Answer `_search` and `_msearch` as Elasticsearch does."""

    def body(search: dict[str, Any]) -> dict[str, Any]:
        hits = [
            {"_index": "i", "_id": one["id"], "_score": one["score"], "_source": {"text": one["text"], **one["meta"]}}
            for one in found(search["query"]["match"]["text"], search["size"])
        ]
        return {
            "took": 1,
            "hits": {"total": {"value": len(hits)}, "hits": hits},
            "aggregations": {"a": {"buckets": []}},
        }

    async def answer(service: services.Service, request: web.Request, message: Any) -> web.Response:
        if request.path.endswith("/_msearch"):
            return web.json_response({"responses": [body(one) for one in message[1::2]]})
        return web.json_response(body(message))

    return answer


def form(found: Found) -> services.Answer:
    async def answer(service: services.Service, request: web.Request, message: Any) -> web.Response:
        hits = found(message["q"], int(message["rows"]))
        return web.json_response({"response": {"numFound": len(hits), "docs": hits}})

    return answer


def in_the_path(found: Found) -> services.Answer:
    async def answer(service: services.Service, request: web.Request, message: Any) -> web.Response:
        query = request.path.removeprefix("/search/")
        return web.json_response(found(query, int(request.query["limit"])))

    return answer


def grouped(found: Found) -> services.Answer:
    """Answer with two hits per group, with ids of two fields."""

    async def answer(service: services.Service, request: web.Request, message: Any) -> web.Response:
        hits = [
            {"file": one["id"][:1], "chunk": one["id"][1:], **{n: one[n] for n in ("score", "text", "meta")}}
            for one in found(message["input"], message["k"])
        ]
        groups = [{"name": f"g{n}", "hits": hits[n : n + 2]} for n in range(0, len(hits), 2)]
        return web.json_response({"groups": groups})

    return answer


def batched(found: Found) -> services.Answer:
    async def answer(service: services.Service, request: web.Request, message: Any) -> web.Response:
        return web.json_response({"answers": [{"hits": found(one, message["k"])} for one in message["queries"]]})

    return answer


def numbers(folder: Path) -> pl.DataFrame:
    """Return what every query got, without how long it took."""
    frame = pl.read_parquet(folder / "per_query.parquet")
    return frame.select([name for name in frame.columns if not re.search(r"_ms$|latency|attempt|request|batch", name)])


SERVICES = {
    "GET with a key": (plain, "curl '{url}/api/q?text=QUERY&n=3' -H 'X-API-Key: k3y-s3cr3t-value' --compressed"),
    "GET with a key in the URL": (plain, "curl -G {url}/api/q -d text=QUERY -d n=3 -d key=k3y-s3cr3t-value"),
    "_search": (
        elastic,
        """curl -XGET '{url}/i/_search' -d '{{"query": {{"match": {{"text": "QUERY"}}}}, "size": 3}}'""",
    ),
    "_msearch": (
        elastic,
        "curl '{url}/i/_msearch' -H 'Content-Type: application/x-ndjson' "
        """--data-binary $'{{}}\\n{{"query": {{"match": {{"text": "QUERY"}}}}, "size": 3}}\\n'""",
    ),
    "form": (form, "curl {url}/solr/select -d 'q=QUERY&rows=3&wt=json'"),
    "path": (in_the_path, "curl '{url}/search/QUERY?limit=3'"),
    "groups": (grouped, """curl {url}/v1/find --json '{{"input": "QUERY", "k": 3, "mode": "hybrid"}}'"""),
    "batch": (batched, """curl {url}/v1/batch --json '{{"queries": ["QUERY"], "k": 3}}'"""),
}


@pytest.fixture(scope="module")
def usual(data: Path, found: Found, tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    out = tmp_path_factory.mktemp("usual") / "out"
    with services.running(services.answering(found)) as service, pytest.raises(SystemExit) as end:
        main(["run", "--url", service.url, "--dataset", str(data), "--out", str(out), "--quiet"])
    assert not end.value.code
    return numbers(out)


@pytest.mark.parametrize("name", first_of(*SERVICES, first=3))
def test_a_curl_line_becomes_a_protocol_with_which_a_run_gives_the_same_numbers_to_the_bit(
    name: str, data: Path, found: Found, usual: pl.DataFrame, tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch
):
    make, line = SERVICES[name]
    file, text = tmp_path / "mine.toml", found(data_sets.collection(data).texts[0], 1)[0]["text"]
    query = text.replace("'", "").replace('"', "").replace("\n", " ")[:30]
    pasted = quote(query) if name in ("GET with a key", "path", "form") else query
    with services.running(make(found)) as service:
        words = line.format(url=service.url).replace("QUERY", pasted)
        if name == "GET with a key in the URL":
            words = words.replace("-d text=", "--data-urlencode 'text=").replace(query, f"{query}'")
        done = said(capsys, "protocol", "--from-curl", words, "--out", file)
        assert (done.code, done.output) == (0, ""), done.errors
        assert re.search(r"^ +1  \S+ +[\d.]+  \S", done.errors, re.MULTILINE)
        assert KEY not in file.read_text() + done.errors
        if "key" in name:
            variable = re.search(r"export (\w+)=…", done.errors)
            assert variable is not None
            monkeypatch.setenv(variable[1], KEY)
        command = ("run", "--url", service.url, "--protocol", file, "--dataset", data, "--out", tmp_path / "out")
        run = said(capsys, *command, "--format", "json", "--verbose")
    assert run.code == 0, run.errors
    if name not in ("_msearch", "batch"):
        assert "--protocol mine takes one query per request, so that --batch-size is 1" in run.errors
    values = numbers(tmp_path / "out")
    assert_frame_equal(values, usual.select(values.columns), check_exact=True)
    for path in (tmp_path / "out").rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


@pytest.mark.slow  # 200 queries, one a request, through an adapter
def test_the_shipped_data_set_has_the_same_numbers_through_a_get_in_front_of_our_own_service(tmp_path: Path, capsys):
    """The adapter takes `GET /q?text=…&n=…`, and asks `/batch_search` of `benchbench serve`."""
    ours = command_line.process("serve", "synthetic-cases", "--until-eof", "--quiet", stdin=subprocess.PIPE)
    assert ours.stdout is not None
    url = ours.stdout.readline().strip()

    async def get(service: services.Service, request: web.Request, message: Any) -> web.Response:
        wanted = {"queries": [request.query["text"]], "top_k": int(request.query["n"])}
        async with aiohttp.ClientSession() as session, session.post(f"{url}/batch_search", json=wanted) as answer:
            return web.Response(body=await answer.read(), content_type="application/json")

    file = tmp_path / "get.toml"
    file.write_text('path = "/q"\nparams = { text = "{query}", n = "{top_k}" }\n')
    try:
        direct = said(capsys, "run", "--url", url, "--out", tmp_path / "direct", "--quiet")
        with services.running(get) as service:
            through = said(
                capsys, "run", "--url", service.url, "--protocol", file, "--out", tmp_path / "get", "--quiet"
            )
    finally:
        ours.communicate(timeout=30)
    assert (direct.code, through.code, through.errors) == (0, 0, "")
    assert_frame_equal(numbers(tmp_path / "get"), numbers(tmp_path / "direct"), check_exact=True)
    assert (tmp_path / "get" / "run.trec").read_text() == (tmp_path / "direct" / "run.trec").read_text()


def test_the_words_of_a_line_may_follow_two_dashes(found: Found, tmp_path: Path, capsys):
    with services.running(plain(found)) as service:
        line = f"curl '{service.url}/api/q?text=foo&n=3' -H 'X-API-Key: {KEY}'"
        done = said(capsys, "protocol", "--query", "手机", "--", *shlex.split(line))
    assert done.code == 0
    assert 'params = { text = "{query}", n = "{top_k}" }' in done.output
    assert service.headers[0]["X-API-Key"] == KEY
    assert KEY not in done.output + done.errors


def test_a_line_is_read_from_a_file_or_from_standard_input(tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch):
    line = "curl 'http://h/q?text=a' \\\n -H 'A: b'\n"
    (tmp_path / "line.txt").write_text(line)
    from_file = said(capsys, "protocol", "--from-curl", f"@{tmp_path / 'line.txt'}", "--no-try")
    monkeypatch.setattr("sys.stdin", io.StringIO(line))
    from_input = said(capsys, "protocol", "--from-curl", "-", "--no-try")
    assert from_file == from_input
    assert from_file.code == 0
    assert from_file.output == (
        "# benchbench run --url http://h --protocol FILE.toml\n"
        'path = "/q"\nheaders = { A = "b" }\nparams = { text = "{query}" }\n'
    )


def test_what_is_sent_is_said_without_anything_being_sent(capsys, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("SEARCH_KEY", KEY)
    file = tmp_path / "mine.toml"
    file.write_text(
        'path = "/q"\nparams = { text = "{query}", key = "${SEARCH_KEY}" }\nheaders = { X = "${SEARCH_KEY}" }'
    )
    done = said(capsys, "protocol", file, "--query", "a b", "--header", "Y: zz")
    assert (done.code, done.errors) == (0, "")
    assert done.output == "GET http://127.0.0.1:8000/q?text=a%20b&key=${SEARCH_KEY}\nX: [hidden]\nY: [hidden]\n"
    built_in = said(capsys, "protocol", "elasticsearch", "--protocol-option", "index=i", "--query", "a", "--top-k", 3)
    assert built_in.output.startswith(
        "POST http://127.0.0.1:8000/i/_msearch\nContent-Type: application/x-ndjson\n\n{}\n"
    )


def test_a_protocol_is_tried_on_a_service(found: Found, capsys):
    with services.running(services.answering(found)) as service:
        done = said(capsys, "protocol", "benchbench", "--url", service.url, "--query", "手机", "--top-k", 2)
    assert done.code == 0
    assert len(re.findall(r"^ +\d  \S+ +[\d.]+  \S", done.output, re.MULTILINE)) == len(found("手机", 2))
    assert "Members of the hits: id, score, text, meta" in done.output


def test_without_anything_the_built_in_protocols_are_listed(capsys):
    done = said(capsys, "protocol")
    assert done.code == 0
    assert tuple(line.split()[0] for line in done.output.split("\n\n")[0].splitlines()) == BUILT_IN
    assert "elasticsearch    POST /{index}/_msearch; options index, text_field\n" in done.output
    assert "legal-agent      POST /batch_search\n" in done.output


def answer(value: Any, status: int = 200) -> services.Answer:
    return services.raw(json.dumps(value)) if status == 200 else services.status(status, json.dumps(value))


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (answer({"items": [{"foo": {"bar": 1}}]}), "and no hit was understood: no hit can be used"),
        (
            answer({"results": []}),
            "and no hit was understood: the list of hits is empty; does the query find anything?",
        ),
        (answer({"error": "no"}), "and no hit was understood: "),
        (services.raw("<html>"), "it starts with '<html>'; is this the address that programs ask, and not a page"),
        (answer({"error": f"bad key {KEY}"}, 401), 'answers with a failure: HTTP 401: {"error": "bad key [hidden]"}'),
    ],
)
def test_an_answer_without_a_hit_ends_with_4_and_leaves_the_request_described(
    reply, reason: str, tmp_path: Path, capsys
):
    file = tmp_path / "mine.toml"
    with services.running(reply) as service:
        done = said(
            capsys,
            "protocol",
            "--from-curl",
            f"curl {service.url}/q?text=a -H 'X-Key: {KEY}'",
            "--out",
            file,
            "--quiet",
        )
    assert done.code == 4
    assert reason in sentence(done.errors)
    assert KEY not in done.errors + file.read_text()
    assert 'params = { text = "{query}" }' in file.read_text()


def test_a_service_that_is_not_there_ends_with_3(tmp_path: Path, capsys):
    with services.refusing() as url:
        done = said(capsys, "protocol", "--from-curl", f"curl {url}/q?text=a", "--quiet")
    assert done.code == 3
    assert "refuses connections" in sentence(done.errors)
    assert 'path = "/q"' in done.output


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--from-curl", "wget http://h"], "--from-curl takes a line that begins with curl"),
        (["--from-curl", "curl http://h/q"], "--from-curl: nothing says where the text of the query stands"),
        (["--from-curl", "curl http://h/q?q=a", "x"], "--from-curl takes the whole line as one text"),
        (["--from-curl", "curl http://h/q?q=a", "--out", "mine.txt"], "--out mine.txt: a description ends in .toml"),
        (["--from-curl", "curl http://h/q?q=a", "--url", "http://h"], "--url and --protocol-option are for a protocol"),
        (["--from-curl", "@no/such"], "--from-curl @no/such cannot be read: No such file or directory"),
        (
            ["--from-curl", 'curl http://h/q?q=a -H "X: $NOT_SET_ANYWHERE"', "-q"],
            "the environment variable NOT_SET_ANYWHERE",
        ),
        (["benchbench", "--retries", "3"], "--retries is not for protocol: it asks once"),
        (["a.toml", "b.toml"], "b.toml is one argument too many"),
        (["nosuch"], "--protocol nosuch is neither built in"),
        (["benchbench", "--out", "x.toml"], "--out is for --from-curl"),
    ],
)
def test_bad_usage_is_one_sentence(arguments: list[str], reason: str, tmp_path: Path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = said(capsys, "protocol", *arguments)
    assert done.code == 2
    assert sentence(done.errors).startswith(reason)


def test_a_file_that_exists_is_kept(tmp_path: Path, capsys):
    file = tmp_path / "mine.toml"
    file.write_text("mine")
    arguments = ("protocol", "--from-curl", "curl http://h/q?q=a", "--no-try", "--out", file)
    done = said(capsys, *arguments)
    assert (done.code, file.read_text()) == (2, "mine")
    assert "--force replaces it" in sentence(done.errors)
    assert said(capsys, *arguments, "--force").code == 0
    assert file.read_text().startswith("# benchbench run --url http://h --protocol mine.toml\n")


PAGE = Path(__file__).resolve().parents[2] / "docs" / "my-api.md"


def test_the_commands_of_the_page_give_what_it_shows(data: Path, found: Found, tmp_path: Path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = PAGE.read_text("utf-8")
    commands = [line for line in re.findall(r"^benchbench (.*)$", page, re.MULTILINE) if "--from-curl" not in line]

    async def search(service: services.Service, request: web.Request, message: Any) -> web.Response:
        if request.headers.get("X-API-Key") != "my-key":
            return web.Response(status=401)
        text = "手机" if request.query["text"].startswith("stolen") else request.query["text"]
        hits = [{**one, "content": one.pop("text")} for one in found(text, int(request.query["n"]))]
        return web.json_response({"items": [{name: hit[name] for name in ("id", "score", "content")} for hit in hits]})

    with services.running(search) as service:
        for number, command in enumerate(commands):
            words = shlex.split(command.replace("http://127.0.0.1:8000", service.url).replace("--dataset my", ""))
            if number == 1:
                monkeypatch.setenv("SEARCH_API_KEY", "my-key")
            done = said(capsys, *words, *(["--dataset", data] if words[0] == "run" else []))
            assert done.code == 0, (words, done.errors)
            if number == 0:
                shown = page.partition("    The text of")[2].partition("\n\n")[0]
                for line in shown.splitlines()[1:]:
                    assert line.strip()[:10].split("  ")[0] in done.errors
                written = (tmp_path / "mine.toml").read_text().partition("\n")[2]
                assert written == page.partition("```toml\n")[2].partition("```")[0]
    assert [command.split()[0] for command in commands] == ["protocol", "run", "protocol"]


@pytest.fixture
def described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SEARCH_KEY", KEY)
    file = tmp_path / "mine.toml"
    file.write_text(
        'path = "/api/q"\nparams = { text = "{query}", n = "{top_k}", key = "${SEARCH_KEY}" }\n'
        '[results]\nhits = "items"\ntext = "content"\n'
    )
    return file


@pytest.mark.slow  # four processes, each with a run or a load
def test_workers_and_loads_ask_in_the_url_too(data: Path, found: Found, usual, tmp_path: Path, described: Path, capsys):
    with services.running(plain(found)) as service:
        common = ("--url", service.url, "--dataset", data, "--protocol", described, "--quiet", "--workers", 2)
        run = said(capsys, "run", *common, "--out", tmp_path / "run")
        loaded = ("--out", tmp_path / "load", "--warm-up", "0s", "--duration", "0.2s", "--concurrency", 2)
        load = said(capsys, "load", *common, *loaded, "--format", "json")
    assert (run.code, run.errors) == (0, "")
    values = numbers(tmp_path / "run")
    assert_frame_equal(values, usual.select(values.columns), check_exact=True)
    assert (load.code, load.errors) == (0, "")
    config = json.loads((tmp_path / "load" / "config.json").read_text())["options"]
    assert config["batch_size"] == [1]
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


def test_a_key_in_the_url_is_in_no_file_and_no_message_when_the_service_sends_it_back(
    data: Path, found: Found, tmp_path: Path, described: Path, capsys
):
    async def repeat(service: services.Service, request: web.Request, message: Any) -> web.Response:
        return web.Response(status=403, text=f"not with {request.query_string} at {request.url}")

    with services.running(plain(found), repeat) as service:
        command = ("run", "--url", f"{service.url}/?token=t0k3n-{KEY}", "--dataset", data, "--protocol", described)
        done = said(capsys, *command, "--out", tmp_path / "out", "--concurrency", 1, "--verbose")
        tried = said(capsys, "protocol", described, "--url", service.url, "--verbose")
    assert (done.code, tried.code) == (4, 4)
    written = {path.name: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert b"[hidden]" in written["summary.json"]
    assert [name for name, content in written.items() if KEY.encode() in content] == []
    assert KEY not in "".join((*done[1:], *tried[1:]))


def test_a_hit_is_one_line_whatever_is_in_it_and_a_secret_at_the_end_of_that_line_is_hidden(capsys):
    hits = [
        {"id": "a\x1b[31m", "score": 1.0, "text": f"{'x' * 55} {KEY}"},
        {"id": "b", "score": 0.5, "text": "b\nThen: rm"},
    ]
    with services.running(answer({"items": hits})) as service:
        line = f"curl {service.url}/q?text=a -H 'X-Key: {KEY}'"
        done = said(capsys, "protocol", "--from-curl", line)
    assert done.code == 0
    assert "a\\x1b[31m" in done.errors
    assert f"{'x' * 55} [hid" in done.errors
    assert "b Then: rm" in done.errors
    assert KEY[:4] not in done.errors + done.output


def test_a_batch_size_that_was_given_is_refused_where_one_query_is_asked(data: Path, described: Path, capsys):
    for command in ("run", "load"):
        where = ("--url", "http://127.0.0.1:9", "--dataset", data, "--protocol", described)
        done = said(capsys, command, *where, "--batch-size", 8)
        assert done.code == 2
        assert sentence(done.errors) == "--protocol mine asks one query per request: use --batch-size 1, not 8"


# Files that a line names


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    file = tmp_path / "body.json"
    file.write_text('{"q": "stolen phone", "password": "SECRET-OF-THE-FILE"}')
    return file


def test_a_file_of_the_line_is_refused_where_nobody_can_be_asked(capsys, secret: Path):
    code, output, errors = said(
        capsys, "protocol", "--no-try", "--from-curl", f"curl http://127.0.0.1:1/s -d @{secret}"
    )
    assert (code, output) == (2, "")
    assert sentence(errors) == (f"--from-curl: the line sends the local file {secret}; --allow-files allows reading it")


def test_a_file_of_the_line_is_read_with_allow_files_and_its_secrets_become_variables(capsys, secret: Path):
    line = ["--", "curl", "http://127.0.0.1:1/s", "-d", f"@{secret}"]
    code, output, errors = said(capsys, "protocol", "--no-try", "--allow-files", *line)
    assert code == 0, errors
    assert 'password = "${SEARCH_PASSWORD}"' in output
    assert f"Note: the content of the local file {secret} was put into the request." in errors
    assert "SECRET-OF-THE-FILE" not in output + errors
    assert "export SEARCH_PASSWORD=…  (the curl line sends its value; it is stored nowhere)" in errors


@pytest.mark.parametrize(("answer", "exit_code"), first_of((b"y\n", 0), (b"n\n", 2), (b"\n", 2)))
def test_on_a_terminal_the_file_is_named_and_asked_for(secret: Path, answer: bytes, exit_code: int):
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "benchbench", "protocol", "--no-try", "--", "curl", "http://h/s", "-d", f"@{secret}"]
    with copied_processes.Popen(words, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        os.write(ours, answer)
        output, _ = process.communicate(timeout=60)
        shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert f"sends what is in the file {secret} of this machine. Read it? [y/N]" in " ".join(shown.split())
    assert process.returncode == exit_code
    assert (b"stolen" in output or b"{query}" in output) == (exit_code == 0)
