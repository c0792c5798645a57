"""Names of Chinese laws in running text: in 《》, after 中华人民共和国, or one of the laws in daily use."""

import re
from collections.abc import Sequence

from benchbench.answers.citations.words import Name

_STATE = "中华人民共和国"
_ABBREVIATED = {
    "刑诉法": "刑事诉讼法",
    "民诉法": "民事诉讼法",
    "行诉法": "行政诉讼法",
    "道交法": "道路交通安全法",
    "治安处罚法": "治安管理处罚法",
    "消保法": "消费者权益保护法",
}
_KNOWN = (  # none begins another
    "宪法|刑法|民法典|民法通则|民法总则|刑事诉讼法|民事诉讼法|行政诉讼法|合同法|"
    "侵权责任法|物权法|担保法|婚姻法|继承法|收养法|公司法|合伙企业法|企业破产法|证券法|"
    "保险法|票据法|信托法|劳动法|劳动合同法|劳动争议调解仲裁法|社会保险法|工会法|专利法|"
    "商标法|著作权法|反垄断法|反不正当竞争法|消费者权益保护法|产品质量法|食品安全法|"
    "药品管理法|电子商务法|个人信息保护法|数据安全法|网络安全法|治安管理处罚法|"
    "道路交通安全法|枪支管理法|禁毒法|反恐怖主义法|国家安全法|反间谍法|社区矫正法|监狱法|"
    "监察法|立法法|律师法|仲裁法|公证法|人民法院组织法|人民检察院组织法|行政处罚法|"
    "行政许可法|行政复议法|行政强制法|国家赔偿法|土地管理法|城市房地产管理法|环境保护法|"
    "海洋环境保护法|森林法|野生动物保护法|海关法|税收征收管理法|个人所得税法|企业所得税法|"
    "未成年人保护法|预防未成年人犯罪法|反家庭暴力法|妇女权益保障法|义务教育法|教育法|"
    "传染病防治法"
)
_NAME = re.compile(
    rf"《(?P<title>(?:[^《》\n]|《[^《》\n]{{0,60}}》){{2,100}})》"
    rf"|(?P<bare>(?:{_STATE}(?:[一-龥]{{1,24}}?(?:法典|法|条例))|{_KNOWN}|{'|'.join(_ABBREVIATED)})(?:实施条例|实施细则)?)(?!学|理论|修正案|典)"
    r"|(?P<pointing>[本该同](?:法|条例|解释|规定|办法|细则)(?!定|律|院|学))"
)
_LAW = re.compile(r"(?:法|法典|条例|总则|通则|细则|修正案)$|关于.*(?:解释|规定|决定)$|若干.*意见$")
_ARTICLE = re.compile(r"\s?第[\s(]?[0-9〇零一二两三四五六七八九十百千]{1,9}[\s)]?条")
_EDITION = re.compile(r"\((?:[一二三四五六七八九十]{1,3}|[^()]{0,12}(?:修正|修订|试行|草案)[^()]{0,6})\)$")


def names(text: str) -> list[Name]:
    """Return the names of laws in a narrowed text, in order, and the words that refer to one."""
    found = []
    for match in _NAME.finditer(text):
        start, end = match.span()
        if title := match["title"]:
            if _LAW.search(_EDITION.sub("", title)) or _ARTICLE.match(text, end):
                found.append(Name(canonical(title), start, end))
        elif pointing := match["pointing"]:
            found.append(Name(pointing, start, end, pointing=True))
        else:
            found.append(Name(canonical(match["bare"]), start, end))
    return found


def canonical(name: str) -> str:
    """Return a name without 中华人民共和国 and without its edition, and an abbreviation as the name it stands for."""
    short = name.removeprefix(_STATE)
    edition = _EDITION.search(short)
    if edition and not re.fullmatch(r"\([一二三四五六七八九十]{1,3}\)", edition[0]):
        short = short[: edition.start()]
    return _ABBREVIATED.get(short, short)


def resolve(word: str, own: str, named: Sequence[str]) -> str:
    """Return the law that a word refers to: 本法 the law the text is of, 该法 and 同法 the law named last."""
    kind = word[1:]
    last = next((name for name in reversed(named) if name.endswith(("法", "法典") if kind == "法" else kind)), "")
    return own or last if word[0] == "本" else last
