"""What GitLab does after a push: it heeds the push options, and answers with lines that git shows behind `remote:`.

    take_pushes(hub, server.url + API_PREFIX)      # pushes to the hub's repository do what they say from now on

As GitLab does it (`PostReceiveService`, `MergeRequests::PushOptionsHandlerService`, gitlab-shell): a hook hands changes
and options to an internal API. The options count for every branch of the push but the default one and those deleted, at
most ten; an open merge request of a branch is changed, else one is opened; the push succeeds whatever is wrong, and a
warning in a box says what; each branch is told with its merge request, or with where to open one.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Sequence

from forges.hub import Hub, Pull
from forges.server import Reply, Request

PATH = "/internal/post_receive"
LIMIT = 10
AUTHOR = "whoever-pushes"
DEFAULT = "main"
HOOK = """\
#!{python}
import json, os, sys, urllib.request

changes = [line.split() for line in sys.stdin]
if not any(ref.startswith("refs/heads/") for _, _, ref in changes):
    sys.exit(0)
options = [os.environ[f"GIT_PUSH_OPTION_{{n}}"] for n in range(int(os.environ.get("GIT_PUSH_OPTION_COUNT", "0")))]
asked = urllib.request.Request("{url}", json.dumps({{"changes": changes, "push_options": options}}).encode())
with urllib.request.build_opener(urllib.request.ProxyHandler({{}})).open(asked) as answer:
    print(json.load(answer)["said"])
"""


def take_pushes(hub: Hub, api_url: str) -> None:
    hub.git("config", "receive.advertisePushOptions", "true")
    hook = hub.repo / "hooks" / "post-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(HOOK.format(python=sys.executable, url=api_url + PATH))
    hook.chmod(0o755)


def received(hub: Hub, request: Request) -> Reply:
    """The answer to the hook: `said` is what it prints."""
    hub.settle()
    branches = list(_branches(request.json["changes"]))
    options = request.json["push_options"]
    wrong = _handled(hub, branches, options) if any(each.startswith("merge_request.") for each in options) else []
    named = " ".join(f"'{option}'" for option in options)
    warning = f"WARNINGS:\nError encountered with push options {named}: " + "\n\n".join(wrong)
    told = (_told(hub, branch, f"http://{request.headers['host']}/{hub.name}") for branch in branches)
    return Reply(data={"said": "\n".join([*(_box(warning) if wrong else []), *(line for t in told for line in t)])})


def _branches(changes: Sequence[Sequence[str]]) -> Iterator[str]:
    for _, new, ref in changes:
        branch = ref.removeprefix("refs/heads/")
        if branch != ref and new.strip("0") and branch != DEFAULT:
            yield branch


def _handled(hub: Hub, branches: Sequence[str], options: Sequence[str]) -> list[str]:
    pairs = [option.removeprefix("merge_request.").partition("=") for option in options]
    said = {name: value or "true" for name, _, value in pairs}
    labels = [value for name, _, value in pairs if name == "label"]
    target = said.get("target", DEFAULT)
    if "pulls" in hub.denied:
        return [f"Merge requests are not enabled for project {hub.name}"]
    if len(branches) > LIMIT:
        return [f"Too many branches pushed ({len(branches)} were pushed, limit is {LIMIT})"]
    if hub.branch(target) is None:
        return [f"Target branch {hub.name}:{target} does not exist"]
    wrong = []
    for branch in branches:
        pull = _open(hub, branch)
        if pull is None and "create" not in said:
            wrong.append(
                f"A merge_request.create push option is required to create a merge request for branch {branch}"
            )
            continue
        if pull is None:
            pull = hub.new_pull(branch, "", branch, target, AUTHOR)
        pull.title, pull.base = said.get("title", pull.title), target
        pull.body = said.get("description", pull.body).replace("\\n", "\n")
        pull.labels += [label for label in labels if label not in pull.labels]
        pull.remove_source_branch = "remove_source_branch" in said or pull.remove_source_branch
    return wrong


def _open(hub: Hub, branch: str) -> Pull | None:
    found = (pull for pull in hub.pulls.values() if (pull.stage, pull.branch) == ("open", branch))
    return next(found, None)


def _told(hub: Hub, branch: str, url: str) -> list[str]:
    pull = _open(hub, branch)
    if pull is not None:
        return ["", f"View merge request for {branch}:", f"  {url}/-/merge_requests/{pull.number}", ""]
    there = f"{url}/-/merge_requests/new?merge_request%5Bsource_branch%5D={branch.replace('/', '%2F')}"
    return ["", f"To create a merge request for {branch}, visit:", f"  {there}", ""]


def _box(text: str) -> list[str]:
    lines = textwrap.wrap(text, 60, break_long_words=False)
    return ["", "=" * 72, "", *(line.center(72).rstrip() for line in lines), "", "=" * 72, ""]
