"""Verdicts and attacks of a run of a judge as they come: passed on, or kept as rows of tables."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchbench.answers.judges.attacks import Attack
from benchbench.answers.judges.prompt import Item
from benchbench.judging.folder import verdict_row
from benchbench.judging.verdict import Verdict

Sink = Callable[[Item, Verdict], None]
AttackSink = Callable[[Item, Sequence[Attack]], None]


class Received:
    """What was received.

    Attributes
    ----------
    verdicts, attacks
        Rows of the tables; None where somebody else keeps them.
    attacked
        Items in which something looks like an attack.
    kinds
        Of attacks, each once per item.
    """

    def __init__(self, sink: Sink | None = None, attack_sink: AttackSink | None = None) -> None:
        """Start with nothing; who is given keeps what comes."""
        self.verdicts: list[Mapping[str, Any]] | None = None if sink else []
        self.attacks: list[Mapping[str, Any]] | None = None if attack_sink else []
        self.attacked = 0
        self.kinds: Counter[str] = Counter()
        self._sink, self._attack_sink = sink, attack_sink

    def verdict(self, item: Item, verdict: Verdict) -> None:
        """Pass a verdict on, or keep it."""
        if self._sink is not None:
            self._sink(item, verdict)
        elif self.verdicts is not None:
            self.verdicts.append(verdict_row(item, verdict))

    def attack(self, item: Item, found: Sequence[Attack]) -> None:
        """Count what looks like an attack, where there is any, and pass it on or keep it."""
        if not found:
            return
        self.attacked += 1
        self.kinds.update({one.kind for one in found})
        if self._attack_sink is not None:
            self._attack_sink(item, found)
        elif self.attacks is not None:
            self.attacks += [{"item": item.key, **one._asdict()} for one in found]
