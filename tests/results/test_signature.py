"""Signatures, whole and as people compare them."""

from benchbench.results.signature import short


def test_a_short_signature_is_eight_digits_that_go_by_every_part():
    assert short("") == "e3b0c442", "the first digits of the SHA-256 of nothing"
    assert short("k:3|version:1") != short("k:3|version:2")
