import pickle
import subprocess
import sys
from typing import Any

import jmespath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.client.jmespath_fields import FieldPath

_names = st.sampled_from(["a", "b", "_source", "@search.score", "标题"])
_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=3),
    max_leaves=12,
)


@given(_values, st.lists(_names, min_size=1, max_size=3))
def test_a_dotted_path_finds_what_jmespath_finds(value: Any, names: list[str]):
    expression = ".".join(name if name.isidentifier() and name.isascii() else f'"{name}"' for name in names)
    assert repr(FieldPath(expression).find(value)) == repr(jmespath.search(expression, value))


@pytest.mark.parametrize(
    ("expression", "value", "found"),
    [
        ("@", [1], [1]),
        (" a.b ", {"a": {"b": 1}}, 1),
        ("a[*].b", {"a": [{"b": 1}, {"b": 2}]}, [1, 2]),
        ("a[?b > `1`].b | [0]", {"a": [{"b": 1}, {"b": 2}]}, 2),
        ("a || b", {"b": 3}, 3),
        ("to_number(a)", {"a": "4"}, 4),
    ],
)
def test_any_jmespath_expression_is_followed(expression: str, value: Any, found: Any):
    assert FieldPath(expression).find(value) == found


@pytest.mark.parametrize("expression", ["", "a[", "a..b", "a b", "no_such(a)", "a[*].no_such(@)"])
def test_what_is_no_expression_is_refused_before_anything_is_asked(expression: str):
    with pytest.raises(ValueError, match=r"."):
        FieldPath(expression)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("ceil(a)", {"a": float("nan")}),
        ("length(a)", {"a": 1}),
        ("sort_by(a, &b)", {"a": [{"b": 1}, {"b": "x"}]}),
        ("abs(a, a)", {"a": 1}),
        ("a.b", {"a": [1]}),
        ("a[0].b", "a"),
        ("a[0]", None),
    ],
)
def test_data_that_an_expression_does_not_fit_is_nothing_found(expression: str, value: Any):
    assert FieldPath(expression).find(value) is None


def test_a_path_survives_the_way_to_another_process():
    path = pickle.loads(pickle.dumps(FieldPath("a[0].b")))
    assert path == FieldPath("a[0].b")
    assert path.find({"a": [{"b": 1}]}) == 1


@pytest.mark.slow  # a process
def test_jmespath_is_imported_only_for_what_needs_it():
    code = """
import sys
from benchbench.client.describe import profile
profile("elasticsearch", {"index": "cases"})
profile("azure-ai-search", {"index": "cases"})
assert "jmespath" not in sys.modules
from benchbench.client.jmespath_fields import FieldPath
FieldPath("a[0]")
assert "jmespath" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
