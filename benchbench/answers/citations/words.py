"""What the reader of articles needs of a jurisdiction: units, words that refer back, names of laws."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from benchbench.answers.citations.numerals import NUMBER


@dataclass(frozen=True, slots=True)
class Name:
    """One name of a law in a text."""

    written: str  # the normalised name, or the word that points at a law: 同法, この法律, 法
    start: int
    end: int
    pointing: bool = False  # whether it is such a word
    alone: bool = True  # whether it cites the law where no article follows


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a jurisdiction; the strings are patterns."""

    units: tuple[str, str, str]  # 条, 項, 号
    branch: str  # の in 第五条の二
    same: str  # before a unit: the one named last
    own: str  # the one that this text is in
    before: str
    after: str
    annex: str  # 附則 before an article
    parts: str  # what may follow an item: イ, (1)
    order: str  # the signs of parts in their order, for ranges
    tails: str  # what may follow any unit: ただし書
    spelling: Mapping[str, str]  # other spellings of tails
    skip: str  # what looks like a provision and is none: 平成五年大蔵省令第十四号
    alias: str  # with the group "alias": （以下「金商法」という。）
    lines: bool  # whether each line of an article is a paragraph of it, but for those that begin with a bracket
    joint: re.Pattern[str]  # between two labels of one list; with the group "range" where it is a "to"
    names: Callable[[str], list[Name]]  # in the order of their places
    resolve: Callable[
        [str, str, Sequence[str]], str
    ]  # a pointing word, the law of this text, the laws named -> law or ""

    def likely(self) -> re.Pattern[str]:
        """Return a pattern without groups, so a quick one, that finds every place where `pattern` may match."""
        article, paragraph, item = self.units
        pointer = f"(?:{self.same}|{self.own}|{self.before}|{self.after})"
        return re.compile(
            rf"[#()第]|以下|{pointer}(?={NUMBER}?[{article}{paragraph}{item}])|{self.annex}|{NUMBER}\s?{article}"
            rf"|{self.parts}|{self.skip}"
        )

    def pattern(self) -> re.Pattern[str]:
        """Return the pattern of every token that the reader stops at."""
        article, paragraph, item = self.units
        away = f"(?:{self.before})(?:{NUMBER})?|(?:{self.after})"
        one = rf"[\s(]?{NUMBER}[\s)]?"
        pointer = f"(?:{self.same}|{self.own}|{away})"

        def unit(name: str, sign: str, mark: str) -> str:
            branch = rf"\s?{self.branch}[ ]?{NUMBER}(?![つ人者種個年月日週倍点件分])"
            label = rf"{mark}(?P<{name}>{one}(?:、{one}){{0,20}})"
            return rf"(?:(?P<{name}_to>{pointer})|{label}){sign}(?P<{name}_of>(?:{branch}){{0,4}})"

        after = rf"(?:\s?{unit('b', paragraph, '第?')})?(?:\s?{unit('c', item, '第?')})?"
        chain = (
            rf"(?:(?P<annex>{self.annex})?{unit('a', article, '(?P<mark>第)?')}{after}"
            rf"|{unit('d', paragraph, '第')}(?:\s?{unit('e', item, '第?')})?"
            rf"|{unit('f', item, '第')})(?P<parts>(?:{self.parts}){{0,3}})(?P<tail>{self.tails})?"
        )
        return re.compile(
            rf"(?P<heading>^\#{{1,6}}[ \t]+)|(?P<open>\()|(?P<close>\))|(?P<skip>{self.skip})|{self.alias}"
            rf"|(?P<chain>{chain})|(?P<further>{self.parts})",
            re.MULTILINE,
        )
