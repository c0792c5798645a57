"""`benchbench history …`: a module of commands is imported when one of them is called."""

import click

from benchbench.cli.groups import LateGroup

_PLACES = {  # in the order in which they are used
    "add": "history_store:add_command",
    "list": "history_runs:list_command",
    "show": "history_reports:show_command",
    "trend": "history_reports:trend_command",
    "summary": "history_runs:summary_command",
    "diff": "history_reports:diff_command",
    "check": "history_gates:check_command",
    "accept": "history_gates:accept_command",
    "delete": "history_store:delete_command",
    "export": "history_store:export_command",
}


@click.group(cls=LateGroup, places=_PLACES, name="history")
def command() -> None:
    """Results over time: stored, compared, gated, drawn."""
