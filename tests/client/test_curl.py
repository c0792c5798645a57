"""Lines of curl as people paste them."""

import itertools
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import services
from aiohttp import web
from cases import check_each, check_rows, tables
from client.answers import rows
from hypothesis import given
from hypothesis import strategies as st

from benchbench.client.curl import CurlRequest, parse
from benchbench.client.guess_request import draft
from benchbench.client.shell_words import split
from benchbench.errors import InputError

TABLES = tables(__file__)


def test_a_line_is_read_as_curl_reads_it():
    def check(row: dict[str, Any]) -> None:
        headers = tuple(map(tuple, row["headers"]))
        notes = tuple(row.get("notes", ()))
        assert parse(row["line"]) == CurlRequest(row["method"], row["url"], headers, row["body"], notes)

    check_each(check, rows("curl_lines.jsonl"))


def test_options_that_say_nothing_about_the_request_are_passed_over():
    got = parse("curl -sSL --compressed -o out -m 5 --retry 3 --http2 -A x --no-buffer http://h/ -k")
    assert (got.method, got.url, got.headers, len(got.notes)) == ("GET", "http://h/", (), 1)


def test_a_file_that_is_not_there_is_one_sentence():
    with pytest.raises(InputError, match=r"^--from-curl: there is no file no/such/file to read data from$"):
        parse("curl http://h -d @no/such/file", lambda name: True)


def test_data_of_a_file_is_read(tmp_path: Path):
    file = tmp_path / "q.json"
    file.write_text('{"q":\n "a b"}\n')
    asked: list[str] = []

    def read(line: str) -> CurlRequest:
        return parse(line, lambda name: asked.append(name) or True)

    assert read(f"curl h -d @{file}").body == '{"q": "a b"}'
    assert read(f"curl h --data-binary @{file}").body == '{"q":\n "a b"}\n'
    assert read(f"curl h --json @{file}").body == '{"q":\n "a b"}\n'
    assert read(f"curl h --data-urlencode q@{file}").body == "q=%7B%22q%22%3A%0A+%22a+b%22%7D%0A"
    assert read(f"curl h --url-query q@{file}").url.startswith("http://h?q=%7B")
    assert asked == [str(file)] * 5
    assert read(f"curl h -d @{file}").notes == (
        f"what is in the file {file} of this machine was read into the request",
    )
    assert parse(f"curl h --data-raw @{file}").body == f"@{file}"


def test_headers_of_a_file_are_read_and_their_secrets_become_variables(tmp_path: Path):
    file = tmp_path / "headers"
    file.write_text("Authorization: Bearer k3y-s3cr3t-value\nX-Tenant: us\r\n@/etc/passwd\nCookie: session=abc\n")
    request = parse(f"curl http://h/q?q=a -H @{file}", lambda name: True)
    assert request.headers == (
        ("Authorization", "Bearer k3y-s3cr3t-value"), ("X-Tenant", "us"), ("Cookie", "session=abc"),
    )  # fmt: skip
    made = draft(request)
    assert made.description["headers"] == {
        "Authorization": "Bearer ${SEARCH_TOKEN}", "X-Tenant": "us", "Cookie": "${SEARCH_COOKIE}",
    }  # fmt: skip


def test_a_file_is_named_and_not_read_where_nobody_allows_it():
    def check_case(option: str, name: str) -> None:
        with pytest.raises(InputError) as refused:
            parse(f"curl http://h/q {option}{name}")
        assert name in str(refused.value)
        assert "root:" not in str(refused.value)

    options = [
        *("-d @", "--data @", "--data-ascii @", "--data-binary @", "--json @", "--data-urlencode @"),
        *("--data-urlencode q@", "--url-query q@", "-H @", "--header @", "-G -d a=b -d @", "-K ", "--config "),
        *("-b ", "--cookie ", "--netrc-file ", "-T ", "--url @"),
    ]
    check_rows(check_case, itertools.product(options, ["/etc/passwd", "no/such/file"]))


@pytest.mark.parametrize("option", ["-n", "--netrc", "--netrc-optional", "--netrc-file x"])
def test_a_file_of_passwords_is_refused_whatever_is_allowed(option: str):
    with pytest.raises(InputError, match=r"a user and a password from .* write -u 'USER:PASSWORD' in its place"):
        parse(f"curl http://h/q?q=a {option}", lambda name: True)


def test_a_line_that_cannot_be_is_one_sentence():
    def check_case(line: str, reason: str) -> None:
        with pytest.raises(InputError) as refused:
            parse(line)
        whole = reason.startswith(("--from-curl ", "the curl line "))
        assert str(refused.value).startswith(reason if whole else f"--from-curl: {reason}")
        assert "\n" not in str(refused.value)

    check_rows(check_case, TABLES["refused"].items())


def test_a_host_in_a_variable_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BASE", "https://h:9200")
    assert parse("curl $BASE/q?a=$KEY").url == "https://h:9200/q?a=${KEY}"


WORDS = st.text(
    st.characters(codec="utf-8", exclude_characters="\0`") | st.sampled_from("'\"\\$^ \n{}&|;=@%"), max_size=12
)
PARTS = st.sampled_from(
    ["curl", "-H", "-d", "-X", "POST", "--data-raw", "--json", "-G", "-u", "-b", "-F", "--url", "http://h/q?a=b&q=c",
     "'{\"query\": \"x\", \"k\": 3}'", "\\\n", "^\n", "$'a\\'b\\u4f60'", "'A: b'", '"$KEY"', "a=b", "@", "--",
     "-", "^\""]
)  # fmt: skip


@given(st.lists(PARTS | WORDS, max_size=8).map(" ".join))
def test_whatever_stands_there_is_read_or_refused_in_one_sentence(line: str):
    for text in (line, f"curl http://h/?q=a {line}", f"curl {line}"):
        try:
            draft(parse(text))
        except InputError as error:
            assert str(error).isprintable()  # noqa: PT017


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash, whose words are the measure")
@given(st.lists(st.text("ab'\"\\ \n{}:?", max_size=8), min_size=1, max_size=4))
def test_quoted_words_are_those_of_bash(words: list[str]):
    quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
    assert split(quoted) == words
    doubled = " ".join('"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"' for word in words)
    done = subprocess.run(["bash", "-c", f"printf '%s\\0' {doubled}"], capture_output=True, check=True)
    assert split(doubled) == done.stdout.decode().split("\0")[:-1] == words


@pytest.mark.skipif(shutil.which("curl") is None or shutil.which("bash") is None, reason="needs curl and bash")
@pytest.mark.parametrize("line", TABLES["same"])
def test_a_line_asks_what_curl_asks(line: str):
    got: list[Any] = []

    async def take(service: services.Service, request: web.Request, message: Any) -> web.Response:
        got.append((request.method, request.raw_path, dict(request.headers), (await request.read()).decode()))
        return web.Response(text="{}")

    with services.running(take) as service:
        command = line.replace("{{", "{").replace("}}", "}").replace("{url}", service.url)
        subprocess.run(["bash", "-c", command], check=True, capture_output=True)
        read = parse(command)
    method, path, headers, body = got[0]
    assert (read.method, read.body or "") == (method, body)
    assert read.url.lower() == f"{service.url}{path}".lower()  # of escapes such as %2F
    own = {"Host", "User-Agent", "Accept", "Accept-Encoding", "Content-Length", "Content-Type"}
    assert dict(read.headers).items() >= {name: value for name, value in headers.items() if name not in own}.items()
