from __future__ import annotations

import pytest
from bench.figures import Cost, NotMeasured, Results, Sample, exponent, ratio


def sample(
    cpu: float,
    *,
    program: str = "git-okf",
    site: str = "large",
    pages: int = 100,
    beside: str = "",
    **more: float,
) -> Sample:
    cost = Cost(cpu=cpu, wall=cpu, memory=10, **more)  # type: ignore[arg-type]
    return Sample(program=program, step="quiet", site=site, pages=pages, cost=cost, beside=beside)


def test_the_best_run_and_the_middle_one() -> None:
    results = Results([sample(3), sample(1), sample(9)])
    assert results.best("git-okf", "quiet", "large", "cpu") == 1
    assert results.middle("git-okf", "quiet", "large", "cpu") == 3


def test_start_up_cancels_out_of_what_a_page_costs() -> None:
    results = Results([sample(1.0, pages=110), sample(0.5, site="small", pages=10, beside="large")])
    assert results.a_page("git-okf", "quiet", "large", "small") == pytest.approx(0.005)


def test_what_a_page_costs_is_told_by_runs_that_took_turns() -> None:
    """While another site was measured the machine was twice as fast."""
    then, now = (
        sample(0.25, site="small", pages=10, beside="other"),
        sample(0.5, site="small", pages=10, beside="large"),
    )
    results = Results([then, sample(1.0, pages=110), now])
    assert results.a_page("git-okf", "quiet", "large", "small") == pytest.approx(0.005)


def test_what_a_page_costs_in_each_round() -> None:
    small = [sample(cpu, site="small", pages=10, beside="large") for cpu in (0.5, 1.0)]
    results = Results([*small, sample(1.0, pages=110), sample(2.0, pages=110), sample(9.0, pages=110)])
    each = results.a_page_each_round("git-okf", "quiet", "large", "small", "cpu")
    assert each == pytest.approx([0.005, 0.01])


def test_what_was_not_measured_says_why() -> None:
    results = Results([sample(1)], missing={"okf-kit": "it is not installed", "scrapy quiet": "it failed"})
    with pytest.raises(NotMeasured, match="it is not installed"):
        results.best("okf-kit", "quiet", "large", "cpu")
    with pytest.raises(NotMeasured, match="it failed"):
        results.best("scrapy", "quiet", "large", "cpu")
    with pytest.raises(NotMeasured, match="does not say extracted"):
        results.best("git-okf", "quiet", "large", "extracted")
    with pytest.raises(NotMeasured):
        results.pages("elsewhere")


def test_a_step_is_undisturbed_where_one_run_of_it_was() -> None:
    results = Results([sample(1, others=0.5), sample(1, others=0.1)])
    assert results.undisturbed([("git-okf", "quiet")], "large", 0.15)
    assert not results.undisturbed([("git-okf", "quiet")], "large", 0.05)


def test_the_exponent_of_growth() -> None:
    assert exponent([(10, 3), (100, 30), (1000, 300)]) == pytest.approx(1)
    assert exponent([(10, 7), (100, 7)]) == pytest.approx(0)
    assert exponent([(10, 1), (100, 100)]) == pytest.approx(2)
    with pytest.raises(NotMeasured):
        exponent([(10, 1), (10, 2), (100, 0)])


@pytest.mark.parametrize(("above", "below"), [(3, 0), (3, -1), (-1, 3), (0, 3)])
def test_what_is_lost_in_noise_is_no_ratio(above: float, below: float) -> None:
    assert ratio(3, 2) == 1.5
    with pytest.raises(NotMeasured):
        ratio(above, below)
