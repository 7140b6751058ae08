"""Asking a web server, over real sockets on loopback."""

from __future__ import annotations

import asyncio
import gzip
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from git_okf.config import WebSource
from git_okf.errors import ConfigError
from git_okf.source.web.client import USER_AGENT, Client, FetchError, Hop, RateLimited, Response

NOW = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Seen:
    """A request as it came: the target exactly as on the wire, header names in small letters."""

    method: str
    target: str
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What goes back. `raw` replaces everything; `drip` is the pause after each byte of the body."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html"),)
    body: bytes = b"<p>page"
    length: int | None = None
    raw: bytes | None = None
    drip: float = 0.0
    hang: bool = False


Handler = Callable[[Seen], Answer]


@dataclass(slots=True)
class Server:
    """One connection after the other, each kept open; the test decides every answer and sees every request."""

    handler: Handler
    seen: list[Seen] = field(default_factory=list)
    port: int = 0
    open: int = 0
    most_open: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open += 1
        self.most_open = max(self.open, self.most_open)
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode("latin-1").split("\r\n")
                method, target, _ = lines[0].split(" ")
                pairs = [line.partition(":") for line in lines[1:] if line]
                seen = Seen(method, target, {name.lower(): value.strip() for name, _, value in pairs})
                self.seen.append(seen)
                if not await self.answer(self.handler(seen), seen, writer):
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.open -= 1
            writer.close()

    async def answer(self, answer: Answer, seen: Seen, writer: asyncio.StreamWriter) -> bool:
        if answer.hang:
            await asyncio.sleep(30)
        if answer.raw is not None:
            writer.write(answer.raw)
            await writer.drain()
            return False
        length = len(answer.body) if answer.length is None else answer.length
        lines = [f"HTTP/1.1 {answer.status} X", *(f"{name}: {value}" for name, value in answer.headers)]
        if answer.status != 304:
            lines.append(f"Content-Length: {length}")
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
        body = b"" if seen.method == "HEAD" or answer.status == 304 else answer.body
        if answer.drip:
            for at in range(len(body)):
                writer.write(body[at : at + 1])
                await writer.drain()
                await asyncio.sleep(answer.drip)
        else:
            writer.write(body)
        await writer.drain()
        return len(body) == length or not body


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[Server]:
    server = Server(handler)
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()


async def no_sleep(seconds: float) -> None:
    await asyncio.sleep(0)


def client(url: str, headers: Mapping[str, str] | None = None, **options: Any) -> Client:
    given: dict[str, Any] = {
        name: options.pop(name) for name in ("monotonic", "sleep", "resolve", "proxies", "clock") if name in options
    }
    source = WebSource(name="docs", url=f"{url}/docs/", bundle="docs", **options)
    return Client(source, headers or {}, **{"clock": lambda: NOW, "sleep": no_sleep, "chance": lambda: 0.5} | given)


Work = Callable[[Server, Client], Awaitable[Any]]


def run(handler: Handler, work: Work, headers: Mapping[str, str] | None = None, **options: Any) -> Any:
    async def main() -> Any:
        async with serving(handler) as server, client(server.url, headers, **options) as asking:
            return await work(server, asking)

    return asyncio.run(main())


def script(*answers: Answer) -> Handler:
    """One answer after the other; the last one for ever."""
    left = list(answers)
    return lambda seen: left.pop(0) if len(left) > 1 else left[0]


def redirect(location: str, status: int = 302) -> Answer:
    return Answer(status=status, headers=(("Location", location),), body=b"moved")


def fetch(handler: Handler, path: str = "/docs/", headers: Mapping[str, str] | None = None, **options: Any) -> Response:
    asked = {
        name: options.pop(name) for name in ("etag", "last_modified", "method", "follow", "accept") if name in options
    }

    async def work(server: Server, asking: Client) -> Response:
        return await asking.get(server.url + path, **asked)

    response = run(handler, work, headers, **options)
    assert isinstance(response, Response)
    return response


def failure(handler: Handler, path: str = "/docs/", **options: Any) -> tuple[FetchError, int]:
    """The error, and how many requests it took."""

    async def work(server: Server, asking: Client) -> tuple[FetchError, int]:
        with pytest.raises(FetchError) as raised:
            await asking.get(server.url + path if path.startswith("/") else path)
        assert asking.stats.requests == len(server.seen)
        return raised.value, len(server.seen)

    error: tuple[FetchError, int] = run(handler, work, **options)
    return error


# --- what is sent ---


@pytest.mark.parametrize(
    "target",
    ["/docs/a%21b;p=1", "/docs/%7euser/%c3%a9", "/docs//x/", "/docs/x?b=2&a=1&q=%2B+%20", "/docs/a%2Fb%zz"],
)
def test_url_01_url_goes_onto_the_wire_as_given(target: str) -> None:
    async def work(server: Server, asking: Client) -> None:
        await asking.get(server.url + target)
        assert [seen.target for seen in server.seen] == [target]

    run(script(Answer()), work)


def test_page_04_headers_are_fixed_and_no_cookie_is_kept() -> None:
    async def work(server: Server, asking: Client) -> None:
        await asking.get(f"{server.url}/docs/")
        await asking.get(f"{server.url}/docs/b", accept="text/markdown")
        first, second = (dict(seen.headers) for seen in server.seen)
        assert first["user-agent"] == USER_AGENT
        assert first["accept-language"] == "de"
        assert first["accept-encoding"] == "gzip, deflate"
        assert first["accept"].startswith("text/html")
        assert second["accept"] == "text/markdown"
        assert "cookie" not in second
        assert "if-none-match" not in first

    run(script(Answer(headers=(("Set-Cookie", "lang=de"),))), work, accept_language="de")


def test_validators_are_sent_byte_for_byte() -> None:
    async def work(server: Server, asking: Client) -> None:
        response = await asking.get(f"{server.url}/docs/", etag='W/"a b"', last_modified="yesterday")
        assert (response.status, response.body) == (304, b"")
        assert server.seen[0].headers["if-none-match"] == 'W/"a b"'
        assert server.seen[0].headers["if-modified-since"] == "yesterday"
        assert asking.stats.wire_bytes == 0

    run(script(Answer(status=304, headers=(("ETag", '"new"'),))), work)


def test_headers_of_the_source_go_to_its_own_origin_alone() -> None:
    async def main() -> None:
        async with serving(script(Answer())) as other:
            handler = script(redirect(f"{other.url}/elsewhere"), Answer())
            async with serving(handler) as own, client(own.url, {"Authorization": "Bearer s3cret"}) as asking:
                response = await asking.get(f"{own.url}/docs/")
                assert response.final_url == f"{other.url}/elsewhere"
                assert own.seen[0].headers["authorization"] == "Bearer s3cret"
                assert "authorization" not in other.seen[0].headers

    asyncio.run(main())


def test_source_may_set_headers_of_its_own() -> None:
    async def work(server: Server, asking: Client) -> None:
        await asking.get(f"{server.url}/docs/")
        assert server.seen[0].headers["user-agent"] == "me"
        assert server.seen[0].headers["accept"] == "text/plain"

    run(script(Answer()), work, {"user-agent": "me", "ACCEPT": "text/plain"})
    with pytest.raises(ConfigError, match="Host"):
        client("http://127.0.0.1", {"Host": "evil.example"})


# --- what comes back ---


def test_answer_is_handed_over() -> None:
    answer = Answer(headers=(("Content-Type", "text/html; charset=utf-8"), ("X-A", "1"), ("x-a", "2")), body=b"hello")
    response = fetch(script(answer))
    assert (response.status, response.body, response.hops, response.permanent) == (200, b"hello", (), False)
    assert response.url == response.final_url
    assert response.headers["x-A"] == "1\n2"
    assert response.headers.get("missing", "none") == "none"
    assert "CONTENT-type" in response.headers
    assert dict(response.headers) == {"content-type": "text/html; charset=utf-8", "x-a": "1\n2", "content-length": "5"}
    assert len(response.headers) == 3
    assert response.content_type == "text/html; charset=utf-8"


@pytest.mark.parametrize("status", [201, 204, 400, 401, 403, 404, 410, 451, 501, 505, 999])
def test_other_statuses_are_answers(status: int) -> None:
    async def work(server: Server, asking: Client) -> None:
        response = await asking.get(f"{server.url}/docs/")
        assert response.status == status
        assert len(server.seen) == 1

    run(script(Answer(status=status, body=b"" if status == 204 else b"x")), work)


def test_head_has_no_body() -> None:
    response = fetch(script(Answer(length=10**9)), method="HEAD")
    assert (response.status, response.body) == (200, b"")


def test_compressed_body_is_decoded_and_counted_as_it_came() -> None:
    body = b"words " * 10_000
    wire = gzip.compress(body)
    response = fetch(script(Answer(headers=(("Content-Encoding", "gzip"),), body=wire)))
    assert response.body == body
    assert response.wire_bytes == len(wire)


def test_chunked_body_is_read() -> None:
    raw = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    assert fetch(script(Answer(raw=raw))).body == b"abcde"


def test_long_header_lines_are_no_error() -> None:
    assert fetch(script(Answer(headers=(("Link", "<x>; rel=y, " * 3000),)))).status == 200


# --- redirects ---


def test_url_05_redirects_are_followed_and_recorded() -> None:
    pages = {
        "/docs/": redirect("../v2/?x#part", 301),
        "/v2/?x": redirect("guide/", 308),
        "/v2/guide/": Answer(body=b"here"),
    }

    async def work(server: Server, asking: Client) -> None:
        response = await asking.get(f"{server.url}/docs/")
        assert response.url == f"{server.url}/docs/"
        assert response.final_url == f"{server.url}/v2/guide/"
        assert response.hops == (Hop(301, f"{server.url}/v2/?x"), Hop(308, f"{server.url}/v2/guide/"))
        assert response.permanent
        assert response.body == b"here"

    run(lambda seen: pages[seen.target], work)


def test_one_temporary_hop_makes_the_redirect_temporary() -> None:
    pages = {"/docs/": redirect("/a", 301), "/a": redirect("/b", 302), "/b": Answer()}
    assert not fetch(lambda seen: pages[seen.target]).permanent


def test_redirect_is_the_answer_where_it_is_not_to_be_followed() -> None:
    async def work(server: Server, asking: Client) -> None:
        for follow in (False, lambda url: False):
            response = await asking.get(f"{server.url}/docs/", follow=follow)
            assert (response.status, response.final_url) == (301, f"{server.url}/docs/")
        assert response.hops == (Hop(301, "https://other.example/x"),)
        assert len(server.seen) == 2

    run(script(redirect("https://other.example/x", 301)), work)


def test_location_outside_ascii_is_sent_as_its_bytes() -> None:
    raw = b"HTTP/1.1 302 X\r\nLocation: /\xe6\x97\xa5/\xe9\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    assert fetch(script(Answer(raw=raw), Answer())).final_url.endswith("/%E6%97%A5/%E9")


def test_http_04_redirects_without_end() -> None:
    circle = {"/docs/": redirect("/b"), "/b": redirect("/docs/#x")}
    error, requests = failure(lambda seen: circle[seen.target])
    assert "circle" in error.reason
    assert requests == 2
    count = iter(range(100))
    error, requests = failure(lambda seen: redirect(f"/{next(count)}"))
    assert "more than 10" in error.reason
    assert requests == 11
    assert error.retryable


def test_redirect_without_location_is_an_answer() -> None:
    assert fetch(script(Answer(status=302))).status == 302


# --- SEC-02 ---


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:10.0.0.1]/",
        "http://2130706433:1/",
        "http://0x7f.2/",
        "http://[::1]/",
        "http://100.100.100.200/",
        "//10.0.0.1/x",
    ],
)
def test_sec_02_redirect_to_an_inner_address_is_refused(location: str) -> None:
    if "2130706433" in location:
        # The source's own host is 127.0.0.1 here, so this notation of it is the own host; another one is not.
        location = location.replace("2130706433", "2130706434")
    error, requests = failure(script(redirect(location)))
    assert "not a public address" in error.reason
    assert not error.retryable
    assert requests == 1


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "ftp://example.com/", "javascript:x", "http://u:p@h.example/"]
)
def test_sec_02_redirect_to_another_scheme_is_refused(location: str) -> None:
    error, requests = failure(script(redirect(location)))
    assert "no http or https URL" in error.reason
    assert not error.retryable
    assert requests == 1


def test_sec_02_names_are_judged_by_the_address_they_resolve_to() -> None:
    asked: list[str] = []
    addresses = {"evil.example": ["93.184.215.14", "127.0.0.1"], "inner.example": ["127.0.0.1"]}

    async def resolve(host: str) -> list[str]:
        asked.append(host)
        return addresses[host]

    async def main() -> None:
        async with serving(script(Answer())) as server:
            options: dict[str, Any] = {"resolve": resolve, "allow_hosts": ("inner.example",)}
            async with client("https://docs.example.com", **options) as asking:
                with pytest.raises(FetchError, match=r"evil.example \(127.0.0.1\) is not a public address") as raised:
                    await asking.get(f"http://evil.example:{server.port}/")
                assert not raised.value.retryable
                assert server.seen == []
                response = await asking.get(f"http://inner.example:{server.port}/")
                assert response.status == 200
        assert asked == ["evil.example", "inner.example"]

    asyncio.run(main())


def test_sec_02_the_address_that_was_judged_is_the_one_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    connected: list[str] = []

    async def resolve(host: str) -> list[str]:
        asked.append(host)
        return ["93.184.215.14"] if len(asked) == 1 else ["127.0.0.1"]

    async def connect(*, addr_infos: Any, **named: Any) -> Any:
        connected.extend(info[4][0] for info in addr_infos)
        raise OSError("no network here")

    monkeypatch.setattr("aiohttp.connector.aiohappyeyeballs.start_connection", connect)

    async def main() -> None:
        async with client("https://docs.example.com", resolve=resolve) as asking:
            with pytest.raises(FetchError, match="no network here"):
                await asking.get("http://rebinding.example/")

    asyncio.run(main())
    assert set(connected) == {"93.184.215.14"}
    assert asked == ["rebinding.example"]


def test_own_host_may_resolve_to_anything() -> None:
    async def resolve(host: str) -> list[str]:
        return ["127.0.0.1"]

    async def main() -> None:
        async with serving(script(Answer())) as server:
            own = f"http://intranet.example:{server.port}"
            async with client(own, resolve=resolve) as asking:
                assert (await asking.get(f"{own}/docs/")).status == 200
            assert server.seen[0].headers["host"] == f"intranet.example:{server.port}"

    asyncio.run(main())


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://example.com/", "nonsense", ""])
def test_only_http_is_asked(url: str) -> None:
    error, requests = failure(script(Answer()), url or "x")
    assert "only http and https" in error.reason
    assert requests == 0


# --- limits ---


def test_http_04_bomb_is_refused_at_the_limit() -> None:
    bomb = gzip.compress(b"\0" * 200_000_000, 9)
    answer = Answer(headers=(("Content-Encoding", "gzip"),), body=bomb)

    async def work(server: Server, asking: Client) -> None:
        tracemalloc.start()
        try:
            with pytest.raises(FetchError, match="larger than 1000000 bytes") as raised:
                await asking.get(f"{server.url}/docs/")
            assert tracemalloc.get_traced_memory()[1] < 4_000_000
        finally:
            tracemalloc.stop()
        assert not raised.value.retryable
        assert len(server.seen) == 1

    run(script(answer), work, max_bytes=1_000_000)


def test_http_04_declared_length_over_the_limit_is_not_read() -> None:
    error, requests = failure(script(Answer(body=b"x" * 100, length=10**9)), max_bytes=1024)
    assert "larger than" in error.reason
    assert requests == 1


def test_body_of_exactly_the_limit_is_taken() -> None:
    assert len(fetch(script(Answer(body=b"x" * 1024)), max_bytes=1024).body) == 1024
    error, _ = failure(script(Answer(body=b"x" * 1025)), max_bytes=1024)
    assert not error.retryable


def test_limit_may_be_another_for_what_is_no_page() -> None:
    async def work(server: Server, asking: Client) -> None:
        response = await asking.get(f"{server.url}/sitemap.xml", max_bytes=5000)
        assert len(response.body) == 5000

    run(script(Answer(body=b"x" * 5000)), work, max_bytes=1024)


def test_http_04_slow_body_ends_at_the_total_time() -> None:
    async def work(server: Server, asking: Client) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        with pytest.raises(FetchError, match=r"longer than 0\.3 s") as raised:
            await asking.get(f"{server.url}/docs/")
        assert loop.time() - began < 2
        assert raised.value.retryable
        assert len(server.seen) == 1

    run(script(Answer(body=b"x" * 1000, drip=0.01)), work, page_timeout=0.3)


def test_answer_that_never_comes_is_tried_again_within_the_total_time() -> None:
    error, requests = failure(script(Answer(hang=True)), page_timeout=0.8)
    assert "timeout" in error.reason or "longer than" in error.reason
    assert requests == 2
    assert error.retryable
    assert fetch(script(Answer(hang=True), Answer()), page_timeout=0.8).status == 200


def test_encoding_that_was_not_asked_for_is_refused() -> None:
    error, requests = failure(script(Answer(headers=(("Content-Encoding", "br"),))))
    assert "was not asked for" in error.reason
    assert (requests, error.retryable) == (1, False)


# --- trouble ---


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(body=b"x" * 21, length=42), "cut short"),
        (Answer(raw=b""), "without an answer"),
        (Answer(raw=b"nonsense\r\n\r\n"), "not an HTTP answer"),
        (Answer(raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc"), "cut short"),
        (Answer(headers=(("Content-Encoding", "gzip"),), body=gzip.compress(b"x" * 99)[:-9]), "cut short"),
        *((Answer(status=status), f"{status}") for status in (408, 425, 500, 502, 504)),
    ],
)
def test_del_01_trouble_is_tried_three_times_and_is_an_error(answer: Answer, reason: str) -> None:
    error, requests = failure(script(answer))
    assert reason in error.reason
    assert error.retryable
    assert requests == 3
    assert fetch(script(answer, answer, Answer(body=b"well"))).body == b"well"


def test_closed_port_is_an_error() -> None:
    async def main() -> None:
        async with serving(script(Answer())) as server:
            gone = server.url
        async with client(gone) as asking:
            with pytest.raises(FetchError, match="no connection") as raised:
                await asking.get(f"{gone}/docs/")
            assert raised.value.retryable
            assert asking.stats.requests == 3

    asyncio.run(main())


def test_silent_host_fails_page_by_page_without_being_asked() -> None:
    time = [0.0]

    async def sleep(seconds: float) -> None:
        time[0] += seconds

    async def main() -> None:
        async with serving(script(Answer())) as server:
            gone = server.url
        async with client(gone, monotonic=lambda: time[0], sleep=sleep) as asking:
            for n in range(100):
                with pytest.raises(FetchError) as raised:
                    await asking.get(f"{gone}/docs/{n}")
                assert raised.value.retryable
            assert "does not answer any more" in raised.value.reason
            assert asking.stats.requests < 100

    asyncio.run(main())


def test_host_that_is_not_found_is_an_error() -> None:
    async def resolve(host: str) -> list[str]:
        raise OSError("no such host")

    async def main() -> None:
        async with client("https://docs.example.com", resolve=resolve) as asking:
            with pytest.raises(FetchError, match=r"host docs\.example\.com was not found"):
                await asking.get("https://docs.example.com/docs/")

    asyncio.run(main())


def test_304_without_validators_is_asked_again_past_caches() -> None:
    async def work(server: Server, asking: Client) -> None:
        response = await asking.get(f"{server.url}/docs/")
        assert response.status == 200
        assert server.seen[1].headers["cache-control"] == "no-cache"

    run(script(Answer(status=304), Answer()), work)
    error, requests = failure(script(Answer(status=304)))
    assert (error.status, error.retryable, requests) == (304, True, 3)


def test_back_off_grows_and_is_jittered() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    error, _ = failure(script(Answer(status=500)), sleep=sleep)
    assert slept == [0.5, 1.0]
    assert error.reason == "500 Internal Server Error"


def test_one_client_keeps_its_connections_within_the_limit() -> None:
    async def work(server: Server, asking: Client) -> None:
        await asyncio.gather(*(asking.get(f"{server.url}/docs/{n}") for n in range(60)))
        assert server.most_open <= 3
        assert len(server.seen) == 60

    run(script(Answer()), work, concurrency=3)


# --- HTTP-01 ---


def test_http_01_429_slows_the_host_and_every_page_is_fetched() -> None:
    speed = 100.0  # seconds of the test's time in one of ours
    last = [-1e9]

    def now() -> float:
        return asyncio.get_running_loop().time() * speed

    def handler(seen: Seen) -> Answer:
        if now() - last[0] < 1.0:
            return Answer(status=429)
        last[0] = now()
        return Answer()

    async def sleep(seconds: float) -> None:
        await asyncio.sleep(seconds / speed)

    async def work(server: Server, asking: Client) -> None:
        answers = await asyncio.gather(*(asking.get(f"{server.url}/docs/{n}") for n in range(60)))
        assert [answer.status for answer in answers] == [200] * 60
        assert len(server.seen) < 90

    run(handler, work, monotonic=now, sleep=sleep)


def test_http_01_retry_after_is_waited_for_by_all_requests_to_the_host() -> None:
    time = [0.0]
    served: list[float] = []

    async def sleep(seconds: float) -> None:
        time[0] += seconds
        await asyncio.sleep(0)

    def handler(seen: Seen) -> Answer:
        served.append(time[0])
        return Answer(status=503, headers=(("Retry-After", "90"),)) if len(served) == 1 else Answer()

    async def work(server: Server, asking: Client) -> None:
        await asking.get(f"{server.url}/docs/a")
        await asking.get(f"{server.url}/docs/b")
        assert served[0] == 0.0
        assert all(at >= 90.0 for at in served[1:])
        assert len(served) == 3

    run(handler, work, monotonic=lambda: time[0], sleep=sleep)


def test_http_01_long_pause_is_said_with_its_end() -> None:
    date = (NOW + timedelta(hours=2)).strftime("%a, %d %b %Y %H:%M:%S GMT")

    async def work(server: Server, asking: Client) -> None:
        for _ in range(2):
            with pytest.raises(RateLimited) as raised:
                await asking.get(f"{server.url}/docs/")
            assert raised.value.retry_at == NOW + timedelta(hours=2)
        assert len(server.seen) == 1

    run(script(Answer(status=429, headers=(("Retry-After", date),))), work)


def test_http_01_exhausted_tries_are_a_failure_of_the_page() -> None:
    error, requests = failure(script(Answer(status=429, headers=(("Retry-After", "1"),))))
    assert (error.status, error.retryable, requests) == (429, True, 3)


def test_crawl_delay_is_kept_between_requests() -> None:
    time = [0.0]
    served: list[float] = []

    async def sleep(seconds: float) -> None:
        time[0] += seconds

    def handler(seen: Seen) -> Answer:
        served.append(time[0])
        return Answer()

    async def work(server: Server, asking: Client) -> None:
        asking.keep_delay(5.0)
        for n in range(3):
            await asking.get(f"{server.url}/docs/{n}")
        assert served == [0.0, 5.0, 10.0]

    run(handler, work, monotonic=lambda: time[0], sleep=sleep)


# --- proxies ---


def test_proxy_of_the_environment_is_used_and_bypassed() -> None:
    async def main() -> None:
        async with serving(script(Answer())) as proxy:
            proxies = {"http": proxy.url, "no": "internal.example, 127.0.0.1"}
            async with client("http://docs.example.com", proxies=proxies) as asking:
                await asking.get("http://docs.example.com/docs/")
                assert proxy.seen[0].target == "http://docs.example.com/docs/"
                with pytest.raises(FetchError, match="not a public address"):
                    await asking.get("http://10.0.0.1/")
                with pytest.raises(FetchError, match="was not found"):
                    await asking.get("http://a.internal.example/")
                assert len(proxy.seen) == 1

    asyncio.run(main())
