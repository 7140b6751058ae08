"""What the licences look like that most skills have, by SPDX identifier: a flat declaration.

SHORT holds the whole text of short ones, as `licence.plain` makes it, with `*` for the parts that people fill in and
`[...]` around words that some copies leave out. LONG holds, for those too long to carry, how the text begins and
phrases that all must stand in it, and how many characters it has in plain form, with and without the appendix on how
to apply it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

_WARRANTY = (
    "the software is provided as is without warranty of any kind express or implied including but not limited to "
    "the warranties of merchantability fitness for a particular purpose and noninfringement in no event shall the "
    "authors or copyright holders be liable for any claim damages or other liability whether in an action of contract "
    "tort or otherwise arising from out of or in connection with the software or the use or other dealings in the "
    "software"
)
_BSD = (
    "redistribution and use in source and binary forms with or without modification are permitted provided that the "
    "following conditions are met redistributions of source code must retain the above copyright notice this list of "
    "conditions and the following disclaimer redistributions in binary form must reproduce the above copyright notice "
    "this list of conditions and the following disclaimer in the documentation and or other materials provided with "
    "the distribution "
)
_BSD_ENDORSE = (
    "[neither ]the name of * may[ not] be used to endorse or promote products derived from this software "
    "without specific prior written permission "
)
_BSD_WARRANTY = (
    "this software is provided by * as is and any express or implied warranties including but not limited to the "
    "implied warranties of merchantability and fitness for a particular purpose are disclaimed in no event shall * be "
    "liable for any direct indirect incidental special exemplary or consequential damages including but not limited "
    "to procurement of substitute goods or services loss of use data or profits or business interruption however "
    "caused and on any theory of liability whether in contract strict liability or tort including negligence or "
    "otherwise arising in any way out of the use of this software even if advised of the possibility of such damage"
)
_ISC_WARRANTY = (
    "the software is provided as is and * disclaims all warranties with regard to this software including all implied "
    "warranties of merchantability and fitness in no event shall * be liable for any special direct indirect or "
    "consequential damages or any damages whatsoever resulting from loss of use data or profits whether in an action "
    "of contract negligence or other tortious action arising out of or in connection with the use or performance of "
    "this software"
)

SHORT: Mapping[str, str] = MappingProxyType(
    {
        "MIT": "permission is hereby granted free of charge to any person obtaining a copy of this software and "
        "associated documentation files the software to deal in the software without restriction including without "
        "limitation the rights to use copy modify merge publish distribute sublicense and or sell copies of the "
        "software and to permit persons to whom the software is furnished to do so subject to the following "
        "conditions the above copyright notice and this permission notice[ including the next paragraph] shall "
        "be included in all copies or "
        "substantial portions of the software " + _WARRANTY,
        "MIT-0": "permission is hereby granted free of charge to any person obtaining a copy of this software and "
        "associated documentation files the software to deal in the software without restriction including without "
        "limitation the rights to use copy modify merge publish distribute sublicense and or sell copies of the "
        "software and to permit persons to whom the software is furnished to do so " + _WARRANTY,
        "BSD-2-Clause": _BSD + _BSD_WARRANTY,
        "BSD-3-Clause": _BSD + _BSD_ENDORSE + _BSD_WARRANTY,
        "ISC": "permission to use copy modify and[ or] distribute this software for any purpose with or without fee is "
        "hereby granted provided that the above copyright notice and this permission notice appear in all copies "
        + _ISC_WARRANTY,
        "0BSD": "permission to use copy modify and[ or] distribute this software for any purpose with or without fee "
        "is hereby granted " + _ISC_WARRANTY,
        "Unlicense": "this is free and unencumbered software released into the public domain anyone is free to copy "
        "modify publish use compile sell or distribute this software either in source code form or as a compiled "
        "binary for any purpose commercial or non commercial and by any means in jurisdictions that recognize "
        "copyright laws the author or authors of this software dedicate any and all copyright interest in the "
        "software to the public domain we make this dedication for the benefit of the public at large and to the "
        "detriment of our heirs and successors we intend this dedication to be an overt act of relinquishment in "
        "perpetuity of all present and future rights to this software under copyright law the software is provided "
        "as is without warranty of any kind express or implied including but not limited to the warranties of "
        "merchantability fitness for a particular purpose and noninfringement in no event shall the authors be "
        "liable for any claim damages or other liability whether in an action of contract tort or otherwise arising "
        "from out of or in connection with the software or the use or other dealings in the software",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Long:
    """How a long licence is told from all others, and from itself with something added."""

    title: str
    """Stands near the beginning."""
    phrases: tuple[str, ...]
    """All stand in the text, in this order."""
    characters: tuple[int, int]
    """Least and most of the plain form."""
    endings: tuple[str, ...] = ("",)
    """With one of which the text ends."""


LONG: Mapping[str, Long] = MappingProxyType(
    {
        "Apache-2.0": Long(
            title="apache license version 2 0 january 2004",
            endings=(
                "and limitations under the license",
                "end of terms and conditions",
                "of your accepting any such warranty or additional liability",
            ),
            phrases=(
                "grant of copyright license subject to the terms and conditions of this license",
                "grant of patent license",
                "you must give any other recipients of the work or derivative works a copy of this license",
                "limitation of liability",
                "accepting warranty or additional liability",
            ),
            characters=(8_500, 11_300),
        ),
        "MPL-2.0": Long(
            title="mozilla public license version 2 0",
            phrases=(
                "covered software",
                "each contributor hereby grants you a world wide royalty free non exclusive license",
                "distribution of source form",
                "versions of the license",
            ),
            characters=(14_000, 16_800),
        ),
        "GPL-2.0": Long(
            title="gnu general public license version 2 june 1991",
            phrases=(
                "this license applies to any program or other work which contains a notice",
                "you may copy and distribute verbatim copies of the program s source code",
                "end of terms and conditions",
            ),
            characters=(14_000, 18_200),
        ),
        "GPL-3.0": Long(
            title="gnu general public license version 3 29 june 2007",
            phrases=(
                "to convey a work means any kind of propagation",
                "protecting users legal rights from anti circumvention law",
                "end of terms and conditions",
            ),
            characters=(31_000, 35_500),
        ),
        "LGPL-2.1": Long(
            title="gnu lesser general public license version 2 1 february 1999",
            phrases=("a work that uses the library", "end of terms and conditions"),
            characters=(23_000, 26_800),
        ),
        "LGPL-3.0": Long(
            title="gnu lesser general public license version 3 29 june 2007",
            phrases=(
                "this version of the gnu lesser general public license incorporates the terms and conditions",
                "exception to section 3 of the gnu gpl",
                "revised versions of the gnu lesser general public license",
            ),
            characters=(6_600, 7_800),
        ),
        "AGPL-3.0": Long(
            title="gnu affero general public license version 3 19 november 2007",
            phrases=(
                "to convey a work means any kind of propagation",
                "remote network interaction use with the gnu general public license",
                "end of terms and conditions",
            ),
            characters=(30_000, 35_000),
        ),
        "CC0-1.0": Long(
            title="cc0 1 0 universal",
            phrases=("copyright and related rights", "waiver to the greatest extent permitted by", "public license"),
            characters=(5_800, 7_300),
        ),
        "CC-BY-4.0": Long(
            title="attribution 4 0 international",
            phrases=(
                "creative commons attribution 4 0 international public license",
                "produce reproduce and share adapted material",
                "retain the following if it is supplied by the licensor",
            ),
            characters=(13_500, 19_500),
        ),
    }
)
