"""Citations of Chinese statutes: 《中华人民共和国刑法》第二百六十七条第一款第（三）项."""

import re

from benchbench.answers.citations.citation import Citation
from benchbench.answers.citations.cn_laws import PARTS
from benchbench.answers.citations.cn_names import names, resolve
from benchbench.answers.citations.numerals import NUMBER
from benchbench.answers.citations.reader import Reader
from benchbench.answers.citations.words import Words

_NEVER = r"(?!)"
_CLEAR = r"的?规定|所|中|之|第|的(?:适用|情形|立法|理解)|但书|[前后]段|适用|明确|仅|旨在|是对|是指|是关于|与|和|及|或"
_WORDS = Words(
    units=(
        r"条(?![例款件约线路街河船狗鱼道]|短信|微信|信息|消息|记录|评论|新闻|视频|建议|意见|理由|证据)",
        rf"款(?!项|式|额|物|待|[车手产商])(?:(?<![该此同]款)|(?={_CLEAR}))",
        rf"项(?!目)(?:(?<![该此同]项)|(?={_CLEAR}))",
    ),
    branch="之",
    same="(?<![合共不相])同|(?<![各应])该",
    own="(?<![基文版剧])(?<!(?<!构)成)本|此",
    before="(?<![目此])前|(?<!以)上",
    after="次|下",
    annex=_NEVER,
    parts=_NEVER,
    order="",
    tails='(?:[的之]?[“"]?)但书|前段|中段|后段',
    spelling={f"{one}但书": "但书" for one in ("的", "之", "“", '"', "的“", '的"')},
    skip=_NEVER,
    alias=r"(?:以下(?:均?简称|合称|统称|称)|下称|简称)为?:?[《“\"「]{0,2}"
    r"(?P<alias>(?:[^《》“”\"「」(),。;、\s]|\([一二三四五六七八九十]{1,3}\)){1,30})[》”\"」]{0,2}",
    lines=True,
    joint=re.compile(
        r"(?:[*”]{0,3}[、,;]?[ ]?(?:和|暨|及其?|以及|与|或者?|并|(?P<range>直?至|到|[-~–—]{1,2}))?"
        r"(?:其)?[ ]?[*“]{0,3}|\()"
    ),
    names=names,
    resolve=resolve,
    lone=re.compile(
        r"(?=第)(?<!判决)(?<!裁定)(?<!主文)(?<!判项)(?<!请求)(?<!证据)(?<!合同)(?<!协议)(?<!清单)(?<!附件)"
    ),
    rows=re.compile(
        rf"^[ *]*第[ ]?(?P<a>{NUMBER})[ ]?条(?P<of>(?:之{NUMBER})*)"
        rf"(?=\*{{0,2}}(?:[ ]+(?!第?[ ]?{NUMBER}[ ]?[条款项]|的?规定)|\n|【))"
        r"(?P<annex>(?!))?(?P<b>(?!))?(?P<c>(?!))?(?P<item_of>(?!))?",
        re.MULTILINE,
    ),
    owns=(
        re.compile(r"本(?:合同|协议|章程|制度|手册|公约|规约)|(?:^|\n)[甲乙]方"),
        re.compile(r"本(?:法|条例|办法|规定|细则|解释|规则)|(?:解释|规定)如下"),
        re.compile(r"[甲乙]方|双方|任何一方|守约方|违约责任"),
    ),
    gap=re.compile(
        r"[」』》〉>”\"’*]{0,4}(?P<apart>[ ]*\n\s*|×[×、,和及第款项()一二三四五六七八九十]*)?[ ]?[:,]?[ ]?"
        r"(?:中|里|内|项下)?(?:明确)?(?:约定|载明|规定)?[:,]?(?:[的之])?[ ]?"
        rf"(?:(?:第{NUMBER}(?:编|分编|章|节)|总则|分则|附则|(?:{PARTS})编(?:通则)?)"
        r"[ 、,中]?的?){0,4}[ *“\"]{0,4}"
    ),
    within="和|与|及|或",
    masked=rf"(?=×{{2,6}}第?\(?{NUMBER}\)?项)|×{{2,6}}|(?=[之的]规定)",
    among=("其中", "其"),
    loose=False,
    topic=re.compile(r"(?!的?(?:有关|相关|特别)?规定)"),
    signs="同该本此前上次下",
    barriers=(r"\n", r"[\n。;:]"),
    agreed=re.compile(rf"(?:[、和及与或至]第?{NUMBER}条(?:第?{NUMBER}款)?){{0,6}}(?:所|中)?的?约定"),
    provides=re.compile(rf"(?:[、和及与或至]第?{NUMBER}条(?:第?{NUMBER}款)?){{0,6}}[的之]?规定"),
)
_READER = Reader(_WORDS)


def extract(text: str) -> list[Citation]:
    """Return the citations of a text in the order of their places."""
    return _READER.read(text)
