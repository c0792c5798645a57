import base64
import html
import json
import math
import string
import textwrap
import tracemalloc
import unicodedata
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, quote_plus

import data_sets
import numpy as np
import orjson
import polars as pl
import pytest
import services
import yarl
from aiohttp import web
from cases import check_each, first_of
from hit_lists import assert_same, hits_of
from hypothesis import example, given
from hypothesis import strategies as st
from yarl import URL

import benchbench as bb
from benchbench.cli.main import main
from benchbench.client.descriptions import described
from benchbench.client.label_codes import LabelSecrets
from benchbench.client.secrets import HIDDEN, Secrets, basic
from benchbench.client.service import Service
from benchbench.client.transport import shown
from benchbench.results.environment import shown_command
from benchbench.tables.hits import Hits
from benchbench.tables.labels import MISSING, Kind, Label, LabelSchema, Vocabulary

NOWHERE = URL("http://h:1/batch_search")


PLAIN: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "JSON": lambda s: json.dumps(s)[1:-1],
    "JSON, not ASCII": lambda s: json.dumps(s, ensure_ascii=False)[1:-1],
    "JSON in JSON": lambda s: json.dumps(json.dumps(s))[3:-3],
    "JSON of PHP": lambda s: json.dumps(s)[1:-1].replace("/", "\\/"),
    "JSON, escaped throughout": lambda s: "".join(
        f"\\u{unit:04X}" for unit in memoryview(s.encode("utf-16")[2:]).cast("H")
    ),
    "URL": quote,
    "URL, whole": lambda s: quote(s, safe=""),
    "URL, small": lambda s: quote(s, safe="").lower() if s.isascii() else quote(s, safe=""),
    "URL, twice": lambda s: quote(quote(s, safe=""), safe=""),
    "form": quote_plus,
    "HTML": html.escape,
    "HTML, numbers": lambda s: "".join(f"&#{ord(c)};" for c in s),
    "HTML in HTML": lambda s: html.escape(html.escape(s)),
    "Python": lambda s: repr(s)[1:-1],
    "bytes of Python": lambda s: repr(s.encode())[2:-1],
    "large": lambda s: "".join(c.upper() if c.isascii() else c for c in s),
    "composed": lambda s: unicodedata.normalize("NFC", s),
    "decomposed": lambda s: unicodedata.normalize("NFD", s),
    "read as Latin-1": lambda s: s.encode().decode("latin-1"),
    "hexadecimal": lambda s: s.encode().hex(),
    "hexadecimal, apart": lambda s: s.encode().hex(":"),
    "hexadecimal of C": lambda s: ", ".join(f"0x{byte:02X}" for byte in s.encode()),
    "base64": lambda s: base64.b64encode(s.encode()).decode(),
    "base64 in lines": lambda s: "\r\n ".join(textwrap.wrap(base64.b64encode(s.encode()).decode(), 4)),
    "base64 in lines, in JSON": lambda s: "\\n".join(textwrap.wrap(base64.b64encode(s.encode()).decode(), 8)),
    "base64 for URLs": lambda s: base64.urlsafe_b64encode(s.encode()).decode().rstrip("="),
    "base64 in a URL": lambda s: quote(base64.b64encode(s.encode()).decode(), safe=""),
    "base64 of more": lambda s: base64.b64encode(b"x:" + s.encode() + b"!").decode(),
}


VALUES = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Zl", "Zp", "Zs", "Cn", "Co"]), min_size=8, max_size=40
)


def written(secret: str, text: str) -> list[str]:
    """Return in which ways a secret stands in a text."""
    folded = text.casefold()
    return [name for name, write in PLAIN.items() if write(secret).rstrip("=").casefold() in folded]


@given(secret=VALUES, before=st.sampled_from(["", "you sent ", '{"error": "Bearer ', "100 % & ", "\\"]))
@example(secret="tokEN'Zz\\9\"/+=x", before="you sent ")
@example(secret="s3cr3t-välue", before="")
@example(secret="ǽ0000000", before="\\")  # its base64 behind a backslash looks like an escape
@example(secret="ǽ>000000", before="\\")  # and there is one in it
@example(secret="mypassword-12", before="100%")  # so does hexadecimal behind a percent sign
@example(secret="日本語のパスワード", before="")
@example(secret="é%80-and-é", before="")  # a byte that is no UTF-8 beside two that are
@example(secret="0000000¹¡¡¡¡¡¡¡¡0", before="")  # repeated so that no place is left to look at
def test_a_secret_is_hidden_however_it_is_written(secret: str, before: str):
    secrets = Secrets(NOWHERE, {"X-Key": secret})

    def check(name: str) -> None:
        text = PLAIN[name](secret)
        for hidden in (secrets.hide(f"{before}{text}, and more"), secrets.clean(f"{before}{text}, and more")):
            assert HIDDEN in hidden
            assert text.rstrip("=") not in hidden
            assert hidden.endswith(", and more")

    check_each(check, PLAIN)


@given(VALUES, *[st.sampled_from(["JSON", "JSON of PHP", "URL, whole", "HTML", "as it is"])] * 3)
def test_ways_of_writing_may_come_one_after_the_other(secret: str, first: str, second: str, third: str):
    text = PLAIN[third](PLAIN[second](PLAIN[first](secret)))
    hidden = Secrets(NOWHERE, {"X-Key": secret}).hide(f"you sent {text}.")
    assert HIDDEN in hidden
    assert text not in hidden


@given(st.text(string.ascii_letters + string.digits, min_size=33, max_size=33), st.integers(16, 33))
@example("sk-SECRETKEY1234567890abcdefXYZ=q", 20)
def test_the_first_16_or_more_characters_of_a_key_are_hidden_too(key: str, count: int):
    secrets = Secrets(NOWHERE, {"Authorization": f"Bearer {key}"})
    for write in (PLAIN[name] for name in ("as it is", "hexadecimal", "base64")):
        text = write(key)
        for hide in (secrets.hide, secrets.clean):
            assert hide(f"<{text[: count * len(text) // len(key)]}>") == f"<{HIDDEN}>"


def test_base64_of_a_key_that_was_cut_is_hidden_to_its_last_character():
    key = "sk-live-0123456789abcdef"
    secrets = Secrets(NOWHERE, {"Authorization": f"Bearer {key}"})
    for count in range(16, len(key)):
        text = base64.b64encode(key[:count].encode()).decode().rstrip("=")
        assert secrets.hide(f"you sent {text}, and more") == f"you sent {HIDDEN}, and more"


def test_the_beginning_of_a_value_that_is_no_key_stays():
    assert Secrets(NOWHERE, {"X-Index": "legal-documents-2024-uk"}).clean("legal-documents-2024-fr").endswith("-fr")


@pytest.mark.parametrize("filling", first_of("lorem ipsum ", "日本語と한국어 ", "\\/\\n%20&lt;"))
def test_memory_for_hiding_is_linear_and_small(filling: str):
    key = "sk-live-0123456789abcdef"
    text = filling * (50_000 // len(filling)) + key
    tracemalloc.start()
    hidden = Secrets(NOWHERE, {"Authorization": f"Bearer {key}"}).clean(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert hidden == text.replace(key, HIDDEN)
    assert peak < 100 * len(text)


@given(st.text())
def test_a_text_without_a_secret_stays_as_it_is(text: str):
    assert Secrets(NOWHERE, {"X-Key": "s3cr3t-value"}).hide(text) == text
    assert Secrets(NOWHERE, {}).clean([text]) == [text]


def test_user_and_password_of_a_url_are_secrets_in_all_that_is_made_of_them():
    url = URL("http://alice77:s3cr3tPW@h:1/?key=k3y-value&sig=abcd")
    secrets = Secrets(url, {})
    for one in ("alice77", "s3cr3tPW", basic(url)[6:], "k3y-value", "abcd", "key=k3y-value&sig=abcd"):
        assert secrets.hide(f"<{one}>") == f"<{HIDDEN}>"


def test_a_key_in_a_path_is_a_secret_and_names_that_only_sound_so_are_none():
    url = URL("http://h:1/v1/sk-Ab12Cd34Ef56Gh78Ij90/search?passages=three&tokenizer=standard&encoding=plain")
    secrets = Secrets(url, {})
    assert secrets.hide("not with sk-Ab12Cd34Ef56Gh78Ij90") == f"not with {HIDDEN}"
    assert secrets.clean("three standard, plain words") == "three standard, plain words"
    assert shown(url) == f"http://h:1/v1/{HIDDEN}/search"
    assert shown_command(["run", "--url", f"{url}"])[2] == f"http://h:1/v1/{HIDDEN}/search"
    assert shown(URL("http://h:1/My-Collection-2024-Documents/q")).endswith("/My-Collection-2024-Documents/q")


def test_a_key_that_is_written_into_the_body_of_a_description_is_a_secret():
    body = {"queries": "{queries}", "auth": {"apiKey": "b0dy-key"}, "token_filter": "lower"}
    asked = Service("http://h:1", described("m", {"body": body, "results": {"lists": "results"}}, {}, "m"))
    assert asked.secrets().hide("b0dy-key is lower") == f"{HIDDEN} is lower"


def test_the_password_inside_a_basic_header_is_one_too():
    header = f"Basic {base64.b64encode(b'alice77:s3cr3tPW').decode()}"
    assert Secrets(NOWHERE, {"Authorization": header}).hide("no s3cr3tPW here") == f"no {HIDDEN} here"


@pytest.mark.parametrize("login", [("alice", "pässwörd"), ("愛", "密码密码"), ("token", "")])
def test_a_login_is_sent_as_a_header_in_which_everything_can_stand(login: tuple[str, str]):
    user, password = login
    value = base64.b64decode(basic(NOWHERE.with_user(user).with_password(password or None)).partition(" ")[2])
    assert (
        value.decode("latin-1" if value.decode("latin-1") == f"{user}:{password}" else "utf-8") == f"{user}:{password}"
    )


def test_what_is_no_secret_by_its_name_is_hidden_in_messages_and_left_in_results():
    secrets = Secrets(URL("http://h:1/?index=cases"), {"X-Tenant": "acme", "Content-Type": "application/json"})
    assert (
        secrets.hide("no index cases for acme: application/json") == f"no index {HIDDEN} for {HIDDEN}: application/json"
    )
    assert secrets.clean({"id": "cases-1", "tenant": "acme"}) == {"id": "cases-1", "tenant": "acme"}


def test_a_short_secret_is_hidden_in_results_where_it_stands_by_itself():
    secrets = Secrets(URL("http://elastic:admin@h:1/"), {})
    assert secrets.clean(["administrative-law", "the admin, yes"]) == ["administrative-law", f"the {HIDDEN}, yes"]
    assert secrets.clean_all(["administrative-law", None]) is None
    assert secrets.clean_all(["a", None, "x admin"]) == ["a", None, f"x {HIDDEN}"]


def test_names_and_depths_of_json_make_no_difference():
    value = {"s3cr3t-value": [{"a": ["b s3cr3t-value", 1, None, True]}]}
    hidden = {HIDDEN: [{"a": [f"b {HIDDEN}", 1, None, True]}]}
    assert Secrets(NOWHERE, {"X-Key": "s3cr3t-value"}).clean(value) == hidden


# A whole run over a service that sends back what it gets


def echoing(place: str, write: Callable[[str], str]) -> services.Answer:
    """Send back all that may be secret in the request, at a place of the answer."""

    async def answer(service: services.Service, request: web.Request, message: object) -> web.Response:
        login = request.headers.get("Authorization", "")
        said = write(" ".join([login, request.headers.get("X-Key", ""), request.query_string]))
        if login.startswith("Basic "):
            said += " " + write(base64.b64decode(login[6:]).decode("latin-1"))
        if place in ("id", "text"):
            hit = {"id": "d1", "score": 1.0, "text": "t"} | {place: said}
            return web.json_response({"results": [[hit] for _ in message["queries"]]})
        if place == "shape":
            return web.json_response({"results": said})
        if place == "body":
            return web.Response(status=422, text=said)
        head = said.encode("ascii", "backslashreplace").decode().replace("\n", " ")
        if place == "reason":
            return web.Response(status=422, reason=head)
        return web.Response(status=307 if place == "Location" else 429, headers={place: head})

    return answer


@pytest.mark.parametrize(
    ("place", "way", "workers"),
    first_of(
        ("id", "as it is", 1),
        ("body", "base64", 1),
        ("reason", "as it is", 1),
        ("id", "URL, whole", 2),
        *((place, "as it is", 1) for place in ("text", "shape", "body", "Location", "Retry-After")),
        ("id", "JSON", 1),
        ("body", "JSON", 2),
        first=4,
    ),
)
def test_no_file_and_no_message_of_a_run_has_a_secret_that_the_service_sends_back(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], place: str, way: str, workers: int
):
    user, password, key = "alice77", "s3cr3t/PW", "tokEN'Zz\\9\"/+=x"
    data, out = data_sets.write(tmp_path), tmp_path / "out"
    with services.running(echoing(place, PLAIN[way])) as service:
        url = service.url.replace("http://", f"http://{user}:{quote(password, safe='')}@") + f"/?code={key[:5]}-1234"
        arguments = ["--dataset", data, "--out", out, "--workers", workers, "--retries", 0, "--header", f"X-Key: {key}"]
        with pytest.raises(SystemExit):
            main(["run", "--url", url, *map(str, arguments), "--verbose"])
    contents = {"output": b"".join(capfdbinary.readouterr())}
    for path in out.rglob("*"):
        if path.is_file():
            contents[str(path)] = path.read_bytes()
            if path.suffix == ".parquet":
                contents[f"{path} as text"] = "\n".join(map(str, pl.read_parquet(path).rows())).encode()
    login = base64.b64encode(f"{user}:{password}".encode()).decode()
    for name, content in contents.items():
        text = content.decode(errors="replace")
        assert [one for one in (user, password, key, login, f"{key[:5]}-1234") if written(one, text)] == [], name


def test_ids_with_a_secret_are_counted(tmp_path: Path):
    with services.running(echoing("id", str)) as service:
        chosen = bb.Settings(
            bb.locate(str(data_sets.write(tmp_path))), url=service.url.replace("//", "//alice:s3cr3tPW@")
        )
        outcome = bb.run(chosen)
    assert outcome.hit_faults["ids_with_a_secret"] == 12
    assert "s3cr3tPW" not in repr(chosen) + orjson.dumps(chosen.shown("")).decode()


# Label codes

SCHEMA = LabelSchema(tuple(Label(kind.value, kind, (), ((kind.value,),)) for kind in Kind))


def test_secrets_in_labels_are_hidden_and_counted_and_nothing_else_is_changed():
    vocabulary = Vocabulary()
    own = vocabulary.code(["s3cr3tPW", "of the query"])
    secrets = LabelSecrets(vocabulary, SCHEMA, Secrets(yarl.URL("http://alice:s3cr3tPW@example"), {}))
    for _ in range(2):  # what was found once is known
        codes = vocabulary.codes([["a", "my s3cr3tPW!"], ["a"], None, ["s3cr3tPW", "of the query"], ["s3cr3tPW"]])
        flags = [MISSING, MISSING, vocabulary.flag(True), MISSING, vocabulary.flag("s3cr3tPW")]
        numbers = [1.0, math.nan, 2.0, 3.0, 4.0]
        hits = hits_of([5], list("abcde"), labels=[codes, flags, numbers])
        given = hits.labels[2]
        secrets.hide(hits)
        sets = vocabulary.sets()
        assert [None if code == MISSING else set(sets[code]) for code in hits.labels[0]] == [
            {"a", f"my {HIDDEN}!"},
            {"a"},
            None,
            {"s3cr3tPW", "of the query"},
            {HIDDEN},
        ]
        assert (hits.labels[0][1:4].tolist(), hits.labels[0][3]) == (codes[1:4], own)
        assert hits.labels[1][:4].tolist() == flags[:4]
        assert sets[hits.labels[1][4]] == {HIDDEN}
        assert hits.labels[2] is given
        assert [column.dtype for column in hits.labels] == [np.int32, np.int32, np.float64]
        assert hits.faults == {"labels_with_a_secret": 3}


def test_hits_without_labels_stay_so():
    hits = Hits.none(3)
    LabelSecrets(Vocabulary(), SCHEMA, Secrets(yarl.URL("http://alice:s3cr3tPW@example"), {})).hide(hits)
    assert_same(hits, Hits.none(3))
