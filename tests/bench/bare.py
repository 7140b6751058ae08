"""The limit: what a crawl costs that does nothing but what it must. `bare.py crawl|conditional|hash URL MEMORY`.

`crawl` follows links from URL, hashes each page and writes what it learned into MEMORY (JSON). `conditional` asks for
the pages in MEMORY with the validators they came with; `hash` asks for them without, and hashes what comes.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin

import aiohttp
from selectolax.lexbor import LexborHTMLParser

CONCURRENCY = 8
Memory = dict[str, list[str]]
"""By URL: hash, ETag, Last-Modified."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: bytes
    headers: Mapping[str, str]


Ask = Callable[[str, Mapping[str, str]], Coroutine[Any, Any, Answer]]


async def with_session(job: Callable[[Ask], Coroutine[Any, Any, None]]) -> None:
    connector = aiohttp.TCPConnector(limit=CONCURRENCY)
    async with aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar()) as session:

        async def ask(url: str, headers: Mapping[str, str]) -> Answer:
            async with session.get(url, headers=headers) as response:
                return Answer(response.status, await response.read(), response.headers)

        await job(ask)


async def crawl(ask: Ask, root: str, memory: Memory) -> None:
    queue, seen = asyncio.Queue[str](), {root}
    queue.put_nowait(root)

    async def work() -> None:
        while True:
            url = await queue.get()
            answer = await ask(url, {})
            if answer.status == 200 and "html" in answer.headers.get("Content-Type", ""):
                digest = hashlib.sha256(answer.body).hexdigest()
                memory[url] = [digest, answer.headers.get("ETag", ""), answer.headers.get("Last-Modified", "")]
                for target in links(answer.body, url):
                    if target.startswith(root) and target not in seen:
                        seen.add(target)
                        queue.put_nowait(target)
            queue.task_done()

    workers = [asyncio.create_task(work()) for _ in range(CONCURRENCY)]
    await queue.join()
    for worker in workers:
        worker.cancel()


def links(body: bytes, base: str) -> set[str]:
    written = {node.attributes.get("href") or "" for node in LexborHTMLParser(body).css("a[href]")}
    return {urldefrag(urljoin(base, href)).url for href in written}


async def look(ask: Ask, memory: Memory, *, conditional: bool) -> None:
    left = iter(memory.items())
    changed = 0

    async def work() -> None:
        nonlocal changed
        for url, (digest, etag, modified) in left:
            if not conditional:
                answer = await ask(url, {})
                same = hashlib.sha256(answer.body).hexdigest() == digest
            else:
                answer = await ask(url, {"If-None-Match": etag, "If-Modified-Since": modified})
                same = answer.status == 304
            changed += not same

    await asyncio.gather(*(work() for _ in range(CONCURRENCY)))
    sys.stdout.write(f"{changed} of {len(memory)} changed\n")


def main() -> None:
    mode, root, file = sys.argv[1:]
    path = Path(file)
    if mode == "crawl":
        found: Memory = {}
        asyncio.run(with_session(lambda ask: crawl(ask, root, found)))
        path.write_text(json.dumps(found), encoding="utf-8")
    else:
        memory = json.loads(path.read_text(encoding="utf-8"))
        asyncio.run(with_session(lambda ask: look(ask, memory, conditional=mode == "conditional")))


if __name__ == "__main__":
    main()
