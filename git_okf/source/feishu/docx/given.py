"""Values of JSON as they should be: what is of another type counts as nothing given."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def mapped(value: object) -> Mapping[str, Any]:
    """An object; one without keys for anything else."""
    return value if isinstance(value, Mapping) else _NOTHING


def listed(value: object) -> list[Any]:
    """An array; an empty one for anything else."""
    return value if isinstance(value, list) else []


def string(value: object) -> str:
    """A string; "" for anything else."""
    return value if isinstance(value, str) else ""


def whole(value: object) -> int:
    """A positive number, as a whole one; 0 for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1_000_000_000:
        return 0
    return int(value)
