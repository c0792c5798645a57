"""English text to index terms, as Lucene's `EnglishAnalyzer` has them.

Words by the rule of Unicode's UAX #29, without a possessive 's, in lower case, without stop words, Porter's stems.
Not as in Lucene: Chinese, Japanese and Korean are bigrams, as in `tokens`; marks above and below letters are known
for the scripts of Europe, Hebrew and Arabic; Thai and other scripts without spaces are not kept apart from letters
beside them; flags and keycaps are no emoji; a word of more than 255 characters is not cut; Σ at the end of a word and
İ get the lower case that Python gives them.
"""

import re
from functools import cache
from itertools import pairwise

from benchbench.retrieval.matched_terms import CJK
from benchbench.serve.porter import stem

# fmt: off
STOP_WORDS = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not",
    "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will",
    "with",
))
# fmt: on
_KEPT = 1 << 18  # words whose terms are remembered, for words repeat

_MARKS = "\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff"
_MARKS += "\u200c-\u200f\u202a-\u202e\u2060-\u2064\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\ufeff"
_NO_WORD = "²³¹¼-¾⁰⁴-⁹₀-₉⅐-⅟↉①-⒛⓪-⓿❶-➓"  # numbers to Python, and signs to UAX #29
_BOTH = "'.‘’․﹒＇．"
_EMOJI = (
    "[©®‼⁉™↔-↙↩↪⌚⌛⌨⎈⏏⏩-⏳⏸-⏺▪▫▶◀◻-◾☀-★☇-☒☔-⚅⚐-✅✈-✒✔✖✝✡✨✳✴❄❇❌❎❓-❕❗❣-❧➕-➗➡➰➿⤴⤵⬅-⬇⬛⬜⭐⭕"
    "\U0001f000-\U0001f0f5\U0001f300-\U0001f64f\U0001f680-\U0001f6fc\U0001f7d5-\U0001f7f0\U0001f90c-\U0001faf6]"
)
_LETTERS = f"[{_BOTH}:·\u02d7\u0387՟״‧︓﹕：]"  # between letters, of one word
_DIGITS = f"[{_BOTH},;;։،؍٬߸⁄︐︔﹐﹔，；]"  # between digits
_WORD = f"[^\\W{CJK}{_NO_WORD}]"
_PART = f"{_WORD}+(?:[{_MARKS}]+{_WORD}*)*"
_LETTER = f"[^\\W\\d_{CJK}{_NO_WORD}]"
_WORDS = (
    f"[{CJK}]+|{_EMOJI}[{_MARKS}🏻-🏿]*(?:(?<=\u200d){_EMOJI}[{_MARKS}🏻-🏿]*)*|{_PART}"
    f"(?:(?:(?<![\\d_]){_LETTERS}[{_MARKS}]*(?={_LETTER})|(?<=\\d){_DIGITS}[{_MARKS}]*(?=\\d)){_PART})*"
)
_RUN = re.compile(f"[{CJK}]")
_POSSESSIVE = ("'s", "’s", "＇s")


class _Terms(dict[str, str]):
    """The term of a word; "" for a stop word, and for underscores alone."""

    def __missing__(self, word: str) -> str:
        base = word[:-2] if word.endswith(_POSSESSIVE) else word
        term = "" if base in STOP_WORDS or not base.strip("_") else stem(base)
        if len(self) < _KEPT:
            self[word] = term
        return term


_TERMS = _Terms()


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, and its runs of Chinese, Japanese and Korean."""
    matches: list[str] = _pattern().findall(text.lower())
    return matches


@cache
def _pattern() -> re.Pattern[str]:
    """Return the pattern of words; it takes 20 ms to compile, and a service of other texts needs none."""
    return re.compile(_WORDS)


def english(text: str) -> list[str]:
    """Return the terms of a text, in its order."""
    terms: list[str] = []
    for word in words(text):
        if _RUN.match(word):
            terms.extend(map("".join, pairwise(word)) if len(word) > 1 else word)
        elif term := _TERMS[word]:
            terms.append(term)
    return terms
