"""MathML -> TeX, for pages that hold no source of their formulas."""

from __future__ import annotations

from lxml import etree

_OPERATORS = {
    "∑": "\\sum", "∏": "\\prod", "∫": "\\int", "√": "\\sqrt", "∞": "\\infty", "≤": "\\le", "≥": "\\ge", "≠": "\\ne",
    "≈": "\\approx", "∈": "\\in", "∉": "\\notin", "⊂": "\\subset", "⊆": "\\subseteq", "∪": "\\cup", "∩": "\\cap",
    "→": "\\to", "←": "\\leftarrow", "⇒": "\\Rightarrow", "⇔": "\\Leftrightarrow", "↦": "\\mapsto", "×": "\\times",
    "÷": "\\div", "±": "\\pm", "⋅": "\\cdot", "·": "\\cdot", "∘": "\\circ", "⊙": "\\odot", "⊕": "\\oplus",
    "⊗": "\\otimes", "∂": "\\partial", "∇": "\\nabla", "∀": "\\forall", "∃": "\\exists", "¬": "\\neg", "∧": "\\wedge",
    "∨": "\\vee", "…": "\\ldots", "⋯": "\\cdots", "∥": "\\|", "∼": "\\sim", "∝": "\\propto", "′": "'", "−": "-",
    "\u2061": "", "\u2062": "", "\u2063": "", "{": "\\{", "}": "\\}", "%": "\\%", "&": "\\&", "#": "\\#",
}  # fmt: skip
_GREEK = {
    **dict(zip("αβγδεζηθικλμνξπρστυφχψω", "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi"
           " rho sigma tau upsilon phi chi psi omega".split(), strict=True)),
    **dict(zip("ΓΔΘΛΞΠΣΦΨΩ", "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega".split(), strict=True)),
    "ϵ": "epsilon", "ϕ": "phi", "ϑ": "vartheta", "ℓ": "ell", "ℝ": "mathbb{R}", "ℕ": "mathbb{N}", "ℤ": "mathbb{Z}",
}  # fmt: skip
_ACCENTS = {"^": "hat", "ˆ": "hat", "~": "tilde", "˜": "tilde", "¯": "bar", "‾": "overline", "→": "vec", "˙": "dot"}
_SKIPPED = frozenset(("annotation", "annotation-xml", "mspace", "maligngroup", "malignmark", "mphantom"))


def tex(el: etree._Element) -> str:
    """The TeX of a MathML element."""
    return " ".join(_tex(el).split())


def _tex(el: etree._Element) -> str:
    tag = el.tag.rpartition("}")[2] if isinstance(el.tag, str) else ""
    if not tag or tag in _SKIPPED:
        return ""
    if tag in ("mi", "mo", "mn", "mtext", "ms"):
        return _leaf(tag, "".join(el.itertext()).strip())
    kids = [c for c in el if isinstance(c.tag, str) and c.tag.rpartition("}")[2] not in _SKIPPED]
    maker = _MAKERS.get(tag)
    if maker and len(kids) >= maker[0]:
        return maker[1](*(_tex(k) for k in kids[: maker[0]]))
    if tag in ("mtable", "mtr", "mlabeledtr"):
        rows = (" & " if tag != "mtable" else " \\\\ ").join(_tex(k) for k in kids)
        return f"\\begin{{matrix}} {rows} \\end{{matrix}}" if tag == "mtable" else rows
    if tag == "msqrt":
        return f"\\sqrt{{{''.join(map(_tex, kids))}}}"
    return _joined([_tex(k) for k in kids]) or (el.text or "").strip()


def _leaf(tag: str, text: str) -> str:
    if tag in ("mtext", "ms"):
        return f"\\text{{{text}}}" if text else ""
    if tag == "mi" and len(text) > 1 and text.isalpha() and text.isascii():
        return f"\\mathrm{{{text}}}"
    return _joined(["\\" + _GREEK[c] if c in _GREEK else _OPERATORS.get(c, c) for c in text])


def _joined(parts: list[str]) -> str:
    out = ""
    for part in parts:
        command = out.rpartition("\\")[2] if "\\" in out else ""
        out += f" {part}" if command and command.isalpha() and part[:1].isalnum() else part
    return out


def _braced(text: str) -> str:
    return text if len(text) == 1 else f"{{{text}}}"


def _accent(base: str, over: str) -> str:
    name = _ACCENTS.get(over.strip()) or ("vec" if over == "\\to" else "")
    return (
        f"\\{name}{{{base}}}"
        if name
        else f"\\overset{{{over}}}{{{base}}}"
        if "\\sum" not in base
        else f"{base}^{{{over}}}"
    )


_MAKERS = {
    "mfrac": (2, lambda a, b: f"\\frac{{{a}}}{{{b}}}"),
    "msup": (2, lambda a, b: f"{a}^{_braced(b)}"),
    "msub": (2, lambda a, b: f"{a}_{_braced(b)}"),
    "msubsup": (3, lambda a, b, c: f"{a}_{_braced(b)}^{_braced(c)}"),
    "munder": (2, lambda a, b: f"{a}_{_braced(b)}"),
    "mover": (2, _accent),
    "munderover": (3, lambda a, b, c: f"{a}_{_braced(b)}^{_braced(c)}"),
    "mroot": (2, lambda a, b: f"\\sqrt[{b}]{{{a}}}"),
}
