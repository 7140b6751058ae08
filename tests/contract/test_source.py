"""What every source promises (git_okf/source/__init__.py), proved for each of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import pytest
from feishu_observing import ENVIRON, source_of
from feishu_server import Server, feishu
from git_http import GitServer, git_server
from observing import Bodies, no_sleep, page, tools
from packaged import MIT, skill
from site_server import Site, serving
from upstreams import Upstream

from git_okf.config import GitSource, SkillsSource, WebSource
from git_okf.digest import content_hash
from git_okf.errors import SourceUnavailable
from git_okf.model import Failed, Fetched, Gone, NotModified, Observation, Record, Status
from git_okf.source import Ask, Source
from git_okf.source.feishu.folder import FeishuFolder
from git_okf.source.git.source import MarkdownRepository
from git_okf.source.memory import Item, MemorySource
from git_okf.source.repository.mirror import MISSING, Blob, Mirror
from git_okf.source.skills.source import SkillsRepository
from git_okf.source.web.site import WebSite

NAMES = ("a", "b", "c", "d", "e", "f")


class World(Protocol):
    """A place outside that a source looks at."""

    lists: bool
    """It says what it has without being asked for each item, so that one that fails leaves the enumeration complete."""

    def key(self, name: str) -> str: ...

    def put(self, name: str, text: str) -> None: ...

    def drop(self, name: str) -> None: ...

    def fail(self, name: str) -> None: ...

    def heal(self) -> None: ...

    def outage(self) -> None: ...

    def source(self, *, other_extractor: bool = False) -> Source: ...

    def asked(self) -> list[str]: ...


@dataclass
class Memory:
    place: MemorySource = field(default_factory=MemorySource)
    lists = False

    def key(self, name: str) -> str:
        return name

    def put(self, name: str, text: str) -> None:
        self.place.items[name] = Item(title=f"Page {name}", body=text)

    def drop(self, name: str) -> None:
        del self.place.items[name]

    def fail(self, name: str) -> None:
        self.place.troubles[name] = Failed(key=name, reason="500")

    def heal(self) -> None:
        self.place.troubles.clear()
        self.place.outage = ""

    def outage(self) -> None:
        self.place.outage = "it is down"

    def source(self, *, other_extractor: bool = False) -> Source:
        self.place.fingerprint = "memory-2" if other_extractor else "memory-1"
        return self.place

    def asked(self) -> list[str]:
        return list(self.place.asked)


@dataclass
class Web:
    site: Site
    lists = False

    def key(self, name: str) -> str:
        return f"{self.site.url}{name}"

    def put(self, name: str, text: str) -> None:
        self.site.page(f"/{name}", page(f"Page {name}", text))
        self._hub()

    def drop(self, name: str) -> None:
        self.site.remove(f"/{name}")
        self._hub()

    def fail(self, name: str) -> None:
        self.site.fault(f"/{name}", status=500)
        self._hub(name)

    def heal(self) -> None:
        self.site.heal()

    def outage(self) -> None:
        self.site.fault("*", status=503, headers={"Retry-After": "86400"})

    def source(self, *, other_extractor: bool = False) -> Source:
        self.site.forget()
        source = WebSource(name="docs", url=self.site.url, bundle="docs", drop=("aside",) if other_extractor else ())
        return WebSite(source, {}, sleep=no_sleep)

    def asked(self) -> list[str]:
        return [f"{self.site.url}{r.path[1:]}" for r in self.site.requests() if r.path[1:] in NAMES]

    def _hub(self, *more: str) -> None:
        names = sorted({path[1:] for path in self.site.pages if path != "/"} | set(more))
        links = "".join(f'<li><a href="/{name}">{name}</a></li>' for name in names)
        self.site.page("/", page("Home", f"The pages of this site, as a list for the reader.</p><ul>{links}</ul><p>"))


@dataclass
class Feishu:
    server: Server
    lists = False
    tokens: dict[str, str] = field(default_factory=dict)

    def key(self, name: str) -> str:
        return self.tokens.get(name, f"no-{name}")

    def put(self, name: str, text: str) -> None:
        drive = self.server.drive
        if name in self.tokens:
            drive.write(self.tokens[name], text)
        else:
            self.tokens[name] = drive.document(drive.root, f"Page {name}", text)
        drive.later(hours=1)

    def drop(self, name: str) -> None:
        self.server.drive.delete(self.tokens[name])

    def fail(self, name: str) -> None:
        self.put(name, "A text that cannot be read.")
        empty = b'{"code": 0, "data": {"items": [], "has_more": false}}'
        self.server.fail(f"*/documents/{self.tokens[name]}/blocks", body=empty, times=None)

    def heal(self) -> None:
        self.server.heal()

    def outage(self) -> None:
        self.server.fail("*/files", status=403, code=1061004, times=None)

    def source(self, *, other_extractor: bool = False) -> Source:
        self.server.forget()
        source = source_of(self.server, thumbnails=not other_extractor, requests_per_second=100)
        return FeishuFolder(source, ENVIRON)

    def asked(self) -> list[str]:
        return list(dict.fromkeys(self.server.asked("docx")))


@dataclass
class Repository:
    """Somebody's repository behind a git server, read as Markdown. A file that fails is one that never comes."""

    server: GitServer
    upstream: Upstream
    lost: set[str] = field(default_factory=set)
    lists = True

    def key(self, name: str) -> str:
        return f"docs/{name}.md"

    def file(self, name: str) -> str:
        return self.key(name)

    def content(self, name: str, text: str) -> str:
        return f"# Page {name}\n\n{text}\n"

    def put(self, name: str, text: str) -> None:
        self.upstream.commit({"LICENSE": MIT, self.file(name): self.content(name, text)})

    def drop(self, name: str) -> None:
        self.upstream.commit({self.file(name): None})

    def fail(self, name: str) -> None:
        self.put(name, f"{text_of(name, 9)} Nobody ever sees this text.")
        self.lost.add(self.upstream.blob("main", self.file(name)))

    def heal(self) -> None:
        self.lost.clear()

    def outage(self) -> None:
        self.server.fault(status=503, times=None)

    def source(self, *, other_extractor: bool = False) -> Source:
        self.server.forget()
        links = "absolute" if other_extractor else "relative"
        source = GitSource(name="docs", url=self.server.url("acme/it"), bundle="docs", include=("docs/*",), links=links)
        return MarkdownRepository(source=source, environ=dict(os.environ))

    def asked(self) -> list[str]:
        wanted = set(self.server.wants())
        return [self.key(name) for name in NAMES if wanted & self._ids(name)]

    def _ids(self, name: str) -> set[str]:
        """The ids by which the content of an item can be asked for."""
        places = (self.file(name), self.file(name).removesuffix("/SKILL.md"))
        return {self.upstream.git("rev-parse", "--verify", "--quiet", f"main:{p}", check=False) for p in places} - {""}


@dataclass
class Packages(Repository):
    """The same with a skill for each item."""

    def key(self, name: str) -> str:
        return f"skills/{name}"

    def file(self, name: str) -> str:
        return f"skills/{name}/SKILL.md"

    def content(self, name: str, text: str) -> str:
        return skill(name, super().content(name, text))

    def source(self, *, other_extractor: bool = False) -> Source:
        self.server.forget()
        packages = "elsewhere" if other_extractor else "vendor"
        source = SkillsSource(name="docs", url=self.server.url("acme/it"), bundle="docs", packages=packages)
        return SkillsRepository(source=source, environ=dict(os.environ))


@contextmanager
def memory_world() -> Iterator[World]:
    yield Memory()


@contextmanager
def web_world() -> Iterator[World]:
    site = Site()
    with serving(site):
        yield Web(site)


@contextmanager
def feishu_world() -> Iterator[World]:
    with feishu() as server:
        yield Feishu(server)


@contextmanager
def git_world(kind: type[Repository] = Repository) -> Iterator[World]:
    with (
        TemporaryDirectory() as directory,
        git_server(Path(directory)) as server,
        pytest.MonkeyPatch.context() as patch,
    ):
        made = kind(server, Upstream.create(server.path("acme/it")))
        whole = Mirror.blobs

        def blobs(mirror: Mirror, ids: Iterable[str], **options: Any) -> Iterator[Blob]:
            wanted = list(ids)
            come = {blob.id: blob for blob in whole(mirror, [i for i in wanted if i not in made.lost], **options)}
            yield from (come.get(oid) or Blob(id=oid, size=None, data=None, problem=MISSING) for oid in wanted)

        patch.setattr(Mirror, "blobs", blobs)
        yield made


def skills_world() -> AbstractContextManager[World]:
    return git_world(Packages)


WORLDS = {"memory": memory_world, "web": web_world, "feishu": feishu_world, "git": git_world, "skills": skills_world}


@pytest.fixture(params=list(WORLDS.values()), ids=list(WORLDS))
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    with request.param() as made:
        for name in NAMES[:4]:
            made.put(name, text_of(name))
        yield made


def text_of(name: str, version: int = 1) -> str:
    return f"This is page {name} in version {version}, and it says something worth keeping in a bundle for later."


def observe(
    world: World, known: Mapping[str, Record] | None = None, ask: Ask | None = None, **given: Any
) -> Observation:
    made = tools(**given)
    return world.source().observe(known or {}, ask or Ask(), made)


def records(seen: Observation, known: Mapping[str, Record] | None = None) -> dict[str, Record]:
    """What the delta would keep of an observation, as far as a source reads it."""
    kept = (
        dict(known or {}) if not seen.complete else {k: r for k, r in (known or {}).items() if r.status is Status.PAGE}
    )
    kept.update((record.key, record) for record in seen.side)
    for key, outcome in seen.outcomes.items():
        if isinstance(outcome, Fetched):
            kept[key] = Record(
                key=key,
                url=outcome.url,
                title=outcome.title,
                content_hash=outcome.content_hash,
                compared_hash=outcome.compared_hash,
                raw_hash=outcome.raw_hash,
                fingerprint=outcome.fingerprint,
                size=outcome.size,
                etag=outcome.etag,
                last_modified=outcome.last_modified,
                links=outcome.links,
                name=outcome.name,
                files=outcome.files,
                memo=outcome.memo,
            )
        elif isinstance(outcome, Failed) and key in kept:
            kept[key] = replace(kept[key], failure=outcome.reason)
        elif isinstance(outcome, Gone):
            kept.pop(key, None)
    return kept


def pages_of(world: World, seen: Observation) -> set[str]:
    named = {world.key(name) for name in NAMES}
    return {key for key, outcome in seen.outcomes.items() if isinstance(outcome, Fetched | NotModified)} & named


def test_a_first_observation_hands_over_every_item_with_its_body(world: World) -> None:
    spool = Bodies()
    seen = observe(world, spool=spool)
    assert pages_of(world, seen) == {world.key(name) for name in "abcd"}
    for outcome in seen.outcomes.values():
        assert isinstance(outcome, Fetched)
        assert content_hash(spool.get(outcome.content_hash)) == outcome.content_hash
        assert outcome.size == len(spool.get(outcome.content_hash))
    assert seen.complete


def test_nothing_changed_is_said_only_on_the_servers_word(world: World) -> None:
    known = records(observe(world))
    seen = observe(world, known)
    assert {type(outcome) for outcome in seen.outcomes.values()} == {NotModified}
    assert seen.complete
    assert not seen.unlinked
    assert records(seen, known) == known


def test_a_changed_item_is_fetched_with_another_hash(world: World) -> None:
    known = records(observe(world))
    world.put("b", text_of("b", 2))
    spool = Bodies()
    outcome = observe(world, known, spool=spool).outcomes[world.key("b")]
    assert isinstance(outcome, Fetched)
    assert outcome.content_hash != known[world.key("b")].content_hash
    assert "version 2" in spool.get(outcome.content_hash)


def test_an_item_that_is_gone_is_gone_on_evidence(world: World) -> None:
    known = records(observe(world))
    world.drop("c")
    seen = observe(world, known)
    assert isinstance(seen.outcomes[world.key("c")], Gone)
    assert pages_of(world, seen) == {world.key(name) for name in "abd"}


def test_an_item_that_fails_is_no_missing_item(world: World) -> None:
    known = records(observe(world))
    world.fail("c")
    seen = observe(world, known)
    outcome = seen.outcomes[world.key("c")]
    assert isinstance(outcome, Failed) and outcome.retryable
    assert seen.complete is world.lists


def test_a_new_item_that_fails_is_pending_and_asked_again(world: World) -> None:
    known = records(observe(world))
    world.fail("e")
    seen = observe(world, known)
    assert isinstance(seen.outcomes[world.key("e")], Failed)
    assert [(r.key, r.status, r.tries) for r in seen.side if r.status is Status.PENDING] == [
        (world.key("e"), Status.PENDING, 1)
    ]
    again = observe(world, records(seen, known))
    assert [r.tries for r in again.side if r.status is Status.PENDING] == [2]
    world.heal()
    world.put("e", text_of("e"))
    assert isinstance(observe(world, records(again, known)).outcomes[world.key("e")], Fetched)


def test_an_outage_is_no_observation(world: World) -> None:
    known = records(observe(world))
    world.outage()
    with pytest.raises(SourceUnavailable):
        observe(world, known)


def test_what_another_extractor_made_is_extracted_again(world: World) -> None:
    known = records(observe(world))
    source = world.source(other_extractor=True)
    assert source.fingerprint != known[world.key("a")].fingerprint
    seen = source.observe(known, Ask(), tools())
    assert {type(outcome) for outcome in seen.outcomes.values()} == {Fetched}
    assert {o.fingerprint for o in seen.outcomes.values() if isinstance(o, Fetched)} == {source.fingerprint}


def test_afresh_trusts_no_validator(world: World) -> None:
    known = records(observe(world))
    seen = observe(world, known, Ask(afresh=True))
    assert {type(outcome) for outcome in seen.outcomes.values()} == {Fetched}


def test_only_what_failed_is_asked_again_when_that_is_wanted(world: World) -> None:
    known = records(observe(world))
    world.fail("b")
    known = records(observe(world, known), known)
    world.heal()
    seen = observe(world, known, Ask(retry_failed=True))
    assert seen.outcomes.keys() == {world.key("b")}
    assert world.asked() == [world.key("b")]
    assert not seen.complete


def test_a_cap_leaves_new_items_out_and_asks_every_known_one(world: World) -> None:
    known = records(observe(world))
    for name in "ef":
        world.put(name, text_of(name))
    capped = observe(
        world, known, Ask(max_pages=len(known) - sum(r.status is not Status.PAGE for r in known.values()) + 1)
    )
    assert pages_of(world, capped) == {world.key(name) for name in "abcde"}
    assert not capped.complete
    assert any("max_pages" in reason for reason in capped.incomplete_reasons)


def test_a_run_that_must_stop_is_incomplete_and_takes_nothing_away(world: World) -> None:
    known = records(observe(world))
    world.drop("d")
    seen = observe(world, known, stopping=lambda: True)
    assert not seen.complete
    assert not any(isinstance(outcome, Gone) for outcome in seen.outcomes.values())


def test_a_resumed_run_asks_only_for_what_is_not_saved(world: World) -> None:
    spool = Bodies()
    whole = observe(world, spool=spool)
    del spool.saved[world.key("c")]
    resumed = observe(world, spool=spool)
    assert dict(resumed.outcomes) == dict(whole.outcomes)
    assert world.asked() == [world.key("c")]


def test_the_same_place_gives_the_same_observation(world: World) -> None:
    first, second = observe(world), observe(world)
    assert list(first.outcomes.items()) == list(second.outcomes.items())
    assert first.side == second.side
