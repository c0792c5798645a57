"""An evaluation in three pillars with hostile texts, by a judge that goes by the answers."""

from typing import Any

import chat_server
import orjson

from benchbench.chat.model import ChatModel
from benchbench.evaluation.evaluation_result import EvaluationOutcome
from benchbench.evaluation.pillars import evaluate_pillars

EVIL = "\"><script>window.broken = 1</script><img src=x onerror='window.broken=1'><b>'"
RELATIONS = [{"from": "民法", "to": "借地借家法", "type": "一般法-特別法"}]


def judged(call: int, request: dict[str, Any]) -> str:
    """Say what the answer's beginning deserves; the answer to question 3 gets no verdict."""
    text = request["messages"][-1]["content"]
    if "nonsense" in text:
        return f"Sure! {EVIL}"
    schema = chat_server.schema_of(request)
    assert schema is not None
    value = chat_server.valid(schema, 0.5, f"reason {EVIL}")
    if "statements" in schema["properties"]:
        value["statements"].append({"statement": f"said {EVIL}", "reason": "none", "is_supported": False})
    if "identified" in schema["properties"]:
        value |= {"identified": [1], "missed": [], "incorrect": [EVIL]}
    return orjson.dumps(value).decode()


def row(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": f"q{number}",
        "question": f"民法第709条の要件は何か。{number}",
        "answer": "民法第709条によります。商法第1条も参照。",
        "truth": "民法第709条",
        "contexts": [{"id": "709", "text": "民法第七百九条　故意又は過失"}, {"id": "x", "text": "商法総則"}],
        "relevant": {"709": 2, "415": 1},
        "relationships": RELATIONS,
        "category": "不法行為" if number % 2 else "契約",
        **more,
    }


def rows() -> list[dict[str, Any]]:
    return [
        row(1),
        row(2, question=EVIL, answer=f"{EVIL} 民法第415条", category=EVIL, contexts=[{"id": EVIL, "text": EVIL}]),
        row(3, answer="nonsense 民法第709条"),
        {**row(4), "answer": None, "error": f"HTTP 500 {EVIL}"},
        row(5, contexts=[]),
        *(row(number) for number in range(6, 10)),
    ]


def made() -> EvaluationOutcome:
    with chat_server.ChatServer(judged) as server:
        judge = ChatModel("judge-1", base_url=server.url, headers={"Authorization": "Bearer none"}, retries=0)
        return evaluate_pillars({"name": "law"}, judge, rows=rows(), max_error_rate=1.0, fail_if=["overall<0.9"])
