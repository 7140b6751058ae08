"""What a run is going to do: the delta of what it knows and what it saw, by the rules of its source."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from git_okf import baseline, delta, merging
from git_okf.baseline import Baseline
from git_okf.bundle import concept, paths
from git_okf.model import WITHDRAWN, Change, Delta, File, NotModified, Observation, Record
from git_okf.run import Run
from git_okf.source import Spool, as_fetched


def plan(run: Run, base: Baseline, seen: Observation, spool: Spool) -> Delta:
    """The delta. Nothing is written."""
    owned = {record.path for record in base.pages.values()}
    ours = {file.path for record in base.pages.values() for file in record.files}

    def occupied(file: File) -> bool:
        there = run.repo.entry(base.tree, f"{run.source.files}/{file.path}")
        return there is not None and file.path not in ours and there[1] != file.blob

    def names(staying: Iterable[str]) -> Callable[[str, str], str]:
        given = paths.Names(staying)

        def assign(name: str, key: str) -> str:
            """Never a path where the bundle holds a file that is none of ours."""
            path = given.claim(paths.place(name), key)
            while path not in owned and run.repo.entry(base.bundle_tree, path) is not None:
                path = given.claim(path, key)
            return path

        return assign

    rules = delta.Rules(
        removal=run.source.removal,
        now=run.when.isoformat(timespec="seconds"),
        names=names,
        only_failed=run.options.retry_failed,
        theirs=run.options.theirs,
        prune=run.options.prune,
        drifted=base.drifted,
        occupied=occupied,
        merge=partial(merging.merge, run, base, spool),
        mark=partial(_mark, run, base),
    )
    return delta.compute(base.known, seen, rules)


def _mark(run: Run, base: Baseline, record: Record, since: str) -> Change | None:
    entry = run.repo.entry(base.tree, f"{run.source.bundle}/{record.path}")
    there = run.repo.read(entry[1]) if entry else None
    file = concept.withdrawn(there, since) if there is not None else None
    if file == there:
        return None
    new = as_fetched(record)
    new = replace(new, meta={**new.meta, **({WITHDRAWN: since} if since else {})})
    return Change(key=record.key, path=record.path, new=new, old=record, merged=file)


def held(run: Run, base: Baseline, seen: Observation, spool: Spool) -> tuple[Baseline, Delta] | None:
    """Where the branch that would be replaced already is the base with what this run would make of it: the baseline
    there, and the delta from it, which changes nothing. So a run that finds what the last one found stays quiet."""
    onto, repo = run.options.onto, run.repo
    if onto is None or onto.base is None or onto.replaces is None:
        return None
    if run.publisher is None and base.branch_at not in (None, onto.replaces):
        return None
    if not repo.has(onto.replaces) or not repo.is_ancestor(onto.base, onto.replaces):
        return None
    changed = repo.diff(base.tree, repo.commit_tree(onto.replaces))
    if not all(f"{each.path}/".startswith(tuple(f"{p}/" for p in run.source.places)) for each in changed):
        return None
    tip = replace(onto, base=onto.replaces)
    there = baseline.read(repo, run.source, rebuild=run.options.rebuild, onto=tip)
    if any(isinstance(o, NotModified) and _differs(base, there, key) for key, o in seen.outcomes.items()):
        return None  # the server compared with what stands at the base
    made = plan(run, there, seen, spool)
    return None if made.changes_content or made.rerendered else (there, made)


def _differs(base: Baseline, there: Baseline, key: str) -> bool:
    before, after = base.known.get(key), there.known.get(key)
    return before is None or after is None or before.content_hash != after.content_hash
