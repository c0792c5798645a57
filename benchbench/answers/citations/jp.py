"""Citations of Japanese statutes: 金融商品取引法第五条第六項第三号."""

import re

from benchbench.answers.citations.citation import Citation
from benchbench.answers.citations.jp_names import names, resolve
from benchbench.answers.citations.numerals import NUMBER
from benchbench.answers.citations.reader import Reader
from benchbench.answers.citations.words import Words

_KANJI = "[一二三四五六七八九十]"
_WORDS = Words(
    units=("条(?![件例約]|文(?![言書])|項(?!目))", "項(?!目)", "号(?![室館棟機車線炉様議証被案俸棄])"),
    branch="[のノ]",
    same="同(?:条(?=項))?",  # 同条項 is 同項
    own="本|この",
    before="前",
    after="次",
    annex="附則",
    parts=r"(?<![ァ-ヴー])[イロハニホヘトチリヌルヲワカヨタレソ](?![ァ-ヴー])"
    r"|(?<=[イロハニホヘトチリヌルヲワカヨタレソ])\([0-9]{1,2}\)|(?<=[0-9]\))\((?:[ivx]{1,4}|[ⅰ-ⅹ])\)",
    order="イロハニホヘトチリヌルヲワカヨタレソ",
    tails=r"ただし書き?|但し?書き?|本文|前段|後段|中段|柱書き?",
    spelling={**dict.fromkeys(("ただし書き", "但書", "但書き", "但し書", "但し書き"), "ただし書"), "柱書き": "柱書"},
    skip=r"(?:明治|大正|昭和|平成|令和)[0-9元〇一二三四五六七八九十]{1,4}年[^\s第()、。「」]{0,20}第[0-9〇一二三四五六七八九十百千]{1,9}号|\([ァ-ヴー一-龠]{1,3}\)\s?第?[0-9〇一二三四五六七八九十百千]{1,6}号|(?:様式|別表|別記|別紙)第[0-9〇一二三四五六七八九十]{1,4}号?",
    alias=r"以下[、,]?(?:単に|これを)?[、,]?[「『](?P<alias>[^「」『』\n]{1,40})[」』]",
    lines=False,
    joint=re.compile(
        r"(?:[、,・ ]{0,2}(?:及び|又は|並びに|若しくは|および|または|ならびに|もしくは|あるいは|且つ|かつ|と|や|/"
        r"|(?P<range>から|ないし|乃至|[〜～~–—―-]))?[ ]?|\()"
    ),
    names=names,
    resolve=resolve,
    first=2,
    signs="同本こ前次附イロハニホヘトチリヌルヲワカヨタレソ明大昭平令様別",
    deeper=r"\((?:[0-9]{1,2}|[ivx]{1,4})\)",
    lone=re.compile(r"(?<![一-龠々ァ-ヴーA-Za-z0-9)の])(?<![一-龠々ァ-ヴーA-Za-z0-9)][ ])"),
    gap=re.compile(r"(?:\*\*|[」』》”\"])?\s?(?:\*\*)?の?[ ]?(?:\*\*)?(?P<apart>(?!))?"),
    topic=re.compile(r"(?:上|で|に|について|において|に関して|によれば)?(?:は|も|$|\n)|が|で、|において|における|\("),
    spelt=re.compile(r"(?<=[、。(「])(?=[〇一二三四五六七八九十百]{1,4}[項号][のはにをがも、・及又)])"),
    private=re.compile(
        r"(?P<whole>^[ ]*第[0-9一二三四五六七八九十]{1,3}条[ (\n][^\n]{0,30}\n?[^\n]{0,3}[甲乙](?:は|及び|と|の))"
        r"|本(?:契約|約款|規約|規程|細則|覚書|合意書|協定)|甲及び乙は|当会社は|(?:従業員|社員)は、",
        re.MULTILINE,
    ),
    rows=re.compile(
        rf"^[ ]*(?:(?P<annex>附[ ]*則)(?=[ ]*(?:\(|$))"
        rf"|第[ ]?(?P<a>{NUMBER})[ ]?条(?P<of>(?:[ ]?[のノ][ ]?{NUMBER})*)(?=(?:\([^()\n]{{1,40}}\))?[ ]+"
        rf"(?![ のノ]|第?[ ]?{NUMBER}[ ]?[項号])\S)"
        rf"|(?P<b>[0-9]{{1,2}})(?=[ ]\S)|(?P<c>{_KANJI}{{1,3}})(?P<item_of>(?:[のノ]{_KANJI}{{1,3}})*)(?=[ ]\S))",
        re.MULTILINE,
    ),
)
_READER = Reader(_WORDS)


def extract(text: str) -> list[Citation]:
    """Return the citations of a text in the order of their places."""
    return _READER.read(text)
