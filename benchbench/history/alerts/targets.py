"""Who is told of alerts: standard error, a file, a webhook.

A target has `shown`, which has no secret, `digest`, by which the store knows it again, and `send`.
"""

import errno
import fcntl
import hashlib
import os
import re
import stat
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import orjson

from benchbench.errors import InputError, visible
from benchbench.history.alerts.alert import message, payload

if TYPE_CHECKING:
    from benchbench.history.alerts.alert import AlertChange
    from benchbench.history.alerts.webhook import Webhook

STDERR = "stderr"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_ROUNDS = 100_000  # that a guess of a short password in a URL costs, for who reads the store
_NAME = 300  # characters
_LOOKS = 0.02  # seconds between two looks at a lock
_FULL = {errno.ENOSPC, errno.EDQUOT}


class DeliveryError(Exception):
    """A target was not told; the message has no secret."""


class Target(Protocol):
    """Who is told."""

    @property
    def shown(self) -> str:
        """What may be said and stored of it."""

    @property
    def digest(self) -> str:
        """The same for the same target, and only for that."""

    def send(self, changes: "Sequence[AlertChange]", seconds: float) -> None:
        """Tell it; DeliveryError when it was not told within so many seconds."""


@dataclass(frozen=True, slots=True)
class Stderr:
    """Standard error: one sentence per change."""

    shown: str = STDERR
    digest: str = field(default_factory=lambda: _digest(STDERR))

    def send(self, changes: "Sequence[AlertChange]", seconds: float) -> None:
        """Write the sentences."""
        try:
            sys.stderr.write("".join(f"Alert {change.moment}: {change.sentence}\n" for change in changes))
            sys.stderr.flush()
        except (OSError, ValueError) as error:
            raise DeliveryError(_reason(error)) from None


class AlertFile:
    """A file to whose end one line of JSON is written per change."""

    def __init__(self, path: Path) -> None:
        """Keep the path; InputError where no file can be."""
        name = visible(str(path), _NAME)
        try:
            place, is_folder, has_folder = path.resolve(), path.is_dir(), path.absolute().parent.is_dir()
        except (OSError, ValueError) as error:
            raise InputError(f"--alert {name}: no file can have this name: {_reason(error)}") from None
        if is_folder:
            raise InputError(f"--alert {name} is a folder; name a file")
        if not has_folder:
            raise InputError(f"--alert {name}: the folder {visible(str(path.parent), _NAME)} does not exist")
        self.path, self.shown = path, name
        self.digest = _digest(f"file:{place}")

    def send(self, changes: "Sequence[AlertChange]", seconds: float) -> None:
        """Append all lines, or none: a write that ends half-way, as on a full disk, is undone."""
        lines = b"".join(orjson.dumps(message(change)) + b"\n" for change in changes)
        try:
            file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
            try:
                _lock(file, seconds)
                _append(file, lines)
            finally:
                os.close(file)
        except OSError as error:
            raise DeliveryError(_reason(error)) from None


class WebhookTarget:
    """A URL that JSON is posted to."""

    def __init__(self, webhook: "Webhook | None", name: str = "") -> None:
        """Keep it; `name` is that of the variable with the URL. None: the variable is empty."""
        self._webhook = webhook
        host = "" if webhook is None else webhook.shown
        self.shown = (f"env:{name} ({host})" if host else f"env:{name}") if name else host
        self.digest = _digest(f"env:{name}" if webhook is None or name else webhook.url)
        self._empty = f"the environment variable {name} is empty"

    def send(self, changes: "Sequence[AlertChange]", seconds: float) -> None:
        """Post one message about all changes."""
        if self._webhook is None:
            raise DeliveryError(self._empty)
        failure = self._webhook.post(orjson.dumps(payload(changes)), seconds)
        if failure is not None:
            raise DeliveryError(visible(failure))


def read_targets(
    texts: Sequence[str], token_env: str | None = None, environment: Mapping[str, str] | None = None
) -> list[Target]:
    """Return the targets that `--alert` names.

    Parameters
    ----------
    texts
        `stderr`, a file, `http(s)://…`, or `env:NAME` of a variable with such a URL.
    token_env
        Variable whose value is sent to the webhook as `Authorization: Bearer`.
    environment
        Variables.

    Raises
    ------
    InputError
        For what is none of these. No message has a part of a URL.
    """
    environment = os.environ if environment is None else environment
    headers = _headers(token_env, environment)
    targets = {target.digest: target for text in texts for target in [_target(text.strip(), headers, environment)]}
    hooks = sum(isinstance(target, WebhookTarget) for target in targets.values())
    if token_env is not None and hooks != 1:
        raise InputError(f"--alert-token-env is the token of one webhook, and --alert names {hooks or 'none'}")
    return list(targets.values())


def _target(text: str, headers: Mapping[str, str], environment: Mapping[str, str]) -> Target:
    from benchbench.history.alerts.webhook import Webhook

    if text == STDERR:
        return Stderr()
    if text.startswith("env:"):
        name = text.removeprefix("env:")
        if name not in environment:
            raise InputError(f"--alert {visible(text, 80)}: the environment variable {visible(name, 80)} is not set")
        value = environment[name].strip()
        return WebhookTarget(Webhook(value, headers, f"--alert {text}") if value else None, name)
    if text.lower().startswith(("http:", "https:")):
        return WebhookTarget(Webhook(text, headers, "--alert"))
    if not text or "://" in text or _SCHEME.match(text):
        raise InputError("--alert takes stderr, a file, http(s)://…, or env:NAME; write ./NAME for a file with a colon")
    return AlertFile(Path(text))


def _headers(token_env: str | None, environment: Mapping[str, str]) -> Mapping[str, str]:
    from benchbench.client.headers import Headers

    if token_env is None:
        return Headers()
    token = environment.get(token_env, "").strip()
    if not token:
        raise InputError(f"--alert-token-env: the environment variable {visible(token_env, 80)} is not set")
    if not token.isprintable() or not token.isascii():
        raise InputError(f"--alert-token-env: the value of {visible(token_env, 80)} cannot be in a header")
    return Headers({"Authorization": f"Bearer {token}"})


def _lock(file: int, seconds: float) -> None:
    until = time.monotonic() + seconds
    while True:
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise DeliveryError(f"another process kept the file locked for {seconds:g} s") from None
            time.sleep(_LOOKS)


def _append(file: int, lines: bytes) -> None:
    """Write whole lines; the file is locked."""
    state = os.fstat(file)
    if stat.S_ISFIFO(state.st_mode):
        raise DeliveryError("it is a pipe, which keeps nothing")
    regular = stat.S_ISREG(state.st_mode)
    if regular and state.st_size and os.pread(file, 1, state.st_size - 1) != b"\n":
        lines = b"\n" + lines  # somebody else's line has no end
    view: Any = memoryview(lines)
    try:
        while view:
            view = view[os.write(file, view) :]
    except OSError:
        if regular:
            os.ftruncate(file, state.st_size)
        raise


def _reason(error: Exception) -> str:
    reason = getattr(error, "strerror", None) or type(error).__name__
    return f"{reason}; free some space" if getattr(error, "errno", None) in _FULL else reason


def _digest(text: str) -> str:
    return hashlib.pbkdf2_hmac("sha256", text.encode(errors="replace"), b"benchbench alert", _ROUNDS).hex()
