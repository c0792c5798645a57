"""Judgments as columns, against plain dictionaries."""

import tempfile
from pathlib import Path

import makes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.formats.datasets.judgments import Judgments
from benchbench.formats.records import Part
from benchbench.tables.hashing import id_hash
from benchbench.tables.queries import Positives

_ROWS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("01"), st.sampled_from("abxyz"), st.integers(-1, 2)), min_size=1
)
Row = tuple[str, str, str, int]  # query, subtopic, document, grade


def naive(
    rows: list[Row], queries: list[str], without_own: bool, most: int
) -> tuple[list[dict[str, float]], ...] | None:
    """Return the grades that count and those that are left out, per query; None where a document is judged twice."""
    kept: list[dict[str, float]] = []
    left_out: list[dict[str, float]] = []
    for query in queries:
        grades: dict[str, float] = {}
        subtopics: dict[str, tuple[str, int]] = {}
        for _, subtopic, document, grade in (row for row in rows if row[0] == query):
            first, its = subtopics.setdefault(document, (subtopic, grade))
            if first == subtopic and its != grade:
                return None
            grades[document] = max(grades.get(document, grade), grade)
        if without_own:
            grades.pop(query, None)
        relevant = [document for document, grade in grades.items() if grade > 0]
        more = set(relevant[most:]) if most else set()
        kept.append({document: grade for document, grade in grades.items() if document not in more})
        left_out.append({document: grade for document, grade in grades.items() if document in more})
    return kept, left_out


def grades(positives: Positives | None, queries: int) -> list[dict[str, float]]:
    """Return the grades of each query."""
    if positives is None:
        return [{}] * queries
    spans = [positives.of(q) for q in range(queries)]
    return [dict(zip(positives.ids[span], positives.grade[span].tolist(), strict=True)) for span in spans]


@given(rows=_ROWS, without_own=st.booleans(), most=st.integers(0, 3))
def test_they_are_those_of_plain_dictionaries(rows: list[Row], without_own: bool, most: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        made = Judgments([Part(makes.lines(Path(folder) / "qrels", rows, " "))])
    assert len(made) == len(rows)
    assert list(made.numbers) == list(dict.fromkeys(row[0] for row in rows))
    assert list(made.documents()) == [row[2] for row in rows]
    queries = sorted(made.numbers, reverse=True)
    expected = naive(rows, queries, without_own, most)
    numbers = np.array([made.numbers[query] for query in queries], np.int64)
    if expected is None:
        with pytest.raises(InputError, match="twice, with different grades; keep one"):
            made.of(numbers, without_own, most)
        return
    chosen = made.of(numbers, without_own, most)
    assert (grades(chosen.kept, len(queries)), grades(chosen.left_out, len(queries))) == expected
    assert chosen.kept.id.tolist() == [id_hash(document) for document in chosen.kept.ids]
    own = sum(query in {row[2] for row in rows if row[0] == query} for query in queries)
    assert chosen.dropped == (own if without_own else 0)


def test_some_queries_alone_have_their_judgments(tmp_path: Path) -> None:
    rows = [("a", 0, "x", 1), ("b", 0, "y", 2), ("a", 0, "z", 0), ("c", 0, "x", 3)]
    made = Judgments([Part(makes.lines(tmp_path / "qrels", rows, " "))])
    chosen = made.of(np.array([2, 0]))
    assert (list(chosen.kept.ids), chosen.kept.offsets.tolist()) == (["x", "x", "z"], [0, 1, 3])
    assert made.of(np.array([], np.int64)).kept.offsets.tolist() == [0]


def test_the_digest_does_not_depend_on_the_format_but_on_order_and_grades(tmp_path: Path) -> None:
    rows = [("a", 0, "x", 1), ("b", 0, "y", 2)]
    table = [("query-id", "corpus-id", "score"), *((query, document, grade) for query, _, document, grade in rows)]
    made = [
        Judgments([Part(makes.lines(tmp_path / name, content, separator))]).digest
        for name, content, separator in (
            ("trec", rows, " "),
            ("beir.tsv", table, "\t"),
            ("other order", rows[::-1], " "),
            ("other grade", [rows[0], ("b", 0, "y", 3)], " "),
            ("other query", [rows[0], ("a", 0, "y", 2)], " "),
        )
    ]
    assert made[0] == made[1]
    assert len(set(made)) == 4
