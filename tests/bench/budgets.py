"""What git-okf may cost, and whether it does. Pure.

A budget is a ratio against another program in the same campaign, or an amount that depends on no clock. Both are
judged. Seconds are told beside their limit and never judged: they say more about the machine than about the program.

So do two cores: where they are the threads of one core, as in most rented machines, both get slower when both work. So
CPU is compared where each program has one core, and what two cores gain is judged by what two bare processes gain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from .figures import NotMeasured, Results, ratio
from .programs import (
    BARE,
    BUILD,
    GIT_OKF,
    LOG,
    NO_VALIDATORS,
    OKF_KIT,
    ONE_CHANGE,
    ONE_CORE,
    QUIET,
    SHOW,
    STATUS,
    VERIFY,
)

SLACK = 4 / 3
"""A budget fails where it is missed by more than a third."""
CROWDED = 0.15
"""Share of the machine that others may use while two runs are compared by the clock on the wall."""


class Kind(StrEnum):
    """How a budget is judged."""

    RATIO = "ratio"
    AMOUNT = "amount"
    TOLD = "told"
    """Not at all: it says more about the machine."""


class Word(StrEnum):
    """What became of a budget."""

    KEPT = "kept"
    MISSED = "missed"
    """By a third at most."""
    OWED = "owed"
    """By more, as it is known to be."""
    FAILED = "failed"
    TOLD = "told"
    """Not judged."""
    UNKNOWN = "not measured"


Figure = Callable[[Results, str, str], float]
"""Of the results, the site, and a site of a few pages that costs the start alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """One line of the table of budgets."""

    what: str
    against: str
    limit: float
    figure: Figure
    at_least: bool = False
    kind: Kind = Kind.RATIO
    unit: str = "x"
    owed: float | None = None
    """Where the budget is not kept yet: what is. It fails where that gets worse by more than a third."""
    timed: tuple[tuple[str, str], ...] = ()
    """Runs compared by the clock, which need the machine to themselves: (program, step)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A budget, what was measured on a site, and what that means."""

    budget: Budget
    site: str
    value: float | None
    word: Word
    reason: str = ""

    @property
    def is_behind(self) -> bool:
        """Whether the limit is not kept, by however little, and judged or not."""
        return self.value is not None and not _within(self.budget, self.value, self.budget.limit, 1)


def _cpu(step: str, program: str) -> Figure:
    """CPU a page of git-okf, in that of another program for the same step."""
    return lambda r, site, small: ratio(r.a_page(GIT_OKF, step, site, small), r.a_page(program, step, site, small))


def _less_cpu(step: str, program: str) -> Figure:
    """How many times more CPU a page another program takes."""
    return lambda r, site, small: ratio(r.a_page(program, step, site, small), r.a_page(GIT_OKF, step, site, small))


def _of(step: str, what: str) -> Figure:
    return lambda r, site, _: r.best(GIT_OKF, step, site, what)


def _build_cpu(r: Results, site: str, small: str) -> float:
    """How many times more CPU a page okf-kit takes, each on one core."""
    return ratio(r.a_page(OKF_KIT, ONE_CORE, site, small), r.a_page(GIT_OKF, ONE_CORE, site, small))


def _cores(r: Results, site: str, _: str) -> float:
    return ratio(r.best(GIT_OKF, ONE_CORE, site, "wall"), r.best(GIT_OKF, BUILD, site, "wall"))


def _share_of_cores(r: Results, site: str, small: str) -> float:
    """How many times less time a page takes on two cores, of what two processes gain that need nothing from each other.
    The best round: what cores are worth changes from one to the next."""
    one, two = (r.a_page_each_round(GIT_OKF, step, site, small, "wall") for step in (ONE_CORE, BUILD))
    rounds = zip(one, two, r.gains.get(site, ()), strict=False)
    shares = [alone / both / gain for alone, both, gain in rounds if alone > 0 and both > 0]
    if not shares:
        raise NotMeasured("lost in what disturbed the runs")
    return max(shares)


def _beyond_looking(r: Results, site: str, _: str) -> float:
    """Seconds that one change costs on top of a quiet run."""
    return r.best(GIT_OKF, ONE_CHANGE, site, "wall") - r.best(GIT_OKF, QUIET, site, "wall")


def _most_memory(r: Results, site: str, _: str) -> float:
    steps = [step for step, program in r.runs(site) if program == GIT_OKF]
    if not steps:
        raise NotMeasured(f"{GIT_OKF} on {site}")
    return max(cost.memory for step in steps for cost in r.costs(GIT_OKF, step, site))


def _fact(name: str) -> Figure:
    def figure(r: Results, site: str, _: str) -> float:
        if f"{name}, {site}" not in r.facts:
            raise NotMeasured(name)
        return r.facts[f"{name}, {site}"]

    return figure


def _slowest_look(r: Results, site: str, _: str) -> float:
    return max(r.middle(GIT_OKF, step, site, "cpu") for step in (STATUS, LOG, SHOW))


TIMED = ((GIT_OKF, ONE_CORE), (GIT_OKF, BUILD))

BUDGETS: tuple[Budget, ...] = (
    Budget(what="quiet sync, validators: CPU a page", against=BARE, limit=3, figure=_cpu(QUIET, BARE)),
    Budget(
        what="quiet sync, validators: less CPU a page",
        against=OKF_KIT,
        limit=30,
        figure=_less_cpu(QUIET, OKF_KIT),
        at_least=True,
    ),
    Budget(
        what="quiet sync, validators: bodies",
        against="none",
        limit=0,
        figure=_of(QUIET, "bodies"),
        kind=Kind.AMOUNT,
        unit="",
    ),
    Budget(what="quiet sync, no validators: CPU a page", against=BARE, limit=3, figure=_cpu(NO_VALIDATORS, BARE)),
    Budget(
        what="quiet sync, no validators: pages extracted",
        against="none",
        limit=0,
        figure=_of(NO_VALIDATORS, "extracted"),
        kind=Kind.AMOUNT,
        unit="",
    ),
    Budget(
        what="first build, on one core: less CPU a page",
        against=OKF_KIT,
        limit=3,
        figure=_build_cpu,
        at_least=True,
    ),
    Budget(
        what="first build: faster on two cores",
        against="one core",
        limit=1.6,
        figure=_cores,
        at_least=True,
        kind=Kind.TOLD,
        timed=TIMED,
    ),
    Budget(
        what="first build on two cores: gain a page, of what these gain",
        against="two bare processes",
        limit=0.8,
        figure=_share_of_cores,
        at_least=True,
        timed=TIMED,
    ),
    Budget(
        what="one page changed: added to git",
        against="absolute",
        limit=150,
        figure=_of(ONE_CHANGE, "git_kb"),
        kind=Kind.AMOUNT,
        unit=" kB",
    ),
    Budget(
        what="memory at the peak",
        against="absolute",
        limit=350,
        figure=_most_memory,
        kind=Kind.AMOUNT,
        unit=" MB",
    ),
    Budget(
        what="state, a page",
        against="absolute",
        limit=1000,
        figure=_fact("state bytes a page"),
        kind=Kind.AMOUNT,
        unit=" bytes",
    ),
    Budget(
        what="one page changed: beyond a quiet sync",
        against="absolute",
        limit=0.5,
        figure=_beyond_looking,
        kind=Kind.TOLD,
        unit=" s",
    ),
    Budget(
        what="git okf status: CPU",
        against="absolute",
        limit=0.25,
        figure=lambda r, site, small: r.middle(GIT_OKF, STATUS, small, "cpu"),
        kind=Kind.TOLD,
        unit=" s",
    ),
    Budget(
        what="status, log, show: the slowest, CPU",
        against="absolute",
        limit=0.3,
        figure=_slowest_look,
        kind=Kind.TOLD,
        unit=" s",
    ),
    Budget(
        what="verify of one page: CPU",
        against="absolute",
        limit=0.3,
        figure=lambda r, site, _: r.middle(GIT_OKF, VERIFY, site, "cpu"),
        kind=Kind.TOLD,
        unit=" s",
    ),
)


def verdict(budget: Budget, results: Results, site: str, small: str) -> Verdict:
    """What the results say about a budget on a site."""
    try:
        value = budget.figure(results, site, small)
        crowded = budget.timed and not results.undisturbed(budget.timed, site, CROWDED)
    except NotMeasured as error:
        return Verdict(budget=budget, site=site, value=None, word=Word.UNKNOWN, reason=str(error))
    if crowded:
        reason = "others used the machine at the same time"
        return Verdict(budget=budget, site=site, value=value, word=Word.UNKNOWN, reason=reason)
    return Verdict(budget=budget, site=site, value=value, word=word(budget, value))


def word(budget: Budget, value: float) -> Word:
    """What a value means for a budget."""
    if budget.kind is Kind.TOLD:
        return Word.TOLD
    if _within(budget, value, budget.limit, 1):
        return Word.KEPT
    if _within(budget, value, budget.limit, SLACK):
        return Word.MISSED
    if budget.owed is not None and _within(budget, value, budget.owed, SLACK):
        return Word.OWED
    return Word.FAILED


def _within(budget: Budget, value: float, limit: float, slack: float) -> bool:
    return value >= limit / slack if budget.at_least else value <= limit * slack


def verdicts(results: Results, sites: Iterable[str], small: str) -> list[Verdict]:
    """Of all budgets on all sites."""
    return [verdict(budget, results, site, small) for site in sites for budget in BUDGETS]


JUDGED = (GIT_OKF, BARE, OKF_KIT)
"""Programs that a budget speaks of."""


def failed(found: Iterable[Verdict]) -> list[Verdict]:
    """What fell behind by more than a third; seconds never do."""
    return [v for v in found if v.word is Word.FAILED]
