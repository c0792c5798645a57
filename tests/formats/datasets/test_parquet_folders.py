"""Folders of Parquet as they are found: splits, shards, numbers as ids."""

from pathlib import Path

import makes
import pytest
from makes import MAKES, SMALL

from benchbench.errors import InputError
from benchbench.formats.datasets.locate import locate
from benchbench.formats.datasets.reading import read_queries


def write(folder: Path, parts: dict[str, dict[str, list[object]]]) -> Path:
    for name, columns in parts.items():
        makes.parquet(folder / name, columns)
    return folder


def ids(folder: Path, **options: str) -> list[str]:
    return list(read_queries(locate(folder, **options)).ids)


def test_splits_are_the_beginnings_of_names_or_folders(tmp_path: Path) -> None:
    MAKES["parquet, as MTEB"](tmp_path / "mteb", SMALL)
    assert locate(tmp_path / "mteb").splits == ("test", "train")
    assert (locate(tmp_path / "mteb").split, locate(tmp_path / "mteb", split="train").split) == ("test", "train")
    MAKES["parquet, a converted branch"](tmp_path / "converted", SMALL)
    assert (locate(tmp_path / "converted").splits, len(locate(tmp_path / "converted").qrels)) == (("test",), 2)
    with pytest.raises(InputError, match=r"has no split dev; there are: test$"):
        locate(tmp_path / "converted", split="dev")


def test_single_files_are_parts_without_splits(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        {
            "queries.parquet": {"_id": ["a"], "text": ["one"]},
            "qrels.parquet": {"query-id": ["a"], "corpus-id": ["d"], "score": [1]},
        },
    )
    found = locate(folder)
    assert (found.make, found.split, found.splits, found.collection) == ("parquet", "", (), None)
    assert ids(folder) == ["a"]


@pytest.mark.parametrize("form", ["queries/{}-00000-of-00001.parquet", "queries/{}/0000.parquet"])
def test_where_queries_have_splits_too_those_of_the_split_are_read(tmp_path: Path, form: str) -> None:
    folder = write(
        tmp_path,
        {
            form.format("test"): {"_id": ["a"], "text": ["one"]},
            form.format("dev"): {"_id": ["a"], "text": ["another one of the same id"]},
            "qrels/test/0.parquet": {"query-id": ["a"], "corpus-id": ["d"], "score": [1]},
            "qrels/dev/0.parquet": {"query-id": ["a"], "corpus-id": ["d"], "score": [1]},
        },
    )
    assert list(read_queries(locate(folder)).texts) == ["one"]
    assert list(read_queries(locate(folder, split="dev")).texts) == ["another one of the same id"]


def test_a_default_that_was_pushed_to_the_hub_lies_in_data_beside_a_readme(tmp_path: Path) -> None:
    shard = "test-00000-of-00001.parquet"
    folder = write(
        tmp_path,
        {
            f"corpus/{shard}": {"_id": ["d"], "text": ["oak"]},
            f"queries/{shard}": {"_id": ["q"], "text": ["tree"]},
            f"data/{shard}": {"query-id": ["q"], "corpus-id": ["d"], "score": [1]},
        },
    )
    (folder / "README.md").write_text("# trees\n")
    assert (locate(folder).make, locate(folder).split, ids(folder)) == ("parquet", "test", ["q"])
