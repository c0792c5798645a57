"""One run of a judge: it is asked about items, and its verdicts are stored or passed on, counted, and reported.

Kinds of runs differ in their items, and in what they do with a verdict.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import benchbench
from benchbench.answers.judges.attacks import Attack, attacks_of
from benchbench.answers.judges.prompt import Item
from benchbench.judging.agreement.calibration import calibration_setting
from benchbench.judging.asking import judged
from benchbench.judging.judge_details import JudgeDetails, cost_details, rubric_details
from benchbench.judging.judge_folder import verdict_row
from benchbench.judging.judge_result import calibration_details
from benchbench.judging.judge_settings import JudgeSettings, JudgeTrust
from benchbench.judging.score_counts import ScoreTally
from benchbench.judging.verdict import Verdict
from benchbench.results.signature import Signature

Sink = Callable[[Item, Verdict], None]
AttackSink = Callable[[Item, Sequence[Attack]], None]
_AT_ONCE = 64  # items that are looked through for attacks together
_Details = TypeVar("_Details", bound=JudgeDetails)
_Outcome = TypeVar("_Outcome")


class JudgeRun:
    """A run of a judge.

    Attributes
    ----------
    began
        Seconds since 1970.
    model
        The judge.
    known
        What is known of it, by the label of each rubric.
    tally
        What came of each rubric.
    verdicts, attacks
        Rows of the tables; None where somebody else keeps them.
    spent, sample
        What it cost, and how repeatable it is; after `ask`.
    """

    def __init__(
        self,
        settings: JudgeSettings,
        given: JudgeTrust,
        sink: Sink | None = None,
        attack_sink: AttackSink | None = None,
    ) -> None:
        """Start with nothing; sinks store verdicts and attacks. InputError for a calibration that cannot be read.

        `given` is what is judged, and how far the judge is trusted.
        """
        self.began, self.model = time.time(), settings.model.name
        self.known = given.known(settings.rubrics, self.model)
        self.tally = ScoreTally(settings.rubrics)
        self.verdicts: list[Mapping[str, Any]] | None = None if sink else []
        self.attacks: list[Mapping[str, Any]] | None = None if attack_sink else []
        self._settings, self._given = settings, given
        self._sink, self._attack_sink = sink, attack_sink
        self._attacked, self._kinds = 0, Counter[str]()  # items, and kinds of attacks, each once per item

    def ask(self, items: Iterable[Item], take: Sink, progress: Callable[[int], None], looks: bool = True) -> None:
        """Ask about every item; `take` is given what came of the first attempt, and `progress` how much has come.

        With `looks`, items are looked through for attacks, several at once.
        """
        unseen: list[Item] = []

        def look() -> None:
            for item, found_attacks in zip(unseen, attacks_of(unseen), strict=True):
                self.attack(item, found_attacks)
            unseen.clear()

        def seen() -> Iterator[Item]:
            for item in items:
                unseen.append(item)
                if len(unseen) == _AT_ONCE:
                    look()
                yield item

        def received(item: Item, verdict: Verdict) -> None:
            if self._sink is not None:
                self._sink(item, verdict)
            elif self.verdicts is not None:
                self.verdicts.append(verdict_row(item, verdict))
            if verdict.attempt == 1:
                take(item, verdict)

        self.spent, self.sample = judged(self._settings, seen() if looks else items, received, progress)
        look()

    def attack(self, item: Item, attacks: Sequence[Attack]) -> None:
        """Count what looks like an attack, where there is any, and pass it on or keep it."""
        if not attacks:
            return
        self._attacked += 1
        self._kinds.update({attack.kind for attack in attacks})
        if self._attack_sink is not None:
            self._attack_sink(item, attacks)
        elif self.attacks is not None:
            self.attacks += [{"item": item.key, **attack._asdict()} for attack in attacks]

    def details(self, kind: type[_Details], data: str, cluster: str = "", **own: Any) -> _Details:
        """Return the JSON members of a kind, with its `own` ones; `data` is the digest of what was judged."""
        settings, spent, given = self._settings, self.spent, self._given
        shown = settings.shown()
        usual = {
            "model": self.model,
            "data_digest": data,
            "rubrics": [
                rubric_details(
                    self.tally.by_label[rubric.label],
                    self.sample.of(rubric.label),
                    calibration_details(self.known[rubric.label], self.model, rubric, data, given.least_kappa),
                    cluster,
                )
                for rubric in settings.rubrics
            ],
            "failures": dict(spent.failures.most_common()),
            "repeats": spent.repeats,
            "repeats_failed": spent.repeats_failed,
            "cost": cost_details(spent, shown["price"]),
            "attacked": self._attacked,
            "attacks": dict(self._kinds.most_common()),
            "cluster": cluster,
            "cache": shown["cache"],
            "problem": spent.problem,
            "is_trusted": given.trusts_judge,
        }
        return kind(**usual | own)

    def outcome(self, kind: Callable[..., _Outcome], further: Mapping[str, Any] | None, **own: Any) -> _Outcome:
        """Return the result, with its `own` members; it has every option in force, and `further` ones."""
        known = [calibration for calibration in self.known.values() if calibration is not None]
        return kind(
            complete=self.spent.is_complete,
            options={**self._settings.shown(), **self._given.shown(), **calibration_setting(known), **(further or {})},
            began=self.began,
            verdicts=self.verdicts,
            attacks=self.attacks,
            **own,
        )

    def signature(self, **counted: str) -> str:
        """Return what scores of this judge depend on; `counted` is how much was judged, and digests of it."""
        sampling = {k: value for k, value in self._settings.model.sampling().items() if k not in ("model", "url")}
        parts = {
            "judge": self.model,
            "sampling": ",".join(f"{name}={value}" for name, value in sampling.items()),
            "rubrics": ",".join(f"{rubric.label}#{rubric.digest[:12]}" for rubric in self._settings.rubrics),
            "failed": "left out",
            **counted,
            "version": benchbench.__version__,
        }
        return str(Signature(parts))
