"""The names that GitHub gives headings, and the ids of HTML."""

from __future__ import annotations

import pytest

from git_okf.bundle.rules.anchors import anchors
from git_okf.bundle.rules.links import prose_of


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("# Getting Started\n\n## What's new?\n", {"getting-started", "whats-new"}),
        ("# A\n\n# A\n\n# A", {"a", "a-1", "a-2"}),
        ("Setext\n======\n\nTwo\n---", {"setext", "two"}),
        ("# `snake_case` and _stress_ and **bold**", {"snake_case-and-stress-and-bold"}),
        ("# A [link](x_(y).md) here", {"a-link-here"}),
        (r"# foo\_bar &#91;x&#93; & y", {"foo_bar-x--y"}),
        ("# Überblick 概要 #", {"überblick-概要"}),
        ("```\n# no\n```\n\n    # no\n\n#no", set()),
        ('<a id="Here"></a> text <span class="x" name=there>\n\n`<a id="no">`', {"here", "there"}),
        ("# __init__()\n\n# `__init__()`", {"init", "__init__"}),
    ],
)
def test_the_anchors_of_a_text(body: str, names: set[str]) -> None:
    assert anchors(body, prose_of(body)) == names
