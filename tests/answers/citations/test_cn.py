"""Citations of Chinese statutes."""

import json
import random
import re

import pytest
from answers.citations.cn_sample import ARTICLES, SENTENCES, citations
from answers.citations.samples import agreement

from benchbench.answers.citations.cn import extract


def named(text):
    return [f"{one.source}{'/'.join(one.path)}" for one in extract(text)]


FORMS = {
    "《中华人民共和国刑法》第二百六十四条、第二百六十七条第一款第（三）项": ["刑法264", "刑法267/1/3"],
    "《中华人民共和国刑法》第一百三十三条之一": ["刑法133-1"],
    "刑法第264条": ["刑法264"],
    "《刑法》": ["刑法"],
    "中华人民共和国刑法第264条": ["刑法264"],
    "第一百三十三条之一第一款第（二）项": ["133-1/1/2"],
    "依照《中华人民共和国刑法》第六十七条第一、三款、第七十二条第一款和第七十三条第二款、第三款之规定": [
        *("刑法67/1", "刑法67/3", "刑法72/1", "刑法73/2", "刑法73/3"),
    ],
    "刑法第十四条第一款第（一）、（四）项": ["刑法14/1/1", "刑法14/1/4"],
    "民法典第一千一百六十五条至第一千一百六十七条": ["民法典1165", "民法典1166", "民法典1167"],
    "《中华人民共和国道路交通安全法实施条例》（以下简称《条例》）第四十六条。《条例》第四十七条": [
        *("道路交通安全法实施条例46", "道路交通安全法实施条例47"),
    ],
    "《最高人民法院关于适用〈中华人民共和国民事诉讼法〉的解释》第九十条。该解释第九十一条": [
        "最高人民法院关于适用〈民事诉讼法〉的解释90",
        "最高人民法院关于适用〈民事诉讼法〉的解释91",
    ],
    "《刑法修正案（九）》第五条": ["刑法修正案（九）5"],
    "《中华人民共和国公司法（2018年修正）》第五条": ["公司法5"],
    "民诉法第十五条": ["民事诉讼法15"],
    "民法典第5条。同法第6条，该条第二款": ["民法典5", "民法典6", "民法典6/2"],
    "## 刑法\n### 第二百六十七条\n#### 第二款\n依照前款、本条和本法第二百七十一条": [
        *("刑法", "刑法267", "刑法267/2", "刑法267/1", "刑法267", "刑法271"),
    ],
    "《立案决定书》《租车合同》《关于丁某某的司法会计鉴定意见》": [],
    "犯前款罪的": [],
    "证据第8项被害人辨认笔录": [],
    "本节各该条的规定": [],
    "刑法学": [],
}


@pytest.mark.parametrize("text", FORMS)
def test_each_written_form_has_its_canonical_form(text):
    assert named(text) == FORMS[text]


def test_a_law_and_its_article_have_one_place():
    text = "依照《中华人民共和国刑法》第264条之规定"
    (one,) = extract(text)
    assert text[one.start : one.end] == "《中华人民共和国刑法》第264条"


def test_the_citations_of_the_criminal_code_and_of_judgments_are_found(shared_data):
    folder = shared_data / "cail2018"
    lines = (folder / "criminal-code-articles.jsonl").read_text(encoding="utf-8").splitlines()
    code = {one["_id"]: one["text"] for one in map(json.loads, lines)}
    pairs = []
    for number, expected in ARTICLES.items():
        heading = f"## 刑法\n### 第{number.replace('之', '条之') if '之' in number else number + '条'}\n"
        found = [one for one in extract(heading + code[number]) if one.start >= len(heading)]
        pairs.append((found, citations(expected)))
    facts = [
        json.loads(line)["fact"] for line in (folder / "data_train.json").read_bytes().decode("gb18030").splitlines()
    ]
    citing = re.compile("《|刑法|诉讼法|第[一二三四五六七八九十百〇0-9（]+[）]?[条款项]")
    sentences = [one for fact in facts for one in re.split("[。\n]", fact) if citing.search(one)]
    for sentence, expected in zip(random.Random(6).sample(sentences, 30), SENTENCES, strict=True):
        pairs.append((extract(sentence), citations(expected)))
    precision, recall, differences = agreement(pairs)
    print(f"precision {precision:.3f}, recall {recall:.3f}", *differences, sep="\n")
    assert precision >= 0.97
    assert recall >= 0.97
