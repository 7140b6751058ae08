"""HTTP for JSON APIs: one call is a bounded number of tries, and a host says in one function how its answers are read.

    api = JsonApi("https://api.github.com", lambda fresh: {"Authorization": f"Bearer {token}"}, manners=Manners(...))
    api.call("GET", "/repos/acme/docs").data["id"]
    for page in api.pages("/repos/acme/docs/pulls", query={"state": "all"}): ...
    api.download("/medias/x/download", limit=50_000_000).data

call       one request and its answer, redirects and tries included
verdict    what an answer means: `Ok`, `Retry`, `Limited`, `Refresh` (the token), `Refused`
manners    how a host wants to be asked: its verdicts, headers, pace, and how long we are patient with it
effects    clock, sleep, and whether a signal asked the run to end

What ends a call is an `OkfError`: `ApiRefused` (the API says no, and would again), `ApiUnavailable` (not now; with
`retry_at` and `rate_limited`), `ApiUncertain` (nobody knows whether a request that must not be repeated was carried
out). They name host, method, path and the API's own reason, never a query, a body or a secret.
"""

from git_okf.jsonapi.answers import (
    Answer,
    ApiRefused,
    ApiUnavailable,
    ApiUncertain,
    Limited,
    Ok,
    Refresh,
    Refused,
    Retry,
    Verdict,
    classify_http,
    next_page,
    reason_of,
    retry_after,
)
from git_okf.jsonapi.client import JsonApi
from git_okf.jsonapi.download import Download
from git_okf.jsonapi.tries import Effects, Manners

__all__ = [
    "Answer",
    "ApiRefused",
    "ApiUnavailable",
    "ApiUncertain",
    "Download",
    "Effects",
    "JsonApi",
    "Limited",
    "Manners",
    "Ok",
    "Refresh",
    "Refused",
    "Retry",
    "Verdict",
    "classify_http",
    "next_page",
    "reason_of",
    "retry_after",
]
