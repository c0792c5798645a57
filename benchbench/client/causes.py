"""Why a service cannot be reached, and what to do about it.

A failed attempt says the cause (`begins`); the error that ends a run adds the advice to it, found by the same words.
"""

import errno
import os
import re
import socket
import ssl
from collections.abc import Callable

from msgspec import Struct

CANNOT_CONNECT = "cannot connect"
_WRAPPED = re.compile(r"""<\w+: \d+, message=(['"])(.*)\1>""", re.DOTALL)  # an error of aiohttp within another's text
_NUMBERED = re.compile(r"^\d+, message:\s*")
_BYTES = re.compile(r"""\bb(?=(['"]).*\1)""")  # before what a library quotes of an answer
NO_HTTP = "the server there does not speak HTTP"
TLS = "TLS"
_PLAIN = frozenset({"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG"})
_NO_WAY = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN, errno.EACCES, errno.EPERM})
_EXPIRED, _NOT_YET, _OTHER_NAMES = 10, 9, frozenset({62, 63, 64})  # X509_V_ERR_… of OpenSSL
_TOLD_HTTPS = (  # how servers answer to plain HTTP where they expect TLS: nginx, Go, Apache, Envoy and others
    "plain http request was sent to https port",
    "client sent an http request to an https server",
    "speaking plain http to an ssl-enabled server port",
    "combination of host and port requires tls",
)


class Cause(Struct, frozen=True):
    """One reason why nothing can be asked."""

    begins: str  # how the error of an attempt begins
    fits: Callable[[Exception], bool]
    advice: str
    passing: bool = True  # it may be gone when the attempt is made again

    def text(self, error: Exception) -> str:
        """Return the error of an attempt."""
        return f"{self.begins}: {_reason(error)}"


CAUSES = (
    Cause(
        f"{TLS}: the certificate is out of date",
        lambda error: _verification(error) in (_EXPIRED, _NOT_YET),
        "has a certificate that is not valid today: renew it, or set this machine's clock",
        passing=False,
    ),
    Cause(
        f"{TLS}: the certificate is for another name",
        lambda error: _verification(error) in _OTHER_NAMES,
        "has a certificate for another host: use the name in the certificate",
        passing=False,
    ),
    Cause(
        f"{TLS}: no trust in the certificate",
        lambda error: _verification(error) is not None,
        "is not trusted: name the authority that signed its certificate with --ca-file",
        passing=False,
    ),
    Cause(
        f"{TLS}: no TLS is spoken there",
        lambda error: isinstance(error, ssl.SSLError) and error.reason in _PLAIN,
        "speaks http and not https: use http://",
        passing=False,
    ),
    Cause(
        f"{TLS}: no connection",
        lambda error: isinstance(error, ssl.SSLError),
        "cannot agree with this machine on a TLS version: does it speak https, does it require a "
        "client certificate, and which TLS versions does it support?",
        passing=False,
    ),
    Cause(
        f"{CANNOT_CONNECT}: the name of the host is not known",
        lambda error: isinstance(error, socket.gaierror),
        "cannot be found: is the host name right, and is this machine online?",
    ),
    Cause(
        f"{CANNOT_CONNECT}: nothing listens there",
        lambda error: isinstance(error, ConnectionRefusedError),
        "refuses connections: is the service running, and is this its host and port?",
    ),
    Cause(
        f"{CANNOT_CONNECT}: no answer comes",
        lambda error: isinstance(error, TimeoutError) or getattr(error, "errno", None) == errno.ETIMEDOUT,
        "does not answer: is this its host and port, and is there a firewall in between?",
    ),
    Cause(
        f"{CANNOT_CONNECT}: no way leads there",
        lambda error: getattr(error, "errno", None) in _NO_WAY,
        "is out of reach: is the host right, and is the network or the VPN up?",
    ),
    Cause(
        f"{CANNOT_CONNECT}: it hangs up",
        lambda error: isinstance(error, ConnectionError),
        "hangs up while the connection is being made: does it really speak https?",
    ),
    Cause(
        CANNOT_CONNECT, lambda error: True, "cannot be reached: is the service running, and is this its host and port?"
    ),
)
_HTTPS = "speaks https and not http: use https://"


def cause_of(error: Exception) -> Cause:
    """Return why no connection was made."""
    return next(cause for cause in CAUSES if cause.fits(error))


def broken(error: Exception) -> str:
    """Return what a library says of an answer that broke off or cannot be read, without the Python in it."""
    message = getattr(error, "message", None) or error
    if not isinstance(message, str | Exception):  # the head, as far as it was read
        return "the connection was closed in the middle of the response head"
    plain = _NUMBERED.sub("", _WRAPPED.sub(r"\2", str(message))).strip()
    return _BYTES.sub("", plain.removesuffix("^").strip()) or type(error).__name__


def advice(error: str) -> str | None:
    """Return what to do about the error of an attempt, None where it has none of these causes."""
    if expects_tls(error):
        return _HTTPS
    if error.startswith(NO_HTTP):
        return "does not speak HTTP: is this its port, and does it speak https rather than http?"
    return next((cause.advice for cause in CAUSES if error.startswith(cause.begins)), None)


def expects_tls(answer: str) -> bool:
    """Say whether a server that answered plain HTTP expects TLS."""
    lowered = answer.lower()
    return any(sentence in lowered for sentence in _TOLD_HTTPS)


def _verification(error: Exception) -> int | None:
    return error.verify_code if isinstance(error, ssl.SSLCertVerificationError) else None


def _reason(error: Exception) -> str:
    """Return what the system says, without the address that asyncio puts in its place."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    if isinstance(error, socket.gaierror | ssl.SSLError):
        return error.strerror or str(error)
    number = getattr(error, "errno", None)
    return os.strerror(number) if number else str(error) or type(error).__name__
