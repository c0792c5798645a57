"""Every measure, one row each; adding a measure is adding a row, and its formula to `kernels.formulas`.

Conventions
-----------
hits@k: relevant documents among the first k. R: relevant documents judged. A grade of at least `rel` is
relevant; a negative grade is neither relevant nor judged. Ranks count from 1. Without a cut-off, k is
the number of documents returned.
"""

from typing import Literal

from msgspec import Struct

Number = int | float
Value = Number | str | tuple[tuple[Number, Number], ...]

LARGEST = 1_000_000_000  # of cut-offs, grades and gains: fits every integer type that a kernel may use


class Param(Struct, frozen=True):
    """A parameter of a measure; without `default` it may be missing."""

    name: str
    type: Literal["integer", "grade", "real", "gains", "flag"]  # a grade is a number, whole or not
    default: Value | None
    meaning: str
    low: Number = 0
    high: Number = LARGEST
    open: bool = False  # whether `low` and `high` themselves are excluded
    excludes: str | None = None  # the parameter that cannot stand beside this one


class Definition(Struct, frozen=True):
    """What a measure is, and what may be written about it; its formula has the same name.

    `expected` says what the mean over all orders of tied hits is: the value of any order ("unchanged"), what a branch
    of `kernels.expected_over_ties` gives ("averaged"), or nothing that is written yet, so that it is refused ("none").
    """

    name: str
    definition: str
    citation: str
    expected: Literal["averaged", "unchanged", "none"]
    params: tuple[Param, ...] = ()
    cutoff: Literal["required", "optional", "none"] = "none"
    cutoff_type: Literal["rank", "recall"] = "rank"
    direction: Literal["higher", "lower", "none"] = "higher"  # which value is better, if any is
    aggregate: Literal["mean", "sum", "micro"] = "mean"
    grade: float = 1.0  # the lowest that counts, where no `rel` says it
    diverse: bool = False  # whether it looks at subtopics
    judged: bool = False  # whether it needs to know which documents were judged: labels are not enough
    provider: Literal["pytrec_eval", "ir_measures", "naive"] = "pytrec_eval"  # who checks it from outside
    aliases: tuple[str, ...] = ()  # other names, in lower case, with _ for -


_REL = Param("rel", "grade", 1, "the lowest grade that counts as relevant", open=True)
_JUDGED_ONLY = Param("judged_only", "flag", False, "whether documents that nobody judged are removed first")
_CAP = Param("cap", "integer", None, "recall divides by R, but at most by this", low=1, excludes="denominator")
_DENOMINATOR = Param("denominator", "integer", None, "recall divides by this", low=1, excludes="cap")
_RECALL = (_REL, _CAP, _DENOMINATOR)
_BINARY = (_REL, _JUDGED_ONLY)
_GAINS = Param(
    "gains",
    "gains",
    "linear",
    "'linear': the grade; 'exp': 2^grade - 1; or a map of grades to gains, where a grade not in it keeps itself",
)
_P = Param("p", "real", 0.8, "the probability of going on to the next document", high=1, open=True)
_BETA = Param("beta", "real", 1.0, "weight of recall against precision, not squared", open=True)

_ALPHA = Param("alpha", "real", 0.5, "how much less a subtopic gains each time it is covered again", high=1)

_RIJSBERGEN = "C. J. van Rijsbergen, Information Retrieval, Butterworths, 1979"
_TREC = "Chris Buckley and Ellen Voorhees, Retrieval System Evaluation, in TREC, MIT Press, 2005"
_CASCADE = "Olivier Chapelle, Donald Metzler, Ya Zhang and Pierre Grinspan, CIKM, 2009"
_LEWIS = "David D. Lewis, Evaluating Text Categorization, Workshop on Speech and Natural Language (HLT), 1991"

# Unformatted, since one line per argument would make a table of these rows nobody reads.
_ROWS = (
    Definition(
        "P", "hits@k / k, also when fewer than k came back.", _RIJSBERGEN,
        "averaged", params=_BINARY, cutoff="required", aliases=("precision",),
    ),
    Definition(
        "R", "hits@k / R, or over min(R, cap), or over the denominator.", _RIJSBERGEN,
        "averaged", params=(*_RECALL, _JUDGED_ONLY), cutoff="required", aliases=("recall",),
    ),
    Definition(
        "Success", "1 if hits@k > 0, else 0 (hit rate).",
        "Nick Craswell and David Hawking, Overview of the TREC-2004 Web Track, TREC, 2004",
        "averaged", params=_BINARY, cutoff="required", aliases=("hit_rate", "hitrate"),
    ),
    Definition(
        "F1", "2 P R / (P + R) of one query's P@k and R@k, 0 when both are 0.", _RIJSBERGEN,
        "averaged", params=_RECALL, cutoff="required", provider="naive",
    ),
    Definition(
        "RR", "1 / rank of the first relevant document, 0 if there is none (within k).",
        "Paul B. Kantor and Ellen M. Voorhees, The TREC-5 Confusion Track, Information Retrieval 2(2/3), 2000",
        "averaged", params=_BINARY, cutoff="optional", aliases=("mrr", "recip_rank"),
    ),
    Definition(
        "AP", "(1 / R) Σ P@i over the ranks i of the relevant documents returned (within k).",
        "Donna Harman, Evaluation Issues in Information Retrieval, Information Processing & Management 28(4), 1992",
        "averaged", params=_BINARY, cutoff="optional", aliases=("map", "map_cut"),
    ),
    Definition(
        "nDCG",
        "Σ gain / log2(rank + 1), over the same sum for the ideal order of all judged documents, both cut at k.",
        "Kalervo Järvelin and Jaana Kekäläinen, TOIS 20(4), 2002; 'exp': Chris Burges et al., ICML, 2005",
        "averaged", params=(_GAINS, _JUDGED_ONLY), cutoff="optional", aliases=("ndcg_cut",),
    ),
    Definition(
        "Rprec", "hits@R / R.", _TREC,
        "averaged", params=_BINARY, aliases=("r_precision",),
    ),
    Definition(
        "bpref",
        "(1 / R) Σ 1 - min(n, R) / min(N, R) over the relevant documents returned, where n of the N documents "
        "judged not relevant stand above; 1 where n is 0.",
        "Chris Buckley and Ellen Voorhees, Retrieval Evaluation with Incomplete Information, SIGIR, 2004",
        "averaged", params=(_REL,), judged=True,
    ),
    Definition(
        "RBP", "(1 - p) Σ p^(rank - 1) over the relevant documents returned (within k), grades binary by rel.",
        "Alistair Moffat and Justin Zobel, Rank-Biased Precision, TOIS 27(1), 2008",
        "averaged", params=(_P, _REL), cutoff="optional", provider="ir_measures",
    ),
    Definition(
        "ERR",
        "Σ (1 / i) r_i Π_{j<i} (1 - r_j) over the ranks i to k, with r = (2^grade - 1) / 2^4, as gdeval.", _CASCADE,
        "averaged", cutoff="required", provider="ir_measures",
    ),
    Definition(
        "Judged", "Judged documents among the first k / min(k, number returned).",
        "Sean MacAvaney, Craig Macdonald and Iadh Ounis, Streamlining Evaluation with ir-measures, ECIR, 2022",
        "averaged", cutoff="optional", direction="none", grade=0.0, judged=True, provider="ir_measures",
    ),
    Definition(
        "infAP",
        "(1 / R) Σ over the relevant documents returned of the precision expected at their rank, estimated from "
        "the judged documents above.",
        "Emine Yilmaz and Javed A. Aslam, Estimating Average Precision, CIKM, 2006",
        "averaged", params=(_REL,), judged=True,
    ),
    Definition(
        "IPrec", "The highest P@i over all ranks i at which recall has reached the level.", _TREC,
        "none", params=_BINARY, cutoff="required", cutoff_type="recall", aliases=("iprec_at_recall",),
    ),
    Definition(
        "SetP", "Relevant documents returned / documents returned.", _RIJSBERGEN,
        "unchanged", params=_BINARY, aliases=("set_p",),
    ),
    Definition(
        "SetR", "Relevant documents returned / R.", _RIJSBERGEN,
        "unchanged", params=(_REL,), aliases=("set_r", "set_recall"),
    ),
    Definition(
        "SetF", "(beta + 1) SetP SetR / (beta SetP + SetR), 0 when both are 0.", _RIJSBERGEN,
        "unchanged", params=(_BETA, *_BINARY), aliases=("set_f",),
    ),
    Definition(
        "NumRet", "Documents returned.", _TREC,
        "unchanged", direction="none", aggregate="sum", aliases=("num_ret",),
    ),
    Definition(
        "NumRel", "R, the relevant documents judged.", _TREC,
        "unchanged", params=(_REL,), direction="none", aggregate="sum", aliases=("num_rel",),
    ),
    Definition(
        "NumRelRet", "Relevant documents returned.", _TREC,
        "unchanged", params=(_REL,), aggregate="sum", aliases=("num_rel_ret",),
    ),
    Definition(
        "NumQ", "1 per query: the number of queries.", _TREC,
        "unchanged", direction="none", aggregate="sum", aliases=("num_q",),
    ),
    Definition(
        "alpha_nDCG",
        "Σ gain / log2(rank + 1) to rank k, over the same sum for the greedy ideal order; a document gains "
        "(1 - alpha)^n for each subtopic it covers that n documents above it cover.",
        "Charles L. A. Clarke et al., Novelty and Diversity in Information Retrieval Evaluation, SIGIR, 2008",
        "none", params=(_ALPHA, _REL, _JUDGED_ONLY), cutoff="required", diverse=True, provider="ir_measures",
        aliases=("α_ndcg",),
    ),
    Definition(
        "ERR_IA",
        "Σ gain / rank to rank k with alpha 0.5, over the same sum if every document covered every subtopic; "
        "not divided at k = 1, as ndeval.",
        "Olivier Chapelle et al., Intent-based Diversification, Information Retrieval 14(6), 2011",
        "none", params=(_REL, _JUDGED_ONLY), cutoff="required", diverse=True, provider="ir_measures",
    ),
    Definition(
        "StRecall", "Subtopics that the first k documents cover / subtopics that any document covers.",
        "ChengXiang Zhai, William W. Cohen and John Lafferty, Beyond Independent Relevance, SIGIR, 2003",
        "none", params=(_REL,), cutoff="required", diverse=True, provider="ir_measures", aliases=("strec",),
    ),
    Definition(
        "microP", "Σ hits@k / Σ k over all queries.", _LEWIS,
        "averaged", params=(_REL,), cutoff="required", aggregate="micro", provider="naive",
    ),
    Definition(
        "microR",
        "Σ hits@k, of each query at most what its R divides by, / Σ of what R divides by, over all queries.", _LEWIS,
        "averaged", params=_RECALL, cutoff="required", aggregate="micro", provider="naive",
    ),
    Definition(
        "microF1", "2 P R / (P + R) of microP@k and microR@k, 0 when both are 0.", _LEWIS,
        "averaged", params=_RECALL, cutoff="required", aggregate="micro", provider="naive",
    ),
)  # fmt: skip

CATALOG: dict[str, Definition] = {row.name: row for row in _ROWS}
