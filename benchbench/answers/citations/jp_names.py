"""Names of Japanese laws in running text, found by their endings, and words that refer to one named before."""

import re
from collections.abc import Sequence
from dataclasses import replace

from benchbench.answers.citations.law_lists import law_lists
from benchbench.answers.citations.words import FOREIGN, Name

_LISTS = law_lists("jp")
LAWS: dict[str, str] = {short: name for name, shorts in _LISTS["abbreviations"].items() for short in shorts}
_PARENTS: dict[str, str] = _LISTS["parents"]
_KNOWN = {  # names that no rule below finds, for they hold a comma, a verb or a law, or stand in lists of contracts
    *(one for one in (*LAWS, *LAWS.values()) if re.search(r"[、・A-Za-z-ぁ-ん]", one)),
    *_LISTS["others"],
}
_TAIL = 9
_TAILS: dict[str, list[str]] = {}
for _name in sorted(_KNOWN, key=len, reverse=True):
    _TAILS.setdefault(_name[-_TAIL:], []).append(_name)

_KANJI = "一-龠々〆ァ-ヴー・"
_NUMBERS = "[0-9〇一二三四五六七八九十百千]"
_ARTICLE = rf"[ ]?(?:第[ ]?|附則第?|本則第?)?{_NUMBERS}{{1,9}}[ ]?条(?!件)"
_AFTER = (
    rf"(?=第|附則|別表|・|又は|及び|並びに|若しくは|所定|施行[前後日]|適用(?!通則)|前文|本則|改正(?!法)|制定|遵守|対応|中の|中[、「]|下[でにの]|{_NUMBERS}{{1,9}}条"
    rf"|(?:改正)?[前後]の|[^{_KANJI}]|$|"
)
_SUFFIX = re.compile(
    r"(?=[法憲条規府省政令安労財ガ指基民刑会行独不国])"  # one look at a sign is quicker than one at each alternative
    rf"(?:(?:法律|法典?|憲法)(?P<under>施行令|施行規則)?{_AFTER}上の?|違反|等|関係)"
    rf"|(?:条例|規則|規程|[府省政]?令|安衛則|労基則|財規){_AFTER}違反|(?!))"
    rf"|(?:ガイドライン|指針|基準)(?=第[ 0-9〇一二三四五六七八九十百千]{{1,9}}条)"
    rf"|(?<![{_KANJI}])(?:民|刑|憲|民訴|刑訴|会社|労基|労契|労組|行訴|民執|民保|独禁|不登|国賠)(?=[0-9]{{1,4}}条))"
)
_SHORTEST = {  # before an article
    **{short[:-1]: name for short, name in LAWS.items() if len(short) == 3},
    **{"民": "民法", "刑": "刑法", "憲": "日本国憲法", "会社": "会社法"},
}
_RULES = (
    "就業|賃金|給与|退職金|管理|使用|利用|社内|取締役会|監査役会|監査等委員会|服務|旅費|会社|職員|学校|業務|上場"
    "|懲戒|組合"
)
_DOCUMENTS = (
    "契約書?|契約条項|約款|定款|規約|協定書?|協約|覚書|合意書?|念書|確認書|誓約書|会則|要綱案?|要領|告示|通達|通知書?|条項"
    "|特約|目録|主文|趣旨|別紙|別記|別添|議案|ルール|マニュアル|ポリシー|計画書?|決議|議事録|証書|仕様書|条約|議定書|憲章"
    "|規定|条件|内規|学則|校則|寄附行為|社則|和解|調書|遺言書?|綱領|宣言|草案|試案|改正案|法案|モデル法|原則|コード|手引き?"
    "|(?<!施行)細則|[A-Za-z]{2,20}|[本同各該](?:ガイドライン|指針|基準)"
)
_DOCUMENT = re.compile(  # what has articles and is no law
    rf"(?=[{''.join(sorted({one[0] for one in (_DOCUMENTS + '|' + _RULES).split('|')} - {'(', '['}))}細A-Za-z本同各該])"
    rf"(?:(?:{_DOCUMENTS})(?=[」』]?(?:\([^()\n]{{0,40}}\))?(?:上の|の)?{_ARTICLE}"
    rf"|[」』]?の?第[ ]?{_NUMBERS}{{1,4}}[ ]?[項号]|\(以下)"
    rf"|(?:契約書?|約款|規約|協定書?|覚書|合意書)(?=[ ]*\n)|(?:{_RULES})(?:規則|規程)(?![{_KANJI}]{{0,3}}(?:法|令)第))"
)
_INSIDE = re.compile(rf"第?{_NUMBERS}{{1,9}}[条項号]中?")
_RUN = re.compile(rf"[{_KANJI}]{{0,30}}")  # of a text read backwards
_NUMBERED = re.compile(r"(?:明治|大正|昭和|平成|令和)[0-9元〇一二三四五六七八九十]{1,4}年")
_PIECE = re.compile(
    r"及び|並びに|又は|若しくは|に関する|に対する|への|に係る|による|のための|その他の|における|に伴う|からの|についての|に基づく|に規定する|を定める"
    rf"|[{_KANJI}]+?(?=及び|並びに|又は|若しくは|[^{_KANJI}]|$)|[のりいえれけきな]|.",
    re.DOTALL,
)
_JOINING = {"及び", "並びに", "又は", "若しくは"}
_GLUE = {
    *("に関する", "に対する", "への", "に係る", "による", "のための", "その他の", "における", "に伴う", "からの"),
    *("についての", "に基づく", "に規定する", "を定める", *"のりいえれけきな"),
}
_NO_LAW = re.compile(  # 計算方法 is none and 労働組合法 is one, 手続法 is a kind of law and 行政手続法 one
    r"(?:方|違|(?<!組)合|適|不|司|立|(?<!切)手|(?<![収利雇])用|話|作|無|製|(?<!医)療|寸|魔|便|算定|[加減乗除計換]算)法$"
    r"|(?:[拳兵工技農漁語文率額筆論剣良]|平均|消去|学習|帰納|演繹|分析|測定|実験|試験|定率|定額|原価|持分|還元|比較|比準|収益|処方|解釈"
    r"|(?<!影響)(?<!政策)評価)法$"
    r"|^(?:私|公|外国|本|各|他|国際|国内|一般|特別|実体|手続|関係|関連|当該|租?税|労働|判例|成文|慣習|行政|倒産|競争|環境|経済|家族|債権|物権"
    r"|相続|親族|担保|契約|不法行為|消費者|金融|医事|刑事|民事|知的財産|知財|社会保障|基本|個別|根拠|親|取締|規制|業|自然|英米|大陸|準拠|母|実定"
    r"|制定|強行|任意|国際私|国際取引|企業|情報|教育|都市|個別労働|現行|改正|新|旧|手続的|実体的)法$"
    r"|(?:[国州]|日本|ドイツ|フランス|イギリス|アメリカ|香港|シンガポール)法$"
    r"|[法命号指辞司]令$|^[政省府]令$|法律$|^(?:規則|規程|条例|令|内閣府令|内閣官房令|施行令|施行規則)$"
    r"|^(?:関係|各|市|県|都|道|区|町|村|市町村|地方|自治体|基本|関連|個別|当該|税|首都|[内外]|主務)(?:条例|省令|府令|規則)$"
)
_SHORT = {"民法", "刑法", "商法"}
_FRONT = re.compile(
    r"^(?:当該|各|上記|下記|前記|後記|前掲|右|他(?!社)|原告|被告|我国|我が国|日本(?=民法|刑法|商法)|根拠|適用法令|関係法令)"
)
_EDITION = re.compile(
    r"^(?:年)?(?:旧|現行の?|新(?=民法|商法|会社法|破産法|信託法|民訴法|民事訴訟法|行政不服審査法)|(?:大)?改正[前後]?の?)"
)
_POINTING = re.compile(
    r"(?P<which>同|本|この|当該|本件|新|旧|現行|改正[前後]?|)"
    r"(?P<what>法律|法|政令|内閣府令|府令|省令|施行令|施行規則|令|規則|規程|条例)(?P<under>施行令|施行規則)?"
)
_ARTICLE_NEXT = re.compile(rf"[ ]?(?:第|附則|[0-9]|{_NUMBERS}{{1,9}}条)")
_AMENDING = re.compile(r"等?の一部を改正する(?:等の)?$")
_TITLED = re.compile(  # of a guideline, which has the name of the law in its own
    r"等?(?:についての|に関する|に係る|における)[^。、「」()\n]{0,20}(?:ガイドライン|Q&A|留意事項|指針|考え方|手引)"
)
_OF_AN_ARTICLE = re.compile(  # 下請代金支払遅延等防止法第3条の書面の記載事項等に関する規則
    rf"第?{_NUMBERS}{{1,9}}条(?:の{_NUMBERS}{{1,9}})*(?:第[^、。()\n]{{1,9}}[項号])*の?[^、。()「」\n]{{0,40}}(?:に関する|を定める)[内閣府省政]{{0,3}}"
)


def canonical(name: str) -> str:
    """Return the full name of a law for its abbreviation, and any other name as it is."""
    base = re.sub(r"(?:施行令|施行規則)$", "", name)
    under = name[len(base) :]
    base = base.removesuffix("典") if base in ("民法典", "刑法典", "商法典") else base
    return LAWS.get(name) or _SHORTEST.get(name) or LAWS.get(base, base) + under


def names(text: str) -> list[Name]:
    """Return the names of laws in a narrowed text, in order, and the words that refer to one."""
    laws: list[Name] = []
    floor = 0
    for match in _SUFFIX.finditer(text):
        end = match.end()
        base = end - len(match["under"] or "")
        if known := _known(text, base):
            start = base - len(known)
            while laws and laws[-1].start >= start:  # it has the name of a law in it: 電子消費者契約に関する民法の特例
                laws.pop()
            laws.append(Name(canonical(text[start:end]), start, end))
            floor = end
            continue
        if match.start() < floor:
            continue
        run = _RUN.match(text[max(floor, match.start() - 30) : match.start()][::-1])
        start = match.start() - (run.end() if run else 0)
        start += text[start] == "・"
        if cut := _INSIDE.match(text, start, end):  # 第二条中電波法施行規則第四条
            start = cut.end()
        if text[max(0, start - 2) : start] in ("○○", "〇〇", "◯◯", "××"):  # ○○市条例
            start -= 2
        laws += _whole(laws, text, start, end) or _judged(text, start, end, floor)
        floor = end
    for match in _DOCUMENT.finditer(text):
        laws.append(Name(FOREIGN + match[0], *match.span(), alone=False))
    laws.sort(key=lambda name: (name.start, -name.end))
    return [replace(one, alone=False) if one.alone and _TITLED.match(text, one.end) else one for one in laws]


def _known(text: str, end: int) -> str:
    """Return the known name that ends at a place, the longest, or nothing."""
    for length in (_TAIL, *range(_TAIL - 1, 2, -1)):
        for name in _TAILS.get(text[max(0, end - length) : end], ()):
            if text.endswith(name, 0, end):
                return name
    return ""


def _whole(laws: list[Name], text: str, start: int, end: int) -> list[Name]:
    """Return the name that has the one before it in it, which is taken back: 民法の一部を改正する法律."""
    if not laws or laws[-1].pointing or start - laws[-1].end > 60 or laws[-1].end > start:
        return []
    last = laws[-1]
    if _AMENDING.fullmatch(text, last.end, start) or _OF_AN_ARTICLE.fullmatch(text, last.end, start):
        laws.pop()
        return [Name(text[last.start : end], last.start, end)]
    return []


def _judged(text: str, start: int, end: int, floor: int) -> list[Name]:
    """Return the name that ends in a run of kanji, or nothing where the run is none."""
    if front := _FRONT.match(text[start:end]):
        start += front.end()
    written = text[start:end]
    if text[max(floor, start - 4) : start] == "に関する" and written != "法令" and len(written) < 9:
        start = _phrase(text, floor, start)
        return [Name(canonical(text[start:end]), start, end)]
    if text[max(floor, start - 2) : start] == "この":
        start, written = start - 2, f"この{written}"
    if pointing := _POINTING.fullmatch(written):
        alone = pointing["which"] in ("同", "本", "この") or text.startswith("別表", end)
        if not alone and not _ARTICLE_NEXT.match(text, end):
            return []
        return [Name(written, start, end, pointing=True, alone=alone)]
    if edition := _EDITION.match(written):
        written = written[edition.end() :]
    if (written not in LAWS and _NO_LAW.search(written)) or _NUMBERED.match(written):
        return []
    if written.endswith("規程"):
        return [Name(FOREIGN + written, start, end, alone=False)]
    clear = (
        written in LAWS
        or written in _SHORT
        or (len(written) > 2 and re.search(r"(?:法律|法典?|施行令|施行規則)$", written))
        or (
            len(written) > 3
            and re.search(r"(?:[都道府県市区町村].*条例|(?:計算|訴訟|登記|衛生|執行|保全|手続)規則)$", written)
        )
    )
    return [Name(canonical(written), start, end, alone=bool(clear))]


def _phrase(text: str, floor: int, end: int) -> int:
    """Return where a name of the form "…の…に関する" begins that ends at `end`."""
    window = max(floor, end - 90)
    begin, joined = end, False
    for piece in reversed(list(_PIECE.finditer(text, window, end))):
        words = piece[0]
        if words in _JOINING:
            joined = True
        elif re.match(rf"[{_KANJI}]", words):
            if joined and re.search(r"(?:法|法律|令|規則)$", words):
                break
            begin, joined = piece.start(), False
        elif words not in _GLUE:
            break
    return begin


def resolve(word: str, own: str, named: Sequence[str]) -> str:
    """Return the law that a word refers to, "" when it is unknown.

    同法 is the law named last and この法律 the law that the text is of. 法 alone is the law above the order that the
    text is of, and 令 and 規則 are that law's orders.
    """
    match = _POINTING.fullmatch(word)
    if match is None:
        return ""
    which, what, under = match["which"], match["what"], match["under"] or ""
    law = what in ("法", "法律")
    same = next((name for name in reversed(named) if name.endswith(("法", "法律") if law else what[-2:])), "")
    if law and not same and named:
        same = _above(named[-1])
    above = _above(own) or next((name for name in reversed(named) if name.endswith(("法", "法律"))), "")
    if which in ("この", "本"):
        found = own or same
    elif law:
        ordered = next((_above(name) for name in reversed(named) if name.endswith(("施行令", "施行規則"))), "")
        found = same if which else _above(own) or ordered or same
    elif what in ("施行令", "施行規則"):
        found = same or (above and above + what)
    else:
        orders = {"令": "施行令", "規則": "施行規則"}
        whole = above + orders[what] if what in orders and above else ""
        first = which or (what == "規則" and whole not in named)  # 規則 may be 就業規則 or 民事訴訟規則
        found = (first and same) or whole or same
    return found + under if found else ""


def _above(own: str) -> str:
    """Return the law that an order is made under, and a law itself."""
    if own in _PARENTS:
        return _PARENTS[own]
    if article := re.match(r"(.+?法)第", own):
        return article[1]
    base = re.sub(r"(?:施行令|施行規則)$", "", own)
    return base if base.endswith(("法", "法律")) else ""
