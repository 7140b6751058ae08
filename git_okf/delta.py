"""Records + outcomes -> Delta. Pure: the decision table of design.md, "Delta and guards", on one screen.

| known page, outcome now                         | becomes                                                    |
|-------------------------------------------------|------------------------------------------------------------|
| Fetched, same content hash; NotModified         | unchanged                                                  |
| Fetched, other hash, same bytes, other extractor| re-rendered: a commit of its own, never "updated"          |
| Fetched, other hash, other form (html, markdown)| re-rendered                                                |
| Fetched, other hash                             | updated                                                    |
| Gone (404/410 asked twice)                      | removed (after `gone_runs` runs in a row, 410 at once)     |
| Moved to a page that was found                  | removed, with the new path added: a rename                 |
| found, but a complete run saw no link to it     | kept, `missing_since`; removed after `unlinked_runs`       |
| no outcome, and the enumeration is complete     | removed                                                    |
| Failed, Suspect, Ignored, or no outcome at all  | retained                                                   |
| Ignored, since the configuration leaves it out  | retained as a class of its own; removed by `--prune`       |
| removed by the above, `removal.follow` is off   | kept, and marked in its concept as withdrawn               |
| withdrawn, and found again                      | the mark is taken away: updated                            |
| Fetched under another name                      | moved to the path of that name                             |
| Fetched, but parts of it failed                 | as above, and retained as far as those parts go            |
| edited by hand, source unchanged                | kept and reported                                          |
| edited by hand, source changed                  | both merged and updated, else retained as a conflict       |

A new key that was Fetched is added; one that failed retryably is pending; every other new key is nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from git_okf.config import Removal
from git_okf.model import (
    OUT_OF_SCOPE,
    Change,
    Delta,
    Failed,
    Fetched,
    File,
    Gone,
    Ignored,
    Moved,
    NotModified,
    Observation,
    Outcome,
    Record,
    Retained,
    Status,
    Suspect,
)

PENDING_RUNS = 3
"""Runs in a row in which a pending item makes the run partial; after that it is only listed."""

IGNORED = "IGNORED"
RETRYABLE = "RETRYABLE_FAILURE"
TERMINAL = "TERMINAL_FAILURE"
CONFLICT = "CONFLICT"
LISTED = "PENDING"
WITHDRAWN = "WITHDRAWN"
HARMLESS = frozenset({IGNORED, OUT_OF_SCOPE, LISTED, WITHDRAWN})
"""Words of retained items that do not make a run partial."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the delta needs besides records and outcomes."""

    removal: Removal
    now: str
    """The time of the run, for `missing_since`."""
    names: Callable[[Iterable[str]], Callable[[str, str], str]]
    """The paths that stay -> (name, key -> the path a new concept gets), each path given once."""
    only_failed: bool = False
    """The run asked only for what was retained: nothing is said about the other items."""
    prune: bool = False
    """Known items that the configuration does not take any more are removed."""
    theirs: bool = False
    """Concepts edited by hand become the source's again; without it they are kept."""
    drifted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By key, the files of an item, beside its concept, that were edited or deleted by hand."""
    occupied: Callable[[File], bool] = lambda file: False
    """Whether something that is none of ours stands where a file is to go."""
    merge: Callable[[Change], Change | None] = lambda change: None
    """The change with a file that has the edits made by hand too; None where the two are in conflict."""
    mark: Callable[[Record, str], Change | None] = lambda record, since: None
    """The change that writes into a concept since when its source has it no more, or with "" that it has it; None where
    the file says so already."""


@dataclass(slots=True)
class _Plan:
    added: list[Change] = field(default_factory=list)
    updated: list[Change] = field(default_factory=list)
    rerendered: list[Change] = field(default_factory=list)
    removed: list[Record] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)
    retained: list[Retained] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    renamed: list[tuple[Record, Fetched]] = field(default_factory=list)
    records: dict[str, Record] = field(default_factory=dict)
    unchanged: int = 0

    def keep(self, record: Record) -> None:
        self.records[record.key] = record
        self.unchanged += 1

    def retain(self, record: Record, outcome: str, reason: str) -> None:
        tries = record.tries + 1 if outcome in (RETRYABLE, TERMINAL) else 0
        self.records[record.key] = replace(record, failure=reason, tries=tries)
        self.retained.append(Retained(key=record.key, path=record.path, outcome=outcome, reason=reason))


def compute(known: Mapping[str, Record], seen: Observation, rules: Rules) -> Delta:
    """What the outcomes mean for the records. Decides, writes nothing."""
    plan = _Plan()
    pages = {key: record for key, record in known.items() if record.status is Status.PAGE}
    for record in pages.values():
        _known(plan, record, seen, rules)
    _new(plan, pages, seen, rules)
    _renames(plan)
    _parts(plan, seen)
    _side_records(plan, known, seen)
    return Delta(
        added=_by_path(plan.added),
        updated=_by_path(plan.updated),
        rerendered=_by_path(plan.rerendered),
        removed=tuple(sorted(plan.removed, key=lambda r: r.path)),
        moved=tuple(sorted(plan.moved.items())),
        unchanged=plan.unchanged,
        retained=tuple(sorted(plan.retained, key=lambda r: (r.path, r.key))),
        edited=tuple(sorted(plan.edited)),
        merged=tuple(c.path for c in _by_path([*plan.updated, *plan.rerendered]) if c.has_edits),
        records=tuple(plan.records[key] for key in sorted(plan.records)),
    )


def found(seen: Observation) -> int:
    """Items that are certainly there: what the `page-count` guard counts."""
    return sum(isinstance(outcome, Fetched | NotModified) for outcome in seen.outcomes.values())


def _known(plan: _Plan, record: Record, seen: Observation, rules: Rules) -> None:
    outcome = seen.outcomes.get(record.key)
    if _is_edited(record, rules) and not rules.theirs:
        _edited(plan, record, outcome, rules)
        return
    match outcome:
        case None if seen.complete:
            _missing(plan, record, "no longer at the source", rules)
        case None if rules.only_failed and not record.failure:
            plan.keep(record)
        case None:
            plan.retain(record, RETRYABLE, seen.incomplete_reasons[0])
        case NotModified() | Fetched():
            _found(plan, record, outcome, seen, rules)
        case Gone(reason=reason):
            _gone(plan, record, reason, rules)
        case Moved(to=to):
            _moved(plan, record, to, seen)
        case Failed(reason=reason, retryable=retryable):
            plan.retain(record, RETRYABLE if retryable else TERMINAL, reason)
        case Suspect(reason=reason):
            plan.retain(record, RETRYABLE, f"suspect: {reason}")
        case Ignored():
            _ignored(plan, record, outcome, rules)


def _is_edited(record: Record, rules: Rules) -> bool:
    return record.edited or record.key in rules.drifted


def _missing(plan: _Plan, record: Record, reason: str, rules: Rules) -> None:
    """It is certainly gone at the source; whether it goes here is a rule of the configuration."""
    if rules.removal.follow:
        plan.removed.append(record)
        return
    since = record.missing_since or rules.now
    plan.retain(replace(record, missing_since=since), WITHDRAWN, f"withdrawn: {reason}")
    _mark(plan, record, since, rules)


def _mark(plan: _Plan, record: Record, since: str, rules: Rules) -> bool:
    """Write into the concept whether its source has it still; False where it says so already."""
    change = rules.mark(record, since)
    plan.updated += [change] if change is not None else []
    return change is not None


def _found(plan: _Plan, record: Record, outcome: Fetched | NotModified, seen: Observation, rules: Rules) -> None:
    was_missing = bool(record.missing_since)
    record = _linked_or_missing(record, seen, rules.now)
    if record.missing_runs >= rules.removal.unlinked_runs:
        _missing(plan, record, "nothing links to it any more", rules)
        return
    if record.failure or record.tries:  # nothing is made anew for a page that is as it was
        record = replace(record, failure="", tries=0)
    if isinstance(outcome, NotModified):
        _keep(plan, record, was_missing, rules)
    elif outcome.name and record.name and outcome.name != record.name:
        plan.renamed.append((record, outcome))
    elif _same_content(record, outcome) and not _is_edited(record, rules):
        _keep(plan, _refreshed(record, outcome), was_missing, rules)
    else:
        _write(plan, Change(key=record.key, path=record.path, new=outcome, old=record), record, rules)


def _keep(plan: _Plan, record: Record, was_missing: bool, rules: Rules) -> None:
    """As it was, but for the mark of an item that was withdrawn and is back."""
    if was_missing and _mark(plan, record, "", rules):
        plan.records[record.key] = record
    else:
        plan.keep(record)


def _write(plan: _Plan, change: Change, record: Record, rules: Rules) -> None:
    """The page's new text: an update, or the work of another extractor on the bytes of last time."""
    if taken := _taken(change, rules):
        plan.retain(record, CONFLICT, taken)
        return
    (plan.rerendered if _drifted(record, change.new) else plan.updated).append(change)
    plan.records[record.key] = replace(_written(change, record), edited=change.edited)


def _taken(change: Change, rules: Rules) -> str:
    """Why the item's files cannot be written; "" where they can."""
    ours = {file.path for file in change.old.files} if change.old else set()
    there = [file.path for file in change.new.files if file.path not in ours and rules.occupied(file)]
    return f"a file of yours stands where {there[0]} belongs" if there else ""


def _linked_or_missing(record: Record, seen: Observation, now: str) -> Record:
    if record.key not in seen.unlinked:
        return replace(record, missing_runs=0, missing_since="") if record.missing_since else record
    if not seen.complete:
        return record
    return replace(record, missing_runs=record.missing_runs + 1, missing_since=record.missing_since or now)


def _gone(plan: _Plan, record: Record, reason: str, rules: Rules) -> None:
    """One 404 may be a deploy in the middle; how many runs it takes is `removal.gone_runs` (410 means it)."""
    runs = record.missing_runs + 1
    if runs >= rules.removal.gone_runs or reason.startswith("410"):
        _missing(plan, record, reason, rules)
        return
    since = record.missing_since or rules.now
    plan.retain(replace(record, missing_runs=runs, missing_since=since), RETRYABLE, f"{reason}, for the first time")


def _ignored(plan: _Plan, record: Record, outcome: Ignored, rules: Rules) -> None:
    if outcome.out_of_scope and rules.prune:
        plan.removed.append(record)
    else:
        plan.retain(record, OUT_OF_SCOPE if outcome.out_of_scope else IGNORED, outcome.reason)


def _moved(plan: _Plan, record: Record, to: str, seen: Observation) -> None:
    if isinstance(seen.outcomes.get(to), Fetched | NotModified):
        plan.removed.append(record)
        plan.moved[record.path] = to
    else:
        plan.retain(record, RETRYABLE, f"moved to {to}, which could not be fetched")


def _edited(plan: _Plan, record: Record, outcome: Outcome | None, rules: Rules) -> None:
    """The record holds the hash of what was last synced; the file holds what a person wrote."""
    if isinstance(outcome, Fetched) and not _same_content(record, outcome):
        merged = rules.merge(Change(key=record.key, path=record.path, new=outcome, old=record))
        if merged is None:
            plan.retain(record, CONFLICT, "edited here and changed at the source")
        else:
            _write(plan, merged, replace(record, failure="", tries=0), rules)
    elif isinstance(outcome, Gone | Moved):
        plan.retain(record, CONFLICT, "edited here and gone at the source")
    else:
        plan.edited += [*([record.path] if record.edited else []), *rules.drifted.get(record.key, ())]
        plan.keep(replace(record, memo=outcome.memo) if isinstance(outcome, Fetched) else record)


def _drifted(record: Record, new: Fetched) -> bool:
    """Whether the text differs because it was made otherwise: another extractor, or Markdown the site publishes."""
    same_bytes = record.raw_hash != "" and record.raw_hash == new.raw_hash
    return (same_bytes and record.fingerprint != new.fingerprint) or record.form != new.form


def _same_content(record: Record, new: Fetched) -> bool:
    if "fingerprint" in new.meta:  # more counts than the body
        return record.identity_hash == new.identity_hash
    return record.content_hash == new.content_hash or record.identity_hash == new.identity_hash


def _refreshed(record: Record, new: Fetched) -> Record:
    """An unchanged page's record: the file's facts stay, what helps to ask cheaply next time is renewed."""
    return replace(
        record,
        url=new.url,
        compared_hash=new.compared_hash if record.content_hash == new.content_hash else record.compared_hash,
        raw_hash=new.raw_hash,
        fingerprint=new.fingerprint,
        etag=new.etag,
        last_modified=new.last_modified,
        links=new.links,
        form=new.form,
        language=new.language,
        name=new.name or record.name,
        memo=new.memo,
    )


def _written(change: Change, record: Record) -> Record:
    new = change.new
    return replace(
        _refreshed(record, new),
        path=change.path,
        title=new.title,
        description=new.description,
        content_hash=new.content_hash,
        compared_hash=new.compared_hash,
        size=new.size,
        files=new.files,
        edited=False,
    )


def _new(plan: _Plan, pages: Mapping[str, Record], seen: Observation, rules: Rules) -> None:
    """New items in the order of their keys, so that a name two of them want does not depend on the crawl."""
    leaving = {record.path: record for record in plan.removed}
    freed = {record.path for record, _ in plan.renamed}
    assign = rules.names(r.path for r in pages.values() if r.path not in leaving and r.path not in freed)
    for record, new in sorted(plan.renamed, key=lambda each: each[0].key):
        _moved_by_name(plan, record, new, assign, rules)
    for key in sorted(seen.outcomes.keys() - pages.keys()):
        outcome = seen.outcomes[key]
        if isinstance(outcome, Fetched):
            path = assign(outcome.name or key, key)
            if path in leaving:
                _rekeyed(plan, leaving.pop(path), key, outcome)
                continue
            change = Change(key=key, path=path, new=outcome)
            if taken := _taken(change, rules):
                plan.retained.append(Retained(key=key, path="", outcome=CONFLICT, reason=taken))
                continue
            plan.added.append(change)
            plan.records[key] = _written(change, Record(key=key))
        elif isinstance(outcome, Failed) and outcome.retryable:
            plan.retained.append(Retained(key=key, path="", outcome=_pending(key, seen), reason=outcome.reason))


def _moved_by_name(plan: _Plan, record: Record, new: Fetched, assign: Callable[[str, str], str], rules: Rules) -> None:
    """The same item under another name: one concept that goes and one that comes, told as a move."""
    path = assign(new.name, record.key)
    change = Change(key=record.key, path=path, new=new, old=record)
    if path == record.path:
        if _same_content(record, new):
            plan.keep(_refreshed(record, new))
        else:
            _write(plan, change, record, rules)
        return
    plan.removed.append(record)
    plan.added.append(change)
    plan.moved[record.path] = record.key
    plan.records[record.key] = _written(change, record)


def _parts(plan: _Plan, seen: Observation) -> None:
    """Parts that could not be had stay as they were: the item is retained as far as they go."""
    for key, outcome in seen.outcomes.items():
        if isinstance(outcome, Fetched) and outcome.parts_failed and key in plan.records:
            record, reason = plan.records[key], "; ".join(outcome.parts_failed)
            plan.records[key] = replace(record, failure=reason, tries=record.tries + 1)
            plan.retained.append(Retained(key=key, path=record.path, outcome=RETRYABLE, reason=reason))


def _rekeyed(plan: _Plan, old: Record, key: str, new: Fetched) -> None:
    """The same concept under another URL (`/guide` became `/guide/`): one file, no removal and no addition."""
    plan.removed.remove(old)
    plan.moved.pop(old.path, None)
    record = replace(old, key=key, failure="", tries=0, missing_runs=0, missing_since="")
    if _same_content(old, new):
        plan.keep(_refreshed(record, new))
        return
    change = Change(key=key, path=old.path, new=new, old=old)
    plan.updated.append(change)
    plan.records[key] = _written(change, record)


def _pending(key: str, seen: Observation) -> str:
    tries = next((r.tries for r in seen.side if r.key == key), 1)
    return RETRYABLE if tries <= PENDING_RUNS else LISTED


def _renames(plan: _Plan) -> None:
    """Pair old with new paths: by the redirect that said so, else by one gone and one new page with one body."""
    new_path = {change.key: change.path for change in plan.added}
    pairs = {old: new_path[to] for old, to in plan.moved.items() if to in new_path}
    used = set(pairs.values())
    gone = _unique((r.content_hash, r.path) for r in plan.removed if r.path not in pairs and r.content_hash)
    come = _unique((c.new.content_hash, c.path) for c in plan.added if c.path not in used)
    pairs.update({path: come[content] for content, path in gone.items() if content in come})
    plan.moved = pairs


def _unique(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    pairs = list(pairs)
    counts = Counter(first for first, _ in pairs)
    return {first: second for first, second in pairs if counts[first] == 1}


def _side_records(plan: _Plan, known: Mapping[str, Record], seen: Observation) -> None:
    """Aliases and the like: what this run saw, and where it did not see everything, what was known before."""
    old = () if seen.complete else (r for r in known.values() if r.status is not Status.PAGE)
    for record in (*old, *seen.side):
        current = plan.records.get(record.key)
        if current is None or current.status is not Status.PAGE:
            plan.records[record.key] = record


def _by_path(changes: list[Change]) -> tuple[Change, ...]:
    return tuple(sorted(changes, key=lambda change: change.path))
