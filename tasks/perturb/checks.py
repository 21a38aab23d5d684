"""Rule checks that a variant must pass, by name (SURE S5)."""

import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from html import unescape
from html.parser import HTMLParser

import yaml

from rarefy.tasks.models.nli.facts import changed_facts, find_names, missing_names
from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.document.sentence_order import find_pieces
from rarefy.tasks.text.answers import find_readable, find_verbatim
from rarefy.tasks.text.notations import contains_answer

# Answers (SURE S5, RARE R28)

_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_ENTITY = re.compile(r"&#?\w+;")


def answer_kept(case: Case, draft: Draft) -> str:
    """`answer_lost` where the original held the answer or an alias and the variant holds none of them."""
    return _check_answer_lost(case, draft.text)


def answer_readable(case: Case, draft: Draft) -> str:
    """As `answer_kept`, of the parsed text; `unreadable` where the format is not well-formed."""
    try:
        text = parse_format(draft.text)
    except (ValueError, yaml.YAMLError) as error:
        return f"unreadable: {str(error).splitlines()[0]}"
    return _check_answer_lost(case, text)


def no_answer(case: Case, draft: Draft) -> str:
    """`answer_remains` where the answer or an alias can be read in the variant, in any notation.

    A question that names what may be chosen names its answer, and so do its variants. Of a computed answer one operand
    that is stated otherwise is enough.
    """
    if case.side == "query" and contains_answer(case.text, case.answer, case.aliases):
        return ""
    forms = (draft.replaced, ()) if draft.replaced else (case.answer, case.aliases)
    found = find_readable(draft.text, *forms)
    return f"answer_remains: {found}" if found else ""


@lru_cache(256)  # two checks read it, of each question on one chunk
def parse_format(text: str) -> str:
    """The text of JSON, HTML, YAML or Markdown; ValueError or YAMLError where it is not well-formed.

    Rows of tables are lines with bars, a numbered item has its number.
    """
    head = text.lstrip()[:64].lower()
    if head.startswith("{"):
        return "\n".join(_find_strings(json.loads(text)))
    if head.startswith(("<html", "<!doctype")):
        page = _HtmlText()
        page.feed(text)
        page.close()
        return "".join(page.parts)
    if re.match(r"title\s*:", head):
        found = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        if not isinstance(found, dict):
            raise ValueError("the YAML is no mapping")
        return "\n".join(_find_strings(found))
    return _ENTITY.sub(lambda match: unescape(match.group()), _ESCAPED.sub(r"\1", text))


def _find_strings(value: object, sections: bool = False) -> Iterator[str]:
    """The strings of parsed JSON or YAML in order; of the records of a table their names once, then row by row."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _find_strings(inner, key.lower() == "sections")
    elif not isinstance(value, list):
        yield str(value)
    elif not sections and value and all(isinstance(row, dict) for row in value):
        yield from (f"| {' | '.join(map(str, row))} |" for row in (value[0], *(row.values() for row in value)))
    else:
        for inner in value:
            yield from _find_strings(inner)


# Signs by which Markdown marks blocks and words, and bullets at the head of a line
_BLOCK_MARKS = re.compile(r"(?m)^\|[-:| \t]*$|^[ \t]*[-+•●▪◦‣](?=[ \t])|^ {0,3}(?:```|~~~).*$|[\s#|*`_\\]")
_ELEMENTS = frozenset("p h1 h2 h3 h4 h5 h6 li tr pre table ul ol".split())


class _HtmlText(HTMLParser):
    """The text of a page, its blocks on lines of their own."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        number = dict(attrs).get("value")
        self.parts.append(
            "| " if tag in ("td", "th") else f"\n{number}. " if number else "\n" if tag in _ELEMENTS else ""
        )


def _check_answer_lost(case: Case, text: str) -> str:
    if case.computed:  # each figure that it is made of
        held = (figure for figure in (case.answer, *case.aliases) if find_verbatim(case.text, figure, ()))
        return next((f"answer_lost: {figure}" for figure in held if not find_verbatim(text, figure, ())), "")
    had = find_verbatim(case.text, case.answer, case.aliases)
    return f"answer_lost: {had}" if had and not find_verbatim(text, case.answer, case.aliases) else ""


# Surface

_WORD = re.compile(r"\w+(?:['’.,-]\w+)*")
_CODE = re.compile(r"\b[A-Z]{2,5}\b")
ERRORS = 4  # letters in which a misspelt word may differ: two swaps


def only_misspelt(case: Case, draft: Draft) -> str:
    """`words_changed` where a word is added, removed or more than misspelt, or anything with a digit differs."""
    original, variant = list(_find_words(case.text)), list(_find_words(draft.text))
    if len(original) != len(variant):
        return f"words_changed: {len(original)} words became {len(variant)}"
    for old, new in zip(original, variant, strict=True):
        if old != new and (any(c.isdigit() for c in old + new) or not _is_misspelt(old, new)):
            return f"words_changed: {new!r} for {old!r}"
    return ""


def same_words(case: Case, draft: Draft) -> str:
    """`words_changed` where more than case and punctuation differs between the words."""
    original, variant = list(_find_words(case.text)), list(_find_words(draft.text))
    differ = next((pair for pair in zip(original, variant, strict=False) if pair[0] != pair[1]), None)
    if differ or len(original) != len(variant):
        return f"words_changed: {differ[1]!r} for {differ[0]!r}" if differ else "words_changed: a word came or went"
    return ""


def codes_kept(case: Case, draft: Draft) -> str:
    """`code_changed` where a ticker, form or acronym lost its capitals: "US" is not "us"."""
    if case.text.isupper():
        return ""
    lost = [code for code in _CODE.findall(case.text) if code not in draft.text]
    return f"code_changed: {lost[0]}" if lost else ""


def holds_original(case: Case, draft: Draft) -> str:
    """`original_lost` where the variant does not contain the text unchanged."""
    return "" if case.text in draft.text else "original_lost"


def parses_back(case: Case, draft: Draft) -> str:
    """`unreadable`, or `text_changed` where more than white space and marks of blocks differs in the parsed text."""
    try:
        text = parse_format(draft.text)
    except (ValueError, yaml.YAMLError) as error:
        return f"unreadable: {str(error).splitlines()[0]}"
    # code in Markdown has its entities as they are
    read, original = (_BLOCK_MARKS.sub("", unescape(part)) for part in (text, case.text))
    return "" if read.endswith(original) else "text_changed"


def only_deleted(case: Case, draft: Draft) -> str:
    """`words_added` where the words are not some of the original's in order, `nothing_left` where there are none."""
    variant = draft.text.split()
    rest = iter(case.text.split())
    new = next((word for word in variant if word not in rest), None)
    return f"words_added: {new!r}" if new is not None else "" if variant else "nothing_left"


def _find_words(text: str) -> Iterator[str]:
    folded = unicodedata.normalize("NFC", text.casefold()).replace("’", "'")
    for match in _WORD.finditer(folded):
        yield match.group()


def _is_misspelt(old: str, new: str) -> bool:
    """Whether most letters of the old word are in the new one."""
    if abs(len(old) - len(new)) > 2 or len(old) < 3:
        return False
    left = list(new)
    gone = 0
    for letter in old:
        if letter in left:
            left.remove(letter)
        else:
            gone += 1
    return gone + len(left) <= ERRORS and gone <= len(old) // 2


# Facts (SURE §3.4). Only their presence is compared: which figure belongs to which name is for entailment to find

CODE = "facts_changed"


def same_facts(case: Case, draft: Draft) -> str:
    """`facts_changed` where a number, date, unit or name came or went."""
    return _describe_changes(*changed_facts(case.text, draft.text), "figure") or _check_names(case, draft, both=True)


def keeps_facts(case: Case, draft: Draft) -> str:
    """`facts_changed` where a number, date, unit or name of the original is gone; others may have come."""
    gone, _ = changed_facts(case.text, draft.text)
    return _describe_changes(gone, [], "figure") or _check_names(case, draft, both=False)


def _describe_changes(gone: Iterable[str], came: Iterable[str], what: str) -> str:
    lost, new = (", ".join(list(dict.fromkeys(side))[:4]) for side in (gone, came))
    parts = [f"{side} {names}" for side, names in (("gone", lost), ("new", new)) if names]
    return f"{CODE}: {what} {'; '.join(parts)}" if parts else ""


def _check_names(case: Case, draft: Draft, both: bool) -> str:
    before, after = find_names(case.text), find_names(draft.text)
    # the entity may be named where the original says "the Company"
    names_beside = find_names(f"{case.entity}\n{case.title}").forms
    gone, loosely_gone = missing_names(before, after)
    new, loosely_new = missing_names(after, before, names_beside)
    if not both:
        return _describe_changes(gone + (loosely_gone if loosely_new or new else []), [], "name")
    if gone or new:
        return _describe_changes(gone, new, "name")
    # what may be an ordinary word can be reworded, but not exchanged for another name
    return _describe_changes(loosely_gone, loosely_new, "name") if loosely_gone and loosely_new else ""


# Order

_RUN = re.compile(r"\w+")
KEY = 24  # first characters by which sentences are indexed


def same_letters(case: Case, draft: Draft) -> str:
    """`letters_changed` where more than case and white space differ, or white space changes inside a word.

    Case is folded by Unicode: "ß" equals "SS", "İ" equals "i̇".
    """
    original, variant = _fold_case(case.text), _fold_case(draft.text)
    if "".join(original.split()) != "".join(variant.split()):
        return "letters_changed"
    words, others = _RUN.findall(original), _RUN.findall(variant)
    if words == others:
        return ""
    differ = next((pair for pair in zip(words, others, strict=False) if pair[0] != pair[1]), (words[-1], others[-1]))
    return f"letters_changed: {differ[0]!r} became {differ[1]!r}"


def same_sentences(case: Case, draft: Draft) -> str:
    """`sentences_changed` where the text is not made of the original's sentences, tables and headings, each once.

    Pieces of the original are matched along the text, the longest first; the text is not split anew, as the end of a
    sentence depends on what follows it.
    """
    pieces = [case.text[piece.start : piece.end] for piece in find_pieces(case.text)]
    left = Counter(pieces)
    begins: dict[str, list[str]] = defaultdict(list)
    for piece in sorted(left, key=len, reverse=True):
        begins[piece[:KEY]].append(piece)
    lengths = sorted({len(key) for key in begins}, reverse=True)  # those shorter than the key, besides
    text, at = draft.text, _skip_space(draft.text, 0)
    while at < len(text):
        candidates = (piece for length in lengths for piece in begins.get(text[at : at + length], ()))
        fits = next((piece for piece in candidates if left[piece] and text.startswith(piece, at)), None)
        if fits is None:
            return f"sentences_changed: {text[at : at + 40]!r}"
        left[fits] -= 1
        at = _skip_space(text, at + len(fits))
    missing = next((piece for piece in pieces if left[piece]), None)
    return f"sentences_changed: {missing[:40]!r} is gone" if missing else ""


def _fold_case(text: str) -> str:
    """A text for Unicode's canonical caseless matching (D145)."""
    folded = unicodedata.normalize("NFD", text).casefold()
    return unicodedata.normalize("NFD", folded)


def _skip_space(text: str, at: int) -> int:
    """The next position that is not white space."""
    while at < len(text) and text[at].isspace():
        at += 1
    return at


Check = Callable[[Case, Draft], str]
"""Why a draft does not keep what it should, as a code and, after ": ", what was found; "" where it does."""

CHECKS: dict[str, Check] = {
    f.__name__: f
    for f in (
        answer_kept,
        answer_readable,
        codes_kept,
        holds_original,
        keeps_facts,
        no_answer,
        only_deleted,
        only_misspelt,
        parses_back,
        same_facts,
        same_letters,
        same_sentences,
        same_words,
    )
}
