"""How large a package may be. Pure. Over a limit the whole package fails (seed 002, section 5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Of one package. Sizes in bytes."""

    max_files: int = 100
    max_file_bytes: int = 10 * MEBIBYTE
    max_package_bytes: int = 100 * MEBIBYTE

    def refusal(self, sizes: Mapping[str, int | None]) -> str:
        """The first limit that files of these sizes exceed, by path; "" for none. A size of None is not known yet."""
        if len(sizes) > self.max_files:
            return f"it has {len(sizes)} files, more than {self.max_files} (max_files)"
        for path, size in sorted(sizes.items()):
            if size is not None and size > self.max_file_bytes:
                return f"{path} has {size} bytes, more than {self.max_file_bytes} (max_file_bytes)"
        return self.refusal_of_total(sum(_known(sizes.values())))

    def refusal_of_total(self, total: int) -> str:
        """Whether all files of a package together are too large; "" where they are not."""
        if total <= self.max_package_bytes:
            return ""
        return f"its files have {total} bytes, more than {self.max_package_bytes} (max_package_bytes)"


def _known(sizes: Iterable[int | None]) -> Iterable[int]:
    return (size for size in sizes if size is not None)
