"""What was measured, and the few statistics made of it. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """One run of one program, all its processes together."""

    cpu: float
    """Seconds, user and system."""
    wall: float
    """Seconds until the program itself had ended."""
    memory: float
    """MB at the peak: the largest process, or the sum of all processes' proportional shares, whichever is more."""
    others: float = 0.0
    """Share of the machine that neither this run nor its server used."""
    requests: int = 0
    bodies: int = 0
    """Answers 200 that had a body."""
    body_kb: float = 0.0
    objects: int = 0
    """Added to git."""
    git_kb: float = 0.0
    """Added to git's objects, bytes of files."""
    extracted: int | None = None
    """Pages, where the program says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A cost and where it belongs."""

    program: str
    step: str
    site: str
    pages: int
    cost: Cost
    beside: str = ""
    """Another site with which it took turns."""


class NotMeasured(Exception):
    """What a figure is made of was not measured in this campaign; the text says what."""


@dataclass(slots=True)
class Results:
    """All samples of a campaign, in the order in which they were taken."""

    samples: list[Sample] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    """Programs that could not be run -> why."""
    facts: dict[str, float] = field(default_factory=dict)
    """Single figures that no repetition changes, by name."""
    gains: dict[str, list[float]] = field(default_factory=dict)
    """By site: how many times as much two bare processes did at once as one alone, in every round of its builds."""

    def costs(self, program: str, step: str, site: str) -> list[Cost]:
        """Raises NotMeasured where there are none."""
        found = [s.cost for s in self.samples if (s.program, s.step, s.site) == (program, step, site)]
        if not found:
            why = self.missing.get(f"{program} {step}", f"{program}: no {step} of {site}")
            raise NotMeasured(self.missing.get(program, why))
        return found

    def pages(self, site: str) -> int:
        """Of a site. Raises NotMeasured where there is no sample of it."""
        for sample in self.samples:
            if sample.site == site:
                return sample.pages
        raise NotMeasured(site)

    def sites(self) -> list[str]:
        return list(dict.fromkeys(sample.site for sample in self.samples))

    def runs(self, site: str) -> list[tuple[str, str]]:
        """Step and program of what was measured on a site, in the order of the campaign."""
        return list(dict.fromkeys((s.step, s.program) for s in self.samples if s.site == site))

    def best(self, program: str, step: str, site: str, what: str) -> float:
        """The least of all runs: what the run costs when nothing disturbs it. Raises NotMeasured."""
        return min(self._values(program, step, site, what))

    def middle(self, program: str, step: str, site: str, what: str) -> float:
        """The median. Raises NotMeasured."""
        return median(self._values(program, step, site, what))

    def _values(self, program: str, step: str, site: str, what: str) -> list[float]:
        values = [getattr(cost, what) for cost in self.costs(program, step, site)]
        if None in values:
            raise NotMeasured(f"{program} does not say {what}")
        return values

    def a_page(self, program: str, step: str, large: str, small: str, what: str = "cpu") -> float:
        """What one more page costs: start-up, which both sites pay, cancels out. Of the small site the runs that took
        turns with the large one: a machine is not as fast at every time."""
        turns = self._beside(large, small)
        more = turns.best(program, step, large, what) - turns.best(program, step, small, what)
        return more / (self.pages(large) - self.pages(small))

    def a_page_each_round(self, program: str, step: str, large: str, small: str, what: str) -> list[float]:
        """The same of every round by itself."""
        turns = self._beside(large, small)
        both = zip(turns._values(program, step, large, what), turns._values(program, step, small, what), strict=False)
        return [(more - less) / (self.pages(large) - self.pages(small)) for more, less in both]

    def _beside(self, large: str, small: str) -> Results:
        return replace(self, samples=[s for s in self.samples if s.site != small or s.beside == large])

    def undisturbed(self, steps: Iterable[tuple[str, str]], site: str, share: float) -> bool:
        """Whether each of these steps had the machine to itself in one run at least."""
        return all(min(c.others for c in self.costs(program, step, site)) <= share for program, step in steps)

    def as_json(self) -> dict[str, Any]:
        return {
            "samples": [asdict(s) for s in self.samples],
            "missing": self.missing,
            "facts": self.facts,
            "gains": self.gains,
        }


def ratio(above: float, below: float) -> float:
    """Raises NotMeasured where one of both is within what disturbs a run."""
    if above <= 0 or below <= 0:
        raise NotMeasured("lost in what disturbed the runs")
    return above / below


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """The x of `cost ~ pages ** x`, by least squares on the logarithms. NotMeasured for fewer than two sizes."""
    logs = [(math.log(pages), math.log(cost)) for pages, cost in points if pages > 0 and cost > 0]
    if len({pages for pages, _ in logs}) < 2:
        raise NotMeasured("one size has no growth")
    middle_x, middle_y = (sum(values) / len(logs) for values in zip(*logs, strict=True))
    together = math.fsum((x - middle_x) * (y - middle_y) for x, y in logs)
    return together / math.fsum((x - middle_x) * (x - middle_x) for x, _ in logs)
