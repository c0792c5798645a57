"""The random numbers are splitmix64's, the same on every machine."""

import numpy as np
from helpers import called
from hypothesis import given
from hypothesis import strategies as st

from benchbench.kernels import random
from benchbench.kernels.random import keys

key, mix, next_state = called(random.key), called(random.mix), called(random.next_state)

MASK = 2**64 - 1
u64 = st.integers(0, MASK)
seeds = st.integers(0, 2**63 - 1)


def naive_next_state(state: int) -> int:
    return (state + 0x9E3779B97F4A7C15) & MASK


def naive_mix(z: int) -> int:
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def naive_key(seed: int, number: int) -> int:
    return naive_mix(naive_next_state(seed) ^ naive_mix((number + 1) & MASK))


def test_the_stream_of_a_state_is_the_published_one_of_splitmix64() -> None:
    """The first outputs for state 1234567, as the reference implementation in C prints them."""
    state, drawn = np.uint64(1234567), []
    for _ in range(5):
        state = np.uint64(next_state(state))
        drawn.append(int(mix(state)))
    assert drawn == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@given(u64)
def test_one_step_equals_its_naive_twin(state: int) -> None:
    assert int(next_state(np.uint64(state))) == naive_next_state(state)
    assert int(mix(np.uint64(state))) == naive_mix(state)


@given(seeds, st.integers(0, 2**40))
def test_a_key_equals_its_naive_twin(seed: int, number: int) -> None:
    assert int(key(seed, number)) == naive_key(seed, number)


@given(seeds, st.integers(0, 40), st.integers(0, 40))
def test_fewer_keys_are_the_beginning_of_more(seed: int, few: int, more: int) -> None:
    assert keys(seed, few).tolist() == keys(seed, few + more)[:few].tolist()
    assert keys(seed, few).tolist() == [naive_key(seed, number) for number in range(few)]
