"""Whether a passage holds the answer, as a reader or a string match would find it (SURE S5, RARE R28).

A string match here is one of any gold answer or alias, whatever its case, spacing, accents and kind of quotes, from the
beginning of a word to the end of one: "5" is not in "2015". Its article, or an "approximately", need not be there. What
is answered by yes or no is in no string, so that nothing can be said of it.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser

import yaml

from rarefy.data_contracts.rows import VERDICTS
from rarefy.tasks.nli.figures import figured, figures
from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.notations import occurs
from rarefy.tasks.text import characters
from rarefy.tasks.text.kept import small
from rarefy.tasks.text.names import ENDING

_LEAD = re.compile(r"^(?:(?:the|an?|approximately|about|around|roughly|nearly|almost|some)\s+)+(?=\S)")
_INITIAL = re.compile(r"(?<=\w\s)[a-z]\.\s(?=\w)")
_QUOTES = dict.fromkeys("’‘", "'") | dict.fromkeys("“”", '"') | {"\u00ad": ""}
_QUOTES |= dict.fromkeys("–—−\u2010\u2011\u2012\u2015\ufe58\ufe63\uff0d", "-")
_MARKS = re.compile("[" + "".join(_QUOTES) + "]")
_DOTTED = re.compile(r"\b(?:[a-z]\.){2,}")  # "U.S. dollar" is the US dollar
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_MOMENT_LEAD = re.compile(r"^\s*(?:on|by|in|as of|until|since)\s")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,24}\d{0,2});", re.IGNORECASE)
_SPACED = re.compile(r"(?<![\d.,' ])(?<!\d )\d{1,3}(?:[ '_]\d{3}){1,5}(?![\d'])")
_UNSEEN = {*map(chr, range(0xFE00, 0xFE10)), *"\u034f\u115f\u1160\u3164"}  # that Unicode does not call format
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def answer_kept(case: Case, draft: Draft) -> str:
    """`answer_lost` where the original held the answer or an alias and the variant holds none of them."""
    return _lost(case, draft.text)


def answer_readable(case: Case, draft: Draft) -> str:
    """As `answer_kept`, of what a reader of the format gets; `unreadable` where it is not well-formed."""
    try:
        text = read(draft.text)
    except (ValueError, yaml.YAMLError) as error:
        return f"unreadable: {str(error).splitlines()[0]}"
    return _lost(case, text)


def no_answer(case: Case, draft: Draft) -> str:
    """`answer_remains` where the answer or an alias can be read in the variant, in any notation."""
    wanted = [form for form in (case.answer, *case.aliases) if form.strip() and fold(form) not in VERDICTS]
    if not wanted:
        return ""
    text = _legible(draft.text)
    folded, there = fold(text), _figures(text) | _figures(text, "de")
    for form in wanted:
        plain = _legible(form)
        if any(holds(folded, core) for core in cores(plain)):
            return f"answer_remains: {form}"
        if not there.isdisjoint(_figure(plain)):
            return f"answer_remains: {form}, in another notation"
    if any(occurs(text, case.answer, case.aliases, language) for language in ("en", "de")):
        return "answer_remains: in another notation"
    return ""


def holds(text: str, form: str) -> bool:
    """Is this form in this text, both folded, as whole words?"""
    at = text.find(form)
    while at >= 0:
        end = at + len(form)
        before, after = text[max(at - 2, 0) : at], text[end : end + 2]
        if not _joins(before[::-1], form[0]) and not _joins(after, form[-1]):
            return True
        at = text.find(form, at + 1)
    return False


def cores(form: str) -> Iterator[str]:
    """A form, folded, and what is left of it without an article, a company's suffix, an initial."""
    folded = fold(form)
    seen = {folded, _LEAD.sub("", folded)}
    seen |= {ENDING.sub("", one) for one in seen}
    seen |= {_INITIAL.sub("", one) for one in seen}
    yield from sorted(one for one in seen if one)


def _fold(text: str) -> str:
    """The text in lower case with plain quotes and single spaces, without accents and what cannot be seen."""
    plain = text if text.isascii() else _MARKS.sub(lambda hit: _QUOTES[hit[0]], text)
    if not plain.isascii():
        plain = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
        plain = _INVISIBLE.sub("", plain)
    return " ".join(_DOTTED.sub(lambda hit: hit[0].replace(".", ""), plain.casefold()).split())


fold = small(_fold)


def read(text: str) -> str:
    """What a reader gets of JSON, HTML, YAML or Markdown; ValueError or YAMLError where it cannot be read."""
    head = text.lstrip()[:64].lower()
    if head.startswith("{"):
        return "\n".join(str(value) for value in json.loads(text).values())
    if head.startswith(("<html", "<!doctype")):
        page = _Page()
        page.feed(text)
        page.close()
        return "".join(page.parts)
    if re.match(r"title\s*:", head):
        found = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        if not isinstance(found, dict):
            raise ValueError("the YAML is no mapping")
        return "\n".join(str(value) for value in found.values())
    return unescape(_ESCAPED.sub(r"\1", text))


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def _lost(case: Case, text: str) -> str:
    forms = [form for form in (case.answer, *case.aliases) if form.strip() and fold(form) not in VERDICTS]
    if any(form in text and holds(text, form) for form in forms):  # verbatim: by far the most
        return ""
    original, variant = fold(case.text), fold(text)
    had = [form for form in forms if any(holds(original, core) for core in _kept_as(form))]
    if not had or any(holds(variant, core) for form in forms for core in _kept_as(form)):
        return ""
    return f"answer_lost: {had[0]}"


def _kept_as(form: str) -> set[str]:
    folded = fold(form)
    return {one for one in (folded, _LEAD.sub("", folded)) if one}


def _joins(beside: str, edge: str) -> bool:
    """Does what stands beside an edge belong to the same word or number? `beside` is read away from the edge."""
    if not beside or not edge.isalnum():
        return False
    if beside[0].isalnum() or beside[0] == "_":
        return True
    return edge.isdigit() and beside[0] in ".," and len(beside) > 1 and beside[1].isdigit()


def _legible(text: str) -> str:
    """The text as it is read: without entities, signs that cannot be seen, and blanks within its numbers."""
    seen = unescape(text) if "&" in text and _ENTITY.search(text) else text
    if not seen.isascii():
        seen = "".join(
            char for char in characters.plain(seen) if char not in _UNSEEN and unicodedata.category(char) != "Cf"
        )
    return _SPACED.sub(lambda hit: re.sub(r"\D", "", hit[0]), seen.replace("\u00a0", " "))


def _one_figure(form: str) -> frozenset[str]:
    """The one figure that a form is, in one notation, or each that it may be; empty for all else."""
    marked, found = figured(form)
    rest = re.sub(r"\x02\d+\x03", " ", _LEAD.sub("", fold(_MOMENT_LEAD.sub("", marked))))
    return _ways(found[0]) if len(found) == 1 and not re.search(r"[^\W\d_]{2,}", rest) else frozenset()


def _all_figures(text: str, language: str = "en") -> frozenset[str]:
    return frozenset(way for one in figures(text, language) for way in _ways(one.text))


def _ways(figure: str) -> frozenset[str]:
    """A date in numbers may be one of two."""
    return frozenset(f"@{day}" for day in figure[1:].split("|")) if figure.startswith("@") else frozenset((figure,))


_figure, _figures = small(_one_figure), small(_all_figures)
