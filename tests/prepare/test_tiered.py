"""A tiered data set from a stream of cases: what its three files hold, and when nothing is written."""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import legal_labels
import naive
import orjson
import pytest
import xxhash
from cases import tables
from helpers import called
from hypothesis import example, given
from hypothesis import strategies as st
from months import MONTHS_THAT_FIT

from benchbench.errors import InputError
from benchbench.formats.collection import read_collection
from benchbench.formats.datasets.locate import locate
from benchbench.formats.tiered import read_tiered
from benchbench.prepare import tiers
from benchbench.prepare.cases import Case
from benchbench.prepare.chunks import Cut, write_chunks
from benchbench.prepare.files import Digested, together
from benchbench.prepare.synthetic import generate
from benchbench.prepare.tiered import Choice, write_tiered
from benchbench.tasks.criteria import Criteria
from benchbench.tasks.defined import tasks_of
from benchbench.tasks.judging import judging_of

TABLES = tables(__file__)

FILES = ["collection.jsonl", "tiered.card.json", "tiered.jsonl"]


ABOUT = {"about": "cases of a test", "source": {"file": "cases.json"}}


SHORT = Choice(min_length=1)


Record = dict[str, Any]


class Written(NamedTuple):
    """The three files, parsed."""

    collection: list[Record]
    queries: list[Record]
    card: Record


def write(cases: Iterable[Case], out: Path, choice: Choice = SHORT) -> Written:
    card = write_tiered(cases, out, choice, lambda: ABOUT)
    collection, queries = (
        [orjson.loads(line) for line in (out / name).read_bytes().splitlines()]
        for name in ("collection.jsonl", "tiered.jsonl")
    )
    assert orjson.loads((out / "tiered.card.json").read_bytes()) == card
    return Written(collection, queries, card)


def case(number: int, **members: Any) -> Case:
    return Case(f"c{number}", f"案{number}", ("盗窃",), ("264",), 8, False, False)._replace(**members)


def record(case: Case) -> Record:
    """Return a case as the naive twin takes it; without a sentence where its months are negative."""
    sentence = {"imprisonment": case.months, "death_penalty": case.death, "life_imprisonment": case.life}
    return {
        "id": case.id,
        "fact": case.text,
        "accusation": list(case.accusations),
        "relevant_articles": list(case.articles),
        "imprisonment": sentence if case.months >= 0 else None,
    }


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


texts = st.sampled_from(["甲案", "甲案\r\n", "乙案", "丙案", "丁案", "e\u0301", "\u00e9", "戊", "己案", "庚案", "辛案"])


flags = st.sampled_from([(False, False)] * 4 + [(True, False), (False, True)])


drawn = st.lists(
    st.builds(
        lambda text, accusations, articles, months, flags: Case(
            "", text, tuple(accusations), tuple(articles), 0 if any(flags) else months, *flags
        ),
        texts,
        st.lists(st.sampled_from(["盗窃", "诈骗", "抢劫"]), max_size=2, unique=True),
        st.lists(st.sampled_from(["264", "266", "263"]), max_size=2, unique=True),
        st.sampled_from([-1, 0, 8, 9, 10, 11, 12, 13, 14, 20, 60, 66, 67, 78, 79]),
        flags,
    ),
    min_size=1,
    max_size=16,
).map(lambda cases: [case._replace(id=f"c{number}") for number, case in enumerate(cases, 1)])


def check(written: Written, cases: list[Case], choice: Choice) -> None:
    """Compare everything written with the naive twins."""
    records = {case.id: record(case) for case in cases}
    assert [each["_id"] for each in written.collection] == list(records)
    assert [each["text"] for each in written.collection] == [case.text for case in cases]
    query_texts = [naive.text_of(each["query"]) for each in written.queries]
    assert len(set(query_texts)) == len(query_texts) <= choice.queries

    first_of = {}
    for identity, each in records.items():
        first_of.setdefault(naive.text_of(each), identity)
    tiers_written: Counter[int] = Counter()
    tiers_there: Counter[int] = Counter()
    for line in written.queries:
        asked, positives = records[line["query_id"]], line["positives"]
        assert line["query"]["fact"] == asked["fact"]
        assert len(naive.text_of(asked) or "") >= choice.min_length
        assert naive.accusations_of(line["query"]) == naive.accusations_of(asked) is not None
        assert naive.sentence_of(line["query"]) == naive.sentence_of(asked)
        there = {
            identity: tier
            for identity in first_of.values()
            if (tier := naive.tier(asked, records[identity])) is not None
        }
        tiers_there.update(there.values())
        tiers_written.update(positive["tier"] for positive in positives)
        chosen = {positive["fact_id"]: positive["tier"] for positive in positives}
        assert chosen.items() <= there.items()
        assert [positive["tier"] for positive in positives] == sorted(there.values())[: choice.positives]
        assert choice.min_positives <= len(positives) == line["positives_count"] == len(chosen)
        equal = {naive.text_of(asked), *map(naive.text_of, positives)}
        assert len(equal) == 1 + len(positives), "no positive has the text of the query or of another positive"
        for positive in positives:
            for read in (naive.text_of, naive.accusations_of, naive.articles_of, naive.sentence_of):
                assert read(positive) == read(records[positive["fact_id"]])
        relevant = {task: counts[line["query_id"]] for task, counts in written.card["relevant"].items()}
        assert relevant == naive.relevant_in(asked, records.values())

    card = written.card
    assert card["tiers"] == {
        str(tier): {"written": tiers_written[tier], "in_collection": tiers_there[tier]} for tier in (1, 2, 3, 4, 5)
    }
    assert card["distinct_texts"] == len(first_of)
    assert card["collection"]["documents"] == len(cases)
    assert card["queries"]["count"] == len(written.queries)
    assert card["labels"]["accusation"] == Counter(itertools.chain(*(set(each.accusations) for each in cases)))
    assert card["labels"]["article"] == Counter(itertools.chain(*(set(each.articles) for each in cases)))
    assert card["labels"]["imprisonment"] == Counter(map(sentence_name, cases))


def sentence_name(case: Case) -> str:
    if case.death:
        return "death"
    return "life" if case.life else "none" if case.months < 0 else str(case.months)


@example([case(n, articles=(), months=n // 2 - 1) for n in range(4)], 4, 1, 0, 1)  # nothing to be equal in
@given(drawn, st.integers(1, 5), st.integers(1, 4), st.integers(0, 2), st.integers(0, 2**31))
def test_all_files_agree_with_the_naive_twins(
    tmp_path_factory: pytest.TempPathFactory,
    cases: list[Case],
    queries: int,
    positives: int,
    min_positives: int,
    seed: int,
) -> None:
    out = tmp_path_factory.mktemp("drawn")
    choice = Choice(queries, positives, min_positives, min_length=2, seed=seed)
    firsts = {naive.text_of(record(one)): record(one) for one in reversed(cases)}
    possible = [
        asked
        for text, asked in firsts.items()
        if asked["accusation"]
        and text
        and len(text) >= 2
        and sum(naive.tier(asked, other) is not None for other in firsts.values()) >= min_positives
    ]
    if min(positives, len(possible)) == 0 or positives < min_positives:
        with pytest.raises(InputError, match="can be a query"):
            write(cases, out, choice)
        assert names(out) == []
    else:
        written = write(cases, out, choice)
        assert len(written.queries) == min(queries, len(possible))
        check(written, cases, choice)


@pytest.mark.slow  # a twin over a larger data set
def test_a_larger_data_set_agrees_with_the_naive_twins(tmp_path: Path) -> None:
    cases, choice = list(generate(300, 5)), Choice(queries=40, positives=6, min_length=80, seed=9)
    check(write(cases, tmp_path, choice), cases, choice)


def test_the_same_input_options_and_seed_give_equal_bytes(tmp_path: Path) -> None:
    choice = Choice(queries=20, min_length=80)
    for name in ("one", "two"):
        write(generate(200, 1), tmp_path / name, choice)
    for name in FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_another_seed_chooses_other_queries(tmp_path: Path) -> None:
    asked = [
        {line["query_id"] for line in write(generate(200, 1), tmp_path / str(seed), Choice(20, seed=seed)).queries}
        for seed in range(3)
    ]
    assert asked[0] != asked[1] != asked[2] != asked[0]


def test_rare_accusations_appear_as_soon_as_frequent_ones(tmp_path: Path) -> None:
    """Of three queries among 200 thefts, two frauds and two robberies, each accusation has one."""
    cases = [case(n) for n in range(200)]
    cases += [case(n, accusations=("诈骗",), articles=("266",)) for n in (200, 201)]
    cases += [case(n, accusations=("抢劫",), articles=("263",)) for n in (202, 203)]
    for seed in range(5):
        asked = write(cases, tmp_path / str(seed), Choice(queries=3, min_length=1, seed=seed)).queries
        assert {line["query"]["meta"]["accusation"][0] for line in asked} == {"盗窃", "诈骗", "抢劫"}
    asked = write(cases, tmp_path, Choice(queries=10, min_length=1)).queries
    assert Counter(line["query"]["meta"]["accusation"][0] for line in asked) == {"盗窃": 6, "诈骗": 2, "抢劫": 2}


def test_an_accusation_that_never_stands_first_appears_as_well(tmp_path: Path) -> None:
    cases = [case(n) for n in range(200)]
    cases += [case(n, accusations=("盗窃", "脱逃"), articles=("264", "316")) for n in (200, 201)]
    asked = write(cases, tmp_path, Choice(queries=4, min_length=1)).queries
    assert "脱逃" in {name for line in asked for name in line["query"]["meta"]["accusation"]}


def test_a_query_has_the_length_asked_for_without_outer_white_space(tmp_path: Path) -> None:
    cases = [case(1, text="案" * 100), case(2, text="件" * 99 + " \r\n"), case(3, text=" " * 100 + "短")]
    assert [line["query_id"] for line in write(cases, tmp_path, Choice()).queries] == ["c1"]


def test_a_query_has_an_accusation_that_says_something(tmp_path: Path) -> None:
    cases = [case(1), case(2), case(3, accusations=()), case(4, accusations=("",)), case(5, accusations=("[]",))]
    asked = write(cases, tmp_path, Choice(min_positives=0, min_length=1)).queries
    assert {line["query_id"] for line in asked} == {"c1", "c2"}


def test_a_copy_of_a_case_is_neither_a_second_query_nor_a_positive(tmp_path: Path) -> None:
    cases = [case(1), case(2), case(3, text="案1\r\n"), case(4, text=" 案2")]
    written = write(cases, tmp_path)
    found = {line["query_id"]: [positive["fact_id"] for positive in line["positives"]] for line in written.queries}
    assert found == {"c1": ["c2"], "c2": ["c1"]}
    assert written.card["relevant"]["accusation"] == {"c1": 2, "c2": 2}  # the other one and its copy


def test_a_label_that_a_case_repeats_is_counted_once(tmp_path: Path) -> None:
    cases = [case(1, accusations=("盗窃", "盗窃")), case(2, articles=("264", "264"))]
    labels = write(cases, tmp_path).card["labels"]
    assert (labels["accusation"], labels["article"]) == ({"盗窃": 2}, {"264": 2})


def test_the_card_tells_source_options_and_digests(tmp_path: Path) -> None:
    choice = Choice(queries=2, positives=3, min_positives=1, min_length=1, seed=4)
    card = write([case(n) for n in range(5)], tmp_path, choice).card
    assert card.items() >= ABOUT.items()
    assert card["options"] == {"queries": 2, "positives": 3, "min_positives": 1, "min_length": 1, "seed": 4}
    for part, name in (("queries", "tiered.jsonl"), ("collection", "collection.jsonl")):
        digest = xxhash.xxh3_128_hexdigest((tmp_path / name).read_bytes())
        assert (card[part]["file"], card[part]["digest"]) == (name, f"xxh3-128:{digest}")


def test_what_is_written_can_be_read_as_a_data_set(tmp_path: Path) -> None:
    written = write(generate(200, 3), tmp_path, Choice(queries=10, min_length=80))
    found = locate(str(tmp_path))
    queries = read_tiered(found.queries.path, schema=legal_labels.SCHEMA)
    assert found.served().path == tmp_path / "collection.jsonl"
    assert queries.ids == [line["query_id"] for line in written.queries]
    assert queries.positives.grade.tolist() == [6 - p["tier"] for line in written.queries for p in line["positives"]]
    assert (queries.skipped_lines, queries.dropped_positives) == (0, 0)
    accusations, articles, *_ = queries.codes
    (months,) = queries.numbers
    sets = queries.labels.sets()
    for q, line in enumerate(written.queries):
        query = line["query"]
        assert sets[accusations[q]] == naive.accusations_of(query)
        assert sets[articles[q]] == naive.articles_of(query)
        assert months[q] == query["meta"]["term_of_imprisonment"]["imprisonment"]


# Errors


def error(cases: Iterable[Case], out: Path, choice: Choice = SHORT) -> str:
    with pytest.raises(InputError) as caught:
        write(cases, out, choice)
    return str(caught.value)


def test_without_a_case_there_is_nothing_to_choose_from(tmp_path: Path) -> None:
    assert error([], tmp_path) == "there are no cases to choose queries from"
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("cases", "choice"),
    [
        ([case(1)], SHORT),  # nobody to be a positive
        ([case(1), case(2, months=80)], SHORT),
        ([case(1), case(2)], Choice(min_length=100)),
        ([case(1, accusations=()), case(2, accusations=())], SHORT),
        ([case(1), case(2)], Choice(min_length=1, min_positives=2)),
    ],
)
def test_without_a_possible_query_one_sentence_says_what_it_takes(
    tmp_path: Path, cases: list[Case], choice: Choice
) -> None:
    assert error(cases, tmp_path, choice) == (
        f"none of {len(cases)} cases can be a query: one needs {choice.min_length} characters, an accusation "
        f"and {choice.min_positives} positives; lower --min-length or --min-positives"
    )
    assert names(tmp_path) == []


def broken(after: int, problem: BaseException) -> Iterator[Case]:
    yield from (case(n) for n in range(after))
    raise problem


@pytest.mark.parametrize("problem", [InputError("line 4: bad"), KeyboardInterrupt(), OSError(5, "Input/output error")])
@pytest.mark.parametrize("after", [0, 3])
def test_an_error_leaves_what_was_there_and_nothing_half_written(
    tmp_path: Path, after: int, problem: BaseException
) -> None:
    write([case(1), case(2)], tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises((InputError, KeyboardInterrupt)):
        write(broken(after, problem), tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_new_files_replace_old_ones_where_that_is_asked_for(tmp_path: Path) -> None:
    write([case(n) for n in range(9)], tmp_path)
    assert "--force replaces them" in error([case(1), case(2)], tmp_path)
    assert len((tmp_path / "collection.jsonl").read_bytes().splitlines()) == 9
    write_tiered([case(1), case(2)], tmp_path, SHORT, lambda: ABOUT, replace=True)
    assert len((tmp_path / "collection.jsonl").read_bytes().splitlines()) == 2
    assert names(tmp_path) == FILES


def test_progress_counts_the_cases(tmp_path: Path) -> None:
    seen: list[int] = []
    write_tiered((case(n) for n in range(4)), tmp_path, SHORT, lambda: ABOUT, seen.append)
    assert seen == [1, 2, 3, 4]


# Sentences that are near

imprisonment_fits, sentence_tier = called(tiers.imprisonment_fits), called(tiers.sentence_tier)


@pytest.mark.parametrize(("months", "other", "tier"), TABLES["percentages"])
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


def test_every_case_of_a_tier_has_its_chance_and_a_seed_decides(tmp_path: Path) -> None:
    def picked(folder: Path, seed: int) -> dict[str, str]:
        queries = write([case(n) for n in range(7)], folder, Choice(7, 1, min_length=1, seed=seed)).queries
        return {line["query_id"]: line["positives"][0]["fact_id"] for line in queries}

    seeds = range(40)
    found = [picked(tmp_path / str(seed), seed) for seed in seeds]
    assert {one["c0"] for one in found} == {f"c{n}" for n in range(1, 7)}
    assert [picked(tmp_path / f"again {seed}", seed) for seed in seeds] == found


# LegalBench-RAG as a data set: chunks, questions with positives, and what is refused

TEXTS = {"nda/a b.txt": "Alpha beta.\n" + " " * 12 + "Gamma § delta", "nda/c_ d.txt": "Epsilon"}


def snippet(file: str, start: int, end: int) -> dict[str, Any]:
    text = TEXTS[file.replace(":", "_")]
    return {"file_path": file, "span": [start, end], "answer": text[start:end]}


def source(folder: Path, tests: list[dict[str, Any]]) -> tuple[Path, Path]:
    """Write corpus and benchmark."""
    for name, text in {**TEXTS, "nda/unused.txt": "Unused"}.items():
        path = folder / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    benchmark = folder / "benchmark.json"
    benchmark.write_bytes(orjson.dumps({"tests": tests}))
    return folder / "corpus", benchmark


TESTS = [
    {"query": "Who?", "snippets": [snippet("nda/a b.txt", 6, 10), snippet("nda/a b.txt", 24, 31)]},
    {"query": "What?", "snippets": [snippet("nda/c: d.txt", 0, 7)]},
]


@given(st.integers(1, 40), st.integers(0, 39), st.integers(0, 200))
def test_chunks_cover_the_text_and_overlap_as_asked(chunk: int, overlap: int, length: int):
    overlap %= chunk
    places = list(Cut(chunk, overlap).places("a", length))
    assert (places[0].start, places[-1].end) == (0, length)
    for one, other in itertools.pairwise(places):
        assert (one.end - one.start, one.end - other.start) == (chunk, overlap)
        assert other.end > one.end


@pytest.mark.parametrize("overlap", [5, 6])
def test_an_overlap_of_a_whole_chunk_is_refused(overlap: int):
    with pytest.raises(InputError, match=f"--overlap {overlap} is not from 0 to below --chunk-size 5"):
        Cut(5, overlap)


def test_chunks_are_documents_and_those_with_an_answer_are_positives(tmp_path: Path):
    """A chunk of white space alone is left out; a path that no file can have is found by its name on disk."""
    card = write_chunks(*source(tmp_path, TESTS), tmp_path / "out", Cut(12))
    data = locate(str(tmp_path / "out"))
    assert data.collection is not None
    collection, queries = read_collection(data.collection), read_tiered(data.queries.path)
    assert dict(zip(collection.ids, collection.texts, strict=True)) == {
        "nda/a b.txt#0-12": "Alpha beta.\n",
        "nda/a b.txt#24-36": "Gamma § delt",
        "nda/a b.txt#36-37": "a",
        "nda/c: d.txt#0-7": "Epsilon",
    }
    assert (queries.ids, queries.texts) == (["1", "2"], ["Who?", "What?"])
    assert queries.positives.ids == ["nda/a b.txt#0-12", "nda/a b.txt#24-36", "nda/c: d.txt#0-7"]
    assert (queries.positives.offsets.tolist(), set(queries.positives.grade.tolist())) == ([0, 2, 3], {1.0})
    assert data.card == card
    assert card["options"] == {"chunk": 12, "overlap": 0}
    assert card["collection"]["documents"] == 4
    assert (card["queries"]["count"], card["queries"]["positives"]) == (2, 3)
    assert (card["source"]["texts"]["files"], card["source"]["texts"]["characters"]) == (2, 44)


def test_the_same_input_gives_the_same_bytes(tmp_path: Path):
    given = source(tmp_path, TESTS)
    for name in ("1", "2"):
        write_chunks(*given, tmp_path / name, Cut(12, 4))
    first, second = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("1", "2"))
    assert first == second
    assert sorted(first) == ["collection.jsonl", "dataset.toml", "tiered.card.json", "tiered.jsonl"]


def test_tasks_compare_spans_and_contracts(tmp_path: Path):
    """The questions of one contract are its cluster; a chunk says its file and where it begins and ends there."""
    write_chunks(*source(tmp_path, TESTS), tmp_path / "out", Cut(12))
    data = locate(tmp_path / "out")
    assert [task.name for task in tasks_of(data)] == ["gold", "span", "contract"]
    assert data.cluster == "document"
    chunk, question = (
        orjson.loads((tmp_path / "out" / name).read_bytes().splitlines()[0])
        for name in ("collection.jsonl", "tiered.jsonl")
    )
    assert chunk["meta"] == {"file": "nda/a b.txt", "start": 0, "end": 12}
    assert question["query"]["meta"] == {
        "document": "nda/a b.txt",
        "contracts": ["nda/a b.txt"],
        "spans": [{"file": "nda/a b.txt", "start": 6, "end": 10}, {"file": "nda/a b.txt", "start": 24, "end": 31}],
    }
    judging = judging_of(Criteria(), data)
    assert judging.denominators.relevant[:, 1:].tolist() == [[2, 3], [1, 1]]


@pytest.mark.parametrize(
    ("snippets", "reason"),
    [
        ([{"answer": "x", "file_path": "nda/none.txt", "span": [0, 1]}], "1 files that .* 'nda/none.txt'"),
        ([{"answer": "x", "file_path": "../benchmark.json", "span": [0, 1]}], "is not the text at that place"),
        ([snippet("nda/a b.txt", 0, 5) | {"span": [1, 6]}], r"'nda/a b\.txt#1-6' is not the text at that place"),
        ([{"answer": "Alpha"}], "has no snippet with file_path and span"),
        ([], "has no snippet with file_path and span"),
    ],
)
def test_what_does_not_fit_the_texts_is_refused_and_nothing_is_written(tmp_path: Path, snippets: Any, reason: str):
    given = source(tmp_path, [{"query": "Who?", "snippets": snippets}])
    with pytest.raises(InputError, match=reason):
        write_chunks(*given, tmp_path / "out", Cut())
    assert not (tmp_path / "out").exists()


def test_a_text_that_is_not_utf8_is_named(tmp_path: Path):
    corpus, benchmark = source(tmp_path, TESTS)
    (corpus / "nda" / "a b.txt").write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"a b\.txt cannot be read: 'utf-8' codec"):
        write_chunks(corpus, benchmark, tmp_path / "out", Cut())


# Files that are there together or not at all, and know their digest


def test_files_get_their_names_when_the_block_ends(tmp_path: Path):
    out = tmp_path / "deep" / "out"
    with together(out, ("a", "b")) as parts:
        for name, part in parts.items():
            part.write_text(name)
        assert not (out / "a").exists()
    assert {path.name: path.read_text() for path in out.iterdir()} == {"a": "a", "b": "b"}


def begun(out: Path) -> None:
    with together(out, ("a", "b"), replace=True) as parts:
        parts["a"].write_text("new")
        _ = 1 // 0


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_an_error_leaves_what_was_there_and_nothing_else(tmp_path: Path):
    (tmp_path / "a").write_text("old")
    for out in (tmp_path, tmp_path / "new"):
        with pytest.raises(ZeroDivisionError):
            begun(out)
    assert contents(tmp_path) == {"a": "old"}


def test_what_exists_is_not_replaced_unless_that_is_asked_for(tmp_path: Path):
    (tmp_path / "b").symlink_to("nowhere")
    with pytest.raises(InputError, match=f"^{tmp_path / 'b'} exists already; --force replaces it, another --out keeps"):
        together(tmp_path, ("a", "b")).__enter__()
    (tmp_path / "b").unlink()
    (tmp_path / "b").write_text("old")
    with together(tmp_path, ("a", "b"), replace=True) as parts:
        for name, part in parts.items():
            part.write_text(name)
    assert contents(tmp_path) == {"a": "a", "b": "b"}
    (tmp_path / "b").unlink()
    (tmp_path / "b").mkdir()
    with pytest.raises(InputError, match="b is a folder, and no file can replace it"):
        together(tmp_path, ("a", "b"), replace=True).__enter__()


def written_meanwhile(out: Path) -> None:
    with together(out, ("a", "b")) as parts:
        for part in parts.values():
            part.write_text("ours")
        (out / "b").write_text("theirs")


def test_a_file_that_appears_meanwhile_is_kept(tmp_path: Path):
    with pytest.raises(InputError, match="b exists already"):
        written_meanwhile(tmp_path)
    assert contents(tmp_path) == {"b": "theirs"}


def test_all_files_are_replaced_or_none(tmp_path: Path):
    for name in ("a", "b"):
        (tmp_path / name).write_text("old")
    with pytest.raises(InputError, match="cannot write"), together(tmp_path, ("a", "b"), replace=True) as parts:
        parts["a"].write_text("new")  # and b is not there to be renamed
    assert contents(tmp_path) == {"a": "old", "b": "old"}


def two_at_once(out: Path) -> None:
    with together(out, ("a",)) as first, together(out, ("a",)) as second:
        first["a"].write_text("first")
        second["a"].write_text("second")


def test_two_that_write_at_once_leave_the_files_of_one(tmp_path: Path):
    with pytest.raises(InputError, match="a exists already"):
        two_at_once(tmp_path)
    assert contents(tmp_path) == {"a": "second"}


def test_a_place_that_cannot_be_written_to_is_an_input_error(tmp_path: Path):
    (tmp_path / "file").write_text("")
    out = tmp_path / "file" / "out"
    with pytest.raises(InputError, match=f"cannot write {out}: Not a directory; name another place with --out"):
        together(out, ("a",)).__enter__()


def test_lines_are_json_and_the_digest_is_that_of_the_bytes(tmp_path: Path):
    places = []
    with Digested(tmp_path / "file") as file:
        for value in ({"é": 1}, [2]):
            places.append(file.place)
            file.write(value)
    content = (tmp_path / "file").read_bytes()
    assert content == '{"é":1}\n[2]\n'.encode()
    assert (places, file.digest()) == ([0, 9], f"xxh3-128:{xxhash.xxh3_128_hexdigest(content)}")
