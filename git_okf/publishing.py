"""The conductor of a publication: repository -> plan -> guard -> bucket -> state.

One source at a time, from the commit HEAD points to; the work tree is not looked at. Each source has a manifest of its
own in the bucket, so that one can be published without the others. See `publish.claim` for what a kill leaves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from git_okf import memory, outgoing, precedence, published, report
from git_okf.config import Config, Publish, SourceConfig
from git_okf.errors import (
    EXIT_BUSY,
    EXIT_GUARD,
    EXIT_UNAVAILABLE,
    ConfigError,
    GitRefused,
    Interrupted,
    OkfError,
)
from git_okf.model import Fault, Trip
from git_okf.outgoing import Outgoing
from git_okf.publish import claim, limits, plan, upload
from git_okf.publish.bucket import Bucket
from git_okf.publish.claim import Seen
from git_okf.publish.manifest import Claim, Manifest, Revision
from git_okf.publish.outcome import Published
from git_okf.publish.plan import Plan
from git_okf.publish.values import LostRace, Overtaken, StorageRefused, Upload
from git_okf.run import World
from git_okf.store import state as states
from git_okf.store.repo import Repo

ROUNDS = 5
"""How often a publication begins again because another publisher wrote meanwhile."""
_WORDS = {EXIT_UNAVAILABLE: "unavailable", EXIT_BUSY: "busy", EXIT_GUARD: "aborted"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a person asks of one publication, beyond the configuration."""

    force: bool = False
    """Pass the guards `page-count` and `max-removed`."""
    older: bool = False
    """Publish this commit though a newer one is published."""
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Publications:
    """What a command came to."""

    published: tuple[Published, ...]

    def data(self) -> dict[str, Any]:
        return {"schema": 1, "sources": [each.data() for each in self.published]}

    @property
    def exit_code(self) -> int:
        """With several sources the first that applies (design.md, "Commands")."""
        codes = {each.exit_code for each in self.published}
        return next((code for code in report.EXIT_ORDER if code in codes), 0)


@dataclass(slots=True)
class _Traces:
    """What this run has left in the bucket so far."""

    began: bool = False
    written: dict[str, str] = field(default_factory=dict)
    """Keys and new ETags, since the claim was taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    repo: Repo
    source: SourceConfig
    settings: Publish
    options: Options
    world: World
    bucket: Bucket
    revision: Revision
    others: tuple[str, ...]
    """Directories of the other sources: what lies there is theirs to remove."""
    started: float
    token: str
    traces: _Traces = field(default_factory=_Traces)

    def outgoing(self) -> Outgoing:
        return Outgoing(
            repo=self.repo,
            tree=self.repo.commit_tree(self.revision.commit),
            places=self.source.places,
            prefix=self.bucket.prefix,
            cache_control=self.settings.cache_control,
        )

    def result(self, word: str, seen: Seen | None = None, what: Plan | None = None, **more: Any) -> Published:
        manifest = seen.manifest if seen else Manifest(source=self.source.name)
        what = what or Plan()
        uploads = sorted(each.key for each in what.uploads)
        return Published(
            name=self.source.name,
            url=self.settings.url,
            result=word,
            commit=self.revision.commit,
            before=manifest.revision.commit if manifest.revision else "",
            added=tuple(key for key in uploads if key not in manifest.objects),
            updated=tuple(key for key in uploads if key in manifest.objects),
            removed=what.removals,
            unchanged=what.unchanged,
            bytes=what.bytes,
            duration_s=self.world.monotonic() - self.started,
            dry_run=self.options.dry_run,
            **more,
        )


def publish(repo: Repo, config: Config, names: Sequence[str], options: Options, world: World) -> Iterator[Published]:
    """Publish all sources, or those named, one after another; one source's trouble never stops the next."""
    if config.publish is None:
        raise ConfigError(
            "there is no `publish` in .okf.yaml. Nothing was published",
            'add `publish: {url: "s3://bucket/prefix", endpoint: "https://..."}` to it',
        )
    sources = [config.source(name) for name in names] if names else list(config.sources.values())
    bucket = Bucket.open(config.publish, world.environ)
    revision = _revision(repo)
    if not options.dry_run:
        memory.fetch_if_missing(repo)
    for source in sources:
        if world.stopping():
            raise Interrupted("interrupted; what is published is as it was", "git okf publish   goes on")
        others = tuple(p for other in config.sources.values() if other.name != source.name for p in other.places)
        run = _Run(
            repo=repo, source=source, settings=config.publish, options=options, world=world, bucket=bucket,
            revision=revision, others=others, started=world.monotonic(), token=world.token() + world.token(),
        )  # fmt: skip
        yield _publish(run)


def _revision(repo: Repo) -> Revision:
    head = repo.head()
    if head.commit is None or head.ref == states.REF:
        raise GitRefused(
            f"HEAD is on {head.ref}, which has nothing to publish", "git switch BRANCH   to the branch with the bundle"
        )
    return Revision(commit=head.commit, made=int(repo.commit_info(head.commit).time.timestamp()))


def _publish(run: _Run) -> Published:
    try:
        for _ in range(ROUNDS):
            try:
                return _attempt(run)
            except Overtaken:
                claim.disown(run.bucket, run.source.name, run.token, run.traces.written)
                run.traces.written.clear()
        raise LostRace(
            f"other publishers were faster {ROUNDS} times. What they published is as it was",
            f"git okf publish {run.source.name}   when they have ended",
        )
    except Interrupted:
        raise
    except OkfError as error:
        fault = Fault(code=error.code, message=error.message, hint=error.hint)
        return run.result(_WORDS.get(error.exit_code, "failed"), exit_code=error.exit_code, error=fault)


def _attempt(run: _Run) -> Published:
    seen = claim.read(run.bucket, run.source.name)
    what, files = _plan(run, seen.manifest)
    if what.is_empty and seen.manifest.is_settled:
        return _quiet(run, seen, what)
    _check_order(run, seen.manifest)
    if seen.manifest.revision is None and not files:
        raise GitRefused(
            f"commit {run.revision.commit[:7]} has no files in {', '.join(run.source.places)}. Nothing was published",
            f"git okf sync {run.source.name}   makes them",
        )
    trip = None if run.options.force else limits.check(seen.manifest, what, run.settings)
    if trip is not None:
        return run.result("aborted", seen, what, exit_code=EXIT_GUARD, guard=trip, error=_tripped(run, trip))
    if run.options.dry_run:
        return run.result("published", seen, what)
    _warn_of_loss(run, seen)
    return _carry_out(run, seen, what)


def _plan(run: _Run, manifest: Manifest) -> tuple[Plan, dict[str, str]]:
    out = run.outgoing()
    files = dict(out.files(manifest))
    uploads = out.uploads(manifest, files)
    removals = tuple(plan.superfluous(manifest, files))
    return Plan(uploads=uploads, removals=removals, unchanged=len(files) - len(uploads)), files


def _quiet(run: _Run, seen: Seen, what: Plan) -> Published:
    """The bucket holds what the commit does. The watermark moves where the files were other ones meanwhile: else a late
    publisher of a commit in between would not be known for one."""
    there = seen.manifest.revision
    assert there is not None
    if not run.options.dry_run and not precedence.is_older(run.repo, run.revision, there):
        if precedence.touched_since(run.repo, run.revision, there, run.source.places):
            claim.complete(run.bucket, seen, replace(seen.manifest, revision=run.revision))
            there = run.revision
        _remember(run, there)
    return run.result("unchanged", seen, what)


# --- may it be published? ---


def _check_order(run: _Run, manifest: Manifest) -> None:
    """LostRace where a newer commit is published, or about to be; or where another took this very one from us."""
    begun = manifest.claim.revision if manifest.claim else None
    if run.traces.began and manifest.claim and begun == run.revision and manifest.claim.token != run.token:
        raise LostRace(
            f"another publisher has taken over the publication of {run.revision.commit[:7]}",
            "wait for it",
        )
    for revision, words in ((manifest.revision, "is published"), (begun, "is being published")):
        if revision and not run.options.older and precedence.is_older(run.repo, run.revision, revision):
            raise LostRace(
                f"commit {revision.commit[:7]} {words} already, and it is newer than"
                f" {run.revision.commit[:7]}. It was left as it is",
                "git pull   brings it here; git okf publish --older   goes back to this commit",
            )


def _tripped(run: _Run, trip: Trip) -> Fault:
    limit = f"{trip.limit:g}"
    return Fault(
        code="guard",
        message=f"{trip.what}: the {trip.name} guard stopped the publication (limit {limit}). Nothing was written",
        hint=f"see what changed: git okf publish {run.source.name} --dry-run --force\n"
        f"if that is right: git okf publish {run.source.name} --force",
    )


def _warn_of_loss(run: _Run, seen: Seen) -> None:
    last = published.read(run.repo, run.source.name)
    if seen.etag is None and last.get("url") == run.settings.url:
        run.world.warn(
            f"{run.source.name}: {run.settings.url} has no manifest, though {str(last.get('commit'))[:7]} was published"
            " there: everything is uploaded again, and objects that are published no more stay"
        )


# --- writing ---


def _carry_out(run: _Run, seen: Seen, what: Plan) -> Published:
    bucket = run.bucket
    if bucket.conditional and not bucket.honours_conditions():
        raise StorageRefused(
            f"the storage behind {run.settings.url} ignores the conditions of writes (If-Match, If-None-Match), so two"
            " publishers could undo each other. Nothing was published",
            "where nobody else ever publishes there, write `conditional: false` under `publish` in .okf.yaml",
        )
    held = seen
    if what.uploads:
        since = memory.stamp(run.world.clock())
        begun = Claim(revision=run.revision, token=run.token, since=since)
        held = claim.begin(bucket, seen, [each.key for each in what.uploads], begun)
        run.traces.began = True
        _upload(run, what, first=seen.etag is None)
    done = claim.complete(bucket, held, _completed(run, held, what))
    spared = [key for key in what.removals if any(key.startswith(f"{place}/") for place in run.others)]
    whole = claim.remove(bucket, done, spared, run.world.stopping)
    _remember(run, run.revision)
    return run.result("published", seen, what, left=not whole)


def _upload(run: _Run, what: Plan, *, first: bool) -> None:
    uploads: Sequence[Upload] = what.uploads
    if first and run.bucket.conditional:
        there = run.bucket.etags()
        uploads = [replace(each, replaces=there.get(each.key)) for each in uploads]
    written = run.traces.written

    def landed(key: str, etag: str) -> None:
        written[key] = etag
        run.world.progress(f"publishing {run.source.name}", len(written), len(uploads))

    hands = upload.Hands(
        bucket=run.bucket,
        read=run.outgoing().body,
        confirm=partial(claim.confirm, run.bucket, run.source.name, run.token),
        stopping=run.world.stopping,
        landed=landed,
    )
    upload.upload_all(uploads, hands)


def _completed(run: _Run, held: Seen, what: Plan) -> Manifest:
    return Manifest(
        source=run.source.name,
        revision=run.revision,
        places=run.source.places,
        rules=run.outgoing().rules,
        objects=outgoing.after(held.manifest, what.uploads, run.traces.written, what.removals),
        removing=frozenset(what.removals),
        marks=held.manifest.marks,
    )


def _remember(run: _Run, revision: Revision) -> None:
    published.note(run.repo, run.source.name, revision.commit, run.settings.url, run.world.clock())
