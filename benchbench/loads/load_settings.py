"""Everything that a load test depends on, as on the command line."""

import json
from dataclasses import dataclass, field, replace
from typing import Any

from benchbench.client.messages import MAX_TOP_K
from benchbench.client.python_retriever import Searcher, python_service
from benchbench.client.service import Service, shown_options
from benchbench.errors import InputError
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.locate import as_data_set
from benchbench.loads.load_options import CONCURRENCIES, StepOptions
from benchbench.loads.step import Load
from benchbench.loads.trace import Trace
from benchbench.measures.gate_names import as_gates, parse_gate
from benchbench.results.gates import Gate
from benchbench.results.record import plain
from benchbench.results.settings import check_described, described
from benchbench.retrieval.bm25_options import BM25Options
from benchbench.tables.hashing import content_digest
from benchbench.tasks.criteria import Criteria

FIRST_RATE = 8.0  # requests per second; a search for the highest rate begins with it


@described
@dataclass(frozen=True, slots=True, kw_only=True)
class LoadSettings(StepOptions):
    """Everything that a load test depends on, as on the command line; rates make an open loop.

    One rate, concurrency or batch size may be given alone.

    Attributes
    ----------
    dataset
        The path or name of a data set. (`--dataset`)
    service
        The service to load; one without a URL is the embedded retriever, over the collection of the data set. A Python
        function, or an object with `search`, may stand here, as `retriever` of `Settings` has it. (`--url`)
    fail_if
        Gates for each step, one or several. (`--fail-if`)
    criteria
        How hits are judged, as `Criteria` says.
    name
        What the test is called; `load` by default. (`--name`)
    turns
        An id that tests of several services have in common which were run by turns; `run_by_turns` gives it.
    bm25
        Options of the embedded retriever. (`--analysis`, `--k1`, `--b`)
    """

    dataset: DataSet = field(kw_only=False)
    service: Service = field(kw_only=False)
    fail_if: tuple[str, ...] = ()
    criteria: Criteria = field(default_factory=Criteria)
    name: str = "load"
    turns: str | None = None
    bm25: BM25Options = field(default_factory=BM25Options)

    def __post_init__(self) -> None:
        """Refuse impossible options before anything is read or sent."""
        object.__setattr__(self, "dataset", as_data_set(self.dataset))
        object.__setattr__(self, "cluster", self.cluster or self.dataset.cluster)
        object.__setattr__(self, "fail_if", tuple(gate.text for gate in as_gates(self.fail_if)))
        condition = self.condition()
        object.__setattr__(self, "find_max", condition and condition.text)
        if not isinstance(self.criteria, Criteria):
            raise InputError("criteria are Criteria, as in Criteria(tasks='gold', cutoffs=(5, 10))")
        object.__setattr__(self, "criteria", self.criteria.of(self.dataset))
        object.__setattr__(self, "top_k", self.criteria.top_k if self.top_k is None else self.top_k)
        check_described(self)
        object.__setattr__(self, "concurrencies", self.concurrencies or CONCURRENCIES)
        if self.find_max and self.repeat > 1:
            raise InputError("--find-max tries each rate once, or twice where the client paused; give no --repeat")
        if self.trace is not None:
            self._check_trace()
        if callable(self.service) or isinstance(self.service, Searcher):
            object.__setattr__(self, "service", python_service(self.service, connections=self._most()))
        if not isinstance(self.service, Service):
            raise InputError("service is a Service, as in Service('http://127.0.0.1:8000', protocol('benchbench'))")
        self.bm25.check_used(self.embedded)
        if self.find_max and len(self.rates) > 1:
            raise InputError("--find-max starts from one --rate and finds the others; give at most one")
        most = self._most()
        if self.workers > most:
            raise InputError(
                f"--workers {self.workers} is more than the {most} requests in flight that they share; "
                f"give a larger --{'max-in-flight' if self.open_loop else 'concurrency'}"
            )
        self.service.check_workers(self.workers)
        self.criteria.check_top_k(self.top_k, None if self.service.url else MAX_TOP_K)
        object.__setattr__(self, "batch_sizes", self.batch_sizes or (self.service.profile.batch_size,))
        for batch_size in self.batch_sizes:
            self.service.profile.check_batch_size(batch_size)
        self.service.profile.check_one_page(self.top_k, "load")
        if self.trace is None:
            for load in self.loads():
                load.due_times()

    def _check_trace(self) -> None:
        object.__setattr__(self, "trace", str(self.trace))
        if self.find_max or self.rates:
            raise InputError("--trace has its own times; leave out --rate and --find-max")
        if self.batch_sizes not in ((), (1,)):
            raise InputError("--trace sends one query per request; give no --batch-size")
        object.__setattr__(self, "batch_sizes", (1,))

    def gates(self) -> tuple[Gate, ...]:
        """Return the conditions under which the test counts as failed."""
        return as_gates(self.fail_if)

    def condition(self) -> Gate | None:
        """Return the condition of the search for the highest rate."""
        return None if self.find_max is None else parse_gate(self.find_max, option="--find-max")

    @property
    def open_loop(self) -> bool:
        """Say whether requests are sent at fixed times, and not when answers have come."""
        return bool(self.rates) or self.find_max is not None or self.trace is not None

    @property
    def embedded(self) -> bool:
        """Say whether the embedded retriever is loaded."""
        return not self.service.url

    def _most(self) -> int:
        """Return how many requests there are in flight at most."""
        return self.max_in_flight if self.open_loop else max(self.concurrencies)

    def loads(self, trace: Trace | None = None) -> list[Load]:
        """Return the loads of the steps, in order; of a search for the highest rate, the first of each batch size.

        Parameters
        ----------
        trace
            What is replayed, where there is one.

        Raises
        ------
        InputError
            When the trace ends before the warm-up does.
        """
        loads = []
        for size in self.batch_sizes:
            common = Load(
                batch_size=size,
                rate=None,
                places=1,
                warm_up=self.warm_up,
                duration=self.duration,
                patience=self.service.timeout,
                arrivals=self.arrivals,
                seed=self.seed,
                order=self.order,
            )
            if trace is not None:
                seconds = float(trace.times[-1])
                if seconds < self.warm_up:
                    raise InputError(
                        f"{self.trace} lasts {seconds:g} s at --speed {self.speed:g}, and --warm-up {self.warm_up:g} s "
                        "leaves nothing to count; give a shorter one"
                    )
                gap = seconds / (len(trace.times) - 1) if seconds else 1.0  # that the last request has behind it too
                whole = seconds + gap
                loads.append(
                    replace(
                        common,
                        rate=len(trace.times) / whole,
                        places=self.max_in_flight,
                        duration=whole - self.warm_up,
                        trace=trace,
                    )
                )
            elif self.open_loop:
                rates = self.rates or (FIRST_RATE,)
                loads += [replace(common, rate=rate, places=self.max_in_flight) for rate in rates]
            else:
                loads += [replace(common, places=places) for places in self.concurrencies]
        return [replace(load, stream=(place,)) for place, load in enumerate(loads)]

    def digest(self) -> str:
        """Return a digest of what is sent, and when: of all that two load tests of one service may differ in."""
        sent = {name: plain(getattr(self, name)) for name in _SENT}
        return content_digest(json.dumps(sent).encode()).hexdigest()

    def shown(self) -> dict[str, Any]:
        """Return every option as a JSON value, without a secret."""
        options = shown_options(self, self.service) | {"retry_for": 0.0, "retries": 0}
        for name, option in _SEVERAL.items():
            options[option] = options.pop(name)
        return options | ({"concurrency": []} if self.open_loop else {})


_SENT = (
    "rates", "concurrencies", "batch_sizes", "duration", "warm_up", "arrivals", "seed", "order", "reference", "repeat",
    "trace", "speed", "max_in_flight", "workers", "top_k", "find_max",
)  # fmt: skip
_SEVERAL = {"rates": "rate", "concurrencies": "concurrency", "batch_sizes": "batch_size"}
