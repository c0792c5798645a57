"""Names of Chinese laws in running text: in 《》, of a list, or with who issued them; and names of what is no law."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from benchbench.answers.citations.cn_laws import (
    ABBREVIATED,
    COUNTRIES,
    INTERPRETED,
    ISSUERS,
    LAWS,
    LOCAL_ISSUERS,
    ORDERS,
    PARTS,
)
from benchbench.answers.citations.cn_titles import (
    FOREIGN_NOUN,
    FOREIGN_SIGNS,
    NUMBERED,
    canonical,
    interpretation,
    is_law,
)
from benchbench.answers.citations.numerals import NUMBER
from benchbench.answers.citations.words import FOREIGN, Name

_STATE = "中华人民共和国"
_ONE = rf"第?\s?\(?{NUMBER}\)?\s?(?:条|款|项)"
_GAP = r"[”\"]?(?:\([^()\n]{1,30}\)){0,2}[:,]?\s?(?:中|项下)?(?:明确)?(?:约定|载明|规定|所列)?[:,]?的?"
_DEAL_GAP = r"[”\"]?(?:\([^()\n]{1,30}\)){0,2}\s?(?:中|项下)?(?:(?:明确)?(?:约定|载明|规定|所列)[:,]?)?的?"
_ARTICLE = re.compile(rf"{_GAP}(?:第\s?{NUMBER}\s?条|{NUMBER}条|[*“]{{1,3}}第)")
_NO_NAME = (  # what follows 法 where it ends no name: 公司法定代表人, 合同法律关系, 刑法学
    r"定(?!罪|性)|律|规(?!定|制)|人(?!民)|院|庭|官|务|制(?!定|裁)|治|学|理[论念由]|医|盲|援|案|令|界|警|兰|意识|领域|条竞合"
    r"|教义|哲学|思想|史|解释[学论]|[总各]论|典型"
)
_COURTS = "最高人民法院|最高人民检察院|公安部|司法部|国家安全部|海关总署|国家税务总局|财政部|人力资源和社会保障部"
_SIGNS = "".join({one[0] for one in PARTS.split("|")}) + FOREIGN_SIGNS
_NAME = re.compile(
    rf"(?=[《最本该同上前此法办通总条规细解纪意{_SIGNS}])"  # a quick test before the slow ones
    r"(?:《(?P<title>(?:[^《》\n]|《[^《》\n]{0,60}》){2,100})》"
    rf"|(?P<issued>最高人民(?:法院|检察院)(?:[、和 ]?(?:{_COURTS})){{0,5}}\s?关于"
    r"(?:[^《》〈〉<>\n。;,]|[《〈<][^《》〈〉<>\n]{1,40}[》〉>]){2,80}?"
    rf"(?:(?:问题|[》〉>]|编|制度)的(?:解释|规定|意见){NUMBERED}"
    rf"|(?:解释|规定|意见|批复|决定|纪要|通知){NUMBERED}(?={_GAP}第\s?{NUMBER}\s?条)))"
    r"|(?P<pointing>(?:(?<![基根文版日])(?<!(?<!构)成)本|(?<![应各])该|(?<![合共不相])同|[上前]述|此)"
    rf"(?:司法解释|法(?!{_NO_NAME})|条例|解释|规定|办法|细则|规则|意见|决定|纪要|批复|通则|通知|公告))"
    rf"|(?P<part>(?:{PARTS})编)(?=\s?(?:中的?|的)?第\s?{NUMBER}\s?条)"
    rf"|(?P<other>{FOREIGN_NOUN}(?:\([^()\n]{{1,6}}\))?)(?={_DEAL_GAP}{_ONE})"
    rf"|(?P<end>法典(?!型)|法(?!{_NO_NAME}|典)|办法|通则|总则|条例|规定|细则|规则|解释|纪要|意见))"
)
_MORE = re.compile(r"实施(?:条例|细则|办法|规定)|修正案\([一二三四五六七八九十]{1,3}\)")
_KNOWN: defaultdict[str, list[str]] = defaultdict(list)  # two last signs -> names, the longest first
for _name in sorted((*LAWS, *ORDERS, *ABBREVIATED), key=len, reverse=True):
    _KNOWN[_name[-2:]].append(_name)
_TOPICS = sorted(
    (*INTERPRETED, *(topic[3:] for topic in INTERPRETED if topic.startswith("民法典"))), key=len, reverse=True
)
_UNDERSTOOD = re.compile(r"(?:违反|依照|依据|根据|按照|适用|中华人民共和国)$")
_UNDER = {"其实施细则", "其实施条例", "其实施办法"}  # of the law named last
_SHORT = {"水法", "消法"}  # which end other words too
_HAN = re.compile(r"[一-龥]+")
_RUN = re.compile(r"[一-龥]*")  # of a text read backwards
_ABROAD = re.compile(rf"(?:{COUNTRIES})(?:[一-龥]{{1,8}})?$")
_ISSUER = re.compile("|".join([LOCAL_ISSUERS, *sorted(ISSUERS, key=len, reverse=True)]))
_ISSUED = re.compile(rf"(?:(?:{_ISSUER.pattern})[、和与及 ]?)+$")
_STOP = re.compile(
    r"依照|依据|根据|按照|参照|适用|违反|符合|触犯|属于|基于|结合|援引|引用|以及|作出|参见|我国|现行|修订后|[依按和与及或由将即为是见如的了在原新旧该本]"
)
_LOCAL = re.compile(r"(?:条例|细则)$|(?:管理|暂行|实施|若干|程序|登记|监督|处罚|征收|赔偿|补偿|支付|保护|交纳)")
_LINE = re.compile(
    r"^[ #*]{0,8}(?P<line>[^\n。;]{3,80}?)[ *]{0,3}(?:\n[ ]*\([^\n]{1,150}\)[ ]*)?\n\s{0,4}"
    rf"(?=[#* ]{{0,8}}第\s?{NUMBER}\s?(?:条|章|编|节))",
    re.MULTILINE,
)
_ABOVE = re.compile(r"(?:的?(?:相关|有关)?(?:规定|条文|法条|条款|内容))?(?:如下|节选|摘录)?:?$")
_IN_SIGNS = re.compile(r"《((?:[^《》\n]|《[^《》\n]{0,60}》){2,100})》(?:\([^()\n]{1,30}\))?$")
_TITLE = re.compile(r"[一-龥〈〉<>()、0-9]{4,70}")
_ALIAS = re.compile(
    r"(?:简称|下称|以下称|统称)为?:?[“\"「]?((?:[^《》“”\"「」(),。;、\s]|\([一二三四五六七八九十]{1,3}\)){2,20})[”\"」)]"
)
_LIKE = re.compile(
    r"(?:法|法典|条例|解释|规定|办法|细则|意见|纪要|规则|通知|批复|决定)"
    r"(?:\([一二三四五六七八九十]{1,3}\))?$"
)
_ALONE = {"法", "条例", "解释", "规定", "办法", "细则", "意见", "纪要", "规则", "通知", "批复", "决定", "司法解释"}
_ALIASES = 30  # of one text


def names(text: str) -> list[Name]:
    """Return the names of laws in a narrowed text, in order, and the words that refer to one.

    What is no law and has articles, such as a contract, is found too, as FOREIGN.
    """
    opening = list(_opening(text)) if "\n" in text else []
    laws = [*opening, *_given(text)]
    taken = {position for one in laws for position in range(one.start, one.end)}
    floor = 0
    for match in _NAME.finditer(text):
        if match.start() < floor or not (one := _named(text, match)):
            continue
        if not (taken and (one.start in taken or one.end - 1 in taken)):
            laws.append(one)
            floor = one.end
    return sorted(laws, key=lambda name: name.start)


def _named(text: str, match: re.Match[str]) -> Name | None:
    """Return the name that a match is, or None where it is no name."""
    start, end = match.span()
    if title := match["title"]:
        return _titled(text, title, start, end)
    if match["other"]:
        return Name(FOREIGN, start, end, alone=False)
    if match["issued"]:
        return Name(canonical(match["issued"]), start, end)
    if pointing := match["pointing"]:
        return _pointing(text, pointing, start, end)
    if match["part"]:
        return None if text[start - 1 : start] in ("典", "》", "·") else Name("民法典", start, end, alone=False)
    return _bare(text, start, end)


def _titled(text: str, title: str, start: int, end: int) -> Name:
    """Return the name that stands in 《》, with the issuer before it and the words after it that belong to it."""
    law = canonical(title)
    if law.startswith("关于") and (issuer := _ISSUED.search(text, max(0, start - 60), start)):
        start = issuer.start()
        law = "、".join(ISSUERS.get(word, word) for word in _ISSUER.findall(issuer[0])) + law
    elif more := interpretation(law, text, end):
        return Name(more[0], start, more[1])
    if title in _ALONE:  # 《解释》 without an alias
        return Name(f"该{title}", start, end, pointing=True, alone=False)
    known = is_law(law, _ARTICLE.match(text, end) is not None)
    return Name(law if known else FOREIGN, start, end, alone=known)


def _pointing(text: str, written: str, start: int, end: int) -> Name:
    """Return a word that points at a law; 本法 in the words of a law that are quoted is that law."""
    which, kind = (written[0], written[1:]) if written[0] in "本该同此" else ("该", written[2:])
    if which == "本":
        window = max(0, start - 300)
        if text.rfind("“", window, start) > text.rfind("”", window, start):
            which = "该"
        alone = True
    else:
        clear = kind in ("法", "条例", "细则", "司法解释", "通则")
        clear = clear or (kind in ("解释", "办法") and text.startswith(("的规定", "规定"), end))
        alone = clear and written[0] in "该同"
    return Name(which + kind, start, end, pointing=True, alone=alone)


def _bare(text: str, start: int, end: int) -> Name | None:
    """Return the name that ends in a word such as 法 or 条例 without 《》."""
    if text.startswith("解释", start):
        begin = start - 2 * text.startswith("司法", start - 2)
        for topic in _TOPICS:
            if text.endswith(topic, 0, begin) and (more := interpretation(topic, text, begin)):
                return Name(more[0], begin - len(topic), more[1])
    name = next((one for one in _KNOWN[text[end - 2 : end]] if text.endswith(one, 0, end)), "")
    if name in _SHORT and not (
        _ARTICLE.match(text, end) or _UNDERSTOOD.search(text[max(0, end - 9) : end - len(name)])
    ):
        return None
    if name:
        start = end - len(name)
        law = canonical(name)
        if text.endswith(_STATE, 0, start):
            start -= len(_STATE)
        elif country := re.search(rf"(?:{COUNTRIES})$", text[max(0, start - 4) : start]):
            start -= len(country[0])
            law = country[0] + law
        elif more := interpretation(law, text, end):
            return Name(more[0], start, more[1])
        if under := _MORE.match(text, end):
            end = under.end()
            law = canonical(law + under[0])
        return Name(law, start, end)
    return _unlisted(text, start, end)


def _unlisted(text: str, start: int, end: int) -> Name | None:
    """Return a name that no list has: after 中华人民共和国, of another country, or before an article."""
    word = text[start:end]
    begin = text.rfind(_STATE, max(0, start - 31), start)
    if begin >= 0 and word in ("法", "法典", "条例") and _HAN.fullmatch(text, begin + len(_STATE), start):
        if any(text.startswith(one, begin + len(_STATE)) for one in LAWS):  # 立法法, at its first 法
            return None
        more = _MORE.match(text, end)
        return Name(canonical(text[begin : more.end() if more else end]), begin, more.end() if more else end)
    if not _ARTICLE.match(text, end):
        return None
    run = _RUN.match(text[max(0, start - 28) : start][::-1])
    before = run[0][::-1] if run else ""
    if abroad := _ABROAD.search(before):
        return Name(abroad[0] + word, start - len(abroad[0]), end)
    stops = list(_STOP.finditer(before))
    begin = start - len(before) + (stops[-1].end() if stops else 0)
    law = text[begin:end]
    if law in _UNDER:
        return Name(law, begin, end, pointing=True, alone=False)
    if len(law) >= 4 and _LOCAL.search(law) and is_law(law, True) and word not in ("解释", "意见", "纪要"):
        return Name(canonical(law), begin, end)
    return None


def _opening(text: str) -> Iterator[Name]:
    """Yield the names that stand above the articles of their law, each on a line of its own or at the end of one."""
    for match in _LINE.finditer(text):
        line = match["line"]
        line = line[: (_ABOVE.search(line) or match).start()] if _ABOVE.search(line) else line
        start = match.start("line")
        if signed := _IN_SIGNS.search(line):
            law = canonical(signed[1])
            where = (start + signed.start(), start + signed.end(1) + 1)
            yield Name(law, *where, opens=True) if is_law(law, True) else Name(FOREIGN, *where, alone=False, opens=True)
        elif _TITLE.fullmatch(line) and not _STOP.match(line):
            law = canonical(line)
            if is_law(law, False):
                yield Name(law, start, start + len(line), opens=True)
            elif re.search(rf"{FOREIGN_NOUN}$", line):
                yield Name(FOREIGN, start, start + len(line), alone=False, opens=True)


def _given(text: str) -> Iterator[Name]:
    """Yield the places of the short names without 《》 that a text gives to laws: （以下简称民间借贷规定）."""
    words = dict.fromkeys(match[1] for match in _ALIAS.finditer(text))
    given = [word for word in words if _LIKE.search(word) and word not in LAWS and word not in ABBREVIATED][:_ALIASES]
    if given:
        written = "|".join(re.escape(one) for one in sorted(given, key=len, reverse=True))
        for match in re.finditer(rf"(?<![《该本同述称为:“\"「])(?:{written})", text):
            yield Name(match[0], *match.span(), pointing=True, alone=match[0] not in _ALONE)


def resolve(word: str, own: str, named: Sequence[str]) -> str:
    """Return the law that a word refers to: 本法 the law the text is of, 该法 and 同法 the law named last."""
    kind = word[1:]
    if word in _UNDER:
        return named[-1] + kind if named and named[-1].endswith(("法", "法典")) else ""
    if word[0] == "本":
        return own or (FOREIGN if kind in ("通知", "公告", "决定", "意见") else "")
    if word[0] != "该" and word[0] != "同" and word[0] != "此":
        return ""
    ends = ("法", "法典", "通则", "总则") if kind == "法" else (kind,)
    for name in reversed(named):
        if re.sub(r"（[一二三四五六七八九十]+）$", "", name).endswith(ends):
            return name
    if kind in ("解释", "司法解释"):
        return next((name for name in reversed(named) if name.startswith("最高人民")), "")
    return FOREIGN if kind in ("通知", "公告", "决定", "意见") else ""
