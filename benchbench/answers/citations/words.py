"""What the reader of articles needs of a jurisdiction: units, words that refer back, names of laws."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass

from benchbench.answers.citations.numerals import NUMBER

FOREIGN = "\0"  # begins the name of a source that is no law, so that its provisions are read and none is cited
_NEVER = re.compile(r"(?!)")
_TO = "至到〜~–—―-"  # the signs of a range between two numbers: 第394-395条
_SIGNS = "[0-9〇零一二两三四五六七八九十百千.,]"


@dataclass(frozen=True, slots=True)
class Name:
    """One name of a law in a text."""

    written: str  # the normalised name, or the word that points at a law: 同法, この法律, 法; or one that is FOREIGN
    start: int
    end: int
    _: KW_ONLY
    pointing: bool = False  # whether it is such a word
    alone: bool = True  # whether it cites the law where no article follows
    opens: bool = False  # whether it stands above the articles of its law, as a title does


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The words of a jurisdiction; the strings are patterns."""

    units: tuple[str, str, str]  # 条, 項, 号, and what must not follow them: 第一条件
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
    first: int = 1  # the first branch after an article: 第三条の二 follows 第三条
    deeper: str = r"(?!)"  # a part of a part that goes on a list: イ(1)又は(2)
    lone: re.Pattern[str] = re.compile("")  # where a paragraph or an item without its article may stand
    topic: re.Pattern[str] = re.compile("")  # after the name of a law that what follows its sentence is of: 民法は
    spelt: re.Pattern[str] = _NEVER  # where it may stand in kanji and without its 第
    private: re.Pattern[str] = _NEVER  # words of a contract, whose articles are of no law; "whole": it is one
    rows: re.Pattern[str] = _NEVER  # a line that begins with its own number, with groups "annex", "a", "b" and "c"
    owns: tuple[re.Pattern[str], ...] = ()  # words of a contract, a statute, a deal; in other texts, such lines cite
    gap: re.Pattern[str] = re.compile(  # between a law's name and its article; with the group "apart", both are cited
        r"[」』》”\"]?\s?[の之]?[ ]?(?P<apart>(?!))?"
    )
    within: str = r"(?!)"  # what joins the numbers of one unit besides 、 and the signs of a range: 五十二和五十三条
    masked: str = r"(?!)"  # what stands for the sign of an article: 第三百四十七××
    among: tuple[str, ...] = ()  # before an item of the article named last: 第三十八条列举六种，其中第（二）项
    loose: bool = True  # whether 709条 without 第 is an article where no name and no list is before it
    barriers: tuple[str, str] = (r"\n", r"\n")  # after which no 款 and no 项 is of the article named before
    signs: str = ""  # with which what points, an annex, parts and skips begin; told, they make the reader quick
    agreed: re.Pattern[str] = _NEVER  # after an article that is of a contract: 第八条约定
    provides: re.Pattern[str] = _NEVER  # after an article that is of a law, also in a contract: 第八条规定

    def likely(self) -> re.Pattern[str]:
        """Return a pattern without groups, so a quick one, that finds every place where `pattern` may match."""
        article, paragraph, item = self.units
        pointer = f"(?:{self.same}|{self.own}|{self.before}|{self.after})"
        unit = f"(?:{article}|{paragraph}|{item})"
        begin = rf"(?=[#()第以下简0-9〇零一二两三四五六七八九十百千{self.signs}])" if self.signs else ""
        return re.compile(
            rf"{begin}(?:[#()第]|以下|下称|简称|{pointer}(?=(?:{NUMBER}|各)?{unit})|{self.annex}"
            rf"|(?<!{_SIGNS}){NUMBER}(?:(?:[{_TO}、・,]|{self.within}){NUMBER}){{0,9}}\s?{unit}|{self.parts}|{self.skip})"
        )

    def pattern(self) -> re.Pattern[str]:
        """Return the pattern of every token that the reader stops at."""
        article, paragraph, item = self.units
        away = f"(?:{self.before})(?:{NUMBER}|各)?|(?:{self.after})"
        one = rf"[\s(]?{NUMBER}[\s)]?"
        pointer = f"(?:{self.same}|{self.own}|{away})"

        def unit(name: str, sign: str, mark: str) -> str:
            branch = rf"\s?{self.branch}[ ]?{NUMBER}(?![つ人者種個年月日週倍点件分部般定切方面環致時連審例義])"
            joined = rf"(?:(?:[、・{_TO}]|,(?!\d{{3}})|{self.within})第?|(?<=\))(?=\())"
            label = rf"(?:{self.same})?{mark}(?P<{name}>{one}(?:{joined}{one}){{0,20}})"
            further = rf"(?:[、和及与至到]{branch}){{0,9}}" if name == "a" else ""
            ends = f"(?:{sign}|{self.masked})" if name == "a" else sign
            return rf"(?:(?P<{name}_to>{pointer}){sign}|{label}{ends})(?P<{name}_of>(?:{branch}){{0,4}}{further})"

        joint = rf"\s?(?:{self.branch}(?=第))?"
        after = rf"(?:{joint}{unit('b', paragraph, '第?')})?(?:{joint}{unit('c', item, '第?')})?"
        chain = (
            rf"(?:(?P<annex>{self.annex})?{unit('a', article, '(?P<mark>第)?')}{after}"
            rf"|(?P<annexed>{self.annex})?{unit('d', paragraph, '(?P<mark_d>第)?')}(?:{joint}{unit('e', item, '第?')})?"
            rf"|{unit('f', item, '(?P<mark_f>第)?')})(?P<parts>(?:{self.parts}){{0,3}})(?P<tail>{self.tails})?"
        )
        return re.compile(
            rf"(?P<heading>^\#{{1,6}}[ \t]+)|(?P<deeper>{self.deeper})|(?P<open>\()|(?P<close>\))"
            rf"|(?P<skip>{self.skip})|{self.alias}|(?P<chain>{chain})|(?P<further>(?:{self.parts}){{1,3}})",
            re.MULTILINE,
        )
