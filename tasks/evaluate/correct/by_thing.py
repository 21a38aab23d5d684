"""Whether an answer says a value of the thing that was asked about, or of that of another row of a table."""

import re
from collections.abc import Iterator

from rarefy.tasks.evaluate.correct.claim_status import sentence_bounds
from rarefy.tasks.evaluate.correct.gold import Expectation
from rarefy.tasks.evaluate.correct.normalise import LEGAL, expand_abbreviations, find_values, split_tokens
from rarefy.tasks.knowledge.extract.entity_types import entity_type
from rarefy.tasks.text import wordnet
from rarefy.tasks.text.dates import moments

_CODE = re.compile(r"(?<![\w$€£/-])(?!(?:Q|H|FY)\d)[A-Z][A-Za-z]*[-/.]?\d[\w/-]*(?:\.\d+)?")  # "HX-200/9", "E04"
_NAME = re.compile(  # without the small word that begins a sentence ("In Norway")
    r"(?<![\w$€£/-])(?!(?:For|In|At|On|Of|With|From|By|The|And|But|As)\b)[A-Z][\w&'-]*(?:\s(?:of\s(?:the\s)?)?[A-Z][\w&'-]*)*"
)
_CUT = re.compile(r"[;\n|]|,(?=\s)|(?<!\d)\.(?=\s)|\b(?:and|but|while|whereas|against|compared|than|versus|vs)\b")
_OPENS = re.compile(r"\W*(?:for|in|at|on|of|with|from)\b[^,]*", re.IGNORECASE)  # "For Norway, it is"
_CAPITALS = re.compile(r"(?<![\w-])[A-Z][\w&'-]*(?:\s[A-Z][\w&'-]*)*")
_CONTRAST = re.compile(
    r"[;\n]|,?\s\b(?:while|whereas|but)\b|,?\sand\s(?=(?:[A-Z]\w+\s)+[a-z])|(?<=\w{2}[\w)%])\.\s(?=[A-Z])"
)
_PRONOUN = re.compile(r"\b(?:it|its|they|their|he|she|his|her|this|that|who|which|also)\b", re.IGNORECASE)
_SHORT = 24  # words of two such clauses
_CITED = re.compile(r",?\s*\baccording to [“\"][^”\"]*[”\"](?: in [“\"][^”\"]*[”\"])?", re.IGNORECASE)


def is_of_another_row(text: str, matched: str, about: Expectation) -> bool:
    """Return whether each clause with the matched words names a thing of the question's kind, and never the question's.

    Things are codes of letters and digits, and names of places or with a word that no dictionary has. Those are known
    that question and gold answer name, and its evidence but for the rows and columns beside the question's own.
    """
    question = about.question
    asked = set(_names(_CITED.sub("", f"Q {question.text}"))) - {()}
    if not asked or not matched:
        return False
    lines = (line for source in question.evidence for line in source.splitlines())
    beside = [line for line in lines if not (line.lstrip().startswith("|") and asked & set(_names(line)))]
    known = {
        word
        for source in (question.text, question.entity, question.answer, *question.aliases, *beside)
        for word in split_tokens(expand_abbreviations(source))
    }
    places = [hit.start() for hit in re.finditer(re.escape(matched), text)]
    return bool(places) and all(_names_another(_clause(text, at, at + len(matched)), asked, known) for at in places)


def is_swapped(text: str, matched: str, about: Expectation) -> bool:
    """Return whether the matched words are said of another thing, and of the question's thing something else is said.

    "Silver is owned by Olsson, while Gold belongs to Rao" gives Gold's: each clause names one thing and one answer,
    and the question names the thing of the clause without the matched words.
    """
    own = {*split_tokens(about.question.answer), *split_tokens(matched)}
    names = set(_CAPITALS.findall(_CITED.sub("", about.question.text)[1:]))
    clauses = [part for start, end in spans_between(_CONTRAST, text) if re.search(r"\w", part := text[start:end])]
    if not matched or not names or len(clauses) != 2 or len(text.split()) > _SHORT or _PRONOUN.search(text):
        return False
    held = [matched in clause for clause in clauses]
    if held.count(True) != 1:
        return False
    theirs, mine = clauses[held.index(True)], clauses[held.index(False)]
    known = own | {*split_tokens(about.question.text)}
    is_answered = any(not {*split_tokens(name)} <= known for name in _CAPITALS.findall(mine))
    values = find_values(matched)
    has_value = bool(values) and any(one.kind == values[0].kind for one in find_values(mine))
    other = {name for name in _CAPITALS.findall(theirs) if not {*split_tokens(name)} <= known}
    other = {name for name in other if own.isdisjoint(split_tokens(name))}
    asked = [name for name in names if name in mine and name not in theirs]
    alike = len(asked) == len(other) == 1 and len(next(iter(other)).split()) == len(asked[0].split())
    return alike and (is_answered or has_value)


def spans_between(cuts: re.Pattern[str], text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Return the spans of a text, or of a part of it, that what cuts it leaves, empty ones too."""
    end = len(text) if end is None else end
    ends = [start, *(at for hit in cuts.finditer(text, start, end) for at in hit.span()), end]
    return list(zip(ends[::2], ends[1::2], strict=True))


def _names_another(clause: str, asked: set[tuple[str, ...]], known: set[str]) -> bool:
    named = set(_names(clause))
    kinds = {_is_code(name) for name in asked}
    others = {
        name
        for name in named - asked
        if _is_code(name) in kinds and not set(name) <= known and all(_are_apart(name, mine) for mine in asked)
    }
    words = set(split_tokens(expand_abbreviations(clause)))
    own = named & asked or any(words >= {*name} for name in asked)  # a name that begins the sentence, too
    return bool(others) and not own and all(name in others or set(name) <= known for name in named)


def _are_apart(name: tuple[str, ...], mine: tuple[str, ...]) -> bool:
    """Return whether two names can not be one, shortened: they share no word, or as many others ("United States")."""
    return not {*name} & {*mine} or len(name) == len(mine)


def _is_code(name: tuple[str, ...]) -> bool:
    return any(map(str.isdigit, "".join(name)))


def _names(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of each thing that a text names."""
    codes = list(_CODE.finditer(text))
    for hit in codes:
        yield (hit[0].casefold(),)
    rest = list(text)
    figures = [(one.start, one.end) for one in find_values(text)]
    dates = [(one.start, one.end) for one in moments(text)]
    for start, end in (*figures, *dates, *(hit.span() for hit in codes)):
        rest[start:end] = "|" * (end - start)
    left = "".join(rest)
    for hit in _NAME.finditer(left):
        words = tuple(word for word in split_tokens(expand_abbreviations(hit[0])) if word not in LEGAL)
        place = entity_type(hit[0]) == "GPE"
        begins = not re.search(r"\w[^.!?:\w]*$", left[: hit.start()])
        strange = any(len(part) > 3 and not part.isupper() and not wordnet.known(part) for part in hit[0].split())
        if place or (strange and not begins):
            yield words


def _clause(text: str, start: int, end: int) -> str:
    """Return the clause around words, with what opens its sentence before a comma ("For Norway, it is 24")."""
    first, last = sentence_bounds(text, start)
    last = max(last, end)
    cuts = [hit for hit in _CUT.finditer(text, first, last) if not _joins_names(text, hit, first, last)]
    begin = max((hit.end() for hit in cuts if hit.end() <= start), default=first)
    stop = min((hit.start() for hit in cuts if hit.start() >= end), default=last)
    opening = _OPENS.match(text[first:begin])
    return f"{opening[0] if opening else ''} {text[begin:stop]}"


def _joins_names(text: str, cut: re.Match[str], first: int, last: int) -> bool:
    """Return whether an "and" or comma is between names or words, and not between values ("Norway and Sweden: 25")."""
    return cut[0] in ("and", ",") and not (
        find_values(text[first : cut.start()]) and find_values(text[cut.end() : last])
    )
