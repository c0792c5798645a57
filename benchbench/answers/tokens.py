"""The set of alphanumeric tokens of a text, as NLTK finds them, without NLTK.

What counts as a token is the contract of the passage scores: `word_tokenize(text.lower())` of NLTK, with sentences
split by a Punkt tokenizer that was never trained, and of its tokens those of letters and digits alone. So
`non-disclosure`, `u.s.` and `n't` are no tokens, and a word before a period is one only where a sentence ends. White
space is normalised first. The rules of Punkt (Kiss and Strunk, 2006) and of the Penn Treebank tokenizer are cut down
to what decides that set; NLTK itself is the oracle of the tests.
"""

import re


def single_spaces(text: str) -> str:
    """Return the form in which texts are compared: lower case, no outer white space, single spaces within."""
    return " ".join(text.lower().split())


def token_set(text: str) -> frozenset[str]:
    """Return the distinct tokens of a text, in lower case."""
    tokens: set[str] = set()
    odd: list[str] = []
    for sentence in _sentences(single_spaces(text)):
        words = sentence.split(" ")
        whole = [word for word in words if word.isalnum() and word not in _CONTRACTED]
        tokens.update(whole)
        if len(whole) < len(words):
            kept = [word for word in words[:-1] if not word.isalnum() or word in _CONTRACTED]
            odd.append(" ".join((*kept, words[-1])))
    if odd:
        tokens.update(word for word in _separated("\n".join(odd)).split() if word.isalnum())
    return frozenset(tokens)


# Sentences: a token depends only on whether a word's last period ends one.

_CLOSERS = "\"')\\]}‘’“”«»"
_INNER = r"[)\";}\]*:@'({\[‘’“”«»?!]"  # ends a word
_RUN = r"(?:-{2,}|\.{2,}|(?:\.\s){2,}\.)"
_WORDS = re.compile(rf"{_RUN}|(?=[^(\"`{{\[:;&#*@)}}\]\-,])\S+?(?=\s|$|{_INNER}|{_RUN}|,(?=$|\s|{_INNER}|{_RUN}))|\S")
_END = re.compile(rf"[.?!](?={_INNER}|\s+(\S+))")
_CLOSING = re.compile(rf"[{_CLOSERS}]+?(?:\s+|(?=--)|$)")
_NUMBER = re.compile(r"-?[.,]?\d[\d,.-]*\.?$")


def _sentences(text: str) -> list[str]:
    """Return the sentences of a text with single spaces."""
    starts = [0]
    ends = []
    last: dict[int, re.Match[str]] = {}  # of the marks in a word the last one decides
    for mark in _END.finditer(text):
        last[text.rfind(" ", 0, mark.start()) + 1] = mark
    for word, mark in last.items():
        following = mark.group(1)
        if _breaks(text[word : mark.end()], f" {following}" if following else text[mark.end()]):
            ends.append(mark.end())
            starts.append(mark.start(1) if following else mark.end())
    ends.append(len(text))
    for n in range(1, len(starts)):
        if closing := _CLOSING.match(text[starts[n] : ends[n]]):
            ends[n - 1] = starts[n] + len(closing.group().rstrip())
            starts[n] += closing.end()
    return [text[start:end] for start, end in zip(starts, ends, strict=True) if start < end]


def _breaks(word: str, following: str) -> bool:
    """Say whether a sentence ends within `word`, which ends in a mark; `following` is the text after it."""
    if word[:-1].isalpha() and len(word) > 2 and following[0] == " ":
        return True
    tokens = _WORDS.findall(word + following)
    return any(map(_ends, tokens, tokens[1:]))


def _ends(token: str, after: str) -> bool:
    if token in ("?", "!"):
        return True
    if not token.endswith(".") or token.endswith(".."):
        return False
    is_initial = len(token) == 2 and (token[0].isalpha() or token[0] == "_")
    if is_initial or _NUMBER.match(token):
        return not (after[0].islower() or after in (";", ":", ",", ".", "!", "?"))
    return True


# Words: the Treebank's rules, in their order.

_CONTRACTED = frozenset(("cannot", "gimme", "gonna", "gotta", "lemme", "wanna"))
_OPENING = str.maketrans(dict.fromkeys("«“‘„`", " ` "))  # a mark that no period is final before
_SIGNS = str.maketrans(dict.fromkeys("`;@#$%&?!‒–—―", " "))
_BRACKETS = str.maketrans(dict.fromkeys('*()[]{}<>"»”’', " "))
_RULES: tuple[tuple[re.Pattern[str], str] | dict[int, str], ...] = (
    _OPENING,
    (re.compile(r'^"', re.MULTILINE), " ` "),
    (re.compile(r"(?<=[ (\[{<])(?:\"|'')"), " ` "),
    (re.compile(r"(?<!\w)'(?!(?:re|ve|ll|m|t|s|d|n)\b)(?=\w)"), "' "),
    (re.compile(r"([^.])\.[])}>\"'»”’ ]*$", re.MULTILINE), r"\1 "),
    _SIGNS,
    (re.compile(r"[:,]([^\d])"), r" \1"),
    (re.compile(r"[:,]$", re.MULTILINE), " "),
    (re.compile(r"\.{2,}"), " "),
    (re.compile(r"([^'])' "), r"\1 "),
    _BRACKETS,
    (re.compile(r"--|\n|$"), r" \g<0> "),
    (re.compile(r"''"), " "),
    (re.compile(r"([^' ])(?:'[smd]|') "), r"\1 "),
    (re.compile(r"([^' ])(?:'ll|'re|'ve|n't) "), r"\1 "),
    (
        re.compile(
            r"\b(can(?=not\b)|d(?='ye\b)|gim(?=me\b)|gon(?=na\b)|got(?=ta\b)|lem(?=me\b)|more(?='n\b)|wan(?=na\s))"
            r"(not|'ye|me|na|ta|'n)"
        ),
        r" \1 \2 ",
    ),
)


def _separated(text: str) -> str:
    """Return the text, one sentence per line, with a space wherever the rules split off a possible token."""
    for rule in _RULES:
        text = text.translate(rule) if isinstance(rule, dict) else rule[0].sub(rule[1], text)
    return text
