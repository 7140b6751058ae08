"""Why a page gives nothing to write. None of these is ever content (PAGE-03)."""

from __future__ import annotations

NEEDS_BROWSER = "needs a browser: set `browser: true`, or say where the content is with `content:`"
NEEDS_SELECTOR = "no content found: set `content:`"
FORWARDS = "the page only forwards to another one (meta refresh)"
FRAMES = "the page is only a set of frames"


class NoContent(Exception):
    """Nothing was extracted; `reason` is a sentence with what to do."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
