"""Positives and their tiers are those of the naive twin."""

from typing import Any

import naive
import numpy as np
import pytest
from helpers import called
from hypothesis import given
from hypothesis import strategies as st
from months import MONTHS_THAT_FIT

from benchbench.prepare import tiers
from benchbench.prepare.tiers import TIERS, CaseColumns, Found, find_positives

imprisonment_fits, sentence_tier = called(tiers.imprisonment_fits), called(tiers.sentence_tier)
Case = dict[str, Any]


def case(text: str, accusations: list[str], articles: list[int], **sentence: Any) -> Case:
    return {"fact": text, "accusation": accusations, "relevant_articles": articles, "imprisonment": sentence or None}


def find(cases: list[Case], q: int, limit: int = 10, seed: int = 0) -> Found:
    """Call the kernel with columns made without the package's own hashing and label codes."""
    texts = [naive.text_of(each) for each in cases]
    accusations, accusation_codes = coded([naive.accusations_of(each) for each in cases])
    articles, article_codes = coded([naive.articles_of(each) for each in cases])
    sentences = [naive.sentence_of(each) or (False, False, -1) for each in cases]
    columns = CaseColumns(
        np.array([texts.index(text) + 2 for text in texts], np.uint64),
        np.array(accusation_codes, np.int32),
        np.array(article_codes, np.int32),
        np.array([months for _, _, months in sentences], np.int32),
        np.array([death + 2 * life for death, life, _ in sentences], np.uint8),
        np.array([texts.index(text) == c for c, text in enumerate(texts)]),
    )
    return find_positives(
        columns,
        q,
        np.array([bool(each & (naive.accusations_of(cases[q]) or set())) for each in accusations], np.bool_),
        np.array([bool(each & (naive.articles_of(cases[q]) or set())) for each in articles], np.bool_),
        limit,
        seed,
    )


def coded(sets: list[set[str] | None]) -> tuple[list[set[str]], list[int]]:
    distinct: list[set[str]] = []
    for each in sets:
        if each is not None and each not in distinct:
            distinct.append(each)
    return distinct, [-1 if each is None else distinct.index(each) for each in sets]


def naive_tiers(cases: list[Case], q: int) -> dict[int, int]:
    """Return the tier of every positive there is; of equal texts only the first can be one."""
    texts = [naive.text_of(each) for each in cases]
    first = [c for c, text in enumerate(texts) if texts.index(text) == c]
    return {c: tier for c in first if (tier := naive.tier(cases[q], cases[c])) is not None}


cases_drawn = st.lists(
    st.builds(
        lambda text, accusations, articles, sentence: case(text, accusations, articles, **sentence),
        st.sampled_from(["甲", "甲 ", "乙", "丙", "丁", "戊", "己", "庚", "辛"]),
        st.lists(st.sampled_from(["盗窃", "诈骗", "抢劫"]), max_size=2),
        st.lists(st.sampled_from([264, 266, 263]), max_size=2),
        st.fixed_dictionaries(
            {},
            optional={
                "imprisonment": st.sampled_from([0, 9, 10, 11, 12, 13, 14, 20, 60, 66, 67, 78, 79]),
                "death_penalty": st.sampled_from([False, False, True]),
                "life_imprisonment": st.sampled_from([False, False, True]),
            },
        ),
    ),
    min_size=1,
    max_size=14,
)


@given(cases_drawn, st.integers(1, 6), st.integers(0, 2**31), st.data())
def test_positives_equal_those_of_the_naive_twin(cases: list[Case], limit: int, seed: int, data: st.DataObject) -> None:
    q = data.draw(st.integers(0, len(cases) - 1))
    found, expected = find(cases, q, limit, seed), naive_tiers(cases, q)
    chosen = found.case.tolist()
    assert found.tiers.tolist() == [list(expected.values()).count(tier + 1) for tier in range(TIERS)]
    assert [expected.get(c) for c in chosen] == found.tier.tolist()
    assert found.tier.tolist() == sorted(expected.values())[:limit]
    assert len(set(chosen)) == len(chosen)


@given(cases_drawn, st.data())
def test_counts_of_relevant_cases_equal_those_of_the_naive_twin(cases: list[Case], data: st.DataObject) -> None:
    q = data.draw(st.integers(0, len(cases) - 1))
    assert find(cases, q).relevant.tolist() == list(naive.relevant_in(cases[q], cases).values())


@pytest.mark.parametrize(
    ("months", "other", "tier"),
    [
        (10, 10, 1),
        (10, 11, 2),  # 10 %, bound included
        (10, 9, 2),
        (10, 12, 3),
        (10, 13, 3),  # 30 %, bound included
        (10, 7, 3),
        (10, 14, 0),
        (10, 6, 0),
        (9, 10, 3),  # one month is more than 10 % of nine
        (0, 0, 1),
        (0, 1, 0),
        (-1, -1, 0),
        (10, -1, 0),
        (-1, 10, 0),
    ],
)
def test_percentages_are_of_the_queries_months_bounds_included(months: int, other: int, tier: int) -> None:
    assert sentence_tier(months, 0, other, 0) == tier


@pytest.mark.parametrize(("penalty", "other", "tier"), [(1, 1, 1), (2, 2, 1), (1, 2, 0), (0, 1, 0), (2, 0, 0)])
def test_death_and_life_must_agree_and_two_equal_ones_are_an_equal_sentence(
    penalty: int, other: int, tier: int
) -> None:
    assert sentence_tier(0, penalty, 0, other) == tier


@pytest.mark.parametrize(("months", "other", "fits"), MONTHS_THAT_FIT)
def test_months_fit_up_to_six_or_20_percent_of_the_queries_bounds_included(months: int, other: int, fits: bool) -> None:
    assert imprisonment_fits(months, 0, other, 0) is fits


@given(st.integers(0, 3), st.integers(0, 3), st.integers(0, 400), st.integers(0, 400))
def test_months_of_equal_death_or_life_sentences_do_not_matter(a: int, b: int, months: int, other: int) -> None:
    fits = imprisonment_fits(months, a, other, b)
    assert fits is (a == b and (a != 0 or abs(months - other) <= 6 or 5 * abs(months - other) <= months))


@pytest.mark.parametrize(
    ("accusations", "articles", "months", "tier"),
    [
        (["盗窃", "诈骗"], [264, 266], 60, 1),
        (["诈骗", "盗窃"], [266, 264], 60, 1),  # sets have no order
        (["盗窃", "诈骗"], [264, 266], 66, 2),
        (["盗窃", "诈骗"], [264, 266], 78, 3),
        (["盗窃", "诈骗"], [264], 60, 4),  # also with an equal sentence
        (["盗窃", "诈骗"], [264, 234], 78, 4),
        (["盗窃"], [264, 266], 60, 5),  # equal articles do not make up for the accusations
        (["盗窃", "抢劫"], [264], 78, 5),
        (["盗窃", "诈骗"], [234], 60, None),
        (["抢劫"], [264, 266], 60, None),
        (["盗窃", "诈骗"], [264, 266], 79, None),
        ([], [264, 266], 60, None),
        (["盗窃", "诈骗"], [], 60, None),
    ],
)
def test_the_first_tier_that_fits_counts(
    accusations: list[str], articles: list[int], months: int, tier: int | None
) -> None:
    query = case("甲", ["盗窃", "诈骗"], [264, 266], imprisonment=60)
    found = find([query, case("乙", accusations, articles, imprisonment=months)], 0)
    assert found.tier.tolist() == ([] if tier is None else [tier])


def test_a_case_with_the_queries_text_is_the_query_and_counts_nowhere() -> None:
    cases = [case(text, ["盗窃"], [264], imprisonment=8) for text in ("甲", "甲\r\n", " 甲")]
    found = find(cases, 0)
    assert found.case.size == 0
    assert found.tiers.sum() == 0
    assert found.relevant.tolist() == [0, 0, 0]


def test_of_cases_with_equal_texts_only_the_first_is_a_positive_and_all_are_relevant() -> None:
    cases = [case(text, ["盗窃"], [264], imprisonment=8) for text in ("甲", "乙", "乙 ", "乙")]
    found = find(cases, 0)
    assert found.case.tolist() == [1]
    assert found.relevant.tolist() == [3, 3, 3]


def test_a_query_without_labels_has_no_positives_and_nothing_relevant() -> None:
    found = find([case("甲", [], []), case("乙", [], []), case("丙", ["盗窃"], [264], imprisonment=8)], 0)
    assert found.case.size == 0
    assert found.relevant.tolist() == [0, 0, 0]


def test_every_case_of_a_tier_has_its_chance_and_a_seed_decides() -> None:
    cases = [case(f"案{n}", ["盗窃"], [264], imprisonment=8) for n in range(7)]
    picked = {seed: find(cases, 0, limit=1, seed=seed).case.tolist() for seed in range(100)}
    assert {c for (c,) in picked.values()} == {1, 2, 3, 4, 5, 6}
    assert all(find(cases, 0, limit=1, seed=seed).case.tolist() == case for seed, case in picked.items())
