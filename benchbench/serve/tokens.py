"""Text to index terms, for Chinese, Japanese and Korean as well as for scripts with spaces."""

import re
import unicodedata
from itertools import pairwise

from benchbench.retrieval.matched_terms import CJK

_RUNS = re.compile(f"([{CJK}]+)|[^\\W_{CJK}]+")


def tokens(text: str) -> list[str]:
    """Return overlapping character bigrams of CJK runs, and case-folded words of other scripts.

    The text is brought to NFKC first, so that full-width and half-width forms are one. A run of a single
    CJK character is a term by itself. Bigrams need no dictionary and are a strong baseline for Chinese
    (Nie et al., SIGIR 2000).
    """
    terms: list[str] = []
    for match in _RUNS.finditer(unicodedata.normalize("NFKC", text).casefold()):
        run = match.group()
        if match.group(1) and len(run) > 1:
            terms.extend(map("".join, pairwise(run)))
        else:
            terms.append(run)
    return terms
