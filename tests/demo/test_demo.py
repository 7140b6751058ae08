from __future__ import annotations

import re
import urllib.error
import urllib.request
from urllib.parse import urljoin, urlsplit

import pytest

from git_okf.demo import FAILING, MOVED, pages, serve


def test_the_second_version_shows_every_kind_of_change() -> None:
    first, second = pages(1), pages(2)
    assert len(first) == 14
    assert sorted(second.keys() - first.keys()) == [
        "/concepts/retention.html", "/guide/docker.html", "/guide/troubleshooting.html"
    ]  # fmt: skip
    assert sorted(first.keys() - second.keys()) == ["/faq.html", "/guide/upgrade.html"]
    both = first.keys() & second.keys()
    edited = [path for path in both if _article(first[path]) != _article(second[path])]
    assert len(edited) == 5
    assert all(first[path] != second[path] for path in both)


def _article(page: bytes) -> bytes:
    return page.partition(b"<article>")[2].partition(b"</article>")[0]


@pytest.mark.parametrize("version", [1, 2])
def test_every_link_leads_to_a_page(version: int) -> None:
    served = pages(version)
    for path, body in served.items():
        for target in re.findall(r'href="([^"]+)"', body.decode()):
            assert urlsplit(urljoin("http://x" + path, target)).path in served, (path, target)


@pytest.mark.parametrize("version", [1, 2])
def test_every_page_can_be_reached_by_links(version: int) -> None:
    served, reached, waiting = pages(version), {"/"}, ["/"]
    while waiting:
        path = waiting.pop()
        for target in re.findall(r'href="([^"]+)"', served[path].decode()):
            found = urlsplit(urljoin("http://x" + path, target)).path
            if found not in reached:
                reached.add(found)
                waiting.append(found)
    assert reached == served.keys()


def test_the_site_answers_304_and_changes_while_it_is_served() -> None:
    with serve() as site:
        with urllib.request.urlopen(site.url + "guide/") as answer:
            etag = answer.headers["ETag"]
        asked = urllib.request.Request(site.url + "guide/", headers={"If-None-Match": etag})
        with pytest.raises(urllib.error.HTTPError) as unchanged:
            urllib.request.urlopen(asked)
        assert unchanged.value.code == 304
        unchanged.value.close()
        site.version = 2
        with urllib.request.urlopen(asked) as answer:
            assert answer.status == 200
        with urllib.request.urlopen(site.url + "faq.html") as answer:
            assert urlsplit(answer.url).path == MOVED["/faq.html"]
        for path in FAILING:
            with pytest.raises(urllib.error.HTTPError) as failed:
                urllib.request.urlopen(site.url + path.lstrip("/"))
            assert failed.value.code == 403
            failed.value.close()
        assert (site.requests, site.bodies) == (6, 3)


def test_there_is_no_third_version() -> None:
    with pytest.raises(ValueError, match="versions"), serve(3):
        pass
