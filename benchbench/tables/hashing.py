"""Texts and ids as 64-bit xxh3 hashes, and digests of whole files.

Two different texts share a hash with probability 2**-64. A match is only looked for within one query
(its own text, its positives, its hits: some 30 values), so a run of a million queries meets a wrong match
with a probability below 1e-10.
"""

import re
import unicodedata
from collections.abc import Collection

from xxhash import xxh3_64_intdigest, xxh3_128

NO_HASH = 0  # there is no text, or no id
OTHER_TEXT = 1  # a text of which it is known that it equals none of those looked for

# An opening, and one character more: ASCII, CJK punctuation, kana, Han and full-width forms. All of them are
# NFC_Quick_Check=Yes and no combining marks, so what follows the opening cannot change it; none is white space.
_OPENING = 24
_INERT = re.compile(rf"[!-~、-〩ぁ-ゖァ-ヺ㐀-䶿一-鿿！-～]{{{_OPENING + 1}}}").match


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


def id_hashes(ids: list[str | None]) -> list[int]:
    """Return the hashes of many ids; `NO_HASH` for those that are None."""
    return [NO_HASH if identity is None else reserved(xxh3_64_intdigest(identity.encode())) for identity in ids]


def reserved(digest: int) -> int:
    """Keep the two smallest values free for `NO_HASH` and `OTHER_TEXT`."""
    return digest + 2 if digest <= OTHER_TEXT else digest


def opening(text: str) -> int:
    """Hash of how a normalised text begins; equal texts have equal openings."""
    return xxh3_64_intdigest(text[:_OPENING].encode())


def content_digest(content: bytes = b"") -> xxh3_128:
    """Return a 128-bit hash that can be fed more; its hexadecimal digest names data sets and runs."""
    return xxh3_128(content)


def sought_hash(text: str, openings: Collection[int]) -> int:
    """Return `text_hash(text)` if the text may begin as one of `openings`, else `OTHER_TEXT`.

    Hashing every text of every hit costs as much as parsing the response. A text that begins with
    characters which normalisation leaves alone begins the same in normal form, so its opening decides.
    """
    if _INERT(text) is not None and xxh3_64_intdigest(text[:_OPENING].encode()) not in openings:
        return OTHER_TEXT
    return text_hash(text)
