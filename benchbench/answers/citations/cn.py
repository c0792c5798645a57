"""Citations of Chinese statutes: 《中华人民共和国刑法》第二百六十七条第一款第（三）项."""

import re

from benchbench.answers.citations.citation import Citation
from benchbench.answers.citations.cn_names import names, resolve
from benchbench.answers.citations.reader import Reader
from benchbench.answers.citations.words import Words

_NEVER = r"(?!)"
_WORDS = Words(
    units=("条", "款", "项"),
    branch="之",
    same="同|(?<![各应])该",
    own="本|此",
    before="前|上",
    after="次|下",
    annex="附则",
    parts=_NEVER,
    order="",
    tails="但书|前段|中段|后段",
    spelling={},
    skip=_NEVER,
    alias=r"以下(?:简称|称)(?:为)?[《“\"「]?(?P<alias>[^《》“”\"「」(),。\s]{1,30})[》”\"」]?",
    lines=True,
    joint=re.compile(r"(?:[、,;]?[ ]?(?:和|及其?|以及|与|或者?|并|(?P<range>至|到|[-~—]))?(?:其)?[ ]?|\()"),
    names=names,
    resolve=resolve,
)
_READER = Reader(_WORDS)


def extract(text: str) -> list[Citation]:
    """Return the citations of a text in the order of their places."""
    return _READER.read(text)
