"""A data set is found by file, folder or name, together with its collection and card."""

import re
import shlex
import tempfile
from pathlib import Path

import documented
import makes
import numpy as np
import orjson
import pytest
from command_line import said
from hypothesis import given
from hypothesis import strategies as st
from makes import MAKES, SMALL
from pair_judges import beir

from benchbench.errors import InputError
from benchbench.formats.collection import documents
from benchbench.formats.datasets.data_set_options import DEFAULT, DataSetOptions
from benchbench.formats.datasets.judgments import Judgments
from benchbench.formats.datasets.legalbench_rag import Cut
from benchbench.formats.datasets.locate import locate, shipped
from benchbench.formats.datasets.makes import MAKES as NAMES
from benchbench.formats.datasets.reading import read_queries
from benchbench.formats.datasets.unlabelled import located_unlabelled
from benchbench.formats.records import Part
from benchbench.tables.hashing import id_hash
from benchbench.tables.passages import Place
from benchbench.tables.queries import Positives
from benchbench.tasks.compiled import compiled
from benchbench.tasks.defined import tasks_of


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
    assert f"{tmp_path} is not a data set in a known format. It has nothing. Looked for: " in error(tmp_path)
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


# Data sets that have no judgments, or have them


def test_two_files_are_enough(tmp_path: Path):
    folder = beir(tmp_path)
    options = DataSetOptions(queries=folder / "queries.jsonl", collection=folder / "corpus.jsonl")
    found = located_unlabelled(options)
    assert (found.queries.path, found.qrels) == (folder / "queries.jsonl", ())
    assert found.collection is not None
    assert found.collection.path == folder / "corpus.jsonl"


@pytest.mark.parametrize("queries", ["queries.jsonl", "queries.jsonl.gz", "topics.txt", "queries.tsv"])
@pytest.mark.parametrize("collection", ["corpus.jsonl", "collection.jsonl.zst", "collection.tsv"])
def test_a_folder_without_judgments_is_known_by_the_usual_names(tmp_path: Path, queries: str, collection: str):
    for name in (queries, collection):
        (tmp_path / name).touch()
    found = located_unlabelled(DataSetOptions(str(tmp_path)))
    assert found.collection is not None
    assert (found.queries.path.name, found.collection.path.name, found.qrels) == (queries, collection, ())


def test_an_empty_folder_of_judgments_is_none(tmp_path: Path):
    (beir(tmp_path) / "qrels").mkdir()
    assert located_unlabelled(DataSetOptions(str(tmp_path))).qrels == ()


def test_judgments_that_are_there_are_found(tmp_path: Path):
    folder = beir(tmp_path)
    (folder / "qrels").mkdir()
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    found = located_unlabelled(DataSetOptions(str(folder)))
    assert (found.make, [part.path.name for part in found.qrels]) == ("beir", ["test.tsv"])


def test_judgments_may_be_named_beside_a_folder_without_any(tmp_path: Path):
    folder = beir(tmp_path)
    path = folder / "people.trec"
    path.write_text("q1 0 d1 1\n")
    found = located_unlabelled(DataSetOptions(str(folder), qrels=path))
    assert [part.path for part in found.qrels] == [path]


@pytest.mark.parametrize("missing", ["queries", "collection"])
def test_what_is_missing_is_named(tmp_path: Path, missing: str):
    folder = beir(tmp_path)
    files = {"queries": folder / "queries.jsonl", "collection": folder / "corpus.jsonl"}
    del files[missing]
    with pytest.raises(InputError, match=f"--{missing} is missing"):
        located_unlabelled(DataSetOptions(**files))  # type: ignore[arg-type]


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(InputError, match=r"--queries \S+ does not exist"):
        located_unlabelled(DataSetOptions(queries=tmp_path / "no.jsonl", collection=tmp_path / "no"))


def test_a_data_set_without_documents_is_refused(tmp_path: Path):
    (tmp_path / "tiered.jsonl").write_text('{"query_id": 1, "query": {"fact": "a"}, "positives": []}\n')
    with pytest.raises(InputError, match="has no documents for a judge to read; name them with --collection"):
        located_unlabelled(DataSetOptions(str(tmp_path)))


# LegalBench-RAG as a data set: questions with spans, and chunks of the texts that they point into

TEXT = "The carrier pays. " * 50


@pytest.fixture
def legalbench_rag_folder(tmp_path: Path) -> Path:
    (tmp_path / "corpus" / "leases").mkdir(parents=True)
    (tmp_path / "corpus" / "leases" / "a_b.txt").write_text(TEXT)
    (tmp_path / "corpus" / "unused.txt").write_text("no question is on this")
    (tmp_path / "benchmarks").mkdir()
    tests = [
        {"query": "Who pays?", "snippets": [{"file_path": "leases/a?b.txt", "span": [4, 16], "answer": TEXT[4:16]}]},
        {"query": "When?", "snippets": [{"file_path": "leases/a?b.txt", "span": [600, 610], "answer": TEXT[600:610]}]},
    ]
    (tmp_path / "benchmarks" / "leases.json").write_bytes(orjson.dumps({"tests": tests}))
    return tmp_path


def test_questions_have_their_spans_and_contracts(legalbench_rag_folder: Path) -> None:
    data = locate(legalbench_rag_folder)
    queries = read_queries(data, schema=compiled(tasks_of(data)).schema)
    assert (data.make, data.split, data.cluster) == ("legalbench-rag", "leases", "document")
    assert list(zip(queries.ids, queries.texts, strict=True)) == [("1", "Who pays?"), ("2", "When?")]
    assert queries.spans.offsets.tolist() == [[0, 1, 2]]
    assert (queries.spans.start.tolist(), queries.spans.end.tolist()) == ([4, 600], [16, 610])
    assert queries.positives.offsets.tolist() == [0, 0, 0]


def test_only_texts_that_questions_point_into_are_served_and_chunks_cover_them(legalbench_rag_folder: Path) -> None:
    found = [one for _, one in documents(locate(legalbench_rag_folder).served()) if one is not None]
    places = [Place.parse(one.id) for one in found]
    assert [(place.start, place.end) for place in places if place] == [(0, 500), (500, len(TEXT))]
    assert "".join(one.text for one in found) == TEXT
    assert {place.file for place in places if place} == {"leases/a?b.txt"}


def test_a_description_beside_adds_to_its_tasks_or_replaces_them(legalbench_rag_folder: Path) -> None:
    (legalbench_rag_folder / "dataset.toml").write_text("licence = 'CC-BY-4.0'\n")
    assert [task.name for task in tasks_of(locate(legalbench_rag_folder))] == ["span", "contract"]
    (legalbench_rag_folder / "dataset.toml").write_text(
        "[tasks.file]\nrule = 'equal'\nquery_label = 'meta.contracts'\nhit_label = 'meta.file'\n"
    )
    assert [task.name for task in tasks_of(locate(legalbench_rag_folder))] == ["file"]


def test_of_several_benchmarks_one_is_to_be_named(legalbench_rag_folder: Path) -> None:
    (legalbench_rag_folder / "benchmarks" / "other.json").write_bytes(
        (legalbench_rag_folder / "benchmarks" / "leases.json").read_bytes()
    )
    with pytest.raises(InputError, match="has the splits leases, other, and no test: name one with --split"):
        locate(legalbench_rag_folder)
    assert locate(legalbench_rag_folder, split="other").split == "other"


def test_a_text_that_is_not_there_is_named_when_it_is_served(legalbench_rag_folder: Path) -> None:
    (legalbench_rag_folder / "corpus" / "leases" / "a_b.txt").unlink()
    assert len(read_queries(locate(legalbench_rag_folder))) == 2
    with pytest.raises(InputError, match=r"1 files that .* names are not below .*, such as 'leases/a\?b.txt'"):
        list(documents(locate(legalbench_rag_folder).served()))


def test_a_benchmark_without_places_is_refused(legalbench_rag_folder: Path) -> None:
    (legalbench_rag_folder / "benchmarks" / "leases.json").write_bytes(
        orjson.dumps({"tests": [{"query": "Who?", "snippets": [{"answer": "The carrier"}]}]})
    )
    with pytest.raises(InputError, match="has no snippet with file_path and span"):
        read_queries(locate(legalbench_rag_folder))


def test_the_real_benchmark_has_its_questions_and_each_span_lies_in_its_chunks(shared_data: Path) -> None:
    data = locate(shared_data / "legalbench-rag")
    queries = read_queries(data, schema=compiled(tasks_of(data)).schema)
    tests = orjson.loads((data.queries.path).read_bytes())["tests"]
    assert len(queries) == len({test["query"] for test in tests}) == 977
    ends: dict[str, int] = {}
    for _, one in documents(data.served()):
        place = Place.parse(one.id) if one is not None else None
        assert place is not None
        assert place.start >= ends.get(place.file, 0)
        ends[place.file] = place.end
    assert all(snippet["span"][1] <= ends[snippet["file_path"]] for test in tests for snippet in test["snippets"])


@pytest.mark.parametrize(("chunk", "overlap"), [(0, 0), (10, 10), (10, -1)])
def test_chunks_that_would_never_end_are_refused(chunk: int, overlap: int) -> None:
    with pytest.raises(InputError):
        Cut(chunk, overlap)


# Folders of Parquet as they are found: splits, shards, numbers as ids


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


# TREC's files, by options and by folder: fields of topics, grades, subtopics, names


@pytest.mark.parametrize("make", ["trec, SGML", "trec, XML"])
def test_the_title_is_asked_or_the_field_that_is_named(tmp_path: Path, make: str) -> None:
    given = MAKES[make](tmp_path, SMALL)
    assert list(read_queries(locate(**given)).texts) == list(SMALL.queries.values())[:3]
    found = read_queries(locate(**given, topic_field="description"))
    assert list(found.texts) == ["not asked"] * 3


def test_of_several_subtopics_a_document_has_its_highest_grade(tmp_path: Path) -> None:
    given = MAKES["trec, TSV"](tmp_path, SMALL)
    given["qrels"].write_text("q1 1 d1 1\nq1 2 d1 3\nq1 1 d2 0\nq1 2 d2 -2\n2 1 d1 0\n")
    found = makes.columns(read_queries(locate(**given)))
    assert {query: grades for query, (_, grades) in found.items()} == {"q1": {"d1": 3.0, "d2": 0.0}, "2": {"d1": 0.0}}
    given["qrels"].write_text("q1 1 d1 1\nq1 1 d1 1\nq1 1 d1 2\n")
    with pytest.raises(InputError, match="judges document d1 of query q1 twice, with different grades"):
        read_queries(locate(**given))


def test_positives_beyond_the_most_are_left_out_in_the_order_of_the_judgments(tmp_path: Path) -> None:
    given = MAKES["trec, TSV"](tmp_path, SMALL)
    given["qrels"].write_text("q1 0 d1 1\nq3 0 d2 1\nq1 0 d9 0\nq1 0 d2 2\nq3 0 d3 0\nq1 0 d3 3\n")
    found = read_queries(locate(**given), max_positives=1)
    assert {query: grades for query, (_, grades) in makes.columns(found).items()} == {
        "q1": {"d1": 1.0, "d9": 0.0},
        "q3": {"d2": 1.0, "d3": 0.0},
    }
    assert found.left_out is not None
    assert (list(found.left_out.ids), found.left_out.grade.tolist()) == (["d2", "d3"], [2.0, 3.0])
    assert found.left_out.offsets.tolist() == [0, 2, 2]
    assert read_queries(locate(**given), max_positives=3).left_out is None


def test_files_of_a_folder_are_found_by_their_names_and_of_several_one_is_to_be_named(tmp_path: Path) -> None:
    MAKES["trec, a folder"](tmp_path, SMALL)
    (tmp_path / "topics.tsv").rename(tmp_path / "adhoc.topics.tsv")
    (tmp_path / "qrels.txt").rename(tmp_path / "adhoc-qrels.txt")
    found = locate(tmp_path)
    assert (found.make, found.queries.path.name, found.qrels[0].path.name) == (
        "trec",
        "adhoc.topics.tsv",
        "adhoc-qrels.txt",
    )
    assert found.collection is not None
    assert found.collection.path.name == "docs.trec"
    (tmp_path / "qrels.2.txt").touch()
    with pytest.raises(
        InputError, match=r"has several files of qrels: adhoc-qrels.txt, qrels.2.txt; say which with --qrels"
    ):
        locate(tmp_path)
    assert locate(tmp_path, qrels=tmp_path / "adhoc-qrels.txt").qrels == found.qrels


def test_a_query_and_a_document_of_one_id_are_not_the_same_unless_it_is_said(tmp_path: Path) -> None:
    given = MAKES["trec, TSV"](tmp_path, SMALL)
    given["qrels"].write_text("q1 0 q1 1\nq1 0 d2 1\n")
    assert read_queries(locate(**given)).dropped_positives == 0
    assert read_queries(locate(**given), self_by="id").dropped_positives == 1
    assert read_queries(locate(**given)).id.tolist() == [0]


# docs/datasets.md: its files are written as they stand, and its commands run and print what it shows

FILE = documented.ROOT / "docs" / "datasets.md"


PAGE = FILE.read_text(encoding="utf-8")


BLOCKS = documented.blocks(FILE)


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the files of the page, run its Python, and go to the folder that has them."""
    monkeypatch.chdir(tmp_path)
    documented.write(FILE, tmp_path)
    (code,) = (one.text for one in BLOCKS if one.language == "python")
    exec(code, {})
    return tmp_path


@pytest.mark.slow  # commands over real sizes
def test_the_commands_whose_output_the_page_shows_print_it(
    capsys: pytest.CaptureFixture[str], written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    (block,) = (one for one in BLOCKS if one.text.startswith("benchbench datasets trees"))
    outputs = [said(capsys, *shlex.split(line)[1:]).output for line in documented.lines(block)]
    shown = re.findall(r"```\n(trees: .*?)\n…  \(", PAGE, flags=re.DOTALL)
    assert len(shown) == 1
    assert all(any(documented.prints(output, one) for output in outputs) for one in shown)


def test_each_make_has_its_line_and_its_example(written: Path) -> None:
    assert sorted(re.findall(r"^\| \[`([\w-]+)`\]", PAGE, flags=re.MULTILINE)) == sorted(NAMES)
    names = {"trees": "beir", "cars": "trec", "hub": "parquet", "shop": "described", "contracts": "legalbench-rag"}
    for name, make in {**names, "cases": "tiered"}.items():
        assert locate(name).make == make


# Judgments as columns, against plain dictionaries

_ROWS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("01"), st.sampled_from("abxyz"), st.integers(-1, 2)), min_size=1
)


Row = tuple[str, str, str, int]  # query, subtopic, document, grade


def naive(
    rows: list[Row], queries: list[str], without_own: bool, most: int
) -> tuple[list[dict[str, float]], ...] | None:
    """Return the grades that count and those that are left out, per query; None where a document is judged twice."""
    kept: list[dict[str, float]] = []
    left_out: list[dict[str, float]] = []
    for query in queries:
        grades: dict[str, float] = {}
        subtopics: dict[str, tuple[str, int]] = {}
        for _, subtopic, document, grade in (row for row in rows if row[0] == query):
            first, its = subtopics.setdefault(document, (subtopic, grade))
            if first == subtopic and its != grade:
                return None
            grades[document] = max(grades.get(document, grade), grade)
        if without_own:
            grades.pop(query, None)
        relevant = [document for document, grade in grades.items() if grade > 0]
        more = set(relevant[most:]) if most else set()
        kept.append({document: grade for document, grade in grades.items() if document not in more})
        left_out.append({document: grade for document, grade in grades.items() if document in more})
    return kept, left_out


def grades(positives: Positives | None, queries: int) -> list[dict[str, float]]:
    """Return the grades of each query."""
    if positives is None:
        return [{}] * queries
    spans = [positives.of(q) for q in range(queries)]
    return [dict(zip(positives.ids[span], positives.grade[span].tolist(), strict=True)) for span in spans]


@given(rows=_ROWS, without_own=st.booleans(), most=st.integers(0, 3))
def test_they_are_those_of_plain_dictionaries(rows: list[Row], without_own: bool, most: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        made = Judgments([Part(makes.lines(Path(folder) / "qrels", rows, " "))])
    assert len(made) == len(rows)
    assert list(made.numbers) == list(dict.fromkeys(row[0] for row in rows))
    assert list(made.documents()) == [row[2] for row in rows]
    queries = sorted(made.numbers, reverse=True)
    expected = naive(rows, queries, without_own, most)
    numbers = np.array([made.numbers[query] for query in queries], np.int64)
    if expected is None:
        with pytest.raises(InputError, match="twice, with different grades; keep one"):
            made.of(numbers, without_own, most)
        return
    chosen = made.of(numbers, without_own, most)
    assert (grades(chosen.kept, len(queries)), grades(chosen.left_out, len(queries))) == expected
    assert chosen.kept.id.tolist() == [id_hash(document) for document in chosen.kept.ids]
    own = sum(query in {row[2] for row in rows if row[0] == query} for query in queries)
    assert chosen.dropped == (own if without_own else 0)


def test_some_queries_alone_have_their_judgments(tmp_path: Path) -> None:
    rows = [("a", 0, "x", 1), ("b", 0, "y", 2), ("a", 0, "z", 0), ("c", 0, "x", 3)]
    made = Judgments([Part(makes.lines(tmp_path / "qrels", rows, " "))])
    chosen = made.of(np.array([2, 0]))
    assert (list(chosen.kept.ids), chosen.kept.offsets.tolist()) == (["x", "x", "z"], [0, 1, 3])
    assert made.of(np.array([], np.int64)).kept.offsets.tolist() == [0]


def test_the_digest_does_not_depend_on_the_format_but_on_order_and_grades(tmp_path: Path) -> None:
    rows = [("a", 0, "x", 1), ("b", 0, "y", 2)]
    table = [("query-id", "corpus-id", "score"), *((query, document, grade) for query, _, document, grade in rows)]
    made = [
        Judgments([Part(makes.lines(tmp_path / name, content, separator))]).digest
        for name, content, separator in (
            ("trec", rows, " "),
            ("beir.tsv", table, "\t"),
            ("other order", rows[::-1], " "),
            ("other grade", [rows[0], ("b", 0, "y", 3)], " "),
            ("other query", [rows[0], ("a", 0, "y", 2)], " "),
        )
    ]
    assert made[0] == made[1]
    assert len(set(made)) == 4
