"""The catalogue of measures: complete, consistent, one row each."""

import re
import subprocess
import sys

import pytest

from benchbench.measures.catalog import CATALOG, LARGEST, Definition

NAMES = [
    "P", "R", "Success", "F1", "RR", "AP", "nDCG", "Rprec", "bpref", "RBP", "ERR", "Judged", "infAP", "IPrec",
    "SetP", "SetR", "SetF", "NumRet", "NumRel", "NumRelRet", "NumQ",
    "alpha_nDCG", "ERR_IA", "StRecall",
    "microP", "microR", "microF1",
]  # fmt: skip
each_measure = pytest.mark.parametrize("row", CATALOG.values(), ids=CATALOG)


def params(name: str) -> list[str]:
    return [param.name for param in CATALOG[name].params]


def test_each_measure_of_the_contract_has_its_row():
    assert list(CATALOG) == NAMES


@each_measure
def test_a_row_is_complete(row: Definition):
    """The definition is one sentence, and the citation has a year."""
    assert CATALOG[row.name] is row
    assert row.definition.endswith(".")
    assert ". " not in row.definition
    assert re.search(r"\b(19|20)[0-9]{2}$", row.citation)


@each_measure
def test_the_parameters_of_a_row_are_possible(row: Definition):
    """Names are unique, a numeric default is in its range, and exclusion is mutual."""
    known = {param.name: param for param in row.params}
    assert len(known) == len(row.params)
    for param in row.params:
        assert param.meaning
        assert param.low < param.high <= LARGEST
        if isinstance(param.default, int | float) and param.type != "flag":
            assert param.low < param.default < param.high
        if param.excludes is not None:
            assert known[param.excludes].excludes == param.name


def test_no_two_measures_share_a_name_whatever_its_case():
    names = [name for row in CATALOG.values() for name in (row.name.lower(), *row.aliases)]
    assert len(names) == len(set(names))
    assert all(name == name.lower().replace("-", "_") for name in names)


def test_rel_belongs_to_the_binary_measures_and_not_to_graded_ones():
    without = {name for name in CATALOG if "rel" not in params(name)}
    assert without == {"nDCG", "ERR", "Judged", "NumRet", "NumQ"}
    assert all(param.default == 1 for row in CATALOG.values() for param in row.params if param.name == "rel")


def test_whatever_uses_recall_takes_its_denominator():
    assert [name for name in CATALOG if {"cap", "denominator"} <= set(params(name))] == ["R", "F1", "microR", "microF1"]


def test_counts_are_summed_micro_averages_are_pooled_and_the_rest_are_means():
    other = {name: row.aggregate for name, row in CATALOG.items() if row.aggregate != "mean"}
    counts, pooled = ("NumRet", "NumRel", "NumRelRet", "NumQ"), ("microP", "microR", "microF1")
    assert other == dict.fromkeys(counts, "sum") | dict.fromkeys(pooled, "micro")


def test_only_the_level_of_interpolated_precision_is_a_recall():
    assert [name for name, row in CATALOG.items() if row.cutoff_type == "recall"] == ["IPrec"]


def test_the_catalogue_and_the_notation_import_nothing_heavy():
    code = "import sys; import benchbench.measures.notation; print(*{'numpy', 'numba', 'polars'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
