"""The open API of Feishu and Lark: its envelope, its tokens, its limits.

Success is `code == 0` in the body, whatever the HTTP status says; each class of endpoints has a limit of its own, and
a class that is shut for a while is not asked before that time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from math import inf
from typing import Any, TypeVar
from urllib.parse import quote

from git_okf.config import FeishuSource, secret_value
from git_okf.errors import ConfigError
from git_okf.jsonapi import (
    Answer,
    ApiRefused,
    ApiUnavailable,
    Effects,
    JsonApi,
    Limited,
    Manners,
    Ok,
    Refresh,
    Refused,
    Retry,
    Verdict,
    classify_http,
    retry_after,
)
from git_okf.jsonapi.client import Query
from git_okf.jsonapi.tries import rest
from git_okf.source import Tools

T = TypeVar("T")

TRIES = 3
PATIENCE_S = 120.0
"""All pauses of one call together."""
REFRESH_BEFORE = timedelta(minutes=10)
"""Of a token's end: it is renewed early, so that no call meets its end."""
LISTINGS_FASTER = 4.75
"""Listings may be asked 20 times a second, documents and media 5 times: with 4 of these, 19 of those."""
LIMIT_PAUSE_S = 10.0
"""After a frequency limit that does not say for how long."""
QUOTA_PAUSE_S = 86_400.0
REASON_LIMIT = 300
"""Characters of the API's own words in an error."""
IN_A_ROW = 5
"""Calls that came to nothing one after another, after which the API counts as down."""
SHORT_S = 60.0
"""For which a class may be shut without its calls being given up."""
LIMITS_A_RUN = 5
"""Calls given up because of the limit of one class, after which that class is shut for the rest of the run."""

LIST, DOCX, MEDIA, METAS, AUTH, ALL = "list", "docx", "media", "metas", "auth", "all"

LIMITED = frozenset({99991400, 1061045})
QUOTA = 99991403
STALE_TOKEN = frozenset({99991663, 99991664, 99991668, 99991677})
PASSING = frozenset({1061001, 1770020})
GONE = frozenset({1770002, 1770003, 1061003, 1061007})
FORBIDDEN = frozenset({1770032, 1061004, 1061005})
MOVED_ON = frozenset({1770021, 1770022})
"""The revision, or the page of it, is no longer to be had: read it anew."""
SCOPES = frozenset({99991672, 99991676, 99991679})
SETUP: Mapping[int, str] = {
    **dict.fromkeys(SCOPES, "grant the app the scope it names, publish a new version of it, then run again"),
    **dict.fromkeys((99991543, 10003, 10014), "see that app_id and app_secret belong to one app of this base_url"),
    **dict.fromkeys((99991662, 99991673), "the app is disabled or not installed: see the developer console"),
}
"""Codes that a person has to do something about, and what."""
TOO_LARGE = "the answer is larger than"


class Unserved(ApiUnavailable):
    """No token could be had, or a class of endpoints is shut: nothing more can be asked in this run."""

    code = "feishu-unserved"


def code_of(answer: Answer | None) -> int:
    """The business code of an answer; 0 where it has none."""
    data = answer.data if answer is not None else None
    code = data.get("code") if isinstance(data, dict) else None
    return code if isinstance(code, int) and not isinstance(code, bool) else 0


def is_gone(error: ApiRefused) -> bool:
    return code_of(error.answer) in GONE or (not code_of(error.answer) and error.status in (404, 410))


def is_forbidden(error: ApiRefused) -> bool:
    return code_of(error.answer) in FORBIDDEN or (not code_of(error.answer) and error.status in (401, 403))


def is_too_large(error: ApiRefused) -> bool:
    return error.reason.startswith(TOO_LARGE)


def classify(answer: Answer) -> Verdict:
    """What an answer means: by its code, and by its status only where it has no code."""
    data = answer.data
    code = data.get("code") if isinstance(data, dict) else None
    if not isinstance(code, int) or isinstance(code, bool):
        return _uncoded(answer)
    reason = _reason(answer, code)
    if code == 0:
        return Ok()
    if code in LIMITED or answer.status == 429:
        return Limited(reason, _pause(answer))
    if code == QUOTA:
        return Limited(reason, QUOTA_PAUSE_S)
    if code in STALE_TOKEN:
        return Refresh(reason)
    if code in PASSING or answer.status >= 500:
        return Retry(reason, retry_after(answer))
    return Refused(reason, SETUP.get(code, ""))


def _uncoded(answer: Answer) -> Verdict:
    """No envelope: an error of something before the API, or a file that happens to be JSON."""
    verdict = classify_http(answer)
    if isinstance(verdict, Limited):
        return Limited(verdict.reason, _pause(answer))
    if isinstance(verdict, Ok) and class_of(answer.url) != MEDIA:
        return Retry("the answer is not the API's")
    return verdict


def _pause(answer: Answer) -> float:
    said = answer.headers.get("x-ogw-ratelimit-reset", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", said):
        return float(said)
    after = retry_after(answer)
    return LIMIT_PAUSE_S if after is None else after


def _reason(answer: Answer, code: int) -> str:
    """The code and the API's own words: not the links for people of its console that come with them."""
    words = answer.data.get("msg")
    said = " ".join("".join(ch if ch.isprintable() else " " for ch in str(words or "")).split())[:REASON_LIMIT]
    log_id = "".join(ch for ch in answer.headers.get("x-tt-logid", "") if ch.isalnum())[:64]
    return f"{code} HTTP {answer.status}" + (f": {said}" if said else "") + (f" (log id {log_id})" if log_id else "")


def class_of(path: str) -> str:
    """The endpoints that share a limit."""
    if "/auth/" in path:
        return AUTH
    if path.partition("?")[0].endswith("/download"):
        return MEDIA
    if "/metas/" in path:
        return METAS
    return DOCX if "/docx/" in path else LIST


class Feishu:
    """A client for one run. Counts what it asks; raises ConfigError, ApiRefused, ApiUnavailable or Interrupted."""

    def __init__(self, source: FeishuSource, environ: Mapping[str, str], tools: Tools, effects: Effects) -> None:
        self._source, self._tools, self._effects = source, tools, effects
        self._id = secret_value(source, "app_id", source.app_id, environ)
        self._secret = secret_value(source, "app_secret", source.app_secret, environ)
        self.requests = 0
        self.bytes = 0
        self._in_a_row = 0
        self._limits: Counter[str] = Counter()
        self._shut: dict[str, ApiUnavailable] = {}
        self._token = ""
        self._until: datetime | None = None
        secrets = (self._secret, self._id)
        manners = Manners(classify=classify, tries=TRIES, patience=PATIENCE_S, pace=self._pace)
        self._tokens = JsonApi(source.base_url, manners=manners, effects=effects, secrets=secrets)
        self._calls = JsonApi(
            source.base_url,
            self._authorize,
            manners=manners,
            effects=effects,
            secrets=secrets,
            allow_hosts=source.allow_hosts,
        )

    def close(self) -> None:
        self._tokens.close()
        self._calls.close()

    def get(self, path: str, *parts: str, query: Query | None = None) -> Answer:
        """`path` with a `{}` for each part, which is escaped."""
        return self._call("GET", path.format(*(quote(part, safe="") for part in parts)), query, None)

    def post(self, path: str, body: Any, query: Query | None = None) -> Answer:
        """A question that is too long for a URL: to ask it twice does no harm."""
        return self._call("POST", path, query, body)

    def download(self, path: str, token: str, limit: int) -> bytes:
        target = path.format(quote(token, safe=""))

        def ask() -> bytes:
            data = self._calls.download(target, limit=limit).data
            self.bytes += len(data)
            return data

        return self._guarded(MEDIA, ask)

    def stopped(self, *more: str) -> ApiUnavailable | None:
        """Why nothing more is to be asked in this run, or nothing of the classes `more`; None where nothing says so."""
        return next((self._shut[name] for name in (ALL, AUTH, LIST, *more) if self._is_shut(name)), None)

    def _call(self, method: str, path: str, query: Query | None, body: Any) -> Answer:
        def ask() -> Answer:
            answer = self._calls.call(method, path, query=query, json=body, repeatable=True)
            self.bytes += len(answer.body)
            return answer

        return self._guarded(class_of(path), ask)

    def _guarded(self, name: str, ask: Callable[[], T]) -> T:
        """One call, unless its class is shut; a class that says it is overrun is shut until the time it names."""
        for shut in (ALL, name):
            self._wait(shut)
            if self._is_shut(shut):
                raise self._shut[shut]
        try:
            done = ask()
        except ApiRefused as error:
            self._in_a_row = 0
            raise self._for_people(error) from None
        except ApiUnavailable as error:
            self._note(name, error)
            raise
        self._in_a_row = 0
        return done

    def _note(self, name: str, error: ApiUnavailable) -> None:
        self._in_a_row += 1
        if isinstance(error, Unserved):
            self._shut[AUTH] = error
        elif error.rate_limited:
            self._limits[name] += 1
            self._shut[ALL if str(QUOTA) in error.message else name] = error
        elif self._in_a_row >= IN_A_ROW:
            self._shut[ALL] = error

    def _is_shut(self, name: str) -> bool:
        return self._left(name) > 0

    def _left(self, name: str) -> float:
        """Seconds for which a class is still shut."""
        error = self._shut.get(name)
        if error is None:
            return 0.0
        until = error.retry_at if error.rate_limited and self._limits[name] < LIMITS_A_RUN else None
        return inf if until is None else (datetime.fromisoformat(until) - self._tools.clock()).total_seconds()

    def _wait(self, name: str) -> None:
        """A short while is waited for: the next article has the same limit as this one."""
        left = self._left(name)
        if 0 < left <= SHORT_S:
            rest(left, self._effects)

    def _for_people(self, error: ApiRefused) -> Exception:
        code = code_of(error.answer)
        if code in SETUP:
            return ConfigError(f"source {self._source.name}: {error.message}; nothing was changed", SETUP[code])
        return error

    # --- tokens ---

    def _authorize(self, fresh: bool) -> Mapping[str, str]:
        now = self._tools.clock()
        if fresh or self._until is None or now >= self._until:
            self._renew(now)
        return {"Authorization": f"Bearer {self._token}"}

    def _renew(self, now: datetime) -> None:
        body = {"app_id": self._id, "app_secret": self._secret}
        try:
            answer = self._tokens.call(
                "POST", "/open-apis/auth/v3/tenant_access_token/internal", json=body, repeatable=True
            )
        except ApiUnavailable as error:
            raise Unserved(
                f"no access token: {error.message}",
                error.hint,
                retry_at=error.retry_at,
                rate_limited=error.rate_limited,
            ) from None
        except ApiRefused as error:
            if code_of(error.answer) in SETUP:
                raise self._for_people(error) from None
            raise Unserved(f"no access token: {error.message}", error.hint) from None
        self.bytes += len(answer.body)
        token, expire = answer.data.get("tenant_access_token"), answer.data.get("expire")
        if not isinstance(token, str) or not token or not isinstance(expire, int):
            raise Unserved("no access token: the answer holds none")
        self._token = token
        self._until = now + max(timedelta(seconds=expire) - REFRESH_BEFORE, timedelta(seconds=expire // 2))

    def _pace(self, method: str, path: str) -> tuple[str, float]:
        """Called once a request."""
        self.requests += 1
        name, rate = class_of(path), self._source.requests_per_second
        return name, 1 / (rate * LISTINGS_FASTER if name == LIST else rate)


def answered_at(answer: Answer) -> int:
    """Seconds since 1970 by the server's clock; by ours where it does not tell."""
    try:
        when = parsedate_to_datetime(answer.headers.get("date", ""))
    except ValueError:
        when = answer.received
    return int((when if when.tzinfo else answer.received).timestamp())


def payload(answer: Answer) -> Mapping[str, Any]:
    """`data` of an answer; empty where it is none."""
    data = answer.data.get("data") if isinstance(answer.data, dict) else None
    return data if isinstance(data, dict) else {}
