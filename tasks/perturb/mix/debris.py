"""How far a passage is debris: remnants of HTML, fragments, menus (Magic Mushroom §3.3, low quality)."""

import re

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>|&(?:[a-z]{2,8}|#\d{1,6}|#x[0-9a-f]{1,6});|<!--|-->", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"\b(?:class|href|style|src|id|colspan|rowspan|width|align|onclick)\s*=\s*[\"']?[\w#./:;% -]*")
_CODE = re.compile(r"[{}]|\b(?:px|nbsp|undefined|null|NaN|function\s*\(|var\s+\w+\s*=|https?://\S+|www\.\S+)")
_MENU = re.compile(
    r"\b(?:click here|read more|learn more|sign (?:in|up)|log ?in|subscribe|cookies?|privacy policy|terms of use|"
    r"back to top|skip to (?:main )?content|all rights reserved|share this|next page|previous page|site map|"
    r"page \d+ of \d+|\[edit\]|\[citation needed\]|loading|advertisement|javascript)\b"
    r"|[|»›•·]\s*(?:home|menu|search)\b",
    re.IGNORECASE,
)
_LEADERS = re.compile(r"\.{4,}|(?:\s\.){4,}|_{4,}|-{6,}|={4,}|\*{4,}|\ufffd")
_WORD = re.compile(r"[^\W\d_]{2,}")
_RUN = 6  # words in a row, as the shortest statement has


def debris(text: str) -> float:
    """0 for a passage in good order, 1 for mere debris; what is in between has some of both.

    The larger of two shares of its characters: those that are markup, and those in lines that say nothing. A table in
    Markdown is in good order, and so is a short sentence that ends as one.
    """
    plain = text.strip()
    if not plain:
        return 1.0
    marked = sum(len(hit[0]) for pattern in (_TAG, _ATTRIBUTE, _CODE, _LEADERS) for hit in pattern.finditer(plain))
    lines = [_TAG.sub(" ", line).strip() for line in plain.splitlines()]
    empty = sum(len(line) for line in lines if _fragment(line))
    # a fifth of markup makes a text as hard to read as may be
    return round(min(max(5 * marked / len(plain), empty / max(sum(map(len, lines)), 1)), 1.0), 4)


def _fragment(line: str) -> bool:
    """Whether a line says nothing: neither row of a table nor sentence, or a menu, a path, a piece torn out."""
    if line.startswith("|") and line.endswith("|") and len(line) > 2:
        return False
    words = _WORD.findall(line)
    if _MENU.search(line) and len(words) <= 2 * _RUN:
        return True
    if line.count(" > ") >= 2 or (line.startswith(("...", "…")) and line.endswith(("...", "…"))):
        return True
    if len(words) >= _RUN:
        return sum(map(len, words)) < 0.5 * len(line.replace(" ", ""))
    return not (len(words) >= 3 and line.endswith((".", "!", "?", ":", ";")))
