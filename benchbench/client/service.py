"""One retrieval service, and how it is reached."""

import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from yarl import URL

from benchbench.client.headers import Headers
from benchbench.client.keys import check_the_key
from benchbench.client.memory_budget import MEMORY
from benchbench.client.profiles import Profile
from benchbench.client.reach import Reach
from benchbench.client.retry import Retry
from benchbench.client.secrets import Secrets
from benchbench.client.transport import Transport, endpoint, shown
from benchbench.errors import InputError
from benchbench.results.ranges import PLACES, check
from benchbench.results.record import plain
from benchbench.results.settings import check_described, described, shown_settings

_NOT_SHOWN = {"service", "retriever", "targets", "dataset", "bm25"}  # fields that are shown in another way, or not


@described
@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Service(Reach):
    """One retrieval service, and how it is reached; nothing is opened before `transport()`.

    The URL is empty while it is not known, as that of the embedded service before its start. Header values
    may be secrets: `repr` and `shown` have none of them, nor user, password and query of the URL.

    Attributes
    ----------
    url
        Where it is; the profile's path is added unless the URL ends with it. (`--url`)
    profile
        How it is asked, as `protocol("benchbench")` returns it. (`--protocol`)
    headers
        Sent with every request; none by default. (`--header`, `--token-env`)
    connections
        Connections open at once; 8 by default. (`--concurrency`)
    processes
        That ask it at once and share the memory for its answers; 1 by default. (`--workers`)
    """

    url: str = field(kw_only=False)
    profile: Profile = field(kw_only=False)
    headers: Mapping[str, str] = field(default_factory=Headers, kw_only=False)
    connections: int = 8
    processes: int = 1

    def __post_init__(self) -> None:
        """Refuse what cannot be, before anything is asked."""
        object.__setattr__(self, "headers", Headers(self.headers))
        check_described(self)
        check(self, connections=PLACES)
        if self.url:
            target = endpoint(self.url, self.profile.path)
            if self.ca_file is not None and target.scheme != "https":
                raise InputError("--ca-file has no effect, because the URL does not begin with https://")
            if target.user is not None and "authorization" in map(str.lower, self.all_headers()):
                raise InputError("the URL has a user name, and a header is Authorization: give only one of them")
        if self.ca_file is not None:
            self._tls()

    def __repr__(self) -> str:
        """Return what may be shown."""
        settings = ", ".join(f"{name}={value!r}" for name, value in self.shown().items())
        return f"Service({settings})"

    def at(self, url: str) -> "Service":
        """Return the same at another URL."""
        return replace(self, url=url)

    def transport(self) -> Transport:
        """Return connections to it, to be opened with `async with`."""
        return Transport(
            self.url,
            self.profile.path,
            self.connections,
            self.timeout,
            self.max_response_mb << 20,
            method=self.profile.method,
            headers=self.all_headers(),
            tls=None if self.ca_file is None else self._tls(),
            memory=MEMORY // self.processes,
            placed=self.profile.placed,
            secrets=self.secrets(),
            has_body=bool(self.profile.media_type),
            key_advice=self.key_advice(),
        )

    def retry(self) -> Retry:
        """Return the rule by which failed attempts are tried again."""
        return Retry(self.retries, self.retry_for)

    def secrets(self) -> Secrets:
        """Return the secrets, which the service may send back."""
        return Secrets(URL(self.url), self.all_headers(), self.profile.secrets())

    def key_advice(self) -> str | None:
        """Return which key to check when the service refuses it; None where none is sent."""
        return check_the_key(self.all_headers(), URL(self.url), self.profile.environment)

    def shown(self) -> dict[str, Any]:
        """Return the options as JSON values, without a secret."""
        return {
            "url": self._shown_url(),
            "protocol": self.profile.name,
            "protocol_options": self.secrets().clean(dict(self.profile.options)),
            "headers": sorted(self.all_headers()),
            **shown_settings(self),
            "connections": self.connections,
        }

    def check_workers(self, workers: int) -> None:
        """Refuse more processes than can ask it; InputError says what to do."""

    def _shown_url(self) -> str | None:
        return shown(endpoint(self.url, self.profile.path)) if self.url else None

    def all_headers(self) -> Headers:
        """Return the profile's headers and our own, which win; names differ in more than case."""
        given = {name.lower() for name in self.headers}
        own = {name: value for name, value in self.profile.headers.items() if name.lower() not in given}
        named = given | {name.lower() for name in own}
        media = self.profile.media_type
        content = {"Content-Type": media} if media and "content-type" not in named else {}
        variables = {**self.profile.headers.variables, **Headers(self.headers).variables}
        every = {**content, **own, **self.headers}
        return Headers(every, {name: variables[name] for name in every if name in variables})

    def _tls(self) -> ssl.SSLContext:
        assert self.ca_file is not None
        if self.ca_file.exists() and not self.ca_file.is_file():
            raise InputError(f"--ca-file {self.ca_file} is not a file")
        try:
            return ssl.create_default_context(cafile=self.ca_file)
        except OSError as error:  # ssl.SSLError among them
            reason = error.strerror if error.errno and not isinstance(error, ssl.SSLError) else "no certificate in it"
            raise InputError(f"--ca-file {self.ca_file} cannot be used: {reason}") from None


def shown_options(settings: Any, service: Service) -> dict[str, Any]:
    """Return every option of settings that measure a service, as JSON values and without a secret."""
    own = {
        setting.name: getattr(settings, setting.name) for setting in fields(settings) if setting.name not in _NOT_SHOWN
    }
    rules = {"criteria": settings.criteria.shown()}
    values = plain({**own, **settings.bm25.shown(), **rules, **service.shown(), **settings.dataset.shown()})
    shown: dict[str, Any] = json.loads(json.dumps(values))  # no tuples
    return shown
