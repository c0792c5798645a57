"""Citations composed from their parts in every way in which they are written."""

from hypothesis import strategies as st

DIGITS = "〇一二三四五六七八九"


def in_units(value: int, zero: str = "") -> str:
    """Return a number below 10,000 as 二百六十四, with `zero` for a gap between two units."""
    written = ""
    for unit, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = value // unit % 10
        if digit:
            written += (DIGITS[digit] if digit > 1 or unit != 10 or written else "") + sign
        elif written and value % unit and not written.endswith(zero or "十百千"):
            written += zero
    return written


def _numeral(value: int) -> st.SearchStrategy[str]:
    wide = "".join(chr(ord(sign) + 0xFEE0) for sign in str(value))
    return st.sampled_from([str(value), wide, in_units(value), "".join(DIGITS[int(sign)] for sign in str(value))])


Written = tuple[str, str, tuple[str, ...]]  # text, source, path


@st.composite
def japanese(draw: st.DrawFn) -> Written:
    """Return a provision of a Japanese law, an article at the least."""
    law = draw(st.sampled_from(["民法", "会社法", "金融商品取引法", "個人情報の保護に関する法律", "会社法施行規則"]))
    article, branch = draw(st.integers(1, 999)), draw(st.lists(st.integers(2, 30), max_size=2))
    text = f"{law}第{draw(_numeral(article))}条" + "".join(f"の{draw(_numeral(one))}" for one in branch)
    path = ["-".join(map(str, [article, *branch]))]
    for sign in "項号"[: draw(st.integers(0, 2))]:
        value = draw(st.integers(1, 40))
        text, path = f"{text}第{draw(_numeral(value))}{sign}", [*path, str(value)]
    return text, law, tuple(path)


@st.composite
def chinese(draw: st.DrawFn) -> Written:
    """Return a provision of a Chinese law, an article at the least."""
    law = draw(st.sampled_from(["刑法", "民法典", "劳动合同法"]))
    name = draw(st.sampled_from([law, f"《{law}》", f"《中华人民共和国{law}》", f"中华人民共和国{law}"]))
    article, branch = draw(st.integers(1, 1260)), draw(st.lists(st.integers(1, 9), max_size=1))
    text = f"{name}第{draw(_numeral(article))}条" + "".join(f"之{DIGITS[one]}" for one in branch)
    path = ["-".join(map(str, [article, *branch]))]
    for sign in "款项"[: draw(st.integers(0, 2))]:
        value = draw(st.integers(1, 20))
        bracket = draw(st.sampled_from(["{}", "({})", "（{}）"]))
        text, path = f"{text}第{bracket.format(draw(_numeral(value)))}{sign}", [*path, str(value)]
    return text, law, tuple(path)


@st.composite
def british(draw: st.DrawFn) -> Written:
    """Return a rule, a direction, a section or a case of England and Wales."""
    number = draw(st.integers(1, 89))
    inner = draw(st.lists(st.sampled_from(["1", "2", "3A", "a", "b", "ii"]), max_size=3))
    brackets = "".join(f"({one})" for one in inner)
    sort = draw(st.sampled_from(["rule", "part", "direction", "section", "case"]))
    if sort == "rule":
        second = draw(st.integers(1, 60))
        word = draw(st.sampled_from(["CPR ", "Rule ", "rule ", "r.", "r ", "CPR r ", "CPR rule ", "CPR Part "]))
        return f"{word}{number}.{second}{brackets}", "CPR", (str(number), str(second), *inner)
    if sort == "part":
        return f"{draw(st.sampled_from(['Part ', 'CPR Part ', 'CPR Pt ', 'part ']))}{number}", "CPR", (str(number),)
    if sort == "direction":
        name = f"{number}{draw(st.sampled_from(['', 'A', 'B', 'AD']))}"
        word = draw(st.sampled_from(["PD ", "PD", "Practice Direction ", "CPR PD "]))
        form = draw(st.sampled_from(["{0} para 2.1{1}", "paragraph 2.1{1} of {0}", "{0}, paragraph 2.1{1}"]))
        return form.format(word + name, brackets), f"PD {name}", ("2", "1", *inner)
    if sort == "section":
        act = draw(st.sampled_from(["Limitation Act 1980", "Supply of Goods and Services Act 1982"]))
        forms = ["section {0} of the {1}", "s.{0} of the {1}", "{1}, s {0}", "{1} section {0}", "{1} s.{0}"]
        form = draw(st.sampled_from(forms))
        return form.format(f"{number}{brackets}", act), act, (str(number), *inner)
    court = draw(st.sampled_from([("UKSC", ""), ("EWCA Civ", ""), ("EWHC", " (Ch)"), ("EWHC", " (Comm)")]))
    return f"[2024] {court[0]} {number}{court[1]}", court[0] + court[1], ("2024", str(number))


WRITERS = {"jp": japanese(), "cn": chinese(), "uk": british()}
FRAMES = {"jp": "なお、{}に基づき", "cn": "依照{}的规定，", "uk": "Under {}, the court may"}
ENDS = {"jp": "。\n", "cn": "。\n", "uk": ".\n\n"}
