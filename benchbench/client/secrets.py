"""Secrets that a service may send back: found in whatever encoding, and removed.

A text and a secret are compared as `_plain` has them: escapes of JSON, URLs, HTML and Python undone, however often they
were applied, without case, accents, and the difference between the two alphabets of base64. Beside its own characters a
secret has forms in base64, at all three places of a byte, in hexadecimal, and read in the wrong encoding.
"""

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import yarl

from benchbench.tables.random_keys import random_part

HIDDEN = "[hidden]"
_TOO_SHORT = 4  # characters; hiding a shorter value would spoil every message and guard nothing
_LONG = 16  # characters from which a value is kept out of results too, whatever its name
_WORD = 8  # characters; in results a shorter form must stand by itself, for `admin` is in many a word
_ENCODED = 6  # characters from which an encoded form is one
_START = 1 << 13  # bytes
_BYTE_BY_BYTE = "benchbench-latin-1"  # what becomes of bytes that are not UTF-8
_DEEP = 3  # ways of writing that may have been applied one after the other
_NO_SECRETS = frozenset({"accept", "accept-encoding", "accept-language", "content-type", "user-agent"})
_SCHEMES = frozenset({"apikey", "basic", "bearer", "digest", "negotiate", "token"})
_TELLING = frozenset(
    (
        "auth", "authorization", "bearer", "apikey", "key", "token", "secret", "pass", "passwd", "password", "pwd",
        "cookie", "cookies", "credential", "credentials", "session", "sessionid", "sid", "sig", "signature", "jwt",
        "csrf", "xsrf", "login", "accesskey", "accesstoken",
    )
)  # fmt: skip
_ENDINGS = ("token", "secret", "apikey", "accesskey", "password", "passwd", "pwd", "cookie", "session", "signature")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_PIECES = re.compile(r"[\s;,]+")

_ESCAPE = (
    r"(?:\\+u[0-9a-fA-F]{4})+|(?:\\+x[0-9a-fA-F]{2})+|(?:%(?:25)*[0-9a-fA-F]{2})+|\\+"
    r"|&(?:amp;)*(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,31});"
)
_ESCAPES = re.compile(_ESCAPE)
_TOKENS = re.compile(f"{_ESCAPE}|.", re.DOTALL)
_AMPERSAND = re.compile(r"^&(?:amp;)*")
_UNITS = re.compile(r"\\+[ux]([0-9a-fA-F]+)|%(?:25)*([0-9a-fA-F]{2})")


class Secrets:
    """The secrets of one service."""

    def __init__(self, url: yarl.URL, headers: Mapping[str, str], more: Iterable[tuple[str, str]] = ()) -> None:
        """Collect those of a URL and of headers, and `more`, each with its name."""
        said, kept = set[str](), set[str]()
        for name, value in (*_of_url(url), *_of_headers(headers), *more):
            if len(value) >= _TOO_SHORT:
                said.add(value)
                if len(value) >= _LONG or telling(name) or name.lower() == "code":
                    kept.add(value)
        self._said, self._kept = _Search(said, 0), _Search(kept, _WORD)

    def hide(self, text: str) -> str:
        """Return a message without any secret."""
        return self._said.hide(text)

    def start(self, body: bytes) -> str:
        """Return the start of a body as a text without any secret, more of it than anyone quotes."""
        return self.hide(body[: min(max(_START, 200 * self._said.longest), 8 * _START)].decode(errors="replace"))

    def clean(self, value: Any) -> Any:
        """Return a JSON value to be kept, in whose strings and names the secrets are hidden.

        What may well be a part of a name, such as the short value of an ordinary header, is left alone.
        """
        if not self._kept or value is None:
            return value
        if type(value) is str:
            return self._kept.hide(value)
        if type(value) is list:
            return [self.clean(one) for one in value]
        if type(value) is dict:
            return {self._kept.hide(name): self.clean(member) for name, member in value.items()}
        return value

    def clean_all(self, texts: Sequence[str | None]) -> list[str | None] | None:
        """Return texts with the secrets hidden as `clean` does, None when there is none in them: nearly always."""
        if not self._kept or not self._kept.within("\n".join(filter(None, texts))):
            return None
        hidden = [text and self._kept.hide(text) for text in texts]
        return None if hidden == list(texts) else hidden


class _Search:
    """Finds some values, however they are written."""

    def __init__(self, values: Iterable[str], word: int) -> None:
        self._values = sorted(values, key=len, reverse=True)
        self._word = word
        self.longest = max(map(len, self._values), default=0)
        self._forms = sorted({form for value in self._values for form in _forms(value)}, key=len, reverse=True)

    def __bool__(self) -> bool:
        return bool(self._values)

    def within(self, text: str) -> bool:
        """Say whether a text may have one of them in it."""
        plain = _plain(text)
        return any(form in plain for form in self._forms) or any(value in text for value in self._values)

    def hide(self, text: str) -> str:
        if not self._values or not self.within(text):
            return text
        spans = sorted([*self._written(text), *self._plainly(text)])
        parts, end = [], 0
        for start, stop in spans:
            if start >= end:
                parts += [text[end:start], HIDDEN]
            end = max(end, stop)
        return "".join((*parts, text[end:]))

    def _written(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where a value stands as it is."""
        for value in self._values:
            yield from ((at, at + len(value)) for at in self._found(value, text))

    def _plainly(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where a form stands, whatever its escapes."""
        spans = [(at, at + 1) for at in range(len(text))]
        for _ in range(_DEEP):
            text, spans = _traced(text, spans, _meant)
        text, spans = _traced(text, spans, _fold)
        for form in self._forms:
            yield from ((spans[at][0], spans[at + len(form) - 1][1]) for at in self._found(form, text))

    def _found(self, form: str, text: str) -> Iterator[int]:
        at = text.find(form)
        while at >= 0:
            before, after = text[at - 1 : at] if at else "", text[at + len(form) : at + len(form) + 1]
            if len(form) >= self._word or not (before.isalnum() or after.isalnum()):
                yield at
            at = text.find(form, at + 1)


def telling(name: str) -> bool:
    """Say whether the name of a value suggests that it is a secret."""
    words = [word.lower() for word in _WORDS.findall(name)]
    pairs = {first + second for first, second in pairwise(words)}
    return not _TELLING.isdisjoint({*words, *pairs}) or any(word.endswith(_ENDINGS) for word in words)


def telling_member(name: str) -> bool:
    """Say the same of the member of a body, of which the end counts: `token_filter` is a filter."""
    words = [word.lower() for word in _WORDS.findall(name)]
    return any(telling("".join(words[-count:])) for count in (1, 2))


def basic(url: yarl.URL) -> str | None:
    """Return the value of `Authorization` for the user and password of a URL."""
    if url.user is None:
        return None
    return "Basic " + base64.b64encode(_login(f"{url.user}:{url.password or ''}")).decode()


def _login(text: str) -> bytes:
    """Return user and password as bytes; RFC 7617 leaves the encoding open, and servers expect the older one."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode()


def _of_url(url: yarl.URL) -> Iterator[tuple[str, str]]:
    """Yield the name and value of each secret of a URL."""
    if (login := basic(url)) is not None:
        user, password = url.user or "", url.password or ""
        yield "password" if not password else "user", user
        yield from (("password", one) for one in (password, f"{user}:{password}", login.partition(" ")[2]))
    yield from (("key", part) for part in url.path.split("/") if random_part(part))
    yield from url.query.items()
    yield "", url.raw_query_string


def _of_headers(headers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the name and value of each header, and of its parts."""
    for name, value in headers.items():
        if name.lower() in _NO_SECRETS:
            continue
        yield name, value
        scheme, _, rest = value.partition(" ")
        if scheme.lower() == "basic":
            with_password = _decoded(rest)
            yield from ((name, one) for one in (with_password, with_password.partition(":")[2]))
        for piece in _PIECES.split(rest if scheme.lower() in _SCHEMES else value):
            yield name, piece
            yield name, piece.partition("=")[2]


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text.strip(), validate=True).decode("latin-1")
    except (binascii.Error, ValueError):
        return ""


def _forms(value: str) -> Iterator[str]:
    """Yield how a value may stand in a text that `_plain` has made comparable."""
    raw = [value.encode(errors="replace")]
    if not value.isascii():
        yield from _long(_plain(raw[0].decode("latin-1")), _TOO_SHORT)
        yield from _long(_plain("".join(filter(str.isascii, value))), _ENCODED)
        raw.append(value.encode("latin-1", errors="replace"))
    yield from _long(_plain(value), _TOO_SHORT)
    for content in raw:
        yield content.hex()
        yield from _long(_plain(base64.b64encode(content).decode().rstrip("=")), _ENCODED)
        for before, first in ((1, 2), (2, 3)):  # characters of base64 that bytes before the value have a part in
            whole = base64.b64encode(bytes(before) + content).decode()
            yield from _long(_plain(whole[first : (before + len(content)) * 8 // 6]), _WORD)
        yield from _long(_plain(base64.b64encode(content).decode()[: len(content) * 8 // 6]), _WORD)


def _long(form: str, least: int) -> Iterator[str]:
    if len(form) >= least:
        yield form


class _Folded(dict[int, str]):
    """Characters as they are compared, each found out once."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if unicodedata.category(character) == "Cf" or character == "\ufffd":
            folded = ""
        else:
            parts = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
            folded = "".join(one for one in parts if not unicodedata.combining(one))
        self[code] = folded
        return folded


_FOLDED = _Folded({ord("+"): "-", ord(" "): "-", ord("_"): "/", ord("\\"): ""})


def _plain(text: str) -> str:
    """Return a text as it is compared."""
    for _ in range(_DEEP):
        if "\\" in text or "%" in text or "&" in text:
            text = _ESCAPES.sub(lambda found: _meant(found[0]), text)
    return _fold(text)


def _fold(text: str) -> str:
    return text.translate(_FOLDED)


def _traced(text: str, spans: list[tuple[int, int]], change: Callable[[str], str]) -> tuple[str, list[tuple[int, int]]]:
    """Return a changed text, and where each of its characters comes from; what is no escape is changed by itself."""
    parts: list[str] = []
    origins: list[tuple[int, int]] = []
    for token in _TOKENS.finditer(text):
        part = change(token[0]) if change is _fold or len(token[0]) > 1 or token[0] == "\\" else token[0]
        parts.append(part)
        origins += [(spans[token.start()][0], spans[token.end() - 1][1])] * len(part)
    return "".join(parts), origins


def _meant(escape: str) -> str:
    """Return what an escape, or a run of one kind, stands for."""
    if escape[0] == "&":
        return html.unescape(_AMPERSAND.sub("&", escape))
    units = [first or second for first, second in _UNITS.findall(escape)]
    if not units:
        return ""  # backslashes before what they escape
    if len(units[0]) == 4:
        return b"".join(bytes.fromhex(one) for one in units).decode("utf-16-be", errors="replace")
    return bytes.fromhex("".join(units)).decode(errors=_BYTE_BY_BYTE)


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    """Return the bytes that are not UTF-8 as they are, whatever stands beside them: a run may be of two parts."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error(_BYTE_BY_BYTE, _as_latin_1)
