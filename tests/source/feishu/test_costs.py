"""What a first and a quiet run cost, in requests, bytes and seconds of a network that is modelled: nobody waits here.

The network answers a call after 0.1 s and then sends 1 MB a second, the limits of the API are enforced, and every
article folder has a podcast of 25 MB. A byte of a file here stands for a hundred.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from feishu_drive import PODCAST, Blog, mp3, populate
from feishu_observing import Desk
from feishu_server import Request

LATENCY_S, BYTES_A_SECOND = 0.1, 1_000_000
SOUND, SCALE = 25_000_000, 100
PAGE = (Path(__file__).parents[3] / "docs" / "feishu.md").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Cost:
    requests: int
    megabytes: float
    seconds: float

    def told(self, name: str) -> str:
        """As a row of the table in the page about this kind."""
        return f"| {name} | {self.requests} | {self.megabytes:,.1f} MB | {self.seconds:,.0f} s |"


def size(request: Request) -> int:
    return request.sent * (SCALE if request.kind == "media" else 1)


def cost(desk: Desk) -> Cost:
    began = desk.clock.seconds
    desk.sync()
    assert not any(request.code == 99991400 for request in desk.server.log)
    sent = sum(size(request) for request in desk.server.log)
    return Cost(desk.server.count(), sent / 1e6, desk.clock.seconds - began)


def test_a_quiet_run_is_at_least_fifty_times_cheaper_than_the_first(desk: Desk) -> None:
    made = populate(desk.drive, sound=SOUND // SCALE)
    for number, blog in enumerate(made.values()):
        if isinstance(blog, Blog) and not blog.audio:
            folder = blog.podcast or desk.drive.folder(blog.token, PODCAST)
            desk.drive.file(folder, "sound.mp3", mp3(number, SOUND // SCALE))
    desk.drive.later(days=1)
    desk.server.enforce, desk.server.monotonic = True, desk.clock.monotonic
    desk.server.takes = lambda request: desk.clock.pass_by(LATENCY_S + size(request) / BYTES_A_SECOND)
    first, quiet = cost(desk), cost(desk)
    for row in (first.told("first"), quiet.told("quiet")):
        assert row in PAGE
    assert len(desk.known) == len(made) == 163 and not desk.delta.changes_content
    assert first.seconds > 50 * quiet.seconds and first.megabytes > 50 * quiet.megabytes
    folders = sum(isinstance(blog, Blog) for blog in made.values())
    inside = sum(node.type == "folder" for node in desk.drive.nodes.values()) - 1 - folders
    assert quiet.requests == 1 + 1 + folders + inside, "a token, and each folder once"
