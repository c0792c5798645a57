"""Measures as text: the round trip, every alias, every error."""

import re

import pytest
from cases import check_each, check_rows
from hypothesis import example, given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.measures.catalog import CATALOG, LARGEST, Definition, Param
from benchbench.measures.notation import Measure, parse

RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
GRADES = st.integers(1, 20) | st.floats(0.001, 20)


def texts(text: str) -> list[str]:
    return [str(measure) for measure in parse(text)]


def number(param: Param) -> st.SearchStrategy[int | float]:
    if param.type == "integer":
        return st.integers(int(param.low), int(param.high))
    if param.type == "grade":
        return GRADES
    return st.floats(param.low, param.high, exclude_min=param.open, exclude_max=param.open)


def spelled(param: Param) -> st.SearchStrategy[str]:
    """Return texts of right values, in any spelling that a person may choose."""
    if param.type == "flag":
        return st.sampled_from(["True", "False"])
    if param.type != "gains":
        return number(param).map(repr)
    pairs = st.dictionaries(GRADES, GRADES, min_size=1, max_size=4).map(
        lambda gains: "{" + " , ".join(f"{grade} :{gain}" for grade, gain in gains.items()) + "}"
    )
    return pairs | st.sampled_from(["'exp'", '"exp"', "'linear'"])


@st.composite
def written(draw: st.DrawFn) -> str:
    """Draw a right text: a name or alias in any case, some parameters in any order, a cut-off where it may be."""
    row = draw(st.sampled_from(list(CATALOG.values())))
    name = draw(st.sampled_from([row.name, row.name.lower(), row.name.upper(), *row.aliases]))
    chosen = draw(st.lists(st.sampled_from(row.params), unique=True)) if row.params else []
    kept = [param for param in chosen if param.excludes not in {other.name for other in chosen}]
    params = ",".join(f"{param.name}={draw(spelled(param))}" for param in kept)
    return name + (f"({params})" if params else "") + draw(cutoff(row, name))


def cutoff(row: Definition, name: str) -> st.SearchStrategy[str]:
    if row.cutoff == "none":
        return st.just("")
    some = st.floats(0, 1) if row.cutoff_type == "recall" else st.integers(1, LARGEST)
    marked = some.map(lambda value: f"@{value}")
    return marked | st.just("") if row.cutoff == "optional" and not name.endswith("_cut") else marked


@given(written())
def test_what_is_parsed_and_printed_parses_to_the_same_value(text: str):
    (measure,) = parse(text)
    (again,) = parse(str(measure))
    assert again == measure
    assert hash(again) == hash(measure)
    assert str(again) == str(measure)
    assert [name for name, _ in measure.params] == sorted(name for name, _ in measure.params)


def outcome(text: str) -> list[Measure] | str:
    """Return what a text gives; any exception but an `InputError` fails the test that asks."""
    try:
        return parse(text)
    except InputError as error:
        return str(error)


@given(st.text() | st.text(alphabet="Pndcg_RBPrelgainsp().,@={}:'0123456789 e-+", max_size=30))
@example("P(rel=" + "9" * 190 + ")@5")
@example("P@" + "9" * 5000)
@example("P(rel=1e999)@5")
@example("\x00(\x00=\x00)@\x00")
@example("\ud800@5")
@example("P(rel=٣)@٣")
@example("nDCG(gains={{1:1}})@5")
@example("nDCG(gains={1:1}})@5")
@example("P(rel=\n)@5")
@example("P." + "1," * 99 + "1")
@example("0" * 199 + "x")
def test_any_text_gives_measures_or_an_input_error_of_one_line(text: str):
    given_back = outcome(text)
    assert given_back
    assert isinstance(given_back, list) or "\n" not in given_back


def test_the_notation_of_ir_measures_prints_as_it_was_written():
    def check(text: str) -> None:
        assert texts(text) == [text]

    check_each(
        check,
        [
            "P(rel=2)@5",
            "nDCG@10",
            "nDCG",
            "nDCG(gains='exp')@10",
            "nDCG(gains={1:1,2:3})@10",
            "R(cap=10)@10",
            "R(denominator=10)@10",
            "R(cap=10,rel=2)@10",
            "RBP",
            "RBP(p=0.5)",
            "RBP(p=0.5,rel=2)@10",
            "IPrec@0.1",
            "SetF(beta=0.5)",
            "P(rel=1.5)@5",
            "AP@100",
            "RR",
            "RR@10",
            "F1@10",
            "bpref",
            "infAP",
            "Rprec(rel=2)",
            "Judged@10",
            "ERR@20",
            "microF1(denominator=10)@10",
            "SetP",
            "SetR",
            "NumQ",
            "NumRet",
            "NumRel(rel=2)",
            "NumRelRet",
        ],
    )


ALIASES = {
    "P@5": "P_5 P.5 precision@5 Precision@5 precision_at_5 p@5 P()@5 P(rel=1)@5",
    "P(rel=2)@5": "P_5(rel=2) P(rel=2.0)@5",
    "P@5 P@10": "P.5,10 P_5,10 P.5,10,5",
    "R@10": "recall_10 recall.10 recall@10 recall_at_10 Recall@10",
    "Success@5": "success_5 hit_rate@5 HitRate@5 hit-rate@5 hit_rate_at_5",
    "F1@10": "f1@10 F1@10 f1_at_10",
    "RR": "recip_rank mrr MRR",
    "RR@10": "mrr@10 MRR@10 mrr_at_10",
    "AP": "map MAP",
    "AP@10": "map_cut_10 map_cut.10 map@10 MAP@10 map_at_10",
    "nDCG": "ndcg NDCG nDCG(gains='linear')",
    "nDCG@10": "ndcg_cut_10 ndcg@10 ndcg_at_10 NDCG@10 nDCG(dcg='log2')@10",
    "nDCG@10 nDCG@20": "ndcg_cut.10,20",
    "nDCG(gains='exp')@10": "nDCG(dcg='exp-log2')@10 nDCG(gains=\"exp\")@10",
    "nDCG(gains={1:1,2:3})@10": "nDCG(gains={2:3.0,1:1})@10",
    "Rprec": "r-precision RPrec rprec",
    "bpref": "Bpref BPref bpref",
    "infAP": "infAP infap",
    "IPrec@0.0": "IPrec@0 iprec_at_recall_0.00",
    "IPrec@0.1": "iprec_at_recall_0.10 iprec_at_recall..1",
    "IPrec@0.0 IPrec@0.1 IPrec@1.0": "iprec_at_recall.0,.1,1",
    "RBP": "rbp rbp.8 rbp.80",
    "RBP(p=0.95)": "rbp.95 rbp_0.95",
    "RBP@95": "rbp@95 rbp_at_95",
    "RBP(p=0.5,rel=2)": "RBP(rel=2,p=0.5) rbp.5(rel=2)",
    "SetP": "set_P",
    "SetR": "set_recall",
    "SetF": "set_F set_F.1 SetF(beta=1)",
    "SetF(beta=0.5)": "set_F.0.5 set_F_0.5",
    "SetF(beta=2.0)": "set_F.2 SetF(beta=2)",
    "NumRet": "num_ret",
    "NumRel": "num_rel",
    "NumRelRet": "num_rel_ret NumRet(rel=1)",
    "NumRelRet(rel=2)": "NumRet(rel=2)",
    "NumQ": "num_q",
}


def test_a_measure_has_one_text_whatever_it_was_written_as():
    def check(text: str, expected: str) -> None:
        assert texts(text) == expected.split()

    check_rows(check, [(text, want) for want, row in ALIASES.items() for text in row.split()])


def test_blanks_mean_nothing():
    assert parse("  P ( rel = 2 ) @ 5 ") == parse("P(rel=2)@5")


@pytest.mark.parametrize(
    ("family", "expected"),
    [
        ("P", [f"P@{k}" for k in RANKS]),
        ("recall", [f"R@{k}" for k in RANKS]),
        ("ndcg_cut", [f"nDCG@{k}" for k in RANKS]),
        ("NDCG-Cut", [f"nDCG@{k}" for k in RANKS]),
        ("map_cut", [f"AP@{k}" for k in RANKS]),
        ("success", ["Success@1", "Success@5", "Success@10"]),
        ("iprec_at_recall", [f"IPrec@{level / 10}" for level in range(11)]),
    ],
)
def test_a_family_of_trec_eval_alone_stands_for_its_default_cutoffs(family: str, expected: list[str]):
    assert texts(family) == expected


def test_a_measure_is_a_frozen_hashable_value():
    (measure,) = parse("nDCG(gains={2:3,1:1})@10")
    assert measure == Measure("nDCG", (("gains", ((1, 1), (2, 3))),), 10)
    assert measure in {measure}
    with pytest.raises(AttributeError):
        measure.cutoff = 5  # type: ignore[misc]


def test_an_error_says_what_is_wrong_and_what_is_right():
    def check(text: str, sentence: str) -> None:
        with pytest.raises(InputError, match=re.escape(sentence)) as caught:
            parse(text)
        assert str(caught.value).startswith("measure ")

    check_rows(
        check,
        [
            # names
            ("ngcd@10", "there is no measure 'ngcd'; did you mean nDCG"),
            ("hitrat@5", "Success (hitrate)"),
            ("ndgc_cut_10", "there is no measure 'ndgc_cut'; did you mean nDCG (ndcg_cut)"),
            ("zzz", "there is no measure 'zzz'; there are P, R, Success"),
            # cut-offs
            ("P@0", "the cut-off of P is a whole number from 1 to 1000000000, not '0'; write P@10"),
            ("P@-5", "not '-5'"),
            ("P@5.5", "not '5.5'"),
            ("P@1e3", "not '1e3'"),
            ("P@", "not ''"),
            ("P@10000000000", "not '10000000000'"),
            ("P@5,10", "not '5,10'"),
            ("R", "R needs a cut-off, as in R@10"),
            ("Recall", "R needs a cut-off, as in R@10"),
            ("Success", "Success needs a cut-off, as in Success@10"),
            ("P(rel=2)", "P needs a cut-off, as in P@10"),
            ("ndcg_cut(gains='exp')", "ndcg_cut needs a cut-off, as in ndcg_cut@10"),
            ("IPrec", "IPrec needs a cut-off, as in IPrec@0.1"),
            ("IPrec@1.5", "the cut-off of IPrec is a number from 0 to 1, not '1.5'; write IPrec@0.1"),
            ("Rprec@5", "Rprec takes no cut-off; write Rprec"),
            ("bpref_10", "bpref takes no cut-off; write bpref"),
            ("P_5@10", "the cut-off stands twice; write it once, as in P@5 or P_5"),
            # parameters
            ("P(foo=1)@5", "P has no parameter 'foo'; it takes rel, judged_only, as in P(rel=2)@10"),
            ("nDCG(rel=2)@5", "nDCG has no parameter 'rel'; it takes gains, judged_only, as in nDCG(gains='exp')@10"),
            ("ERR(rel=2)@5", "ERR has no parameter 'rel'; it takes none, as in ERR@10"),
            ("P(dcg='log2')@5", "P has no parameter 'dcg'"),
            ("P(rel=0)@5", "rel is a number above 0 and below 1000000000, not '0'; write, for example, P(rel=2)@10"),
            ("P(rel=-1)@5", "not '-1'"),
            ("P(rel=True)@5", "not 'True'"),
            ("P(rel='2')@5", "rel is a number"),
            ("P(rel=[2])@5", "rel is a number"),
            ("P(rel=1e999)@5", "rel is a number"),
            ("RBP(p=1)", "p is a number above 0 and below 1, not '1'; write, for example, RBP(p=0.5)@10"),
            ("rbp.0", "p is a number above 0 and below 1"),
            ("SetF(beta=0)", "beta is a number above 0"),
            ("R(cap=2.5)@5", "cap is a whole number from 1 to 1000000000, not '2.5'; write, for example, R(cap=10)@10"),
            ("R(denominator=0)@5", "denominator is a whole number"),
            ("R(cap=10,denominator=10)@5", "cap and denominator exclude each other; write one, as in R(cap=10)@10"),
            ("ERR_IA(judged_only=1)@5", "judged_only is True or False, not '1'; write, for example, ERR_IA("),
            ("nDCG(gains='log')@5", "gains is 'linear', 'exp' or a map"),
            ("nDCG(gains=2)@5", "gains is 'linear', 'exp' or a map"),
            ("nDCG(gains={})@5", "gains is 'linear', 'exp' or a map"),
            ("nDCG(gains={1:1,1.0:2})@5", "gains is 'linear', 'exp' or a map of each grade once"),
            ("nDCG(gains={1:-1})@5", "a gain from 0"),
            ("nDCG(gains={'a':1})@5", "gains is 'linear', 'exp' or a map"),
            ("nDCG(dcg='log')@5", "dcg is 'log2' or 'exp-log2'"),
            ("nDCG(dcg='log2',gains='exp')@5", "without gains"),
            ("P(rel=1,rel=2)@5", "'rel' stands twice; write it once, as in P(rel=2)@10"),
            ("rbp.95(p=0.5)", "p stands twice"),
            # syntax
            ("P(2)@5", "parameters are written name=value, as in P(rel=2)@10"),
            ("P(rel=)@5", "parameters are written name=value"),
            ("P(rel=2,)@5", "parameters are written name=value"),
            ("", "a measure is written Name(parameter=value)@cut-off, as in nDCG@10 or P(rel=2)@5"),
            ("@5", "a measure is written"),
            ("P(rel=2@5", "a measure is written"),
            ("P@5@10", "a measure is written"),
            ("P@5(rel=2)", "a measure is written"),
            ("P@" + "1" * 200, "a measure is written"),
        ],
    )


@pytest.mark.parametrize(
    "text", ["P(foo=1)@5", "R(cap=0)@5", "IPrec", "Rprec@3", "ERR(x=1)@2", "nDCG(gains=1)", "RBP(p=2)"]
)
def test_the_example_in_an_error_is_right(text: str):
    with pytest.raises(InputError) as caught:
        parse(text)
    assert parse(str(caught.value).split()[-1])
