"""An item with every field, and a verdict on it for every rubric that is built in."""

from benchbench.answers.judges.prompt import Item

ITEM = Item(
    "q1\td7",
    {
        "question": "賃借人は、いつ賃料を支払うか。",
        "document": "賃料は、毎月末に支払わなければならない。",
        "answer": "毎月末です（民法第614条）。",
        "contexts": ["民法第614条　賃料は、…毎月末に…支払わなければならない。", "民法第601条"],
        "truth": "毎月末に支払う。",
        "relations": [
            {"from": "民法", "to": "借地借家法", "type": "一般法-特別法"},
            {"from": "法律", "to": "政令", "type": "上位法-下位法"},
        ],
        "nuggets": ["毎月末に支払う", "民法第614条による", "宅地は毎年末"],
    },
)

STATEMENTS = [
    {"statement": "s", "reason": "r", "is_supported": True},
    {"statement": "t", "reason": "r", "is_supported": True},
    {"statement": "u", "reason": "r", "is_supported": False},
]
ASSIGNMENTS = [
    {"nugget": 2, "assignment": "partial_support"},
    {"nugget": 1, "assignment": "support"},
    {"nugget": 3, "assignment": "not_support"},
]
REASONING = {"structure": 1, "law_selection": 0.5, "precedence": 1, "exceptions": 0, "interpretation": 0.5}
VERDICTS = {  # by rubric: the values beside the rationale, the score, the parts
    "answer_relevance": ({"relevance": 0.7}, 0.7, {}),
    "correctness": (
        {"missing": ["m"], "superfluous": [], "factual_accuracy": "partial", "completeness": 0.5, "correctness": 0.6},
        0.6,
        {"factual_accuracy": 0.5, "completeness": 0.5},
    ),
    "faithfulness": ({"statements": STATEMENTS}, 2 / 3, {"statements": 3, "is_supported": 2}),
    "groundedness": ({"groundedness": 4}, 4.0, {}),
    "law_relations": (
        {"identified": [2], "missed": [1], "incorrect": ["x", "y"]},
        0.25,
        {"identified": 1, "missed": 1, "incorrect": 2},
    ),
    "legal_reasoning": ({"issues": [], "strengths": ["s"], **REASONING}, 0.6, REASONING),
    "nugget_assignment": (
        {"assignments": ASSIGNMENTS},
        0.5,
        {"assignments": 3, "support": 1, "partial_support": 1, "not_support": 1},
    ),
    "relevance": ({"relevance": 2}, 2.0, {}),
    "relevance_1_5": ({"relevance": 5}, 5.0, {}),
    "umbrela": ({"match": 2, "trust": 3, "relevance": 1}, 1.0, {"match": 2, "trust": 3}),
}


def verdict(name: str, **values: object) -> dict[str, object]:
    """Return a verdict that fits a rubric's schema, with some of its members changed."""
    return {"rationale": "理由", **VERDICTS[name][0], **values}
