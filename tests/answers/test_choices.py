"""The letter that an answer chooses."""

import pytest
from answer_values import scored
from cases import check_rows
from hypothesis import given
from hypothesis import strategies as st

from benchbench.answers.choices import choice


def test_a_stated_choice_is_found():
    def check(text: str, letter: str) -> None:
        found = choice(text)
        assert found is not None
        assert found[0] == letter

    check_rows(
        check,
        [
            ("c", "c"),
            ("ｃ", "c"),
            (" C. ", "c"),
            ("(c)", "c"),
            ("**b**", "b"),
            ("正解はcです", "c"),
            ("答え：ｂ", "b"),
            ("aとbは誤りで、正解は「c」", "c"),
            ("選択肢aは誤り、bが正しい。", "b"),
            ("回答: a\n理由: b は誤り", "a"),
            ("a 第5条第1項の届出書", "a"),
            ("The answer is C.", "c"),
            ("Answer: (D)", "d"),
            ("Answer:\n\nc", "c"),
            ("First I said: the answer is a. No: the answer is b.", "b"),
            (r"\boxed{b}", "b"),
            ("The answer is a matter of law, and it is d", "d"),
            ("The answer is a because of Article 5", "a"),
            ("正解はbではなくcです", "c"),
            ("aは適切ではない。bは正しい。", "b"),
            ("aが正しいとはいえない。正解はc", "c"),
        ],
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "どれでもない",
        "a or b",
        "b、c",
        "This is a matter of law.",
        "I think a is right",
        "e",
        "The answer is A company",
        "aは正しい。bは正しい。cは正しい。dは誤り。",
        "正解はaかbで迷う",
        "aは適切ではない",
    ],
)
def test_no_choice_or_several_are_none(text: str):
    assert choice(text) is None


@given(st.text(alphabet="abcd正解は答えanswer is:()「」\n \\boxed{}e", max_size=60))
def test_the_place_is_that_of_the_letter(text: str):
    found = choice(text)
    if found is not None:
        letter, start, end = found
        assert text[start:end].lower() == letter


def test_a_right_wrong_and_unclear_choice():
    assert scored("choice_accuracy", "正解はcです", "c").score == 1.0
    assert scored("choice_accuracy", "正解はbです", "c").score == 0.0
    unclear = scored("choice_accuracy", "a or c", "c")
    assert (unclear.score, unclear.parts) == (0.0, {"choice_unclear": 1.0})
