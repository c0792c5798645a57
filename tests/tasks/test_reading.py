"""Tasks from the tables of a TOML and from the text of `--task`, and the sentences on what is none."""

from pathlib import Path
from typing import Any

import pytest
from cases import check_rows, tables
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.kernels.rules import Rule
from benchbench.tables.text_files import toml_value
from benchbench.tasks.label_paths import LabelPaths, path_text
from benchbench.tasks.reading import parse_task, read_labels, read_task, read_tasks
from benchbench.tasks.rules import BY_NAME, RULES, Parameter, Sides
from benchbench.tasks.task import Task

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
def tables(draw: st.DrawFn) -> dict[str, Any]:
    definition = draw(st.sampled_from(list(RULES.values())))
    label = {} if definition.sides is Sides.NEITHER else {"label": draw(LABELS)}
    needed = {name: values(definition.by_name[name]) for name in definition.needs}
    optional = {name: values(one) for name, one in definition.by_name.items() if name not in needed}
    parameters = draw(st.fixed_dictionaries(needed, optional=optional))
    return {"rule": definition.name, **label, **parameters}


@given(tables())
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


def test_every_rule_of_the_kernel_has_a_row_with_what_it_means() -> None:
    assert list(RULES) == list(Rule)
    assert list(BY_NAME) == ["judgments", "equal", "overlap", "contains", "within", "span"]
    for definition in RULES.values():
        assert definition.meaning
        assert list(definition.by_name)[-1] == "recall"
        assert all(parameter.meaning for parameter in definition.parameters)


def test_a_task_is_a_value() -> None:
    one, other = parse_task("a=equal(b)"), parse_task("a=equal(b, recall=3)")
    assert {one, parse_task("a=equal(b)")} == {one}
    assert one != other
    assert isinstance(one, Task)
