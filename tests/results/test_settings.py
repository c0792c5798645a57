"""A setting is described once: its check, its option and its docstring are made of that."""

import gzip
import inspect
import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

import click
import numpy as np
import pytest
from cases import check_rows
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import benchbench as bb
from benchbench.cli.signatures import After, Argument, Fields, described_command
from benchbench.errors import InputError
from benchbench.experiment import Settings
from benchbench.formats import trec_reading
from benchbench.results.ranges import COUNT, SEED, SHARE, TIMEOUT, Range, check
from benchbench.results.settings import Opt, Seed, check_described, described
from benchbench.retrieval.bm25_options import BM25Options
from benchbench.tables.judges import is_judge
from benchbench.tables.random_keys import random_part, without_keys

Order = Literal["shuffle", "zipf"]


@described
@dataclass(frozen=True, slots=True)
class Drawing:
    """How items are drawn.

    Attributes
    ----------
    items
        What is drawn from.
    """

    items: tuple[str, ...]
    limit: Annotated[int, Opt("Items to draw.", COUNT, ("-n", "--limit"))] = 10
    share: Annotated[float | None, Opt("Share of them.", SHARE, default="all")] = None
    order: Annotated[Order, Opt("In which order.", ("shuffle", "zipf"))] = "shuffle"
    groups: Annotated[tuple[int, ...], Opt("Of which groups.", COUNT, ("--group",), metavar="N,…")] = ()
    again: Annotated[bool, Opt("Draw each more than once.")] = False
    place: Annotated[Path | None, Opt("Where they go.", instead_of=("again",))] = None

    def __post_init__(self) -> None:
        check_described(self)


def doubled(count: Annotated[int, Opt("Half of them.", COUNT)] = 1) -> int:
    return 2 * count


@described_command("draw")
def draw(
    items: Annotated[tuple[str, ...], Argument("ITEM…")],
    settings: Annotated[dict[str, Any], Fields(Drawing, but=("order",))],
    order: Annotated[Order, Opt("In which order."), After("share")] = "shuffle",
    *,
    twice: Annotated[int, doubled],
    seed: Seed = 3,
    wait: Annotated[float, Opt("Time between them.", is_time=True)] = 90.0,
) -> None:
    """Draw."""
    click.echo(repr((Drawing(items, order=order, **settings), twice, seed, wait)))


def test_options_are_made_of_settings():
    drawn = Drawing(("a",), 5, 0.5, "zipf", (1, 2), True, Path("x"))
    line = "a -n 5 --share .5 --order zipf --group 1,2 --again --place x --count 4 --seed 4 --wait 500ms"
    assert CliRunner().invoke(draw, line.split()).output == f"{(drawn, 8, 4, 0.5)!r}\n"
    assert CliRunner().invoke(draw, ["a"]).output == f"{(Drawing(('a',)), 2, 3, 90.0)!r}\n"
    (place,) = (one for one in draw.params if one.name == "place")
    assert place.instead_of == ("again",)  # type: ignore[attr-defined]


def test_help_has_each_sentence_with_its_default():
    text = " ".join(CliRunner().invoke(draw, ["--help"]).output.split())
    for part in (
        "-n, --limit INTEGER Items to draw. [default: 10]",
        "--share NUMBER Share of them. [default: all]",
        "--order [shuffle|zipf] In which order. [default: shuffle]",
        "--group N,… Of which groups. --again Draw each more than once. --place PATH Where they go.",
        "--share NUMBER Share of them. [default: all] --order [shuffle|zipf] In which order.",
        "--count INTEGER Half of them. [default: 1] --seed INTEGER Seed of the random numbers. [default: 3]",
        "--wait TIME Time between them. [default: 1.5min] -q, --quiet",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"limit": 0}, "--limit is a whole number from 1 to 1,000,000,000, and not 0"),
        ({"limit": None}, "--limit is a whole number from 1 to 1,000,000,000, and not None"),
        ({"share": 2}, "--share is a number from 0 to 1, and not 2"),
        ({"order": "none"}, "--order is one of shuffle, zipf, and not none"),
        ({"groups": (1, 0)}, "--group is a whole number from 1 to 1,000,000,000, and not 0"),
    ],
    ids=str,
)
def test_what_a_setting_may_not_be_is_refused_by_the_name_of_its_option(given: dict[str, Any], reason: str):
    with pytest.raises(InputError) as refused:
        Drawing(("a",), **given)
    assert str(refused.value) == reason


def test_numbers_are_those_of_the_command_line_and_one_of_a_list_may_stand_alone():
    drawn = Drawing(("a",), share=1, groups=3)  # type: ignore[arg-type]
    assert (drawn.share, type(drawn.share), drawn.groups) == (1.0, float, (3,))


def test_a_signature_shows_the_sentence_of_a_setting_and_nothing_else_of_it():
    shown = str(inspect.signature(Drawing))
    assert "'Items to draw.'" in shown
    assert "Opt(" not in shown


def test_a_docstring_has_the_settings_in_their_order_beside_what_stands_there():
    assert inspect.cleandoc(Drawing.__doc__ or "") == inspect.cleandoc(
        """How items are drawn.

        Attributes
        ----------
        items
            What is drawn from.
        limit
            Items to draw. Default: 10. (`--limit`)
        share
            Share of them. Default: all. (`--share`)
        order
            In which order. Default: shuffle. (`--order`)
        groups
            Of which groups. (`--group`)
        again
            Draw each more than once. (`--again`)
        place
            Where they go. (`--place`)
        """
    )


# Numbers from outside: taken as Python's, or refused in one sentence

NONE = [math.nan, math.inf, -math.inf, 10**400, -(10**5000), True, np.True_, "5", None, b"5", 5 + 0j, [5]]


def test_what_is_no_number_within_bounds_is_refused_in_one_line():
    def check_case(value, allowed: Range) -> None:
        with pytest.raises(InputError) as refused:
            allowed.take(value, "--it")
        assert str(refused.value).startswith(f"--it is {allowed}, and not ")
        assert len(str(refused.value)) < 150

    check_rows(check_case, itertools.product(NONE, [COUNT, SHARE, TIMEOUT]))


def test_a_text_is_ascii_digits_or_refused():
    def check_case(text: str, allowed: Range) -> None:
        with pytest.raises(InputError, match=r"^--it is "):
            allowed.read(text, "--it")

    check_rows(
        check_case,
        itertools.product(
            ["nan", "inf", "-inf", "1e400", str(10**30), "-1", "", " ", "１２", "1_0", "0x1", "²"],
            [COUNT, SHARE, TIMEOUT],
        ),
    )


@pytest.mark.parametrize(
    ("allowed", "said"),
    [
        (COUNT, "a whole number from 1 to 1,000,000,000"),
        (SEED, "a whole number from 0 to 2^62"),
        (SHARE, "a number from 0 to 1"),
        (TIMEOUT, "a number of seconds above 0 and up to 1,000,000"),
        (Range(-(2**63), 2**64 - 1), "a whole number from -2^63 to 18,446,744,073,709,551,615"),
    ],
)
def test_a_range_says_what_it_takes(allowed: Range, said: str):
    assert str(allowed) == said


@given(st.integers(1, 10**9))
def test_whole_numbers_of_any_library_become_pythons(number: int):
    for value in (number, np.int64(number), np.uint32(number)):
        taken = COUNT.take(value, "--it")
        assert (type(taken), taken) == (int, number)
    assert COUNT.read(f" {number} ", "--it") == number


def test_real_numbers_of_any_library_become_pythons():
    for value in (0.5, np.float32(0.5), np.float64(0.5), Fraction(1, 2)):
        taken = SHARE.take(value, "--it")
        assert (type(taken), taken) == (float, 0.5)
    assert type(SHARE.take(np.int8(1), "--it")) is int
    assert SHARE.read("5e-1", "--it") == 0.5


def test_ends_belong_to_a_range_unless_it_is_above_one():
    assert [SHARE.take(end, "--it") for end in (0, 1)] == [0, 1]
    assert TIMEOUT.take(1_000_000, "--it") == 1_000_000
    for end in (0, 0.0, -0.0):
        with pytest.raises(InputError, match="a number of seconds above 0 and up to"):
            TIMEOUT.take(end, "--it")


@pytest.mark.parametrize("value", [0.5, 5.0, np.float64(5)])
def test_a_fraction_is_no_whole_number(value):
    with pytest.raises(InputError, match="is a whole number"):
        COUNT.take(value, "--it")


@dataclass(frozen=True, slots=True)
class Given:
    batch_size: object = 1
    shares: object = (0.5,)

    def __post_init__(self) -> None:
        check(self, batch_size=COUNT, shares=SHARE)


def test_a_frozen_dataclass_holds_pythons_numbers_or_names_the_option():
    assert Given(np.int64(3), [np.float64(0.25)]) == Given(3, (0.25,))
    with pytest.raises(InputError, match=r"^--batch-size is a whole number"):
        Given(0)
    with pytest.raises(InputError, match=r"^--shares is a number"):
        Given(1, (0.5, math.nan))


# Random keys


@pytest.mark.parametrize(
    "part", ["sk-Ab12Cd34Ef56Gh78Ij90", "AIzaSyA1234567890abcdef", "0123456789abcdef0123456789abcdef"]
)
def test_what_looks_like_a_key_is_hidden_in_a_path(part: str):
    assert without_keys(f"http://h:1/v1/{part}/search") == "http://h:1/v1/[hidden]/search"


@pytest.mark.parametrize(
    "part", ["", "_search", "default_collection", "My-Collection-2024-Documents", "20240102030405060708"]
)
def test_names_and_numbers_are_no_keys(part: str):
    assert not random_part(part)


# Bm25 options


@pytest.mark.parametrize("where", [{"url": "http://127.0.0.1:1"}, {"targets": {"a": "http://127.0.0.1:1"}}])
def test_options_of_the_embedded_retriever_are_refused_where_none_is_started(where: dict[str, object]):
    with pytest.raises(InputError, match=r"^--analysis, --k1 and --b are options of the embedded BM25, which is not"):
        Settings("synthetic-cases", bm25=BM25Options(k1=1), **where)  # type: ignore[arg-type]


def test_options_that_are_given_are_arguments_of_serve():
    assert BM25Options().arguments() == ["--analysis", "auto"]
    assert BM25Options("words", 2, 0).arguments() == ["--analysis", "words", "--k1", "2.0", "--b", "0.0"]


# Names of judges in the second column of judgments

JUDGE, OTHER = "gpt-4o/relevance.zh@1", "Qwen/Qwen3-8B/umbrela.en@1"


MIXED = f"q1 0 d1 2\nq1 {JUDGE} d2 1\nq1 {OTHER} d3 0\nq2 0 d1 1\nq3 {JUDGE} d1 3\n"


def qrels(folder: Path, text: str) -> bb.Qrels:
    path = folder / "qrels.trec"
    path.write_text(text)
    return bb.Qrels.from_file(path)


@pytest.mark.parametrize(
    "field", ["0", "Q0", "12", "a/b", "x@1", "model/relevance@1", "model/relevance.zh", "m/r.zh@1/2"]
)
def test_what_is_no_model_with_a_rubric_is_no_judge(field: str):
    assert not is_judge(field)


@pytest.mark.parametrize("field", [JUDGE, OTHER, "m%20o/my-rubric.ja@2024-05", "a/b.zh-TW@1"])
def test_a_model_with_a_rubric_is_a_judge(field: str):
    assert is_judge(field)


def test_labels_of_judges_are_counted_by_judge(tmp_path: Path):
    assert qrels(tmp_path, MIXED).judges == {OTHER: 1, JUDGE: 2}
    assert qrels(tmp_path, f"q {JUDGE} d 1\nq {JUDGE} e 0\n").judges == {JUDGE: 2}
    assert qrels(tmp_path, "q 0 d 1\nq 1 e 0\n").judges == {}


def test_judges_are_counted_in_every_part_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(trec_reading, "PART", 30)
    text = "".join(f"q{n} {JUDGE if n % 3 else 0} d{n} 1\n" for n in range(300))
    assert qrels(tmp_path, text).judges == {JUDGE: 200}
    assert qrels(tmp_path, text.replace(" 0 ", " Q0 ")).judges == {JUDGE: 200}
    (tmp_path / "qrels.gz").write_bytes(gzip.compress(text.encode()))
    assert bb.Qrels.from_file(tmp_path / "qrels.gz").judges == {JUDGE: 200}


def test_a_judge_is_no_subtopic(tmp_path: Path):
    run = bb.Run.from_dict({"q1": {"d1": 1.0}})
    with pytest.raises(InputError, match="have no subtopics"):
        bb.evaluate(qrels(tmp_path, MIXED), run, ["alpha_nDCG@10"])
    diverse = qrels(tmp_path, "q1 1 d1 1\nq1 2 d1 0\nq1 2 d2 1\n")
    assert bb.evaluate(diverse, run, ["StRecall@1"]).mean() == {"StRecall@1": 0.5}


def test_the_digest_of_labels_does_not_depend_on_who_judged(tmp_path: Path):
    people = MIXED.replace(JUDGE, "0").replace(OTHER, "0")
    assert qrels(tmp_path, MIXED).digest == qrels(tmp_path, people).digest


def test_a_pair_that_people_and_a_judge_grade_differently_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="judges document d of query q twice, with different grades"):
        qrels(tmp_path, f"q 0 d 1\nq {JUDGE} d 2\n")


def test_a_score_says_how_many_labels_are_a_judges(tmp_path: Path):
    run = bb.Run.from_dict({"q1": {"d1": 1.0}})
    one = bb.evaluate(qrels(tmp_path, f"q1 0 d1 1\nq1 {JUDGE} d2 0\n"), run, ["nDCG@10"])
    assert one.notes[0].startswith(f"1 of 2 labels are not people's but those of {JUDGE}, and gates use them")
    several = bb.evaluate(qrels(tmp_path, MIXED), run, ["nDCG@10"])
    those = f"those of {OTHER} (1), {JUDGE} (2)"
    assert several.notes[0].startswith(f"3 of 5 labels are not people's but {those}, and gates use them")


def test_a_comparison_says_once_how_many_labels_are_a_judges(tmp_path: Path):
    runs = {name: bb.Run.from_dict({"q1": {"d1": 1.0}, "q2": {"d1": 1.0}}) for name in "ab"}
    found = bb.compare(qrels(tmp_path, MIXED), runs, ["nDCG@10"], moved=0)
    assert len([note for note in found.record.notes if "not people's" in note.text]) == 1
