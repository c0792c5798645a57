"""Titles of Chinese laws: one form for each, and which titles are those of laws."""

import functools
import re

from benchbench.answers.citations.cn_laws import ABBREVIATED, INTERPRETED, ISSUERS, PARTS

NUMBERED = r"(?:\([一二三四五六七八九十]{1,3}\))?"
_OTHERS = """
合同书? 协议书? 契约 章程 手册 条款 须知 规约 民约 公约 条约 议定书 约定书? 备忘录 承诺书 保证书 保险单 投保单 保单
制度 声明 通知书? 公告 通告 决定书 招标文件 投标文件 附件[一二三四五六七八九十0-9]{0,2} 订单 意向书 授权书
说明书 方案 规章 判决书? 裁定书? 调解书 主文 判项 起诉状 上诉状 请求
"""  # what is no law and has articles
FOREIGN_NOUN = f"(?:{'|'.join(_OTHERS.split())})"
FOREIGN_SIGNS = "".join({word[0] for word in _OTHERS.split()})
_INNER = str.maketrans("《<「》>」()", "〈〈〈〉〉〉（）")
_EDITION = re.compile(
    r"(?:[(（\[〔【](?![一二三四五六七八九十]{1,3}[)）])[^()（）\[\]〔〕【】]*"
    r"(?:[0-9]{4}|修[正订改]|试行|草案|征求意见稿|送审稿|暂行|失效|废止|节[选录]|摘录|现行)[^()（）\[\]〔〕【】]*[)）\]〕】]"
    r"|[0-9]{4}年?(?:修[正订改]|版)?本?)$"
)
_OLD = re.compile(r"^(?:[0-9]{4}年?(?:版|修[正订改])?的?|[新旧原])(?=.{2})")
_CIVIL = re.compile(rf"^民法典[·（]?(?:{PARTS})编）?$")
_COURTS = re.compile(rf"^(?:(?:{'|'.join(sorted(ISSUERS, key=len, reverse=True))})[、和与 ]?){{2,}}(?=关于)")
_COURT = re.compile("|".join(sorted(ISSUERS, key=len, reverse=True)))
_INTERPRETS = re.compile(
    rf"》?(?P<topic>(?:{PARTS})编(?:通则)?|(?:有关)?担保(?:制度)?)?(?:部分)?的?(?:司法)?解释"
    r"(?:\((?P<number>[一二三四五六七八九十])\)|(?P<plain>[一二三四五六](?![个种条款年次项])))?"
)
_SHORT = re.compile(
    rf"〈?(?P<law>[^编〈〉]{{1,12}}?(?<!(?<!公)司)法典?)〉?(?P<topic>(?:{PARTS})编(?:通则)?|(?:有关)?担保(?:制度)?)?(?:部分)?的?(?P<court>司法)?"
    r"解释(?:（?(?P<number>[一二三四五六七八九十])）?)?"
)
_TOPIC = re.compile(r"(?P<law>.{4,12}?)(?:司法)?解释(?:（?(?P<number>[一二三四五六七八九十])）?)?")

_LAW = re.compile(
    r"(?:法|法典|条例|总则|通则|细则|修正案|办法|规定|解释|会议纪要)$|规则$|^(?:最高人民|全国人民代表大会|国务院).*(?:决定|意见|批复|规则)$"
    r"|^全国人民代表大会.*决议$"
    r"|若干.*意见$|(?:案件|适用法律|有关问题|审判工作).*意见$"
)
_WITH_ARTICLE = re.compile(
    r"(?:规则|通知|批复|答复|复函|函|决定|意见|纪要|公告|准则|指引|指南|规范|规程|标准"
    r"|安排|命令|令|决议|通告|要点)$"
)
_NO_LAW = re.compile(
    r"(?:方|做|看|手|说|书|(?<!公)司|执|违|语|疗|(?<!适)用|想|(?<!预)算)法$|^.{0,2}办法$|(?:鉴定|检验|会计|审计|评估|咨询|律师|法律|处理|答辩|辩护|代理)意见$|鉴定书?$"
    r"|^(?:[试再略浅]?论|浅[析谈])|员工|考勤|奖惩|财务管理|劳动纪律|规章制度|薪酬|绩效|报销|值班|宿舍|议事规则|仲裁规则|证券交易所.*规则|(?:海牙|维斯比|汉堡|鹿特丹)规则|比赛规则|游戏规则"
    r"|^(?:本|我|某|×+|X+|[A-Z]+).{0,8}(?:公司|集团|厂|学校|大学|医院|小区)|^(?!上市).{1,20}(?:有限公司|集团|大学)|小区"
)


@functools.lru_cache(4096)  # many texts name the same laws
def canonical(title: str) -> str:
    """Return a title in one form.

    Without 中华人民共和国 and without its edition; a short name is the name it stands for; a title within the title
    stands in 〈〉 and brackets are full-width: 最高人民法院关于适用〈婚姻法〉若干问题的解释（三）.
    """
    title = re.sub(r"(?<=[院部署局委])\s+(?=[一-龥])", "、", title.strip())
    title = re.sub(r"\s+", "", title).replace("中华人民共和国", "").translate(_INNER)
    while edition := _EDITION.search(title):
        title = title[: edition.start()]
    if courts := _COURTS.match(title):
        title = "、".join(ISSUERS[word] for word in _COURT.findall(courts[0])) + title[courts.end() :]
    if _CIVIL.match(title):
        return "民法典"
    if title in ABBREVIATED:
        return ABBREVIATED[title]
    if (older := _OLD.match(title)) and title[older.end() :] != "":
        title = title[older.end() :]
        title = ABBREVIATED.get(title, title)
    if short := _SHORT.fullmatch(title):
        return _interpreting(short["law"], short["topic"], short["number"]) or title
    if (short := _TOPIC.fullmatch(title)) and short["law"] in INTERPRETED:
        return _interpreting(short["law"], None, short["number"]) or title
    return title


def is_law(title: str, followed: bool) -> bool:
    """Return whether a title is that of a law; some are only where an article follows."""
    if _NO_LAW.search(title):
        return False
    bare = re.sub(r"（[一二三四五六七八九十]{1,3}）$", "", title)
    return _LAW.search(bare) is not None or (followed and _WITH_ARTICLE.search(bare) is not None)


def interpretation(law: str, text: str, end: int) -> tuple[str, int] | None:
    """Return the interpretation of a law that the words at `end` make of its name, and where they end.

    公司法司法解释（二）, 《民法典》担保制度解释, 民间借贷司法解释.
    """
    match = _INTERPRETS.match(text, end - (text[end - 1 : end] == "》"))
    if match is None:
        return None
    title = _interpreting(law, match["topic"], match["number"] or match["plain"])
    return (title, match.end()) if title else None


def _interpreting(law: str, topic: str | None, number: str | None) -> str:
    """Return the title of the interpretation of a law, "" where none is known."""
    law = ABBREVIATED.get(law, law)
    about = law + (topic or "").removeprefix("有关")
    title = INTERPRETED.get(about, "") or INTERPRETED.get(f"民法典{about}", "")
    if not title and number and not topic and law.endswith("法"):
        title = f"最高人民法院关于适用〈{law}〉若干问题的解释"
    return title + (f"（{number}）" if title and number else "")
