"""Tasks from the tables of a TOML and from the text of `--task`, and the sentences on what is none."""

import itertools
import math
import re
import shlex
from dataclasses import fields
from pathlib import Path
from typing import Any

import documented
import measured_labels
import numpy as np
import pytest
from cases import check_each, check_rows, tables
from command_line import said
from data_sets import write_lines
from hypothesis import given
from hypothesis import strategies as st
from judged_data import described

from benchbench.errors import InputError
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.locate import locate
from benchbench.measures.catalog import CATALOG
from benchbench.tables.labels import Kind, Label
from benchbench.tables.text_files import toml_value
from benchbench.tasks.compiled import CompiledTasks, compiled
from benchbench.tasks.criteria import Criteria
from benchbench.tasks.defined import legal_cases, said_tasks, tasks_of
from benchbench.tasks.judging import judging_of
from benchbench.tasks.label_paths import LabelPaths, path_text, read_label, read_path
from benchbench.tasks.names import check_name, together
from benchbench.tasks.reading import parse_task, parse_tasks, read_labels, read_task, read_tasks
from benchbench.tasks.rules import RULES, Parameter, Sides
from benchbench.tasks.task import Task
from benchbench.tasks.toml_text import parts, printed, value

TABLES = tables(__file__)


PATHS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=4), min_size=1, max_size=3).map(
    lambda names: path_text(tuple(names))
)


ALTERNATIVES = PATHS | st.lists(PATHS, min_size=1, max_size=3)


IGNORED = st.text(st.characters(exclude_categories=["Cs"]), max_size=3)


LABELS = (
    ALTERNATIVES
    | st.fixed_dictionaries({"paths": ALTERNATIVES, "ignore": IGNORED})
    | st.fixed_dictionaries({"query": ALTERNATIVES, "hit": ALTERNATIVES}, optional={"ignore": IGNORED})
)


GRADES = st.dictionaries(
    st.sampled_from(["0", "1", "2.5", "3", "1e3"]), st.floats(0, 9) | st.integers(0, 9), min_size=1
)


def values(parameter: Parameter) -> st.SearchStrategy[Any]:
    """Return what may be given for a parameter."""
    low, high = parameter.range.low, parameter.range.high
    whole = st.integers(int(low), int(min(high, 2**53)))
    real = st.floats(low, high, exclude_min=parameter.range.above)
    words = st.sampled_from(parameter.words or ("",))
    return {
        "word": words,
        "number": whole.filter(lambda n: n > 0) if parameter.range.whole else real,
        "flag": st.booleans(),
        "gains": words | GRADES,
        "recall": words | st.integers(1, 10**9),
        "label": LABELS,
        "labels": st.lists(LABELS, max_size=3),
    }[parameter.type]


@st.composite
def drawn_tables(draw: st.DrawFn) -> dict[str, Any]:
    rule = draw(st.sampled_from(list(RULES.values())))
    label = {} if rule.sides is Sides.NEITHER else {"label": draw(LABELS)}
    needed = {name: values(rule.by_name[name]) for name in rule.needs}
    optional = {name: values(one) for name, one in rule.by_name.items() if name not in needed}
    parameters = draw(st.fixed_dictionaries(needed, optional=optional))
    return {"rule": rule.name, **label, **parameters}


@given(drawn_tables())
def test_the_text_of_a_task_is_one_line_that_reads_back_and_breaks_no_signature(table: dict[str, Any]) -> None:
    task = read_task("one", table)
    text = str(task)
    assert text.isprintable()
    assert "|" not in text
    assert (text.count("("), text.count(")"), text[-1]) == (1, 1, ")")
    assert parse_task(text) == task
    assert str(parse_task(text)) == text


def test_a_text_has_one_form():
    def check(text: str, canonical: str) -> None:
        assert str(parse_task(text)) == canonical

    check_rows(check, TABLES["forms"].items())


def test_defaults_hold_where_nothing_is_given() -> None:
    gold = parse_task("gold=judgments()")
    assert (gold["by"], gold["max_positives"], gold["rel"], gold.gains, gold.recall) == (
        "text",
        0,
        1,
        "linear",
        "judged",
    )
    brand = parse_task("brand=equal(brand)")
    assert (brand.judged, brand.recall, brand.gains) == (False, None, "linear")
    overlap, similar = parse_task("o=overlap(a)"), parse_task("o=overlap(a, jaccard=0.5)")
    assert (overlap["least"], overlap["jaccard"]) == (1, None)
    assert (similar["least"], similar["jaccard"]) == (None, 0.5)
    span = parse_task("passage=span(spans)")
    assert (span["least"], span["file"]) == (1, LabelPaths((), (("file",), ("meta", "file"))))
    assert span.label == LabelPaths((("spans",),), ())


SHOP = toml_value((Path(__file__).parent / "shop.toml").read_bytes(), "shop.toml")


def test_tasks_of_a_toml_call_its_labels_by_name() -> None:
    brand, price, maker, mixed = read_tasks(SHOP, "shop.toml")
    assert brand == parse_task("brand=equal(meta.brand)")
    assert brand.label is not None
    assert brand.label.name == "brand"
    category = '{paths = ["category", "meta.category"], ignore = "[]"}'
    assert str(price) == f'price=within(meta.price, relative=0.2, same=["meta.brand", {category}])'
    assert str(maker) == 'maker=overlap({query = "brand", hit = "meta.maker"})'
    assert str(mixed) == (
        'mixed=equal({query = ["category", "meta.category"], hit = "meta.kind", ignore = "[]"}, recall=5)'
    )


def test_a_text_may_call_labels_by_name_too() -> None:
    labels = read_labels(SHOP, "shop.toml")
    assert parse_task("same=equal(brand)", labels) == parse_task("same=equal(meta.brand)")
    assert parse_task("same=equal(brand.name)", labels).label == LabelPaths((("brand", "name"),), (("brand", "name"),))


def test_a_text_that_is_no_task_is_an_error_of_one_line():
    def check(text: str, message: str) -> None:
        with pytest.raises(InputError) as caught:
            parse_task(text)
        assert str(caught.value).startswith(f"--task '{text}': {message}")

    check_rows(check, TABLES["texts"].items())


@given(st.text(max_size=40) | st.text(max_size=20).map(lambda inside: f"a=equal({inside})"))
def test_any_text_is_a_task_or_an_error_of_one_line(text: str) -> None:
    problem = ""
    try:
        task = parse_task(text)
    except InputError as error:
        problem = str(error)
    else:
        assert parse_task(str(task)) == task
    assert len(problem.splitlines()) <= 1


def test_a_text_of_any_length_is_shown_short() -> None:
    with pytest.raises(InputError) as caught:
        parse_task("a=equal(" + "[" * 100_000 + ")")
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(("toml", "message"), TABLES["toml"].items())
def test_a_toml_with_what_is_no_task_is_an_error_that_names_the_file(toml: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_tasks(toml_value(toml.encode(), "shop.toml"), "shop.toml")
    assert str(caught.value).startswith(message)


def test_every_rule_says_what_it_means_and_compares_by_its_parameters() -> None:
    assert list(RULES) == ["judgments", "equal", "overlap", "contains", "within", "span"]
    for rule in RULES.values():
        assert rule.meaning
        assert list(rule.by_name)[-1] == "recall"
        assert all(parameter.meaning for parameter in rule.parameters)
        if rule.comparison is not None:
            assert {field.name for field in fields(rule.comparison)} == {*rule.by_name, "label"} - {"recall"}


def test_a_task_is_a_value() -> None:
    one, other = parse_task("a=equal(b)"), parse_task("a=equal(b, recall=3)")
    assert {one, parse_task("a=equal(b)")} == {one}
    assert one != other
    assert isinstance(one, Task)


# Where a label stands, as a text, a list or a table

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


BRAND = ("meta", "brand")


@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_a_path_of_any_names_is_one_line_that_reads_back(names: list[str]) -> None:
    text = path_text(tuple(names))
    assert text.isprintable()
    assert not set(text) & set("|()")
    assert read_path(text) == tuple(names)


@pytest.mark.parametrize(("text", "path"), TABLES["odd_names"])
def test_names_with_odd_characters_stand_in_quotes(text: str, path: tuple[str, ...]) -> None:
    assert read_path(text) == tuple(path)


def test_what_is_no_path_is_an_error_of_one_line():
    def check(text: Any) -> None:
        with pytest.raises(InputError, match="is not a path") as caught:
            read_path(text)
        assert str(caught.value).isprintable()

    check_each(
        check,
        [
            *("", ".", "a.", ".a", "a..b", "a b", "a,b", 'a"b"', '"a', r'"\x"', "a\nb", "a|b", "a(b)", '"a" "b"'),
            *(r'"\ud800"', "a\u200bb", ".".join("a" * 33), 3, None, True, ["a"]),
        ],
    )


@pytest.mark.parametrize(
    ("given", "label", "value"),
    [
        ("meta.brand", LabelPaths((BRAND,), (BRAND,)), "meta.brand"),
        (["meta.brand"], LabelPaths((BRAND,), (BRAND,)), "meta.brand"),
        ({"paths": "meta.brand"}, LabelPaths((BRAND,), (BRAND,)), "meta.brand"),
        (
            ["brand", "meta.brand", "brand"],
            LabelPaths((("brand",), BRAND), (("brand",), BRAND)),
            ["brand", "meta.brand"],
        ),
        ({"query": "a", "hit": ["b", "c"]}, LabelPaths((("a",),), (("b",), ("c",))), {"query": "a", "hit": ["b", "c"]}),
        ({"query": "a", "hit": "a"}, LabelPaths((("a",),), (("a",),)), "a"),
        ({"paths": "a", "ignore": "]["}, LabelPaths((("a",),), (("a",),), "[]"), {"paths": "a", "ignore": "[]"}),
    ],
)
def test_a_label_has_one_form(given: Any, label: LabelPaths, value: Any) -> None:
    assert read_label(given, {}) == label
    assert label.value == value
    assert read_label(label.value, {}) == label


def test_a_name_of_a_label_goes_before_a_path_and_is_no_part_of_what_it_is() -> None:
    named = LabelPaths((BRAND,), (BRAND,), name="brand")
    assert read_label("brand", {"brand": named}) is named
    assert read_label("brand", {}) == LabelPaths((("brand",),), (("brand",),))
    assert named == LabelPaths((BRAND,), (BRAND,))
    assert (named.called, LabelPaths((), (BRAND,)).called) == ("brand", "meta.brand")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "a label has from 1 to 32 paths, and not 0"),
        ([f"a{n}" for n in range(33)], "a label has from 1 to 32 paths, and not 33"),
        (3, "3 is not a path: a path is a text such as meta.brand"),
        ({}, "a label has either paths, or both query and hit"),
        ({"query": "a"}, "a label has either paths, or both query and hit"),
        ({"paths": "a", "hit": "b"}, "a label has either paths, or both query and hit"),
        ({"path": "a"}, "a label has paths, query, hit and ignore, and no 'path'"),
        ({"paths": "a", "ignore": 3}, "ignore is a text with the characters that are left out"),
        ({"paths": {"a": 1}}, "{'a': 1} is not a path: a path is a text such as meta.brand"),
    ],
)
def test_what_is_no_label_is_an_error(given: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_label(given, {})
    assert str(caught.value) == message


# The tasks of a data set: those of its `dataset.toml`, or those of legal cases

DEFINED_SHOP = """
cluster = "shop"

[labels]
brand = ["brand", "meta.brand"]

[tasks.brand]
label = "brand"
rule = "equal"

[tasks.gold]
rule = "judgments"
"""


def test_legal_cases_have_four_tasks() -> None:
    gold, accusation, article, imprisonment = legal_cases()
    assert [task.name for task in legal_cases()] == ["gold", "accusation", "article", "imprisonment"]
    assert {task.recall for task in legal_cases()} == {10}
    assert (gold.rule, gold["by"], gold["max_positives"], gold["rel"]) == ("judgments", "text", 10, 1)
    assert (accusation.rule, article.rule, imprisonment.rule) == ("equal", "equal", "within")
    assert accusation.label is not None
    assert (accusation.label.ignore, accusation.label.name) == ("[]", "accusation")
    assert (imprisonment["absolute"], imprisonment["relative"]) == (6, 0.2)
    assert all(parse_task(str(task)) == task for task in legal_cases())


def test_a_data_set_without_tasks_has_those_of_legal_cases(tmp_path: Path) -> None:
    assert tasks_of(described(tmp_path)) == legal_cases()
    for text in ('cluster = "city"', "[labels]\nbrand = 'meta.brand'", "[tasks]"):
        assert tasks_of(described(tmp_path, text)) == legal_cases()


def test_a_data_set_with_tasks_has_those_alone_and_keeps_its_cluster(tmp_path: Path) -> None:
    found = described(tmp_path, DEFINED_SHOP)
    assert found.cluster == "shop"
    assert list(map(str, tasks_of(found))) == ['brand=equal(["brand", "meta.brand"])', "gold=judgments()"]


def test_further_tasks_may_call_the_labels_of_the_described(tmp_path: Path) -> None:
    found = tasks_of(
        described(tmp_path, DEFINED_SHOP), ["like=overlap(brand)", "price=within(meta.price, relative=0.2)"]
    )
    assert list(map(str, found[2:])) == [
        'like=overlap(["brand", "meta.brand"])',
        "price=within(meta.price, relative=0.2)",
    ]


def test_further_tasks_may_call_the_labels_of_legal_cases_where_those_are_the_tasks(tmp_path: Path) -> None:
    *_, accused = tasks_of(described(tmp_path), ["accused=overlap(accusation)"])
    assert accused.label == legal_cases()[1].label
    *_, accused = tasks_of(described(tmp_path, DEFINED_SHOP), ["accused=overlap(accusation)"])
    assert str(accused) == "accused=overlap(accusation)"


def test_a_task_named_twice_is_an_error_that_says_where(tmp_path: Path) -> None:
    found = described(tmp_path, DEFINED_SHOP)
    with pytest.raises(InputError) as caught:
        tasks_of(found, ["brand=equal(name)"])
    assert str(caught.value) == (
        f"task brand appears twice in {tmp_path / 'dataset.toml'} and --task; give one of them another name"
    )
    with pytest.raises(InputError, match=r"task gold appears twice in the tasks of legal-cases\.toml and --task"):
        tasks_of(described(tmp_path, "cluster = 'a'"), ["gold=judgments()"])


def test_a_bad_description_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        tasks_of(described(tmp_path, "[tasks.brand]\nrule = 'equals'\nlabel = 'brand'"))
    assert str(caught.value) == (
        f"{tmp_path / 'dataset.toml'}, [tasks.brand]: there is no rule 'equals'; did you mean equal?"
    )


def test_a_signature_names_the_tasks_of_legal_cases_and_writes_out_all_others() -> None:
    assert said_tasks(legal_cases()) == "gold,accusation,article,imprisonment"
    _, accusation, *_ = legal_cases()
    changed = parse_task("gold=judgments(by='id', max_positives=10, recall=10)")
    brand = parse_task('brand=equal(meta."a|b", recall=3)')
    assert said_tasks([changed, accusation, brand]) == (
        'gold=judgments(by="id", max_positives=10, recall=10),accusation,brand=equal(meta."a\\u007Cb", recall=3)'
    )
    assert said_tasks([parse_task("accusation=equal(meta.accusation)")]) == "accusation=equal(meta.accusation)"


# What a task may be called, and which tasks may stand together

NAMES_TABLES = tables(__file__, "names")


@pytest.mark.parametrize(
    "name", ["brand", "a", "7", "list-price", "list_price", "品牌", "A1", "x" * 64, "gold", "golden"]
)
def test_letters_and_digits_are_a_name(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize(
    "name", ["", " ", "a b", "-a", "a-", "_a", "a.b", "a@b", "a,b", "a|b", "a\n", "x" * 65, "é\u0301x"]
)
def test_other_characters_are_none(name: str) -> None:
    with pytest.raises(InputError, match="is not a task name: a name has up to 64 letters and digits"):
        check_name(name)


def test_the_name_of_a_measure_is_none_of_a_task():
    def check(name: str) -> None:
        with pytest.raises(InputError, match="it is the name of a measure"):
            check_name(name)

    check_each(check, [*CATALOG, "ndcg", "map", "mrr", "P_5", "ndcg_cut", "recall-10", "microF1"])


def test_the_name_of_a_column_or_of_a_part_of_gates_is_none_of_a_task():
    def check(name: str, also: str) -> None:
        with pytest.raises(InputError, match="it is used in columns of tables or in gates"):
            check_name(also or name)

    check_rows(
        check,
        itertools.product(
            ["query_id", "Place", "rank", "id", "score", "self", "copy", "duplicate", "positive_id"], ["", "spread"]
        ),
    )


def test_tasks_of_several_sources_stand_in_their_order() -> None:
    file, option = parse_tasks(["a=equal(x)", "b=judgments()"]), parse_tasks(["c=judgments(rel=3)"])
    assert together({"dataset.toml": file, "--task": option}) == (*file, *option)
    assert together({}) == ()


@pytest.mark.parametrize(("texts", "message"), NAMES_TABLES["together"])
def test_tasks_that_cannot_stand_together_are_an_error(texts: list[str], message: str) -> None:
    described = parse_task("brand=equal(x)"), parse_task("gold=judgments()")
    with pytest.raises(InputError) as caught:
        together({"dataset.toml": described, "--task": parse_tasks(texts)})
    assert str(caught.value) == message


def test_64_tasks_stand_together_and_no_more() -> None:
    many = parse_tasks([f"a{n}=equal(x)" for n in range(65)])
    assert len(together({"--task": many[:64]})) == 64
    with pytest.raises(InputError) as caught:
        together({"dataset.toml": many[:2], "--task": many[2:]})
    assert str(caught.value) == "there are 65 tasks in dataset.toml and --task, and a run has at most 64"


# Values as TOML on one line, and texts parted at commas

TOML_TEXT_TABLES = tables(__file__, "toml_text")


PLAIN = TEXTS | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)


VALUES = st.recursive(
    PLAIN, lambda one: st.lists(one, max_size=3) | st.dictionaries(TEXTS, one, max_size=3), max_leaves=6
)


@given(VALUES)
def test_a_printed_value_is_one_line_that_reads_back(some: Any) -> None:
    text = printed(some)
    assert text.isprintable()
    assert not set(text) & set("|()")
    assert value(text) == some


@given(st.lists(VALUES, min_size=1, max_size=4))
def test_values_are_parted_at_the_commas_between_them(some: list[Any]) -> None:
    assert [value(part.strip()) for part in parts(", ".join(map(printed, some)))] == some


@pytest.mark.parametrize(("text", "parted"), TOML_TEXT_TABLES["parted"].items())
def test_commas_in_quotes_and_brackets_part_nothing(text: str, parted: list[str]) -> None:
    assert list(parts(text)) == parted


@pytest.mark.parametrize(
    "text", ["", "x", "0.2.1", '"a', "1, other = 2", "1}, x = {a = 1", "1 # one", "1\n", "[" * 1000, '"\ud800"', "01"]
)
def test_what_is_no_value_is_an_error(text: str) -> None:
    with pytest.raises(InputError, match=r"it (is|has)"):
        value(text)


# Tasks as the kernels take them, and the labels that are read for them


def of(*texts: str) -> CompiledTasks:
    return compiled(parse_tasks(texts))


def rows(found: CompiledTasks) -> list[dict[str, Any]]:
    """Return the numbers and rows of labels that each task compares."""
    return [
        {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in vars(one).items()}
        for one in found.comparisons
    ]


def test_what_several_tasks_compare_is_one_column() -> None:
    found = of("a=equal(brand)", "b=overlap(brand)", "c=within(price, absolute=1, same=['brand'])")
    assert [one.name for one in found.schema.labels] == ["brand", "price"]
    assert rows(found) == [
        {"label": 0},
        {"label": 0, "least": 1.0, "jaccard": math.inf},
        {"label": 0, "absolute": 1.0, "relative": 0.0, "same": [0], "unless": []},
    ]


def test_a_path_compared_in_two_ways_is_two_columns() -> None:
    found = of("a=equal(x)", "b=within(x, absolute=1)", "c=within(y, absolute=1, unless=['x'], same=['x'])")
    x, of_hits = (("x",),), (("x",), ("meta", "x"))
    assert found.schema.labels == (
        Label("x", Kind.SET, x, of_hits),
        Label("x as number", Kind.NUMBER, x, of_hits),
        Label("x as flag", Kind.FLAG, x, of_hits),
        Label("y", Kind.NUMBER, (("y",),), (("y",), ("meta", "y"))),
    )
    assert [one["label"] for one in rows(found)] == [0, 0, 1]
    assert (rows(found)[2]["same"], rows(found)[2]["unless"]) == ([0], [1])


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
    assert rows(found) == [
        {"label": 0, "least": 20.0, "file": 0, "start": 0, "end": 1},
        {"label": 0, "least": 1.0, "file": 0, "start": 0, "end": 1},
        {"label": 1, "least": 1.0, "file": 1, "start": 0, "end": 1},
        {"label": 2},
    ]


def test_a_label_of_a_hit_is_looked_for_in_its_meta_after_all_paths() -> None:
    one, other = of("a=equal(['brand', 'meta.brand'])", "b=equal(['maker.name', 'brand'])").schema.labels
    assert one.hit == (("brand",), ("meta", "brand"))
    assert other.hit == (("maker", "name"), ("brand",), ("meta", "maker", "name"), ("meta", "brand"))
    assert other.query == (("maker", "name"), ("brand",))


# The shop of docs/tasks.md is measured as the page prints

FILE = documented.ROOT / "docs" / "tasks.md"


PAGE = FILE.read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return [one.text for one in documented.blocks(FILE) if one.language == language]


def test_the_tasks_of_the_file_are_those_of_the_command_line() -> None:
    (described,), (texts,) = blocks("toml"), blocks("text")
    tasks = read_tasks(toml_value(described.encode(), "dataset.toml"), "dataset.toml")
    assert tasks == parse_tasks(texts.splitlines())
    assert list(map(str, tasks)) == texts.splitlines()


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the files of the page, and go to the folder above them."""
    assert list(documented.files(FILE)) == ["shop/tiered.jsonl", "shop/collection.jsonl", "shop/dataset.toml"]
    documented.write(FILE, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "shop"


@pytest.mark.slow  # three runs, each with a process that serves
def test_the_commands_of_the_shop_print_what_the_page_shows(
    capsys: pytest.CaptureFixture[str], shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    commands = [shlex.split(line)[1:] for line in "".join(blocks("sh")).splitlines()]
    first, *others = (said(capsys, *command) for command in commands)
    (shown,) = re.findall(r"```\n(● bm25 reaches.*?)\n…[^\n]*\n```", PAGE, flags=re.DOTALL)
    assert documented.prints(first.output, shown)
    assert [one.code for one in (first, *others)] == [0, 0, 0]
    assert ["Whole" in one.output for one in others] == [True, False]


@pytest.mark.slow  # a process that serves
def test_each_value_of_the_shop_is_that_of_plain_python(capsys: pytest.CaptureFixture[str], shop: Path) -> None:
    whole = "whole=contains(meta.categories)"
    out = shop.parent / "results"
    assert said(capsys, "run", "--dataset", shop, "--task", whole, "-k", "1,2,3", "--out", out).code == 0
    measured_labels.check(shop, out, ("brand", "price", "category", "whole"), (1, 2, 3), whole)


# Tasks that no query has what it takes for, and what recall divides by where nobody can count

TASKS = '[tasks.brand]\nrule = "equal"\nlabel = "brand"\n[tasks.size]\nrule = "equal"\nlabel = "size"\n'


def of_two_tasks(folder: Path, collection: bool = True) -> DataSet:
    """Return a data set of two tasks, one of which compares what no query has."""
    write_lines(folder / "tiered.jsonl", [{"query": {"text": "red shoe", "brand": "Nimbus"}}])
    (folder / "dataset.toml").write_text(TASKS)
    if collection:
        write_lines(folder / "collection.jsonl", [{"_id": f"p{n}", "text": "a", "brand": "Nimbus"} for n in range(3)])
    return locate(folder)


def test_tasks_of_legal_cases_that_no_query_has_labels_for_are_left_out_silently(tmp_path: Path):
    lines = [{"query": {"fact": "a theft", "accusation": "theft"}}]
    judging = judging_of(Criteria(), locate(write_lines(tmp_path / "cases.jsonl", lines)))
    assert (judging.tasks, judging.notes) == (("accusation",), ())


def test_a_signature_says_what_recall_divides_by_with_a_collection_and_without(tmp_path: Path):
    (tmp_path / "without").mkdir()
    judging = judging_of(Criteria(), of_two_tasks(tmp_path))
    other = judging_of(Criteria(), of_two_tasks(tmp_path / "without", collection=False))
    assert (judging.denominators.signed, judging.denominators.relevant.tolist()) == ("full", [[3]])
    assert (other.denominators.signed, other.denominators.relevant.tolist()) == ("fixed", [[10]])
    assert "so recall of brand divides by 10" in other.notes[-1]


def test_a_task_for_which_the_collection_has_no_relevant_document_is_noted(tmp_path: Path):
    of_two_tasks(tmp_path)
    judging = judging_of(Criteria(task="maker=equal(query_label='brand', hit_label='product.maker')"), locate(tmp_path))
    assert judging.denominators.relevant.tolist() == [[3, 0]]
    assert judging.notes[-1] == (
        "no document of the collection is relevant for a query in task maker: measures that need their number, such as "
        "recall and nDCG, are 0 there"
    )
