"""What a request begins with: its line and its headers, made once for all requests to one service."""

import re
from collections.abc import Mapping

import aiohttp
import yarl

import benchbench
from benchbench.errors import InputError

_DEFAULT = {
    "Accept": "application/json",
    "Accept-Encoding": "gzip, deflate",  # not more where more is installed: figures stay comparable
    "User-Agent": f"benchbench/{benchbench.__version__}",
}
_BROKEN = re.compile(r"[\r\n\0]")


class RequestHead:
    """The beginning of requests, and the cookies that the service has set."""

    def __init__(self, method: str, headers: Mapping[str, str], url: yarl.URL) -> None:
        """Prepare; `headers` go before those that every request has.

        Raises
        ------
        InputError
            A header has a line break or a zero byte in it.
        """
        named = {name.lower(): (name, value) for name, value in {**_DEFAULT, **headers}.items()}
        for name, value in named.values():
            if _BROKEN.search(name + value):
                raise InputError(f"the header {_BROKEN.split(name)[0]} has a line break or a zero byte in it")
        self._method = method
        self._lines = "".join(
            f"{name}: {value}\r\n" for name, value in (("Host", url.host_port_subcomponent), *named.values())
        )
        self._cookies: aiohttp.CookieJar | None = None
        self._usual = self._with_target(url)
        self._url = url

    def request(self, content: bytes | None, url: yarl.URL | None = None) -> bytes:
        """Return a request with a body or None, to another URL of the service where one is given."""
        head = self._usual if url is None and self._cookies is None else self._with_target(url or self._url)
        if content is None:
            return head + (b"\r\n" if self._method == "GET" else b"Content-Length: 0\r\n\r\n")
        return b"%bContent-Length: %d\r\n\r\n%b" % (head, len(content), content)

    def note_cookies(self, set_by: list[str]) -> None:
        """Note cookies for all requests that follow; those of hosts that have no name are ignored.

        Parameters
        ----------
        set_by
            The values of `Set-Cookie`.
        """
        self._cookies = self._cookies or aiohttp.CookieJar()
        self._cookies.update_cookies_from_headers(set_by, self._url)

    def _with_target(self, url: yarl.URL) -> bytes:
        cookies = self._cookies.filter_cookies(url).output(header="", sep=";").strip() if self._cookies else ""
        line = f"{self._method} {url.raw_path_qs} HTTP/1.1\r\n{self._lines}"
        return (f"{line}Cookie: {cookies}\r\n" if cookies else line).encode()
