"""Everything that a run depends on, as on the command line."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import benchbench
from benchbench.client.descriptions import profile
from benchbench.client.messages import MAX_TOP_K
from benchbench.client.python_retriever import PythonService, Retriever, python_service, short_name
from benchbench.client.retry import RETRY_FOR
from benchbench.client.service import Service, shown_options
from benchbench.client.transport import endpoint
from benchbench.errors import InputError
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.digests import part_digest
from benchbench.formats.datasets.locate import as_data_set
from benchbench.measures.gate_names import as_gates
from benchbench.results.gates import Gate
from benchbench.results.ranges import SECONDS, check
from benchbench.results.settings import MaxResponseMb, Retries, RetryFor, Timeout, check_described, described
from benchbench.retrieval.bm25_options import BM25Options
from benchbench.runs.run_options import CHUNK, RunOptions
from benchbench.tables.hashing import content_digest
from benchbench.tasks.criteria import Criteria

__all__ = ["CHUNK", "Settings"]

_BINDING = (
    "url",
    "protocol",
    "protocol_options",
    "name",
    "batch_size",
    "top_k",
    "concurrency",
    "limit",
    "seed",
    "analysis",
    "k1",
    "b",
)  # when a run is resumed


@described
@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(RunOptions):
    """Everything that a run depends on.

    Without `url`, `targets` and `retriever` the embedded BM25 retriever is measured.

    Attributes
    ----------
    dataset
        A data set as `locate` finds it, or its path or name. (`--dataset`)
    url
        The service's URL. (`--url`)
    targets
        Services to compare instead of `url`, a URL per name; for `run_targets`. (`--target`)
    service
        Protocol, headers and limits of the service, and its URL unless `url` has it; without it, `protocol`,
        `timeout`, `retry_for`, `retries` and `max_response_mb` are used.
    retriever
        A Python function of (queries, top_k), or an object with such a method `search`, that is measured in place of a
        service. It returns a list of hits per query, best first, each as (id, score) or a dict with id, score, text
        and meta; or two 2-D arrays (ids, scores). An async function is awaited, another runs in threads.
    protocol
        How the service is asked: the name of a protocol that is built in, or the path of a description; `benchbench`
        by default. (`--protocol`)
    name
        What the run is called; `bm25`, `service` with a URL, or the retriever's name, by default. (`--name`)
    backoff
        Seconds; waits before retries are draws below this, doubled each time; 0.25 by default.
    criteria
        How hits are judged, as `Criteria` says.
    fail_if
        Gates, one or several, such as `"nDCG@10<0.4"` or `"p99>300ms"`. (`--fail-if`)
    bm25
        Options of the embedded retriever. (`--analysis`, `--k1`, `--b`)
    """

    dataset: DataSet = field(kw_only=False)
    url: str | None = field(default=None, kw_only=False, repr=False)  # it may hold a password
    targets: Mapping[str, str] = field(default_factory=dict, repr=False)
    service: Service | None = field(default=None, repr=False)
    retriever: Retriever | None = None
    protocol: str = "benchbench"
    name: str = ""
    timeout: Timeout = 60.0
    retry_for: RetryFor = RETRY_FOR
    retries: Retries = None
    backoff: float = 0.25
    max_response_mb: MaxResponseMb = 256
    criteria: Criteria = field(default_factory=Criteria)
    fail_if: tuple[str, ...] = ()
    bm25: BM25Options = field(default_factory=BM25Options)

    def __post_init__(self) -> None:
        """Refuse impossible options before anything is read or sent."""
        object.__setattr__(self, "dataset", as_data_set(self.dataset))
        object.__setattr__(self, "cluster", self.cluster or self.dataset.cluster)
        object.__setattr__(self, "fail_if", tuple(gate.text for gate in as_gates(self.fail_if)))
        if not isinstance(self.criteria, Criteria):
            raise InputError("criteria are Criteria, as in Criteria(tasks='gold', cutoffs=(5, 10))")
        if not isinstance(self.targets, Mapping):
            raise InputError("targets are a mapping of names to URLs, as {'a': 'http://127.0.0.1:8000'}")
        for url in (self.url, *self.targets.values()):
            if url is not None and not isinstance(url, str):
                raise InputError(f"url is a text such as 'http://127.0.0.1:8000', and not of type {type(url).__name__}")
        if not isinstance(self.protocol, str | Path):
            raise InputError("protocol is a built-in name, or the path of a description (.toml or .json)")
        object.__setattr__(self, "protocol", str(self.protocol))
        if self.service is not None and not isinstance(self.service, Service):
            raise InputError("service is a Service, as in Service('http://127.0.0.1:8000', protocol('benchbench'))")
        if self.service is not None and self.service.url:
            self._take_url(self.service)
        others = (self.url, self.service, self.targets or None)
        if self.retriever is not None and (any(other is not None for other in others) or self.protocol != "benchbench"):
            raise InputError("a Python retriever excludes url, service, targets and protocol")
        self.bm25.check_used(self.embedded and not self.targets)
        object.__setattr__(self, "criteria", self.criteria.of(self.dataset))
        object.__setattr__(self, "top_k", self.criteria.top_k if self.top_k is None else self.top_k)
        check_described(self)
        check(self, backoff=SECONDS)
        if self.workers > self.concurrency:
            raise InputError(
                f"--workers {self.workers} is more than the {self.concurrency} requests under way that they share; "
                "give a larger --concurrency"
            )
        self.criteria.check_top_k(self.top_k, MAX_TOP_K if self.embedded and not self.targets else None)
        service = self.service_at("")
        if self.batch_size is None:
            object.__setattr__(self, "batch_size", service.profile.batch_size)
        service.profile.check_batch_size(self.batch_size)
        service.check_workers(self.workers)
        if not self.name:
            default = "bm25" if self.embedded else "service"
            object.__setattr__(self, "name", short_name(service) if isinstance(service, PythonService) else default)
        if self.targets and self.url is not None:
            raise InputError("--url and --target exclude each other: give every service its --target NAME=URL")
        for name in self.targets:
            if not re.fullmatch(r"\w[\w-]*", name) or name == "received":
                raise InputError(f"--target {name}: a name has letters, digits, - and _, for it names a folder")
        for url in (self.url, *self.targets.values()):
            if url is not None:
                endpoint(url, self.service_at(url).profile.path)

    def _take_url(self, service: Service) -> None:
        """Measure the service where it is; InputError when another place is named too."""
        path = service.profile.path
        if self.targets:
            raise InputError("targets have URLs of their own: give the service none, as in Service('', profile)")
        if self.url is not None and endpoint(self.url, path) != endpoint(service.url, path):
            raise InputError("url and service name two places; give the URL once")
        object.__setattr__(self, "url", service.url)

    def service_at(self, url: str) -> Service:
        """Return the service at a URL, or the retriever; InputError for what is no URL."""
        if self.retriever is not None:
            return python_service(self.retriever, self.timeout, self.concurrency)
        if self.service is not None:
            return self.service.at(url)
        return Service(
            url,
            profile(self.protocol),
            timeout=self.timeout,
            retry_for=self.retry_for,
            retries=self.retries,
            max_response_mb=self.max_response_mb,
            connections=self.concurrency,
        )

    @property
    def embedded(self) -> bool:
        """Say whether the embedded retriever is measured."""
        return self.url is None and self.retriever is None

    def gates(self) -> tuple[Gate, ...]:
        """Return the conditions under which the run counts as failed."""
        return as_gates(self.fail_if)

    def per_target(self) -> dict[str, "Settings"]:
        """Return the settings of each target as of a run of its own."""
        return {name: replace(self, name=name, url=url, targets={}) for name, url in self.targets.items()}

    def shown(self, url: str) -> dict[str, Any]:
        """Return every option as a JSON value, without a secret; `url` as it may be written down."""
        options = shown_options(self, self.service_at(self.url or "")) | {"url": None if self.embedded else url}
        del options["connections"]  # they are the requests under way
        return options

    def resume_conditions(self, url: str, digest: str) -> dict[str, Any]:
        """Return what the result depends on, by the name of its option. A resumed run must have the same."""
        options = self.shown(url)
        return {
            **{f"--{name.replace('_', '-')}": options[name] for name in _BINDING},
            **self.criteria.options(),
            "the data set (digest)": digest,
            "--header (names)": options["headers"],
            "the collection (digest)": self._collection_digest() if self.embedded else None,
            "the protocol (digest)": content_digest(repr(self.service_at("").profile).encode()).hexdigest(),
            "benchbench": benchbench.__version__,
        }

    def _collection_digest(self) -> str | None:
        return None if self.dataset.collection is None else part_digest(self.dataset.collection)
