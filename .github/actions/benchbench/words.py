"""Writes the words of the input `command`, each ended by a null byte; nothing in them is expanded or run."""

import os
import shlex
import sys

try:
    words = shlex.split(os.environ["BENCHBENCH_COMMAND"])
except ValueError as error:
    sys.exit(f"The input command cannot be split into words: {error}.")
words = words[1:] if words[:1] == ["benchbench"] else words
if not words:
    sys.exit("The input command is empty; it is a command of benchbench, such as: run --dataset my-cases")
sys.stdout.write("".join(f"{word}\0" for word in words))
