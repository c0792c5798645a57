"""Token sets, beside NLTK's own."""

import json
import random
from pathlib import Path

import naive_passages
import pytest
from cases import tables
from hypothesis import given
from hypothesis import strategies as st

from benchbench.answers.tokens import token_set

TABLES = tables(__file__)

PIECES = [  # what the rules of sentences and words look at
    *("a", "j", "the", "cannot", "wanna", "gonna", "more'n", "d'ye", "x'll", "s'", "'s", "n't", "u.s"),
    *("5", "3.88", "-"),
    *("'", "''", "'''", '"', "`", "``", ".", "..", "...", "?", "!", ",", ":", ";", "(", ")", "[", "]", "{", "}", "--"),
    *("<", ">", "@", "#", "*", "&", "_", "$", "%", "/", "\\", "“", "”", "‘", "’", "«", "»", "—", "é", "ÿ", "法"),
    *(" ", " ", " ", " ", " "),
]


@given(
    st.lists(st.sampled_from(PIECES), max_size=25).map("".join) | st.text(st.characters(max_codepoint=127), max_size=60)
)
def test_pieces_that_the_rules_look_at_and_any_ascii_text_give_the_tokens_of_nltk(text: str):
    assert token_set(text) == naive_passages.tokens(naive_passages.single_spaces(text))


@pytest.mark.slow  # real data
def test_contracts_give_the_tokens_of_nltk(shared_data: Path):
    """Answers, and stretches that begin and end anywhere, as chunks do."""
    folder = shared_data / "legalbench-rag"
    tests = json.loads((folder / "benchmarks" / "contractnli.json").read_bytes())["tests"]
    texts = {snippet["answer"] for test in tests[:300] for snippet in test["snippets"]}
    draw = random.Random(6)
    for path in sorted(folder.glob("corpus/contractnli/*.txt")):
        text = path.read_text(encoding="utf-8")
        starts = [draw.randrange(len(text)) for _ in range(8)]
        texts |= {text[start : start + draw.choice((250, 500))] for start in starts}
    assert len(texts) > 900
    for text in texts:
        assert token_set(text) == naive_passages.tokens(naive_passages.single_spaces(text))


@pytest.mark.parametrize(("text", "tokens"), TABLES["tokens"].items())
def test_a_token_is_letters_and_digits_alone(text: str, tokens: str):
    assert token_set(text) == set(tokens.split())
