"""A page that stands in for another is known by what makes it work."""

from __future__ import annotations

import pytest

from git_okf.source.web import judge


def verdict(html: str, *, title: str = "", words: int = 20) -> str:
    return judge.suspicion(judge.look(html.encode()), title=title, words=words)


BLOCKS = {
    "cloudflare": (
        "Just a moment...",
        '<script src="/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1"></script>',
    ),
    "cloudflare inline": ("Just a moment...", "<script>window._cf_chl_opt = {};</script>"),
    "akamai": ("Access Denied", "<h1>Access Denied</h1><p>Reference #18.2d351ab8</p>"),
    "datadome": ("example.com", '<script src="https://ct.captcha-delivery.com/c.js"></script>'),
    "perimeterx": (
        "Access to this page has been denied",
        '<div id="px-captcha"></div><script>window._pxAppId="x"</script>',
    ),
    "imperva": ("", '<iframe src="/_Incapsula_Resource?SWUDNSAI=31"></iframe>'),
    "aws": ("Human Verification", "<script>window.gokuProps = {}</script>"),
    "anubis": ("Making sure you're not a bot!", '<script src="/.within.website/x/cmd/anubis/main.mjs"></script>'),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_page_01_block_pages_are_told_by_their_machinery(name: str) -> None:
    title, body = BLOCKS[name]
    assert verdict(f"<html><body>{body}</body></html>", title=title)


@pytest.mark.parametrize(
    "html",
    [
        "<h1>Challenges</h1><p>Look for <code>/cdn-cgi/challenge-platform/</code> and <code>_cf_chl_opt</code>.</p>",
        '<h1>Just a moment: how challenges work</h1><pre>&lt;script src="/cdn-cgi/challenge-platform/h"&gt;</pre>',
        '<h1>Guide</h1><script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script><p>Text.</p>',
        "<h1>404 Not Found and other statuses of HTTP</h1><p>What they mean.</p>",
        '<h1>Forms</h1><p>A field for passwords:</p><input type="password"><p>And more of it.</p>',
        "<h1>How to log in</h1><p>Go to the log in page and enter your name.</p>",
    ],
)
def test_page_01_an_article_about_such_pages_is_none(html: str) -> None:
    assert verdict(html, title="Handbook", words=60) == ""


def test_a_long_page_may_have_any_title() -> None:
    assert verdict("<h1>404</h1>", title="404 Not Found", words=800) == ""
    assert verdict("<h1>Access denied</h1>", title="Access denied", words=800) == ""


def test_a_login_page_is_told_by_its_form() -> None:
    form = '<h1>Sign in</h1><form action="/session"><input name="u"><input type="password"></form>'
    assert "login" in verdict(form, title="Sign in · Docs")
    assert "login" in verdict("<form><input type='password'></form>", title="Docs", words=4)


@pytest.mark.parametrize(
    "title",
    ["404", "404 Not Found", "Page not found", "Page Not Found | Docs", "Error 404 - Example", "Oops! Page not found",
     "Seite nicht gefunden", "页面不存在", "ページが見つかりません", "This page could not be found.", "410 Gone"],
)  # fmt: skip
def test_a_soft_404_is_told_by_its_title(title: str) -> None:
    assert "error page" in verdict("<h1>Docs</h1>", title=title)


@pytest.mark.parametrize(
    "title",
    ["404 handling", "How to handle not found errors", "Not found handlers", "Found pages", "Lost and found", ""],
)
def test_a_title_that_only_mentions_it_is_none(title: str) -> None:
    assert not judge.not_found(title)


@pytest.mark.parametrize(
    "path", ["login?next=/x", "users/sign_in", "oauth2/authorize?x=1", "accounts/login/", "saml2/x"]
)
def test_urls_of_login_pages_are_known(path: str) -> None:
    assert judge.is_login(f"https://sso.example/{path}")


@pytest.mark.parametrize("path", ["guide/", "authors/", "login-guide", "ssosetup/", ""])
def test_urls_of_other_pages_are_none(path: str) -> None:
    assert not judge.is_login(f"https://docs.example/{path}")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"%PDF-1.5 x", "a PDF document"),
        (b"PK\x03\x04x", "a ZIP archive or Office document"),
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"<html>" + b"\0\1" * 900, "binary data"),
        ("<html><p>wide</p></html>".encode("utf-16"), ""),
        ("<html><p>wide</p></html>".encode("utf-16-le"), ""),
        ("<html><p>文字</p></html>".encode("gbk"), ""),
        (b"<html>one stray \0 byte" + b"x" * 2000, ""),
        (b"", ""),
    ],
)
def test_page_06_bytes_say_what_they_are(data: bytes, kind: str) -> None:
    assert judge.binary(data) == kind
