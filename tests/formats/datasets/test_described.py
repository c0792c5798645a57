"""Files that dataset.toml describes: members of any names, tasks by labels, and what it cannot say."""

import tempfile
from pathlib import Path

import makes
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from makes import MAKES, SMALL, Invented

from benchbench.errors import InputError
from benchbench.formats.collection import documents
from benchbench.formats.datasets.locate import locate, served_part, stored_data_set
from benchbench.formats.datasets.reading import read_queries
from benchbench.tasks.compiled import compiled
from benchbench.tasks.defined import tasks_of


def described(folder: Path, content: str) -> Path:
    (folder / "dataset.toml").write_text(content, encoding="utf-8")
    return folder


def error(folder: Path, **options: str) -> str:
    with pytest.raises(InputError) as caught:
        read_queries(locate(folder, **options))
    return str(caught.value).replace(f"{folder}/", "")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    MAKES["described, JSON lines"](tmp_path, SMALL)
    return tmp_path


def test_the_description_itself_may_be_named(shop: Path) -> None:
    assert makes.columns(read_queries(locate(shop / "dataset.toml"))) == makes.read(SMALL)


def test_texts_of_several_members_are_joined_and_an_inner_one_is_found_by_its_path(tmp_path: Path) -> None:
    rows = [{"key": {"no": 7}, "head": "one", "more": {"body": "two"}}, {"key": {"no": 8}, "head": "three"}]
    makes.json_lines(tmp_path / "asked.jsonl", rows)
    described(tmp_path, "[queries]\nfile = 'asked.jsonl'\nid = 'key.no'\ntext = ['head', 'more.body']\n")
    found = read_queries(locate(tmp_path))
    assert list(zip(found.ids, found.texts, strict=True)) == [("7", "one two"), ("8", "three")]


def test_judgments_in_several_files_are_one_after_the_other(tmp_path: Path) -> None:
    makes.json_lines(tmp_path / "asked.jsonl", makes.texts(SMALL.queries))
    for number, some in enumerate((SMALL.judgments[:2], SMALL.judgments[2:])):
        makes.lines(tmp_path / f"{number}.qrels", [(one[0], 0, *one[1:]) for one in some], " ")
    described(tmp_path, "[queries]\nfile = 'asked.jsonl'\n[qrels]\nfile = ['0.qrels', '1.qrels']\n")
    assert makes.columns(read_queries(locate(tmp_path))) == makes.read(SMALL)


def test_labels_alone_make_tasks_and_every_query_is_asked(tmp_path: Path) -> None:
    makes.json_lines(
        tmp_path / "asked.jsonl", [{"id": 1, "text": "a", "brand": "x"}, {"id": 2, "text": "b", "brand": "y"}]
    )
    described(tmp_path, "[queries]\nfile = 'asked.jsonl'\n[tasks.brand]\nrule = 'equal'\nlabel = 'brand'\n")
    data = locate(tmp_path)
    found = read_queries(data, schema=compiled(tasks_of(data)).schema)
    assert [task.name for task in tasks_of(data)] == ["brand"]
    assert found.codes.tolist() == [[0, 1]] or len(set(found.codes[0].tolist())) == 2
    assert (len(found), found.judged["without_positives"]) == (2, 2)


def test_labels_stand_beside_the_judgments_of_beir(tmp_path: Path) -> None:
    MAKES["beir"](tmp_path, SMALL)
    makes.json_lines(
        tmp_path / "queries.jsonl", [{**one, "metadata": {"law": one["_id"]}} for one in makes.texts(SMALL.queries)]
    )
    described(tmp_path, "cluster = 'law'\nself = 'text'\n[tasks.law]\nrule = 'equal'\nlabel = 'metadata.law'\n")
    data = locate(tmp_path)
    assert (data.make, data.cluster, data.self_by, [task.name for task in tasks_of(data)]) == (
        "beir",
        "law",
        "text",
        ["gold", "law"],
    )
    assert len(set(read_queries(data, schema=compiled(tasks_of(data)).schema).codes[0].tolist())) == 3


def test_a_description_without_queries_describes_the_make_that_lies_there(tmp_path: Path) -> None:
    MAKES["beir"](tmp_path, SMALL)
    described(tmp_path, "licence = 'CC0'\n")
    assert (locate(tmp_path / "dataset.toml").make, locate(tmp_path).described) == ("beir", {"licence": "CC0"})
    described(tmp_path, "[qrels]\nfile = 'other.tsv'\n")
    assert error(tmp_path) == "dataset.toml has a table [qrels] but no [queries]; the others have no effect without it"


_QUERIES = "[queries]\nfile = 'asked.jsonl'\nid = 'uid'\n"


_CLICKS = f"{_QUERIES}text = 'words'\n[qrels]\nfile = 'clicks.jsonl'\nquery = 'uid'\n"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[queries]\nid = 'uid'\n", "[queries]: file is missing, or neither a name nor a list of names"),
        ("[queries]\nfile = 'gone.jsonl'\n", "[queries]: gone.jsonl does not exist"),
        (f"{_QUERIES}uid = 'id'\n", "[queries] has the unknown key uid; the keys are file, format, id, text"),
        (f"{_QUERIES}format = 'xlsx'\n", "[queries]: format xlsx is not one of jsonl, json, tsv, csv, "),
        (f"{_QUERIES}text = ''\n", "[queries]: text is missing, or neither a name nor a list of names"),
        ("[queries]\nfile = ['asked.jsonl', 'shop.jsonl']\n", "[queries] has several files; one file, or one folder"),
        (f"self = 'name'\n{_QUERIES}", "self is name, not text or id"),
        ("queries = 'asked.jsonl'\n", "queries is not a table, as in [queries] file = '…'"),
    ],
)
def test_what_a_description_cannot_say_is_a_sentence(shop: Path, content: str, reason: str) -> None:
    said = error(described(shop, content)).removeprefix("dataset.toml").removeprefix(":").strip()
    assert said.startswith(reason)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (_QUERIES, "asked.jsonl, line 1: the query has no text (query or text or fact or content or "),
        (_QUERIES.replace("uid", "gone"), "asked.jsonl, line 1: no query id (gone); there are uid, words"),
        (f"{_CLICKS}document = 'gone'\n", "clicks.jsonl, line 1: no document (gone); there are uid, item, clicks, day"),
        (f"{_CLICKS}document = 'item'\n", "clicks.jsonl, line 1: no column relevance; there are "),
        (f"{_CLICKS}document = 'item'\ngrade = 'day'\n", "clicks.jsonl, line 1: the grade 'Monday' is not a number"),
        (f"{_CLICKS}document = 'item.no'\ngrade = 'clicks'\n", "clicks.jsonl, line 1: no document id"),
    ],
)
def test_members_that_are_not_there_are_named_with_those_that_are(shop: Path, content: str, reason: str) -> None:
    assert error(described(shop, content)).startswith(reason)


def test_what_an_option_names_goes_before_the_file_of_the_description(shop: Path) -> None:
    makes.json_lines(shop / "more.jsonl", [{"uid": "q1", "words": "another text"}])
    assert list(read_queries(locate(shop, queries=shop / "more.jsonl")).texts) == ["another text"]
    assert list(read_queries(locate(shop, topic_field="uid")).texts) == ["q1", "2", "q3"]


def test_questions_and_judgments_of_one_file_have_its_encoding(tmp_path: Path) -> None:
    (tmp_path / "faq.csv").write_text("编号,问题,答案,等级\n7,违约怎么办,赔偿,2\n", encoding="gb18030")
    parts = "[queries]\nfile = 'faq.csv'\nid = '编号'\ntext = '问题'\n"
    judged = "[qrels]\nfile = 'faq.csv'\nquery = '编号'\ndocument = '编号'\ngrade = '等级'\n"
    found = read_queries(locate(described(tmp_path, parts + judged)), "gb18030")
    assert (list(found.texts), list(found.positives.ids), found.positives.grade.tolist()) == (
        ["违约怎么办"],
        ["7"],
        [2.0],
    )


# The same data in every make are the same queries, judgments and documents

_ID = st.text("aZ09-_.:/%?é案", min_size=1, max_size=6).map("x".__add__)


_WORD = st.text("abcXYZ019é案件&<>'\"-.,;ß", min_size=1, max_size=8).filter(
    lambda word: "<" not in word or ">" not in word
)


_TEXT = st.lists(_WORD, min_size=1, max_size=6).map(" ".join)


@st.composite
def invented(draw: st.DrawFn) -> Invented:
    queries = draw(st.dictionaries(_ID, _TEXT, min_size=1, max_size=5))
    documents = draw(st.dictionaries(_ID, _TEXT, min_size=1, max_size=5))
    pairs = st.tuples(st.sampled_from(list(queries)), st.sampled_from([*documents, *queries]))
    judged = draw(st.lists(pairs, min_size=1, max_size=12, unique=True))
    return Invented(queries, [(query, document, draw(st.integers(-2, 4))) for query, document in judged], documents)


@pytest.mark.parametrize("make", MAKES)
def test_queries_and_judgments_are_those_of_plain_dictionaries(make: str, tmp_path: Path) -> None:
    data = locate(**MAKES[make](tmp_path, SMALL))
    assert data.make == make.split(",")[0]
    queries = read_queries(data)
    assert makes.columns(queries) == makes.read(SMALL)
    assert list(queries.ids) == ["q1", "2", "q3"]
    assert len(queries.notes) == 1
    assert queries.notes[0].startswith("1 query of ")


@pytest.mark.parametrize("make", MAKES)
def test_documents_have_their_ids_and_texts(make: str, tmp_path: Path) -> None:
    data = locate(**MAKES[make](tmp_path, SMALL))
    found = {one.id: one.text for _, one in documents(data.served()) if one is not None}
    assert found == SMALL.documents


@given(data=invented(), by_id=st.booleans(), make=st.sampled_from(list(MAKES)))
def test_any_data_are_read_alike_from_any_make(data: Invented, by_id: bool, make: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        queries = read_queries(locate(**MAKES[make](Path(folder), data)), self_by="id" if by_id else "text")
    assert makes.columns(queries) == makes.read(data, by_id)
    own = sum(query == document for query, document, _ in data.judgments)
    assert queries.dropped_positives == (own if by_id else 0)


def test_the_digest_is_that_of_the_data_and_not_of_their_format(tmp_path: Path) -> None:
    digests = {read_queries(locate(**write(tmp_path / name, SMALL))).digest for name, write in MAKES.items()}
    assert len(digests) == 1


@pytest.mark.parametrize("make", MAKES)
def test_a_result_finds_its_data_set_again_by_the_options_that_it_has(make: str, tmp_path: Path) -> None:
    given = MAKES[make](tmp_path, SMALL)
    for options in (given, {name: one for name, one in given.items() if name != "collection"}):
        data = locate(**options)
        stored = orjson.loads(orjson.dumps(data.shown(), default=str))
        again = stored_data_set(stored)
        assert (again.make, again.queries, again.qrels, again.collection) == (
            data.make,
            data.queries,
            data.qrels,
            data.collection,
        )


@pytest.mark.parametrize("make", MAKES)
def test_what_is_served_is_the_collection_by_the_arguments_of_the_service(make: str, tmp_path: Path) -> None:
    data = locate(**MAKES[make](tmp_path, SMALL))
    first, *others = data.serving()
    if first.startswith("--"):
        named = dict(one.removeprefix("--").split("=", 1) for one in (first, *others))
        part = locate(named.pop("dataset"), **named).served()
    else:
        part = served_part(first)
    assert part == data.served()


def test_a_collection_is_served_by_its_file_its_folder_or_the_data_set(tmp_path: Path) -> None:
    MAKES["parquet, as MTEB"](tmp_path / "mteb", SMALL)
    described = MAKES["described, TSV"](tmp_path / "described", SMALL)["name"]
    for name, path in (
        (tmp_path / "mteb", tmp_path / "mteb" / "corpus"),
        (tmp_path / "mteb" / "corpus", tmp_path / "mteb" / "corpus"),
        (described, described / "shop.tsv"),
        (described / "dataset.toml", described / "shop.tsv"),
        (described / "shop.tsv", described / "shop.tsv"),
    ):
        assert served_part(str(name)).path == path
    with pytest.raises(InputError, match="nowhere does not exist"):
        served_part(str(tmp_path / "nowhere"))


def test_a_file_whose_name_begins_with_a_dash_is_no_option_of_the_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    MAKES["beir"](Path("-x"), SMALL)
    assert locate("-x").serving() == ["./-x/corpus.jsonl"]
