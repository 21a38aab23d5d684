"""A cell of a table without tags as a question, in the words of its row, its column and its table."""

import re
from collections.abc import Sequence

from rarefy.data_contracts.rows import Chunk, Triplet
from rarefy.tasks.knowledge.extract.cell_names import NO_KIND, PLACES, CellName, is_capital, is_name, read_cell_name
from rarefy.tasks.knowledge.extract.column_heads import UNIT_BEHIND, find_unit, read_kind, unit_in_brackets
from rarefy.tasks.knowledge.extract.labels import is_plural
from rarefy.tasks.questions.ask.aliases import short_name
from rarefy.tasks.questions.ask.facts import DOLLARS, choose, possessive, unit_phrase
from rarefy.tasks.questions.ask.index import CorpusIndex
from rarefy.tasks.questions.ask.measures import lower_first, split_column, upper_first
from rarefy.tasks.text.dates import MONTH, moments
from rarefy.tasks.text.markdown import split_cells
from rarefy.tasks.text.quantities import MEASURES
from rarefy.tasks.text.wordnet import known, readings

_NO_MORE = re.compile(r"(?:details?|values?|answers?|data|content|contents|info|information|settings?|results?)", re.I)
_PEOPLE = re.compile(
    r"(?:owner|manager|lead|contact|author|chair|director|head|editor|maintainer|president|approver|trainer|teacher"
    r"|supervisor|responsible|assignee|sponsor|reviewer)",
    re.I,
)
_BETWEEN = {"or", "for", "the", "a", "an", "in", "to", "on", "by", "with", "per", "at"}  # of no noun phrase here
_PREPOSITION = re.compile(r" (?:of|for|in|on|per|until|off|within|without|from|at|with|to|before|after) ")
_ASKING = {"who", "what", "which", "why", "when", "where", "how"}  # heads that are questions
_VOTES = {"yes", "no", "for", "against", "invalid", "void", "blank"}  # heads of no things that anybody has
_LONGEST = 5  # words of a head or a row that is said without quotes


def ask_for_cell(triplet: Triplet, index: CorpusIndex | None = None) -> str:
    """The question for a cell: "What is the owner of the service Billing, according to “On-call at Acme”?".

    With the `index` of the corpus the table is named as far as another one would give a second answer.
    """
    name = triplet.relation
    if triplet.period and name.endswith(f" in the column “{triplet.period}”"):
        name = name.removesuffix(f" in the column “{triplet.period}”")
    _, column, head = name.rpartition("in the column “")
    when = (
        ""
        if (column and (triplet.period in head or read_kind(head.removesuffix("”")))) or not triplet.period
        else f" {_time_phrase(triplet.period)}"
    )
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
    cell_name = read_cell_name(name)
    if (
        cell_name
        and not read_kind(cell_name.column)
        and (cell_name.column or (_say_sum(cell_name) and not triplet.entity))
        and re.fullmatch(r"(?:19|20)\d\d", triplet.period)
    ):
        when = f" in {triplet.period}"
    asked = f"{_what(triplet, name)}{when}"
    table = name_source([triplet], index) if index else table
    if not table and LISTED in asked:
        table = _say_table(triplet, index) if index else triplet.subject  # whose column that is
    if not table:
        return f"{upper_first(asked)}{counted}?"
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
    cell = read_cell_name(triplet.relation)
    measure, thing = (cell.measure, cell.thing) if cell else ("", "")
    unit = unit_in_brackets(measure) if _FIGURES.fullmatch(triplet.answer) else ""
    # a head that is said in words leaves its unit out; a row of a count has another
    told = unit and say_head(measure) and not re.match(r"(?:number|count) of\b", thing, re.I)
    return f", in {unit}" if told else ""


def _what(triplet: Triplet, name: str) -> str:
    """What is asked for, in words where row and column are plain ones, else as the table prints them."""
    figure, cell = bool(triplet.value), read_cell_name(name)
    what = "what figure" if figure else "what"
    if cell is None:
        return f"{what} is given for {name}"
    if cell.turned:
        property_ = say_measure(cell.row)
        return (
            f"what {_is_the(property_)} of {cell.column}"
            if property_
            else f"{what} does {cell.column} have for “{cell.row}”"
        )
    row, column = cell.row, cell.column
    kind, under = _kind_of_rows(triplet, cell)
    under = f" under “{under}”" if under else ""
    thing = say_measure(column)
    if not figure and (spans := _SPANS.fullmatch(thing)) and 0 < len(moments(triplet.answer)) <= 2:
        thing = spans[1]  # "Periods" stands over one in each row
    kind = "" if NO_KIND.fullmatch(kind) else kind
    alone = _gives_properties(triplet, column)
    attribute = say_head(row) if not (kind or under or figure) and alone else ""
    if attribute:
        many = is_plural(attribute) and not re.search(r",| and ", triplet.answer)
        return f"what is given for {attribute}" if many else f"what {_is_the(attribute)}"  # of a property its value
    of = _say_row(row, kind) + under
    if said := _say_kind(triplet, column):
        return f"what {said} {'are' if _are_many(said) else 'is'} given for {of} {_time_phrase(triplet.period)}"
    if not column and figure and triplet.period and not triplet.entity and (said := _say_sum(cell)):
        return f"what {'were' if _are_many(said) else 'was'} {said}"
    if not column or alone:
        money = figure and not triplet.entity and _has_unit(triplet)
        return f"{'what amount' if money else what} is given for {of}"
    if _CLOCK.fullmatch(triplet.answer) and (verb := _say_verb(column)):
        return f"at what time does {of} {verb}"
    if to_do := re.fullmatch(r"what to ([a-z]+)", column, re.I):
        return f"what should you {to_do[1].lower()} for {of}"
    sum_ = re.match(r"\W?[$€£¥₹]", triplet.answer) or _has_unit(triplet)
    if not thing or (sum_ and not _is_sum(thing)):
        what = "how much" if sum_ else "what percentage" if triplet.unit == "percent" else what
        return f"{what} is {LISTED}“{column}” for {of}"
    was = bool(triplet.period) and not cell.turned
    if figure and counts_things(triplet, column):
        first = thing.split()[0]
        if (
            _PREPOSITION.search(thing)
            or first in MEASURES
            or not kind
            or PLACES.fullmatch(kind)
            or _CALENDAR.search(kind)
            or is_plural(row)
        ):
            return f"how many {thing} are listed for {of}"
        return f"how many {thing} {'did' if was else 'does'} {of} have"
    if _HOURS.fullmatch(triplet.answer) and not _are_many(thing) and not thing.endswith("time"):
        day = _WEEKDAY.fullmatch(of)  # of what may be open then
        return f"what times are given for the {thing} on {of}" if day else f"when is the {thing} for {of}"
    listed = f"{'of' if not (' ' in thing or under) else 'for'} {of}"
    if _PEOPLE.fullmatch(thing.split()[-1]):
        return f"who {_is_the(thing)} {listed}"
    if _CLOSED.fullmatch(triplet.answer) and _WEEKDAY.fullmatch(of):
        return f"what times are given for the {thing} on {of}"  # as on the days with hours
    if not figure and not re.match(r"\W?\d", triplet.answer) and not _RELATION.fullmatch(thing):
        return f"what {thing} {'are' if _are_many(thing) else 'is'} listed for {of}"
    return f"what {_is_the(thing, was)} {listed}"


def _gives_properties(triplet: Triplet, column: str) -> bool:
    """Whether a table of two columns has properties in one, and under "Details" what each of them is."""
    return bool(_NO_MORE.fullmatch(column)) and len(split_cells(triplet.header)) <= LABEL_AND_VALUE


def _kind_of_rows(triplet: Triplet, cell: CellName) -> tuple[str, str]:
    """What the rows of a table are, and the row that a row stands under: above the labels may stand what they are."""
    corner = split_cells(triplet.header)[0].strip()
    if cell.under and cell.under == corner and say_head(corner) and not is_plural(corner):
        return corner, ""
    return cell.kind, cell.under


def _say_kind(triplet: Triplet, column: str) -> str:
    """What a column of a year gives as a noun phrase that keeps whether it was planned: "budgeted amount"."""
    found = read_kind(column)
    if found is None:
        return ""
    money = _has_unit(triplet) or re.match(r"\W?[$€£¥₹]", triplet.answer)
    noun = say_head(found.measure) if found.measure else "amount" if money else "figure"
    return f"{_PLANNED.get(found.kind, found.kind)} {noun}" if noun else ""


_PLANNED = {
    "actuals": "actual", "budget": "budgeted", "estimate": "estimated", "estimates": "estimated",
    "forecasts": "forecast", "projection": "projected", "projections": "projected",
    "targets": "target",
}  # fmt: skip


def say_amount(triplet: Triplet) -> str:
    """What a cell gives as a noun phrase: "the number of beds of Larkfield General"; "" where none is sure."""
    cell = read_cell_name(triplet.relation)
    if cell is None or cell.turned:
        return ""
    rows, under = _kind_of_rows(triplet, cell)
    if under:
        return ""
    if said := _say_kind(triplet, cell.column):
        return f"the {said} given for {_say_row(cell.row, '' if NO_KIND.fullmatch(rows) else rows)}"
    if not cell.column:
        of = _say_row(cell.row, rows) if cell.under else f"“{cell.row}”"
        return _say_sum(cell) or f"the {'amount' if triplet.unit not in ('', 'percent') else 'figure'} given for {of}"
    thing, of = say_measure(cell.column), _say_row(cell.row, "" if NO_KIND.fullmatch(cell.kind) else cell.kind)
    if counts_things(triplet, cell.column):
        return f"the number of {thing} of {of}"
    return f"the {thing} {'for' if ' ' in thing else 'of'} {of}" if thing else ""


def _say_sum(cell: CellName) -> str:
    """A row's label as the sum that it is, "the staff costs"; "" for what money is for."""
    row = "" if cell.kind or cell.under or re.fullmatch(r"(?:sub-?)?totals?", cell.row, re.I) else say_head(cell.row)
    return f"the {row}" if row and _is_sum(row) else ""


_SPANS = re.compile(r"(.*\b(?:period|term|cycle|window|session))s", re.I)
LISTED = "listed under "  # what a question says of a column that it quotes
_HOURS = re.compile(r"[0-2]?\d[:.][0-5]\d ?(?:to|-|–|until) ?[0-2]?\d[:.][0-5]\d", re.I)
_CLOSED = re.compile(r"closed|shut", re.I)
_FIGURES = re.compile(r"[-+−(<>≤≥]?\s?[\d.,]+\)?(?:\s?(?:to|-|–|±)\s?[-+−]?[\d.,]+)?")  # "31.5", "5 to 35", "< 5"
_WEEKDAY = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?", re.I)
_RELATION = re.compile(  # what a thing has by its nature: "the address of" it
    r"(?:.* )?(?:name|title|address|telephone|phone|meaning|purpose|type|kind|colou?r|default|status|number|code|id"
    r"|size|location|role|function|capital|language|currency|date|time|period|unit|symbol|version|format|frequency|level)s?",
    re.I,
)


LABEL_AND_VALUE = 2  # columns of a table of which one says what the other gives
_CLOCK = re.compile(r"[0-2]?\d[:.][0-5]\d(?: ?[ap]\.?m\.?)?", re.I)


def _say_verb(head: str) -> str:
    """The verb that a head is, without its ending: "open" of "Opens"; "" for another word."""
    found = [one for one in readings(head.lower()) if one.pos == "v" and one.form == "s"]
    return found[0].lemma if found else ""


def counts_things(triplet: Triplet, head: str) -> bool:
    """Whether a figure below a head is how many there are of what the head says."""
    thing = say_head(head)
    noun = _before_preposition(thing)
    plural = is_plural(noun) and not unit_in_brackets(head) and not re.fullmatch(_AMOUNT, thing, re.I)
    return plural and not _NUMBERS.fullmatch(noun) and _is_count(triplet)


_NUMBERS = re.compile(  # things of which a figure may be the number, not how many there are
    r"(?:.* )?(?:ports|pins|codes|ids|versions|numbers|extensions|channels|registers|addresses|pages|dates|years)", re.I
)


def _is_count(triplet: Triplet) -> bool:
    return not triplet.unit and not triplet.scale and re.fullmatch(r"\d+", triplet.value) is not None


def say_head(head: str) -> str:
    """A head of a row or column as a noun phrase in a sentence ("marketing goal"); "" where it is none for certain."""
    behind = UNIT_BEHIND.search(head)
    unit = behind and (unit_in_brackets(head) or find_unit(behind[1] or ""))
    words = (head[: behind.start()] if behind and unit else head).split()
    if not 0 < len(words) <= _LONGEST or not all(re.fullmatch(r"[^\W\d_]+(?:-[^\W\d_]+)*", word) for word in words):
        return ""
    said = [*map(_quiet, words)]
    if said[0].lower() in _ASKING or " ".join(words).lower() in _VOTES:
        return ""
    parts = _PREPOSITION.split(" ".join(said), maxsplit=1)
    return " ".join(said) if all(map(_is_noun_phrase, parts)) and not (parts[1:] and _may_qualify(parts[0])) else ""


def _is_noun_phrase(words: str) -> bool:
    """Whether words begin as a noun phrase does and end with a noun: "extra days"; not "places free"."""
    said = words.split()
    if not said or any(word.lower() in _BETWEEN for word in said):
        return False
    first, last = readings(said[0].lower()), readings(said[-1].lower())
    nouns = any(reading.pos == "n" for reading in last) or (last == () and said[-1].isupper())
    begins = first == () or any(reading.pos in "na" for reading in first)
    behind = len(said) > 1 and is_plural(said[-2]) and _may_qualify(said[-1])
    return nouns and begins and not behind


def _before_preposition(thing: str) -> str:
    """The noun phrase that a noun phrase begins with: "days" of "days off work"."""
    return _PREPOSITION.split(thing, maxsplit=1)[0]


def _is_sum(thing: str) -> bool:
    """Whether a noun phrase names a sum of money by its first noun: "fee for visitors"."""
    return _SUMS.fullmatch(_before_preposition(thing)) is not None


def _has_unit(triplet: Triplet) -> bool:
    """Whether a figure is of a currency or the like, and no share."""
    return triplet.unit not in ("", "percent", "pure")


def _may_qualify(words: str) -> bool:
    """Whether the last word may be an adjective: "open", "free"."""
    return any(reading.pos == "a" for reading in readings(words.split()[-1].lower()))


def _are_many(thing: str) -> bool:
    """Whether a noun phrase takes "are": by the noun before its first preposition, "days off work"."""
    return is_plural(_before_preposition(thing))


_AMOUNT = (
    r"(?:revenues?|income|loss|expenses?|costs?|profit|assets|liabilities|debt|taxes|dividends(?: paid)?|proceeds"
    r"|equity|earnings|sales|inventor(?:y|ies)|goods|payable|receivable|goodwill|securities|investments|obligations|depreciation"
    r"|amortization|margin|compensation|benefits|deposits|equivalents|operations|activities|equipment|improvements"
    r"|(?:issuance|repayments?|repurchases?|purchases|sales|cost) of [a-z ]+)"
)
_SUMS = re.compile(
    r"(?:.* )?(?:amounts?|prices?|costs?|fees?|rates?|limits?|allowances?|salar(?:y|ies)|wages?|pay|budgets?|charges?"
    r"|fares?|payments?|premiums?|values?|fines?|deposits?|bonus(?:es)?|discounts?|rents?|grants?|totals?|balances?"
    rf"|{_AMOUNT})",
    re.I,
)


def say_measure(head: str) -> str:
    """A head as a noun phrase; of a sum of money that is called by what it is for, "half day amount"."""
    said = say_head(head)
    bracket = re.search(r"\(([^()]*)\)$", head)
    money = bracket and (unit := find_unit(bracket[1])) and unit.currency
    return f"{said} amount" if said and money and not _is_sum(said) else said


def _quiet(word: str) -> str:
    """A word with small letters where it is one of English and no abbreviation: "OWNER", "Owner"; not "ID", "Acme"."""
    plain = word == word.capitalize() or word.istitle() or (word.isupper() and len(word) > 3)
    return word.lower() if plain and all(map(known, word.lower().split("-"))) else word


def _say_row(row: str, kind: str) -> str:
    """A row's label behind the kind of thing that it is, in quotes unless it is a name: "the service Billing"."""
    kind = "" if re.match(r"(?:sub-?)?totals?\b", row, re.I) else kind  # a sum of such things is none
    # what WordNet does not know is a noun where it stands above names: "Preset", "Datapoint"
    what = say_head(kind) or (kind.lower() if re.fullmatch(r"[A-Z][a-z]+", kind) and not known(kind.lower()) else "")
    if what and row.lower().endswith(f" {what.lower()}") and re.fullmatch(r"[^\W\d_]+(?: [^\W\d_]+)+", row):
        return f"the {row}"  # "the Medical ward"
    named = is_name(row) or (bool(what) and (is_capital(row) or bool(say_head(row))))
    label = row if named else f"“{row}”"
    if PLACES.fullmatch(what) and (is_name(row) or " " in row) and named and not re.search(r"\d", row):
        return label  # what Germany is, everybody knows
    if what and not is_plural(what) and what.lower() not in row.lower():
        numbered = re.fullmatch(r"(?=.*\d)[A-Z]{0,3}[\d./-]+[a-z]?", row)  # "pin 2", "code E04", as "page 5"
        return f"{what} {label}" if numbered else f"the {what} {label}"
    return f"{label} ({kind})" if kind and not what else label


def _is_the(thing: str, was: bool = False) -> str:
    return f"{('were' if was else 'are') if _are_many(thing) else ('was' if was else 'is')} the {thing}"


# What is no rule but shows how one may be, or is no longer
_OTHERWISE = re.compile(
    r"\b(?:examples?|samples?|deprecated|legacy|old|former|previous|draft|proposed|planned|test|removed|comparison)\b",
    re.I,
)
_OF_ITS_OWN = re.compile(r"(?=(?:.*[A-Za-z]){2})(?=.*\d)(?=.*[A-Za-z0-9][-/][A-Za-z0-9])\S{5,}")  # "HX-200/9"


def name_source(cells: Sequence[Triplet], index: CorpusIndex) -> str:
    """The table of these cells as far as it must be named: with its document, one of the two alone, or "" for neither.

    A thing with a code of its own, of which no other table says the like, needs no table; one with a name needs the
    table or, where it is a code, the document that has the code. All else is named in full, and so are the properties
    of the one thing that a table of two columns describes.
    """
    full, first = cells[0].subject, cells[0]
    names = [read_cell_name(cell.relation) for cell in cells]
    document = full.partition("” in “")[2]
    plain = all(name and not name.under and (name.named or _is_telling(name)) for name in names)
    dated = first.period and not all(name and name.column and not name.turned for name in names)
    if first.entity or dated or _OTHERWISE.search(full) or any(name and read_kind(name.column) for name in names):
        return full
    if any(name and _gives_properties(cell, name.column) for cell, name in zip(cells, names, strict=True)):
        return full  # of what "Deployment type" is one, the table alone says
    if not plain:
        return full if any(map(index.cells_like, cells)) else _say_table(first, index)
    rivals = [other for cell in cells for other in index.cells_like(cell)]
    things = [name.thing for name in names if name]
    if not rivals and all(map(_OF_ITS_OWN.fullmatch, things)):
        return ""
    if (
        not rivals
        and all(name and _is_telling(name) for name in names)
        and not any(map(index.may_be_said_elsewhere, cells))
    ):
        return ""
    if not document or any(other.doc_id == first.doc_id for other in rivals):
        return full
    if any(re.search(r"\d|_", thing) for thing in things):
        return f"“{document}" if index.has_one_document(first) else full
    return _say_table(first, index)


def _say_table(cell: Triplet, index: CorpusIndex) -> str:
    """The table of a cell by its title alone, where that says enough and no other one bears it; else in full."""
    title = cell.subject.partition("” in “")[0].strip("“”")
    return f"“{title}”" if len(re.findall(r"\w{4,}", title)) > 1 and index.has_one_table(cell) else cell.subject


def _is_telling(name: CellName) -> bool:
    """Whether a label says by itself what it is of: a name, a noun phrase of two words, a noun of one meaning.

    A country or a site has much that other tables may give: which of it is meant, the table's title says.
    """
    thing = name.thing
    if PLACES.fullmatch(name.kind) or _CALENDAR.search(f"{name.kind} {thing}"):
        return False
    words = re.findall(r"[^\W\d_]{4,}", thing)
    if any(word[0].isupper() and not known(word.lower()) for word in words):
        return not re.match(r"(?:sub)?totals?\b", thing, re.I)
    if not words or _TELLS_LITTLE.search(thing):
        return False
    thing = re.sub(r" \d[\d.,]*(?: (?:%|\w{1,3}(?!\w)))?", "", thing)  # "Nitrile gloves 500 mg"
    alone = len(words) == 1 and {reading.pos for reading in readings(thing.lower())} == {"n"} and not is_plural(thing)
    return alone or (len(words) > 1 and bool(say_head(thing)) and not _SUMS.fullmatch(thing))


_CALENDAR = re.compile(rf"\b(?:{MONTH}|days?|weeks?|months?|quarters?|seasons?|years?)\b", re.I)
_TELLS_LITTLE = re.compile(
    r"\b(?:(?:sub)?totals?|other|others|all|average|mean|sum|rest|new|old|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    rf"|weekdays?|weekends?|nights?|mornings?|holidays?|{MONTH}|years?|months?|weeks?|days?|hours?|first|second|third"
    r"|adults?|child|children|gold|silver|bronze|platinum|basic|standard|premium|free|small|medium|large|high|low)\b",
    re.I,
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
