"""Documents that truths name at their end, as in `… the general rules about costs. [General Rules about Costs]`.

Ground truths of English law have no ids of relevant documents; they name the source in brackets behind the truth. Where
contexts have names (titles), these are the relevant documents.
"""

import re
from collections.abc import Sequence, Set
from dataclasses import replace

from benchbench.formats.evaluation_rows import Row, plain_name

_AT_THE_END = re.compile(r"(?:\[[^\[\]\n]{1,200}\]\s*)+\.?\s*\Z")
_NAME = re.compile(r"\[([^\[\]]+)\]")


def with_named_documents(rows: Sequence[Row], known: Set[str]) -> tuple[list[Row], list[str]]:
    """Return rows whose relevant documents are those that their truths name, and sentences on that.

    `known` are the names of all documents that can be retrieved, as `plain_name` has them; empty where nobody knows.
    Rows that say which documents are relevant stay as they are, and so do all rows where no context has a name that a
    truth has. A name that is not known is left out, and a row that has no other stays as it is.
    """
    wanted = {number: names_in(row.truth) for number, row in enumerate(rows) if row.relevant is None}
    asked = {number: names for number, names in wanted.items() if names}
    there = {plain_name(one.name or one.id) for number in asked for one in rows[number].contexts or ()} - {""}
    if not any(set(names) & there for names in asked.values()):
        return list(rows), []
    given, unknown = list(rows), 0
    for number, names in asked.items():
        kept = [name for name in names if not known or name in known]
        unknown += not kept
        if kept:
            given[number] = replace(rows[number], relevant=dict.fromkeys(kept, 1.0), is_named=True)
    said = [f"Relevant documents are those that the truths name in brackets, of {_questions(len(asked) - unknown)}"]
    if unknown:
        has = "names" if unknown == 1 else "name"
        said.append(f"{_questions(unknown)} {has} a document that the collection does not have: no score of retrieval")
    return given, said


def names_in(truth: str) -> list[str]:
    """Return the names in brackets at the end of a truth, as `plain_name` writes them."""
    end = _AT_THE_END.search(truth)
    return [] if end is None else list(dict.fromkeys(map(plain_name, _NAME.findall(end[0]))))


def _questions(number: int) -> str:
    return f"{number:,} question{'s' * (number != 1)}"
