"""How a service is reached, whatever it is asked."""

from dataclasses import dataclass

from benchbench.results.settings import ADVANCED, CaFile, MaxResponseMb, Retries, RetryFor, Timeout, in_section


@in_section(ADVANCED)
@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)  # a base
class Reach:
    """How a service is reached, whatever it is asked."""

    ca_file: CaFile = None
    timeout: Timeout = 60.0
    retry_for: RetryFor = 60.0
    retries: Retries = None
    max_response_mb: MaxResponseMb = 256
