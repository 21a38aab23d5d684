"""A cell of a table without tags as a question, in the words of its row, its column and its table."""

import re

from rarefy.data_contracts.rows import Chunk, Triplet
from rarefy.tasks.knowledge.extract.column_heads import find_unit, unit_in_brackets
from rarefy.tasks.knowledge.extract.labels import is_plural
from rarefy.tasks.questions.ask.aliases import short_name
from rarefy.tasks.questions.ask.facts import DOLLARS, choose, possessive, unit_phrase
from rarefy.tasks.questions.ask.measures import lower_first, split_column, upper_first
from rarefy.tasks.text.markdown import split_cells
from rarefy.tasks.text.wordnet import known, readings

_RELATION = re.compile(
    r"“(?P<row>[^“”]+)”(?: \((?P<kind>.+?)\))?(?P<under> under “[^“”]+”)?(?: in the column “(?P<column>[^“”]+)”)?"
)
# Heads that say no more than that something stands below them
_NO_KIND = re.compile(
    r"(?:propert(?:y|ies)|fields?|form fields?|keys?|attributes?|parameters?|settings?|options?|variables?|topics?"
    r"|features?|questions?|entr(?:y|ies)|labels?|terms?|titles?|subjects?|content|what|aspects?|criteri(?:a|on))"
    r"(?:: .*)?",
    re.I,
)
_NO_MORE = re.compile(r"(?:details?|values?|answers?|data|content|contents|info|information|settings?|results?)", re.I)
_PEOPLE = re.compile(
    r"(?:owner|manager|lead|contact|author|chair|director|head|editor|maintainer|president|approver)", re.I
)
_BETWEEN = {"or", "for", "the", "a", "an", "in", "to", "on", "by", "with", "per", "at"}  # of no noun phrase here
_OF_NAME = re.compile(r"[A-Z]\.|[A-Z0-9][\w&’'-]*|of|and|the")  # a word of a name
_LONGEST = 5  # words of a head or a row that is said without quotes


def ask_for_cell(triplet: Triplet) -> str:
    """The question for a cell: "What is the owner of the service Billing, according to “On-call at Acme”?"."""
    name = triplet.relation
    if triplet.period and name.endswith(f" in the column “{triplet.period}”"):
        name = name.removesuffix(f" in the column “{triplet.period}”")
    _, column, head = name.rpartition("in the column “")
    when = "" if (column and triplet.period in head) or not triplet.period else f" {_time_phrase(triplet.period)}"
    table, counted = triplet.subject, _counted(triplet)
    if split := split_column(name):
        return f"According to {table}, what {_was_the(split[0])} as of {split[1]}{counted}?"
    filing = _read_filing(triplet.subject)
    if filing and triplet.value and (plain := _PLAIN.fullmatch(name)):
        title, whose, form = filing
        measure = lower_first(plain["measure"] or plain["row"])
        was = "were" if is_plural(re.split(" of ", measure)[0]) else "was"
        shown = title.lower() if _STATEMENT.match(title) else f"table “{title}”"
        return f"What {was} {whose} {measure}{when}{counted}, according to the {shown} in its {form}?"
    if not name.startswith("“"):
        return f"According to {table}, what {'were' if is_plural(name) else 'was'} {name}{when}{counted}?"
    asked = f"{_what(triplet, name)}{when}"
    forms = [f"According to {table}, {asked}{counted}?"]
    if not counted:
        forms.append(f"{upper_first(asked)}, according to {table}?")
    return choose(forms, triplet.subject, name, triplet.period)


def _counted(triplet: Triplet) -> str:
    """ ", in millions of euros" where an answer could not be told without."""
    if phrase := unit_phrase(triplet):
        return f", {phrase}"
    unit = triplet.unit.partition("/")[0]
    if (unit or triplet.scale) and unit not in DOLLARS and unit not in {"percent", "pure"}:
        return f", in {triplet.scale} of {unit}" if unit and triplet.scale else f", in {triplet.scale or unit}"
    cell = _RELATION.fullmatch(triplet.relation)
    column, row = (cell["column"] or "", cell["row"]) if cell else ("", "")
    measure = unit_in_brackets(column) if re.fullmatch(r"[-+−(]?[\d.,]+\)?", triplet.answer) else ""
    # a head that is said in words leaves its unit out; a row of a count has another
    told = measure and say_head(column) and not re.match(r"(?:number|count) of\b", row, re.I)
    return f", in {measure}" if told else ""


def _what(triplet: Triplet, name: str) -> str:
    """What is asked for, in words where row and column are plain ones, else as the table prints them."""
    figure, cell = bool(triplet.value), _RELATION.fullmatch(name)
    what = "what figure" if figure else "what"
    if cell is None:
        return f"{what} is given for {name}"
    row, kind, under, column = (cell[part] or "" for part in ("row", "kind", "under", "column"))
    corner = split_cells(triplet.header)[0].strip()
    if under == f" under “{corner}”" and say_head(corner) and not is_plural(corner):
        kind, under = corner, ""  # above the labels stands what they are, "Route"
    thing = say_head(column)
    kind = "" if _NO_KIND.fullmatch(kind) else kind
    attribute = say_head(row) if not (kind or under or figure) and _NO_MORE.fullmatch(column) else ""
    if attribute:
        many = is_plural(attribute) and not re.search(r",| and ", triplet.answer)
        return f"what is given for {attribute}" if many else f"what {_is_the(attribute)}"  # of a property its value
    of = _say_row(row, kind) + under
    if not column or _NO_MORE.fullmatch(column):
        return f"{what} is given for {of}"
    if not thing:
        return f"{what} does the column “{column}” give for {of}"
    if (
        figure
        and is_plural(thing)
        and not unit_in_brackets(column)
        and not re.fullmatch(_AMOUNT, thing, re.I)
        and _is_count(triplet)
    ):
        return f"what number of {thing} is given for {of}"
    if figure:
        return f"what {_is_the(thing)} given for {of}"
    who = "who" if _PEOPLE.fullmatch(thing.split()[-1]) else "what"
    return f"{who} {_is_the(thing)} {'for' if ' ' in thing else 'of'} {of}"


def _is_count(triplet: Triplet) -> bool:
    return not triplet.unit and not triplet.scale and re.fullmatch(r"\d+", triplet.value) is not None


def say_head(head: str) -> str:
    """A head of a row or column as a noun phrase in a sentence ("marketing goal"); "" where it is none for certain."""
    bracket = re.search(r" ?\(([^()]*)\)$", head)
    unit = bracket and (unit_in_brackets(head) or find_unit(bracket[1]))
    words = (head[: bracket.start()] if bracket and unit else head).split()
    if not 0 < len(words) <= _LONGEST or not all(re.fullmatch(r"[^\W\d_]+(?:-[^\W\d_]+)*", word) for word in words):
        return ""
    said = [*map(_quiet, words)]
    first, last = readings(said[0].lower()), readings(said[-1].lower())
    nouns = any(reading.pos == "n" for reading in last) or (last == () and said[-1].isupper())
    begins = first == () or any(reading.pos in "na" for reading in first)
    if not nouns or not begins or any(word.lower() in _BETWEEN for word in said):
        return ""
    return " ".join(said)


def _quiet(word: str) -> str:
    """A word with small letters where it is one of English and no abbreviation: "OWNER", "Owner"; not "ID", "Acme"."""
    plain = word.istitle() or (word.isupper() and len(word) > 3)
    return word.lower() if plain and all(map(known, word.lower().split("-"))) else word


def _say_row(row: str, kind: str) -> str:
    """A row's label behind the kind of thing that it is, in quotes unless it is a name: "the service Billing"."""
    what, words = say_head(kind), row.split(" ")
    capitals = len(words) <= _LONGEST and all(map(_OF_NAME.fullmatch, words))
    named = capitals and (what or not all(known(word.lower()) for word in words))
    label = row if named else f"“{row}”"
    if what and not is_plural(what) and what.lower() not in row.lower():
        return f"the {what} {label}"
    return f"{label} ({kind})" if kind and not what else label


def _is_the(thing: str) -> str:
    return f"{'are' if is_plural(thing) else 'is'} the {thing}"


_AMOUNT = (
    r"(?:revenues?|income|loss|expenses?|costs?|profit|assets|liabilities|debt|taxes|dividends(?: paid)?|proceeds"
    r"|equity|earnings|sales|inventor(?:y|ies)|goods|payable|receivable|goodwill|securities|investments|obligations|depreciation"
    r"|amortization|margin|compensation|benefits|deposits|equivalents|operations|activities|equipment|improvements"
    r"|(?:issuance|repayments?|repurchases?|purchases|sales|cost) of [a-z ]+)"
)
# a measure of a statement, or a row that says what it is an amount of, of no group and no column
_PLAIN = re.compile(rf"(?P<measure>[^“”]+)|“(?P<row>(?:[a-z][\w ,’-]* )?{_AMOUNT})”", re.I)


def _was_the(measure: str) -> str:
    """ "were the total assets", "was the fair value of bonds"."""
    return f"{'were' if is_plural(re.split(' of ', measure)[0]) else 'was'} the {measure}"


_OF_FORM = re.compile(r" in “(?P<who>[^“”]+), Form (?P<form>[\w-]+) for (?P<year>fiscal year \d{4}|[^“”]+)”$")
_NOTE = re.compile(r"note (\d+[a-z]?) ?[-–—:.]? ?", re.I)


_LEAD_IN = re.compile(r",? (?:was|were|is|are) (?:as follows|summari[sz]ed)\b.*$|^(?:the )?following (?:are|is) ", re.I)
_MARKS = re.compile(r"(?:\s*(?:\(\d\)|[*†]))+$")
_UNITS = re.compile(r" ?\([^()]*\b(?:thousands|millions|billions)\b[^()]*\)$")
# A title that is a sentence or a torn one, and one that tells of whom or what its rows are in no words of theirs
_NO_TITLE = re.compile(
    r"^(?:following|the|an?)\b|\b(?:is|are|was|were|be|been|has|have|had|follows?|following|below|above|we|our|its|these"
    r"|those|this|that|which|summari[sz]es|presents|presented|shows|provides|include|includes|consists?|comprised"
    r"|settled|used|related to|as of|in conjunction)\b|\b(?:of|for|in|by|to|and|with|at|on|from|the)$|(?:19|20)\d\d",
    re.I,
)
_OF_OTHERS = re.compile(
    r"\b(?:parent|guarant\w+|obligors?|issuers?|deed|subsidiary|segment(?! and)|pro forma"
    r"|scheduled?|maturit(?:y|ies)|estimated|expected|future|allocation of)\b|\w['’]s\b(?! equity)",
    re.I,
)
_STATEMENT = re.compile(r"consolidated (?:statements?|balance sheets?|results)\b", re.I)
_TITLE_WORDS = 10
_DIGITS = 3  # of a figure that somebody may want: a smaller one is found anywhere


def cell_fault(triplet: Triplet) -> str:
    """Why nobody would ask a filing for a cell, or could in plain words; "" for nothing, and of other documents."""
    if (filing := _read_filing(triplet.subject)) is None:
        return ""
    title = filing[0]
    short = re.findall(r"\b[A-Z]{2,5}\b", triplet.subject.partition("”")[0])
    strange = any(not known(word.lower()) and word.lower() not in _JOINS for word in short)  # "BGS revenues"
    if _NO_TITLE.search(title) or strange or len(title.split()) > _TITLE_WORDS:
        return "title_says_little"
    if _OF_OTHERS.search(title):
        return "table_of_others"
    name = triplet.relation
    if not _PLAIN.fullmatch(name) or not triplet.value or _LEANING.search(name):
        return "cell_needs_its_table"
    if triplet.value.startswith("-"):
        return "direction_unclear"
    if not triplet.scale and not re.search(r"percent|/", triplet.unit):
        return "unit_or_period_unknown"
    digits = re.sub(r"\D", "", triplet.answer).lstrip("0")
    return "followed_by_nobody" if len(digits) < _DIGITS and triplet.unit != "percent" else ""


# what only the rows above explain, or a heading's capitals
_LEANING = re.compile(
    r"^“?(?i:other|all other|total other|less|add|plus|within|(?:net )?(?:changes?|increase|decrease))\b"
    r"|[:—()]|\d|-[A-Z]|[A-Z][a-z]+ [A-Z][a-z]|\bother\b.*\bother\b"
)
_JOINS = _BETWEEN | {"of", "and", "from"}


_SEGMENT = re.compile(r"\bsegment\b(?! and)", re.I)


def is_under_segment(triplet: Triplet, chunk: Chunk) -> bool:
    """Whether a cell of a filing stands below a segment's heading, or in a group of rows of one, not yet added up.

    "Total package revenue" closes the rows of packages, and not those of the segment that has them.
    """
    if _read_filing(triplet.subject) is None:
        return False
    above = chunk.text[: triplet.start].splitlines()
    heading = next((line for line in reversed(above) if line.startswith("#")), chunk.section.rpartition(">")[2])
    if _SEGMENT.search(heading):
        return True
    open_group = ""
    for line in above:
        if not line.startswith("|"):
            open_group = ""
            continue
        label, *figures = (cell.strip() for cell in split_cells(line))
        if not any(figures) and _SEGMENT.search(label):
            open_group = label
        elif any(figures) and re.match(r"total\b", label, re.I) and _words(open_group) <= _words(label):
            open_group = ""
    return bool(open_group)


def _words(label: str) -> set[str]:
    """The words of a label."""
    return set(re.findall(r"\w+", label.casefold()))


def _read_filing(subject: str) -> tuple[str, str, str] | None:
    """(title, filer, form and year) of a filing's table: "Debt", "Microsoft's", "10-K for fiscal 2013"; or None."""
    of = _OF_FORM.search(subject)
    title = re.fullmatch(r"“([^“”]+)”", subject[: of.start()]) if of else None
    if of is None or title is None:
        return None
    words = re.sub(r"^\d+\. ", "", _UNITS.sub("", _LEAD_IN.sub("", _MARKS.sub("", title[1]))))
    words = upper_first(re.sub(r"^The (?=\w)", "", words))
    if words.isupper():
        note = _NOTE.match(words)
        rest = words[note.end() :] if note else words
        words = (f"Note {note[1]}, " if note else "") + rest.capitalize()
    form = f"{of['form']} for {of['year'].replace('fiscal year', 'fiscal')}"
    return words, possessive(short_name(of["who"])), form


def _time_phrase(period: str) -> str:
    """A column's period in a sentence: "in the year ended May 31, 2019", "as of May 31, 2019", "for 2019"."""
    if period.startswith("the end of"):
        return f"at {period}"
    if re.match(r"the |fiscal|financial|FY|Q[1-4]|H[12]|[1-4]Q|[12]H|\w+ (?:quarter|half)", period):
        return f"in {period}"
    return f"for {period}" if re.fullmatch(r"[\d/–-]{4,9}", period) else f"as of {period}"
