"""What a data set decides is said in one sentence."""

from pathlib import Path

import one_data_set
import pytest

from benchbench.errors import InputError
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.locate import locate
from benchbench.runs.settings import Settings
from benchbench.tasks.criteria import Criteria
from benchbench.tasks.in_force import rules_in_force
from benchbench.tasks.judging import judging_of

BY_ID = "a hit is the query itself by its id or its text, and relevant by its id"


@pytest.fixture
def beir(tmp_path: Path) -> DataSet:
    one_data_set.beir(tmp_path / "data")
    return locate(tmp_path / "data")


def note(data: DataSet, criteria: Criteria) -> str:
    settings = Settings(data, url="http://127.0.0.1:1", criteria=criteria)
    return judging_of(settings.criteria, settings.dataset, top_k=settings.top_k).defaults[0]


def test_what_is_taken_by_default_is_named(beir: DataSet) -> None:
    assert note(beir, Criteria()) == (
        "beir data, split test: by default nDCG@10, R@100, AP@100, RR@10; 120 hits per query are asked for; recall "
        f"divides by all relevant documents; {BY_ID}"
    )


def test_what_is_asked_for_is_not_called_a_default(beir: DataSet) -> None:
    for criteria, hits in ((Criteria(measures=["nDCG@10"]), 20), (Criteria(cutoffs=50), 70)):
        assert note(beir, criteria) == (
            f"beir data, split test: {hits} hits per query are asked for; recall divides by all relevant documents; "
            f"{BY_ID}"
        )
    assert "recall divides by the relevant documents, at most 10; a hit is the query itself by its text, and" in note(
        beir, Criteria(recall_denominator="capped", self_by="text")
    )


def test_fewer_hits_than_the_largest_cutoff_are_refused(beir: DataSet) -> None:
    with pytest.raises(InputError, match="--top-k 50 is smaller than the largest cut-off 100"):
        Settings(beir, url="http://127.0.0.1:1", top_k=50)


def test_measures_at_several_ranks_and_denominators_of_several_tasks_are_put_together(beir: DataSet) -> None:
    labels = Criteria(measures=[f"{name}@{k}" for k in (3, 5, 10) for name in ("P", "R", "Success", "nDCG", "RR")])
    said = rules_in_force(beir, labels, "brand=full,price=10", False, None)
    assert said == (
        "beir data, split test: by default P, R, Success, nDCG, RR at 3, 5, 10; recall divides by all relevant "
        "documents (brand) and 10 (price); a hit is the query itself by its text"
    )


def test_the_other_splits_are_named(beir: DataSet) -> None:
    path = beir.queries.path.parent / "qrels" / "dev.tsv"
    path.write_text("query-id\tcorpus-id\tscore\nq0\td0\t1\n")
    assert note(locate(path.parents[1]), Criteria()).startswith("beir data, split test of dev, test: by default ")


def test_tiered_data_need_no_such_sentence() -> None:
    assert judging_of(Criteria(), locate("synthetic-cases"), top_k=20).notes == ()
