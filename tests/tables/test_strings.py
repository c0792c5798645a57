"""Strings in one piece of memory, and an index of them."""

import pickle

import orjson
from hypothesis import given
from hypothesis import strategies as st

from benchbench.tables.strings import JsonStrings, StringIndex, Strings

TEXTS = st.text(st.characters(), max_size=3)  # short ones, so that some are equal


class Long(bytearray):
    """Bytes that say of themselves that they are more than 4 GiB."""

    def __len__(self):
        return 1 << 33


def test_strings_may_have_more_than_4_gib_together():
    strings = Strings(["a"])
    strings._bytes = Long(b"a")
    strings.append("b")
    assert list(strings._ends) == [0, 1, 1 << 33]


@given(st.lists(TEXTS, unique=True), TEXTS)
def test_an_index_finds_what_is_in_the_list(texts, other):
    index = StringIndex(strings := Strings())
    for text in texts:
        assert index.find(text) == -1
        index.append(text)
    assert strings == texts
    assert [index.find(text) for text in texts] == list(range(len(texts)))
    assert index.find(other) == (texts.index(other) if other in texts else -1)


def test_an_index_of_many_strings_finds_each():
    index = StringIndex(Strings())
    texts = [f"q{number}" for number in range(5000)]
    for text in texts:
        index.append(text)
    assert [index.find(text) for text in texts] == list(range(len(texts)))
    assert index.find("q5000") == -1


def test_strings_with_equal_halves_of_hashes_are_told_apart():
    class Same(str):
        __slots__ = ()

        def __hash__(self):
            return 1 << 40

    index = StringIndex(Strings())
    for text in ("a", "b", "c"):
        index.append(Same(text))
    assert [index.find(Same(text)) for text in "abcd"] == [0, 1, 2, -1]


PIECES = st.sampled_from(["a" * 60, "乙" * 50, "한", "\x00", "\x1f\x7f", '\b\t\n\f\r"\\/', "é", "🙂", " "])


@given(
    st.lists(st.lists(PIECES | st.text(), max_size=5).map("".join), max_size=5), st.integers(0, 5), st.integers(0, 5)
)
def test_their_json_is_that_of_a_list(texts: list[str], first: int, count: int):
    first = min(first, len(texts))
    places = slice(first, min(first + count, len(texts)))
    assert Strings(texts).some(places) == texts[places]
    assert Strings(texts).some(places).json() == orjson.dumps(texts[places])


@given(st.lists(TEXTS, min_size=1), st.sampled_from(["\ud800", "\udfff"]))
def test_half_a_surrogate_pair_has_no_json(texts: list[str], half: str):
    assert Strings([*texts, half, *texts]).json() is None


@given(st.lists(st.text()), st.slices(5))
def test_strings_in_json_are_a_list_to_those_who_read_them_also_in_another_process(texts: list[str], places: slice):
    written = JsonStrings(orjson.dumps(texts), len(texts))
    for strings in (written, pickle.loads(pickle.dumps(written))):
        assert len(strings) == len(texts)
        assert strings == texts
        assert list(strings) == texts
        assert strings[places] == texts[places]
        assert strings != [*texts, ""]
