"""What an audit looks at, and how closely."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from benchbench.results.ranges import COUNT, COUNT_OR_0, HITS, Range
from benchbench.results.settings import AS_PROTOCOL_ALLOWS, BatchSize, Concurrency, Opt, check_described, described

if TYPE_CHECKING:
    from benchbench.client.service import Service

NEAR = Range(0.1, 1, whole=False)


@described
@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSettings:
    """What an audit looks at, and how closely."""

    cutoff: Annotated[int, Opt("Cut-off of the scores that effects are in.", HITS, ("-k", "--cutoff"))] = 10
    near: Annotated[float, Opt("Jaccard index of near-duplicates.", NEAR)] = 0.8
    sample: Annotated[int, Opt("Texts compared as near-duplicates; 0: all.", COUNT_OR_0)] = 100_000
    max_tokens: Annotated[int, Opt("Tokens from which a text is long.", COUNT)] = 512  # that usual encoders take
    limit: Annotated[int, Opt("Queries and documents asked for.", COUNT)] = 100
    top_k: Annotated[int, Opt("Hits to ask for per query.", HITS)] = 20
    batch_size: BatchSize = AS_PROTOCOL_ALLOWS
    concurrency: Concurrency = 8

    def __post_init__(self) -> None:
        """Refuse impossible options before anything is read."""
        check_described(self)

    def batch_of(self, service: "Service") -> int:
        """Return how many queries a request to a service has; InputError where it cannot take so many."""
        size: int = self.batch_size or service.profile.batch_size
        service.profile.check_batch_size(size)
        return size
