"""Values that members of hits have in the answers of `answer_grammar`, as JSON, and texts like others.

Bytes that are no UTF-8 stand in the text as `surrogateescape` has them.
"""

import json
import random
import unicodedata
from pathlib import Path

BLANKS = ("", "", "", " ", "\n", "\t", "\r", "\r\n  ", " \t\n\r ", " " * 70)
BAD_UTF8 = ("\udcff", "\udcc3", "\udce4\udcb8", "\udced\udca0\udc80", "\udcc0\udcaf", "\udcf4\udc90\udc80\udc80")
STRUCTURE = b'"\\{}[]:, \t\n\r0123456789-+.eEtfn/u\x00\x1f\x80\xff'

_PIECES = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))

SCORES = tuple(_PIECES["scores"])
ODD_SCORES = (*_PIECES["odd scores"], "9" * 400, "-" + "9" * 400, "9" * 5000, "1" * 25)
ODD_IDS = (*_PIECES["odd ids"], "9" * 30, "9" * 5000, *(f'"a{bad}b"' for bad in BAD_UTF8), "[" * 600 + "]" * 600)
ODD_HASHES = tuple(_PIECES["odd hashes"])
LABELS = tuple(_PIECES["labels"])
ODD_LABELS = (
    *_PIECES["odd labels"],
    "9" * 400,
    "9" * 5000,
    *(f'"theft{bad}"' for bad in BAD_UTF8),
    "[" * 1000 + "]" * 1000,
)
METAS = tuple(_PIECES["metas"])
OTHERS = (*_PIECES["others"], '"' + "x" * 63 + '"', '"' + "x" * 64 + '\\""', '"' + "\\\\" * 40 + '"')
ODD_OTHERS = (
    *_PIECES["odd others"],
    "9" * 5000,
    *(f'"{bad}"' for bad in BAD_UTF8),
    "[" * 900 + "]" * 900,
    "[" * 1020 + "]" * 1020,
    "[" * 1100 + "]" * 1100,
    '{"a":' * 1000 + "1" + "}" * 1000,
    "[" * 2000 + "]" * 2000,
    "[" * 2000,
    '{"a":' * 1030 + "1" + "}" * 1030,
    "1" * 25,
    "-" + "9" * 5000,
    "0." + "9" * 5000,
    "[" * 500 + "1" + "]" * 499,
)
OTHER_NAMES = (*_PIECES["other names"], "k" * 300, "k" * 62, "k" * 63, "k" * 64)
ESCAPED_NAMES = tuple(_PIECES["escaped names"])
SHAPES = tuple(_PIECES["shapes"])

_CHARACTERS = tuple(_PIECES["characters"])


def quoted(text: str, chance: random.Random, escapes: float) -> str:
    """Return a text as JSON, in which so many of its characters are escapes that need not be."""
    if not escapes:
        return json.dumps(text, ensure_ascii=chance.random() < 0.3)
    return '"' + "".join(_escaped(character, chance, escapes) for character in text) + '"'


def _escaped(character: str, chance: random.Random, escapes: float) -> str:
    if chance.random() < escapes:
        if character == "/":
            return "\\/"
        units = character.encode("utf-16-be")
        numbers = [int.from_bytes(units[i : i + 2]) for i in range(0, len(units), 2)]
        return "".join(chance.choice(("\\u%04x", "\\u%04X")) % number for number in numbers)
    return json.dumps(character, ensure_ascii=False)[1:-1]


def some_text(chance: random.Random, longest: int) -> str:
    pools = chance.choices(_CHARACTERS, k=chance.choice((1, 1, 2, 3)))
    length = chance.choice((0, 1, 3, 8, 15, 16, 17, 18, 24, 33, longest))
    return "".join(chance.choice(chance.choice(pools)) for _ in range(length))


def like(text: str, chance: random.Random) -> str:
    """Return a text that equals another, or nearly."""
    n = chance.randrange(14, 20)
    match chance.randrange(14):
        case 0 | 1 | 2:
            return text
        case 3:
            return chance.choice((" ", "\r\n", "\u3000", "\t \u00a0", "\u2028", "\u001c")) + text
        case 4:
            return text + chance.choice((" ", "\r\n", "\u3000\n", "\u0301", "x"))
        case 5:
            return unicodedata.normalize("NFD", text)
        case 6:
            return unicodedata.normalize("NFC", text)
        case 7:
            return text.replace("\n", "\r\n")
        case 8:
            return text.replace("\n", "\r")
        case 9:
            return text[:16] + some_text(chance, 60)
        case 10:
            return text[:n]
        case 11:
            return text[:n] + chance.choice(("\u0301", "\u3099", "\u1161", "\u0323\u0301", "x")) + text[n:]
        case 12:
            return text[: n - 14] + chance.choice("xé\u0301") + text[n - 13 :]
        case _:
            return text + some_text(chance, 200)
