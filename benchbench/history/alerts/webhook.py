"""One POST of JSON to a webhook, in bounded time; of its URL only scheme and host are ever said.

Receivers may send back what they got, in part and in any encoding. An error therefore quotes nothing of an answer but
its status, and a word such as Slack's `invalid_payload`.
"""

import asyncio
import re
import socket
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

import yarl

from benchbench.client.transport import Attempt, Transport
from benchbench.errors import InputError

_MOST = 1 << 16  # bytes of an answer
_HOST = re.compile(r"[^\s/@?#\\]+")
_CODE = re.compile(r"[a-z]+(?:_[a-z]+)+")
_CODE_LONGEST = 40  # characters


class Webhook:
    """Where alerts are posted; `repr` has no secret."""

    def __init__(self, url: str, headers: Mapping[str, str], option: str) -> None:
        """Check a URL, which may be secret.

        Parameters
        ----------
        url
            Whole, with its secrets.
        headers
            Sent too.
        option
            What gave the URL, for messages.

        Raises
        ------
        InputError
            It is no URL, or asks for two ways to log in.
        """
        try:
            parsed = yarl.URL(url.strip())
            usable = parsed.scheme in ("http", "https") and _HOST.fullmatch(parsed.host or "") and parsed.port
        except ValueError:
            usable = False
        if not usable:
            raise InputError(f"{option} is not a URL such as https://hooks.example.org/…")
        if parsed.user is not None and any(name.lower() == "authorization" for name in headers):
            raise InputError(f"{option} has a user in its URL, and a token is given too; give one of them")
        self.url, self.headers = str(parsed.with_fragment(None)), headers
        self.shown = str(parsed.origin())

    def __repr__(self) -> str:
        """Return scheme and host."""
        return f"Webhook({self.shown})"

    def post(self, body: bytes, seconds: float) -> str | None:
        """Post JSON and return why that failed, or None. No proxy is used and no redirect followed.

        It has an event loop of its own, so that it is called by a thread that has none.

        Parameters
        ----------
        body
            UTF-8.
        seconds
            For everything: the name, the connection, TLS, the answer. An answer whose status says that it was taken
            counts, whatever becomes of its rest.
        """
        try:
            with asyncio.Runner(loop_factory=_Loop) as runner:
                attempt = runner.run(asyncio.wait_for(self._post(body, seconds), seconds + 1))
        except TimeoutError:
            return _late(seconds)
        except Exception as error:
            return f"nothing was sent: {type(error).__name__}"
        return self._failure(attempt)

    async def _post(self, body: bytes, seconds: float) -> Attempt:
        async with Transport(self.url, "", 1, seconds, _MOST, headers=self.headers) as transport:
            attempt, _ = await transport.post(body)
        return attempt

    def _failure(self, attempt: Attempt) -> str | None:
        status, error = attempt.status, attempt.error or ""
        if status is None:
            return error if attempt.refused else error.partition(":")[0]
        if 200 <= status < 300:
            return None
        if 300 <= status < 400:
            return f"HTTP {status}: a redirect, which is not followed"
        code = error.partition(": ")[2].strip()
        named = _CODE.fullmatch(code) and len(code) <= _CODE_LONGEST and code not in self._secret_texts()
        return f"HTTP {status}: {code}" if named else f"HTTP {status}"

    def _secret_texts(self) -> str:
        return "\n".join((self.url, *self.headers.values())).lower()


class _Loop(asyncio.SelectorEventLoop):
    """Looks names up in a thread that nobody waits for at the end, as a resolver may stand still for a minute."""

    async def getaddrinfo(self, host: Any, port: Any, **options: Any) -> Any:
        looked_up: Future[Any] = Future()
        looked_up.set_running_or_notify_cancel()  # who gave up waiting cannot cancel it under the thread

        def look_up() -> None:
            try:
                addresses = socket.getaddrinfo(host, port, **options)
            except Exception as error:
                looked_up.set_exception(error)
            else:
                looked_up.set_result(addresses)

        threading.Thread(target=look_up, daemon=True).start()
        return await asyncio.wrap_future(looked_up, loop=self)


def _late(seconds: float) -> str:
    return f"no complete answer within {seconds:g} s"
