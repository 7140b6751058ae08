"""`--time-budget`: what is certain is committed, the rest is retained, and the next run begins with the rest."""

from __future__ import annotations

import json

from scenario import Docs, paths

SLOW = 0.15


def configured(docs: Docs) -> None:
    text = f"version: 1\nsources: {{docs: {{url: '{docs.url}', bundle: docs, concurrency: 1}}}}\n"
    docs.repo.commit("configuration", {".okf.yaml": text})


def asked(docs: Docs) -> list[str]:
    """The pages in the order they were asked for, each once; not the start page."""
    return list(dict.fromkeys(r.path for r in docs.site.requests("/docs/p*")))


def test_a_first_run_that_has_to_stop_commits_what_it_has_and_the_next_begins_with_the_rest(docs: Docs) -> None:
    docs.put(*(f"p{number}" for number in range(8)))
    configured(docs)
    slow = docs.site.fault("/docs/p*", delay=SLOW)
    first = docs.sync("--time-budget", "0.5s", code=3)
    assert 1 <= len(first["added"]) < 9
    assert {item["reason"] for item in first["retained"]} == {"the time budget is used up"}
    assert docs.concepts() == first["added"]
    docs.site.heal(slow)
    docs.site.forget()
    second = docs.sync()
    assert len(second["added"]) == 9 - len(first["added"])
    done = {path.removeprefix("pages").removesuffix(".md") for path in first["added"]}
    assert not done & set(asked(docs)[: len(second["added"])])
    docs.quiet()


def test_known_pages_that_were_not_reached_come_first_next_time(docs: Docs) -> None:
    names = [f"p{number}" for number in range(8)]
    docs.put(*names)
    configured(docs)
    docs.sync()
    docs.put(*names, version=2)
    slow = docs.site.fault("/docs/p*", delay=SLOW)
    docs.site.forget()
    first = docs.sync("--time-budget", "0.5s", code=3)
    assert 1 <= len(first["updated"]) < 8 and first["removed"] == []
    late = [item["path"] for item in first["retained"]]
    assert sorted(first["updated"] + late) == paths(*names)
    docs.site.heal(slow)
    docs.site.forget()
    assert docs.sync()["updated"] == late
    assert sorted(asked(docs)[: len(late)]) == [f"/docs/{name}" for name in names if paths(name)[0] in late]
    docs.quiet()


def test_runs_that_never_have_enough_time_get_there_in_the_end(docs: Docs) -> None:
    docs.put(*(f"p{number}" for number in range(8)))
    configured(docs)
    docs.site.fault("/docs/p*", delay=SLOW)
    for _ in range(20):
        ran = docs.run("sync", "--time-budget", "0.6s", "--json")
        assert ran.code in (0, 3), ran.err
        if len(docs.concepts()) == 9:
            break
    assert len(docs.concepts()) == 9
    assert json.loads(ran.out)["sources"][0]["removed"] == []


def test_what_a_budget_left_behind_counts_against_max_pages(docs: Docs) -> None:
    docs.put(*(f"p{number}" for number in range(8)))
    text = f"version: 1\nsources: {{docs: {{url: '{docs.url}', bundle: docs, concurrency: 1, max_pages: 5}}}}\n"
    docs.repo.commit("configuration", {".okf.yaml": text})
    slow = docs.site.fault("/docs/p*", delay=SLOW)
    first = docs.sync("--time-budget", "0.2s", code=3)
    assert len(first["added"]) + len(first["retained"]) <= 5
    docs.site.heal(slow)
    docs.sync()
    assert len(docs.concepts()) == 5
