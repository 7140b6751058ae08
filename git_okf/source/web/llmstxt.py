"""llms.txt: the pages a site names for readers like us (llmstxt.org). Pure."""

from __future__ import annotations

import re

from git_okf.source.web.url import Resolver

# `[name](url)` with one level of brackets in the name; the target in angle brackets, or up to a space or bracket.
_LINK = re.compile(
    r"\[(?:[^\[\]]|\[[^\[\]]{0,200}\]){0,500}\]"
    r"\(\s{0,9}(?:<([^<>\n]{1,8192})>|([^\s()]{1,8192}(?:\([^\s()]{0,200}\)[^\s()]{0,200})?))"
)
_FENCE = re.compile(r"^(```|~~~).*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)


def read(text: str, url: str) -> tuple[str, ...]:
    """Where the links of the llms.txt found at `url` lead: absolute, without fragments, in its order, each once.

    An HTML page sent in its place (a site that answers 200 to everything) has none. Links may leave the site; whether
    they are in scope is the caller's question.
    """
    text = text.removeprefix("\ufeff")
    if text.lstrip()[:1] == "<":
        return ()
    resolver = Resolver(url)
    found = dict.fromkeys(
        resolver.resolve(in_brackets or plain) for in_brackets, plain in _LINK.findall(_FENCE.sub("", text))
    )
    return tuple(target for target in found if target)
