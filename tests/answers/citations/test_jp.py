"""Citations of Japanese statutes."""

import json

import pytest
from answers.citations.lawqa_sample import expected
from answers.citations.samples import agreement

from benchbench.answers.citations.jp import extract

PRIVACY = "個人情報の保護に関する法律"
MEDICINES = "医薬品、医療機器等の品質、有効性及び安全性の確保等に関する法律"
MONOPOLY = "私的独占の禁止及び公正取引の確保に関する法律"


def named(text):
    return [f"{one.source}{'/'.join(one.path)}" for one in extract(text)]


FORMS = {
    "民法第709条": ["民法709"],
    "民法第七百九条": ["民法709"],
    "民法第七〇九条": ["民法709"],
    "民法七〇九条": ["民法709"],
    "民法第７０９条": ["民法709"],
    "民法709条": ["民法709"],
    "民法 第 709 条": ["民法709"],
    "「民法」第709条": ["民法709"],
    "刑法第二百六十四条": ["刑法264"],
    "刑法第十条": ["刑法10"],
    "民法5条1項2号": ["民法5/1/2"],
    "金融商品取引法第５条第６項第３号": ["金融商品取引法5/6/3"],
    "なお、民法第五条の二第一項": ["民法5-2/1"],
    "この場合における民法第五条": ["民法5"],
    "民法第5条第1号": ["民法5/1/1"],  # an item without a paragraph is in an article of one paragraph
    "民法第5条及び第6条": ["民法5", "民法6"],
    "民法第3条から第5条まで": ["民法3", "民法4", "民法5"],
    "民法第3条ないし第5条": ["民法3", "民法4", "民法5"],
    "民法第5条の2から第5条の4まで": ["民法5-2", "民法5-3", "民法5-4"],
    "民法第5条第一項又は第二項": ["民法5/1", "民法5/2"],
    "民法第5条第1項第2号及び第3号": ["民法5/1/2", "民法5/1/3"],
    "金商法第二条第二十一項第一号から第三号まで及び第二十二項第一号、第四十一条の四": [
        *("金融商品取引法2/21/1", "金融商品取引法2/21/2", "金融商品取引法2/21/3"),
        *("金融商品取引法2/22/1", "金融商品取引法41-4"),
    ],
    "会社法第4条第一項本文、第二項ただし書き若しくは第三項前段": [
        "会社法4/1/本文",
        "会社法4/2/ただし書",
        "会社法4/3/前段",
    ],
    "会社法第2条第3号イ又はハ": ["会社法2/1/3/イ", "会社法2/1/3/ハ"],
    "会社法第2条第3号イからハまで": ["会社法2/1/3/イ", "会社法2/1/3/ロ", "会社法2/1/3/ハ"],
    "会社法第2条第3号ロ(2)": ["会社法2/1/3/ロ/2"],
    "会社法第2条第1項（第2号に限る。）及び第3項": ["会社法2/1", "会社法2/1/2", "会社法2/3"],
    "地方自治法附則第3条": ["地方自治法附則3"],
    "医療法（昭和二十三年法律第二百五号）第三条第二項。同条第一項": ["医療法3/2", "医療法3/1"],
    "金商法施行令第2条の12": ["金融商品取引法施行令2-12"],
    "会社法施行規則第100条": ["会社法施行規則100"],
    "薬機法第2条。同法第3条第1項。同項第2号": [f"{MEDICINES}2", f"{MEDICINES}3/1", f"{MEDICINES}3/1/2"],
    "個人情報保護法第23条": [f"{PRIVACY}23"],
    f"{PRIVACY}（平成十五年法律第五十七号。以下「法」という。）第23条。法第24条ただし書": [
        *(f"{PRIVACY}23", f"{PRIVACY}24/ただし書"),
    ],
    f"民法及び{MONOPOLY}第2条": ["民法", f"{MONOPOLY}2"],
    "電子消費者契約に関する民法の特例に関する法律第3条": ["電子消費者契約に関する民法の特例に関する法律3"],
    "事業者は特定複合観光施設区域の整備の推進に関する法律第2条により": [
        "特定複合観光施設区域の整備の推進に関する法律2"
    ],
    "民法が適用される。消費者契約法違反である": ["民法", "消費者契約法"],
    "定義府令第16条第1項第7号の2": ["金融商品取引法第二条に規定する定義に関する内閣府令16/1/7-2"],
    "金融分野ガイドライン第９条": ["金融分野ガイドライン9"],
    "第709条": ["709"],  # of no law: the source is empty
    "同条第2項、前項": [],
    "この方法は違法である。法人、法令上、政令で定める規則": [],
    "令和五年内閣府令第四十二号、別表第一": [],
    "第三者、第二章第一節、三条通り": [],
    "## 金融商品取引法\n### 第5条の2\n#### 第6項\n前条、前二項、次項、この条、この法律、同条第一項": [
        *("金融商品取引法", "金融商品取引法5-2", "金融商品取引法5-2/6", "金融商品取引法5", "金融商品取引法5-2/4"),
        *("金融商品取引法5-2/5", "金融商品取引法5-2/7", "金融商品取引法5-2", "金融商品取引法", "金融商品取引法5-2/1"),
    ],
    "## 民法施行令\n## あるQ&A\n会社法上の合併は、法第4条と令第2条による": [
        *("民法施行令", "会社法", "民法4", "民法施行令2"),
    ],
    "組合契約又は有限責任事業組合契約に関する法律第3条": ["有限責任事業組合契約に関する法律3"],
    "## 金融商品取引法施行令\n### 第2条\n法第4条第1項第1号": [
        *("金融商品取引法施行令", "金融商品取引法施行令2", "金融商品取引法4/1/1"),
    ],
}


@pytest.mark.parametrize("text", FORMS)
def test_each_written_form_has_its_canonical_form(text):
    assert named(text) == FORMS[text]


def test_the_place_of_a_range_is_the_whole_range():
    text = "なお、民法第3条から第5条までの規定"
    assert {text[one.start : one.end] for one in extract(text)} == {"民法第3条から第5条まで"}


def test_a_heading_of_another_law_ends_the_context_of_the_first():
    text = "## 民法\n### 第5条\n#### 第2項\n前項\n## あるガイドライン\n### Q1\n前項\n"
    assert named(text) == ["民法", "民法5", "民法5/2", "民法5/1"]


def test_the_citations_of_sixty_rows_are_found(shared_data):
    rows = json.loads((shared_data / "lawqa-jp" / "selection.json").read_text(encoding="utf-8"))["samples"]
    pairs = []
    for (field, number), citations in expected().items():
        row = rows[number]
        text = row["コンテキスト"] if field == "c" else row["問題文"] + "\n" + row["選択肢"]
        pairs.append((extract(text), citations))
    precision, recall, differences = agreement(pairs)
    print(f"precision {precision:.3f}, recall {recall:.3f}", *differences, sep="\n")
    assert precision >= 0.97
    assert recall >= 0.97


def test_every_row_is_read_and_every_question_that_names_a_law_gives_a_citation(shared_data):
    rows = json.loads((shared_data / "lawqa-jp" / "selection.json").read_text(encoding="utf-8"))["samples"]
    assert len(rows) == 140
    for row in rows:
        for field in ("コンテキスト", "問題文", "選択肢"):
            citations = extract(row[field])
            assert all(0 <= one.start < one.end <= len(row[field]) for one in citations)
            assert citations or "法第" not in row[field]
