"""The reference pass: each query asked once before the first step, for its value without load.

Nothing of it counts as latency. Steps ask queries where the one before has ended, and so different ones, whose means
differ by themselves; what a step changes is seen by each of its queries against the same query here.
"""

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from benchbench.client.keys import REFUSED_KEY
from benchbench.client.transport import Transport, key_refused
from benchbench.kernels.arrays import Bools
from benchbench.loads.batches import Batches, batches
from benchbench.loads.driver import Post
from benchbench.loads.load_details import ReferencePassDetails
from benchbench.loads.quality import Judge, QueryValues
from benchbench.loads.recorder import ReceivedAnswers

_QUERIES = 5_000  # at most; their mean difference is known to a hundredth, and a larger set takes no longer
_REFUSED = 3  # answers at the end of the pass that refuse the key: the steps would have no other
_IN_A_ROW = 10  # failed requests after which the pass ends: the steps will say what is wrong


@dataclass(frozen=True, slots=True)
class ReferencePass:
    """What the pass found."""

    values: QueryValues
    asked: int  # queries
    failures: dict[str, int] = field(default_factory=dict)  # reason -> requests, most frequent first

    def details(self) -> ReferencePassDetails:
        """Return the members of `summary.json`."""
        return ReferencePassDetails(asked=self.asked, answered=len(self.values.queries), failures=self.failures)


async def reference_pass(
    judge: Judge, top_k: int, post: Post, transport: Transport, seed: int, seconds: float, seen: Bools
) -> ReferencePass:
    """Ask the queries of a data set once each, in random order, one request at a time: several would be a load.

    Parameters
    ----------
    judge
        Of the first step.
    top_k
        Hits per query.
    post, transport
        What sends a request, and over what.
    seed
        Of the order.
    seconds
        After which no more are asked.
    seen
        Of each query, whether it was sent; those of the pass are marked.

    Raises
    ------
    TooManyFailuresError
        When the key is refused by the last answers.
    """
    whole = batches(len(judge.queries), judge.size, "shuffle", seed)
    order = Batches(rows=whole.rows[: max(1, _QUERIES // judge.size)])
    payloads = judge.requests(order, top_k).encoded
    end = time.perf_counter() + seconds
    asked, in_a_row, keys, failures = 0, 0, 0, Counter[str]()  # `keys`: how often in a row one was refused

    with ReceivedAnswers() as answers:
        for number, payload in enumerate(payloads):
            asked += judge.size
            seen[order.rows[number]] = True
            attempt, body = await post(payload)
            keys = keys + 1 if attempt.status in REFUSED_KEY else 0
            if attempt.error is None:
                in_a_row = 0
                answers.keep(number, body)
            else:
                in_a_row += 1
                failures[attempt.error] += 1
            if in_a_row >= _IN_A_ROW or time.perf_counter() > end:
                break
        if keys >= min(_REFUSED, len(payloads)):
            raise key_refused(transport, str(attempt.error))
        quality = await asyncio.to_thread(judge.judge, answers, order, transport.hide, top_k)
    failures.update(quality.unusable.values())
    values = await asyncio.to_thread(judge.values_of, quality)
    return ReferencePass(values, min(asked, len(np.unique(order.rows))), dict(failures.most_common()))
