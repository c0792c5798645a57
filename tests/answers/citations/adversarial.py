"""Texts made to be slow: read all of them with all grammars, with work that grows as they do."""

from cProfile import Profile

from benchbench.answers.citations.citation import Extract
from benchbench.answers.citations.document_citations import documents
from benchbench.answers.citations.grammars import GRAMMARS

UNITS = (
    *(
        "(a)",
        "section 1(a)(a)(a)(a)(a)(a)(a)(a)",
        "Part ",
        "Part 1 ",
        "Part 1, ",
        "Parts 1 to 99 and ",
        "Rule 3.4.4.4",
        "r. ",
    ),
    *(
        "Act ",
        "The A ",
        "Aa Act 1980 ",
        "of the ",
        "paragraph 1 of Schedule 1 to ",
        "Schedule 1 to Schedule 1 to ",
        "Schedule 1 of ",
        "s 1 of ",
    ),
    *(
        "s 1 of the 1980 Act ",
        "[2024] ",
        "[2024] EWHC 1 (",
        "PD 1, para 1, ",
        "Annex A to ",
        "Aa Act 1980 (“A”), ",
        "s 1 of, and ",
        "FSMA, s 1 ",
        "section 1 (aaa) and ",
        "sections 1 to 3, ",
        "PD 1. Paragraph 1.1 ",
        "TCC Guide. Section 1.1 ",
        "**a** ",
        "[",
        "[a",
        "[a#page=",
        "CPR ",
        "A,",
    ),
    *(
        "第",
        "第一",
        "第1",
        "第一条",
        "第一条の二",
        "第一項",
        "第一、",
        "第一条から",
        "第一条、",
        "の二",
        "（",
        "第一条（",
        "）",
        "一",
        "十",
    ),
    *(
        "法",
        "民法",
        "民法（",
        "民法第",
        "同法",
        "同令、民法第1条、",
        "この法律",
        "前項",
        "前二項",
        "に関する",
        "に関する法律",
        "及び民法に関する法律",
        "方法",
    ),
    *(
        "以下「",
        "以下「法」",
        "昭和二年",
        "昭和二年法律第",
        "## 民法\n",
        "### 第一条\n#### 第二項\n前項",
        "イ又は",
        "第一号イから",
        "令",
        "業",
    ),
    *(
        "契約",
        "就業規則第一条、",
        "第一条　あ\n２　前項\n",
        "号イ(1)",
        "イ(1)又は",
        "(2)、",
        "条の一部を改正する法律",
        "法第1条の",
        "1～3条",
        "1、",
        "・民法",
        "旧",
    ),
    *(
        "《",
        "《刑法》",
        "《刑法》第一条",
        "《刑法》（以下简称《",
        "前款\n",
        "## 刑法\n### 第一条\n前款",
        "中华人民共和国",
        "第（一）、",
        "本法",
    ),
    *(
        "《关于",
        "最高人民法院、",
        "最高人民法院《关于",
        "最高人民法院关于",
        "最高人民法院关于《",
        "以下简称借贷规定）",
        "公司法司法解释（",
        "合同第",
        "合同约定",
        "第一百二十条之一、之",
        "第1-99999条",
        "第一款、二款",
        "第三百四十七××",
        "《刑法》××、",
        "第一条 法\n",
        "办法\n第一条 ",
        "中华人民共和国法\n",
        "“本法",
        "条例第一条",
        "第五百条第二款、三款；",
    ),
)


LONG = 120_000  # characters: work that grew with the square of them would take hours
READERS: tuple[Extract, ...] = (*GRAMMARS.values(), documents)


def calls(extract: Extract, text: str) -> int:
    """Return how many functions were called to read a text, ours and those of the interpreter."""
    profile = Profile()
    profile.runcall(extract, text)
    return sum(one.callcount for one in profile.getstats())


def main() -> None:
    """Check that twice the text takes twice the calls, and read at length what calls little and may still scan much."""
    for unit in UNITS:
        for extract in READERS:
            once, twice = (calls(extract, unit * (size // len(unit))) for size in (1000, 2000))
            assert twice <= 2.3 * once + 100, f"{unit!r} takes {once} and {twice} calls"
            if twice < 500:
                extract(unit * (LONG // len(unit)))


if __name__ == "__main__":
    main()
