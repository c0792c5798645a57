"""Records with labels of every kind, drawn so that equal ones are usual, and tasks by every rule that compare them."""

from hypothesis import strategies as st
from judged_records import Asked

from benchbench.measures.notation import resolve
from benchbench.tasks.reading import parse_tasks

TASKS = parse_tasks(
    [
        "gold=judgments()",
        "equal=equal(['kind', 'meta.kind'])",
        "near=equal({paths = 'kind', ignore = '[]'})",
        "share=overlap(tags, least=2)",
        "alike=overlap(tags, jaccard=0.5)",
        "either=overlap(tags, least=2, jaccard=0.5)",
        "above=contains(tags)",
        "below=contains(tags, within=true)",
        "crossed=equal(query_label='kind', hit_label='other')",
        "price=within(price, relative=0.2)",
        "paid=within(price, absolute=1, relative=0.1, same=['kind', 'tags'])",
        "term=within(price, absolute=1, unless=['dead', 'alive'])",
        "passage=span(spans)",
        "longer=span(spans, least=3, file='meta.kind')",
    ]
)
KINDS = st.sampled_from(["a", "b", " a ", "[a]", "", 1, 1.0, True])
PRICES = st.sampled_from([0, 1, 2, 2.5, 3, -1, 100, 110, 9.95, 11.94, "7"])
FLAGS = st.sampled_from([True, False, 0, 1])
TEXTS = st.sampled_from(["one", "two", " two", "three", "four"])
SPAN = st.builds(
    lambda file, start, length: {"file": file, "start": start, "end": start + length},
    st.sampled_from(["a", "b"]),
    st.integers(0, 6),
    st.integers(0, 5),
)
COMMON = {
    "kind": st.none() | KINDS,
    "meta": st.fixed_dictionaries({}, optional={"kind": KINDS, "file": KINDS, "start": PRICES, "end": PRICES}),
    "tags": st.lists(st.sampled_from("abcd"), max_size=4),
    "price": st.none() | PRICES,
    "dead": FLAGS,
    "alive": FLAGS,
}
QUERIES = st.fixed_dictionaries({"text": TEXTS}, optional=COMMON | {"spans": st.lists(SPAN, max_size=3)})
HITS = {
    **COMMON,
    "text": TEXTS | st.just(" "),
    "id": st.sampled_from(["q1", "q2", "x", 7]),
    "other": KINDS,
    "file": KINDS,
    "start": PRICES,
    "end": PRICES,
}
MALFORMED = st.sampled_from([{}, {"a": 1}, [[]], [None], "twelve"])
DOCUMENTS = st.fixed_dictionaries(
    {}, optional={name: one | MALFORMED for name, one in HITS.items() if name != "id"}
) | (st.fixed_dictionaries({}, optional=HITS))

# Hits that are judged, and what they are measured by.

JUDGED = parse_tasks(
    [
        "loose=judgments(rel=0.5)",
        "strict=judgments(rel=2)",
        "steep=judgments(gains='exp')",
        "mapped=judgments(rel=0.5, gains={1=4, 3=0.5})",
    ]
)
ALL_TASKS = (*TASKS, *JUDGED)
IDS = st.sampled_from(["q1", "q2", "x", 7, "7", "y", "z"])
POSITIVES = st.fixed_dictionaries(
    {"grade": st.sampled_from([-1, 0, 0.5, 1, 2, 3, 4, 7])}, optional={"id": IDS, "text": TEXTS}
)
RANKED = st.fixed_dictionaries({}, optional={**HITS, "id": IDS, "price": st.none() | PRICES | MALFORMED})
ASKED = st.builds(
    Asked,
    QUERIES,
    st.lists(RANKED, max_size=14),
    st.lists(st.integers(0, 9), min_size=len(ALL_TASKS), max_size=len(ALL_TASKS)),
    st.lists(POSITIVES, max_size=6),
    st.none() | IDS,
)
MEASURES = resolve(
    [
        *("P@1", "P@3", "P@20", "P(rel=2)@5", "P(judged_only=True)@3"),
        *("R@3", "R(cap=2)@3", "R(denominator=7)@5", "R(judged_only=True,rel=3)@2", "R(cap=3,rel=2)@2"),
        *("Success@1", "Success@2", "Success(judged_only=True,rel=4)@2"),
        *("F1@3", "F1@7", "F1(cap=2)@5", "F1(denominator=4,rel=0.5)@3"),
        *("RR", "RR@2", "RR(rel=2)@3", "RR(judged_only=True)"),
        *("AP", "AP@3", "AP(rel=2)", "AP(judged_only=True,rel=2)@2"),
        *("nDCG", "nDCG@3", "nDCG(gains='exp')@5", "nDCG(gains={1:3,2:1})@3", "nDCG(judged_only=True)@2"),
        *("nDCG(gains='exp',judged_only=True)", "nDCG(gains={0:2,3:0})"),
        *("Rprec", "Rprec(rel=2)", "Rprec(judged_only=True)"),
        *("bpref", "bpref(rel=2)", "infAP", "infAP(rel=3)", "Judged", "Judged@3"),
        *("RBP", "RBP(p=0.5)@3", "RBP(p=0.5,rel=2)", "ERR@1", "ERR@5"),
        *("IPrec@0.0", "IPrec@0.3", "IPrec@1.0", "IPrec(judged_only=True)@0.5"),
        *("SetP", "SetP(judged_only=True)", "SetP(rel=2)", "SetR", "SetF", "SetF(beta=0.5)"),
        *("NumRet", "NumRel", "NumRel(rel=2)", "NumRelRet", "NumQ"),
        *("microP@3", "microP(rel=2)@5", "microR@3", "microR(cap=2)@5", "microF1@3", "microF1(denominator=3)@3"),
    ]
)
