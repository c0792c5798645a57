"""compare with --margin, --need and --correction maxt, in each place where a result is shown."""

import json
from pathlib import Path

import compared
import pytest
from command_line import said, sentence

ASKED = ("-m", "nDCG@10", "--margin", "0.5", "--need", "0.1", "--resamples", "500")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    return compared.write_files(tmp_path)


def test_every_other_place_has_it_too(capsys, files, tmp_path: Path):
    page, folder = tmp_path / "page.html", tmp_path / "kept"
    value = json.loads(said(capsys, "compare", *files, *ASKED, "--format", "json", "--html", page).output)
    (one,) = value["differences"]
    assert one["margin"]["verdict"] == "worse"
    assert (one["changed"], one["found"], one["lost"]) == (one["wins"] + one["losses"], 0, 0)
    assert one["need"] > 1
    assert {"margin": 0.5, "need": 0.1}.items() <= value["settings"].items()
    scope = {"of": "margin", "system": "poor", "baseline": "good"}
    assert {"text": "nDCG@10: poor against good: worse", "scope": scope, "shown": "always"} in value["record"]["notes"]
    assert "<th" in page.read_text(encoding="utf-8")
    assert "p not inferior" in page.read_text(encoding="utf-8")
    code, output, errors = said(capsys, "compare", *files, *ASKED, "--format", "csv", "--out", folder)
    head, line = output.splitlines()
    columns = dict(zip(head.split(","), line.split(","), strict=True))
    assert columns["margin_verdict"] == "worse"
    assert float(columns["margin_low"]) < -0.5
    assert float(columns["need"]) == one["need"]
    assert (code, errors.startswith("Results in ")) == (0, True)
    shown = said(capsys, "show", folder, "--fail-if", "p_not_inferior nDCG@10 > 0.05")
    assert shown.code == 1


@pytest.mark.parametrize(
    ("gate", "code"),
    [
        ("p_not_inferior nDCG@10 > 0.05", 1),
        ("p_equivalent nDCG@10 <= 0.05", 0),
        ("changed nDCG@10 > 20%", 1),
        ("lost nDCG@10 > 0", 0),
        ("need nDCG@10 > 1 and p < 0.05", 1),
    ],
)
def test_gates_see_it(capsys, files, gate, code):
    assert said(capsys, "compare", *files, *ASKED, "--fail-if", gate).code == code


def test_a_gate_on_a_margin_needs_one(capsys, files):
    code, _, errors = said(capsys, "compare", *files, "--fail-if", "p_not_inferior nDCG@10 > 0.05")
    assert code == 2
    assert "p_not_inferior nDCG@10 is not measured" in errors


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--margin", "0"), "number above 0"),
        (("--need", "-1"), "number above 0"),
        (("--margin", "x"), "number above 0"),
        (("--correction", "maxt", "--test", "t"), "maxt is of the randomization test, and not of --test t"),
        (("--correction", "tukey"), "holm, maxt, bonferroni, bh"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused(capsys, files, options, reason):
    code, _, errors = said(capsys, "compare", *files, *options)
    assert code == 2
    assert reason in errors
    assert sentence(errors)
