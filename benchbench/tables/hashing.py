"""Texts and ids as 64-bit xxh3 hashes.

Two different texts share a hash with probability 2**-64. A match is only looked for within one query
(its own text, its positives, its hits: some 30 values), so a run of a million queries meets a wrong match
with a probability below 1e-10.
"""

import unicodedata
from collections.abc import Collection

from xxhash import xxh3_64_intdigest

NO_HASH = 0  # there is no text, or no id
OTHER_TEXT = 1  # a text of which it is known that it equals none of those looked for


def normalise(text: str) -> str:
    """Return the form in which texts are compared: NFC, LF line ends, no outer white space."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return unicodedata.normalize("NFC", text.strip())


def text_hash(text: str) -> int:
    """Hash of the normalised text's UTF-8 bytes, as `/batch_search` exchanges it in hexadecimal."""
    return reserved(xxh3_64_intdigest(normalise(text).encode()))


def id_hash(identity: str) -> int:
    """Hash of an id's UTF-8 bytes; equal ids are equal strings, nothing is normalised."""
    return reserved(xxh3_64_intdigest(identity.encode()))


def reserved(digest: int) -> int:
    """Keep the two smallest values free for `NO_HASH` and `OTHER_TEXT`."""
    return digest + 2 if digest <= OTHER_TEXT else digest


def sought_hash(text: str, lengths: Collection[int]) -> int:
    """Return `text_hash(text)` if the text may equal one of `lengths` characters, else `OTHER_TEXT`.

    Hashing every text of every hit costs as much as parsing the response. A text that is already in
    normal form and has another length than all texts looked for cannot be equal to one.
    """
    if len(text) not in lengths and (
        text
        and not text[0].isspace()
        and not text[-1].isspace()
        and "\r" not in text
        and (text.isascii() or unicodedata.is_normalized("NFC", text))
    ):
        return OTHER_TEXT
    return text_hash(text)
