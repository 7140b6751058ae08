"""What the scenarios of nightly jobs share."""

from __future__ import annotations

from nightly import assemble as assemble
from nightly import team as team
from offered import office as office
