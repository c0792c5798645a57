"""Does the answer cite the expected statutes, rules and cases, and only law that is in its context?

A citation of the answer fits an expected one when it is the same, or a part of it: rule 36.14 fits Part 36, and Part 36
does not fit rule 36.14. A citation of an unknown law (section 33, 同法第9条) cannot be compared: it is neither expected
nor counted.
"""

import functools
import itertools

from benchbench.answers.citations.citation import Citation, Extract, Key
from benchbench.answers.citations.grammars import GRAMMARS
from benchbench.answers.metrics import Mark, MetricWords, Value, metric
from benchbench.tables.questions import Answer

_CASE = "case"
_NOTHING = Value(1.0, expected=False)


def _resolved(extract: Extract) -> Extract:
    return functools.lru_cache(1024)(  # several metrics read a text, and many answers have one truth
        lambda text: [citation for citation in extract(text) if citation.resolved]
    )


_uk = _resolved(GRAMMARS["uk"])


@metric(
    "statute_citation_accuracy",
    "Share of the truth's citations of rules, practice directions, guides and Acts that the answer makes.",
    good=0.8,
    acceptable=0.5,
    words=MetricWords(
        "Statutes and rules",
        "statutes",
        "makes the citations of the reference",
        "no reference answer cites a rule",
        "statute missed",
    ),
)
def statute_citation_accuracy(answer: Answer) -> Value:
    """Compare all citations of UK law but cases."""
    return _accuracy(answer, lambda text: [citation for citation in _uk(text) if citation.kind != _CASE])


@metric(
    "case_law_citation_accuracy",
    "Share of the truth's neutral citations that the answer makes: year, court, division and number are the same.",
    good=0.8,
    acceptable=0.5,
    words=MetricWords("Case law", "case law", "neutral citations", "no reference answer cites a case", "case missed"),
)
def case_law_citation_accuracy(answer: Answer) -> Value:
    """Compare neutral citations."""
    return _accuracy(answer, lambda text: [citation for citation in _uk(text) if citation.kind == _CASE])


def _supported(adjective: str) -> MetricWords:
    return MetricWords(
        f"Support of {adjective} law",
        f"{adjective} support",
        "law cited that is in the retrieved documents",
        f"no answer cites {adjective} law",
        wrong="law not in the retrieved documents",
    )


def _of_jurisdiction(name: str, adjective: str, extract: Extract) -> None:
    metric(
        f"{name}_citation_accuracy",
        f"Share of the truth's citations of {adjective} law that the answer makes.",
        words=MetricWords(
            f"{adjective} law",
            name,
            "makes the citations of the reference",
            f"no reference answer cites {adjective} law",
            f"{adjective} law missed",
        ),
    )(lambda answer: _accuracy(answer, extract))
    metric(
        f"{name}_citation_support",
        f"Share of the answer's citations of {adjective} law that are in the documents it was given.",
        needs_truth=False,
        words=_supported(adjective),
    )(lambda answer: _support(answer, extract))


_of_jurisdiction("japanese", "Japanese", _resolved(GRAMMARS["jp"]))
_of_jurisdiction("chinese", "Chinese", _resolved(GRAMMARS["cn"]))
metric(
    "uk_citation_support",
    "Share of the answer's citations of UK law that are in the documents it was given.",
    needs_truth=False,
    words=_supported("UK"),
)(lambda answer: _support(answer, _uk))


def _accuracy(answer: Answer, extract: Extract) -> Value:
    assert answer.response is not None
    expected, cited = extract(answer.truth), extract(answer.response)
    if not expected and not cited:
        return _NOTHING
    wanted = {citation.key for citation in expected}
    around = [_around(citation) for citation in cited]
    marks = tuple(
        Mark(citation.start, citation.end, "unexpected" if wanted.isdisjoint(keys) else "matched")
        for citation, keys in zip(cited, around, strict=True)
    )
    if not wanted:
        return Value(1.0, expected=False, marks=marks)
    made = wanted.intersection(itertools.chain.from_iterable(around))
    missed = tuple(Mark(citation.start, citation.end, "missed") for citation in expected if citation.key not in made)
    return Value(len(made) / len(wanted), marks=(*marks, *missed))


def _support(answer: Answer, extract: Extract) -> Value:
    """Score the citations of the answer against its context; one that is repeated counts once."""
    assert answer.response is not None
    cited = extract(answer.response)
    if not cited:
        return Value(1.0, expected=False)
    given = {key for document in answer.context for citation in extract(document) for key in _around(citation)}
    kinds = ("matched" if citation.key in given else "wrong" for citation in cited)
    marks = tuple(Mark(citation.start, citation.end, kind) for citation, kind in zip(cited, kinds, strict=True))
    held = {citation.key for citation in cited}
    return Value(len(held & given) / len(held), marks=marks)


def _around(cited: Citation) -> list[Key]:
    """Return the keys that a citation fits: of the provision itself and of all that contain it."""
    kind, source, path, *_ = cited
    return [(kind, source, path[:depth]) for depth in range(len(path) + 1)]
