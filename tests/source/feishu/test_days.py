"""A hundred days of a blog at random, with faults: after each of them nothing is remembered that was not stored and
nothing was fetched without need, and when the faults end the bundle is what the drive holds."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from feishu_drive import ARTICLE, HTML, PODCAST, SLIDES, Drive, mp3, page, png, with_pictures
from feishu_observing import Desk
from feishu_server import feishu
from hypothesis import Phase, given, note, settings
from hypothesis import strategies as st

from git_okf.digest import blob_id
from git_okf.errors import SourceUnavailable
from git_okf.model import Fetched, NotModified, Outcome, Record
from git_okf.source.feishu.memo import ARTICLE as TEXT
from git_okf.source.feishu.memo import TYPES, memo_of
from git_okf.source.feishu.watermark import RACE_S

FOLDERS = {"podcast": PODCAST, "slides": SLIDES, "html": HTML}


@dataclass(slots=True)
class Author:
    """Somebody who writes, renames, deletes, and moves things about."""

    drive: Drive
    dice: random.Random
    written: int = 0
    changed: set[str] = field(default_factory=set)
    """Tokens of documents and files that were changed and are not known to be stored since then."""

    def day(self) -> None:
        acts: tuple[Callable[[], None], ...] = (
            self.write, self.write, self.new, self.folder, self.part, self.part, self.part, self.part, self.loss,
            self.old, self.cover, self.cover, self.rename, self.delete, self.touch, self.picture,
        )  # fmt: skip
        for _ in range(self.dice.randrange(1, 6)):
            self.drive.later(seconds=self.dice.choice((0, 0, 1, 600)))
            act = self.dice.choice(acts)
            note(f"{self.drive.now}: {act.__name__}")
            act()

    def _next(self) -> int:
        self.written += 1
        return self.written

    def _articles(self) -> list[str]:
        return [node.token for node in self.drive.children(self.drive.root) if node.type in ("docx", "folder")]

    def _documents(self) -> list[str]:
        parents = {node.token for node in self.drive.nodes.values() if node.name == ARTICLE}
        return [
            node.token
            for node in self.drive.nodes.values()
            if node.type == "docx" and (node.parent in parents or node.parent == self.drive.root)
        ]

    def new(self) -> None:
        number = self._next()
        self.changed.add(self.drive.document(self.drive.root, f"note {number}", f"Text {number}."))

    def folder(self) -> None:
        number = self._next()
        dice = self.dice
        blog = self.drive.blog(
            f"blog {number}",
            f"Text {number}.",
            cover=png(420, 10, seed=number) if dice.random() < 0.5 else b"",
            podcast=mp3(number, 50) if dice.random() < 0.5 else b"",
            slides=page("s", number) if dice.random() < 0.3 else b"",
        )
        self.changed.update((blog.text, blog.cover, blog.audio, blog.deck))

    def write(self) -> None:
        documents = self._documents()
        if documents:
            token = self.dice.choice(documents)
            self.drive.write(token, f"Text {self._next()}.")
            self.changed.add(token)

    def picture(self) -> None:
        documents = self._documents()
        if documents:
            token = self.dice.choice(documents)
            number = self._next()
            blocks = with_pictures(token, "", f"Text {number}.", [self.drive.picture(number % 5)])
            self.drive.write(token, blocks)
            self.changed.add(token)

    def part(self) -> None:
        """Something beside the text comes, changes or goes."""
        folders = [token for token in self._articles() if self.drive.nodes[token].type == "folder"]
        if not folders:
            return
        top = self.dice.choice(folders)
        name = self.dice.choice(list(FOLDERS.values()))
        inside = [node.token for node in self.drive.children(top) if node.name == name]
        if inside and self.dice.random() < 0.2:
            self.drive.delete(inside[0])
            return
        folder = inside[0] if inside else self.drive.folder(top, name)
        files = [node.token for node in self.drive.children(folder)]
        number = self._next()
        data = mp3(number, 40) if name == PODCAST else page(name, number)
        if files and self.dice.random() < 0.7:
            self.drive.put(files[0], data)
            self.changed.add(files[0])
        else:
            end = "mp3" if name == PODCAST else "html"
            self.changed.add(self.drive.file(folder, f"{number}.{end}", data))

    def _files(self, *parents: str) -> list[str]:
        folders = {node.token for node in self.drive.nodes.values() if node.name in parents}
        return [node.token for node in self.drive.nodes.values() if node.type == "file" and node.parent in folders]

    def loss(self) -> None:
        """One file beside the text goes; those that stay may take its place."""
        files = self._files(*FOLDERS.values())
        if files:
            lost = self.dice.choice(files)
            self.changed.update(node.token for node in self.drive.children(self.drive.nodes[lost].parent))
            self.drive.delete(lost)

    def old(self) -> None:
        """A file is moved in that is older than everything there."""
        folders = [node.token for node in self.drive.nodes.values() if node.name == PODCAST]
        if folders:
            number = self._next()
            token = self.drive.file(self.dice.choice(folders), f"0 {number}.mp3", mp3(number, 40))
            self.drive.touch(token, self.drive.now - 864_000)
            self.changed.add(token)

    def cover(self) -> None:
        covers = self._files(ARTICLE)
        if covers:
            token = self.dice.choice(covers)
            self.drive.put(token, png(420, 10, seed=self._next()))
            self.changed.add(token)

    def rename(self) -> None:
        if self._articles():
            self.drive.rename(self.dice.choice(self._articles()), f"named {self._next()}")

    def touch(self) -> None:
        documents = self._documents()
        if documents:
            token = self.dice.choice(documents)
            self.drive.touch(token)
            self.changed.add(token)

    def delete(self) -> None:
        articles = self._articles()
        if len(articles) > 4:
            self.drive.delete(self.dice.choice(articles))


LIMITED = {"status": 400, "code": 99991400, "headers": {"x-ogw-ratelimit-reset": "1"}}
SHUT = {"status": 400, "code": 99991400, "headers": {"x-ogw-ratelimit-reset": "7200"}}
DOWN = {"status": 500, "body": b"trouble"}
REFUSED = {"status": 400, "code": 1061002}
FORBIDDEN = {"status": 403, "code": 1770032}


def misfortune(desk: Desk, dice: random.Random, changed: set[str]) -> None:
    """What goes wrong today: for anything now and then, and for some things, most of them new ones, all day."""
    server, nodes = desk.server, desk.drive.nodes
    server.page_limit, server.block_limit = dice.choice((200, 3)), dice.choice((500, 2))
    server.lead_nowhere, server.empty_pages = dice.random() < 0.1, dice.random() < 0.2
    server.calls_a_token = dice.choice((0, 0, 11))
    new = [nodes[token] for token in sorted(changed & nodes.keys()) if dice.random() < 0.5]
    for node in (*new, *dice.sample(sorted(nodes.values(), key=lambda node: node.token), 2)):
        how = dice.choice((DOWN, REFUSED, FORBIDDEN, {"drop": True}))
        if node.type == "folder":
            node.forbidden = node.token != desk.drive.root
        elif node.type in ("docx", "file"):
            server.fail(f"*/{node.token}*", times=dice.choice((1, None)), **how)
    if dice.random() < 0.5:
        pattern = dice.choice(("*/files", "*/blocks", "*/documents/*", "*/download", "*/tenant_access_token/*", "*"))
        how = dice.choice((LIMITED, SHUT, DOWN, {"status": 200, "code": 99991400}, {"drop": True}, {"cut": 30}))
        server.fail(pattern, times=dice.choice((1, 2, None)), after=dice.randrange(30), **how)


def fortune(desk: Desk) -> None:
    server = desk.server
    server.heal()
    server.page_limit, server.block_limit, server.calls_a_token = 200, 500, 0
    server.lead_nowhere = server.empty_pages = False
    server.kill_tokens()
    for node in desk.drive.nodes.values():
        node.forbidden = False


def stored_of(record: Record | Fetched, kind: str) -> set[str]:
    """The files of one type."""
    memo = memo_of(record.memo, record.files)
    media = set(memo.media.values()) if kind == TEXT else set()
    return memo.parts[kind].paths | media


def assert_nothing_passes_what_was_stored(desk: Desk) -> None:
    """Where no watermark says that there is something to do, what is stored is what the drive holds."""
    truth = desk.look(known={}).outcomes
    due = desk.look().outcomes
    for key, record in desk.known.items():
        whole, now = truth.get(key), due.get(key)
        if not record.path or not isinstance(whole, Fetched) or isinstance(now, Fetched):
            continue
        assert (record.content_hash, record.compared_hash) == (whole.content_hash, whole.compared_hash)
        for kind in TYPES:
            if kind in memo_of(whole.memo).parts:
                assert stored_of(record, kind) == stored_of(whole, kind)


def assert_the_bundle_is_the_truth(desk: Desk) -> None:
    truth = {key: o for key, o in desk.look(known={}).outcomes.items() if isinstance(o, Fetched)}
    assert desk.known.keys() == truth.keys()
    for key, whole in truth.items():
        record = desk.known[key]
        assert (record.content_hash, record.compared_hash) == (whole.content_hash, whole.compared_hash)
        assert (record.title, record.name, record.files) == (whole.title, whole.name, whole.files)


def below(drive: Drive, top: str) -> set[str]:
    """An article with all that is in it."""
    return {top}.union(*(below(drive, node.token) for node in drive.children(top)))


def assert_nothing_was_fetched_without_need(
    desk: Desk, changed: set[str], known: dict[str, Record], outcomes: Mapping[str, Outcome]
) -> None:
    """No bytes that were stored before, unless their file was touched; nothing of an article that is as it was."""
    nodes, server = desk.drive.nodes, desk.server
    came = [request for request in server.log if request.kind == "media" and request.status in (200, 206)]
    tokens = {request.path.split("/")[-2] for request in came}
    stored = {file.blob for record in known.values() for file in record.files}
    again = {token for token in tokens & nodes.keys() - changed if blob_id(nodes[token].data) in stored}
    pictures = {token for record in known.values() for token in memo_of(record.memo, record.files).media}
    assert not again | (pictures & tokens)
    asked = {*server.asked("docx"), *server.asked("media")}
    for key, outcome in outcomes.items():
        assert not isinstance(outcome, NotModified) or asked.isdisjoint(below(desk.drive, key))


def settled(desk: Desk, changed: set[str], outcomes: Mapping[str, Outcome]) -> set[str]:
    """Of what was changed, that which was taken whole: and not within the seconds in which it may change again."""
    whole: set[str] = set()
    for key, outcome in outcomes.items():
        if isinstance(outcome, NotModified) or (isinstance(outcome, Fetched) and not outcome.parts_failed):
            whole |= below(desk.drive, key)
    nodes, now = desk.drive.nodes, desk.drive.now
    return {token for token in changed & whole if token in nodes and now - nodes[token].modified > RACE_S}


def a_day_with_faults(desk: Desk, author: Author, dice: random.Random) -> Counter[str]:
    author.day()
    desk.drive.later(seconds=dice.choice((0, 1, 2, 3600, 86_400)))
    misfortune(desk, dice, author.changed)
    before, outcomes = dict(desk.known), {}
    happened: Counter[str] = Counter()
    try:
        seen = desk.sync()
    except SourceUnavailable:
        happened["unavailable"] += 1
    else:
        outcomes = dict(seen.outcomes)
        happened["incomplete"] += not seen.complete
        happened["parts"] += any(isinstance(o, Fetched) and o.parts_failed for o in outcomes.values())
    happened.update(type(outcome).__name__ for outcome in outcomes.values())
    note(f"{desk.drive.now}: sync, {dict(happened)}")
    assert_nothing_was_fetched_without_need(desk, author.changed, before, outcomes)
    author.changed -= settled(desk, author.changed, outcomes)
    fortune(desk)
    pages = {key for key, record in before.items() if record.path}
    assert pages & {node.token for node in desk.drive.children(desk.drive.root)} <= desk.known.keys()
    assert_nothing_passes_what_was_stored(desk)
    return happened


AT_RANDOM = st.randoms(use_true_random=False)
DAYS = 10
PATIENT = settings(deadline=None, database=None, derandomize=True, phases=(Phase.generate,), print_blob=False)
"""The same days on every machine; the story of a day that fails is told, and not made shorter, which takes minutes."""


def test_lark_a_hundred_days_with_faults_end_in_the_truth() -> None:
    happened: Counter[str] = Counter()

    @settings(PATIENT, max_examples=10)
    @given(AT_RANDOM)
    def days(dice: random.Random) -> None:
        with feishu() as server:
            desk = Desk(server)
            author = Author(desk.drive, dice)
            for _ in range(4):
                author.folder()
                author.new()
            for _ in range(DAYS):
                happened.update(a_day_with_faults(desk, author, dice))
            for _ in range(2):
                desk.drive.later(days=1)
                desk.sync()
            assert_the_bundle_is_the_truth(desk)
            desk.sync()
            assert server.count("docx", "media") == 0

    days()
    assert min(happened[word] for word in ("Fetched", "NotModified", "Failed", "incomplete", "parts")) > 0, happened


@settings(PATIENT, max_examples=4)
@given(AT_RANDOM)
def test_days_without_faults_fetch_each_thing_once(dice: random.Random) -> None:
    with feishu() as server:
        desk = Desk(server)
        author = Author(desk.drive, dice)
        for _ in range(4):
            author.folder()
            author.new()
        desk.drive.later(days=1)
        desk.sync()
        for _ in range(DAYS):
            author.changed.clear()
            author.day()
            desk.drive.later(days=1)
            before = dict(desk.known)
            seen = desk.sync()
            assert seen.complete
            assert_nothing_was_fetched_without_need(desk, author.changed, before, seen.outcomes)
            files = server.asked("media")
            assert len(files) == len(set(files))
            taken = {key for key, outcome in seen.outcomes.items() if isinstance(outcome, Fetched)}
            assert server.count("docx") <= 2 * len(taken)
        assert_the_bundle_is_the_truth(desk)
        desk.sync()
        assert server.count("docx", "media") == 0
