"""Characters that no reader sees are found however quickly they are looked for."""

from __future__ import annotations

import sys

from hypothesis import given
from hypothesis import strategies as st

from git_okf.source.markdown import invisible
from git_okf.source.markdown.invisible import without_invisible


def test_every_character_is_judged_as_the_expression_judges_it() -> None:
    for code in (*range(0x10000), *range(0x1F600, 0x1F610), *range(0xDFFF0, 0xE1010), sys.maxunicode):
        character = chr(code)
        for text in (f"a{character}b", f"\u2019{character}"):
            assert without_invisible(text) == invisible._INVISIBLE.subn("", text), hex(code)


@given(st.text(st.one_of(st.characters(), st.sampled_from("\u200b\u200d\u00ad\u2019\u4e16 \n\x0c"))))
def test_texts_are_judged_as_the_expression_judges_them(text: str) -> None:
    assert without_invisible(text) == invisible._INVISIBLE.subn("", text)
