import pytest

from benchbench.report.escape import latex, markdown


@pytest.mark.parametrize(
    ("text", "shown"), [(r"a\|<img src=x>", r"a\\\|\<img src=x>"), ("plain_name", "plain_name"), ("a|b", r"a\|b")]
)
def test_a_text_neither_ends_a_cell_of_markdown_nor_is_html(text, shown):
    assert markdown(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("†x", r"$\dagger$x"),
        ("x‡", r"x$\ddagger$"),
        ('<a> "b"', r"\textless{}a\textgreater{} ''b''"),
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("50 % & $1 #2 a_b ~^", r"50 \% \& \$1 \#2 a\_b \textasciitilde{}\textasciicircum{}"),
    ],
)
def test_a_text_in_latex_is_no_command(text, shown):
    assert latex(text) == shown
