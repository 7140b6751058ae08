"""The whole life of a bucket at another storage than the one the other tests use."""

from __future__ import annotations

from pathlib import Path

from publish.desk import BUNDLE, PREFIX, Desks
from publish.storage import Answer, Server


def test_a_life_at_seaweedfs(desk_at: Desks, seaweedfs: Server, tmp_path: Path) -> None:
    desk = desk_at(seaweedfs)
    desk.configure()
    desk.commit({**BUNDLE, "docs/page.html": "<script>", "docs/a.png": b"\x89PNG\r\n\x1a\n...."})
    assert len(desk.publish()["added"]) == 12
    desk.assert_whole()
    assert desk.get("docs/page.html")["ContentDisposition"] == "attachment"
    assert desk.get("docs/a.png")["CacheControl"] == "no-cache"
    desk.quiet()

    # One byte; a removal; a clone with other times.
    desk.gate.forget()
    desk.commit({"docs/pages/p1.md": "# Page 7\n"}, "docs/pages/p2.md")
    desk.publish()
    assert desk.gate.written() == [f"{PREFIX}/docs/pages/p1.md"]
    desk.assert_whole()
    older = desk.clone(tmp_path / "older")
    desk.quiet(cwd=older.path)

    # Cut off in the middle, and completed.
    desk.commit({"docs/pages/p1.md": "third\n", "docs/pages/p3.md": "third\n", "docs/index.md": "third\n"})
    desk.gate.before = lambda method, key: Answer(403) if key.endswith("docs/index.md") else None
    desk.publish(code=2)
    desk.gate.quiet()
    desk.publish()
    desk.assert_whole()

    # Overtaken in the middle by a newer commit; then an older one that stops.
    late = desk.clone(tmp_path / "late")
    late.commit("late", {"docs/pages/p4.md": "late\n"})
    desk.repo.git("pull", "--quiet", str(late.path), "main")
    desk.commit({"docs/pages/p4.md": BUNDLE["docs/pages/p4.md"], "docs/pages/p5.md": "newest\n"})
    done: list[str] = []

    def overtake(method: str, key: str) -> Answer | None:
        if method == "PUT" and key.endswith("p4.md") and not done:
            done.append(key)
            assert desk.direct(desk.repo).exit_code == 0
        return None

    desk.gate.before = overtake
    assert desk.direct(late).exit_code == 5
    desk.gate.quiet()
    desk.publish(code=5, cwd=older.path)
    desk.publish()
    desk.assert_whole()
