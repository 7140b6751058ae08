"""Looking into other people's git repositories: cheaply, safely, at one revision. What `git` and `skills` are built on.

address    where a repository is: https, ssh, a local path (http on loopback); never with credentials in it
head       what one look (`ls-remote`, one round trip, no object) found a ref to stand for: a full commit id
mirror     a bare repository in scratch that holds what of the upstream was needed; losing it loses nothing
tree       everything in a commit, by path, with modes and ids; what could not be listed is named
blob       a file's bytes, checked against the id they were asked by

    transport = Transport(environ, stopping=tools.stopping)
    head = look(transport, parse(source.url, root), source.ref)
    mirror = Mirror(scratch / "mirror.git", transport, head.address)
    mirror.fetch(head.commit, head.ref)
    tree = mirror.tree(head.commit)
    for blob in mirror.blobs([entry.id for entry in tree.entries if ...], limit=max_bytes): ...

Nothing is ever checked out, no hook, filter or submodule of the upstream takes part, and an object that is missing is
fetched only where it is asked for in so many words: never one by one behind our back.
"""
