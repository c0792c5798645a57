import json
import math
import unicodedata
from collections.abc import Container
from pathlib import Path

import bm25s
import numpy as np
import pytest
import pytrec_eval
from cases import check_rows, tables
from hypothesis import assume, given
from hypothesis import strategies as st
from parts_of_nltk import PorterStemmer

import benchbench as bb
from benchbench.errors import InputError
from benchbench.formats.collection import read_collection
from benchbench.retrieval.bm25_options import AnalysisName, BM25Options
from benchbench.serve.analysis import analysis_of, is_english
from benchbench.serve.bm25 import BM25
from benchbench.serve.english import STOP_WORDS, english, words
from benchbench.serve.lucene import LuceneIndex, kept_lengths
from benchbench.serve.porter import stem
from benchbench.serve.tokens import tokens
from benchbench.tables.collection import Collection

texts = st.lists(st.sampled_from("abcde"), max_size=6).map(" ".join)


collections = st.lists(texts, min_size=1, max_size=8)


def index(documents: list[str]) -> BM25:
    return BM25(Collection([str(n) for n in range(len(documents))], documents, [{}] * len(documents)))


def naive(documents: list[str], query: str) -> dict[int, float]:
    """Lucene's BM25, written down: Σ idf · tf / (tf + k1 · (1 - b + b · length / mean length))."""
    split = [tokens(text) for text in documents]
    mean = sum(map(len, split)) / len(split)
    scores = dict.fromkeys(range(len(split)), 0.0)
    for term in tokens(query):
        frequency = sum(term in terms for terms in split)
        idf = math.log(1 + (len(split) - frequency + 0.5) / (frequency + 0.5))
        for d, terms in enumerate(split):
            tf = terms.count(term)
            scores[d] += idf * tf / (tf + 1.2 * (1 - 0.75 + 0.75 * len(terms) / mean)) if tf else 0.0
    return {d: score for d, score in scores.items() if score > 0}


@given(collections, texts)
def test_scores_are_those_of_the_formula(documents: list[str], query: str):
    numbers, scores = index(documents).search(query, 100)
    assert dict(zip(numbers.tolist(), scores.tolist(), strict=True)) == pytest.approx(naive(documents, query), rel=1e-5)


@given(collections, st.sampled_from([(1.2, 0.75), (0.9, 0.4), (1.0, 1.0)]))
def test_scores_are_those_of_bm25s_to_the_bit(documents: list[str], parameters: tuple[float, float]):
    k1, b = parameters
    split = [tokens(text) for text in documents]
    number = {term: n for n, term in enumerate(dict.fromkeys(term for terms in split for term in terms))}
    assume(number)
    theirs = bm25s.BM25(k1=k1, b=b, method="lucene", backend="numpy")
    theirs.index(([[number[term] for term in terms] for terms in split], dict(number)), show_progress=False)
    searcher = BM25(Collection(list(map(str, range(len(split)))), documents, []), BM25Options("words", k1, b))
    found, scores = searcher.search(" ".join(number), len(split))
    expected = theirs.get_scores(list(number.values()))
    assert dict(zip(found.tolist(), scores.tolist(), strict=True)) == {
        d: score for d, score in enumerate(expected.tolist()) if score
    }


def test_a_query_of_very_many_terms_has_the_scores_of_the_formula():
    documents, query = ["a b", "b b c", "a"], "a b c a x " * 2000
    numbers, scores = index(documents).search(query, 100)
    assert dict(zip(numbers.tolist(), scores.tolist(), strict=True)) == pytest.approx(naive(documents, query), rel=1e-4)


def test_a_query_of_very_many_terms_is_left_when_it_is_over():
    asked: list[int] = []
    index(["a"]).search("a " * 100_000, 1, lambda: bool(asked.append(1) or len(asked) == 3))
    assert len(asked) == 3


@given(collections, texts)
def test_the_best_come_first_and_ties_in_document_order(documents: list[str], query: str):
    numbers, scores = index(documents).search(query, 100)
    ranked = list(zip((-scores).tolist(), numbers.tolist(), strict=True))
    assert ranked == sorted(ranked)


@given(collections, texts, st.integers(1, 8))
def test_a_shorter_list_is_the_beginning_of_a_longer_one(documents: list[str], query: str, top_k: int):
    searcher = index(documents)
    assert searcher.search(query, top_k)[0].tolist() == searcher.search(query, 100)[0].tolist()[:top_k]


@pytest.mark.parametrize("query", ["", "，", "unknown"])
def test_a_query_without_a_known_term_finds_nothing(query: str):
    assert index(["a", "b"]).search(query, 5)[0].size == 0


@pytest.mark.parametrize("documents", [[""], ["", "，"]])
def test_a_collection_without_a_term_finds_nothing(documents: list[str]):
    assert index(documents).search("a", 5)[0].size == 0


# Lucene

terms = st.lists(st.sampled_from("abcde"), max_size=6)


lucene_collections = st.lists(terms, min_size=1, max_size=8)


TREC_NAMES = {"nDCG@10": "ndcg_cut.10", "R@100": "recall.100", "AP": "map", "P@30": "P.30"}


K1S, BS = st.sampled_from([0.0, 0.9, 1.2]), st.sampled_from([0.0, 0.4, 1.0])


def lucene_naive(documents: list[list[str]], query: list[str], k1: float, b: float) -> list[float]:
    """The formula, written down: Σ idf · tf / (tf + k1 · (1 - b + b · length / mean length))."""
    filled = [one for one in documents if one]
    mean = sum(map(len, filled)) / len(filled) if filled else 1
    scores = [0.0] * len(documents)
    for term in query:
        frequency = sum(term in one for one in documents)
        idf = math.log(1 + (len(filled) - frequency + 0.5) / (frequency + 0.5))
        for d, one in enumerate(documents):
            if tf := one.count(term):
                scores[d] += idf * tf / (tf + k1 * (1 - b + b * len(one) / mean))
    return scores


@given(lucene_collections, terms, K1S, BS)
def test_scores_are_those_of_the_formula_of_lucene(documents: list[list[str]], query: list[str], k1: float, b: float):
    scores = LuceneIndex(documents, k1, b).scores(query, lambda: False)
    assert scores.tolist() == pytest.approx(lucene_naive(documents, query, k1, b), rel=1e-5, abs=1e-6)


def test_a_query_of_very_many_terms_is_left_when_it_is_over_of_lucene():
    asked: list[int] = []
    LuceneIndex([["a"]], 0.9, 0.4).scores(map(str, range(100_000)), lambda: bool(asked.append(1) or len(asked) == 3))
    assert len(asked) == 3


def test_lengths_are_kept_as_a_byte_keeps_them():
    """Values of Lucene's SmallFloat.byte4ToInt(intToByte4(length))."""
    lengths = [0, 1, 24, 39, 40, 41, 56, 57, 100, 150, 1000, 1_000_000]
    assert kept_lengths(np.array(lengths)).tolist() == [0, 1, 24, 39, 40, 40, 56, 56, 96, 144, 984, 983_064]


def judgments(path: Path) -> dict[str, dict[str, int]]:
    """Return the judgments of a file of TREC or BEIR."""
    judged: dict[str, dict[str, int]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        query, *_, document, grade = line.split()
        if query != "query-id":
            judged.setdefault(query, {})[document] = int(grade)
    return judged


def ranked(folder: Path, queries: Container[str], options: BM25Options) -> dict[str, dict[str, float]]:
    """Return what is found for the queries."""
    collection = read_collection(folder / "corpus.jsonl")
    index, run = BM25(collection, options), {}
    for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines():
        query = json.loads(line)
        if query["_id"] in queries:
            numbers, scores = index.search(query["text"], 1000)
            run[query["_id"]] = {collection.ids[d]: s for d, s in zip(numbers.tolist(), scores.tolist(), strict=True)}
    return run


@pytest.mark.slow  # real data sets
@pytest.mark.parametrize(
    ("name", "qrels", "analysis", "expected"),
    [  # with stems and stop words, whole runs have their figures: tests/test_as_trec_eval.py
        ("scifact", "qrels/test.tsv", "words", {"nDCG@10": 0.6634, "R@100": 0.8826}),
        ("cacm", "qrels.cacm.txt", "words", {"AP": 0.2654, "P@30": 0.1596}),
    ],
)
def test_figures_of_known_collections(
    shared_data: Path, name: str, qrels: str, analysis: AnalysisName, expected: dict[str, float]
):
    judged = judgments(shared_data / name / qrels)
    run = ranked(shared_data / name, judged, BM25Options(analysis))
    oracle = pytrec_eval.RelevanceEvaluator(judged, {TREC_NAMES[measure] for measure in expected}).evaluate(run)
    ours = bb.evaluate(bb.Qrels.from_dict(judged), bb.Run.from_dict(run), list(expected)).aggregates
    for measure, value in expected.items():
        theirs = np.mean([one[TREC_NAMES[measure].replace(".", "_")] for one in oracle.values()])
        assert ours[measure] == pytest.approx(theirs, abs=1e-12)
        assert round(ours[measure], 4) == value


@pytest.mark.slow  # real data
def test_scores_are_those_of_a_run_of_anserini(shared_data: Path):
    """Its texts are a little longer, and so is the mean: scores differ in the third decimal, and few more."""
    rows = [line.split() for line in (shared_data / "cacm" / "cacm-bm25.txt").read_text(encoding="utf-8").splitlines()]
    run = ranked(shared_data / "cacm", {row[0] for row in rows}, BM25Options())
    differences = [abs(run[query].get(document, 0.0) - float(score)) for query, _, document, _, score, _ in rows]
    assert np.quantile(differences, (0.5, 0.98)) == pytest.approx((0, 0), abs=0.04)


# Porter

TABLES = tables(__file__, "porter")


PORTER = PorterStemmer(PorterStemmer.MARTIN_EXTENSIONS)


PAPER = PorterStemmer(PorterStemmer.ORIGINAL_ALGORITHM)


_SUFFIXES = ("s", "es", "ies", "sses", "ed", "eed", "ing", "ational", "bli", "logi", "ization", "iveness", "icate")


_SUFFIXES += ("ful", "ness", "ement", "sion", "ion", "ou", "ll", "e", "y", "able", "'s")


def test_words_of_the_paper_have_its_stems():
    def check(word: str, expected: str) -> None:
        assert stem(word) == expected

    check_rows(check, TABLES["stems"].items())


@pytest.mark.parametrize(
    ("word", "lucene", "paper"),
    [("possibli", "possibl", "possibli"), ("archaeologi", "archaeolog", "archaeologi"), ("as", "as", "a")],
)
def test_where_lucene_and_the_paper_differ_stems_are_lucene_s(word: str, lucene: str, paper: str):
    assert (stem(word), PAPER.stem(word)) == (lucene, paper)


@pytest.mark.parametrize(
    ("word", "expected"), [("u.s", "u."), ("x２s", "x２"), ("naïveness", "naïv"), ("'ing", "'ing")]
)
def test_what_is_no_vowel_is_a_consonant(word: str, expected: str):
    assert stem(word) == expected == PORTER.stem(word)


@given(st.text("abcdefilmnorstyz'1é", max_size=6), st.sampled_from(_SUFFIXES), st.sampled_from(("", *_SUFFIXES)))
def test_stems_are_those_of_another_implementation(beginning: str, middle: str, end: str):
    word = beginning + middle + end
    assert stem(word) == PORTER.stem(word)


@pytest.mark.slow  # real data
@pytest.mark.parametrize("name", ["cacm", "scifact"])
def test_every_word_of_a_collection_has_the_stem_of_another_implementation(shared_data: Path, name: str):
    with (shared_data / name / "corpus.jsonl").open(encoding="utf-8") as lines:
        vocabulary = {word for line in lines for word in words(json.loads(line)["text"])}
    assert [word for word in vocabulary if stem(word) != PORTER.stem(word)] == []


# English

ENGLISH_TABLES = tables(__file__, "english")


@pytest.mark.parametrize(("text", "terms"), ENGLISH_TABLES["terms"].items())
def test_terms_are_those_of_lucene_and_bigrams_of_chinese(text: str, terms: list[str]):
    assert english(text) == terms


def test_the_stop_words_of_lucene_are_no_terms():
    assert len(STOP_WORDS) == 33
    assert english(" ".join(STOP_WORDS).upper()) == []


@pytest.mark.parametrize("text", ["_" * 100_000, "a." * 50_000, "a\u0301" * 50_000, "©\u200d" * 50_000, "1,_" * 50_000])
def test_a_text_without_end_takes_time_that_grows_with_its_length(text: str):
    assert len(english(text)) < 100_000


@given(st.text(), st.text())
def test_a_line_break_between_texts_joins_their_terms(one: str, other: str):
    assert english(f"{one}\n{other}") == english(one) + english(other)


@given(st.text())
def test_no_term_is_empty(text: str):
    assert all(english(text))


# Analysis

ENGLISH = "Everyone has the right to life, and everyone charged with an offence is to be presumed innocent by the law."


OTHERS = {
    "German": "Jeder Mensch hat das Recht auf Leben, und niemand darf in seiner Freiheit ohne Gesetz beschränkt sein.",
    "French": "Tout individu a droit à la vie, et on ne peut pas être privé de sa liberté sans un jugement de la cour.",
    "Spanish": "Todo individuo tiene derecho a la vida, y a no ser privado de su libertad sin una sentencia del juez.",
    "Italian": "Ogni individuo ha diritto alla vita, e non può essere privato della sua libertà senza un giudice.",
    "Dutch": "Een ieder heeft recht op leven, en het is de rechter die in een zaak als deze over de vrijheid beslist.",
    "Danish": "Enhver har ret til livet, og det er for at beskytte den enkelte, at retten tager stilling til sagen.",
    "Chinese": "人人有权享有生命、自由和人身安全，任何人不得加以任意逮捕、拘禁或放逐。",
    "Japanese": "すべて人は、生命、自由及び身体の安全に対する権利を有する。",
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_other_languages_keep_their_words(text: str):
    assert not is_english([text])


@pytest.mark.parametrize("texts", [[ENGLISH], [ENGLISH, OTHERS["German"]], [ENGLISH, OTHERS["Chinese"]]])
def test_english_is_english_beside_others_too(texts: list[str]):
    assert is_english(texts * 3000)


def test_chinese_with_some_english_is_chinese():
    assert not is_english([OTHERS["Chinese"] * 4 + " the rule of law and the right to be heard"])


@pytest.mark.parametrize("texts", [[], [""], ["12 34"], ["iPhone 12 64GB black"]])
def test_texts_without_a_sentence_keep_their_words(texts: list[str]):
    assert not is_english(texts)


def test_a_reader_is_told_what_was_chosen():
    assert analysis_of(BM25Options(), [ENGLISH]).about == (
        "BM25, English analysis as in Lucene (33 stop words, possessives, Porter), k1 0.9, b 0.4"
    )
    assert analysis_of(BM25Options(b=0.5), [OTHERS["Chinese"]]).about == "BM25, words and CJK bigrams, k1 1.2, b 0.5"


def test_what_is_asked_for_comes_before_what_fits():
    assert analysis_of(BM25Options("words", k1=2), [ENGLISH]).about == "BM25, words and CJK bigrams, k1 2, b 0.75"
    assert analysis_of(BM25Options("english"), [OTHERS["Chinese"]]).name == "english"


@pytest.mark.parametrize("options", [{"analysis": "lucene"}, {"k1": -1}, {"b": 1.5}, {"b": "x"}])
def test_what_is_no_option_is_refused(options: dict[str, object]):
    with pytest.raises(InputError, match="--"):
        BM25Options(**options)  # type: ignore[arg-type]


# Tokens

TOKENS_TABLES = tables(__file__, "tokens")


@pytest.mark.parametrize(("text", "terms"), TOKENS_TABLES["terms"].items())
def test_cjk_runs_become_bigrams_and_other_runs_words(text: str, terms: list[str]):
    assert tokens(text) == terms


def test_full_width_and_half_width_forms_are_one():
    assert tokens("ＡＢ１２") == tokens("ab12") == ["ab12"]


@given(st.text())
def test_no_term_is_empty_or_holds_white_space(text: str):
    assert all(term and not any(map(str.isspace, term)) for term in tokens(text))


@given(st.text())
def test_upper_case_and_compatibility_forms_do_not_matter(text: str):
    assert tokens(unicodedata.normalize("NFKC", text)) == tokens(text)


@given(st.text(), st.text())
def test_a_space_between_texts_joins_their_terms(one: str, other: str):
    assert tokens(f"{one} {other}") == tokens(one) + tokens(other)
