"""Code blocks: exact text, language, line numbers undone, blocks stay blocks."""

from __future__ import annotations

import pytest
from extracting import markdown


def test_ext_02_line_number_table_becomes_a_fence() -> None:
    html = (
        '<div class="highlight-python notranslate"><table class="highlighttable"><tr>'
        '<td class="linenos"><div class="linenodiv"><pre>1\n2</pre></div></td>'
        '<td class="code"><div class="highlight"><pre><span></span>x = 1\n  y = 2\n</pre></div></td></tr></table></div>'
    )
    assert markdown(html) == "```python\nx = 1\n  y = 2\n```"


@pytest.mark.parametrize(
    "html",
    [
        '<table class="rouge-table"><tr><td class="rouge-gutter gl"><pre class="lineno">1\n2\n</pre></td>'
        '<td class="rouge-code"><pre>a\n\n b\n</pre></td></tr></table>',
        '<div class="chroma"><table class="lntable"><tr><td class="lntd"><pre><code><span class="lnt">1\n'
        "</span></code></pre></td>"
        '<td class="lntd"><pre><code>a\n\n b\n</code></pre></td></tr></table></div>',
        '<table class="hljs-ln"><tr><td class="hljs-ln-numbers" data-line-number="1"></td>'
        '<td class="hljs-ln-code">a</td></tr>'
        '<tr><td class="hljs-ln-numbers"></td><td class="hljs-ln-code"></td></tr>'
        '<tr><td class="hljs-ln-numbers"></td><td class="hljs-ln-code"> b</td></tr></table>',
        '<pre><code><span class="lineno">1</span>a\n<span class="lineno">2</span>\n<span class="lineno">3'
        "</span> b</code></pre>",
        "<table><tr><td><pre>1\n2\n3</pre></td><td><pre>a\n\n b</pre></td></tr></table>",
    ],
)
def test_ext_02_line_numbers_of_every_highlighter_are_undone(html: str) -> None:
    assert markdown(html) == "```\na\n\n b\n```"


def test_ext_03_code_stays_a_block_under_its_item_with_its_language() -> None:
    html = (
        "<ol><li><p>Install it:</p><pre><code class='language-sh'>pip install x\n</code></pre></li>"
        "<li><p>Run it:</p><pre>x</pre><p>Done.</p></li></ol>"
    )
    assert markdown(html) == (
        "1. Install it:\n\n   ```sh\n   pip install x\n   ```\n\n2. Run it:\n\n   ```\n   x\n   ```\n\n   Done."
    )


def test_item_that_begins_with_code() -> None:
    assert markdown("<ul><li><pre>a\nb</pre></li><li>c</li></ul>") == "-\n  ```\n  a\n  b\n  ```\n\n- c"


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ('<pre><code class="language-rust ignore">x</code></pre>', "rust"),
        ('<div class="highlight-python3 notranslate"><div class="highlight"><pre>x</pre></div></div>', "python3"),
        ('<div class="highlight-default notranslate"><div class="highlight"><pre>x</pre></div></div>', ""),
        ('<div class="highlight highlight-source-js"><pre>x</pre></div>', "js"),
        ('<pre class="sourceCode haskell"><code class="sourceCode haskell">x</code></pre>', "haskell"),
        ('<pre><code class="hljs bash">x</code></pre>', "bash"),
        ('<pre class="brush: java; title: x">x</pre>', "java"),
        ('<div class="language-vue"><span class="lang">vue</span><pre class="shiki"><code>x</code></pre></div>', "vue"),
        ('<pre class="highlight"><code data-lang="c++">x</code></pre>', "c++"),
        ('<pre class="mermaid">x</pre>', "mermaid"),
        ('<pre class="src src-emacs-lisp">x</pre>', "emacs-lisp"),
        ('<pre class="programlisting">x</pre>', ""),
        ('<pre lang="de">x</pre>', ""),
        ('<pre><code class="language-&lt;script&gt;">x</code></pre>', ""),
    ],
)
def test_language_is_kept_where_one_is_given(html: str, language: str) -> None:
    assert f"```{language}\nx\n```" in markdown(f"<p>Some words before the code.</p>{html}")


def test_whitespace_and_blank_lines_are_exact() -> None:
    code = "def f():\n\n\n    return  1   \n\n\tx"
    assert markdown(f"<pre>{code}</pre>") == f"```\n{code}\n```"


def test_fence_is_longer_than_any_inside() -> None:
    assert markdown("<pre>````md\n```\n````</pre>") == "`````\n````md\n```\n````\n`````"


def test_lines_made_of_elements_are_lines() -> None:
    html = (
        '<div class="prism-code language-js"><div class="codeBlockLines_2n9r"><div class="token-line">a</div>'
        '<div class="token-line"><span></span></div><div class="token-line">  b</div></div></div>'
    )
    assert markdown(html) == "```js\na\n\n  b\n```"
    assert markdown("<pre>a<br>b<br/>c</pre>") == "```\na\nb\nc\n```"


def test_copy_buttons_and_highlighter_markup_leave_nothing() -> None:
    html = '<pre><button class="copybtn">Copy</button><code><span class="k">if</span> <a href="#x">x</a>:</code></pre>'
    assert markdown(html) == "```\nif x:\n```"


def test_no_break_spaces_in_code_are_blanks() -> None:
    assert markdown("<pre>a&nbsp;&nbsp;b</pre>") == "```\na  b\n```"
