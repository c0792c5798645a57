"""The result of a profile, of scoring or of the client."""

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
    """The result of a profile: `found` has the members of its JSON, `options` the options that are not in it."""

    kind = "profile"

    found: Found
    options: Mapping[str, Any] = field(default_factory=dict)
    began: float = field(default_factory=time.time)  # seconds since 1970

    def details(self) -> Found:
        """Return the members of its JSON."""
        return self.found

    def to_record(self) -> "Record":
        """Return the record; the scope of a number names the tool or the client."""
        from benchbench.profile.record import profile_record

        return profile_record(self)
