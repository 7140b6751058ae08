"""Calls of JSON APIs over real sockets: tries, limits, redirects, secrets, sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime

import pytest
from forges.server import Reply, Request, Server, serving
from forges.waiting import Waiting

from git_okf import __version__
from git_okf.errors import ConfigError, Interrupted
from git_okf.jsonapi import (
    Answer,
    ApiRefused,
    ApiUnavailable,
    ApiUncertain,
    JsonApi,
    Limited,
    Manners,
    Ok,
    Refresh,
    Refused,
    Verdict,
)

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
TOKEN = "ghs_0123456789abcdef"


class Script:
    """Answers one after another; the last one again and again."""

    def __init__(self) -> None:
        self.replies: list[Reply] = [Reply(data={"ok": True})]
        self.routes: dict[str, Callable[[Request], Reply]] = {}

    def then(self, *replies: Reply) -> None:
        self.replies = list(replies)

    def __call__(self, request: Request) -> Reply:
        if request.path in self.routes:
            return self.routes[request.path](request)
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


@pytest.fixture
def time() -> Waiting:
    return Waiting(START)


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def server(script: Script) -> Iterator[Server]:
    with serving(script) as served:
        yield served


@pytest.fixture
def other() -> Iterator[Server]:
    """Another host, as far as origins go."""
    with serving(lambda request: Reply(body=b"elsewhere", headers={"content-type": "image/png"})) as served:
        yield served


def bearer(fresh: bool) -> Mapping[str, str]:
    return {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def api(server: Server, time: Waiting) -> Iterator[JsonApi]:
    with JsonApi(server.url, bearer, effects=time.effects) as client:
        yield client


def test_a_call_says_who_we_are_and_sends_json(api: JsonApi, server: Server) -> None:
    assert api.call("POST", "/repos/acme/docs/pulls", json={"title": "同步"}).data == {"ok": True}
    (asked,) = server.log
    assert (asked.method, asked.path, asked.json) == ("POST", "/repos/acme/docs/pulls", {"title": "同步"})
    assert asked.headers["user-agent"] == f"git-okf/{__version__}"
    assert asked.headers["authorization"] == f"Bearer {TOKEN}"
    assert asked.headers["content-type"] == "application/json; charset=utf-8"


def test_percent_encoding_in_a_path_stays_as_it_was_written(api: JsonApi, server: Server) -> None:
    api.call("GET", "/projects/group%2Fproj/x%20y", query={"head": "acme:okf/sync/docs", "n": ["a", "b"]})
    assert server.log[0].path == "/projects/group%2Fproj/x%20y"
    assert server.log[0].query == {"head": ["acme:okf/sync/docs"], "n": ["a", "b"]}


@pytest.mark.parametrize("status", [408, 500, 502, 503, 504, 520])
def test_trouble_that_passes_is_tried_again(
    api: JsonApi, server: Server, script: Script, time: Waiting, status: int
) -> None:
    script.then(Reply(status=status), Reply(status=status), Reply(data=[1]))
    assert api.call("GET", "/x").data == [1]
    assert len(server.log) == 3
    assert time.slept == 1 + 2


def test_a_call_gives_up_after_a_bounded_number_of_tries(
    api: JsonApi, server: Server, script: Script, time: Waiting
) -> None:
    script.then(Reply(status=502))
    with pytest.raises(ApiUnavailable) as caught:
        api.call("GET", "/x")
    assert len(server.log) == 6
    assert "GET 127.0.0.1/x: HTTP 502" in caught.value.message
    assert caught.value.exit_code == 4
    assert not caught.value.rate_limited


def test_retry_after_is_obeyed_in_seconds_and_as_a_date(
    api: JsonApi, server: Server, script: Script, time: Waiting
) -> None:
    script.then(
        Reply(status=429, headers={"Retry-After": "7"}),
        Reply(status=503, headers={"Retry-After": "Sun, 01 Mar 2026 12:00:30 GMT"}),
        Reply(data=1),
    )
    assert api.call("GET", "/x").data == 1
    assert time.slept == 30


def test_a_limit_without_a_time_waits_a_minute_and_then_twice_as_long(
    api: JsonApi, script: Script, time: Waiting
) -> None:
    script.then(Reply(status=429), Reply(status=429), Reply(data=1))
    api.call("GET", "/x")
    assert time.slept == 60 + 120


def test_a_limit_longer_than_our_patience_ends_the_call_with_the_time_to_come_back(
    api: JsonApi, server: Server, script: Script, time: Waiting
) -> None:
    script.then(Reply(status=429, headers={"Retry-After": "3600"}))
    with pytest.raises(ApiUnavailable) as caught:
        api.call("GET", "/x")
    assert (caught.value.retry_at, caught.value.rate_limited) == ("2026-03-01T13:00:00+00:00", True)
    assert time.slept == 0
    assert len(server.log) == 1


def test_the_pauses_of_one_call_are_capped_in_all(api: JsonApi, script: Script, time: Waiting) -> None:
    script.then(Reply(status=429, headers={"Retry-After": "400"}))
    with pytest.raises(ApiUnavailable):
        api.call("GET", "/x")
    assert time.slept == 800


def test_a_refusal_is_not_tried_again_and_told_in_the_words_of_the_api(
    api: JsonApi, server: Server, script: Script
) -> None:
    script.then(
        Reply(
            status=422,
            data={
                "message": "Validation Failed",
                "errors": [
                    {"resource": "PullRequest", "code": "custom", "message": "A pull request\nalready exists"},
                    {"resource": "PullRequest", "field": "head", "code": "invalid"},
                ],
            },
        )
    )
    with pytest.raises(ApiRefused) as caught:
        api.call("POST", "/repos/a/b/pulls", json={})
    assert len(server.log) == 1
    assert caught.value.status == 422
    assert caught.value.message == (
        "POST 127.0.0.1/repos/a/b/pulls: HTTP 422: Validation Failed; A pull request already exists; "
        "PullRequest head invalid"
    )


@pytest.mark.parametrize("method", ["POST", "GET"])
def test_only_what_may_be_repeated_is_sent_again_after_it_broke_off(
    api: JsonApi, server: Server, script: Script, method: str
) -> None:
    script.then(Reply(drop=True), Reply(data=1))
    if method == "GET":
        assert api.call("GET", "/x").data == 1
    else:
        with pytest.raises(ApiUncertain):
            api.call("POST", "/x", json={})
        assert len(server.log) == 1
        script.then(Reply(drop=True), Reply(data=1))
        assert api.call("POST", "/x", json={}, repeatable=True).data == 1


def test_a_post_that_never_left_is_sent_again(time: Waiting) -> None:
    with serving(lambda request: Reply(data=1)) as gone:
        url = gone.url
    with JsonApi(url, effects=time.effects) as api, pytest.raises(ApiUnavailable) as caught:
        api.call("POST", "/x", json={})
    assert not isinstance(caught.value, ApiUncertain)
    assert "no connection" in caught.value.message
    assert time.slept == 1 + 2 + 4 + 8 + 16


def test_an_answer_that_breaks_off_is_asked_for_again(api: JsonApi, server: Server, script: Script) -> None:
    script.then(Reply(data={"a": "b" * 5000}, cut=100), Reply(data=1))
    assert api.call("GET", "/x").data == 1


def test_an_answer_too_large_is_refused(server: Server, script: Script, time: Waiting) -> None:
    script.then(Reply(data="x" * 5000))
    with JsonApi(server.url, manners=Manners(max_bytes=1000), effects=time.effects) as api:
        with pytest.raises(ApiRefused, match="larger than 1000 bytes"):
            api.call("GET", "/x")
        assert len(server.log) == 1


def test_json_that_is_none_or_nests_without_end_is_no_data(api: JsonApi, script: Script) -> None:
    script.then(Reply(body=b"<html>"), Reply(body=b"[" * 200_000), Reply(status=204))
    assert [api.call("GET", f"/{n}").data for n in range(3)] == [None, None, None]


# --- redirects ---


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("method", ["GET", "POST", "PATCH"])
def test_a_redirect_keeps_method_body_and_credentials(
    api: JsonApi, server: Server, script: Script, status: int, method: str
) -> None:
    moved = {"Location": f"{server.url}/repositories/7/pulls"}
    script.routes["/repos/old/name/pulls"] = lambda request: Reply(status=status, headers=moved)
    api.call(method, "/repos/old/name/pulls", json=None if method == "GET" else {"title": "t"})
    first, second = server.log
    assert (second.method, second.path, second.body) == (method, "/repositories/7/pulls", first.body)
    assert second.headers["authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_json_call_does_not_follow_to_another_origin(
    api: JsonApi, server: Server, script: Script, other: Server, method: str
) -> None:
    script.then(Reply(status=307, headers={"Location": f"{other.url}/stolen"}))
    with pytest.raises(ApiRefused, match="redirect to another host"):
        api.call(method, "/x", json={"secret": 1} if method == "POST" else None)
    assert other.log == []


def test_redirects_end(api: JsonApi, server: Server, script: Script) -> None:
    script.then(Reply(status=302, headers={"Location": "/again"}))
    with pytest.raises(ApiRefused, match="more than 5 redirects"):
        api.call("GET", "/x")
    assert len(server.log) == 6


@pytest.mark.parametrize("location", ["ftp://127.0.0.1/x", "http://[::1/x", "file:///etc/passwd", "http://:80/"])
def test_a_redirect_to_nowhere_is_refused(api: JsonApi, script: Script, location: str) -> None:
    script.then(Reply(status=302, headers={"Location": location}))
    with pytest.raises((ApiRefused, ApiUnavailable), match=r"not followed|broke off"):
        api.call("GET", "/x")


# --- tokens ---


class Tokens:
    """Credentials that can be renewed."""

    def __init__(self, *tokens: str) -> None:
        self.left = list(tokens)
        self.asked: list[bool] = []

    def __call__(self, fresh: bool) -> Mapping[str, str]:
        self.asked.append(fresh)
        if fresh:
            self.left.pop(0)
        return {"Authorization": f"Bearer {self.left[0]}"}


def business(answer: Answer) -> Verdict:
    """A host that reports everything with status 200 and a code of its own."""
    code = (answer.data or {}).get("code", 0)
    if code == 99991663:
        return Refresh("token invalid")
    if code == 99991400:
        return Limited("frequency limit", float(answer.headers["x-ogw-ratelimit-reset"]))
    if code:
        return Refused(f"code {code}: {answer.data['msg']}", "share the document with the app")
    return Ok()


def test_a_token_is_renewed_once_per_call(server: Server, script: Script, time: Waiting) -> None:
    tokens = Tokens("t-old-old-old", "t-new-new-new", "t-third-third")
    script.then(Reply(data={"code": 99991663}), Reply(data={"code": 0}))
    with JsonApi(server.url, tokens, manners=Manners(classify=business), effects=time.effects) as api:
        api.call("POST", "/x", json={})
        assert [r.headers["authorization"] for r in server.log] == ["Bearer t-old-old-old", "Bearer t-new-new-new"]
        api.call("GET", "/x")
        script.then(Reply(data={"code": 99991663, "msg": "invalid"}))
        with pytest.raises(ApiRefused, match="token invalid"):
            api.call("GET", "/y")
    assert tokens.asked == [False, True, False, False, True]


def test_a_host_may_report_by_codes_of_its_own(server: Server, script: Script, time: Waiting) -> None:
    limited = Reply(status=400, data={"code": 99991400}, headers={"x-ogw-ratelimit-reset": "1.5"})
    script.then(limited, Reply(data={"code": 1770032, "msg": "forBidden"}))
    with (
        JsonApi(server.url, manners=Manners(classify=business), effects=time.effects) as api,
        pytest.raises(ApiRefused, match="code 1770032: forBidden") as caught,
    ):
        api.call("GET", "/x")
    assert caught.value.hint == "share the document with the app"
    assert time.slept == 1.5


def test_secrets_never_show_up_in_errors(server: Server, script: Script, time: Waiting) -> None:
    script.then(Reply(status=401, data={"message": f"Bad credentials: {TOKEN}, app secret-of-the-app"}))
    with (
        JsonApi(server.url, bearer, effects=time.effects, secrets=["secret-of-the-app"]) as api,
        pytest.raises(ApiRefused) as caught,
    ):
        api.call("GET", "/x", query={"access_token": TOKEN})
    said = f"{caught.value} {caught.value.message} {caught.value.hint} {caught.value.reason}"
    assert TOKEN not in said
    assert "secret-of-the-app" not in said
    assert "Bad credentials: ***, app ***" in said


@pytest.mark.parametrize("token", [f"{TOKEN}\n", f"{TOKEN}\r\nX-Evil: 1", "ghs_tökenökenöken"])
def test_a_token_no_header_can_carry_is_an_error_that_does_not_show_it(
    server: Server, time: Waiting, token: str
) -> None:
    with (
        JsonApi(server.url, lambda fresh: {"Authorization": f"Bearer {token}"}, effects=time.effects) as api,
        pytest.raises(ConfigError) as caught,
    ):
        api.call("GET", "/x")
    assert "ken" not in caught.value.message.replace("token", "")
    assert server.log == []


@pytest.mark.parametrize("base", ["ftp://x.org", "api.github.com", "https://user:pw@api.github.com", ""])
def test_an_address_that_is_none_or_holds_credentials_is_refused(base: str) -> None:
    with pytest.raises(ConfigError) as caught:
        JsonApi(base)
    assert "pw" not in caught.value.message


# --- pages, ETags, pace, signals ---


def test_pages_follow_the_link_header_on_our_own_origin(api: JsonApi, server: Server, script: Script) -> None:
    def page(request: Request) -> Reply:
        number = int(request.one("page", "1"))
        link = f'<https://evil.example/list?page={number + 1}>; rel="next", <https://x/list?page=3>; rel="last"'
        return Reply(data=[number], headers={"Link": link} if number < 3 else {})

    script.routes["/list"] = page
    assert [answer.data for answer in api.pages("/list", query={"state": "all"})] == [[1], [2], [3]]
    assert all(asked.headers["authorization"] for asked in server.log)


def test_pages_that_lead_in_a_circle_end(api: JsonApi, server: Server, script: Script) -> None:
    script.routes["/list"] = lambda request: Reply(data=[1], headers={"Link": '</list?page=2>; rel="next"'})
    assert len(list(api.pages("/list"))) == 2


def test_what_did_not_change_is_asked_for_with_its_etag_until_we_write(
    api: JsonApi, server: Server, script: Script
) -> None:
    def page(request: Request) -> Reply:
        if request.headers.get("if-none-match") == '"1"':
            return Reply(status=304)
        return Reply(data=[1], headers={"ETag": '"1"'})

    script.routes["/list"] = page
    assert [api.call("GET", "/list").data for _ in range(2)] == [[1], [1]]
    api.call("PATCH", "/x", json={})
    api.call("GET", "/list")
    assert [r.headers.get("if-none-match") for r in server.log] == [None, '"1"', None, None]


def test_calls_that_share_a_limit_start_apart(server: Server, time: Waiting) -> None:
    def pace(method: str, path: str) -> tuple[str, float]:
        return ("write", 1.0) if method != "GET" else ("", 0.0)

    with JsonApi(server.url, manners=Manners(pace=pace), effects=time.effects) as api:
        for method in ("GET", "POST", "GET", "PATCH", "GET", "GET"):
            api.call(method, "/x", json={} if method != "GET" else None)
    assert time.slept == 1


def test_a_signal_ends_a_pause(api: JsonApi, script: Script, time: Waiting) -> None:
    script.then(Reply(status=429, headers={"Retry-After": "600"}))
    time.stop_at = 5
    with pytest.raises(Interrupted):
        api.call("GET", "/x")
    assert time.slept == 5


def test_proxies_of_the_environment_are_used(
    server: Server, time: Waiting, other: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", server.url)
    with JsonApi("http://api.example.org", effects=time.effects) as api:
        assert api.call("GET", "/x").data == {"ok": True}
    assert server.log[0].headers["host"] == "api.example.org"


@pytest.mark.parametrize(
    ("name", "value"), [("ALL_PROXY", "gopher://user:pw@proxy:1"), ("SSL_CERT_FILE", "/nowhere/ca.pem")]
)
def test_an_environment_that_cannot_be_used_is_named_and_not_shown(
    server: Server, time: Waiting, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with JsonApi(server.url, effects=time.effects) as api, pytest.raises(ConfigError) as caught:
        api.call("GET", "/x")
    assert name in caught.value.hint
    assert value not in caught.value.message + caught.value.hint


def test_half_characters_are_sent_as_question_marks(api: JsonApi, server: Server) -> None:
    api.call("POST", "/x", json={"title": "a\ud800b"})
    assert server.log[0].json == {"title": "a?b"}


# --- downloads ---

PICTURE = bytes(range(256)) * 40


def ranged(request: Request, *, etag: str = '"v1"', cut: int | None = None) -> Reply:
    headers = {"content-type": "image/png", "content-disposition": 'attachment; filename="a.png"', "etag": etag}
    asked = request.headers.get("range", "")
    if not asked or request.headers.get("if-range") != etag:
        return Reply(body=PICTURE, headers=headers, cut=cut)
    start = int(asked.removeprefix("bytes=").removesuffix("-"))
    headers["content-range"] = f"bytes {start}-{len(PICTURE) - 1}/{len(PICTURE)}"
    return Reply(status=206, body=PICTURE[start:], headers=headers, cut=cut)


def test_a_download_is_taken_up_where_it_broke(api: JsonApi, server: Server, script: Script) -> None:
    cuts = [1000, 500, None]
    script.routes["/media"] = lambda request: ranged(request, cut=cuts.pop(0))
    got = api.download("/media", limit=20_000)
    assert got.data == PICTURE
    assert (got.content_type, got.disposition) == ("image/png", 'attachment; filename="a.png"')
    assert got.hash.startswith("sha256:")
    assert [r.headers.get("range") for r in server.log] == [None, "bytes=1000-", "bytes=1500-"]


def test_a_file_that_changed_meanwhile_is_taken_anew(api: JsonApi, script: Script) -> None:
    cuts, etags = [1000, None], ['"v1"', '"v2"']
    script.routes["/media"] = lambda request: ranged(request, cut=cuts.pop(0), etag=etags.pop(0))
    assert api.download("/media", limit=20_000).data == PICTURE


def test_without_a_strong_etag_a_download_starts_over(api: JsonApi, server: Server, script: Script) -> None:
    cuts = [1000, None]
    script.routes["/media"] = lambda request: ranged(request, cut=cuts.pop(0), etag='W/"v1"')
    assert api.download("/media", limit=20_000).data == PICTURE
    assert [r.headers.get("range") for r in server.log] == [None, None]


@pytest.mark.parametrize(
    "wrong",
    [Reply(status=206, body=b"zz", headers={"content-range": "bytes 3-4/9"}), Reply(status=416), Reply(status=503)],
)
def test_a_wrong_part_is_never_part_of_the_file(api: JsonApi, script: Script, wrong: Reply) -> None:
    steps: list[Callable[[Request], Reply]] = [lambda r: ranged(r, cut=1000), lambda r: wrong, ranged]
    script.routes["/media"] = lambda request: steps.pop(0)(request)
    assert api.download("/media", limit=20_000).data == PICTURE


def test_a_download_over_its_limit_is_refused(api: JsonApi, server: Server, script: Script) -> None:
    script.routes["/media"] = ranged
    with pytest.raises(ApiRefused, match="larger than 5000 bytes"):
        api.download("/media", limit=5000)
    assert len(server.log) == 1


def test_an_error_in_json_is_no_file(server: Server, script: Script, time: Waiting) -> None:
    script.then(Reply(data={"code": 1061004, "msg": "forbidden"}))
    with (
        JsonApi(server.url, manners=Manners(classify=business), effects=time.effects) as api,
        pytest.raises(ApiRefused, match="1061004"),
    ):
        api.download("/media", limit=5000)
    attached = {"content-disposition": "attachment"}
    script.then(Reply(data={"code": 7, "msg": "a file like any other"}, headers=attached))
    with JsonApi(server.url, manners=Manners(classify=business), effects=time.effects) as api:
        assert b"like any other" in api.download("/media", limit=5000).data


def test_a_download_goes_to_another_host_without_our_credentials(
    server: Server, script: Script, other: Server, time: Waiting
) -> None:
    script.then(Reply(status=302, headers={"Location": f"{other.url}/signed?x=1"}))
    with JsonApi(server.url, bearer, effects=time.effects, allow_hosts=["127.0.0.1"]) as api:
        assert api.download("/media", limit=5000).data == b"elsewhere"
        assert api.download(f"{other.url}/tmp", limit=5000).data == b"elsewhere"
    assert all("authorization" not in asked.headers for asked in other.log)


def test_a_download_is_not_led_into_the_network_we_run_in(api: JsonApi, script: Script, other: Server) -> None:
    for there in (other.url, "http://localhost:1/", "http://169.254.169.254/latest", "http://[::ffff:10.0.0.1]/"):
        script.then(Reply(status=302, headers={"Location": there}))
        with pytest.raises(ApiRefused, match=r"no public address|has no address"):
            api.download("/media", limit=5000)
    assert other.log == []


def test_a_file_in_json_is_a_file(api: JsonApi) -> None:
    assert api.download("/file", limit=100).data == b'{"ok": true}'
    with pytest.raises(ApiRefused, match="larger than 5 bytes"):
        api.download("/file", limit=5)
