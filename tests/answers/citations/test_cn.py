"""Citations of Chinese statutes."""

import json
import random
import re

from answers.citations.samples import check_agreement, chinese, named, table
from cases import check_each, check_rows

from benchbench.answers.citations.cn import extract
from benchbench.answers.citations.cn_laws import ABBREVIATED, INTERPRETED, LAWS, ORDERS


def test_each_listed_law_is_found_in_each_way_in_which_it_is_written():
    def check(law):
        for written in (law, f"《{law}》", f"中华人民共和国{law}", f"《中华人民共和国{law}》（2020年修正）"):
            assert named("cn", f"依照{written}第五条第一款的规定") == [f"{law}5/1"]
            assert named("cn", f"违反{written}的规定") == [law]

    check_each(check, [*LAWS, *ORDERS])


def test_each_short_name_stands_for_its_title():
    def check(short, title):
        whole = title.replace("〈", "〈中华人民共和国")
        assert named("cn", f"依照{short}第五条，《{short}》第六条，《{whole}》第七条") == [
            f"{title}{one}" for one in (5, 6, 7)
        ]

    check_rows(check, [*ABBREVIATED.items(), *((f"{one}司法解释", INTERPRETED[one]) for one in INTERPRETED)])


def test_a_law_and_its_article_have_one_place():
    text = "依照《中华人民共和国刑法》第264条之规定"
    (one,) = extract(text)
    assert text[one.start : one.end] == "《中华人民共和国刑法》第264条"


def test_the_citations_of_the_criminal_code_and_of_judgments_are_found(shared_data):
    folder = shared_data / "cail2018"
    lines = (folder / "criminal-code-articles.jsonl").read_text(encoding="utf-8").splitlines()
    code = {one["_id"]: one["text"] for one in map(json.loads, lines)}
    pairs = []
    sample = table("sampled/cn")
    for number, expected in sample["articles"].items():
        heading = f"## 刑法\n### 第{number.replace('之', '条之') if '之' in number else number + '条'}\n"
        found = [one for one in extract(heading + code[number]) if one.start >= len(heading)]
        pairs.append((found, chinese(expected)))
    facts = [
        json.loads(line)["fact"] for line in (folder / "data_train.json").read_bytes().decode("gb18030").splitlines()
    ]
    citing = re.compile("《|刑法|诉讼法|第[一二三四五六七八九十百〇0-9（]+[）]?[条款项]")
    sentences = [one for fact in facts for one in re.split("[。\n]", fact) if citing.search(one)]
    for sentence, expected in zip(random.Random(6).sample(sentences, 30), sample["sentences"], strict=True):
        pairs.append((extract(sentence), chinese(expected)))
    check_agreement(pairs)
