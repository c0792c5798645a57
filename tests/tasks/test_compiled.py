"""Tasks as the kernels take them, and the labels that are read for them."""

import math

import numpy as np

from benchbench.kernels.rules import TASK, Rule
from benchbench.tables.labels import Kind, Label
from benchbench.tasks.compiled import CompiledTasks, compiled
from benchbench.tasks.defined import legal_cases
from benchbench.tasks.reading import parse_task, parse_tasks, read_labels


def of(*texts: str) -> CompiledTasks:
    return compiled(parse_tasks(texts))


def rows(found: CompiledTasks, t: int) -> tuple[list[int], list[int]]:
    """Return the rows of labels that must be equal for a task, and of those of which a set one decides."""
    task, labels = found.kernel.each[t], found.kernel.rows.tolist()
    return labels[task["same"] : task["unless"]], labels[task["unless"] : task["last"]]


def test_the_tasks_of_legal_cases() -> None:
    found = compiled(legal_cases())
    assert found.names == ("gold", "accusation", "article", "imprisonment")
    assert found.judged == (True, False, False, False)
    assert found.recall == (10, 10, 10, 10)
    assert (found.rel, found.gains) == ((1.0, 1.0, 1.0, 1.0), ("linear",) * 4)
    schema, kernel = found.schema, found.kernel.each
    coded = [("accusation", Kind.SET, "[]"), ("relevant_articles", Kind.SET, "[]")]
    flags = [("death_penalty", Kind.FLAG, ""), ("life_imprisonment", Kind.FLAG, "")]
    assert [(one.name, one.kind, one.ignore) for one in schema.coded] == [*coded, *flags]
    assert [one.name for one in schema.numeric] == ["imprisonment"]
    assert kernel["rule"].tolist() == [Rule.JUDGMENTS, Rule.EQUAL, Rule.EQUAL, Rule.WITHIN]
    assert kernel["label"].tolist() == [0, 0, 1, 0]
    assert (kernel["absolute"][3], kernel["relative"][3]) == (6.0, 0.2)
    assert [rows(found, t) for t in range(4)] == [([], []), ([], []), ([], []), ([], [2, 3])]


def test_what_several_tasks_compare_is_one_column() -> None:
    found = of("a=equal(brand)", "b=overlap(brand)", "c=within(price, absolute=1, same=['brand'])")
    assert [one.name for one in found.schema.labels] == ["brand", "price"]
    assert found.kernel.each["label"].tolist() == [0, 0, 0]
    assert [rows(found, t) for t in range(3)] == [([], []), ([], []), ([0], [])]


def test_a_path_compared_in_two_ways_is_two_columns() -> None:
    found = of("a=equal(x)", "b=within(x, absolute=1)", "c=within(y, absolute=1, unless=['x'], same=['x'])")
    x, of_hits = (("x",),), (("x",), ("meta", "x"))
    assert found.schema.labels == (
        Label("x", Kind.SET, x, of_hits),
        Label("x as number", Kind.NUMBER, x, of_hits),
        Label("x as flag", Kind.FLAG, x, of_hits),
        Label("y", Kind.NUMBER, (("y",),), (("y",), ("meta", "y"))),
    )
    assert found.kernel.each["label"].tolist() == [0, 0, 1]
    assert rows(found, 2) == ([0], [1])


def test_every_label_has_a_name_of_its_own() -> None:
    labels = read_labels({"labels": {"x": {"paths": "meta.x", "ignore": "[]"}}}, "dataset.toml")
    tasks = [
        parse_task("a=equal(x)", labels),
        *parse_tasks(["b=equal(x)", "c=equal(['x', 'y'])", "e=span(x, file='x')"]),
    ]
    schema = compiled(tasks).schema
    names = [one.name for one in (*schema.labels, *schema.spans)]
    assert len(set(names)) == len(names)
    assert [schema.row(one.name) for one in schema.coded] == list(range(len(schema.coded)))
    assert names[0] == "x"
    assert schema.spans[0].file in names


def test_least_is_infinite_where_only_jaccard_counts_and_jaccard_where_only_least_does() -> None:
    kernel = of("a=overlap(x)", "b=overlap(x, jaccard=0.5)", "c=overlap(x, least=2, jaccard=0.5)").kernel.each
    assert kernel["least"].tolist() == [1, math.inf, 2]
    assert kernel["jaccard"].tolist() == [math.inf, 0.5, 0.5]


def test_contains_has_a_direction() -> None:
    assert of("a=contains(x)", "b=contains(x, within=true)").kernel.each["inside"].tolist() == [False, True]


def test_spans_are_of_queries_and_their_files_and_ends_of_hits() -> None:
    found = of("a=span(answers, least=20)", "b=span(answers)", "c=span(answers, file='source')", "e=equal(file)")
    file, start, end = ((("file",), ("meta", "file")), (("start",), ("meta", "start")), (("end",), ("meta", "end")))
    assert found.schema.labels == (
        Label("file", Kind.SET, (), file),
        Label("start", Kind.NUMBER, (), start),
        Label("end", Kind.NUMBER, (), end),
        Label("source", Kind.SET, (), (("source",), ("meta", "source"))),
        Label("file as set", Kind.SET, (("file",),), file),
    )
    answers = (("answers",),)
    assert [(one.query, one.file) for one in found.schema.spans] == [(answers, "file"), (answers, "source")]
    assert found.kernel.each["least"].tolist() == [20, 1, 1, 0]
    assert found.kernel.each["label"].tolist() == [0, 0, 1, 2]
    places = found.kernel.each[["file", "start", "end"]].tolist()
    assert places == [(0, 0, 1), (0, 0, 1), (1, 0, 1), (0, 0, 0)]


def test_judgments_have_their_grades_and_gains() -> None:
    found = of("a=judgments(rel=3, by='id')", "b=equal(x)", "c=judgments(by='id', gains={1=2})")
    assert found.rel == (3.0, 1.0, 1.0)
    assert found.gains == ("linear", "linear", ((1, 2),))
    assert found.recall == ("judged", None, "judged")


def test_without_tasks_there_is_nothing_to_compare() -> None:
    found = compiled([])
    assert (found.names, found.schema.labels) == ((), ())
    assert found.kernel.each.size == 0


def test_arrays_have_the_types_of_the_kernels() -> None:
    for tasks in ([], legal_cases()):
        kernel = compiled(tasks).kernel
        assert (kernel.each.dtype, kernel.rows.dtype) == (TASK, np.int64)


def test_a_label_of_a_hit_is_looked_for_in_its_meta_after_all_paths() -> None:
    one, other = of("a=equal(['brand', 'meta.brand'])", "b=equal(['maker.name', 'brand'])").schema.labels
    assert one.hit == (("brand",), ("meta", "brand"))
    assert other.hit == (("maker", "name"), ("brand",), ("meta", "maker", "name"), ("meta", "brand"))
    assert other.query == (("maker", "name"), ("brand",))
