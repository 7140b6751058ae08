"""Commands that only look work where a sync must not."""

from __future__ import annotations

import pytest
from scenario import Docs


@pytest.mark.parametrize("command", [["status"], ["log"], ["show", "docs/pages/docs/a.md"], ["verify"]])
def test_a_merge_under_way_is_no_obstacle_to_looking(docs: Docs, command: list[str]) -> None:
    docs.build("a")
    docs.repo.git("checkout", "--quiet", "-b", "side")
    docs.repo.commit("side", {"side.txt": "x"})
    docs.repo.git("checkout", "--quiet", "main")
    docs.repo.git("merge", "--quiet", "--no-commit", "--no-ff", "side")
    assert docs.run("sync").code == 128
    docs.ok(*command)
