"""`python -m tests.bench quick|full|growth`: see README.md."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

from . import budgets, growth, programs, real_sites, tables
from .campaign import GENERATED, Campaign, Plan
from .nginx import ServerError, serving
from .process import RunFailed

SMALL = f"{GENERATED}20"
"""The site that costs little but the start."""
QUICK = f"{GENERATED}500"
ENOUGH = 80.0
"""Seconds after which `quick` repeats nothing any more, on a machine that is slow or busy."""
IN_TIME = 150.0
"""Seconds within which there is time to measure once more."""
FULL = (f"{GENERATED}1000", f"{GENERATED}10000", f"{GENERATED}100000")
PEERS_UP_TO = 2500
"""Pages of a site on which all peers are run: beyond, okf-kit and scrapy take hours and tell nothing new."""
ONE_CORE_UP_TO = 20_000


def main() -> int:
    asked = arguments().parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that nginx is ended too
    try:
        return int(asked.run(asked))
    except (ServerError, RunFailed, real_sites.NoSuchSite) as error:
        sys.stderr.write(f"{error}\n")
        return 2


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="What git-okf costs, and its peers.")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument(
        "--git-okf", metavar="COMMAND", help="how git-okf is started; without it, the one of this Python"
    )
    common.add_argument("--work", type=Path, metavar="DIR", help="work here, and leave everything there")
    common.add_argument("--json", type=Path, metavar="FILE", help="write all samples and verdicts")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    races = argparse.ArgumentParser(add_help=False, parents=[common])
    races.add_argument("--markdown", type=Path, metavar="FILE", help="write the table of budgets")
    races.add_argument("--no-install", action="store_true", help="install nothing: measure without the peers that lack")
    races.add_argument("--no-peers", action="store_true", help="measure git-okf alone")
    races.add_argument("--only-judged", action="store_true", help="leave out the programs that no budget speaks of")
    races.add_argument("--rounds", type=int, metavar="N", help="rounds of everything that is repeated")
    quick = commands.add_parser("quick", parents=[races], help="three minutes; exit code 1 where a budget fails")
    quick.set_defaults(run=run_quick)
    full = commands.add_parser("full", parents=[races], help="all sizes and all sites of this machine, or those named")
    full.add_argument("names", nargs="*", metavar="SITE", help=f"{GENERATED}N, a Debian manual or one of OKF_CORPUS")
    full.set_defaults(run=run_full)
    grow = commands.add_parser("growth", parents=[common], help="a year of daily syncs, git gc off and on")
    grow.add_argument("name", metavar="SITE", help="one of OKF_CORPUS, with its history")
    grow.add_argument("--days", type=int, default=365, metavar="N")
    grow.set_defaults(run=run_growth)
    return parser


def run_quick(asked: argparse.Namespace) -> int:
    plan = _planned(asked, Plan(site=QUICK, builds=3, looks=5, slow=1))
    small = replace(plan, site=SMALL, changes=False)
    with _campaign(asked) as campaign:
        started = time.monotonic()
        campaign.enough = started + ENOUGH
        campaign.run(plan, small)
        behind = budgets.failed(budgets.verdicts(campaign.results, [QUICK], SMALL))
        if behind and time.monotonic() < started + IN_TIME:
            campaign.enough = time.monotonic() + ENOUGH / 4
            sys.stderr.write("a budget fails: measured once more, without the slow peers\n")
            campaign.run(replace(plan, slow=0), replace(small, slow=0))
        return _report(asked, campaign, [QUICK])


def run_full(asked: argparse.Namespace) -> int:
    corpus = os.environ.get("OKF_CORPUS", "")
    names = asked.names or [*FULL, *real_sites.known(corpus)]
    with _campaign(asked) as campaign:
        for name in names:
            pages = campaign.pages(name)
            big, huge = pages > PEERS_UP_TO, pages > ONE_CORE_UP_TO
            builds, looks = 1 if big else 3, 1 if huge else 5
            plan = Plan(site=name, builds=builds, looks=looks, slow=0 if big else 1, one_core=not huge)
            small = Plan(site=SMALL, slow=plan.slow, changes=False)
            campaign.run(_planned(asked, plan), _planned(asked, small))
        return _report(asked, campaign, names)


def run_growth(asked: argparse.Namespace) -> int:
    with _workplace(asked.work) as work:
        versions = real_sites.versions(asked.name, os.environ.get("OKF_CORPUS", ""), work)
        sizes = []
        with serving(work / "nginx", versions[0]) as server:
            for housekeeping in (False, True):
                for size in growth.replay(
                    server, versions, work, _git_okf(asked), asked.days, housekeeping=housekeeping
                ):
                    sizes.append(size)
                    sys.stderr.write(f"day {size.day}: {size.git_kb:,.0f} kB\n")
    sys.stdout.write(tables.aligned(growth.heading(), growth.rows(sizes)) + "\n")
    if asked.json:
        asked.json.write_text(json.dumps([asdict(size) for size in sizes], indent=1), encoding="utf-8")
    return 0


def _planned(asked: argparse.Namespace, plan: Plan) -> Plan:
    rounds = {} if asked.rounds is None else dict.fromkeys(("builds", "looks"), asked.rounds)
    return replace(plan, peers=plan.peers and not asked.no_peers, **rounds)


def _git_okf(asked: argparse.Namespace) -> Sequence[str]:
    return shlex.split(asked.git_okf) if asked.git_okf else (sys.executable, "-m", "git_okf")


@contextmanager
def _workplace(wanted: Path | None) -> Iterator[Path]:
    if wanted is None:
        with tempfile.TemporaryDirectory(prefix="git-okf-bench-") as folder:
            yield Path(folder)
    else:
        for left in ("runs", "nginx", "home", "logs"):
            shutil.rmtree(wanted / left, ignore_errors=True)
        wanted.mkdir(parents=True, exist_ok=True)
        yield wanted.resolve()


@contextmanager
def _campaign(asked: argparse.Namespace) -> Iterator[Campaign]:
    wanted = budgets.JUDGED if asked.only_judged else programs.ALL
    everyone = programs.chosen(wanted, _git_okf(asked), install=not (asked.no_install or asked.no_peers))
    cores = min(2, len(os.sched_getaffinity(0)))
    with _workplace(asked.work) as work:
        (work / "empty").mkdir(exist_ok=True)
        (work / "empty" / "index.html").write_text("<p>Nothing yet.</p>", encoding="utf-8")
        with serving(work / "nginx", work / "empty") as server:
            corpus = os.environ.get("OKF_CORPUS", "")
            yield Campaign(server=server, work=work, corpus=corpus, everyone=everyone, cores=cores)


def _report(asked: argparse.Namespace, campaign: Campaign, sites: Sequence[str]) -> int:
    results, command = campaign.results, " ".join(["python -m tests.bench", *sys.argv[1:]])
    found = budgets.verdicts(results, sites, SMALL)
    say = sys.stdout.write
    for site in sites:
        say(f"\n{site}, {results.pages(site)} pages, medians\n\n{tables.medians(results, site)}\n")
    generated = [site for site in results.sites() if site.startswith(GENERATED) and site != SMALL]
    if len(generated) > 1:
        say(f"\n{tables.growth(results, generated)}\n")
    say(f"\n{tables.aligned(tables.VERDICT_HEADING, tables.verdict_rows(found))}\n")
    reasons = {f"{v.budget.what}, {v.site}": v.reason for v in found if v.reason}
    for name, reason in {**reasons, **results.missing}.items():
        say(f"not measured: {name}: {reason}\n")
    if asked.json:
        asked.json.write_text(json.dumps(tables.as_json(results, found, command), indent=1), encoding="utf-8")
    if asked.markdown:
        asked.markdown.write_text(tables.budget_table(found, command), encoding="utf-8")
    return 1 if budgets.failed(found) else 0


if __name__ == "__main__":
    sys.exit(main())
