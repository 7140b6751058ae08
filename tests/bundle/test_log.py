from __future__ import annotations

import re
from datetime import UTC, datetime

from git_okf.bundle.log import ENTRIES_KEPT, prepend

DAY = datetime(2026, 6, 30, 14, 0, 0, tzinfo=UTC)


def test_the_first_run_begins_the_log() -> None:
    assert prepend(None, when=DAY, added=["pages/home.md"]).decode() == (
        "# Log\n\n## 2026-06-30\n\n* **Initialization** at 14:00:00Z, +1 -0 =0: added `pages/home.md`\n"
    )


def test_the_newest_run_stands_first() -> None:
    log = prepend(None, when=DAY, added=["a.md"])
    log = prepend(log, when=DAY.replace(hour=15), updated=["a.md"])
    log = prepend(log, when=DAY.replace(month=7), removed=["a.md"], added=["b.md"], moved=[("a.md", "b.md")])
    assert log.decode() == (
        "# Log\n\n## 2026-07-30\n\n* **Update** at 14:00:00Z, +1 -1 =0: moved `a.md` to `b.md`\n\n"
        "## 2026-06-30\n\n* **Update** at 15:00:00Z, +0 -0 =1: updated `a.md`\n"
        "* **Initialization** at 14:00:00Z, +1 -0 =0: added `a.md`\n"
    )


def test_days_stay_in_order_when_a_clock_went_backwards() -> None:
    log = prepend(prepend(None, when=DAY, added=["a.md"]), when=DAY.replace(day=1), updated=["a.md"])
    log = prepend(log, when=DAY.replace(day=15), updated=["a.md"])
    assert re.findall(r"^## (.*)$", log.decode(), re.MULTILINE) == ["2026-06-30", "2026-06-15", "2026-06-01"]


def test_a_rendering_is_told_apart() -> None:
    assert b"**Rendering** at 14:00:00Z, =2: rendered `a.md`, `b.md`" in prepend(
        b"# Log\n", when=DAY, rerendered=["a.md", "b.md"]
    )


def test_details_are_bounded() -> None:
    entry = prepend(None, when=DAY, added=[f"p{number}.md" for number in range(5000)])
    assert b"+5000 -0 =0" in entry and b"and 4980 more" in entry and len(entry) < 1000


def test_details_are_told_by_what_happened() -> None:
    entry = prepend(
        None, when=DAY, added=["a", "new"], removed=["b", "old"], updated=["c", "d"], moved=[("old", "new")]
    )
    assert b"+2 -2 =2: moved `old` to `new`; removed `b`; updated `c`, `d`; added `a`\n" in entry


def test_what_others_wrote_stays() -> None:
    log = prepend(b"---\ntype: Log\n---\n# Mine\n\nWords \xff.\n\n## 2026-01-01\n* hand made", when=DAY, added=["a.md"])
    assert log.startswith(b"---\ntype: Log\n---\n# Mine\n\nWords \xff.\n\n## 2026-06-30\n\n* **Update**")
    assert log.endswith(b"## 2026-01-01\n* hand made\n")
    assert prepend(b"", when=DAY, added=["a.md"]).startswith(b"# Log\n\n## 2026-06-30")


def test_the_log_does_not_grow_without_end() -> None:
    entries = "".join(f"## {2025 - n:04}-01-01\n\n* **Update** at 00:00:00Z, +1 -0 =0\n\n" for n in range(1500))
    log = prepend(b"# Log\n\n" + entries.encode(), when=DAY, added=["a.md"])
    assert log.count(b"\n* ") == log.count(b"\n## ") == ENTRIES_KEPT
    assert log.endswith(b"=0\n")


def test_hash_07_paths_appear_as_they_are() -> None:
    entry = prepend(
        None, when=DAY, added=["pages/100%d {0} [bold]x[bold] $HOME.md", "pages/a`b.md", "pages/x\x1b[2J\n.md"]
    )
    assert b"`pages/100%d {0} [bold]x[bold] $HOME.md`, ``pages/a`b.md``, `pages/x\\x1b[2J .md`\n" in entry
