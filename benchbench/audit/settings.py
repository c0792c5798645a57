"""What an audit looks at, and how closely."""

from dataclasses import dataclass

from benchbench.audit.near import SAMPLE, THRESHOLD
from benchbench.audit.texts import LIMIT
from benchbench.client.profiles import AS_PROTOCOL_ALLOWS
from benchbench.client.service import Service
from benchbench.tables.numbers import BATCH, COUNT, COUNT_OR_0, HITS, PLACES, Range, check

NEAR = Range(0.1, 1, whole=False)
KNOWN = 100  # queries, and documents, that a service is asked for


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """What an audit looks at, and how closely.

    Attributes
    ----------
    cutoff
        The k of the scores that effects are told in; 10 by default. (`-k`)
    near
        Jaccard index from which two texts are near-duplicates; 0.8 by default. (`--near`)
    sample
        Documents, and queries, that are compared as near-duplicates, 0 for all; 100,000 by default. (`--sample`)
    max_tokens
        Tokens from which a text is long; 512 by default. (`--max-tokens`)
    limit
        Queries, and documents, that a service is asked for; 100 by default. (`--limit`)
    top_k
        Hits to ask for, per query; 20 by default. (`--top-k`)
    batch_size
        Queries per request; by default 32, or 1 where the service takes one. (`--batch-size`)
    concurrency
        Requests under way at once; 8 by default. (`--concurrency`)
    """

    cutoff: int = 10
    near: float = THRESHOLD
    sample: int = SAMPLE
    max_tokens: int = LIMIT
    limit: int = KNOWN
    top_k: int = 20
    batch_size: int = AS_PROTOCOL_ALLOWS
    concurrency: int = 8

    def __post_init__(self) -> None:
        """Refuse impossible options before anything is read."""
        check(self, cutoff=HITS, near=NEAR, sample=COUNT_OR_0, max_tokens=COUNT, limit=COUNT)
        check(self, top_k=HITS, concurrency=PLACES)
        if self.batch_size is not None:
            check(self, batch_size=BATCH)

    def batch_of(self, service: Service) -> int:
        """Return how many queries a request to a service has; InputError where it cannot take so many."""
        found: int = self.batch_size or service.profile.batch_size
        service.profile.check_batch_size(found)
        return found
