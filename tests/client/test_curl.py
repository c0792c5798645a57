"""Lines of curl as people paste them."""

import base64
import itertools
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import services
from aiohttp import web
from cases import check_rows
from hypothesis import given
from hypothesis import strategies as st

from benchbench.client.curl import CurlRequest, parse
from benchbench.client.guess_request import draft
from benchbench.client.shell_words import split
from benchbench.errors import InputError

JSON = (("Content-Type", "application/json"),)

LINES = {
    "a URL alone": ("curl http://h/q?a=1", CurlRequest("GET", "http://h/q?a=1")),
    "no scheme": ("curl localhost:9200/_search", CurlRequest("GET", "http://localhost:9200/_search")),
    "a prompt": ("$ curl http://h/", CurlRequest("GET", "http://h/")),
    "variables before it": ("KEY=s3cr3t OTHER='a b' curl http://h/", CurlRequest("GET", "http://h/")),
    "an unquoted ampersand": ("curl http://h/q?a=1&b=2", CurlRequest("GET", "http://h/q?a=1&b=2")),
    "data is a POST": ("curl http://h/ -d 'a=1' -d b=2", CurlRequest("POST", "http://h/", body="a=1&b=2")),
    "values at short names": (
        "curl -XPUT -d'{}' -HA:b http://h/",
        CurlRequest("PUT", "http://h/", (("A", "b"),), "{}"),
    ),
    "short names together": ("curl -sSLkG -d a=1 http://h/", None),
    "data in the query": ("curl -G http://h/?x=1 -d a=1 -d b=2", CurlRequest("GET", "http://h/?x=1&a=1&b=2")),
    "data, encoded": (
        "curl -G http://h/ --data-urlencode 'q=a b&c' --data-urlencode '=x y' --data-urlencode 'z w'",
        CurlRequest("GET", "http://h/?q=a+b%26c&x+y&z+w"),
    ),
    "JSON": ("curl --json '{\"a\": 1}' http://h/", CurlRequest("POST", "http://h/", JSON, '{"a": 1}')),
    "JSON in parts": ("curl --json '[1' --json ', 2]' http://h/", CurlRequest("POST", "http://h/", JSON, "[1, 2]")),
    "an abbreviation": ("curl --reque PUT --head x http://h/", None),
    "a GET with a body": ("curl -XGET h/_search -d'{}'", CurlRequest("GET", "http://h/_search", body="{}")),
    "continued lines": (
        "curl 'http://h/q' \\\n  -H 'A: b' \\\r\n  -H \"C: d\"",
        CurlRequest("GET", "http://h/q", (("A", "b"), ("C", "d"))),
    ),
    "a pipe": ("curl -s http://h/q | jq '.hits'", CurlRequest("GET", "http://h/q")),
    "output elsewhere": ("curl http://h/q -o file 2>/dev/null", CurlRequest("GET", "http://h/q")),
    "a second line": ("curl http://h/q\necho done", CurlRequest("GET", "http://h/q")),
    "lines that have lost their backslash": (
        "curl http://h/q\n -H 'A: b'",
        CurlRequest("GET", "http://h/q", (("A", "b"),)),
    ),
    "quotes in quotes": ("""curl h -d '{"q": "it'"'"'s"}'""", CurlRequest("POST", "http://h", body='{"q": "it\'s"}')),
    "escaped quotes": (r'curl h -d "{\"q\": \"a\\nb\"}"', CurlRequest("POST", "http://h", body=r'{"q": "a\nb"}')),
    "dollar quotes": (
        r"curl h --data-raw $'{\"q\": \"it\'s \u4f60\ud83e\udd8a \xe4\xbd\xa0\"}'",
        CurlRequest("POST", "http://h", body='{"q": "it\'s 你🦊 你"}'),
    ),
    "a variable": (
        "curl h -H \"Authorization: Bearer $TOKEN\" -H 'X: ${KEY}'",
        CurlRequest("GET", "http://h", (("Authorization", "Bearer ${TOKEN}"), ("X", "${KEY}"))),
    ),
    "a header that is taken away": (
        "curl h -H 'Accept:' -H 'X-Empty;'",
        CurlRequest("GET", "http://h", (("X-Empty", ""),)),
    ),
    "a login": (
        "curl -u elastic:pw h",
        CurlRequest("GET", "http://h", (("Authorization", f"Basic {base64.b64encode(b'elastic:pw').decode()}"),)),
    ),
    "cookies": ("curl -b 'a=b; c=d' h", CurlRequest("GET", "http://h", (("Cookie", "a=b; c=d"),))),
    "Windows, as browsers write it": (
        'curl ^"http://h/q?a=^%^20b^&c=d^" ^\r\n  -H ^"accept: */*^" ^\r\n'
        '  --data-raw ^"^{^\\^"q^\\^":^\\^"x ^\\^\\y^\\^"^}^"',
        CurlRequest("POST", "http://h/q?a=%20b&c=d", (("accept", "*/*"),), '{"q":"x \\\\y"}'),
    ),
    "Windows, by hand": (
        'curl.exe "http://h/q" ^\n -H "A: b" -d "{\\"q\\": 1}"',
        CurlRequest("POST", "http://h/q", (("A", "b"),), '{"q": 1}'),
    ),
    "a command behind it": ("curl http://h/q?a=b; rm -r x", CurlRequest("GET", "http://h/q?a=b")),
    "a pipe without a space": ("curl 'http://h/q'|jq", CurlRequest("GET", "http://h/q")),
    "a comment and marks of code": ("```sh\n# searches\ntime curl http://h/q\n```", CurlRequest("GET", "http://h/q")),
    "PowerShell's lines": ("curl.exe 'http://h/q' `\n -H 'A: b'", CurlRequest("GET", "http://h/q", (("A", "b"),))),
}


def test_a_line_is_read_as_curl_reads_it():
    def check_case(line: str, request_: CurlRequest) -> None:
        assert parse(line) == request_

    check_rows(check_case, [one for one in LINES.values() if one[1]])


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
    def check_case(options: str, name: str) -> None:
        with pytest.raises(InputError) as refused:
            parse(f"curl http://h/q {options.format(name)}")
        assert name in str(refused.value)
        assert "root:" not in str(refused.value)

    check_rows(
        check_case,
        itertools.product(
            [
                "-d @{}",
                "--data @{}",
                "--data-ascii @{}",
                "--data-binary @{}",
                "--json @{}",
                "--data-urlencode @{}",
                "--data-urlencode q@{}",
                "--url-query q@{}",
                "-H @{}",
                "--header @{}",
                "-G -d a=b -d @{}",
                "-K {}",
                "--config {}",
                "-b {}",
                "--cookie {}",
                "--netrc-file {}",
                "-T {}",
                "--url @{}",
            ],
            ["/etc/passwd", "no/such/file"],
        ),
    )


@pytest.mark.parametrize("option", ["-n", "--netrc", "--netrc-optional", "--netrc-file x"])
def test_a_file_of_passwords_is_refused_whatever_is_allowed(option: str):
    with pytest.raises(InputError, match=r"a user and a password from .* write -u 'USER:PASSWORD' in its place"):
        parse(f"curl http://h/q?q=a {option}", lambda name: True)


def test_a_line_that_cannot_be_is_one_sentence():
    def check_case(line: str, reason: str) -> None:
        with pytest.raises(InputError) as refused:
            parse(line)
        assert str(refused.value).startswith(reason)
        assert "\n" not in str(refused.value)

    check_rows(
        check_case,
        [
            ("", "--from-curl takes a line that begins with curl, and this one is empty"),
            ("wget http://h", "--from-curl takes a line that begins with curl, and this one does not"),
            ("curl", "--from-curl: the line has no URL"),
            (
                "curl http://a http://b",
                "--from-curl: the line has 2 words in the place of the URL, and one request asks one",
            ),
            ("curl http://h --nosuch", "--from-curl: option --nosuch not recognized"),
            ("curl http://h -H", "--from-curl: option -H requires argument"),
            ("curl 'http://h", "the curl line has a quote (') that is not closed"),
            ('curl ^"http://h', 'the curl line has a quote (") that is not closed'),
            ('curl http://h -H "A: $(cat key)"', "the curl line runs a command inside it"),
            ("curl http://h -F a=b", "--from-curl: a form of several parts (multipart/form-data) cannot be described"),
            ("curl http://h -XDELETE", "--from-curl: method DELETE is not POST, PUT or GET"),
            ("curl http://h -d @- <<EOF", "--from-curl: curl reads data from standard input here (@-)"),
            ("curl “http://h/”", "--from-curl: the line has typographic quotes"),
            ('Invoke-WebRequest -Uri "http://h"', "--from-curl: the line is for PowerShell's own command"),
            ('curl -Uri "http://h"', "--from-curl: the line is for PowerShell's own command"),
            (
                "curl $NO_SUCH_HOST/q",
                "--from-curl: the URL has the environment variable NO_SUCH_HOST, which is not set",
            ),
            (
                "curl h -u me:$NO_SUCH_KEY",
                "--from-curl: --user has the environment variable NO_SUCH_KEY, which is not set",
            ),
            ("curl http://h -b jar", "--from-curl: --cookie reads cookies from the file jar"),
            ("curl http://h --digest -u a:b", "--from-curl: --digest signs every request anew"),
            ("curl http://h --next http://i", "--from-curl: several requests cannot be described"),
        ],
    )


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


SAME = [
    "curl '{url}/q?text=a%20b&n=3' -H 'X-API-Key: k' --compressed",
    "curl -G {url}/q --data-urlencode 'text=a b&c=d+e/é' -d n=3",
    "curl {url}/q?x=1 -d 'q=a b' -d size=3 -d 'é=1'",
    "curl {url}/q -XPUT --data-raw '@a&b'",
    "curl -XGET {url}/_search -H 'Content-Type: application/json' -d '{{\"q\": \"x\\ny\"}}'",
    "curl {url}/q --data-binary $'{{}}\\n{{\"q\": \"it\\'s \\u4f60\"}}\\n' -H 'Content-Type: application/x-ndjson'",
    "curl --data-urlencode 'q= a' --data-urlencode '=b c' --data-urlencode 'd e' {url}/",
    "curl -sS -uelastic:'p w' {url}/q?a=b -b 'c=d; e=f' -H 'X-Empty;' -H 'Accept:' -H \"X-V: a\\\"b\\$c\"",
    "curl --url {url}/a/b/../c --path-as-is -H 'A: 1'",
    "X=1 curl {url}/q -d q=a -d n=3 -X POST \\\n  -H 'B: 2' | cat",
]  # fmt: skip


@pytest.mark.skipif(shutil.which("curl") is None or shutil.which("bash") is None, reason="needs curl and bash")
@pytest.mark.parametrize("line", SAME)
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
