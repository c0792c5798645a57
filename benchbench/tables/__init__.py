"""Frozen columnar values, and the hashing that makes texts and ids comparable."""
