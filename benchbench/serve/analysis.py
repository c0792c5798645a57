"""What the embedded retriever makes of a text, and the parameters of its formula; chosen from the documents."""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from benchbench.retrieval.bm25_options import BM25Options
from benchbench.retrieval.matched_terms import CJK
from benchbench.serve.english import STOP_WORDS, english
from benchbench.serve.tokens import tokens

_DOCUMENTS, _BEGINNING = 1000, 1000  # that are looked at, and characters of each
_FUNCTION_WORDS = frozenset((
    "the", "of", "and", "to", "that", "with", "this", "from", "which", "are", "by", "it", "be", "or",
))  # fmt: skip
_SHARE = 0.07  # of all words; the languages beside English stay below half of it, titles without sentences above
_WORD = re.compile(rf"[^\W\d_{CJK}]+")
_CJK = re.compile(f"[{CJK}]")


@dataclass(frozen=True, slots=True)
class Analysis:
    """How texts become terms; `about` says it to a reader."""

    name: str
    terms: Callable[[str], list[str]]
    k1: float
    b: float
    steps: str  # from a text to its terms

    @property
    def about(self) -> str:
        """What a reader of results must know of the retriever."""
        return f"BM25, {self.steps}, k1 {self.k1:g}, b {self.b:g}"


WORDS = Analysis("words", tokens, 1.2, 0.75, "words and CJK bigrams")
ENGLISH = Analysis(
    "english", english, 0.9, 0.4, f"English analysis as in Lucene ({len(STOP_WORDS)} stop words, possessives, Porter)"
)
_NAMED = {analysis.name: analysis for analysis in (WORDS, ENGLISH)}


def analysis_of(options: BM25Options, texts: Sequence[str]) -> Analysis:
    """Return the analysis that is asked for, or the one that fits the texts, with the parameters that are given."""
    analysis = _NAMED.get(options.analysis) or (ENGLISH if is_english(texts) else WORDS)
    return replace(
        analysis,
        k1=analysis.k1 if options.k1 is None else options.k1,
        b=analysis.b if options.b is None else options.b,
    )


def is_english(texts: Sequence[str]) -> bool:
    """Say whether texts are English: by its function words, and by letters of Chinese, Japanese and Korean.

    Of mixed texts, those are English of which a third or more is, unless half of the letters are of those three.
    """
    words = functional = letters = cjk = 0
    for place in random.Random(0).sample(range(len(texts)), min(len(texts), _DOCUMENTS)):
        beginning = texts[place][:_BEGINNING]
        beginning_words = _WORD.findall(beginning.lower())
        words += len(beginning_words)
        letters += sum(map(len, beginning_words))
        functional += sum(word in _FUNCTION_WORDS for word in beginning_words)
        cjk += len(_CJK.findall(beginning))
    return functional > _SHARE * words and letters > cjk
