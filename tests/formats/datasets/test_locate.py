"""A data set is found by file, folder or name, together with its collection and card."""

from pathlib import Path

import orjson
import pytest

from benchbench.errors import InputError
from benchbench.formats.datasets.locate import locate, shipped
from benchbench.formats.datasets.options import DEFAULT
from benchbench.formats.records import Part


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tiered.jsonl").write_bytes(b"{}\n")
    return tmp_path


def error(name: Path | str) -> str:
    with pytest.raises(InputError) as caught:
        locate(str(name))
    return str(caught.value)


def test_a_folder_and_the_file_in_it_are_the_same_data_set(folder: Path) -> None:
    (folder / "collection.jsonl").touch()
    (folder / "tiered.card.json").write_bytes(b'{"relevant": {}}')
    expected = (Part(folder / "tiered.jsonl"), Part(folder / "collection.jsonl"), {"relevant": {}})
    for name in (folder, folder / "tiered.jsonl"):
        found = locate(str(name))
        assert (found.queries, found.collection, found.card) == expected


def test_collection_and_card_may_be_missing(folder: Path) -> None:
    found = locate(str(folder))
    assert (found.collection, found.card) == (None, {})


def test_the_card_may_name_the_collection(folder: Path) -> None:
    (folder / "collection.jsonl").touch()
    (folder / "documents.jsonl").touch()
    (folder / "tiered.card.json").write_bytes(orjson.dumps({"collection": {"file": "documents.jsonl"}}))
    assert locate(str(folder)).collection == Part(folder / "documents.jsonl")


def test_the_card_of_a_file_has_its_name(folder: Path) -> None:
    (folder / "my.set.jsonl").touch()
    (folder / "my.set.card.json").write_bytes(b'{"about": "mine"}')
    assert locate(str(folder / "my.set.jsonl")).card == {"about": "mine"}


def test_shipped_data_sets_are_found_by_name() -> None:
    found = locate(DEFAULT)
    assert found.queries.path == shipped() / DEFAULT / "tiered.jsonl"
    assert found.collection is not None
    assert set(found.card["relevant"]) == {"accusation", "article", "imprisonment"}


def test_a_path_that_exists_is_preferred_to_a_shipped_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = folder / DEFAULT
    inner.mkdir()
    (inner / "tiered.jsonl").touch()
    monkeypatch.chdir(folder)
    assert locate(DEFAULT).queries.path.resolve() == inner / "tiered.jsonl"


def test_an_unknown_data_set_is_an_error_that_names_those_there_are(tmp_path: Path) -> None:
    assert error("nonsense").startswith("--dataset nonsense: nonsense does not exist, and the shipped data sets are: ")
    assert DEFAULT in error("nonsense")
    assert f"{tmp_path} is no data set of a known make. It has nothing. Looked for: " in error(tmp_path)
    assert error(f"../{DEFAULT}").endswith(error("nonsense").partition(" does not exist, ")[2])


def test_a_name_that_no_file_can_have_is_an_error() -> None:
    assert error("x" * 300) == f"--dataset {'x' * 300} cannot be read: File name too long"


def test_a_card_that_is_not_json_is_an_error(folder: Path) -> None:
    card = folder / "tiered.card.json"
    card.write_bytes(b'{\n"a": nonsense}')
    assert error(folder).startswith(f"{card}, line 2, column 6: not JSON (")


@pytest.mark.parametrize(
    "card", [b"[]", b"1", b'{"collection": []}', b'{"relevant": 1}', b'{"relevant": {"accusation": [1]}}']
)
def test_a_card_of_another_shape_is_an_error(folder: Path, card: bytes) -> None:
    path = folder / "tiered.card.json"
    path.write_bytes(card)
    assert error(folder) == f"{path} is not the card of a data set"


def test_a_description_that_cannot_be_read_is_an_error_since_it_may_name_a_cluster(folder: Path) -> None:
    (folder / "dataset.toml").symlink_to(folder / "nowhere")
    assert "dataset.toml" in error(folder)
    (folder / "dataset.toml").unlink()
    (folder / "dataset.toml").mkdir()
    assert "dataset.toml" in error(folder)


def test_the_tables_of_a_description_are_handed_on(folder: Path) -> None:
    assert locate(folder).described == {}
    assert locate(folder).description == folder / "dataset.toml"
    (folder / "dataset.toml").write_text("[tasks.brand]\nrule = 'equal'\n", encoding="utf-8")
    assert locate(folder).described == {"tasks": {"brand": {"rule": "equal"}}}


@pytest.mark.parametrize(("key", "meant"), [("task", "tasks"), ("Label", "labels"), ("clster", "cluster")])
def test_a_slip_of_a_key_of_a_description_is_an_error_that_says_which_is_meant(
    folder: Path, key: str, meant: str
) -> None:
    (folder / "dataset.toml").write_text(f"[{key}.brand]\nrule = 'equal'\n")
    assert error(folder) == f"{folder / 'dataset.toml'}: unknown key {key}; did you mean {meant}?"


def test_what_else_a_description_says_is_no_error(folder: Path) -> None:
    (folder / "dataset.toml").write_text("licence = 'CC0'\nsource = 'a shop'\n")
    assert locate(folder).described == {"licence": "CC0", "source": "a shop"}
