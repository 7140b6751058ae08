from __future__ import annotations

import http.client
import socket
import urllib.error
import urllib.request
from email.message import Message
from pathlib import Path

import pytest
from site_server import Site


def get(url: str, **headers: str) -> tuple[int, bytes, Message]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=named)) as answer:
            return answer.status, answer.read(), answer.headers
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read(), error.headers


@pytest.mark.parametrize(
    ("validators", "name", "header"),
    [
        ("etag", "ETag", "If-None-Match"),
        ("weak", "ETag", "If-None-Match"),
        ("mtime", "Last-Modified", "If-Modified-Since"),
    ],
)
def test_a_page_that_did_not_change_is_answered_304(site: Site, validators: str, name: str, header: str) -> None:
    site.validators = validators
    site.page("/a", "one")
    given = get(site.url + "a")[2][name]
    assert get(site.url + "a", **{header: given})[0] == 304
    site.page("/a", "two")
    assert get(site.url + "a", **{header: given})[:2] == (200, b"two")


@pytest.mark.parametrize("validators", ["rotating", "none"])
def test_a_server_without_useful_validators_always_sends_the_body(site: Site, validators: str) -> None:
    site.validators = validators
    site.page("/a", "one")
    given = get(site.url + "a")[2].get("ETag", '"none"')
    assert get(site.url + "a", If_None_Match=given)[:2] == (200, b"one")
    assert site.bodies("/a") == 2


def test_faults_happen_as_often_as_they_are_told(site: Site) -> None:
    site.page("/a", "one")
    site.fault("/a", status=503, times=1, headers={"Retry-After": "1"})
    status, _, headers = get(site.url + "a")
    assert (status, headers["Retry-After"]) == (503, "1")
    assert get(site.url + "a")[0] == 200
    assert [r.status for r in site.requests("/a")] == [503, 200]


def test_a_cut_answer_is_shorter_than_it_says(site: Site) -> None:
    site.page("/a", "x" * 100)
    site.fault("/a", cut=10)
    with pytest.raises(http.client.IncompleteRead):
        get(site.url + "a")


def test_a_dropped_connection_has_no_answer(site: Site) -> None:
    site.page("/a", "x")
    site.fault("/a", drop=True, times=1)
    with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
        get(site.url + "a")
    assert site.requests("/a")[0].status == 0


def test_a_moved_page_answers_at_its_new_path(site: Site) -> None:
    site.page("/a", "x")
    site.move("/a", "/b")
    assert get(site.url + "a")[:2] == (200, b"x")
    assert [(r.path, r.status) for r in site.requests()] == [("/a", 301), ("/b", 200)]


def test_a_directory_is_served_with_its_index_pages(site: Site, tmp_path: Path) -> None:
    (tmp_path / "guide").mkdir()
    (tmp_path / "guide" / "index.html").write_text("<p>guide")
    site.serve_directory(tmp_path, at="/docs/")
    assert get(site.url + "docs/guide/")[1] == get(site.url + "docs/guide/index.html")[1] == b"<p>guide"
    assert get(site.url + "docs/other")[0] == 404


def test_nothing_reaches_beyond_loopback() -> None:
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo("docs.example.org", 443)
