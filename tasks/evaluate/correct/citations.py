"""Finds the documents that an answer cites in words: "…, according to Apple Inc., Form 10-K for fiscal year 2025"."""

import re

from rarefy.tasks.text.dates import MONTH
from rarefy.tasks.text.memo import cache_short_texts
from rarefy.tasks.text.names import LEGAL_FORMS

# What a title calls the document, and no word that counts such things or time ("in 30 minutes")
_DOCUMENT = re.compile(
    r"\b(?:(?:form\s)?(?:10-?[KQ]|20-?F|8-?K)(?:/A)?|form\s\d[\w-]*|reports?|filings?|(?-i:Minutes)|the\sminutes|"
    r"proxy|prospectus|press\sreleases?|statements?|balance\ssheets?|tables?|documents?|passages?|contexts?|excerpts?|"
    r"transcripts?|bylaws|manual|handbook|guide|article|CFR|wiki\w*)\b",
    re.IGNORECASE,
)
_FORM = re.compile(r"\b(?:form\s)?(?:10-?[KQ]|20-?F|8-?K)\b|\b(?:annual|quarterly)\sreports?\b", re.IGNORECASE)
_LEAD = re.compile(
    r"\b(?P<sure>according to|as (?:\w+ )?(?:reported|stated|disclosed|shown|noted|given|set out) (?:in|by)|based on"
    r"|as per)\b|\b(?:per|in)\b|(?<=\s)-+(?=\s)",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"\s?\([^()]{3,200}\)")
_TOKEN = re.compile(r"\s*(?P<word>[^\s,;:()]+)(?P<ends>[,;:)]*)")
_LONGEST = 200  # characters of a title
_SMALL = {*LEGAL_FORMS} | {
    *"a an the of in on at to for by from with and or as its their our no fiscal year years quarter ended".split(),
    *"dated filed company's page pages section item part note notes consolidated financial annual quarterly".split(),
    *"proxy report reports filing form provided given above following under income cash flow flows balance".split(),
    *"sheet sheets statement statements table tables document documents passage passages context minutes".split(),
    *"meeting press release article".split(),
}
_ABBREVIATED = {*LEGAL_FORMS} | {"no", "sec", "art", "u.s", "st"}
_LEGAL = "|".join(map(re.escape, sorted(LEGAL_FORMS, key=len, reverse=True)))
# What goes on with a title behind a comma
_GOES_ON = re.compile(
    rf"\s*(?:(?:{_LEGAL}|form|10-?K|10-?Q|dated|filed|for|(?:19|20)\d\d|{MONTH}|pages?|item|part|note|and|or|section"
    r"|minutes|annual|quarterly)\b)",
    re.IGNORECASE,
)


def is_of_document(text: str) -> bool:
    """Return whether a text speaks of a document: a report, a form, minutes."""
    return _DOCUMENT.search(text) is not None


@cache_short_texts
def strip_citations(text: str) -> str:
    """Return an answer without the titles of documents that it cites, or all of it where nothing else is left.

    A title is cut in brackets; behind "according to" or the like up to the end of its sentence, and else up to the
    first comma or colon behind the word for a document.
    """
    kept = text
    for hit in reversed([*_BRACKETED.finditer(text)]):
        if is_of_document(hit[0]) and _title_end(text, text.index("(", hit.start()) + 1) == hit.end() - 1:
            kept = kept[: hit.start()] + kept[hit.end() :]
    for hit in reversed([*_LEAD.finditer(kept)]):
        if (end := _cited_until(kept, hit)) is not None:
            before, behind = kept[: hit.start()].rstrip(" ,;-"), kept[end:].lstrip(" ,;:)")
            kept = f"{before} {behind}" if before and behind[:1].isalnum() else before + behind
    return kept.strip() if re.search(r"\w", kept) else text


def _cited_until(text: str, lead: re.Match[str]) -> int | None:
    """Return where the title behind a lead ends, None where none is; "in" may lead to anything but a form."""
    start = lead.end()
    end = _title_end(text, start)
    title = text[start:end]
    document = (_DOCUMENT if lead["sure"] else _FORM).search(title)
    if document is None or title.lstrip()[:1].isdigit():
        return None
    first = not re.search(r"\w", text[max(lead.start() - _LONGEST, 0) : lead.start()])
    if not first and not re.match(r"\s*[^\W_]", text[end:]):  # the sentence ends with it
        return end
    for hit in re.finditer(r"[,:](?=\s)", text[start + document.end() : end + 2]):
        at = start + document.end() + hit.end()
        if (hit[0] == ":" or not _GOES_ON.match(text[at : at + 40])) and re.search(r"\w", text[at:]):
            return at
    return None


def _title_end(text: str, start: int) -> int:
    """Return where the words end that may be of a document's title: names, its year or day, and small words."""
    at = start
    while at < len(text) and at - start < _LONGEST:
        hit = _TOKEN.match(text, at)
        word = hit["word"].rstrip(".'\"") if hit else ""
        titled = (
            word[:1].isupper() or word.casefold() in _SMALL or re.fullmatch(r"\d{1,4}(?:-[\dA-Z]{1,2})*|[-&#§]", word)
        )
        if hit is None or not titled:
            break
        at = hit.end("word")
        stops = hit["word"].endswith(".") and len(word) > 1 and word.casefold() not in _ABBREVIATED
        if stops or {*hit["ends"]} & {*");:"} or text[at : at + 1] == "\n":
            break
        at += len(hit["ends"])
    return at
