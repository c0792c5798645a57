"""Secrets that a service may send back: found in whatever encoding, and removed.

A text and a secret are compared as `comparable` has them. Beside its own characters a secret has forms in base64, at
all three places of a byte, in hexadecimal, and read in the wrong encoding. The beginning of a key is a secret too.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import yarl

from benchbench.client.comparable import (
    CodePoints,
    Comparable,
    Places,
    Spans,
    code_points,
    compact,
    letters_and_digits,
    plain,
)
from benchbench.tables.random_keys import random_part

HIDDEN = "[hidden]"
_TOO_SHORT = 4  # characters; hiding a shorter value would spoil every message and guard nothing
_LONG = 16  # characters from which a value is kept out of results too, whatever its name
_WORD = 8  # characters; in results a shorter form must stand by itself, for `admin` is in many a word
_ENCODED = 6  # characters from which an encoded form is one
_START = 1 << 13  # bytes
_AT_ONCE = 8  # characters of a key that are compared at first; nearly all that differ do so in these
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
_KEY = re.compile(r"[^\s:;,=]{17,}[^\s:;,]*")  # longer than `_LONG`; no words, no user and password, no `name=value`


class Secrets:
    """The secrets of one service."""

    def __init__(self, url: yarl.URL, headers: Mapping[str, str], more: Iterable[tuple[str, str]] = ()) -> None:
        """Collect those of a URL and of headers, and `more`, each with its name."""
        hidden, kept, keys = set[str](), set[str](), set[str]()
        for name, value in (*_of_url(url), *_of_headers(headers), *more):
            if len(value) >= _TOO_SHORT:
                hidden.add(value)
                key = telling(name) or name.lower() == "code"
                if len(value) >= _LONG or key:
                    kept.add(value)
                if key and _KEY.fullmatch(value):
                    keys.add(value)
        self._hidden, self._kept = _Search(hidden, keys, 0), _Search(kept, keys, _WORD)

    def hide(self, text: str) -> str:
        """Return a message without any secret."""
        return self._hidden.hide(text)

    def start(self, body: bytes) -> str:
        """Return the start of a body as a text without any secret, more of it than anyone quotes."""
        return self.hide(body[: min(max(_START, 200 * self._hidden.longest), 8 * _START)].decode(errors="replace"))

    def clean(self, value: Any) -> Any:
        """Return a JSON value to be kept, in whose strings and names the secrets are hidden.

        What may well be a part of a name, such as the short value of an ordinary header, is left alone.
        """
        if not self._kept or value is None:
            return value
        if type(value) is str:
            return self._kept.hide(value)
        if type(value) is list:
            return [self.clean(element) for element in value]
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

    def __init__(self, values: Iterable[str], keys: Iterable[str], word: int) -> None:
        self._values = sorted(values, key=len, reverse=True)
        self._word = word
        self.longest = max(map(len, self._values), default=0)
        keys = [*keys]
        self._plain = _Forms(_plain_forms, self._values, keys)
        self._compact = _Forms(_compact_forms, self._values, keys)
        ascii_forms = filter(str.isascii, self._plain.least)
        self._quick = _least({*map(letters_and_digits, ascii_forms), *self._compact.least})

    def __bool__(self) -> bool:
        return bool(self._values)

    def within(self, text: str) -> bool:
        """Say whether a text may have one of them in it."""
        return _any_in(self._values, text) or any(map(self._in_forms, _readings(text)))

    def _in_forms(self, text: Comparable) -> bool:
        if text.all_in_compact and not _any_in(self._quick, text.compact):
            return False  # one way of comparing and few forms are enough for nearly every text
        return _any_in(self._plain.least, text.plain) or _any_in(self._compact.least, text.compact)

    def hide(self, text: str) -> str:
        if not self._values:
            return text
        spans = [_spans(value, self._places(value, text)) for value in self._values if value in text]
        for comparable in _readings(text):
            if self._in_forms(comparable):
                spans.append(comparable.from_plain(self._plain.spans(comparable.plain, self._places)))
                spans.append(comparable.from_compact(self._compact.spans(comparable.compact, _all_places)))
        if not any(map(len, spans)):
            return text
        firsts, stops = _merged(np.concatenate(spans))
        between = [text[start:stop] for start, stop in zip([0, *stops], [*firsts, len(text)], strict=True)]
        return HIDDEN.join(between)

    def _places(self, form: str, text: str) -> Places:
        """Return where a form stands; a short one must stand by itself."""
        places = _all_places(form, text)
        if len(form) >= self._word:
            return places
        return np.array([at for at in places.tolist() if _by_itself(text, at, at + len(form))], np.int64)


class _Forms:
    """Forms of values in one way of comparing, and the beginnings of those of keys."""

    def __init__(self, forms: Callable[[str], Iterator[str]], values: Iterable[str], keys: Iterable[str]) -> None:
        whole = {form for value in values for form in forms(value)}
        self._rests: dict[str, list[str]] = {}  # by beginning: what may follow of it
        for key in keys:
            of_key = {*forms(key)}
            for beginning in forms(key[:_LONG]):
                rests = [form[len(beginning) :] for form in of_key if form.startswith(beginning)]
                self._rests.setdefault(beginning, []).extend(rests)
        whole.update(self._rests)
        self._forms = sorted(whole, key=len, reverse=True)
        self.least = _least(whole)

    def spans(self, text: str, places: Callable[[str, str], Places]) -> Spans:
        """Return the first and the last character of each form in a text."""
        spans = {form: _spans(form, places(form, text)) for form in self._forms if form in text}
        if beginnings := self._rests.keys() & spans.keys():
            codes = code_points(text)
            for form in beginnings:
                spans[form][:, 1] += _followed(self._rests[form], codes, spans[form][:, 1] + 1)
        return np.concatenate((np.empty((0, 2), np.int64), *spans.values()))


def _readings(text: str) -> list[Comparable]:
    """Return a text with its escapes undone, and with some kept: their sign may stand before base64 by chance."""
    undone = Comparable(text)
    signs = [sign for sign in "\\%" if sign in text] if undone.had_escapes else []
    return [undone, *(Comparable(text, kept) for kept in dict.fromkeys((*signs, "".join(signs))) if kept)]


def _spans(form: str, starts: Places) -> Spans:
    """Return the first and the last character of a form, from where it stands."""
    return np.column_stack((starts, starts + len(form) - 1))


def _merged(spans: Spans) -> tuple[list[int], list[int]]:
    """Return where parts without a gap start and stop, of which spans are made up, in their order."""
    first, last = spans[np.argsort(spans[:, 0], kind="stable")].T
    stop = np.maximum.accumulate(last) + 1
    begins = np.append(True, first[1:] >= stop[:-1])
    return first[begins].tolist(), stop[np.append(begins[1:], True)].tolist()


def _followed(rests: list[str], codes: CodePoints, starts: Places) -> Places:
    """Return how many more characters of a key stand at each place behind its beginning; `rests` may follow that.

    Base64 of a key that was cut ends in a character of few bits of the key and zeros: a letter or digit.
    """
    most = np.zeros(len(starts), np.int64)
    for rest in map(code_points, rests):
        alike, count, width = np.arange(len(starts)), 0, _AT_ONCE  # places where no character differs so far
        while len(alike) and count < len(rest):
            part = rest[count : count + width]
            places = starts[alike, None] + count + np.arange(len(part))
            same = (codes[np.minimum(places, len(codes) - 1)] == part) & (places < len(codes))
            common = np.where(same.all(axis=1), len(part), same.argmin(axis=1))
            most[alike] = np.maximum(most[alike], count + common)
            alike, count, width = alike[common == len(part)], count + len(part), 2 * width
    last, after = (_alphanumeric(codes, starts + most + more) for more in (0, 1))
    return most + (last & ~after)


def _alphanumeric(codes: CodePoints, places: Places) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Say at which places a letter or digit stands; behind the text there is none."""
    distinct, which = np.unique(codes[np.minimum(places, len(codes) - 1)], return_inverse=True)
    return np.array([chr(code).isalnum() for code in distinct], np.bool_)[which] & (places < len(codes))


def _least(forms: set[str]) -> list[str]:
    """Return the forms that have no other in them: a text without these has none."""
    return [form for form in forms if not any(other in form for other in forms if other != form)]


def _any_in(forms: Iterable[str], text: str) -> bool:
    return any(map(text.__contains__, forms))


def _by_itself(text: str, start: int, stop: int) -> bool:
    """Say whether no letter or digit stands beside a part of a text."""
    return not (start and text[start - 1].isalnum()) and not text[stop : stop + 1].isalnum()


def _all_places(form: str, text: str) -> Places:
    """Return where a form stands in a text, one after the other where it may overlap itself."""
    if not _overlaps_itself(form):
        before = np.fromiter(map(len, text.split(form)), np.int64)[:-1]
        return np.cumsum(before) + len(form) * np.arange(len(before))
    places, at = [], text.find(form)
    while at >= 0:
        places.append(at)
        at = text.find(form, at + 1)
    return np.array(places, np.int64)


@lru_cache(256)
def _overlaps_itself(form: str) -> bool:
    return any(form.endswith(form[:count]) for count in range(1, len(form)))


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
        yield from (("password", secret) for secret in (password, f"{user}:{password}", login.partition(" ")[2]))
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
            yield from ((name, secret) for secret in (with_password, with_password.partition(":")[2]))
        for piece in _PIECES.split(rest if scheme.lower() in _SCHEMES else value):
            yield name, piece
            yield name, piece.partition("=")[2]


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text.strip(), validate=True).decode("latin-1")
    except (binascii.Error, ValueError):
        return ""


def _plain_forms(value: str) -> Iterator[str]:
    """Yield how a value may stand in a text that is made comparable."""
    yield from _long(plain(value), _TOO_SHORT)
    if not value.isascii():
        yield from _long(plain(value.encode(errors="replace").decode("latin-1")), _TOO_SHORT)
        yield from _long(plain("".join(filter(str.isascii, value))), _ENCODED)
    for content in _bytes(value):
        yield content.hex()
        yield from _long(plain(base64.b64encode(content).decode().rstrip("=")), _ENCODED)
        yield from (plain(part) for part in _inside_base64(content))


def _compact_forms(value: str) -> Iterator[str]:
    """Yield how a value may stand in a text of which nothing is left but letters and digits."""
    for content in _bytes(value):
        yield from _long(content.hex(), _WORD)
        yield from _long(content.hex("x").replace("x", "0x"), _WORD)
        yield from _long(compact(base64.b64encode(content).decode()), _WORD)
        yield from (form for part in _inside_base64(content) for form in _long(compact(part), _WORD))


def _bytes(value: str) -> Iterator[bytes]:
    yield value.encode(errors="replace")
    if not value.isascii():
        yield value.encode("latin-1", errors="replace")


def _inside_base64(content: bytes) -> Iterator[str]:
    """Yield the characters of base64 that depend on the content alone, whatever stands before and after it."""
    for before, first in ((0, 0), (1, 2), (2, 3)):
        whole = base64.b64encode(bytes(before) + content).decode()
        yield from _long(whole[first : (before + len(content)) * 8 // 6], _WORD)


def _long(form: str, least: int) -> Iterator[str]:
    if len(form) >= least:
        yield form
