"""Keys that a service has refused: what says so, and where to look for the key that was sent."""

from collections.abc import Iterable, Mapping

import yarl

from benchbench.client.headers import Headers
from benchbench.client.secrets import telling
from benchbench.tables.shared_messages import and_joined

REFUSED_KEY = frozenset({401, 403})  # statuses of a service that knows the request and not who sends it
NO_KEY = "no key was sent: --header 'NAME: ${VARIABLE}' or --token-env VARIABLE sends one"
NO_TARGET_KEY = NO_KEY.replace("--", "--target-")  # as `evaluate` calls them, which has those of a judge too


def check_the_key(headers: Mapping[str, str], url: yarl.URL, variables: Iterable[str] = ()) -> str | None:
    """Return the advice to check the keys that requests carry, by their places; None where they carry none.

    Parameters
    ----------
    headers
        Of requests; `Headers` know which variables of the environment have their values.
    url
        Of requests; its user, and parameters that are called like keys, count.
    variables
        Whose values stand elsewhere in requests.
    """
    sources = headers.variables if isinstance(headers, Headers) else {}
    places = [_place(name, sources.get(name, ())) for name in headers if name in sources or telling(name)]
    places += [_place("the request", [name]) for name in variables]
    places += ["the URL"] if url.user is not None or any(map(telling, url.query)) else []
    return f"check the key in {and_joined(places)}" if places else None


def _place(name: str, variables: Iterable[str]) -> str:
    names = list(variables)
    return f"{name} (variable{'s' if len(names) > 1 else ''} {and_joined(names)})" if names else name
