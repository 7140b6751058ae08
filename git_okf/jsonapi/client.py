"""The client: the only module that knows httpx. One client is for one thread."""

from __future__ import annotations

import json as jsonlib
import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from git_okf import __version__, digest
from git_okf.errors import ConfigError
from git_okf.jsonapi.answers import Answer, Ok, Refused, Retry, Verdict, next_page
from git_okf.jsonapi.download import Download, Part
from git_okf.jsonapi.reach import Hop, Unreachable, origin, pinned, redirected
from git_okf.jsonapi.tries import Effects, Manners, Tries, check, rest

if TYPE_CHECKING:
    import httpx

REDIRECTS = (301, 302, 307, 308)
MAX_REDIRECTS = 5
MAX_PAGES = 1000
TIMEOUT_S = 60.0
"""Without a byte; connecting takes a quarter of it at most."""
TRY_S = 180.0
"""One try of a JSON call from its first byte to its last: a server that drips does not hold us for ever."""
SECRET_LENGTH = 8
"""Characters from which on a part of a credential is taken out of errors: `Bearer` is no secret."""
REMEMBERED = 64
"""Answers with an ETag that are kept: asked again they cost a 304, which GitHub does not count."""

Query = Mapping[str, str | int | Sequence[str | int]]
Authorize = Callable[[bool], Mapping[str, str]]


class _Broken(Exception):
    """A try that came to no answer. `sent`: the request may have arrived. `lasting`: it would not go better again."""

    def __init__(self, reason: str, *, sent: bool, lasting: bool = False) -> None:
        super().__init__(reason)
        self.verdict: Verdict = Refused(reason) if lasting else Retry(reason)
        self.sent = sent


class JsonApi:
    """A JSON API at `base` (`https://api.github.com`).

    `authorize(fresh)` is asked before each request for the headers that carry our credentials, with `fresh` where the
    last ones were refused; they go to the origin of `base` and nowhere else. It keeps what it got, and where it has to
    ask for a token it does so through a client of its own. `secrets` are further strings that no error may show,
    `allow_hosts` hosts that a download may be redirected to whatever their address.
    """

    def __init__(
        self,
        base: str,
        authorize: Authorize = lambda fresh: {},
        *,
        manners: Manners | None = None,
        effects: Effects | None = None,
        secrets: Sequence[str] = (),
        allow_hosts: Sequence[str] = (),
    ) -> None:
        try:
            origin(base)
        except Unreachable as error:
            raise ConfigError(f"the address of an API is {error}: {base.partition('?')[0]!r}") from None
        if urlsplit(base).username or urlsplit(base).password:
            raise ConfigError("the address of an API holds credentials", "give the token through the environment")
        self.base = base.rstrip("/")
        self.manners = manners or Manners()
        self.effects = effects or Effects()
        self._authorize = authorize
        self._refused = False
        self._secrets = {secret for secret in secrets if secret}
        self._allowed = frozenset(host.lower() for host in allow_hosts)
        self._http: httpx.Client | None = None
        self._started: dict[str, float] = {}
        self._remembered: OrderedDict[str, Answer] = OrderedDict()

    def __enter__(self) -> JsonApi:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._http is not None:
            self._http.close()
            self._http = None

    # --- calls ---

    def call(
        self, method: str, path: str, *, query: Query | None = None, json: Any = None, repeatable: bool | None = None
    ) -> Answer:
        """One call, the answer of which `Manners.classify` finds `Ok`.

        `path` begins with "/" and is put behind `base`; the caller has percent-encoded what in it came from outside.
        `repeatable`: to be carried out twice does no harm (every method but POST, unless it is said).
        """
        target = self.base + path + (f"?{urlencode(query, doseq=True)}" if query else "")
        return self._call(method, target, json, method != "POST" if repeatable is None else repeatable)

    def pages(self, path: str, *, query: Query | None = None) -> Iterator[Answer]:
        """A listing, page by page, as the `Link` headers lead; bounded, and never to one page twice."""
        answer = self.call("GET", path, query=query)
        seen: set[str] = set()
        scheme, host, _ = origin(self.base)
        root = f"{scheme}://{urlsplit(self.base).netloc or host}"
        while True:
            yield answer
            following = next_page(answer)
            if not following or following in seen or len(seen) >= MAX_PAGES:
                return
            seen.add(following)
            answer = self._call("GET", root + following, None, True)

    def download(self, path: str, *, limit: int, query: Query | None = None) -> Download:
        """A file of at most `limit` bytes: from the API, or by a redirect from another host, without our credentials.

        An answer in JSON that is no attachment is put to `classify` with its body: APIs report errors with status 200.
        ApiRefused where the file is larger, or the API says no.
        """
        url = path if re.match(r"https?://", path) else self.base + path
        url += f"?{urlencode(query, doseq=True)}" if query else ""
        tries, part = self._tries("GET", url), Part()
        while True:
            verdict, answer = self._attempt(url, part, limit)
            if isinstance(verdict, Ok) and answer is not None:
                data = bytes(part.data)
                said = answer.headers
                return Download(
                    data=data,
                    content_type=said.get("content-type", ""),
                    disposition=said.get("content-disposition", ""),
                    hash=digest.raw_hash(data),
                )
            self._refused = tries.again(verdict, answer)

    # --- one try ---

    def _call(self, method: str, url: str, json: Any, repeatable: bool) -> Answer:
        content = None if json is None else jsonlib.dumps(json, ensure_ascii=False).encode(errors="replace")
        tries = self._tries(method, url)
        while True:
            answer: Answer | None = None
            try:
                answer = self._asked(Hop(method=method, url=url, content=content))
                verdict, again = self.manners.classify(answer), repeatable
            except _Broken as broken:
                verdict, again = broken.verdict, repeatable or not broken.sent
            if isinstance(verdict, Ok) and answer is not None:
                return answer
            self._refused = tries.again(verdict, answer, repeatable=again)

    def _asked(self, hop: Hop) -> Answer:
        known = self._remembered.get(hop.url) if hop.method == "GET" else None
        condition = {"If-None-Match": known.headers["etag"]} if known else {}
        with self._stream(hop, condition, elsewhere=False) as (response, last):
            body = bytearray()
            self._read(response, body, self.manners.max_bytes, TRY_S)
            answer = self._answer(last, response, bytes(body))
        if answer.status == 304 and known is not None:
            return known
        if hop.method != "GET":
            self._remembered.clear()
        elif answer.status == 200 and answer.headers.get("etag"):
            self._remembered[hop.url] = answer
            if len(self._remembered) > REMEMBERED:
                self._remembered.popitem(last=False)
        return answer

    def _attempt(self, url: str, part: Part, limit: int) -> tuple[Verdict, Answer | None]:
        """One try of a download; what came of the file is in `part`."""
        hop = Hop(method="GET", url=url, ours=origin(url) == origin(self.base))
        headers = {"Accept": "*/*", "Accept-Encoding": "identity", **part.headers}
        try:
            with self._stream(hop, headers, elsewhere=True) as (response, last):
                answer = self._answer(last, response, b"")
                if answer.status not in (200, 206) or (answer.is_json and "content-disposition" not in answer.headers):
                    return self._no_file(response, last, part, limit)
                if not part.begin(answer.status, answer.headers):
                    return Retry("another part of the file came than was asked for"), answer
                self._read(response, part.data, limit, None)
                return Ok(), answer
        except _Broken as broken:
            return broken.verdict, None

    def _no_file(self, response: httpx.Response, hop: Hop, part: Part, limit: int) -> tuple[Verdict, Answer]:
        """An error, or a file in JSON: `classify` knows."""
        body = bytearray()
        self._read(response, body, self.manners.max_bytes, TRY_S)
        answer = self._answer(hop, response, bytes(body))
        if answer.status == 416:
            part.data.clear()
            return Retry("the part of the file that was asked for does not exist"), answer
        verdict = self.manners.classify(answer)
        if isinstance(verdict, Ok):
            part.data[:] = body
            if len(body) > limit:
                return Refused(f"the answer is larger than {limit} bytes"), answer
        return verdict, answer

    @contextmanager
    def _stream(self, hop: Hop, headers: Mapping[str, str], *, elsewhere: bool) -> Iterator[tuple[httpx.Response, Hop]]:
        """The answer at the end of the redirects, its body not read yet. _Broken where there is none."""
        import httpx

        self._pace(hop)
        sent = True
        try:
            for _ in range(MAX_REDIRECTS + 1):
                check(self.effects)
                client = self._client()
                client.cookies.clear()
                with client.stream(**self._request(hop, headers)) as response:
                    location = response.headers.get("location", "")
                    if response.status_code not in REDIRECTS or not location:
                        yield response, hop
                        return
                hop = redirected(hop, location, self.base, elsewhere=elsewhere)
            raise Unreachable(f"more than {MAX_REDIRECTS} redirects")
        except Unreachable as error:
            raise _Broken(f"{error}, which is not followed", sent=False, lasting=True) from None
        except httpx.LocalProtocolError:
            raise _Broken("the request cannot be written as HTTP", sent=False, lasting=True) from None
        except httpx.InvalidURL:
            raise _Broken("a redirect to a URL that is none", sent=False, lasting=True) from None
        except httpx.RequestError as error:
            sent = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.ProxyError)
            raise _Broken(_trouble(error), sent=sent) from None

    def _request(self, hop: Hop, headers: Mapping[str, str]) -> dict[str, Any]:
        url, extensions = hop.url, {}
        sent = {"User-Agent": f"git-okf/{__version__}", "Accept": "application/json", **self.manners.headers, **headers}
        if hop.content is not None:
            sent["Content-Type"] = "application/json; charset=utf-8"
        if hop.ours:
            sent.update(self._credential_headers())
        else:
            address = pinned(hop.url, tuple(self._allowed))
            if address:
                parts = urlsplit(hop.url)
                there = f"[{address}]" if ":" in address else address
                sent["Host"] = parts.netloc
                extensions = {"sni_hostname": hop.host}
                url = parts._replace(netloc=f"{there}:{parts.port}" if parts.port else there).geturl()
        return {"method": hop.method, "url": url, "content": hop.content, "headers": sent, "extensions": extensions}

    def _credential_headers(self) -> Mapping[str, str]:
        fresh, self._refused = self._refused, False
        credentials = self._authorize(fresh)
        for name, value in credentials.items():
            if any(word in name.lower() for word in ("auth", "token", "key")):
                self._secrets.update(part for part in value.split() if len(part) >= SECRET_LENGTH)
            if not value.isascii() or not value.isprintable():
                raise ConfigError(
                    f"the token for {urlsplit(self.base).hostname} holds characters that no header can carry",
                    "is there a line break in the variable? Set it anew",
                )
        return credentials

    def _read(self, response: httpx.Response, into: bytearray, limit: int, seconds: float | None) -> None:
        import httpx

        began = self.effects.monotonic()
        try:
            for chunk in response.iter_bytes():
                check(self.effects)
                if len(into) + len(chunk) > limit:
                    raise _Broken(f"the answer is larger than {limit} bytes", sent=True, lasting=True)
                into += chunk
                if seconds is not None and self.effects.monotonic() - began > seconds:
                    raise _Broken(f"the answer did not end within {seconds:g} s", sent=True)
        except httpx.RequestError as error:
            raise _Broken(_trouble(error), sent=True) from None

    def _answer(self, hop: Hop, response: httpx.Response, body: bytes) -> Answer:
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Answer(hop.method, hop.url, response.status_code, headers, body, self.effects.clock())

    def _pace(self, hop: Hop) -> None:
        bucket, seconds = self.manners.pace(hop.method, urlsplit(hop.url).path)
        if seconds > 0:
            now = self.effects.monotonic()
            pause = self._started.get(bucket, now - seconds) + seconds - now
            if pause > 0:
                rest(pause, self.effects)
            self._started[bucket] = self.effects.monotonic()

    def _client(self) -> httpx.Client:
        import httpx

        if self._http is None:
            timeout = httpx.Timeout(TIMEOUT_S, connect=TIMEOUT_S / 4)
            try:
                self._http = httpx.Client(timeout=timeout, follow_redirects=False)
            except (ValueError, ImportError, OSError):
                raise ConfigError(
                    "what the environment says about proxies or certificates cannot be used",
                    "check HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, SSL_CERT_FILE and SSL_CERT_DIR",
                ) from None
        return self._http

    def _tries(self, method: str, url: str) -> Tries:
        parts = urlsplit(url)
        return Tries(f"{method} {parts.hostname}{parts.path}", self.manners, self.effects, self._hidden)

    def _hidden(self, text: str) -> str:
        for secret in sorted(self._secrets, key=len, reverse=True):
            text = text.replace(secret, "***")
        return text


def _trouble(error: httpx.RequestError) -> str:
    """What went wrong with a connection, in words of ours: httpx's may hold parts of the request."""
    import httpx

    if isinstance(error, httpx.ConnectError):
        return f"no connection: {' '.join(str(error).split())[:200]}"
    words: tuple[tuple[type[httpx.RequestError], str], ...] = (
        (httpx.ConnectTimeout, "no connection within the time"),
        (httpx.TimeoutException, "no answer within the time"),
        (httpx.ProxyError, "the proxy does not let us through"),
        (httpx.DecodingError, "the answer's encoding is broken"),
        (httpx.RemoteProtocolError, "the answer broke off"),
    )
    return next((said for kind, said in words if isinstance(error, kind)), "the connection broke")
