"""What a profile returns: of scoring, or of the client."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from benchbench.results.result import Result

if TYPE_CHECKING:
    from benchbench.profile.client import ClientProfile
    from benchbench.profile.scoring_speed import MetricsProfile
    from benchbench.results.record import Record

Found = TypeVar("Found", bound="MetricsProfile | ClientProfile")


@dataclass(frozen=True, repr=False)
class Profile(Result, Generic[Found]):
    """What was measured, which is also what JSON has beside the record; and options that it does not have."""

    kind = "profile"

    found: Found
    options: Mapping[str, Any] = field(default_factory=dict)
    began: float = field(default_factory=time.time)  # seconds since 1970

    def details(self) -> Found:
        """Return what JSON has beside the record."""
        return self.found

    def to_record(self) -> "Record":
        """Return the record; the scope of a number says what it was measured of."""
        from benchbench.profile.record import profile_record

        return profile_record(self)
