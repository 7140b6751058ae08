"""The guards, end to end: who passes, what an abort says, and that it wrote nothing."""

from __future__ import annotations

import json

import pytest
from scenario import Docs, assert_same, everything, paths


def site_of(docs: Docs, count: int) -> list[str]:
    """A bundle of so many pages, the start page among them; the names of the others."""
    names = [f"p{i:02}" for i in range(count - 1)]
    docs.build(*names)
    return names


def shrink(docs: Docs, names: list[str], found: int) -> None:
    """A site of which only so many pages are left, the start page among them."""
    docs.drop(*names[found - 1 :])


@pytest.mark.parametrize("found", [15, 3, 20])
def test_of_42_pages_fewer_than_half_found_aborts(docs: Docs, found: int) -> None:
    names = site_of(docs, 42)
    shrink(docs, names, found)
    before = everything(docs.repo)
    report = docs.sync(code=1)
    assert_same(before, everything(docs.repo))
    assert report["result"] == "aborted"
    assert report["guard"] == {"name": "page-count", "limit": 21.0, "actual": found, "total": 42}
    assert (report["found"], report["known"], report["commit"]) == (found, 42, None)


@pytest.mark.parametrize("found", [40, 21])
def test_of_42_pages_half_or_more_found_passes(docs: Docs, found: int) -> None:
    names = site_of(docs, 42)
    shrink(docs, names, found)
    report = docs.sync()
    assert len(report["removed"]) == 42 - found
    assert docs.subject == f"sync: +0 -{42 - found} =0 (docs)"
    assert len(docs.concepts()) == found


def test_del_05_a_bundle_of_up_to_four_pages_is_not_guarded(docs: Docs) -> None:
    names = site_of(docs, 3)
    shrink(docs, names, 1)
    assert len(docs.sync()["removed"]) == 2
    docs.put("x", "y", "z")
    docs.sync()
    docs.drop("x", "y", "z")
    assert len(docs.sync()["removed"]) == 3


@pytest.mark.parametrize(("found", "code"), [(60, 0), (50, 0), (40, 1)])
def test_of_100_pages(docs: Docs, found: int, code: int) -> None:
    names = site_of(docs, 100)
    shrink(docs, names, found)
    docs.sync(code=code)


def test_an_abort_says_how_many_were_found_and_what_to_check_in_order(docs: Docs) -> None:
    names = site_of(docs, 10)
    shrink(docs, names, 4)
    ran = docs.run("sync")
    assert ran.code == 1
    assert ran.out == ""
    assert ran.err[ran.err.index("error: ") :] == (
        "error: docs: only 4 pages found, 10 are known: the page-count guard stopped the sync, because fewer than 5 "
        "were found. Nothing was written.\n"
        "  check, in this order:\n"
        f"  1. the network: curl -I {docs.url}\n"
        "  2. whether the site is down, moved, or shows a block or login page\n"
        "  3. whether robots.txt forbids the pages now (`robots: false` in .okf.yaml ignores it)\n"
        "  4. if the site really changed so much: git okf sync docs --force\n"
    )


def test_del_04_an_abort_writes_nothing_at_all(docs: Docs) -> None:
    names = site_of(docs, 12)
    docs.repo.commit("mine", {"mine.txt": "mine\n"})
    docs.repo.write("mine.txt", "edited\n")
    docs.repo.write("staged.txt", "staged\n")
    docs.repo.git("add", "staged.txt")
    docs.put(names[0], version=2)
    docs.put("new")
    docs.drop(*names[2:])
    before = everything(docs.repo)
    docs.sync(code=1)
    assert_same(before, everything(docs.repo))
    docs.sync(code=1)
    assert_same(before, everything(docs.repo))


def test_force_takes_what_the_aborted_run_fetched_without_a_second_crawl(docs: Docs) -> None:
    names = site_of(docs, 12)
    docs.put(names[0], names[1], version=2)
    docs.drop(*names[3:])
    docs.sync(code=1)
    docs.site.forget()
    report = docs.sync("--force")
    assert docs.subject == "sync: +0 -8 =2 (docs)"
    assert report["updated"] == paths(*names[:2])
    assert docs.site.bodies("/docs/p*") == 0
    docs.quiet()


def test_del_04_force_counts_once_and_is_not_remembered(docs: Docs) -> None:
    names = site_of(docs, 12)
    docs.drop(*names[4:])
    docs.sync("--force")
    assert len(docs.concepts()) == 5
    docs.drop(*names[1:4])
    docs.sync(code=1)
    assert len(docs.concepts()) == 5


def test_a_plain_run_after_an_abort_asks_the_site_anew(docs: Docs) -> None:
    names = site_of(docs, 12)
    gone = [docs.texts[name] for name in names[3:]]
    docs.put(names[0], version=2)
    docs.drop(*names[3:])
    docs.sync(code=1)
    for name, text in zip(names[3:], gone, strict=True):
        docs.put(name, text=text)
    docs.put(names[0], version=3)
    report = docs.sync()
    assert (report["updated"], report["removed"]) == (paths(names[0]), [])
    assert "version 3" in docs.file(names[0]).read_text()


def test_one_guard_is_passed_by_its_name(docs: Docs) -> None:
    names = site_of(docs, 10)
    shrink(docs, names, 4)
    docs.sync("--allow", "collapse", code=1)
    assert len(docs.sync("--allow", "page-count")["removed"]) == 6


@pytest.mark.parametrize(("threshold", "code"), [("0.2", 0), ("0.5", 1), ("0", 0), ("0.9", 1)])
def test_threshold_counts_for_one_run(docs: Docs, threshold: str, code: int) -> None:
    names = site_of(docs, 10)
    shrink(docs, names, 4)
    docs.sync("--threshold", threshold, code=code)
    assert "threshold" not in (docs.repo.path / ".okf.yaml").read_text()


def test_the_threshold_of_the_configuration_counts(docs: Docs) -> None:
    docs.put(*(f"p{i}" for i in range(9)))
    docs.ok("build", docs.url, "-o", "docs", "--threshold", "0.95")
    docs.drop("p8")
    docs.sync(code=1)
    docs.sync("--threshold", "0.9")


def configure(docs: Docs, lines: str) -> None:
    file = docs.repo.path / ".okf.yaml"
    docs.repo.commit("configure", {".okf.yaml": file.read_text() + lines})


@pytest.mark.parametrize("limit", ["max_removed: 2", "max_removed_share: 0.25"])
def test_max_removed_aborts_above_its_limit(docs: Docs, limit: str) -> None:
    names = site_of(docs, 10)
    configure(docs, f"    removal: {{{limit}}}\n")
    docs.drop(*names[:2])
    docs.sync()
    docs.drop(*names[2:5])
    before = everything(docs.repo)
    report = docs.sync(code=1)
    assert_same(before, everything(docs.repo))
    assert (report["guard"]["name"], report["guard"]["actual"]) == ("max-removed", 3)
    assert "git okf sync docs --force" in report["error"]["hint"]
    assert len(docs.sync("--force")["removed"]) == 3


def test_lookalike_pages_abort_and_force_is_not_enough(docs: Docs) -> None:
    """A login page that says nothing of the kind is a page like any other, except that there are so many of it."""
    names = site_of(docs, 10)
    for name in names[:4]:
        docs.put(name, text="Our service moved to a new platform, where everything will be better than it was before.")
        page = docs.site.pages[f"/docs/{name}"].body
        docs.site.page(f"/docs/{name}", page.replace(f"<h1>{name}</h1>".encode(), b"<h1>Welcome</h1>"))
    before = everything(docs.repo)
    ran = docs.run("sync", "--json", "--force")
    assert ran.code == 1
    report = json.loads(ran.out)["sources"][0]
    assert_same(before, everything(docs.repo))
    assert report["guard"]["name"] == "lookalike"
    assert "git okf sync docs --allow lookalike" in report["error"]["hint"]
    assert docs.sync("--allow", "lookalike")["updated"] == paths(*names[:4])


def test_a_collapse_of_most_pages_aborts(docs: Docs) -> None:
    names = [f"p{i:02}" for i in range(9)]
    for name in names:
        docs.put(name, text=f"All about {name}. " + " ".join(f"{name} has a fact number {i}." for i in range(60)))
    docs.ok("build", docs.url, "-o", "docs")
    for name in names[:7]:
        docs.put(name, text=f"The page about {name} is short now, and there is little more to it than these words.")
    before = everything(docs.repo)
    report = docs.sync(code=1)
    assert_same(before, everything(docs.repo))
    assert report["guard"]["name"] == "collapse"
    assert docs.sync("--allow", "collapse")["updated"] == paths(*names[:7])
