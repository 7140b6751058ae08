"""Files of an article: downloaded or known from last time, named by their content.

    assets/<first two digits>/<blob>.<extension>          one file
    assets/<first two digits>/<digest of the set>/<name>  files that name each other (slides of several files)
    large/<first two digits>/<blob>.<extension>           one that git-lfs keeps, where that is wanted

A path that is made of the content stays where it is when the article is renamed, and two articles with one picture
share it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from git_okf import digest
from git_okf.jsonapi import ApiRefused, ApiUnavailable
from git_okf.model import File
from git_okf.source import Spool
from git_okf.source.feishu import sniffing
from git_okf.source.feishu.api import Feishu
from git_okf.source.feishu.entries import Entry
from git_okf.source.feishu.memo import Part, Prior, short
from git_okf.source.feishu.trouble import not_taken

FOLDER, LARGE_FOLDER = "assets", "large"
LARGE = 1024 * 1024
"""Bytes above which a file is one for git-lfs."""
DOWNLOAD = "/open-apis/drive/v1/files/{}/download"
MEDIA = "/open-apis/drive/v1/medias/{}/download"


class Shelf:
    """Where the files of one article are put. Raises NotTaken for what cannot be had."""

    def __init__(self, api: Feishu, spool: Spool, prior: Prior | None, limit: int, *, lfs: bool = False) -> None:
        self._api, self._spool, self._limit, self._lfs = api, spool, limit, lfs
        self._known: Mapping[str, File] = prior.files if prior else {}
        self.files: dict[str, File] = {}
        """By path, all that were put here."""
        self.fresh: dict[str, bytes] = {}
        """By path, the bytes of those that were downloaded."""

    def known(self, path: str) -> File | None:
        """A file of last time, put here again."""
        file = self._known.get(path)
        if file is not None:
            self.files[path] = file
        return file

    def unchanged(self, entry: Entry, part: Part | None, *, in_set: bool = False) -> File | None:
        """What was stored of something at this very modification time, put here again.

        A path never depends on what was before: who leaves a set gets a path of its own, which takes its bytes.
        """
        when, path = part.stored.get(entry.token, (0, "")) if part else (0, "")
        file = self._known.get(path) if when and when == entry.modified else None
        if file is None or (path.startswith(f"{LARGE_FOLDER}/") if in_set else path == short(path)):
            return None
        self.files[path] = file
        return file

    def entry(self, entry: Entry, part: Part | None, *, anew: bool = False, in_set: bool = False) -> File:
        """A file of the drive; one that is unchanged is not downloaded again, unless its bytes are wanted `anew`."""
        file = None if anew else self.unchanged(entry, part, in_set=in_set)
        if file is not None:
            return file
        data = self._download(DOWNLOAD, entry.token)
        if self._lfs and len(data) > LARGE and not in_set and not _is_picture(data, entry.name):
            return self._keep_large(data, entry.name)
        return self.keep(data, entry.name)

    def together(self, entries: Sequence[Entry], part: Part | None) -> dict[str, File]:
        """Files by token. Several keep their names, because they may name each other."""
        taken = {entry.token: self.entry(entry, part, in_set=len(entries) > 1) for entry in entries}
        if len(entries) < 2:
            return taken
        for file in taken.values():
            self.files.pop(file.path, None)
        identity = digest.fingerprint(sorted([entry.name, taken[entry.token].blob] for entry in entries))
        folder = f"{FOLDER}/{identity[:2]}/{identity}"
        named: dict[str, File] = {}
        used: set[str] = set()
        for entry in entries:
            file = taken[entry.token]
            name = sniffing.safe_name(entry.name)
            if not name or name.casefold() in used:
                name = f"{file.blob}.{sniffing.suffix(file.path)}"
            used.add(name.casefold())
            named[entry.token] = File(path=f"{folder}/{name}", blob=file.blob, size=file.size)
            self.files[named[entry.token].path] = named[entry.token]
        return named

    def media(self, token: str, name: str, known: Mapping[str, str]) -> File:
        """An image or file of a document. Its token stands for its bytes: another image is another token."""
        file = self.known(known.get(token, ""))
        return file or self.keep(self._download(MEDIA, token), name)

    def keep(self, data: bytes, name: str, path: str = "") -> File:
        """Put bytes here; under the path where one is given."""
        blob = self._spool.put_file(data)
        path = path or f"{FOLDER}/{blob[:2]}/{blob}.{sniffing.extension(data, name)}"
        self.files[path] = File(path=path, blob=blob, size=len(data))
        self.fresh[path] = data
        return self.files[path]

    def _keep_large(self, data: bytes, name: str) -> File:
        """The content goes into the spool before its pointer, so that a spool cut short never has the pointer alone."""
        content = self._spool.put_file(data)
        blob = self._spool.put_file(digest.lfs_pointer(data))
        path = f"{LARGE_FOLDER}/{content[:2]}/{content}.{sniffing.extension(data, name)}"
        self.files[path] = File(path=path, blob=blob, size=len(data), content=content)
        self.fresh[path] = data
        return self.files[path]

    def _download(self, path: str, token: str) -> bytes:
        try:
            return self._api.download(path, token, self._limit)
        except (ApiRefused, ApiUnavailable) as error:
            raise not_taken(error) from None


def _is_picture(data: bytes, name: str) -> bool:
    return sniffing.is_picture(f".{sniffing.extension(data, name)}")
