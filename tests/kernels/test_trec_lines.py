"""Lines of runs and qrels to columns: the glance and the scan agree with a plain reading of the text."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchbench.kernels.spans import hash_spans
from benchbench.kernels.trec_lines import FINE, count_lines, last_query, lines, next_query, parse_lines

fields = st.text("ab#é法1.-", min_size=1, max_size=20).filter(lambda text: not text.startswith("#"))
gaps = st.sampled_from([" "] * 8 + ["\t", "  ", " \t "])
numbers = st.floats(allow_nan=False, allow_infinity=False).map(repr) | st.sampled_from(["12.5", "29.411843", "-3", "7"])
ends = st.sampled_from(["\n"] * 6 + ["\r\n", " \n", "\n\n", "\n# a comment\n"])


@st.composite
def text_of(draw: st.DrawFn, run: bool) -> tuple[str, list[list[str]]]:
    """Draw lines, and the fields of each."""
    rows, text = [], ""
    for _ in range(draw(st.integers(0, 12))):
        row = [draw(fields), draw(fields), draw(fields)]
        row += [str(draw(st.integers(-1, 99))), draw(numbers), draw(fields)] if run else [draw(numbers)]
        rows.append(row)
        gap = draw(gaps)
        text += draw(st.sampled_from(["", "", "", " "])) + gap.join(row) + draw(ends)
    return text, rows


def hashes(texts: list[str]) -> list[int]:
    encoded = [one.encode() for one in texts]
    stops = np.cumsum([0, *map(len, encoded)]).astype(np.uint64)
    return hash_spans(np.frombuffer(b"".join(encoded) or b"\0", np.uint8), stops[:-1], stops[1:]).tolist()


@given(st.data(), st.booleans(), st.integers(0, 130))
def test_columns_are_those_of_a_plain_reading(data: st.DataObject, run: bool, before: int):
    """Whatever parts the fields, wherever the 64 bytes that are looked at together begin and end."""
    drawn, rows = data.draw(text_of(run))
    text = np.frombuffer(b"." * before + drawn.encode() + b"\n", np.uint8)
    room = lines(int(count_lines(text, before, text.size)))
    parsed = parse_lines(text, before, text.size, run, room)
    assert parsed.problem == FINE
    n = int(parsed.rows)
    assert n == len(rows)
    assert room.document[:n].tolist() == hashes([row[2] for row in rows])
    spans = zip(room.document_start[:n].tolist(), room.document_stop[:n].tolist(), strict=True)
    assert [bytes(text[a:b]).decode() for a, b in spans] == [row[2] for row in rows]
    if not run:
        assert room.iteration[:n].tolist() == hashes([row[1] for row in rows])
    values = np.array([float(row[4 if run else 3]) for row in rows])
    decided = ~np.isnan(room.value[:n])
    assert np.array_equal(room.value[:n][decided], values[decided])
    owner = np.repeat(np.arange(parsed.groups), np.diff(room.groups[: parsed.groups + 1]))
    assert room.query[owner].tolist() == hashes([row[0] for row in rows])


def test_a_number_that_is_left_to_python_says_where_it_stands():
    text = np.frombuffer(b"q Q0 d 1 5e-324 t\n", np.uint8)
    room = lines(1)
    assert parse_lines(text, 0, text.size, True, room).problem == FINE
    assert np.isnan(room.value[0])
    assert room.number[0] & np.uint64(0xFFFFFFFF) == 9


@given(st.data(), st.integers(0, 300))
def test_parts_are_cut_where_a_query_begins(data: st.DataObject, place: int):
    """`next_query` finds such a line behind a place, `last_query` the last one of the text."""
    drawn, _ = data.draw(text_of(True))
    text = np.frombuffer(drawn.encode() + b"\n", np.uint8)
    whole = drawn.split("\n")
    begins, at, known = [], 0, None
    for line in whole:
        if line.strip() and not line.startswith("#"):
            query = line.split()[0]
            if query != known:
                begins.append(at)
            known = query
        at += len(line.encode()) + 1
    cut = int(next_query(text, min(place, text.size), text.size))
    assert cut == text.size or (cut in begins and cut > place)
    assert int(last_query(text, text.size)) == (begins[-1] if len(begins) > 1 else 0)


def test_line_ends_are_counted_from_any_place_to_any_other():
    text = np.frombuffer(b"a\n\nbc\n" * 40, np.uint8)
    for start in range(0, 70, 7):
        for stop in range(start, 240, 13):
            assert count_lines(text, start, stop) == bytes(text[start:stop]).count(b"\n")
