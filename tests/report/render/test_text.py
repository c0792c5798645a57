from benchbench.report.render.text import cut, plain, width


def test_what_a_text_holds_is_not_obeyed_by_a_terminal():
    assert cut("red \x1b[31m\r\n alert\u202e", 80) == "red [31m alert"


def test_a_text_is_cut_to_the_columns_it_takes():
    assert cut("盗窃案件", 8) == "盗窃案件"
    assert cut("盗窃案件", 7) == "盗窃案…"
    assert cut("盗窃案件", 6) == "盗窃…"
    assert width(cut("a" * 50, 9)) == 9
    assert width("e\u0301") == 1


def test_wide_characters_do_not_break_columns():
    assert plain(["a", "b"], [["盗窃", "1"], ["x", "2"]]).splitlines() == ["a     b", "----  -", "盗窃  1", "x     2"]
