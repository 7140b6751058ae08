"""A plan lands in the repository: objects first, then all refs in one transaction, then the work tree (law 5).

A kill before the transaction leaves unreferenced objects, which git collects; one between two ref renames leaves a
prefix of content, notes, state; one after it leaves a work tree that `worktree.finish` completes. From each of them
the next run converges to the same tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from git_okf import changes, memory, report, thrift
from git_okf.baseline import Baseline
from git_okf.model import Delta, File, Observation, RunResult
from git_okf.run import Run, finished
from git_okf.source import Settlement, Spool, ingesting
from git_okf.store import lfs, notes, overlay, review_branch, target, worktree
from git_okf.store.checkpoint import Checkpoint
from git_okf.store.repo import RefUpdate
from git_okf.store.trees import Blob, Content


def write(run: Run, base: Baseline, seen: Observation, plan: Delta, spool: Checkpoint) -> RunResult:
    """Objects first, then all refs in one transaction, then the work tree (design.md, law 5). What was spooled has then
    served."""
    plan = plan if run.gate is not None else _approved(run, plan)
    written = _content(run, base, plan, spool)
    if run.options.stage:
        if written.tree is not None and written.tree != base.tree:
            for path in worktree.update(run.repo, base.tree, written.tree, [*run.source.places, *run.files]):
                run.world.warn(f"{path} was changed while the sync ran: it is staged, your file was left as it is")
        spool.discard()
        return finished(run, base, seen, plan, None)
    result, runs = _watched(
        run, base, finished(run, base, seen, plan, written.commits[-1] if written.commits else None)
    )
    news = memory.durably_changed(base, plan.records) or memory.outage_is_over(base)
    news = news or memory.remembers_more(base, seen.memory) or bool(written.commits)
    moves = _branch_move(run, base, result, written)
    if news:
        moves += _memory_moves(run, base, seen, result, written)
    if moves:
        _move_refs(run, base, moves)
        spool.discard()  # before the files are written: what is held of it is memory
        if _is_checked_out(run, base, moves) and written.tree is not None:
            _check_out(run, base, written.tree)
    else:
        run.publish()
        spool.discard()
    if news:
        overlay.drop_overlay(run.repo, run.source.name)
    else:
        overlay.write_overlay(
            run.repo, run.source.name, base.state_commit if base.state else None, plan.records, base.known
        )
    memory.note_last(run.repo, run.source.name, run.when, result.result, runs)
    return result


def _approved(run: Run, plan: Delta) -> Delta:
    """Where nobody reviews, what is committed is approved by that."""
    part = ingesting(run.source)
    if part is None:
        return plan
    kept = {item.key for item in plan.retained}
    memos = {record.key: record.memo for record in plan.records if record.memo and record.key not in kept}
    _, told = part.settled({}, memos, Settlement.APPROVED, "")
    return replace(plan, records=tuple(replace(r, memo=told[r.key]) if r.key in told else r for r in plan.records))


def looked(run: Run, base: Baseline, seen: Observation, plan: Delta) -> RunResult:
    """The result of a look: nothing is taken, and `last_fully_processed` stays (seed 002, section 3).

    Only what the source remembers of itself is written, where that is new, and that an outage is over. What was fetched
    stays in the checkpoint.
    """
    result = finished(run, base, seen, plan, None)
    moved = plan.changes_content or bool(plan.rerendered) or not seen.complete
    if moved:
        why = f"looked only: {result.subject.replace('sync: ', '')} at the source" if plan.changes_content else ""
        why = why or next(iter(seen.incomplete_reasons), "looked only: what is there is to be rendered anew")
        result = replace(result, result="skipped", exit_code=0, notices=(why, *result.notices))
    if run.options.dry_run:
        return result
    news = memory.Aside(records=(), watermarks=seen.memory)
    memory.write_aside(run.repo, base, run.source, news, run.when, run.check_lease)
    run.publish()
    if not moved:
        memory.note_last(run.repo, run.source.name, run.when, result.result)
    return result


def _watched(run: Run, base: Baseline, result: RunResult) -> tuple[RunResult, list[tuple[float, float]]]:
    """The result with what the run was spared, and a sentence if that was far less than usual; the shares of the last
    runs, this one's at the end."""
    options = run.options
    now = None if options.rebuild or options.theirs or options.retry_failed else thrift.spared(result, base)
    if now is None:
        return result, []
    before = thrift.history(run.repo, run.source.name)
    said = thrift.remark(now, before, found=result.found)
    kept = [(each.bodies, each.extraction) for each in (*before, now)][-thrift.KEPT :]
    notices = (*result.notices, *([said] if said else []))
    return replace(result, spared=kept[-1], notices=notices), kept


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """The content commits as objects; no ref points to them yet."""

    tree: str | None
    commits: tuple[str, ...]


def _content(run: Run, base: Baseline, plan: Delta, spool: Spool) -> _Written:
    """The `render:` commit, then the `sync:` commit, each where there is something for it.

    A build has always something: the configuration, also where the bundle was there before and is up to date.
    """
    repo, source = run.repo, run.source
    tree, parent, made = base.tree, base.head.commit, []
    place = partial(changes.in_repository, source.bundle)
    draft = run.result(base, Observation(outcomes={}), plan, word="", exit_code=0)
    rendered: dict[str, Content] = {
        **place(changes.rendered(plan, base.pages.values(), source, spool.get, run.when, _log(run, tree))),
        **_attached(run, spool, changes.attached(plan.rerendered, (), plan.records)),
    }
    if rendered:
        tree = repo.edit(tree, rendered)
        message = report.commit_message(
            draft, report.render_subject(plan, source.name), report.render_lines(plan), _trailers(run, tree)
        )
        parent = made_one = _commit(run, tree, parent, message)
        made.append(made_one)
    synced: dict[str, Content] = {
        **place(changes.synced(plan, source, spool.get, run.when, _log(run, tree))),
        **_attached(run, spool, changes.attached((*plan.added, *plan.updated), plan.removed, plan.records)),
        **run.files,
    }
    if synced:
        tree = repo.edit(tree, synced)
        message = report.commit_message(
            draft, report.subject(plan, source.name), report.sync_lines(plan), _trailers(run, tree)
        )
        made.append(_commit(run, tree, parent, message))
    return _Written(tree=tree, commits=tuple(made))


def _trailers(run: Run, tree: str) -> list[str]:
    """On a branch under review: what content it is, and the trees by which the commit is known to be as we made it."""
    if not run.content:
        return []
    return [f"Okf-Content: {run.content}", f"Okf-Tree: {review_branch.trees(run.repo, tree, run.source.places)}"]


def _attached(run: Run, spool: Spool, files: Mapping[str, File | bytes | None]) -> dict[str, Content]:
    """Files beside the concepts as tree entries. Bytes that the repository does not have are taken from the spool."""
    root, repo = run.source.files, run.repo
    made: dict[str, Content] = {}
    for path, file in files.items():
        if isinstance(file, File):
            if file.content:
                lfs.keep(repo.common_dir, spool.file(file.content))
            if not repo.has(file.blob):
                repo.write_blob(spool.file(file.blob))
            made[f"{root}/{path}"] = Blob(file.blob, file.executable)
        else:
            made[f"{root}/{path}"] = file
    return made


def _commit(run: Run, tree: str, parent: str | None, message: str) -> str:
    if run.options.stage:
        return ""
    return run.repo.commit(tree, [parent] if parent else [], message, run.when)


def _log(run: Run, tree: str | None) -> bytes | None:
    entry = run.repo.entry(tree, f"{run.source.bundle}/log.md")
    return run.repo.read(entry[1]) if entry else None


def _branch_move(run: Run, base: Baseline, result: RunResult, written: _Written) -> list[RefUpdate]:
    tip = _tip(run, base, written)
    why = f"okf: {result.subject}"
    return [RefUpdate(base.head.ref, base.branch_at, tip, why)] if tip and tip != base.branch_at else []


def _memory_moves(run: Run, base: Baseline, seen: Observation, result: RunResult, written: _Written) -> list[RefUpdate]:
    """Notes where there are commits, and the state."""
    plan = result.delta
    bundle_tree = run.repo.subtree(written.tree, run.source.bundle)
    processed = result.complete and result.exit_code == 0
    task = {"state": result.task, "run": run.id, "at": memory.stamp(run.when), "paths": report.paths(plan)}
    state = memory.next_state(
        base, run.source, plan.records, bundle_tree, run.when, processed=processed, watermarks=seen.memory, task=task
    )
    if run.targets is not None:
        state = replace(state, targets=tuple(run.targets))
    looked = f"retained {len(plan.retained)}" if plan.retained else "looked"
    why = result.subject if written.commits else f"{looked} ({run.source.name})"
    notes_move = [_note(run, result, written.commits)] if written.commits else []
    return [*notes_move, memory.update(run.repo, base, run.source, state, run.when, why)]


def _move_refs(run: Run, base: Baseline, moves: list[RefUpdate]) -> None:
    run.check_lease()
    head = base.head.ref if _is_checked_out(run, base, moves) else None
    run.repo.update(moves, head=head, first=partial(_last, run, moves))


def _is_checked_out(run: Run, base: Baseline, moves: list[RefUpdate]) -> bool:
    """Whether the branch that moves is the one whose files are in the work tree."""
    return run.options.onto is None and moves[0].name == base.head.ref


def _tip(run: Run, base: Baseline, written: _Written) -> str | None:
    """Where the branch will be. One that is to be replaced stays as it is where nothing was made to replace it, or
    follows the remote, which has it already."""
    onto = run.options.onto
    if written.commits:
        return written.commits[-1]
    if onto is None or onto.base is None or (run.publisher is not None and base.head.commit == onto.replaces):
        return base.head.commit
    return base.branch_at


def _last(run: Run, moves: Sequence[RefUpdate]) -> None:
    """What is left when all refs are locked: nobody may have checked the target out meanwhile, and then the push."""
    if run.options.onto is not None:
        target.check_free(run.repo, run.options.onto)
    run.publish(moves)


def _check_out(run: Run, base: Baseline, tree: str) -> None:
    """Files and index follow the branch; those of others too where the remote had moved on."""
    repo = run.repo
    old = repo.commit_tree(base.branch_at) if base.branch_at else None
    ours = [*run.source.places, *run.files]
    for path in worktree.update(repo, old, tree, ours if base.branch_at == base.head.commit else [""]):
        run.world.warn(f"{path} was changed while the sync ran: it is committed, your file was left as it is")


def _note(run: Run, result: RunResult, made: Sequence[str]) -> RefUpdate:
    old = run.repo.ref(notes.REF)
    new, text = old, report.as_json([result])
    for commit in made:
        new = notes.note(run.repo, new, commit, text, run.when)
    return RefUpdate(notes.REF, old, new or "", f"okf: {result.subject}")
