import pytest

from benchbench.errors import InputError
from benchbench.serve.analysis import analysis_of, is_english
from benchbench.tables.bm25_options import BM25Options

ENGLISH = "Everyone has the right to life, and everyone charged with an offence is to be presumed innocent by the law."
OTHERS = {
    "German": "Jeder Mensch hat das Recht auf Leben, und niemand darf in seiner Freiheit ohne Gesetz beschränkt sein.",
    "French": "Tout individu a droit à la vie, et on ne peut pas être privé de sa liberté sans un jugement de la cour.",
    "Spanish": "Todo individuo tiene derecho a la vida, y a no ser privado de su libertad sin una sentencia del juez.",
    "Italian": "Ogni individuo ha diritto alla vita, e non può essere privato della sua libertà senza un giudice.",
    "Dutch": "Een ieder heeft recht op leven, en het is de rechter die in een zaak als deze over de vrijheid beslist.",
    "Danish": "Enhver har ret til livet, og det er for at beskytte den enkelte, at retten tager stilling til sagen.",
    "Chinese": "人人有权享有生命、自由和人身安全，任何人不得加以任意逮捕、拘禁或放逐。",
    "Japanese": "すべて人は、生命、自由及び身体の安全に対する権利を有する。",
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_other_languages_keep_their_words(text: str):
    assert not is_english([text])


@pytest.mark.parametrize("texts", [[ENGLISH], [ENGLISH, OTHERS["German"]], [ENGLISH, OTHERS["Chinese"]]])
def test_english_is_english_beside_others_too(texts: list[str]):
    assert is_english(texts * 3000)


def test_chinese_with_some_english_is_chinese():
    assert not is_english([OTHERS["Chinese"] * 4 + " the rule of law and the right to be heard"])


@pytest.mark.parametrize("texts", [[], [""], ["12 34"], ["iPhone 12 64GB black"]])
def test_texts_without_a_sentence_keep_their_words(texts: list[str]):
    assert not is_english(texts)


def test_a_reader_is_told_what_was_chosen():
    assert analysis_of(BM25Options(), [ENGLISH]).about == (
        "BM25, English analysis as in Lucene (33 stop words, possessives, Porter), k1 0.9, b 0.4"
    )
    assert analysis_of(BM25Options(b=0.5), [OTHERS["Chinese"]]).about == "BM25, words and CJK bigrams, k1 1.2, b 0.5"


def test_what_is_asked_for_comes_before_what_fits():
    assert analysis_of(BM25Options("words", k1=2), [ENGLISH]).about == "BM25, words and CJK bigrams, k1 2, b 0.75"
    assert analysis_of(BM25Options("english"), [OTHERS["Chinese"]]).name == "english"


@pytest.mark.parametrize("options", [{"analysis": "lucene"}, {"k1": -1}, {"b": 1.5}, {"b": "x"}])
def test_what_is_no_option_is_refused(options: dict[str, object]):
    with pytest.raises(InputError, match="--"):
        BM25Options(**options)  # type: ignore[arg-type]
