"""What is wrong with a data set is one sentence and exit code 2, and says what to do."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import makes
import pytest
from cases import tables
from command_line import said, sentence
from makes import MAKES, SMALL, Invented

from benchbench.formats.datasets.locate import locate
from benchbench.formats.query_table import data_groups

TABLES = tables(__file__)

JSON_QUERY = '{"_id": "q1", "text": "who may appeal"}\n'
_HEADER = "query-id\tcorpus-id\tscore\n"


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    MAKES["beir"](tmp_path / "data", SMALL)
    return tmp_path / "data"


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Return what gives the sentence with which a command over a data set ends."""

    def given(*arguments: object) -> str:
        ended = said(capsys, "datasets", *arguments)
        assert (ended.code, ended.output) == (2, "")
        return sentence(ended.errors)

    return given


@pytest.fixture
def noted(capsys: pytest.CaptureFixture[str]) -> Callable[..., list[str]]:
    """Return what gives the notes on a data set that can be measured."""

    def given(*arguments: object) -> list[str]:
        ended = said(capsys, "datasets", *arguments)
        assert (ended.code, ended.errors) == (0, "")
        return [line.removeprefix("Note").strip() for line in ended.output.splitlines() if line.startswith("Note ")]

    return given


def test_of_two_splits_without_test_one_is_to_be_named(beir: Path, refused, noted) -> None:
    (beir / "qrels" / "test.tsv").rename(beir / "qrels" / "dev.tsv")
    assert noted(beir) != []
    (beir / "qrels" / "train.tsv").write_text(f"{_HEADER}q1\td1\t1\n")
    assert refused(beir) == f"{beir} has the splits dev, train, and no test: name one with --split"
    assert refused(beir, "--split", "eval") == f"{beir} has no split eval; there are: dev, train"
    assert len(noted(beir, "--split", "train")) == 1


def test_what_lies_beside_the_qrels_is_no_split(beir: Path, noted) -> None:
    for name in ("test.tsv~", "test.tsv.bak", "test.md", "README"):
        (beir / "qrels" / name).write_text("nothing")
    assert len(noted(beir)) == 1


def test_qrels_of_unknown_queries_and_documents_are_counted_with_examples(beir: Path, noted) -> None:
    with (beir / "qrels" / "test.tsv").open("a") as qrels:
        qrels.writelines(f"gone{n}\td1\t1\n" for n in range(5))
        qrels.writelines(f"q1\tlost{n}\t1\n" for n in range(4))
    queries, unknown, documents = noted(beir)
    assert queries == f"1 query of queries.jsonl has no judgment in {beir}/qrels/test.tsv and was skipped"
    assert unknown == (
        f"{beir}/qrels/test.tsv judges 5 queries that queries.jsonl does not have, such as gone0, gone1, gone2"
    )
    assert documents == (
        "4 judged documents are not in corpus.jsonl, such as lost0, lost1, lost2: no service can return them, "
        "so the best possible recall may be below 1"
    )


def test_a_collection_of_none_of_the_judged_documents_is_refused(beir: Path, refused) -> None:
    makes.json_lines(beir / "corpus.jsonl", makes.texts({"x1": "a text", "x2": "another"}))
    assert refused(beir) == (
        f"{beir}/corpus.jsonl has none of the 4 documents that were judged: judgments name d2, d1, 17, and documents "
        "are called x1; are the ids in the right column or member?"
    )


def test_a_query_twice_is_no_fault_where_nobody_judged_it(beir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (beir / "queries.jsonl").open("a") as queries:
        queries.write('{"_id": "q4", "text": "another text"}\n')
    for command in ("datasets", "audit"):
        assert said(capsys, command, "--dataset", beir).errors == ""
    assert data_groups(locate(beir), ["q1"], "length") is not None


def test_ids_may_be_numbers_in_one_file_and_texts_in_another(tmp_path: Path, noted) -> None:
    folder = tmp_path / "data"
    makes.json_lines(
        folder / "queries.jsonl",
        [{"_id": 1, "text": "one"}, {"_id": "2", "text": "two"}, {"_id": 3.0, "text": "three"}],
    )
    makes.json_lines(folder / "corpus.jsonl", [{"_id": 10, "text": "ten"}, {"_id": "11", "text": "eleven"}])
    makes.lines(folder / "qrels" / "test.tsv", [("query-id", "corpus-id", "score"), (1, 10, 1), (2, 11, 1), (3, 10, 1)])
    assert noted(folder) == []
    makes.parquet(folder / "qrels.parquet", {"qid": [1, 2, 3], "docid": ["10", "11", "10"], "rel": [1.0, 2.0, 0.0]})
    assert noted(folder, "--qrels", folder / "qrels.parquet") == []


def test_leading_zeros_are_part_of_an_id_and_said_to_differ(beir: Path, refused) -> None:
    makes.lines(beir / "qrels" / "test.tsv", [("query-id", "corpus-id", "score"), ("002", "d1", 1)])
    assert refused(beir).endswith(
        "queries are called q1, 2, q3, and judgments are of 002; they differ in leading zeros"
    )


def test_fractions_as_ids_are_refused(beir: Path, refused) -> None:
    path = makes.parquet(beir / "qrels.parquet", {"qid": [1.5], "docid": ["d1"], "rel": [1]})
    assert "has query ids of type Float64; ids are text or whole numbers" in refused(beir, "--qrels", path)
    makes.json_lines(beir / "queries.jsonl", [{"_id": 1.5, "text": "one"}])
    assert refused(beir).endswith(
        "line 1: the query id is neither a number nor a text (_id or query_id or id or qid); there are _id, text"
    )


def test_swapped_columns_of_qrels_are_said_to_be_swapped(beir: Path, refused) -> None:
    swapped = [(document, query, grade) for query, document, grade in SMALL.judgments]
    makes.lines(beir / "qrels" / "test.tsv", [("query-id", "corpus-id", "score"), *swapped])
    assert refused(beir).endswith("the judged documents have ids of queries: are its columns swapped?")


def test_swapped_columns_of_topics_and_collections_show_the_ids_that_were_read(tmp_path: Path, refused) -> None:
    given = MAKES["trec, TSV"](tmp_path, SMALL)
    makes.lines(tmp_path / "swapped.tsv", [(text, query) for query, text in SMALL.queries.items()])
    arguments = ["--qrels", given["qrels"], "--collection", given["collection"]]
    assert refused("--queries", tmp_path / "swapped.tsv", *arguments) == (
        f"no query of {tmp_path}/swapped.tsv is judged in {given['qrels']}: queries are called who may appeal, duties "
        "of a carrier, limits & <periods> of 案件, and judgments are of 2, q1, q3; do these files "
        "belong to the same data set, and is each id in the right column?"
    )
    makes.lines(tmp_path / "documents.tsv", [(text, document) for document, text in SMALL.documents.items()])
    arguments[-1] = tmp_path / "documents.tsv"
    assert "documents are called carriers and their duties; are the ids in the right column" in refused(
        "--queries", given["queries"], *arguments
    )


def test_a_topic_without_a_title_is_named(tmp_path: Path, refused) -> None:
    given = MAKES["trec, XML"](tmp_path, SMALL)
    topics = given["queries"].read_text().replace("<title>who may appeal</title>", "")
    given["queries"].write_text(topics)
    arguments = [f"--{name}={path}" for name, path in given.items()]
    assert refused(*arguments).startswith(
        f"{given['queries']}, element 1: the query has no text (query or text or fact or content or sentence or "
        "passage or question or title); there are id, description"
    )
    assert "there are id, description" in refused(*arguments, "--topic-field", "narrative")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    TABLES["files"]
)  # fmt: skip
def test_a_bad_file_is_named_with_its_line(beir: Path, refused, name: str, content: str, reason: str) -> None:
    (beir / name).write_text(content)
    found = refused(beir)
    assert found.startswith(f"{beir / name}")
    assert reason in found


def test_a_line_that_cannot_be_read_is_skipped_and_counted(beir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("queries.jsonl", "corpus.jsonl"):
        with (beir / name).open("a") as file:
            file.write("nothing\n[]\n")
    output = said(capsys, "datasets", beir, "--skip-bad-lines").output
    assert "Skipped     2 lines of the queries that cannot be read" in output
    assert "Skipped     2 lines of the collection that cannot be read" in output
    assert "Documents   4 of " in output


def test_a_parquet_of_other_columns_says_which_were_looked_for_and_which_are_there(tmp_path: Path, refused) -> None:
    MAKES["parquet, as MTEB"](tmp_path, SMALL)
    shard = tmp_path / "qrels" / "test-00000-of-00001.parquet"
    makes.parquet(shard, {"who": ["q1"], "what": ["d1"]})
    assert refused(tmp_path) == (
        f"{shard}: no column query_id; there are who, what; call it query_id, qid, query, q_id, topic_id or topic"
    )
    makes.parquet(shard, {"query-id": ["q1"], "corpus-id": ["d1"], "score": [1]})
    makes.parquet(tmp_path / "corpus" / "corpus-00000-of-00001.parquet", {"key": ["d1"], "words": ["x"]})
    assert "corpus-00000-of-00001.parquet has no column of the id: looked for id, fact_id, doc_id, _id" in refused(
        tmp_path
    )
    makes.parquet(tmp_path / "queries" / "queries-00000-of-00001.parquet", {"key": ["q1"], "words": ["x"]})
    assert refused(tmp_path).endswith("row 1: no query id (_id or query_id or id or qid); there are key, words")


def test_a_folder_of_something_else_says_what_it_has_and_what_was_looked_for(tmp_path: Path, refused) -> None:
    (tmp_path / "holidays").mkdir()
    (tmp_path / "holidays" / "sea\x1b.jpg").touch()
    (tmp_path / "holidays" / "queries.jsonl").symlink_to("nowhere")
    found = refused(tmp_path / "holidays")
    assert "It has queries.jsonl (a link to nothing), sea\\x1b.jpg. Looked for: described (dataset.toml" in found
    assert found.endswith("says which file is what, or give --queries, --qrels and --collection")


@pytest.mark.parametrize("part", ["queries.jsonl", "corpus.jsonl", "qrels", "qrels/test.tsv"])
def test_a_part_in_place_of_the_folder_says_which_folder(beir: Path, refused, part: str) -> None:
    assert (
        refused(beir / part)
        == f"--dataset {beir / part} is a part of a beir data set: give its folder, --dataset {beir}"
    )


@pytest.mark.parametrize("name", ["questions.jsonl", "topics.tsv", "topics.xml", "data.json"])
def test_a_file_that_is_no_tiered_one_says_what_names_its_parts(tmp_path: Path, refused, name: str) -> None:
    (tmp_path / name).write_text(JSON_QUERY)
    assert refused(tmp_path / name) == (
        f"--dataset {tmp_path / name} is one file, but not a tiered one, whose lines have a query "
        "and its positives: name "
        "the queries with --queries, the judgments with --qrels and the documents with --collection"
    )


@pytest.mark.parametrize(("arguments", "reason"), TABLES["do_not_fit"])
def test_options_that_do_not_fit_are_refused(refused, arguments: list[str], reason: str) -> None:
    pytest.importorskip("ir_datasets")
    assert refused(*arguments).startswith(reason)


def test_options_of_files_that_do_not_fit_their_folder_are_refused(tmp_path: Path, beir: Path, refused) -> None:
    qrels = beir / "qrels" / "test.tsv"
    assert refused(beir, "--qrels", qrels, "--split", "test") == "--qrels and --split both name the judgments; give one"
    assert refused("--queries", beir / "queries.jsonl").endswith(
        "TREC data take --queries FILE and --qrels FILE; --qrels is missing"
    )
    assert refused("--queries", beir / "queries.jsonl", "--qrels", qrels, "--split", "test") == (
        "--split has no use with TREC's files, of which --qrels names the judgments"
    )
    assert refused(beir, "--qrels", beir).endswith("is a folder without Parquet: name a file of judgments")
    given = MAKES["described, TSV"](tmp_path / "described", SMALL)
    assert refused(given["name"], "--split", "test").endswith("which names the file of the judgments")


def test_a_folder_of_queries_takes_its_judgments_from_an_option(tmp_path: Path, noted) -> None:
    makes.json_lines(tmp_path / "data" / "queries.jsonl", makes.texts(SMALL.queries))
    makes.json_lines(tmp_path / "data" / "corpus.jsonl", makes.texts(SMALL.documents))
    qrels = makes.lines(tmp_path / "judged.tsv", SMALL.judgments)
    assert len(noted(tmp_path / "data", "--qrels", qrels)) == 1


def test_without_a_corpus_there_is_nothing_to_serve_and_it_says_what_to_give(
    beir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (beir / "corpus.jsonl").unlink()
    assert "Documents   none, so that nothing can be served\n" in said(capsys, "datasets", beir).output
    for command in (["run"], ["serve"], ["load", "--batch-size", 1]):
        ended = said(capsys, *command, "--dataset", beir)
        assert ended.code == 2
        assert (
            sentence(ended.errors)
            == f"{beir} has no collection to serve: give --collection FILE, or --url of a service"
        )


@pytest.mark.parametrize("name", ["what? #1 50%", "-leading", "数据 集", "a'b\"c", "[x]*"])
def test_names_of_folders_may_be_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for make in ("beir", "parquet, as MTEB", "described, Parquet"):
        MAKES[make](Path(name) / make, SMALL)
        ended = said(capsys, "datasets", "--dataset", f"{name}/{make}")
        assert (ended.code, ended.errors) == (0, "")
        assert "Queries     3 of " in ended.output


@contextmanager
def unprivileged() -> Iterator[None]:
    """Be nobody for a while, where the tests are run by root, to whom all is allowed."""
    user = os.geteuid()
    if not user:
        os.seteuid(65534)
    yield
    os.seteuid(user)


def test_what_may_not_be_read_is_a_sentence(refused) -> None:
    with tempfile.TemporaryDirectory() as above:
        folder = Path(above) / "data"
        MAKES["beir"](folder, SMALL)
        Path(above).chmod(0o755)
        (folder / "queries.jsonl").chmod(0)
        with unprivileged():
            assert refused(folder) == f"{folder}/queries.jsonl cannot be read: Permission denied"
        folder.chmod(0)
        with unprivileged():
            assert refused(folder).endswith("cannot be read: Permission denied")
        folder.chmod(0o755)


def test_files_in_an_encoding_of_china_are_read_when_it_is_named(beir: Path, refused, noted) -> None:
    for name in ("queries.jsonl", "corpus.jsonl"):
        content = (beir / name).read_text("utf-8").replace("appeal", "上诉").replace("periods", "期间")
        (beir / name).write_text(content, "gb18030")
    assert "line 1: not UTF-8 (byte " in refused(beir)
    assert "--encoding gb18030" in refused(beir)
    assert len(noted(beir, "--encoding", "gb18030")) == 1


def test_judgments_of_ids_that_are_no_utf_8_are_refused(tmp_path: Path, refused) -> None:
    data = Invented({"案一": "one"}, [("案一", "文", 1)], {"文": "text"})
    given = MAKES["trec, TSV"](tmp_path, data)
    given["qrels"].write_text("案一 0 文 1\n", "gb18030")
    arguments: list[Any] = [f"--{name}={path}" for name, path in given.items()]
    assert refused(*arguments) == f"{given['qrels']} has ids that are not UTF-8; convert the file to UTF-8"
