"""Sentences that several packages use: what a gate requires, and what a name could have been."""

import re
from collections.abc import Collection, Sequence
from difflib import get_close_matches

REQUIRED = {"<": "at least", "<=": "above", ">": "at most", ">=": "below"}  # of a gate that fails by this comparison

_AT = re.compile(r"(?:(?P<task>[^.()@]+)\.)?(?P<base>[^@]+)@(?P<cutoff>\d+(?:\.\d+)?)", re.ASCII)
_TASK = re.compile(r"(?P<task>[^.()@]+)\.[^\W\d].*", re.ASCII)
AT_EACH_CUTOFF = ("P", "R", "Success", "F1", "nDCG", "RR")  # what -k measures, besides micro averages


def not_among(name: str, done: str, there: Collection[str], adds: str = "") -> str:
    """Return a sentence on a name that is not among those there are.

    Parameters
    ----------
    name
        As it was written.
    done
        What the others are: `measured`, `compared`.
    there
        The others; `task.measure@k` are listed by tasks, measures and cut-offs.
    adds
        What adds this one, e.g. `-m AP`; empty where nothing does.
    """
    said = f"; {adds} adds it" if adds else _no_task(name, there)
    if not said:
        bare = [match["base"] + f"@{match['cutoff']}" for other in there if (match := _AT.fullmatch(other))]
        near = get_close_matches(name, dict.fromkeys([*there, *bare]), n=2, cutoff=0.7)
        said = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"{name} is not {done}{said}{'' if said.endswith('?') else ';'} {done} are {_listed(there)}"


def cutoff_that_adds(name: str, there: Collection[str]) -> str:
    """Return the option that adds a measure of which another cut-off is there, e.g. `-k 20`; empty for any other.

    Where measures have no task, or are not the default ones, they are named one by one, as in `-m nDCG@20`.
    """
    wanted = _AT.fullmatch(name)
    if wanted is None:
        return ""
    matches = [match for other in there if (match := _AT.fullmatch(other))]
    known = {(task, match["base"]) for match in matches for task in (None, match["task"])}
    if (wanted["task"], wanted["base"]) not in known:
        return ""
    if any(match["task"] for match in matches) and {match["base"] for match in matches}.issuperset(AT_EACH_CUTOFF):
        return f"-k {wanted['cutoff']}"
    return f"-m {wanted['base']}@{wanted['cutoff']}"


def _no_task(name: str, there: Collection[str]) -> str:
    """Return a clause on the task of a name, where there are others and not that one."""
    wanted = _TASK.fullmatch(name)
    tasks = dict.fromkeys(match["task"] for other in there if (match := _AT.fullmatch(other)) and match["task"])
    if wanted is None or not tasks or wanted["task"] in tasks:
        return ""
    return f"; there is no task {wanted['task']}, tasks are {', '.join(tasks)}"


def and_joined(words: Sequence[str]) -> str:
    """Return words with commas and a last `and`."""
    return _joined(words, "and")


def or_joined(words: Sequence[str]) -> str:
    """Return words with commas and a last `or`."""
    return _joined(words, "or")


def _joined(words: Sequence[str], last: str) -> str:
    return f" {last} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def capital(text: str) -> str:
    """Return a text as it begins a sentence or a line."""
    return text[:1].upper() + text[1:]


def few(words: Sequence[str], most: int = 5, what: str = "more") -> str:
    """Return the first words, and how many more there are: `a, b and 3 more`."""
    return and_joined([*words[:most], *([f"{len(words) - most:,} {what}"] if len(words) > most else [])])


def counted(number: int, name: str) -> str:
    """Return a number with the name of what it counts."""
    plural = f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    return f"{number:,} {name if number == 1 else plural}"


def of_tasks(names: Sequence[str]) -> str:
    """Return tasks as a sentence names them: `task gold`, `tasks gold and expert`."""
    return f"{'task' if len(names) == 1 else 'tasks'} {and_joined(names)}"


def _listed(names: Collection[str]) -> str:
    """Return the names, measures with a task by their parts."""
    found = [match for name in names if (match := _AT.fullmatch(name)) and match["task"]]
    others = [name for name in names if name not in {match[0] for match in found}]
    parts = [tuple(dict.fromkeys(match[part] for match in found)) for part in ("base", "cutoff", "task")]
    if len(found) <= sum(map(len, parts)) or len(found) < len(parts[0]) * len(parts[1]) * len(parts[2]):
        return ", ".join(names) or "none"
    measures, cutoffs, tasks = map(", ".join, parts)
    return ", ".join([f"{measures} at {cutoffs} of {tasks}", *others])
