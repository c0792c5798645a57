"""The labels of criminal cases, as the four tasks of the Chinese data compare them."""

from benchbench.tasks.compiled import compiled
from benchbench.tasks.defined import legal_cases

SCHEMA = compiled(legal_cases()).schema
