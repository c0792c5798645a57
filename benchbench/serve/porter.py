"""Porter's stemmer as Lucene's `PorterStemFilter` has it (M. F. Porter, Program 14(3), 1980).

Beside the paper: words of one or two characters are left alone, `bli` becomes `ble` (the paper: `abli`, `able`),
`logi` becomes `log`, and whatever is no vowel counts as a consonant: digits, apostrophes, letters with accents.
Those are Porter's own later changes. Snowball's `porter`, which PyStemmer has, is without them: of 171,795 words in
texts of ten collections, 152 get another stem there (`technology`, `possibly`, `us`).
"""

from collections.abc import Mapping

# Suffixes by their last letter but one, as only those can end the word; of those that do, the first counts.
_DOUBLE = {
    "a": {"ational": "ate", "tional": "tion"},
    "c": {"enci": "ence", "anci": "ance"},
    "e": {"izer": "ize"},
    "g": {"logi": "log"},
    "l": {"bli": "ble", "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous"},
    "o": {"ization": "ize", "ation": "ate", "ator": "ate"},
    "s": {"alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous"},
    "t": {"aliti": "al", "iviti": "ive", "biliti": "ble"},
}
_SINGLE = {
    "a": {"ical": "ic"},
    "s": {"ness": ""},
    "t": {"icate": "ic", "iciti": "ic"},
    "u": {"ful": ""},
    "v": {"ative": ""},
    "z": {"alize": "al"},
}
_LAST = {
    "a": ("al",),
    "c": ("ance", "ence"),
    "e": ("er",),
    "i": ("ic",),
    "l": ("able", "ible"),
    "n": ("ant", "ement", "ment", "ent"),
    "o": ("sion", "tion", "ou"),
    "s": ("ism",),
    "t": ("ate", "iti"),
    "u": ("ous",),
    "v": ("ive",),
    "z": ("ize",),
}


def stem(word: str) -> str:
    """Return the stem of a word in lower case."""
    if len(word) < 3:
        return word
    word = _inflection(word)
    if word[-1] == "y" and "v" in _kinds(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _DOUBLE)
    word = _replaced(word, _SINGLE)
    word = _without_last(word)
    if word[-1] == "e":
        before = word[:-1]
        measure = _measure(before)
        if measure > 1 or (measure == 1 and not _is_short(before)):
            word = before
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _kinds(text: str) -> str:
    """Return `v` per vowel and `c` per consonant; a y is a vowel after a consonant."""
    kinds, last = [], ""
    for letter in text:
        last = "v" if letter in "aeiou" or (letter == "y" and last == "c") else "c"
        kinds.append(last)
    return "".join(kinds)


def _measure(text: str) -> int:
    """Return how many runs of vowels there are with a consonant behind them."""
    return _kinds(text).count("vc")


def _is_short(text: str) -> bool:
    """Say whether a text ends in consonant, vowel, consonant, and not in w, x or y: an e was cut, or belongs there."""
    return text[-1] not in "wxy" and _kinds(text).endswith("cvc")


def _inflection(word: str) -> str:
    """Return a word without the endings of the plural and of -ed and -ing."""
    if word[-1] == "s":
        if word.endswith(("sses", "ies")):
            word = word[:-2]
        elif word[-2] != "s":
            word = word[:-1]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    cut = 2 if word.endswith("ed") else 3 if word.endswith("ing") else 0
    if not cut or "v" not in _kinds(word[:-cut]):
        return word
    word = word[:-cut]
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if len(word) > 1 and word[-1] == word[-2] and _kinds(word)[-1] == "c":
        return word if word[-1] in "lsz" else word[:-1]
    return word + "e" if _measure(word) == 1 and _is_short(word) else word


def _replaced(word: str, suffixes: Mapping[str, Mapping[str, str]]) -> str:
    """Return a word with another suffix, where what stands before it has a measure."""
    for suffix, other in suffixes.get(word[-2:-1], {}).items():
        if word.endswith(suffix):
            before = word[: -len(suffix)]
            return before + other if _measure(before) else word
    return word


def _without_last(word: str) -> str:
    """Return a word without a suffix, where what stands before it has a measure above 1."""
    for suffix in _LAST.get(word[-2:-1], ()):
        if word.endswith(suffix):
            before = word[: -3 if suffix.endswith("ion") else -len(suffix)]
            return before if _measure(before) > 1 else word
    return word
