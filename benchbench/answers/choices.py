"""Which of a, b, c, d does an answer choose?

An answer may be the letter alone, or prose that ends in it: `c`, `ｃ`, `(c)`, `正解はcです`, `The answer is C.`
"""

import re
import unicodedata

from benchbench.answers.metrics import Mark, MetricWords, Value, metric
from benchbench.tables.questions import Answer

_LETTER = r"[(「『【\[*\s]{0,6}(?:選択肢|option|choice)?[(「『【\[*\s:]{0,6}([a-d])(?![a-z0-9'])"
_ARTICLE = r"(?!(?<=a)\s(?!because|since|as\b)[a-z])"  # "the answer is a matter of …"
_DENIED = r"(?![)」』】\]*\s]{0,4}(?:では(?:な[いく]|あり)|でな[いく]|じゃな|とは|(?:か|や|と|、|or)\s?[a-d](?![a-z])))"
_STATED = re.compile(  # the last such statement is the answer
    rf"(?:(?:答え|正解|正答|解答|回答|答案|答)(?:は|が|:|=|→|として|\s){{0,2}}|ではなく|でなく"
    rf"|(?:answer|choice)\s?(?:is|would be|should be|:|=){{1,2}}){_LETTER}{_ARTICLE}{_DENIED}",
    re.IGNORECASE,
)
_BOXED = re.compile(r"\\boxed\s?\{\s?(?:\\text\s?\{)?\s?([a-d])\s?\}", re.IGNORECASE)
_CHOSEN = re.compile(
    rf"{_LETTER}[)」』】\]*\s]{{0,4}}(?:が|は)?(?:正しい|正解|適切|妥当|is correct)"
    r"(?!くな|ではな|でな|とは|で(?:は)?あり|とい?え)",
    re.IGNORECASE,
)
_ALONE = re.compile(r"(?<![a-z0-9'])([a-d])(?![a-z0-9'])(?!(?<=a)\s(?!or\b|and\b)[a-z])", re.IGNORECASE)
_WRONG = re.compile(
    r"[)」』】\]*\s]{0,4}(?:が|は|も|\s)?[^。\n]{0,14}?(?:誤|間違|不適|不正|ない|(?:is|are) (?:not|wrong|incorrect))"
)


def choice(text: str) -> tuple[str, int, int] | None:
    """Return the letter chosen, in lower case, and its place in the NFKC form of the text; None when that is not clear.

    The last statement of an answer wins. Without one, exactly one letter must be called right, or exactly one be named
    and not called wrong. `a` before another word is an article.
    """
    folded = unicodedata.normalize("NFKC", text)
    for pattern in (_BOXED, _STATED):
        stated = list(pattern.finditer(folded))
        if stated:
            return stated[-1][1].lower(), *stated[-1].span(1)
    named = list(_CHOSEN.finditer(folded)) or [
        match for match in _ALONE.finditer(folded) if not _WRONG.match(folded, match.end())
    ]
    letters = {match[1].lower() for match in named}
    if len(letters) != 1:
        return None
    return letters.pop(), *named[0].span(1)


@metric(
    "choice_accuracy",
    "1 when the answer chooses the letter that the truth is, else 0.",
    binary=True,
    parts=["choice_unclear"],
    words=MetricWords(
        "Choices", "choices", "chooses the letter of the reference", wrong="wrong choice", low="no clear choice"
    ),
)
def choice_accuracy(answer: Answer) -> Value:
    """Compare letters; an answer that chooses none, or several, is wrong."""
    assert answer.response is not None
    right = answer.truth.strip().lower()
    chosen = choice(answer.response)
    if chosen is None:
        return Value(0.0, parts={"choice_unclear": 1.0})
    letter, start, end = chosen
    mark = Mark(start, end, "matched" if letter == right else "wrong")
    whole = unicodedata.is_normalized("NFKC", answer.response)
    return Value(float(letter == right), parts={"choice_unclear": 0.0}, marks=(mark,) if whole else ())
