"""The languages of code blocks, as info strings that highlighters know."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_FROM_ONE = (
    " abap ada apache apex asm bash csharp cpp c cobol css coffeescript d dart delphi django dockerfile erlang fortran"
    " foxpro go groovy html htmlbars http haskell json java javascript julia kotlin latex lisp logo lua matlab makefile"
    " markdown nginx objectivec openedge php perl postscript powershell prolog protobuf python r rpg ruby rust sas scss"
    " sql scala scheme scratch shell swift thrift typescript vbscript vb xml yaml cmake diff gherkin graphql glsl"
    " properties solidity toml"
)

LANGUAGES: Mapping[int, str] = MappingProxyType(dict(enumerate(_FROM_ONE.split(" "), start=1)))
"""`style.language` -> info string. 1 is plain text, which needs none."""


def info(language: object) -> str:
    """The info string of a code block; "" for a number that is not known, or none."""
    return LANGUAGES.get(language, "") if isinstance(language, int) else ""
