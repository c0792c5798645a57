"""Names of Japanese laws in running text, found by their endings, and words that refer to one named before."""

import re
from collections.abc import Sequence

from benchbench.answers.citations.words import Name

_LAWS = {  # abbreviations in use -> the name in the gazette
    "金商法": "金融商品取引法",
    "金商業等府令": "金融商品取引業等に関する内閣府令",
    "金商業府令": "金融商品取引業等に関する内閣府令",
    "業府令": "金融商品取引業等に関する内閣府令",
    "定義府令": "金融商品取引法第二条に規定する定義に関する内閣府令",
    "開示府令": "企業内容等の開示に関する内閣府令",
    "企業内容等開示府令": "企業内容等の開示に関する内閣府令",
    "特定有価証券開示府令": "特定有価証券の内容等の開示に関する内閣府令",
    "他社株買付府令": "発行者以外の者による株券等の公開買付けの開示に関する内閣府令",
    "取引規制府令": "有価証券の取引等の規制に関する内閣府令",
    "課徴金府令": "金融商品取引法第六章の二の規定による課徴金に関する内閣府令",
    "重要情報公表府令": "金融商品取引法第二章の六の規定による重要情報の公表に関する内閣府令",
    "投信法": "投資信託及び投資法人に関する法律",
    "薬機法": "医薬品、医療機器等の品質、有効性及び安全性の確保等に関する法律",
    "医薬品医療機器法": "医薬品、医療機器等の品質、有効性及び安全性の確保等に関する法律",
    "医薬品医療機器等法": "医薬品、医療機器等の品質、有効性及び安全性の確保等に関する法律",
    "個人情報保護法": "個人情報の保護に関する法律",
    "独占禁止法": "私的独占の禁止及び公正取引の確保に関する法律",
    "独禁法": "私的独占の禁止及び公正取引の確保に関する法律",
    "電子消費者契約法": "電子消費者契約に関する民法の特例に関する法律",
    "電子契約法": "電子消費者契約に関する民法の特例に関する法律",
    "育児介護休業法": "育児休業、介護休業等育児又は家族介護を行う労働者の福祉に関する法律",
    "育児・介護休業法": "育児休業、介護休業等育児又は家族介護を行う労働者の福祉に関する法律",
    "外為法": "外国為替及び外国貿易法",
    "出資法": "出資の受入れ、預り金及び金利等の取締りに関する法律",
    "資金決済法": "資金決済に関する法律",
    "犯収法": "犯罪による収益の移転防止に関する法律",
    "犯罪収益移転防止法": "犯罪による収益の移転防止に関する法律",
    "区分所有法": "建物の区分所有等に関する法律",
    "特商法": "特定商取引に関する法律",
    "特定商取引法": "特定商取引に関する法律",
    "景表法": "不当景品類及び不当表示防止法",
    "景品表示法": "不当景品類及び不当表示防止法",
    "消契法": "消費者契約法",
    "労基法": "労働基準法",
    "民訴法": "民事訴訟法",
    "刑訴法": "刑事訴訟法",
    "行訴法": "行政事件訴訟法",
    "国賠法": "国家賠償法",
    "憲法": "日本国憲法",
}
_KNOWN = {  # names that no rule below finds, for they hold a comma, a verb or a law, or stand in lists of contracts
    *(name for name in _LAWS.values() if re.search(r"[、ぁ-ん]", name)),
    "投資事業有限責任組合契約に関する法律",
    "有限責任事業組合契約に関する法律",
    "外国為替及び外国貿易法",
}
_PARENTS = {  # orders whose 法 is this law; those named X法施行令 or X法第… say it themselves
    "金融商品取引業等に関する内閣府令": "金融商品取引法",
    "企業内容等の開示に関する内閣府令": "金融商品取引法",
    "特定有価証券の内容等の開示に関する内閣府令": "金融商品取引法",
    "発行者以外の者による株券等の公開買付けの開示に関する内閣府令": "金融商品取引法",
    "有価証券の取引等の規制に関する内閣府令": "金融商品取引法",
    "証券情報等の提供又は公表に関する内閣府令": "金融商品取引法",
}

_KANJI = "一-龠々〆ァ-ヴー・"
_AFTER = rf"(?=第|附則|別表|又は|及び|並びに|若しくは|[〇一二三四五六七八九十百千]{{1,9}}条|[^{_KANJI}]|$|"
_SUFFIX = re.compile(
    rf"(?:法律|法|憲法)(?:施行令|施行規則)?{_AFTER}上の?|違反|等)|(?:条例|規則|規程|[府省政]?令){_AFTER}(?!))"
    r"|(?:ガイドライン|指針|基準)(?=第[ 0-9〇一二三四五六七八九十百千]{1,9}条)"
)
_LONG = re.compile(rf"(?:{'|'.join(sorted(_KNOWN, key=len, reverse=True))})(?:施行令|施行規則)?{_AFTER}違反|等)")
_RUN = re.compile(rf"[{_KANJI}]{{0,30}}")  # of a text read backwards
_NUMBERED = re.compile(r"(?:明治|大正|昭和|平成|令和)[0-9元〇一二三四五六七八九十]{1,4}年")
_PIECE = re.compile(
    rf"及び|並びに|又は|若しくは|に関する|に対する|への|に係る|による|のための|その他の|[{_KANJI}]+?(?=及び|並びに|又は|若しくは|[^{_KANJI}]|$)"
    r"|[のりいえれけき]|.",
    re.DOTALL,
)
_JOINING = {"及び", "並びに", "又は", "若しくは"}
_GLUE = {"に関する", "に対する", "への", "に係る", "による", "のための", "その他の", *"のりいえれけき"}
_NO_LAW = re.compile(  # 計算方法 is none and 労働組合法 is one, 手続法 is a kind of law and 行政手続法 one
    r"(?:方|違|(?<!組)合|適|不|司|立|(?<!切)手|(?<![収利雇])用|話|作|無|製|(?<!医)療|寸|魔|便|算定|計算)法$"
    r"|^(?:私|公|外国|新|旧|本|各|他|現行|改正|国際|国内|一般|特別|実体|手続|関係|関連|当該|租?税|労働|判例|成文|慣習)法$"
    r"|[法命号指辞司]令$|^[政省府]令$|法律$|^(?:規則|規程|条例|令|内閣府令)$"
)
_SHORT = {"民法", "刑法", "商法"}
_FRONT = re.compile(r"^(?:当該|各|現行の?|上記|下記|他)")
_POINTING = re.compile(
    r"(?P<which>同|本|この|当該|)(?P<what>法律|法|政令|内閣府令|府令|省令|令|規則|規程|条例)(?P<under>施行令|施行規則)?"
)


def canonical(name: str) -> str:
    """Return the full name of a law for its abbreviation, and any other name as it is."""
    base = re.sub(r"(?:施行令|施行規則)$", "", name)
    return _LAWS.get(name) or _LAWS.get(base, base) + name[len(base) :]


def names(text: str) -> list[Name]:
    """Return the names of laws in a narrowed text, in order, and the words that refer to one."""
    found: list[Name] = []
    spans = [match.span() for match in _LONG.finditer(text)]
    coming, floor = 0, 0
    for match in _SUFFIX.finditer(text):
        end = match.end()
        while coming < len(spans) and spans[coming][0] < end:  # the name has a law's name in it, or ends as one does
            start, floor = spans[coming]
            found.append(Name(text[start:floor], start, floor))
            coming += 1
        if match.start() < floor:
            continue
        run = _RUN.match(text[max(floor, match.start() - 30) : match.start()][::-1])
        start = match.start() - (run.end() if run else 0)
        found += _judged(text, start, end, floor)
        floor = end
    return found


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
        alone = pointing["which"] != ""
        return (
            [Name(written, start, end, pointing=True, alone=alone)]
            if alone or text[end : end + 1] in "第附0123456789"
            else []
        )
    if _NO_LAW.search(written) or _NUMBERED.match(written):
        return []
    clear = (
        written in _LAWS
        or written in _SHORT
        or (len(written) > 2 and re.search(r"(?:法律|法|施行令|施行規則)$", written))
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
    if which in ("この", "本"):
        found = own or (named[-1] if named else "")
    elif which:
        found = same
    elif law:
        found = _above(own) or same
    else:
        above = _above(own) or next((name for name in reversed(named) if name.endswith(("法", "法律"))), "")
        orders = {"令": "施行令", "規則": "施行規則"}
        found = above + orders[what] if what in orders and above else same
    return found + under if found else ""


def _above(own: str) -> str:
    """Return the law that an order is made under, and a law itself."""
    if own in _PARENTS:
        return _PARENTS[own]
    if of := re.match(r"(.+?法)第", own):
        return of[1]
    base = re.sub(r"(?:施行令|施行規則)$", "", own)
    return base if base.endswith(("法", "法律")) else ""
