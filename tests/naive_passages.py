"""Passage scores as the seed's text has them, in plain Python over the parsed files: slow and obvious.

Tokens are NLTK's own; characters are counted one by one.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from parts_of_nltk import PunktSentenceTokenizer, WordTokenizer

_SENTENCES, _WORDS = PunktSentenceTokenizer(), WordTokenizer()


def as_seed(text: str) -> str:
    """Lower case, no outer white space: what the seed's text says."""
    return text.strip().lower()


def single_spaces(text: str) -> str:
    """The same, and any white space within is one space."""
    return " ".join(text.lower().split())


@cache
def tokens(text: str) -> frozenset[str]:
    """Alphanumeric tokens of NLTK's word tokenizer over an untrained Punkt splitter."""
    sentences = _SENTENCES.tokenize(text.lower())
    return frozenset(word for sentence in sentences for word in _WORDS.tokenize(sentence) if word.isalnum())


def span_f1(one: str, other: str) -> float:
    common = len(tokens(one) & tokens(other))
    if common == 0:
        return 0.0
    precision, recall = common / len(tokens(one)), common / len(tokens(other))
    return 2 * precision * recall / (precision + recall)


def dcg(gains: list[int]) -> float:
    return sum(gain / math.log2(i + 1) for i, gain in enumerate(gains, 1))


def texts(
    found: list[str], answers: list[str], k: int, ideal: str, normalise: Callable[[str], str] = single_spaces
) -> list[float]:
    """Return exact match, span F1, recall@k and nDCG@k of one query; exact match is always as in the seed."""
    first, wanted = [as_seed(text) for text in found[:1]], [as_seed(text) for text in answers]
    exact = float(bool(first) and first[0] != "" and first[0] in wanted)
    found = [normalise(text) for text in found]
    answers = [text for text in map(normalise, answers) if text]
    if not found or not answers:
        return [0.0] * 4

    def match(text: str, answer: str) -> bool:
        return text != "" and (text in answer or answer in text)

    recall = sum(any(match(text, answer) for text in found[:k]) for answer in answers) / len(answers)
    gains, open_answers = [], list(answers)
    for text in found[:k]:
        if ideal == "gold":
            gains.append(int(any(match(text, answer) for answer in open_answers)))
            open_answers = [answer for answer in open_answers if not match(text, answer)]
        else:
            gains.append(int(any(match(text, answer) for answer in answers)))
    best = dcg([1] * min(len(answers), k)) if ideal == "gold" else dcg(sorted(gains, reverse=True))
    return [exact, max(span_f1(found[0], answer) for answer in answers), recall, dcg(gains) / best if best else 0.0]


def characters(found: list[Any], answers: list[Any], k: int) -> list[float]:
    """Return precision and recall of one query's characters; each is a member of its file's set."""
    files = {one["file_path"] for one in (*found, *answers)}

    def marked(file: str, passages: list[Any]) -> set[int]:
        return set().union(*(range(*one["span"]) for one in passages if one["file_path"] == file))

    retrieved = sum(len(marked(file, found[:k])) for file in files)
    gold = sum(len(marked(file, answers)) for file in files)
    shared = sum(len(marked(file, found[:k]) & marked(file, answers)) for file in files)
    return [shared / retrieved if retrieved else 0.0, shared / gold if gold else 0.0]


def scores(
    predictions: list[Any], gold: Any, k: int, ideal: str, normalise: Callable[[str], str] = single_spaces
) -> list[list[float]]:
    """Return a row of values for each gold query, in the order of the file, whose queries are distinct."""
    by_query: dict[str, list[Any]] = {}
    for entry in predictions:
        by_query.setdefault(entry["query"], entry["retrieved_passages"])
    are_spans = any(isinstance(one, dict) for entry in predictions for one in entry["retrieved_passages"])
    rows = []
    for test in gold["tests"]:
        found = by_query.get(test["query"], [])
        strings = [one if isinstance(one, str) else one["text"] for one in found]
        row = texts(strings, [one["answer"] for one in test["snippets"]], k, ideal, normalise)
        if are_spans:
            row += characters(found, test["snippets"], k)
        rows.append(row)
    return rows
