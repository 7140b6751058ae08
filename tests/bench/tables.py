"""Results as text, as Markdown and as JSON. Pure."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from typing import Any

from .budgets import Verdict, Word
from .figures import NotMeasured, Results, exponent, ratio
from .programs import BUILD, GIT_OKF, LOG, NO_VALIDATORS, ONE_CHANGE, ONE_PERCENT, QUIET, SHOW, STATUS, VERIFY

COLUMNS = ("cpu", "wall", "memory", "requests", "body_kb", "objects", "git_kb")
HEADINGS = ("CPU s", "wall s", "MB", "requests", "body kB", "objects", "git kB")
Row = Sequence[str]


def machine() -> dict[str, Any]:
    return {"system": platform.platform(), "python": platform.python_version(), "cores": os.cpu_count()}


def aligned(heading: Row, rows: Iterable[Row]) -> str:
    """A table for the terminal: the first two columns to the left, figures to the right."""
    lines = [heading, *rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(heading))]
    return "\n".join(
        "  ".join(
            cell.ljust(w) if at < 2 else cell.rjust(w) for at, (cell, w) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def markdown(heading: Row, rows: Iterable[Row]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in [heading, ["---"] * len(heading), *rows])


def number(value: float) -> str:
    """Three digits that count, and no more decimals than that takes."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"


def medians(results: Results, site: str) -> str:
    """What each program cost on a site, and its CPU as a multiple of git-okf's."""
    rows = []
    for step, program in results.runs(site):
        values = [results.middle(program, step, site, column) for column in COLUMNS]
        runs = str(len(results.costs(program, step, site)))
        rows.append((step, program, *map(number, values), _times(results, step, values[0], site), runs))
    return aligned(("step", "program", *HEADINGS, "CPU, ours = 1", "runs"), rows)


def _times(results: Results, step: str, cpu: float, site: str) -> str:
    try:
        return number(ratio(cpu, results.middle(GIT_OKF, step, site, "cpu"))) + "x"
    except NotMeasured:
        return ""


def verdict_rows(found: Sequence[Verdict]) -> list[Row]:
    """One row a budget and site."""
    return [(v.budget.what, v.site, v.budget.against, limit(v), said(v), v.word) for v in found]


VERDICT_HEADING = ("budget", "site", "against", "limit", "measured", "verdict")


def limit(v: Verdict) -> str:
    return f"{'at least' if v.budget.at_least else 'at most'} {v.budget.limit:g}{v.budget.unit}"


def said(v: Verdict) -> str:
    return "" if v.value is None else f"{number(v.value)}{v.budget.unit}"


def budget_table(found: Sequence[Verdict], command: str) -> str:
    """For a README: one row a budget, one column a site, and the command that made it. Not measured: empty."""
    sites = list(dict.fromkeys(v.site for v in found))
    by_place = {(v.budget, v.site): v for v in found}
    rows = []
    for budget in dict.fromkeys(v.budget for v in found):
        cells = [_cell(by_place[budget, site]) for site in sites]
        first = by_place[budget, sites[0]]
        against = "" if budget.against in ("absolute", "none") else f", against {budget.against}"
        rows.append((f"{budget.what}{against}", limit(first), *cells))
    return f"{markdown(('budget', 'limit', *sites), rows)}\n\nMade by `{command}`. Bold: behind its budget.\n"


def _cell(v: Verdict) -> str:
    if v.word is Word.UNKNOWN:
        return ""
    return f"**{said(v)}**" if v.is_behind else said(v)


def growth(results: Results, sites: Sequence[str]) -> str:
    """How costs grow with the number of pages: `pages ** x`, from all generated sites that were measured."""
    steps = (BUILD, QUIET, NO_VALIDATORS, ONE_CHANGE, ONE_PERCENT, STATUS, LOG, SHOW, VERIFY)
    columns = ("cpu", "wall", "memory", "objects", "git_kb")
    rows = [(step, "", *(_exponent(results, step, what, sites) for what in columns)) for step in steps]
    return aligned(("exponent of growth", "", "CPU", "wall", "memory", "objects", "git kB"), rows)


def _exponent(results: Results, step: str, what: str, sites: Sequence[str]) -> str:
    try:
        points = [(float(results.pages(site)), results.middle(GIT_OKF, step, site, what)) for site in sites]
        return f"{exponent(points):.2f}"
    except NotMeasured:
        return "-"


def as_json(results: Results, found: Sequence[Verdict], command: str) -> dict[str, Any]:
    """All of it: machine, samples, verdicts."""
    judged = [
        {"budget": v.budget.what, "against": v.budget.against, "site": v.site, "limit": v.budget.limit,
         "at_least": v.budget.at_least, "kind": v.budget.kind, "value": v.value, "verdict": v.word, "reason": v.reason}
        for v in found
    ]  # fmt: skip
    return {"schema": 1, "command": command, "machine": machine(), **results.as_json(), "budgets": judged}
