"""`benchbench evaluate`."""

import os
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbench.cli import common, progress
from benchbench.cli.judging_options import judging_options
from benchbench.cli.model_options import model_options
from benchbench.cli.options import loudness, new_results
from benchbench.cli.parameters import PATH
from benchbench.cli.project_file import Command
from benchbench.cli.reporting import Reporting, reporting
from benchbench.errors import InputError, visible

if TYPE_CHECKING:
    from benchbench.client.chat import ChatModel
    from benchbench.client.prices import Price
    from benchbench.client.service import Service
    from benchbench.formats.evaluation_config import EvaluationConfig

_MODELS = ("AZURE_OPENAI_EVAL_DEPLOYMENT", "OPENAI_GPT_MODEL")  # of the environment, where evaluations look for a judge
