"""The spider that Scrapy runs: every page below START is asked for, its links are followed, its text is not read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, ClassVar

import scrapy  # type: ignore[import-not-found]  # it is in an environment of its own
from scrapy.linkextractors import LinkExtractor  # type: ignore[import-not-found]


class Site(scrapy.Spider):  # type: ignore[misc]
    """With an HTTP cache that heeds validators, in OKF_BENCH_CACHE."""

    name = "site"
    start_urls = (os.environ["OKF_BENCH_START"],)
    custom_settings: ClassVar[dict[str, Any]] = {
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "DEPTH_LIMIT": 0,
        "HTTPCACHE_DIR": os.environ["OKF_BENCH_CACHE"],
        "HTTPCACHE_ENABLED": True,
        "HTTPCACHE_POLICY": "scrapy.extensions.httpcache.RFC2616Policy",
        "DEFAULT_REQUEST_HEADERS": {"Cache-Control": "max-age=0"},  # or it would not ask again what is young
        "LOG_LEVEL": "ERROR",
        "ROBOTSTXT_OBEY": False,
        "TELNETCONSOLE_ENABLED": False,
    }
    follow = LinkExtractor(allow="^" + os.environ["OKF_BENCH_START"])

    def parse(self, response: Any) -> Iterator[Any]:
        if isinstance(response, scrapy.http.HtmlResponse):
            yield from response.follow_all(self.follow.extract_links(response))
