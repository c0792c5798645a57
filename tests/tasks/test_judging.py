"""How the hits of a data set are judged: its tasks, its options, and what a signature says of them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import one_data_set
import pytest
from cases import tables
from hit_lists import hits_of as listed
from hit_lists import label_columns
from judged_data import CASES, GOODS, LAMPS, RELEVANT, THEFT, Record, data_set, described, options, refused, write

from benchbench.errors import InputError
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.locate import locate
from benchbench.formats.records import Part
from benchbench.kernels.formulas import ALL, CAPPED, FIXED
from benchbench.kernels.judge_hits import KEPT, SELF
from benchbench.measures.default_list import default_measures
from benchbench.measures.notation import resolve
from benchbench.runs.run_settings import Settings
from benchbench.tables.hashing import id_hash, text_hash
from benchbench.tables.hits import Hits
from benchbench.tasks.criteria import Criteria
from benchbench.tasks.defined import legal_cases
from benchbench.tasks.denominators import Denominators
from benchbench.tasks.in_force import rules_in_force
from benchbench.tasks.judging import Judging, judging_of

JUDGING_TABLES = tables(__file__)

# Tasks


def test_tasks_are_measured_that_a_query_has_what_it_takes_for(shop: DataSet, tmp_path: Path) -> None:
    found = judging_of(Criteria(), shop)
    assert found.tasks == ("brand", "price")
    assert found.lacking == {"brand": 1, "price": 2}
    assert found.judged_tasks == ()
    found = judging_of(Criteria(), replace(shop, queries=Part(write(tmp_path / "few.jsonl", LAMPS[1:]))))
    assert (found.tasks, found.lacking) == (("brand",), {"brand": 1})
    assert found.notes == ("task price is not measured: no query of the data set has what is compared",)


def test_further_tasks_are_measured_with_those_of_the_data_set(shop: DataSet) -> None:
    found = judging_of(options(task=("gold=judgments()", "like=overlap(brand, recall=3)")), shop)
    assert found.tasks == ("brand", "price", "gold", "like")
    assert (found.judged_tasks, found.lacking["gold"]) == (("gold",), 2)
    assert found.rules["tasks"] == (
        "brand=equal(brand),price=within(price, relative=0.2),gold=judgments(),like=overlap(brand, recall=3)"
    )


def test_named_tasks_alone_are_measured_in_the_order_of_the_data_set(cases: DataSet) -> None:
    found = judging_of(options(tasks=("article", "gold")), cases)
    assert found.tasks == ("gold", "article")
    assert found.rules["tasks"] == "gold,article"


def test_a_data_set_without_positives_and_labels_is_refused_and_one_with_labels_has_their_tasks(tmp_path: Path) -> None:
    own = {"query_id": "q3", "query": {"fact": "甲"}, "positives": [{"fact_id": "p", "fact": " 甲"}]}
    nothing = data_set(tmp_path, [{"query_id": "q1", "query": {"fact": "乙"}}, own])
    assert refused(nothing).startswith("no hit can be relevant: no query of the data set has a positive")
    data = data_set(tmp_path, [own, {"query_id": "q2", "query": {"fact": "乙", "meta": {"accusation": ["盗窃"]}}}])
    found = judging_of(Criteria(), data)  # tasks of legal cases are left out in silence
    assert (found.tasks, found.notes) == (("accusation",), ())
    assert refused(data, tasks=("gold",)) == "--tasks gold: no query of the data set has what this task compares"


# Judging


def hits_of(judging: Judging, *lists: list[Record]) -> Hits:
    flat = [hit for one in lists for hit in one]
    hits = listed(
        counts=[len(one) for one in lists],
        ids=[hit["id"] for hit in flat],
        id_hashes=[id_hash(hit["id"]) for hit in flat],
        text_hashes=[text_hash(hit["text"]) for hit in flat],
        score=[0.0] * len(flat),
    )
    hits.labels = label_columns(judging.queries.schema, judging.queries.labels, flat)
    return hits


def test_the_query_is_known_by_text_or_by_id_as_the_options_say(cases: DataSet) -> None:
    for self_by, fate in (("text", KEPT), ("id", SELF)):
        judging = judging_of(options(self_by=self_by), cases)
        assert judging.judge(0, hits_of(judging, [{"id": "q1", "text": "戊"}])).fate.tolist() == [fate]


def test_a_positive_is_known_by_text_or_by_id_as_the_options_say(cases: DataSet) -> None:
    for given, expected in (({}, [False, True]), ({"gold_by": "id"}, [True, False])):
        judging = judging_of(options(**given), cases)
        hits = hits_of(judging, [{"id": "p", "text": "戊"}, {"id": "x", "text": "丙"}])
        assert judging.judge(0, hits).relevant[0].tolist() == expected


def test_queries_by_their_first_or_by_their_numbers_are_judged_with_their_own_positives_and_counts(
    cases: DataSet,
) -> None:
    judging = judging_of(options(recall_denominator="full"), replace(cases, card={"relevant": RELEVANT}))
    one, other = [{"id": "x", "text": "丙", **THEFT}], [{"id": "y", "text": "案3"}, {"id": "z", "text": "丙", **THEFT}]
    whole = judging.judge(0, hits_of(judging, one, other))
    second = judging.judge(1, hits_of(judging, other))
    turned = judging.judge(np.array([1, 0]), hits_of(judging, other, one))
    assert whole.values[1:].tobytes() == second.values.tobytes()
    assert np.ascontiguousarray(turned.values[::-1]).tobytes() == np.ascontiguousarray(whole.values).tobytes()
    assert value(judging, second.values, "gold", "R@10") == [1 / 10]  # the first 10 positives count
    assert value(judging, second.values, "accusation", "R@10") == [1 / 40]
    assert value(judging, whole.values, "gold", "R@3") == [1.0, 1 / 10]
    assert value(judging, whole.values, "imprisonment", "R@3") == [0.0, 1 / 60]


def value(judging: Judging, values: np.ndarray, task: str, name: str) -> list[float]:
    (place,) = judging.criteria.plans.columns[resolve(name)[0]]
    found: list[float] = values[:, judging.tasks.index(task), place].tolist()
    return found


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, 2 / 10),
        ({"recall_denominator": "full", "max_positives": 0}, 2 / 12),
        ({"recall_denominator": "capped"}, 0.2),
    ],
)
def test_recall_of_judgments_divides_as_the_options_say(cases: DataSet, given: Record, expected: float) -> None:
    judging = judging_of(options(tasks=("gold",), **given), cases)
    found = judging.judge(1, hits_of(judging, [{"id": "y", "text": "案3"}, {"id": "z", "text": "案4"}]))
    assert value(judging, found.values, "gold", "R@3") == [expected]


def test_hits_without_labels_are_counted_for_each_task(shop: DataSet) -> None:
    judging = judging_of(Criteria(), shop)
    empty = {"id": "x", "text": "x"}
    found = judging.judge(0, hits_of(judging, [empty, {"id": "y", "text": "y", "brand": "lumen"}], [empty], []))
    assert found.unlabelled.tolist() == [2, 3]
    assert found.relevant.tolist() == [[False, True, False], [False] * 3]
    bare = listed(counts=[1, 0, 0], ids=["x"], id_hashes=[1], text_hashes=[2], score=[0.0])
    assert judging.judge(0, bare).unlabelled.tolist() == [1, 1]


def test_grades_and_gains_are_those_of_the_task_that_is_measured(cases: DataSet) -> None:
    tiers = [{"fact_id": str(tier), "fact": f"案{tier}", "tier": tier} for tier in (1, 5)]
    write(cases.queries.path, [{**CASES[0], "positives": tiers}])
    tasks = ("steep=judgments(max_positives=10, gains='exp')", "few=judgments(max_positives=10, rel=2, gains={5=2})")
    judging = judging_of(options(tasks=("gold", "steep", "few"), task=tasks, measures=["nDCG@2", "P@2"]), cases)
    found = judging.judge(0, hits_of(judging, [{"id": "5", "text": "案5"}, {"id": "1", "text": "案1"}]))
    discount = 1 / np.log2(3)
    ideal: Callable[[float, float], float] = lambda high, low: (low + high * discount) / (high + low * discount)  # noqa: E731
    assert value(judging, found.values, "gold", "nDCG@2") == pytest.approx([ideal(5, 1)])
    assert value(judging, found.values, "steep", "nDCG@2") == pytest.approx([ideal(31, 1)])
    assert value(judging, found.values, "few", "nDCG@2") == pytest.approx([ideal(2, 1)])
    assert [value(judging, found.values, task, "P@2") for task in judging.tasks] == [[1.0], [1.0], [0.5]]


def test_the_grade_of_a_task_is_that_of_measures_which_name_none_and_of_no_other(cases: DataSet) -> None:
    """A measure that names a grade below 1 keeps it, and Judged counts grades from 0 on."""
    tiers = [{"fact_id": str(tier), "fact": f"案{tier}", "tier": tier} for tier in (1, 5)]
    write(cases.queries.path, [{**CASES[0], "positives": tiers}])
    task = "strict=judgments(max_positives=10, rel=4)"
    measures = ["P@2", "P(rel=0.5)@2", "P(rel=5)@2", "Judged@2"]
    judging = judging_of(options(tasks=("strict",), task=(task,), measures=measures), cases)
    found = judging.judge(0, hits_of(judging, [{"id": "5", "text": "案5"}, {"id": "1", "text": "案1"}]))
    assert [value(judging, found.values, "strict", name) for name in measures] == [[0.5], [1.0], [0.5], [1.0]]


# Signatures


@pytest.mark.parametrize(
    ("given", "recall"),
    [
        ({}, "fixed"),
        ({"recall_denominator": "full"}, "full"),
        ({"recall_denominator": "capped"}, "capped"),
        (
            {"task": ("x=equal(meta.imprisonment, recall=5)",)},
            "gold=fixed,accusation=fixed,article=fixed,imprisonment=fixed,x=5",
        ),
        ({"task": ("x=equal(meta.imprisonment, recall=10)",)}, "fixed"),
    ],
)
def test_a_signature_says_what_recall_divides_by(cases: DataSet, given: Record, recall: str) -> None:
    data = replace(cases, card={"relevant": RELEVANT})
    assert judging_of(options(**given), data).rules["recall"] == recall


def test_a_signature_says_how_hits_were_judged(cases: DataSet) -> None:
    found = judging_of(options(measures=["AP"], self_by="id", max_positives=0), cases).rules
    assert (found["tasks"], found["self_by"], found["gold_by"]) == (
        "gold,accusation,article,imprisonment",
        "id",
        "text",
    )
    assert (found["max_positives"], list(map(str, found["measures"]))) == (0, ["AP"])


# Measures that a task does not have and tasks that cannot be are refused, or left out and said

# Measures that are not defined


def test_what_asks_for_judgments_is_measured_for_tasks_that_have_them(cases: DataSet) -> None:
    found = judging_of(options(measures=["bpref", "AP"]), cases)
    (bpref, _) = found.criteria.measures
    assert found.undefined == {(task, bpref) for task in ("accusation", "article", "imprisonment")}
    assert found.notes == (
        "-m bpref: it needs to know which documents were judged; it is not measured for tasks accusation, article "
        "and imprisonment, judged by labels",
    )
    assert [(task, str(one)) for task, one, _ in found.columns()][:3] == [
        ("gold", "bpref"), ("gold", "AP"), ("accusation", "AP"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("measure", "why"),
    [
        ("bpref", "it needs to know which documents were judged"),
        ("Judged@5", "it needs to know which documents were judged"),
        ("infAP", "it needs to know which documents were judged"),
        ("P(judged_only=True)@5", "it needs to know which documents were judged"),
        ("P(rel=2)@5", "it needs grades, which come from judgments"),
    ],
)
def test_a_measure_that_a_named_task_does_not_have_is_refused(
    cases: DataSet, shop: DataSet, measure: str, why: str
) -> None:
    text = resolve(measure)[0]
    assert refused(cases, measures=[measure], tasks=("gold", "article")) == (
        f"-m {text}: {why}, and task article compares labels; --tasks gold measures the others"
    )
    assert refused(replace(shop, card={}), measures=[measure]) == f"-m {text}: {why}, and task brand compares labels"
    assert judging_of(options(measures=[measure], tasks=("gold",)), cases).notes == ()


def test_what_looks_at_subtopics_is_refused(cases: DataSet) -> None:
    assert refused(cases, measures=["alpha_nDCG@5"]) == (
        "-m alpha_nDCG@5: it needs subtopics, which come from judgments, and the judgments of this data set have none"
    )


# Bad input


@pytest.mark.parametrize(("task", "reason"), JUDGING_TABLES["refused"])
def test_a_further_task_that_cannot_be_is_refused(shop: DataSet, task: str, reason: str) -> None:
    assert refused(shop, task=(task,)) == reason


def test_a_named_task_that_no_query_has_what_it_takes_for_is_refused(shop: DataSet) -> None:
    further = ("x=equal(colour)",)
    reason = "x: no query of the data set has what this task compares"
    assert refused(shop, task=further, tasks=("x", "brand")) == f"--tasks {reason}"
    assert judging_of(options(task=further, tasks=("brand",)), shop).tasks == ("brand",)


def test_a_task_named_twice_is_refused(shop: DataSet) -> None:
    assert refused(shop, task=("brand=equal(name)",)).startswith("task brand appears twice in ")
    assert refused(shop, task=("x=equal(name)", "x=equal(brand)")) == (
        "task x appears twice in --task; give one of them another name"
    )


@pytest.mark.parametrize(
    ("value", "shown", "task"),
    [
        ({"name": "lumen"}, '{"name": "lumen"}', "brand"),
        ([["lumen"]], '[["lumen"]]', "brand"),
        ("ten", '"ten"', "price"),
        ([10], "[10]", "price"),
    ],
)
def test_a_label_of_a_query_that_is_an_object_or_of_another_type_is_refused(
    shop: DataSet, tmp_path: Path, value: Any, shown: str, task: str
) -> None:
    bad = {"query_id": "b", "query": {"text": "desk", task: value}}
    data = replace(shop, queries=Part(write(tmp_path / "bad.jsonl", [LAMPS[0], bad])))
    wanted = "a number" if task == "price" else "a text, a number, true or false, or a list of these"
    message = f"line 2: the query's label {task} ({task}) is "
    said = refused(data)
    assert message in said
    assert said.endswith(f"not {wanted}")
    found = judging_of(Criteria(), data, skip_bad_lines=True)
    assert (len(found.queries), found.queries.skipped_lines) == (1, 1)


def test_numbers_that_queries_and_documents_share_by_accident_are_named_as_the_reason(tmp_path: Path) -> None:
    write(tmp_path / "corpus.jsonl", [{"_id": "1", "text": "a cat"}])
    write(tmp_path / "queries.jsonl", [{"_id": "1", "text": "who?"}])
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\t1\t1\n")
    assert refused(locate(tmp_path)) == (
        "no hit can be relevant: all judgments that count are of documents with the id of their query, which is the "
        "query itself where --self is id; --self text keeps them"
    )
    judging_of(Criteria(self_by="text"), locate(tmp_path))


# What recall divides by, by options, tasks, card and collection

SHIPPED = locate("synthetic-cases")


BARE = replace(SHIPPED, collection=None, card={})


SAME = "same=equal(['accusation', 'meta.accusation'])"


def found(data: DataSet, *tasks: str, **options: Any) -> Denominators:
    return judging_of(Criteria(task=tasks, **options), data).denominators


@pytest.mark.parametrize(
    ("asked", "rule", "limit"), [("fixed", FIXED, 10), ("capped", CAPPED, 10), ("full", ALL, 0), (None, FIXED, 10)]
)
def test_the_option_goes_before_what_tasks_say(asked: Any, rule: int, limit: int) -> None:
    divisors = found(SHIPPED, recall_denominator=asked)
    assert (divisors.rule[0], divisors.limit[0], divisors.signed) == (rule, limit, asked or "fixed")
    assert (divisors.rule[1:] == ALL).all()
    most = divisors.relevant[:, 1:].max()
    assert most == 10 if asked != "full" else most > 10


def test_the_card_says_what_the_collection_has() -> None:
    counted = found(replace(SHIPPED, card={}), recall_denominator="full")
    assert found(SHIPPED, recall_denominator="full").relevant.tolist() == counted.relevant.tolist()


def test_a_signature_says_each_task_where_they_differ() -> None:
    said = found(SHIPPED, f"{SAME[:-1]}, recall=7)", SAME.replace("same", "all")).signed
    assert said == "gold=fixed,accusation=fixed,article=fixed,imprisonment=fixed,same=7,all=full"


def test_without_a_collection_a_task_divides_by_10_and_the_signature_says_so() -> None:
    divisors = found(BARE, SAME)
    assert (divisors.signed, set(divisors.relevant[:, -1].tolist())) == ("fixed", {10})
    assert divisors.notes == ("there is no collection to count relevant documents in, so recall of same divides by 10",)


# Relevant documents of each query


def relevant(data: DataSet, **given: Any) -> list[list[int]]:
    return judging_of(options(**given), data).denominators.relevant.tolist()


def test_fixed_is_10_everywhere(cases: DataSet, shop: DataSet) -> None:
    for data in (cases, replace(cases, card={"relevant": RELEVANT})):
        assert relevant(data) == relevant(data, recall_denominator="fixed") == [[10] * 4] * 2
    assert relevant(shop, recall_denominator="fixed") == [[10] * 2] * 3


def test_full_is_the_number_of_relevant_documents_that_the_card_has(cases: DataSet) -> None:
    data = replace(cases, card={"relevant": RELEVANT})
    assert [row[1:] for row in relevant(data, recall_denominator="full")] == [[4, 5, 0], [40, 50, 60]]
    assert [row[1:] for row in relevant(data, recall_denominator="capped")] == [[4, 5, 0], [10, 10, 10]]


def test_without_a_card_the_collection_is_counted(shop: DataSet) -> None:
    for given in ({}, {"recall_denominator": "full"}):
        assert relevant(shop, **given) == [[14, 5], [1, 0], [0, 0]]  # 8 to 12; the query's own text does not count
    assert relevant(shop, recall_denominator="capped") == [[10, 5], [1, 0], [0, 0]]


def test_a_card_that_lacks_a_query_or_a_task_leaves_them_to_the_collection(cases: DataSet, tmp_path: Path) -> None:
    incomplete = replace(cases, card={"relevant": {**RELEVANT, "article": {"q1": 3}}})
    collection = write(tmp_path / "collection.jsonl", [{"text": "丁", **THEFT}])
    found = relevant(replace(incomplete, collection=collection), recall_denominator="full")
    assert [row[1:] for row in found] == [[4, 1, 0], [40, 1, 60]]


def test_the_card_counts_for_the_tasks_that_it_was_made_for_alone(tmp_path: Path) -> None:
    """A task of another meaning may have the name."""
    described = "[tasks.accusation]\nrule = 'overlap'\nlabel = 'meta.accusation'"
    data = data_set(tmp_path, CASES, described, [{"text": "丁", "meta": THEFT}])
    assert relevant(replace(data, card={"relevant": RELEVANT})) == [[1], [1]]


@pytest.mark.parametrize("rule", ["capped", "full"])
@pytest.mark.parametrize(
    ("counts", "task"),
    [
        ({}, "accusation"),
        ({"accusation": RELEVANT["accusation"]}, "article"),
        (RELEVANT | {"imprisonment": {"q1": 3}}, "imprisonment"),
    ],
)
def test_without_counts_and_collection_the_error_says_how_to_get_them(
    cases: DataSet, rule: str, counts: Any, task: str
) -> None:
    assert refused(replace(cases, card={"relevant": counts}), recall_denominator=rule) == (
        f"task {task}: recall needs the number of relevant documents, and without a collection "
        "they cannot be counted: give --collection FILE, or --recall-denominator fixed"
    )


def test_a_task_that_no_query_has_a_label_for_needs_no_counts(tmp_path: Path) -> None:
    data = data_set(tmp_path, [{"query": {"fact": "甲"}, "positives": [{"fact": "乙"}]}])
    assert judging_of(options(recall_denominator="full"), data).tasks == ("gold",)


RECALL = """
[tasks.plain]
rule = "equal"
label = "brand"

[tasks.{word}]
rule = "equal"
label = "brand"
recall = {recall}

[tasks.few]
rule = "equal"
label = "brand"
recall = 3
"""


@pytest.mark.parametrize(("word", "recall", "counts"), [("all", '"collection"', 14), ("most", '"capped"', 10)])
def test_each_task_says_what_its_recall_divides_by(tmp_path: Path, word: str, recall: str, counts: int) -> None:
    data = data_set(tmp_path, LAMPS[:1], RECALL.format(word=word, recall=recall), GOODS)
    found = judging_of(Criteria(), data)
    assert found.denominators.relevant.tolist() == [[14, counts, 3]]
    assert found.rules["recall"] == f"plain=full,{word}={'full' if word == 'all' else 'capped'},few=3"
    assert relevant(data, recall_denominator="capped") == [[10, 10, 10]]
    assert refused(replace(data, collection=None)).startswith(f"task {word}: recall needs the number of relevant")


def test_bad_lines_of_the_collection_are_skipped_and_counted(shop: DataSet) -> None:
    shop.served().path.write_bytes(b'{"text": "x", "brand": "oak"}\n{"text":\n[]\n')
    with pytest.raises(InputError, match=r"collection\.jsonl, line 2"):
        judging_of(Criteria(), shop)
    found = judging_of(Criteria(), shop, skip_bad_lines=True)
    assert found.notes[0] == "2 bad lines of the collection were skipped"
    assert found.denominators.relevant.tolist() == [[0, 0], [1, 0], [0, 0]]


# The options of judging: what can be asked for, and what the tasks of a data set say where nobody does

TABLES = tables(__file__, "criteria")


@pytest.mark.parametrize("cutoffs", [(), (0,), (3, -1)])
def test_a_cutoff_below_1_is_refused(cutoffs: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="a cut-off"):
        Criteria(cutoffs=cutoffs)


def test_a_limit_of_positives_below_0_is_refused_and_0_is_none() -> None:
    with pytest.raises(InputError, match="--max-positives is a whole number from 0 to"):
        Criteria(max_positives=-1)
    assert Criteria(max_positives=0).max_positives == 0


def test_one_task_measure_or_cut_off_may_stand_alone() -> None:
    alone: Any = Criteria("gold", cutoffs=10, task="brand=equal(brand)")
    assert alone == Criteria(("gold",), cutoffs=(10,), task=("brand=equal(brand)",))
    assert Criteria(measures="AP") == Criteria(measures=("AP",))  # type: ignore[arg-type]
    assert Criteria(cutoffs=np.int64(5)) == Criteria(cutoffs=(5,))  # type: ignore[arg-type]


@pytest.mark.parametrize(("options", "reason"), TABLES["refused"])
def test_a_word_that_is_no_option_is_refused_with_those_that_are(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError) as refused:
        Criteria(**options)
    assert str(refused.value).startswith(reason)


# Measures and cut-offs


def test_without_measures_they_are_the_default_ones_at_the_cutoffs() -> None:
    criteria = Criteria(cutoffs=(10, 3, 10))
    assert criteria.cutoffs == (3, 10)
    assert criteria.measures == default_measures((3, 10))
    assert criteria.is_default
    assert not Criteria(measures=resolve("AP")).is_default  # type: ignore[arg-type]


def test_named_measures_have_cutoffs_of_their_own() -> None:
    criteria: Any = Criteria(measures=["nDCG@5", "P.5,20", "nDCG@5", "AP"])
    assert list(map(str, criteria.measures)) == ["nDCG@5", "P@5", "P@20", "AP"]
    assert (criteria.cutoffs, criteria.is_default, criteria.deepest) == ((), False, 20)


def test_the_default_measures_by_name_are_the_default_ones() -> None:
    named = Criteria(cutoffs=(1,), measures=default_measures((3, 5)))
    assert named == Criteria(cutoffs=(3, 5))


def test_options_that_came_of_options_are_the_same() -> None:
    for criteria in (Criteria(cutoffs=(7,)), Criteria(measures=["AP", "nDCG@3"])):  # type: ignore[arg-type]
        assert Criteria(cutoffs=criteria.cutoffs, measures=criteria.measures) == criteria


def test_plans_compute_the_measures_and_nothing_else() -> None:
    criteria = Criteria(measures=["AP", "P(judged_only=True)@3", "microR@5"])  # type: ignore[arg-type]
    assert set(criteria.plans.columns) == set(criteria.measures)
    assert criteria.plans is Criteria(measures=criteria.measures).plans


@pytest.mark.parametrize(
    ("measures", "deepest", "top_k"),
    [
        ((), 10, 20),
        (("nDCG@10",), 10, 20),
        (("nDCG@11",), 11, 31),
        (("P@5", "AP@100"), 100, 120),
        (("AP", "RR"), None, 20),
        (("IPrec@1.0", "SetP"), None, 20),
        (("P@3",), 3, 20),
    ],
)
def test_as_many_hits_are_asked_for_as_the_deepest_cutoff_needs(
    measures: tuple[str, ...], deepest: int | None, top_k: int
) -> None:
    criteria = Criteria(measures=measures)  # type: ignore[arg-type]
    assert (criteria.deepest, criteria.top_k) == (deepest, top_k)
    criteria.check_top_k(top_k)


def test_fewer_hits_than_are_measured_are_refused() -> None:
    criteria = Criteria(measures=["P@30"])  # type: ignore[arg-type]
    criteria.check_top_k(30)
    with pytest.raises(
        InputError, match="--top-k 29 is smaller than the largest cut-off 30: the measures need more hits than would be"
    ):
        criteria.check_top_k(29)
    Criteria(measures=["AP"]).check_top_k(1)  # type: ignore[arg-type]


# Of a data set


def test_legal_cases_say_what_is_not_given(tmp_path: Path) -> None:
    found = Criteria().of(described(tmp_path))
    assert found.tasks == ("gold", "accusation", "article", "imprisonment")
    assert (found.gold_by, found.recall_denominator, found.max_positives) == ("text", "fixed", 10)
    assert (found.self_by, found.cutoffs) == ("text", (3, 5, 10))
    assert found.of(described(tmp_path)) == found


def test_options_go_before_what_tasks_say(tmp_path: Path) -> None:
    given = Criteria(("article", "gold"), gold_by="id", recall_denominator="full", max_positives=0, self_by="id")
    found = given.of(described(tmp_path))
    assert found.tasks == ("gold", "article")  # in the order of the data set
    assert (found.gold_by, found.recall_denominator, found.max_positives) == ("id", "full", 0)
    assert found.self_by == "id"


def test_tasks_of_a_shop_say_their_own_and_positives_stay_where_there_are_no_judgments(
    tmp_path: Path,
) -> None:
    brand = "[tasks.brand]\nlabel = 'meta.brand'\nrule = 'equal'\n"
    gold = "[tasks.gold]\nrule = 'judgments'\nby = 'id'\nmax_positives = 3\n"
    found = Criteria().of(described(tmp_path, brand + gold))
    assert found.tasks == ("brand", "gold")
    assert (found.gold_by, found.recall_denominator, found.max_positives) == ("id", None, 3)
    found = Criteria().of(described(tmp_path, brand))
    assert (found.tasks, found.gold_by, found.max_positives) == (("brand",), "text", 0)


def test_further_tasks_stand_behind_those_of_the_described(tmp_path: Path) -> None:
    criteria = Criteria(("like", "gold"), task="like=overlap(accusation)")  # type: ignore[arg-type]
    data = described(tmp_path)
    assert [task.name for task in criteria.known(data)] == [*(task.name for task in legal_cases()), "like"]
    found = criteria.of(data)
    assert (found.tasks, found.recall_denominator) == (("gold", "like"), None)  # one divides by another number
    fixed = Criteria(task=("like=overlap(accusation, recall=10)",)).of(data)
    assert fixed.recall_denominator == "fixed"


@pytest.mark.parametrize("tasks", [("glod",), ("gold", "g"), ("Gold",)])
def test_a_task_that_the_data_set_does_not_have_is_refused_with_those_it_has(
    tmp_path: Path, tasks: tuple[str, ...]
) -> None:
    with pytest.raises(InputError) as refused:
        Criteria(tasks).of(described(tmp_path))
    assert str(refused.value) == f"--tasks {tasks[-1]!r} is not one of gold, accusation, article, imprisonment"


def test_a_further_task_that_is_none_or_is_there_already_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--task 'x=equals\(brand\)': there is no rule 'equals'; did you mean equal"):
        Criteria(task=("x=equals(brand)",)).of(described(tmp_path))
    with pytest.raises(InputError, match=r"task gold appears twice in the tasks of legal-cases.toml and --task"):
        Criteria(task=("gold=judgments()",)).of(described(tmp_path))


# As they are shown


def test_options_are_shown_under_the_names_that_they_are_given_by(tmp_path: Path) -> None:
    data = described(tmp_path)
    assert Criteria().of(data).options() == {
        "--tasks": ["gold", "accusation", "article", "imprisonment"],
        "-k": [3, 5, 10],
        "--self": "text",
        "--gold": "text",
        "--recall-denominator": "fixed",
        "--max-positives": 10,
    }
    other = Criteria(("brand",), measures=["AP", "nDCG@7"], task=("brand=equal(brand)",)).of(data)  # type: ignore[arg-type]
    assert other.options() == {
        "--tasks": ["brand"],
        "-k": [],
        "--self": "text",
        "--gold": "text",
        "--recall-denominator": None,
        "--max-positives": 10,
        "-m": ["AP", "nDCG@7"],
        "--task": ["brand=equal(brand)"],
    }


def test_what_is_shown_makes_the_same_options(tmp_path: Path) -> None:
    for criteria in (Criteria(), Criteria(measures=["AP"], task=("b=equal(b)",))):  # type: ignore[arg-type]
        found = criteria.of(described(tmp_path))
        assert Criteria(**found.shown()) == found


# What a data set decides is said in one sentence

BY_ID = "a hit is the query itself by its id or its text, and relevant by its id"


@pytest.fixture
def beir(tmp_path: Path) -> DataSet:
    one_data_set.beir(tmp_path / "data")
    return locate(tmp_path / "data")


def note(data: DataSet, criteria: Criteria) -> str:
    settings = Settings(data, url="http://127.0.0.1:1", criteria=criteria)
    return judging_of(settings.criteria, settings.dataset, top_k=settings.top_k).defaults[0]


def test_what_is_taken_by_default_is_named(beir: DataSet) -> None:
    assert note(beir, Criteria()) == (
        "beir data, split test: by default nDCG@10, R@100, AP@100, RR@10; 120 hits per query are requested; recall "
        f"divides by all relevant documents; {BY_ID}"
    )


def test_what_is_asked_for_is_not_called_a_default(beir: DataSet) -> None:
    for criteria, hits in ((Criteria(measures=["nDCG@10"]), 20), (Criteria(cutoffs=50), 70)):
        assert note(beir, criteria) == (
            f"beir data, split test: {hits} hits per query are requested; recall divides by all relevant documents; "
            f"{BY_ID}"
        )
    assert "recall divides by the relevant documents, at most 10; a hit is the query itself by its text, and" in note(
        beir, Criteria(recall_denominator="capped", self_by="text")
    )


def test_fewer_hits_than_the_largest_cutoff_are_refused(beir: DataSet) -> None:
    with pytest.raises(InputError, match="--top-k 50 is smaller than the largest cut-off 100"):
        Settings(beir, url="http://127.0.0.1:1", top_k=50)


def test_measures_at_several_ranks_and_denominators_of_several_tasks_are_put_together(beir: DataSet) -> None:
    labels = Criteria(measures=[f"{name}@{k}" for k in (3, 5, 10) for name in ("P", "R", "Success", "nDCG", "RR")])
    said = rules_in_force(beir, labels, "brand=full,price=10", False, None)
    assert said == (
        "beir data, split test: by default P, R, Success, nDCG, RR at 3, 5, 10; recall divides by all relevant "
        "documents (brand) and 10 (price); a hit is the query itself by its text"
    )


def test_the_other_splits_are_named(beir: DataSet) -> None:
    path = beir.queries.path.parent / "qrels" / "dev.tsv"
    path.write_text("query-id\tcorpus-id\tscore\nq0\td0\t1\n")
    assert note(locate(path.parents[1]), Criteria()).startswith("beir data, split test of dev, test: by default ")


def test_tiered_data_need_no_such_sentence() -> None:
    assert judging_of(Criteria(), locate("synthetic-cases"), top_k=20).notes == ()
