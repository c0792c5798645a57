import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import data_sets
import pytest
import services
from any_result import UNBROKEN
from cases import first_of
from results.round_trip import round_trip

from benchbench.experiment import Outcome
from benchbench.measures.default_list import default_measures
from benchbench.report.blocks import Cell, Table
from benchbench.report.draw import draw, layout
from benchbench.report.layouts.run import MeasureTable, how_made, measure_table
from benchbench.results.estimates import MeasureEstimate
from benchbench.results.old_names import Part
from benchbench.runs.run_details import Run
from benchbench.tables.collection import Collection
from benchbench.tasks.criteria import Criteria


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return data_sets.write(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def outcome(data: Path) -> Outcome:
    with services.running(services.searching(data_sets.collection(data))) as service:
        return data_sets.outcome(data, service.url)


def table(outcome: Outcome) -> list[list[str | Cell]]:
    """Return the rows of the table that papers and pages have."""
    (found,) = (block for block in layout(outcome).of("markdown") if isinstance(block, Table))
    return [list(row) for row in found.rows]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0.25, 0.504, "0.333 (0.250 to 0.504)"), (None, None, "0.333"), (0.0, 0.0, "0.333 (0.000 to 0.000)")],
)
def test_a_cell_is_a_share_with_its_interval_where_there_is_one(outcome: Outcome, low, high, expected: str):
    one = MeasureEstimate(task="gold", measure="P@3", value=1 / 3, low=low, high=high)
    assert f"| Gold | P | {expected} |" in draw(replace(outcome, estimates=[one]), "markdown")


@pytest.mark.parametrize(
    ("method", "cluster", "said"),
    [
        (None, "", ""),
        ("sign flips of 9 groups of d", "d", "9 groups of d; Wilson where all are 0 or all are 1."),
        ("bootstrap", "", "95 % intervals: bootstrap; Wilson where all values are 0 or 1."),
    ],
)
def test_the_head_says_how_the_intervals_were_made_that_there_are(outcome: Outcome, method, cluster, said: str):
    low, high = (None, None) if method is None else (0.1, 0.2)
    mean = MeasureEstimate(task="gold", measure="P@3", value=0.15, low=low, high=high, interval=method)
    rate = replace(mean, measure="Success@3", interval=method and "Wilson")
    made = how_made(measured(replace(outcome, estimates=[mean, rate]), cluster))
    assert made.endswith(said)
    assert method or not made


def measured(outcome: Outcome, cluster: str = "") -> Run:
    """Return the run, with its queries in groups of a column."""
    return Run(Part(outcome.record), replace(outcome.details(), cluster=cluster))


def test_every_table_shows_the_same_numbers(outcome: Outcome):
    cells = [[cell for cell in row if isinstance(cell, Cell)] for row in table(outcome)]
    numbers = [[cell.text for cell in row] for row in cells]
    whole = [[f"{cell.text} {cell.aside}" for cell in row] for row in cells]
    markdown = [line.strip("| ").split(" | ")[2:] for line in draw(outcome, "markdown").splitlines()[2:30]]
    assert markdown == whole
    latex = [line for line in draw(outcome, "latex").splitlines() if line.endswith(r"\\")][1:]
    assert [line.removesuffix(r" \\").split(" & ")[2:] for line in latex] == numbers
    text = draw(outcome, "text", UNBROKEN).split("\n\nLatency ")[0].partition("────\n")[2]
    assert [line[25:].replace(")", ")|").split("|") for line in text.splitlines() if line] == [
        [*(f"{'  ' * (place > 0)}{cell}" for place, cell in enumerate(row)), ""] for row in whole
    ]


def test_other_measures_stand_as_they_are_named_beside_one_another_where_that_is_a_table(data: Path, tmp_path: Path):
    measures = ("nDCG@5", "nDCG@10", "P@5", "NumRet")
    with services.running(services.searching(data_sets.collection(data))) as service:
        outcome = data_sets.outcome(data, service.url, criteria=Criteria(("gold", "article"), measures=measures))
    loaded = round_trip(outcome, tmp_path / "out")
    head, *lines = draw(loaded, "text", UNBROKEN).split("\n\nLatency ")[0].partition("\n\n")[2].splitlines()
    returned = f"{outcome.per_query['gold.NumRet'].sum():.0f}"
    assert head.endswith(" NumRet is a total.")
    assert [line.split()[:2] for line in lines if line] == [
        ["Task", "Metric"],
        ["───────", "──────"],
        ["Gold", "nDCG"],
        ["P", lines[3].split()[1]],
        ["NumRet", returned],
        ["Article", "nDCG"],
        ["P", lines[7].split()[1]],
        ["NumRet", returned],
    ]
    assert lines[0].split()[2:] == ["@5", "@10", "all"]
    assert max(map(len, lines)) <= 80


def test_the_default_measures_have_a_column_per_cut_off_under_what_people_call_them():
    table = measure_table([str(one) for one in default_measures((3, 10))])
    assert table.heads == ("@3", "@10")
    titles = ["Precision", "Recall", "Success", "Macro-F1", "Micro-F1", "nDCG", "RR"]
    assert [title for title, _ in table.rows] == titles
    assert table.rows[4] == ("Micro-F1", ("microF1@3", "microF1@10"))


@pytest.mark.parametrize(
    ("names", "heads", "rows"),
    [
        (["nDCG@10", "P@5", "nDCG@5"], ("@5", "@10"), (("nDCG", ("nDCG@5", "nDCG@10")), ("P", ("P@5", None)))),
        (["P@10", "P(rel=2)@10"], ("@10",), (("P", ("P@10",)), ("P(rel=2)", ("P(rel=2)@10",)))),
        (["RBP", "AP"], ("all",), (("RBP", ("RBP",)), ("AP", ("AP",)))),
        (["AP", "P@5", "AP@100"], ("@5", "@100", "all"), (("AP", (None, "AP@100", "AP")), ("P", ("P@5", None, None)))),
        (["AP", "AP@5", "P@5"], ("@5", "all"), (("AP", ("AP@5", "AP")), ("P", ("P@5", None)))),
        (
            ["IPrec@0.1", "P@1", "IPrec@1.0"],
            ("@1", "@0.1", "@1.0"),
            (("IPrec", (None, "IPrec@0.1", "IPrec@1.0")), ("P", ("P@1", None, None))),
        ),
        (
            ["nDCG@10", "RBP", "AP@100"],
            ("Value",),
            (("nDCG@10", ("nDCG@10",)), ("RBP", ("RBP",)), ("AP@100", ("AP@100",))),
        ),
        ([], (), ()),
    ],
)
def test_others_have_columns_where_several_cells_of_a_row_are_filled(names, heads, rows):
    assert measure_table(names) == MeasureTable(heads, rows)


def test_a_row_that_would_be_too_long_becomes_several():
    many = [f"P@{k}" for k in (1, 5, 10, 20)]
    assert measure_table(many) == MeasureTable(("Value",), tuple((name, (name,)) for name in many))
    assert measure_table(["nDCG(gains='exp')@5", "nDCG(gains='exp')@10", "nDCG(gains='exp')@20"]).heads == ("Value",)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["P@5"], ""),
        (["P@5", "NumRet"], "NumRet is a total."),
        (["NumQ", "P@5", "NumRel(rel=2)"], "NumQ and NumRel(rel=2) are totals."),
    ],
)
def test_what_is_no_share_is_said(outcome: Outcome, names: list[str], said: str):
    estimates = [MeasureEstimate(task="gold", measure=name, value=1.0) for name in names]
    assert how_made(measured(replace(outcome, estimates=estimates))) == said


def test_csv_and_json_lines_lose_no_bit(outcome: Outcome):
    table = list(csv.reader(io.StringIO(draw(outcome, "csv"))))
    assert table[0] == ["task", "measure", "value", "stderr", "low", "high", "interval", "design_effect"]
    rows = [dict(zip(table[0], row, strict=True)) for row in table[1:]]
    numbers = [{name: float(row[name]) for name in ("value", "stderr", "low", "high")} for row in rows]
    texts = [{name: row[name] or None for name in ("task", "measure", "interval", "design_effect")} for row in rows]
    assert [MeasureEstimate(**one | two) for one, two in zip(numbers, texts, strict=True)] == outcome.estimates
    assert [MeasureEstimate(**json.loads(line)) for line in draw(outcome, "jsonl").splitlines()] == outcome.estimates


def test_a_value_without_interval_has_empty_cells_in_csv(tmp_path: Path):
    data = data_sets.write(tmp_path)
    data_sets.write_lines(data / "tiered.jsonl", data_sets.lines()[:1])
    with services.running(services.searching(data_sets.collection(data))) as service:
        alone = data_sets.outcome(data, service.url)
    assert draw(alone, "csv").splitlines()[1].endswith(",,,")
    assert "[" not in draw(alone, "markdown")


def test_a_client_that_was_the_bottleneck_is_told_in_text_page_and_json(outcome: Outcome):
    assert "Client      event loop late by " in draw(outcome, "text", UNBROKEN)
    told = replace(outcome, bottleneck="The client was the bottleneck: <so>.")
    assert "Note        The client was the bottleneck: <so>.\n" in draw(told, "text", UNBROKEN)
    assert draw(told, "text", UNBROKEN).startswith("○ ")
    assert "The client was the bottleneck: &lt;so&gt;." in draw(told, "html")
    assert json.loads(draw(told, "json"))["client"] == {**outcome.client, "bottleneck": told.bottleneck}
    assert outcome.client.keys() == {"looks", "busy_p90_ms", "lag_p90_ms", "lag_p99_ms", "lag_max_ms", "cpu"}


@pytest.mark.parametrize("answer", first_of("working", "failing", "other ids"))
def test_it_is_drawn_from_its_folder_as_it_was(data: Path, tmp_path: Path, answer: str):
    whole = data_sets.collection(data)
    working = services.searching(whole)
    other = services.searching(Collection([f"x{n}" for n in range(len(whole.ids))], whole.texts, whole.meta))
    answers = {"working": [working], "failing": [services.status(422, "gone"), working], "other ids": [other]}[answer]
    with services.running(*answers) as service:
        outcome = data_sets.outcome(
            data,
            service.url,
            batch_size=4,
            concurrency=1,
            criteria=Criteria(gold_by="id"),
            fail_if=("P@3<2", "p99>100s", "errors>1%"),
        )
    loaded = round_trip(outcome, tmp_path / "out")
    assert loaded.record.status == ("failed" if answer == "failing" else "complete")
