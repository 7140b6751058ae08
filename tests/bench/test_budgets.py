from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from bench import cores
from bench.budgets import BUDGETS, Budget, Kind, Verdict, Word, failed, verdict, verdicts, word
from bench.campaign import in_turns
from bench.figures import Cost, NotMeasured, Results, Sample
from bench.programs import BUILD, GIT_OKF, ONE_CORE
from bench.tables import budget_table, number, verdict_rows

README = Path(__file__).parents[2] / "README.md"


def nothing(results: Results, site: str, small: str) -> float:
    raise NotMeasured("no such run")


MOST = Budget(what="CPU", against="a peer", limit=3, figure=nothing)
LEAST = replace(MOST, at_least=True, limit=30)


@pytest.mark.parametrize(
    ("budget", "value", "expected"),
    [
        (MOST, 3, Word.KEPT),
        (MOST, 3.9, Word.MISSED),
        (MOST, 4.1, Word.FAILED),
        (LEAST, 30, Word.KEPT),
        (LEAST, 23, Word.MISSED),
        (LEAST, 22, Word.FAILED),
        (replace(LEAST, owed=16), 13, Word.OWED),
        (replace(LEAST, owed=16), 11, Word.FAILED),
        (replace(MOST, owed=6), 7, Word.OWED),
        (replace(MOST, limit=0, kind=Kind.AMOUNT), 1, Word.FAILED),
        (replace(MOST, kind=Kind.TOLD), 100, Word.TOLD),
    ],
)
def test_a_budget_fails_where_it_is_missed_by_more_than_a_third(budget: Budget, value: float, expected: Word) -> None:
    assert word(budget, value) is expected


def test_what_was_not_measured_fails_nothing_and_says_why() -> None:
    found = verdict(MOST, Results(), "site", "small")
    assert (found.word, found.reason) == (Word.UNKNOWN, "no such run")
    assert failed([found]) == []


def test_an_empty_campaign_has_a_verdict_for_every_budget() -> None:
    assert [v.word for v in verdicts(Results(), ["site"], "small")] == [Word.UNKNOWN] * len(BUDGETS)


def took(step: str, wall: float, others: float = 0.0, site: str = "site") -> Sample:
    cost = Cost(cpu=1, wall=wall, memory=1, others=others)
    pages, beside = (9, "small") if site == "site" else (1, "site")
    return Sample(program=GIT_OKF, step=step, site=site, pages=pages, cost=cost, beside=beside)


STARTS = [took(ONE_CORE, 2, site="small"), took(BUILD, 2, site="small")]


def test_runs_are_compared_by_the_clock_only_where_the_machine_was_theirs() -> None:
    cores = next(budget for budget in BUDGETS if budget.timed and budget.kind is not Kind.TOLD)
    gains = {"site": [1.5]}
    quiet = Results([*STARTS, took(ONE_CORE, 4), took(BUILD, 9, 0.1)], gains=gains)
    assert verdict(cores, quiet, "site", "small").word is Word.FAILED
    crowded = Results([*STARTS, took(ONE_CORE, 4), took(BUILD, 9, 0.5)], gains=gains)
    assert verdict(cores, crowded, "site", "small").word is Word.UNKNOWN


def test_what_two_cores_gain_is_judged_a_page_and_by_what_the_machine_has() -> None:
    told, judged = (budget for budget in BUDGETS if budget.timed)
    threads_of_one_core = Results([*STARTS, took(ONE_CORE, 8), took(BUILD, 7)], gains={"site": [1.25]})
    raw, a_page = (verdict(budget, threads_of_one_core, "site", "small") for budget in (told, judged))
    assert (raw.word, raw.is_behind, a_page.word, a_page.is_behind) == (Word.TOLD, True, Word.KEPT, False)
    assert raw.value == pytest.approx(8 / 7)
    assert a_page.value == pytest.approx(6 / 5 / 1.25)


def test_two_cores_are_judged_by_the_best_round() -> None:
    _, judged = (budget for budget in BUDGETS if budget.timed)
    slow = [took(ONE_CORE, 16), took(BUILD, 16), took(ONE_CORE, 2, site="small"), took(BUILD, 2, site="small")]
    twice = Results([*STARTS, took(ONE_CORE, 8), took(BUILD, 7), *slow], gains={"site": [1.25, 2.0]})
    assert verdict(judged, twice, "site", "small").value == pytest.approx(6 / 5 / 1.25)


def test_sites_take_turns_until_all_have_ended() -> None:
    done: list[str] = []

    def rounds(name: str, count: int) -> Iterator[None]:
        for turn in range(count):
            done.append(f"{name}{turn}")
            yield

    in_turns(rounds(name, count) for name, count in (("a", 1), ("b", 3), ("c", 0)))
    assert done == ["a0", "b0", "b1", "b2"]


def test_cores_are_worth_the_work_that_is_done_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = {1: 2.0, 2: 3.2}
    monkeypatch.setattr(cores, "_seconds", lambda pages, where: seconds[len(where)])
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0, 1, 5})
    assert cores.speedup(2) == 1.25


def test_the_work_that_cores_are_measured_by_is_done() -> None:
    assert cores._seconds(cores._pages()[:1], sorted(os.sched_getaffinity(0))[:1]) > 0


def test_the_table_has_a_column_a_site_and_marks_what_is_behind() -> None:
    late = replace(MOST, figure=lambda r, site, small: 5.0 if site == "two" else 2.0)
    found = verdicts_of(late)
    table = budget_table(found, "bench quick")
    assert "| CPU, against a peer | at most 3x | 2.00x | **5.00x** |" in table.splitlines()
    assert "`bench quick`" in table
    assert [row[-1] for row in verdict_rows(found)] == ["kept", "failed"]


def verdicts_of(budget: Budget) -> list[Verdict]:
    return [verdict(budget, Results(), site, "small") for site in ("one", "two")]


def test_numbers_have_three_digits() -> None:
    assert [number(n) for n in (0, 0.123, 1.5, 12.34, 123.4, 12345.6)] == ["0", "0.12", "1.50", "12.3", "123", "12,346"]


def test_the_readme_has_every_budget_with_its_limit_and_what_was_measured() -> None:
    readme = README.read_text(encoding="utf-8")
    rows = {what: cells for what, *cells in map(cells_of, readme.splitlines()) if cells}
    for what, limit, *_ in map(cells_of, budget_table(verdicts(Results(), ["site"], "small"), "").splitlines()[2:-2]):
        told, *measured = rows[what]
        assert told == limit
        assert any(measured), what
    assert "\nMade by `python -m tests.bench full " in readme


def cells_of(line: str) -> list[str]:
    """Of a row of a table; of any other line one."""
    return [cell.strip() for cell in line.strip("|").split("|")]
