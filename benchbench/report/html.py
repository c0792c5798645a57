"""The report as one HTML file that opens offline. Everything from outside is escaped."""

from html import escape

from benchbench.experiment import Outcome
from benchbench.report.assets import asset
from benchbench.report.escape import visible_lines
from benchbench.report.summary import text
from benchbench.report.table import cell, header, rows

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
<h1>{title}</h1>
<p>Percent, with 95&nbsp;% bootstrap intervals over queries.</p>
<div class="wide" tabindex="0" role="region" aria-label="Measures by task and cut-off">
<table>
<thead><tr>{head}</tr></thead>
{bodies}
</table>
</div>
<h2>Counts, latency, signature</h2>
<pre>{facts}</pre>
</html>
"""


def page(outcome: Outcome) -> str:
    """Return the whole page."""
    title = escape(f"{outcome.settings.name}: {outcome.counts['queries']:,} queries")
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header(outcome))
    bodies: list[str] = []
    previous = None
    for task, metric, values in rows(outcome):
        if task != previous:
            bodies.append("<tbody>")
        label = f'<th scope="row">{escape(task) if task != previous else ""}</th>'
        cells = "".join(_interval(cell(value)) for value in values)
        bodies.append(f"<tr>{label}<td>{escape(metric)}</td>{cells}</tr>")
        previous = task
    facts = text(outcome)
    facts = escape(facts[facts.index("Queries ") :])
    return filled(title, head, "\n".join(bodies), facts)


def filled(title: str, head: str, bodies: str, facts: str) -> str:
    """Return a page of one table and what is to be known beside it; all of it is HTML already."""
    title, head, facts = map(visible_lines, (title, head, facts))
    return _PAGE.format(title=title, style=asset("page.css"), head=head, bodies=bodies, facts=facts)


def _interval(shown: str) -> str:
    value, _, interval = shown.partition(" ")
    return f"<td>{value} <small>{interval}</small></td>" if interval else f"<td>{value}</td>"
