"""Queries that no hit can be relevant for are those that lack what a task compares."""

import tempfile
from pathlib import Path
from typing import Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_rules import can_be_relevant
from tasks.test_collection_counts import QUERIES, TASKS, read

from benchbench.formats.tiered import read_tiered
from benchbench.tasks.answerable import answerable, lacking
from benchbench.tasks.compiled import compiled
from benchbench.tasks.defined import legal_cases
from benchbench.tasks.reading import parse_tasks
