"""Tasks that no query has what it takes for, and what recall divides by where nobody can count."""

from pathlib import Path

from data_sets import write_lines

from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.locate import locate
from benchbench.tasks.criteria import Criteria
from benchbench.tasks.judging import judging_of

TASKS = '[tasks.brand]\nrule = "equal"\nlabel = "brand"\n[tasks.size]\nrule = "equal"\nlabel = "size"\n'


def shop(folder: Path, collection: bool = True) -> DataSet:
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
    judging = judging_of(Criteria(), shop(tmp_path))
    other = judging_of(Criteria(), shop(tmp_path / "without", collection=False))
    assert (judging.denominators.said, judging.denominators.relevant.tolist()) == ("full", [[3]])
    assert (other.denominators.said, other.denominators.relevant.tolist()) == ("fixed", [[10]])
    assert "so recall of brand divides by 10" in other.notes[-1]


def test_a_task_for_which_the_collection_has_no_relevant_document_is_noted(tmp_path: Path):
    shop(tmp_path)
    judging = judging_of(Criteria(task="maker=equal(query_label='brand', hit_label='product.maker')"), locate(tmp_path))
    assert judging.denominators.relevant.tolist() == [[3, 0]]
    assert judging.notes[-1] == (
        "no document of the collection is relevant for a query in task maker: measures that need their number, such as "
        "recall and nDCG, are 0 there"
    )
