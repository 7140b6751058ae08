"""Pages that only a browser can render, rendered by one."""

from __future__ import annotations

import pytest
from observing import Bodies, Docs, paragraph, paths

from git_okf.errors import ConfigError
from git_okf.model import Failed, Fetched
from git_okf.source.web.browser import VARIABLE
from git_okf.source.web.site import WebSite

SHELL = (
    '<!doctype html><html><head><title>App</title></head><body><div id="root"></div>'
    '<script src="/app.js"></script></body></html>'
)
APP = """
const path = location.pathname;
fetch('/data' + (path === '/' ? '/home' : path) + '.json').then(answer => answer.json()).then(page => {
  document.title = page.title;
  document.getElementById('root').innerHTML =
    '<main><h1>' + page.title + '</h1><p>' + page.text + '</p>' + page.links.map(link =>
      '<a href="' + link + '">' + link + '</a>').join(' ') + '</main><img src="/big.png">';
});
"""


def app(docs: Docs, *names: str) -> None:
    """A single-page application: every path is the same shell, the content comes as JSON."""
    docs.options = {"browser": True, "concurrency": 2}
    docs.site.page("/", SHELL)
    docs.site.page("/app.js", APP, type="text/javascript")
    data(docs, "home", links=[f"/{name}" for name in names])
    for name in names:
        docs.site.page(f"/{name}", SHELL)
        data(docs, name)


def data(docs: Docs, name: str, version: int = 1, links: list[str] | None = None) -> None:
    text = f'{{"title": "{name}", "text": "{paragraph(name, version)}", "links": {links or []}}}'
    docs.site.page(f"/data/{name}.json", text.replace("'", '"'), type="application/json")


def test_what_scripts_make_of_a_page_is_the_page(docs: Docs) -> None:
    app(docs, "one", "two")
    spool = Bodies()
    seen = docs.sync(spool=spool)
    assert paths(docs, seen) == {"/", "/one", "/two"}
    outcome = seen.outcomes[docs.key("/one")]
    assert isinstance(outcome, Fetched)
    assert outcome.title == "one"
    assert paragraph("one") in spool.get(outcome.content_hash)
    assert docs.asked("/big.png") == [], "pictures are not needed for the text"
    assert docs.asked("/app.js") == ["/app.js"], "a script is fetched once a run"
    quiet = docs.sync()
    assert quiet.counters.extracted == 0
    assert docs.delta.unchanged == 3


def test_without_a_browser_the_hint_says_what_it_takes(docs: Docs) -> None:
    app(docs, "one")
    with pytest.raises(Exception, match="browser: true"):
        docs.look(browser=False)


def test_a_change_behind_an_unchanged_shell_is_seen(docs: Docs) -> None:
    app(docs, "one")
    docs.sync()
    data(docs, "one", version=2)
    docs.sync()
    assert [change.key for change in docs.delta.updated] == [docs.key("/one")]


def test_the_browser_reaches_nothing_but_through_the_client(docs: Docs) -> None:
    app(docs, "one")
    attack = """
      fetch('http://169.254.169.254/latest/meta-data/').then(a => a.text()).then(t => { document.title = 'leaked'; });
      fetch('http://localhost:%s/secret').then(a => a.text()).then(t => { document.title = 'leaked'; });
      fetch('/change', {method: 'POST', body: 'x'});
      new WebSocket('ws://127.0.0.1:%s/socket');
    """ % ((docs.site.url.rsplit(":", 1)[1].rstrip("/"),) * 2)
    docs.site.page("/secret", "secret", type="text/plain", Access_Control_Allow_Origin="*")
    docs.site.page("/app.js", attack + APP, type="text/javascript")
    seen = docs.look()
    assert paths(docs, seen) == {"/", "/one"}
    assert docs.asked("/secret") == docs.asked("/change") == docs.asked("/socket") == []
    assert not any(isinstance(o, Fetched) and o.title == "leaked" for o in seen.outcomes.values())


def test_a_script_that_goes_elsewhere_is_a_redirect(docs: Docs) -> None:
    app(docs, "one", "two")
    docs.site.page("/one", "<html><body><script>location.href = '/two';</script></body></html>")
    seen = docs.look()
    assert paths(docs, seen) == {"/", "/two"}


def test_a_page_that_never_ends_is_a_failure_of_that_page(docs: Docs) -> None:
    app(docs, "one", "two")
    docs.sync()
    docs.site.page("/one", "<html><body><script>while (true) {}</script></body></html>")
    seen = docs.sync(page_timeout=4.0)
    assert isinstance(seen.outcomes[docs.key("/one")], Failed)
    assert isinstance(seen.outcomes[docs.key("/two")], Fetched)
    assert docs.delta.removed == ()


def test_nothing_goes_from_one_page_to_the_next(docs: Docs) -> None:
    app(docs, "one", "two")
    count = """
      const visits = Number(localStorage.visits || 0) + 1; localStorage.visits = visits;
      document.cookie = 'visits=' + visits; const before = visits;
    """
    docs.site.page(
        "/app.js", count + APP.replace("page.text", "page.text + ' visits ' + before"), type="text/javascript"
    )
    spool = Bodies()
    docs.look(spool=spool)
    assert all("visits 1" in body for body in spool.bodies.values())
    assert {r.headers.get("cookie") for r in docs.site.requests()} == {None}


def test_a_missing_browser_says_what_to_install(docs: Docs) -> None:
    app(docs)
    source = docs.source()
    with pytest.raises(ConfigError, match="Chromium does not start") as refused:
        docs.observe(WebSite(source, {VARIABLE: "/nonexistent/chromium"}))
    assert "apt-get install chromium" in refused.value.hint
