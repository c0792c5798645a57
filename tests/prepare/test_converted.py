"""Data of any make as files of BEIR and of TREC: what was read is what is read again."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import data_sets
import makes
import orjson
import pytest
import services
from cases import some_of
from command_line import Said, said, sentence
from hypothesis import given
from hypothesis import strategies as st
from makes import MAKES, SMALL, Invented

from benchbench.errors import InputError
from benchbench.experiment import Settings, run
from benchbench.formats.collection import documents, read_collection
from benchbench.formats.datasets.locate import locate
from benchbench.formats.datasets.reading import read_queries
from benchbench.prepare.converted import write_beir, write_trec
from benchbench.tasks.criteria import Criteria

BEIR, TREC = ["corpus.jsonl", "qrels/test.tsv", "queries.jsonl"], ["collection.jsonl", "qrels.txt", "topics.tsv"]

Convert = Callable[..., Said]


@pytest.fixture
def converted(capsys: pytest.CaptureFixture[str]) -> Convert:
    def convert(*arguments: object) -> Said:
        return said(capsys, "prepare", *arguments)

    return convert


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("make", some_of(MAKES, 3))
def test_any_make_is_the_same_once_it_is_converted(tmp_path: Path, make: str) -> None:
    data = locate(**MAKES[make](tmp_path / "data", SMALL))
    for write, out, files in ((write_beir, tmp_path / "beir", BEIR), (write_trec, tmp_path / "trec", TREC)):
        made = write(data, out)
        assert (made.queries, made.judgments, made.documents) == (3, 6, 4)
        assert names(out) == sorted(made.files) == files
        assert makes.columns(read_queries(locate(out))) == makes.read(SMALL)
        found = {one.id: one.text for _, one in documents(locate(out).served()) if one is not None}
        assert found == SMALL.documents


def ids(letters: str) -> st.SearchStrategy[str]:
    return st.text(f"{letters} #%\"'é案\u00a0\u2028", min_size=1, max_size=4).filter(str.strip)


@given(
    st.dictionaries(ids("ab"), st.text(min_size=1).filter(str.strip), min_size=1, max_size=4),
    st.dictionaries(ids("ad"), st.text(), min_size=1, max_size=4),
    st.data(),
)
def test_beir_keeps_any_text_and_any_id_on_one_line(queries: dict[str, str], texts: dict[str, str], data: Any) -> None:
    pairs = st.tuples(st.sampled_from(list(queries)), st.sampled_from(list(texts)))
    judged = [(*pair, grade) for grade, pair in enumerate(data.draw(st.lists(pairs, min_size=1, unique=True)))]
    invented = Invented(queries, judged, texts)
    with tempfile.TemporaryDirectory() as folder:
        made = locate(**MAKES["described, JSON lines"](Path(folder) / "data", invented))
        write_beir(made, Path(folder) / "beir")
        expected = read_queries(made)
        found = read_queries(locate(Path(folder) / "beir"), self_by="text")
        assert makes.columns(found) == makes.columns(expected)
        write_trec(made, Path(folder) / "trec")
        again = makes.columns(read_queries(locate(Path(folder) / "trec")))
    assert [text for text, _ in again.values()] == [
        " ".join(text.split()) for text, _ in makes.columns(expected).values()
    ]
    assert [list(grades.values()) for _, grades in again.values()] == [
        list(grades.values()) for _, grades in makes.columns(expected).values()
    ]


def test_a_run_over_converted_data_has_the_same_numbers(tmp_path: Path) -> None:
    data = locate(data_sets.write(tmp_path / "tiered"))
    write_beir(data, tmp_path / "beir")
    write_trec(locate(tmp_path / "beir"), tmp_path / "trec")
    criteria = Criteria(
        tasks=("gold",),
        self_by="text",
        gold_by="id",
        measures=("nDCG@5", "R@10", "AP", "P(rel=4)@3"),
        max_positives=0,
        recall_denominator="full",
    )
    frames = []
    for name in ("tiered", "beir", "trec"):
        made = locate(tmp_path / name)
        with services.running(services.searching(read_collection(made.served()))) as service:
            frames.append(run(Settings(made, url=service.url, criteria=criteria, top_k=20)).per_query)
    wanted = [name for name in frames[0].columns if name.startswith("gold.") or name == "query_id"]
    judged = frames[0].filter(frames[0]["query_id"].is_in(frames[1]["query_id"].to_list()))
    assert len(judged) == data_sets.QUERIES - 1
    for frame in frames[1:]:
        assert frame.select(wanted).equals(judged.select(wanted))


def test_labels_of_documents_go_with_them(tmp_path: Path) -> None:
    write_beir(locate(data_sets.write(tmp_path / "tiered")), tmp_path / "beir")
    write_trec(locate(tmp_path / "beir"), tmp_path / "trec")
    cases = data_sets.cases()
    for file, identity, labels in (("beir/corpus.jsonl", "_id", "metadata"), ("trec/collection.jsonl", "id", "meta")):
        rows = [orjson.loads(line) for line in (tmp_path / file).read_bytes().splitlines()]
        assert [(row[identity], row[labels]) for row in rows] == [(one["_id"], one["meta"]) for one in cases]


def test_the_command_says_what_it_wrote(converted: Convert, tmp_path: Path) -> None:
    folder = MAKES["beir"](tmp_path / "data", SMALL)["name"]
    ended = converted("trec", folder, "--out", tmp_path / "out")
    assert (ended.code, ended.errors) == (0, f"Written to {tmp_path / 'out'}\n")
    assert ended.output.splitlines() == [
        "3 queries, 6 judgments, 4 documents: topics.tsv, qrels.txt, collection.jsonl",
        f"1 query of queries.jsonl has no judgment in {folder}/qrels/test.tsv and was skipped",
    ]
    ended = converted("beir", "--dataset", folder, "--out", tmp_path / "json", "--format", "json")
    assert orjson.loads(ended.output)["files"] == ["queries.jsonl", "qrels/test.tsv", "corpus.jsonl"]


def test_what_exists_is_not_replaced_unless_that_is_said(tmp_path: Path) -> None:
    made = locate(data_sets.write(tmp_path / "tiered"))
    for write, out in ((write_beir, tmp_path / "beir"), (write_trec, tmp_path / "trec")):
        write(made, out)
        with pytest.raises(InputError, match="exist already"):
            write(made, out)
        write(made, out, replace=True)


def test_what_exists_is_replaced_only_with_force(converted: Convert, tmp_path: Path) -> None:
    folder, out = MAKES["beir"](tmp_path / "data", SMALL)["name"], tmp_path / "out"
    assert converted("beir", folder, "--out", out).code == 0
    (out / "queries.jsonl").write_text("mine")
    again = converted("beir", folder, "--out", out)
    assert again.code == 2
    assert sentence(again.errors).endswith("exist already; --force replaces them, another --out keeps them")
    assert (out / "queries.jsonl").read_text() == "mine"
    assert converted("beir", folder, "--out", out, "--force").code == 0
    assert makes.columns(read_queries(locate(out))) == makes.read(SMALL)


@pytest.mark.parametrize("link", [False, True])
def test_the_data_set_itself_is_not_replaced_even_with_force(converted: Convert, tmp_path: Path, link: bool) -> None:
    folder = out = MAKES["beir"](tmp_path / "data", SMALL)["name"]
    if link:
        out = tmp_path / "link"
        out.symlink_to(folder)
    before = (folder / "queries.jsonl").read_bytes()
    ended = converted("beir", folder, "--out", out, "--force")
    assert ended.code == 2
    assert sentence(ended.errors).endswith(
        "is part of the data set itself and would be overwritten; name another folder with --out"
    )
    assert (folder / "queries.jsonl").read_bytes() == before


def test_what_cannot_be_read_is_skipped_and_counted_or_nothing_is_written(converted: Convert, tmp_path: Path) -> None:
    folder = MAKES["beir"](tmp_path / "data", SMALL)["name"]
    with (folder / "corpus.jsonl").open("a") as file:
        file.write("nothing\n")
    ended = converted("beir", folder, "--out", tmp_path / "out")
    assert ended.code == 2
    assert "corpus.jsonl, line 5: not JSON" in sentence(ended.errors)
    assert not (tmp_path / "out").exists()
    ended = converted("beir", folder, "--out", tmp_path / "out", "--skip-bad-lines")
    assert "1 lines of the collection cannot be read, and were skipped\n" in ended.output


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "name the data set to convert: a folder, a file, a shipped name, or ir_datasets:ID"),
        (["a", "--dataset", "b"], "DATASET and --dataset both name a data set; give one"),
        (["nowhere"], "--dataset nowhere: nowhere does not exist"),
    ],
)
def test_what_to_convert_is_to_be_said_once(
    converted: Convert, tmp_path: Path, arguments: list[str], reason: str
) -> None:
    ended = converted("trec", *arguments, "--out", tmp_path / "out")
    assert ended.code == 2
    assert sentence(ended.errors).startswith(reason)


def test_data_without_judgments_are_not_converted(tmp_path: Path) -> None:
    makes.json_lines(tmp_path / "data" / "asked.jsonl", [{"id": 1, "text": "a", "brand": "x"}])
    (tmp_path / "data" / "dataset.toml").write_text(
        "[queries]\nfile = 'asked.jsonl'\n[tasks.brand]\nrule = 'equal'\nlabel = 'brand'\n"
    )
    with pytest.raises(InputError, match="has no judgment, so these files would not say what is relevant"):
        write_beir(locate(tmp_path / "data"), tmp_path / "out")


def test_an_id_that_a_table_cannot_hold_is_refused(tmp_path: Path) -> None:
    data = Invented({"q": "text"}, [("q", "d\t1", 1)], {"d\t1": "text"})
    made = locate(**MAKES["described, JSON lines"](tmp_path / "data", data))
    with pytest.raises(InputError, match=r"qrels/test.tsv cannot hold the id d\\t1, which has a tab or a line end"):
        write_beir(made, tmp_path / "out")
    assert not (tmp_path / "out").exists()
