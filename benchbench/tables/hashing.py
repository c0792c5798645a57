"""Texts and ids as 64-bit xxh3 hashes, and digests of whole files.

Two different texts share a hash with probability 2**-64. A match is only looked for within one query
(its own text, its positives, its hits: some 30 values), so a run of a million queries meets a wrong match
with a probability below 1e-10.
"""

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

from xxhash import xxh3_64_intdigest, xxh3_128

if TYPE_CHECKING:
    from benchbench.kernels.arrays import U64

NO_HASH = 0  # there is no text, or no id
OTHER_TEXT = 1  # a text of which it is known that it equals none of those looked for

_PREFIX_LENGTH = 16  # characters


def normalise(text: str) -> str:
    """Return the form in which texts are compared: NFC, LF line ends, no outer white space."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return unicodedata.normalize("NFC", text.strip())


def text_hash(text: str) -> int:
    """Hash of the normalised text's UTF-8 bytes, as `/batch_search` exchanges it in hexadecimal."""
    return reserved(xxh3_64_intdigest(normalise(text).encode()))


def hash_and_prefix(text: str) -> tuple[int, str]:
    """Return the `text_hash` of a text, and how it begins once it is normalised: equal texts have equal prefixes."""
    normal = normalise(text)
    return reserved(xxh3_64_intdigest(normal.encode())), text_prefix(normal)


def id_hash(identity: str) -> int:
    """Hash of an id's UTF-8 bytes; equal ids are equal strings, nothing is normalised."""
    return encoded_id_hash(identity.encode())


def encoded_id_hash(identity: bytes | bytearray | memoryview) -> int:
    """Return the `id_hash` of an id that is UTF-8 already."""
    return reserved(xxh3_64_intdigest(identity))


def id_hashes(ids: Sequence[str | None]) -> "U64":
    """Return the hashes of many ids; `NO_HASH` for those that are None."""
    import numpy as np  # digests of records need none

    if type(None) not in set(map(type, ids)):  # half the time
        hashes = np.fromiter(map(xxh3_64_intdigest, map(str.encode, ids)), np.uint64, len(ids))  # type: ignore[arg-type]
        if hashes.min(initial=OTHER_TEXT + 1) > OTHER_TEXT:
            return hashes
    return np.array([NO_HASH if identity is None else id_hash(identity) for identity in ids], np.uint64)


def reserved(digest: int) -> int:
    """Keep the two smallest values free for `NO_HASH` and `OTHER_TEXT`."""
    return digest + 2 if digest <= OTHER_TEXT else digest


def text_prefix(text: str) -> str:
    """Return how a normalised text begins; equal texts have equal prefixes."""
    return text[:_PREFIX_LENGTH]


def content_digest(content: bytes = b"") -> xxh3_128:
    """Return a 128-bit hash that can be fed more; its hexadecimal digest names data sets and runs."""
    return xxh3_128(content)


def is_other(text: str, text_prefixes: tuple[str, ...]) -> bool:
    """Say that a text, once normalised, cannot begin as one of `text_prefixes`; its first 17 characters decide.

    Hashing every text of every hit costs as much as parsing the response. Where the first characters are in
    normal form and the one after them is no combining mark, nothing that follows can change the prefix.
    """
    head = text[: _PREFIX_LENGTH + 1]
    return (
        not text.startswith(text_prefixes)
        and len(head) > _PREFIX_LENGTH
        and unicodedata.is_normalized("NFC", head)
        and not unicodedata.combining(head[-1])
        and not head[0].isspace()
        and "\r" not in head
    )


def compared_hash(text: str, text_prefixes: tuple[str, ...]) -> int:
    """Return the `text_hash` of a text that may begin as one of `text_prefixes`, else `OTHER_TEXT`."""
    return OTHER_TEXT if is_other(text, text_prefixes) else text_hash(text)
