"""MathML -> TeX, for pages that hold no source of their formulas."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lxml import etree

from git_okf.source.web.extract.tree import raw_text

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
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota",
    "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau",
    "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta",
    "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
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
        return _leaf(tag, raw_text(el).strip())
    kids = [c for c in el if isinstance(c.tag, str) and c.tag.rpartition("}")[2] not in _SKIPPED]
    maker = _MAKERS.get(tag)
    if maker and len(kids) >= maker[0]:
        return maker[1]([_tex(k) for k in kids])
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


_MAKERS: dict[str, tuple[int, Callable[[Sequence[str]], str]]] = {
    "mfrac": (2, lambda k: f"\\frac{{{k[0]}}}{{{k[1]}}}"),
    "msup": (2, lambda k: f"{k[0]}^{_braced(k[1])}"),
    "msub": (2, lambda k: f"{k[0]}_{_braced(k[1])}"),
    "msubsup": (3, lambda k: f"{k[0]}_{_braced(k[1])}^{_braced(k[2])}"),
    "munder": (2, lambda k: f"{k[0]}_{_braced(k[1])}"),
    "mover": (2, lambda k: _accent(k[0], k[1])),
    "munderover": (3, lambda k: f"{k[0]}_{_braced(k[1])}^{_braced(k[2])}"),
    "mroot": (2, lambda k: f"\\sqrt[{k[1]}]{{{k[0]}}}"),
}
