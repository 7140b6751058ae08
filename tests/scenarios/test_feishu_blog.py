"""The blog of the seed: 163 articles of all forms, of which one or two change on a day."""

from __future__ import annotations

from feishu_drive import Blog, populate
from feishu_press import Press
from feishu_press import program as program
from feishu_press import server as server


def test_a_blog_of_163_articles_costs_what_changed_in_it(program: Press) -> None:
    made = populate(program.drive, sound=400_000)
    folders = [blog for blog in made.values() if isinstance(blog, Blog)]
    subs = sum(bool(token) for blog in folders for token in (blog.article, blog.podcast, blog.slides, blog.html))
    listings = 1 + len(folders) + subs

    first = program.sync()
    assert program.subject == "sync: +163 -0 =0 (blog)"
    assert program.server.count("list") == listings
    taken = program.server.sent
    items = program.repo.git("ls-tree", "-rl", "okf/state", "blog/items/").splitlines()
    assert sum(int(line.split()[3]) for line in items) < 1000 * len(made), "under a kilobyte an article"

    quiet = program.quiet()
    assert program.server.kinds() == {"auth": 1, "list": listings}
    assert listings < 2.7 * len(made), "two or three listings an article"
    assert (quiet["not_modified"], quiet["fetched"], quiet["found"]) == (163, 0, 163)
    assert taken > 50 * program.server.sent
    assert quiet["requests"] == listings + 1 < first["requests"] / 3

    plain = next(token for token in made.values() if isinstance(token, str))
    whole = next(blog for blog in folders if blog.podcast and blog.slides)
    program.drive.write(plain, "Written anew.")
    program.drive.put(whole.audio, b"ID3 recorded anew")
    program.drive.later(days=1)
    program.sync()
    assert program.subject == "sync: +0 -0 =2 (blog)"
    assert program.server.kinds() == {"auth": 1, "list": listings, "docx": 4, "media": 1}
    assert set(program.server.asked("docx")) == {plain, whole.text}
    assert program.server.asked("media") == [whole.audio]
    program.quiet()
    assert program.run("verify").code == 0
