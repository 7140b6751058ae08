"""A source that looks at a fake drive in this process, with a clock of its own: no test waits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote

from feishu_server import APP_ID, APP_SECRET, Server
from observing import Bodies, Inline

from git_okf.config import FeishuSource, Removal
from git_okf.delta import Rules, compute
from git_okf.model import Delta, Fetched, Observation, Outcome, Record
from git_okf.source import Ask, Tools
from git_okf.source.feishu.folder import FeishuFolder

ENVIRON = {"FEISHU_APP_ID": APP_ID, "FEISHU_APP_SECRET": APP_SECRET}
BEGIN = datetime(2026, 11, 30, tzinfo=UTC)


class Clock:
    """Time that passes only where somebody sleeps."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.seconds += seconds

    def pass_by(self, seconds: float) -> None:
        """Time in which somebody else works."""
        self.seconds += seconds

    def monotonic(self) -> float:
        return self.seconds

    def now(self) -> datetime:
        return BEGIN + timedelta(seconds=self.seconds - 1000)


def source_of(server: Server, **options: Any) -> FeishuSource:
    given: dict[str, Any] = {
        "name": "blog",
        "bundle": "blog",
        "base_url": server.url,
        "folder": server.drive.root,
        "app_id": "${FEISHU_APP_ID}",
        "app_secret": "${FEISHU_APP_SECRET}",
        **options,
    }
    return FeishuSource(**given)


class Desk:
    """A drive behind its server, and what is known of it."""

    def __init__(self, server: Server, **options: Any) -> None:
        self.server, self.drive = server, server.drive
        self.options = options
        self.clock = Clock()
        self.known: dict[str, Record] = {}
        self.spool = Bodies()
        self.delta = Delta()

    def source(self, **options: Any) -> FeishuFolder:
        given = {**self.options, **options}
        return FeishuFolder(source_of(self.server, **given), ENVIRON, monotonic=self.clock.monotonic)

    def tools(self, spool: Bodies | None = None, stopping: Callable[[], bool] = lambda: False) -> Tools:
        return Tools(
            clock=self.clock.now,
            spool=spool or Bodies(),
            place=place,
            executor=Inline,
            sleep=self.clock.sleep,
            stopping=stopping,
        )

    def look(
        self,
        ask: Ask | None = None,
        *,
        known: Mapping[str, Record] | None = None,
        spool: Bodies | None = None,
        **options: Any,
    ) -> Observation:
        """One run, of which nothing is remembered."""
        self.server.forget()
        asked = self.known if known is None else known
        return self.source(**options).observe(asked, ask or Ask(), self.tools(spool))

    def sync(self, ask: Ask | None = None, **options: Any) -> Observation:
        """One run whose delta is taken, as the conductor takes it."""
        self.spool = Bodies()
        seen = self.look(ask, spool=self.spool, **options)
        self.take(seen)
        return seen

    def take(self, seen: Observation) -> None:
        rules = Rules(removal=Removal(), now=self.clock.now().isoformat(), names=names)
        self.delta = compute(self.known, seen, rules)
        self.known = {record.key: record for record in self.delta.records}
        for change in (*self.delta.added, *self.delta.updated, *self.delta.rerendered):
            assert self.spool.get(change.new.content_hash)

    def fetched(self, key: str, **options: Any) -> Fetched:
        """What a run that knows nothing makes of one article."""
        outcome = self.look(known={}, **options).outcomes[key]
        assert isinstance(outcome, Fetched), outcome
        return outcome

    def marks(self, key: str) -> dict[str, str]:
        """The watermarks of an article."""
        return {kind: mark["at"] for kind, mark in self.known[key].memo.get("syncCheckpoints", {}).items()}

    def subject(self) -> str:
        return f"+{len(self.delta.added)} -{len(self.delta.removed)} ={len(self.delta.updated)}"


def outcomes(seen: Observation) -> dict[str, str]:
    return {key: type(outcome).__name__ for key, outcome in seen.outcomes.items()}


def reason(outcome: Outcome | None) -> str:
    said = getattr(outcome, "reason", None)
    assert isinstance(said, str), outcome
    return said


def names(staying: Iterable[str]) -> Callable[[str, str], str]:
    taken = set(staying)

    def assign(name: str, key: str) -> str:
        path = place(name) if place(name) not in taken else place(f"{name}~{key}")
        taken.add(path)
        return path

    return assign


def place(name: str) -> str:
    return f"pages/{unquote(name).replace('/', '-')}.md"
