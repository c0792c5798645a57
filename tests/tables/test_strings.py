"""Strings in one piece of memory, and an index of them."""

from hypothesis import given
from hypothesis import strategies as st

from benchbench.tables.strings import StringIndex, Strings

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
