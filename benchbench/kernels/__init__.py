"""Numba only: arrays and scalars in, arrays out. No strings, no I/O, no raise on data."""
