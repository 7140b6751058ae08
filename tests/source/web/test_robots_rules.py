"""robots.txt and noindex: obeyed, and never taken for a deletion."""

from __future__ import annotations

import pytest
from observing import Docs, document, found, paths, small_site

from git_okf.errors import SourceUnavailable, UsageError
from git_okf.model import Ignored


def test_url_09_a_disallowed_seed_is_refused_with_the_way_out(docs: Docs) -> None:
    small_site(docs)
    docs.site.page("/robots.txt", "User-agent: *\nDisallow: /\n", type="text/plain")
    with pytest.raises(UsageError) as refused:
        docs.look()
    assert "--no-robots" in refused.value.hint
    assert docs.asked() == []
    assert len(found(docs.look(robots=False))) == 4


def test_url_09_pages_that_become_disallowed_are_kept(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.site.page("/robots.txt", "User-agent: *\nDisallow: /\n", type="text/plain")
    seen = docs.sync()
    assert {type(o) for o in seen.outcomes.values()} == {Ignored}
    assert docs.asked() == []
    assert docs.delta.removed == ()
    assert not seen.complete


@pytest.mark.parametrize("status", [429, 500, 503, 501])
def test_url_09_robots_that_cannot_be_had_stop_the_run(docs: Docs, status: int) -> None:
    small_site(docs)
    docs.site.fault("/robots.txt", status=status)
    with pytest.raises(SourceUnavailable):
        docs.look()
    assert docs.asked() == []


def test_url_09_html_in_place_of_robots_allows_everything(docs: Docs) -> None:
    small_site(docs)
    docs.site.page("/robots.txt", document("Not found"))
    assert len(found(docs.look())) == 4


def test_noindex_is_obeyed_and_links_are_followed(docs: Docs) -> None:
    docs.page("/", "/list", "/sealed")
    docs.site.page("/list", document("list", ["/deep"], head='<meta name="robots" content="noindex">'))
    docs.page("/deep")
    docs.page("/sealed", "/below", X_Robots_Tag="noindex, nofollow")
    docs.page("/below")
    seen = docs.sync()
    assert paths(docs, seen) == {"/", "/deep"}
    docs.sync()
    assert docs.site.bodies() == 0
    assert paths(docs, docs.look()) == {"/", "/deep"}


def test_a_known_page_that_turns_noindex_is_kept(docs: Docs) -> None:
    small_site(docs)
    docs.sync()
    docs.page("/api/", "/", X_Robots_Tag="noindex", version=2)
    seen = docs.sync()
    assert isinstance(seen.outcomes[docs.key("/api/")], Ignored)
    assert docs.delta.removed == ()
