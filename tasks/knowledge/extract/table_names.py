"""What a table without tags is called: the subject of its facts, from caption, lead-in, heading or title."""

import re
from bisect import bisect_left
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import attrgetter
from pathlib import PurePosixPath

from rarefy.data_contracts.rows import Block, Chunk, Document
from rarefy.tasks.corpus.read.cells import is_units
from rarefy.tasks.corpus.read.compose import CAPTION
from rarefy.tasks.corpus.read.metadata import ENTITY_FROM
from rarefy.tasks.corpus.read.text import is_title
from rarefy.tasks.knowledge.extract.column_heads import without_marks
from rarefy.tasks.knowledge.extract.markdown import Table
from rarefy.tasks.text.dates import MONTHS
from rarefy.tasks.text.wordnet import known, readings

_TABLE = r"(?:(?:the )?(?:following |above |below )?tables?(?: below| above)?|(?:the )?following)(?: also)?"
_SHOWS = (
    r"(?:presents?|shows?|sets? (?:forth|out)|summari[sz]es?|provides?|details?|lists?|reflects?|discloses?|outlines?"
    r"|gives?|describes?|illustrates?|reconciles?|analy[sz]es|contains?|includes?|displays?)"
)
_TOPIC = re.compile(
    rf"\b{_TABLE} {_SHOWS} (?P<shown>[^:]+?)(?:[:.]|$)"
    r"|^(?:here|below|these|this) (?:is|are) (?:the |an? )?(?:[\w-]+ ){0,2}(?:lists?|tables?|overview|summary) of"
    r" (?P<of>[^:.]+)"
    r"|^(?P<listed>[^:,]+?),? (?:(?:was|were|is|are|consist(?:s|ed)? of|comprise[sd]?|included?|includes)"
    r" (?:as follows|summari[sz]ed (?:below|as follows|in the following table)|(?:the )?following)"
    r"|as follows|(?:consist(?:s|ed)|(?:is|are) composed) of(?: the following)?|(?:include|comprises?)(?=:?$))\b",
    re.I,
)
_OWN = re.compile(r"^(?:(?:the|our|its|their|a|an|certain|the company['’]s|information (?:about|on)) )+", re.I)
_WHEN = re.compile(
    r",? (?:for|as of|as at|at|during|in|on) (?:the |each of the |our )?"
    r"(?:(?:fiscal )?(?:years?|periods?|quarters?)|(?:three|six|nine|twelve) months|(?:the )?(?:last|past|next)"
    rf"|(?:{'|'.join(MONTHS)}|\d{{4}}|\d{{1,2}} )).*$"
    r"| (?:as follows|below|in the following table)$",
    re.I,
)
_INTRODUCES = re.compile(r"\b(?:following|follows|below|this table)\b|:$", re.I)
_ELSEWHERE_SHOWN = re.compile(r"\bnotes? \d", re.I)
_COMMA_OF_DATE = re.compile(r"(?<=\d), (?=(?:19|20)\d\d\b)")
_OPEN_END = re.compile(r"\b(?:the|a|an|of|for|and|or|in|to|by|on|at|with|fiscal|our|its|their)$", re.I)
_CLAUSE = re.compile(
    r"(?:in|for|as|at|on|if|when|while|under|during|pursuant|based|this|these|those|such|it|we"
    r"|here|below|there|therefore|thus|hence|however|accordingly|consequently)\b",
    re.I,
)
_GENERIC = re.compile(
    r"(?:table|figure|exhibit|schedule|sheet|page|slide|note|appendix|section|chapter|part|item)s?"
    r"\s*[\divxlc.]{0,6}[a-z]?"
    r"|contents|table of contents|(?:for )?examples?|usage|introduction|overview|summary|notes|appendix|untitled.*"
    r"|document\s*\d*|index|data"
    r"|financial (?:statements|information|data)|results|(?:un)?audited|continued|\W*"
    r"|(?:.*\W)?notes (?:to|on|forming part of) (?:the )?(?:\w+ ){0,3}(?:financial statements|accounts)\b.*"
    r"|(?:.*\W)?accounting polic(?:y|ies)|management['’]?s discussion.*|(?:the )?(?:above|following|below)"
    r"|(?:annual report )?pages? \d+|cash (?:flows? )?(?:from|used|provided)\b.*"
    r"|notes? \d* ?[-–:] ?(?:the|amounts?|includes?)\b.*",
    re.I,
)
_COMPANY = re.compile(
    r"\b(?:inc|ltd|llc|l\.l\.c|corp|plc|company|corporation|limited|n\.v|s\.a|ag|gmbh|l\.p)\b\.?"
    r"(?:,? and subsidiaries)?$",
    re.I,
)
_NUMBERED = re.compile(r"^(?:table|figure|exhibit|schedule)\s+[\w.]{1,6}(?:[-–]\d{1,3})?\s*[:.–—-]\s*", re.I)
_PERIODS = re.compile(
    rf"(?:\b(?:for|as of|as at|at|the|and|fiscal|years?|months?|quarters?|periods?|weeks?|ended|ending|three|six|nine"
    rf"|twelve|{'|'.join(MONTHS)}|\d+)\b|\W)+",
    re.I,
)
LONGEST_NAME = 160  # characters: what is longer is a sentence, and names nothing
DELIMITED = ("text/csv", "text/tab-separated-values")
FEW_TABLES = 2  # in a document with more, its title does not tell which table is meant
CAPTION_LINES = 4  # above a table, among which its title is sought
FAR = 4_000  # characters from a heading to a table: further down its section may have ended

# What a lead-in says that its rows do not repeat, and that makes each of them mean another thing
_QUALIFIERS = re.compile(
    r"\b(?:remaining|unrecognized|unrecognised|not yet|to be (?:recogni[sz]ed|paid|amorti[sz]ed)|expect(?:ed|s)?"
    r"|estimated?|forecasts?|forecasted|projected|budget(?:ed)?|future|pro forma|maturit(?:y|ies)|percent(?:age)?s? of"
    r"|as a percentage|changes? in|increase|decrease|cumulative|excluding|included in|assum\w+|sensitivit\w+"
    r"|hypothetical|if\b|adjustments?|weighted[- ]average|restated|discontinued|impact of|effects? of)\b",
    re.I,
)


# Where an untagged source states the company's own totals under their plain names
_STATEMENTS = re.compile(
    r"income statement|statements? of (?:consolidated )?(?:income|operations|earnings|cash flows|financial position)"
    r"|balance sheet|consolidated (?:income|results|statements?)|results of operations"
    r"|selected (?:consolidated )?financial data|financial highlights|summary results",
    re.I,
)
_ELSEWHERE = re.compile(
    r"\b(?:included|recogni[sz]ed|recorded|reflected|classified) (?:in|within|on)\b"  # a part of a line
    r"|deferred tax|fair value|pension|lease|stock option|stock award|derivative|hedg|reconcil|quarter"
    r"|pro forma|acqui|segment|maturit|unrecognized|geograph|allowance|intangible|comprehensive|parent company"
    r"|discontinued|unaudited|unrealized",
    re.I,
)
_OF_PARENT = re.compile(  # a filer without its subsidiaries, which a schedule of its report gives beside the group
    r"\bparent[- ](?:company|only)\b"
    r"|\bcondensed financial (?:information|statements) of (?:the )?(?:registrant|parent)",
    re.I,
)


def is_company_statement(section: str, caption: str) -> bool:
    """Whether an untagged table is one of the statements whose labels mean the whole company."""
    near = f"{section.rpartition('>')[2]} {caption}"
    return bool(_STATEMENTS.search(near)) and not _ELSEWHERE.search(near) and not _is_of_parent(section, caption)


def _is_of_parent(section: str, caption: str) -> bool:
    """Whether the headings of a table, or the short lines right above it, say that it leaves out the subsidiaries."""
    lines = [line for line in caption.split("\n") if line.strip()][-2 * CAPTION_LINES :]
    return any(_OF_PARENT.search(line) for line in (section, *lines) if len(line) <= LONGEST_NAME)


@dataclass(frozen=True, slots=True)
class TableName:
    """What a table is called, as the subject of its facts, and what named it; both "" where nothing does."""

    subject: str = ""
    source: str = ""  # as Triplet.subject_from
    rejected_because: str = ""  # what the name leaves out that changes what the rows mean


@dataclass(frozen=True, slots=True)
class Outline:
    """What a document's tables are named by besides the words right above them: its headings, in order."""

    headings: tuple[Block, ...]
    starts: tuple[int, ...]  # of the headings
    tables: int  # how many there are
    places: tuple[int, ...] = ()  # where they begin
    titles: tuple[tuple[int, str], ...] = ()  # of a file of delimited values: place and lines, of each table of it

    def tables_beside(self, start: int) -> int:
        """How many tables stand below the heading that a place stands below."""
        number = bisect_left(self.starts, start)
        first = self.starts[number - 1] if number else 0
        last = self.starts[number] if number < len(self.starts) else max(start, *self.places, 0) + 1
        return bisect_left(self.places, last) - bisect_left(self.places, first)


def outline_document(document: Document) -> Outline:
    """The headings and the number of tables of a document."""
    headings = tuple(sorted((b for b in document.blocks if b.kind == "heading"), key=lambda block: block.start))
    places = tuple(sorted(block.start for block in document.blocks if block.kind == "table"))
    # a long file of delimited values is one table in many parts
    tables = 1 if document.media_type in DELIMITED else len(places)
    titles = _find_titles(document) if document.media_type in DELIMITED else ()
    return Outline(headings, tuple(heading.start for heading in headings), tables, places, titles)


def _find_titles(document: Document) -> tuple[tuple[int, str], ...]:
    """The lines above each table of a file of delimited values, those in a row together, and where they begin."""
    runs = (list(blocks) for kind, blocks in groupby(document.blocks, key=attrgetter("kind")) if kind == "caption")
    return tuple((run[0].start, "\n".join(document.text[one.start : one.end] for one in run)) for run in runs)


def name_table(table: Table, chunk: Chunk, document: Document, outline: Outline, dated: bool) -> TableName:
    """The subject of a table's facts: whom or what the document is about, with the table's caption or heading.

    `dated`: columns of the table have periods.
    """
    start = chunk.start + table.header.start
    # the lead-in of a long file's later parts is lost, and its titles are not
    titles = next((some for place, some in reversed(outline.titles) if place < start), table.lead)
    lines = [line.strip() for line in titles.split("\n") if line.strip()]
    above = next((line for line in reversed(lines) if not is_units(line) and not _PERIODS.fullmatch(line)), "#")
    lead = "" if above.startswith("#") else re.split(r"(?<=[.!?])\s+(?=[A-Z])", above)[-1]
    introduced = bool(_INTRODUCES.search(lead)) and not _ELSEWHERE_SHOWN.search(lead)
    caption = (
        _find_topic(lead, dated)
        or (_as_name(lead) if introduced else "")
        or _find_caption(lines, document.entity)
        or _find_first_line(lines if document.media_type in DELIMITED else [])
    )
    if caption and not document.form and is_clause(caption):
        caption = ""  # half a sentence is no name
    heading, unclear = _find_heading(start, document, outline)
    stem = PurePosixPath(document.source.rpartition("#")[2] or document.source).stem
    title = "" if _fold(document.title) in (_fold(stem), _fold(PurePosixPath(document.source).name)) else document.title
    title = _as_name(title) or (stem.replace("_", " ") if document.entity else "")  # a file's name says nothing alone
    about = document.metadata.get(ENTITY_FROM, "document") if document.entity else ""
    named = caption or heading or title
    source = about or ("caption" if caption else "heading" if heading else "title" if title else "")
    if not source:
        return TableName()
    if named and document.form and _is_of_parent(chunk.section, table.lead) and not _OF_PARENT.search(named):
        named = f"{named} (parent company only)"
    names = [named] if named and _fold(named) != _fold(document.entity) else []
    if title and _fold(title) != _fold(named):
        names.append(title)
    subject = " in ".join(f"“{name}”" for name in names)
    if document.entity and not any(_fold(document.entity) in _fold(name) for name in names):
        subject = f"{subject} of {document.entity}" if subject else document.entity
    # the one table below a heading is what the heading says, however it is introduced
    if introduced and not caption and (document.form or not heading or outline.tables_beside(start) > 1):
        return TableName(subject, source, "lead_in_names_nothing")
    if names == [named] and not document.entity and " " not in named and known(named.lower()):
        return TableName(subject, source, "table_not_named")  # "Commands", and nothing says of what
    alone = _fold(named) == _fold(title)  # the document's title, which words between it and the table may have left
    only = outline.tables == 1 and not document.form  # then the title says which table is meant all the same
    if not names or (alone and not only and (lead or unclear or outline.tables > FEW_TABLES)):
        return TableName(subject, source, "table_not_named")
    qualifier = found[0] if (found := _QUALIFIERS.search(lead)) else ""
    return TableName(subject, source, "qualified_by_lead_in" if _fold(qualifier) not in _fold(subject) else "")


def _find_caption(lines: list[str], entity: str) -> str:
    """The title among the lines right above a table, of more than one word; units, periods and the filer are none."""
    for line in reversed(lines[-CAPTION_LINES:]):
        if line.startswith("#") or len(line) > LONGEST_NAME or line.endswith((".", ";", "|")):
            return ""
        titled = line.endswith(":") or is_title(line) or CAPTION.fullmatch(line)
        name = _as_name(line) if titled else ""
        filer = bool(entity) and _fold(name).startswith(_fold(entity).partition(" inc")[0])
        if " " in name and not filer and not _COMPANY.search(name):
            return name
    return ""


def _find_first_line(lines: list[str]) -> str:
    """The first line of a file of delimited values above its table: nothing but titles, units and remarks stand there.

    A single word ("Prices") does not say of what, and a sentence names nothing.
    """
    for line in lines:
        name = "" if line.endswith((".", ";", "|", "!", "?")) else _as_name(line)
        if " " in name:
            return name
    return ""


def _find_heading(start: int, document: Document, outline: Outline) -> tuple[str, bool]:
    """The heading above a place, and whether there is one that names nothing, or that is far away.

    Then the table may be about another thing than what the next heading further up says.
    """
    number = bisect_left(outline.starts, start) - 1
    if number < 0:
        return "", False
    above = outline.headings[number]
    name = _as_name(document.text[above.start : above.end]) if start - above.end <= FAR else ""
    if _COMPANY.search(name) and _fold(name) != _fold(document.title):
        return "", True  # the running head of a page
    return name, not name


def _find_topic(lead: str, dated: bool) -> str:
    """What a sentence says that the table after it shows, with its period unless the columns have theirs (`dated`).

    "" where it says no such thing.
    """
    found = _TOPIC.search(_COMMA_OF_DATE.sub(" ", lead))
    if not found:
        return ""
    topic = _OWN.sub("", (found["shown"] or found["of"] or found["listed"] or "").strip())
    topic = _WHEN.sub("", topic) if dated else topic
    if _OPEN_END.search(topic) or _CLAUSE.match(topic):
        return ""
    return _as_name(topic[:1].upper() + topic[1:])


def _as_name(words: str) -> str:
    """A line as the name of a table, without its number and its colon; "" where it names nothing."""
    name = _NUMBERED.sub("", " ".join(without_marks(words).split()).strip(" #*_-–—.")).strip(" :")
    name = name.replace("“", "").replace("”", "")
    if not 3 <= len(name) <= LONGEST_NAME or _GENERIC.fullmatch(name) or is_units(name):
        return ""
    if _PERIODS.fullmatch(name) or (_CLAUSE.match(name) and name.count(" ") > 5):
        return ""
    return name if re.search(r"[^\W\d_]{3}", name) else ""


_VERB = re.compile(
    r"(?<!to )\b(?:is|are|was|were|be|been|has|have|had|can|could|will|would|may|might|must|should|shall|does|do"
    r"|did)\b",
    re.I,
)
_RELATIVE = re.compile(r"\b(?:that|which|who|whose|where|when|if|as)\b", re.I)
_PRONOUN = re.compile(
    r"(?:it|its|they|you|your|we|he|she|this|that|these|those|there|here|each|both|the following)\b", re.I
)

_PLACED = re.compile(r"\w+ed (?:in|at|on|under|by|below|above)\b", re.I)  # "Located in src/main"


def is_clause(words: str) -> bool:
    """Whether words begin with a pronoun, an adverb or a command, or have a verb outside their relative clauses."""
    plain = _RELATIVE.split(words)[0]
    if _VERB.search(plain) or _PRONOUN.match(words) or _PLACED.match(words):
        return True
    said = [word.lower() for word in re.findall(r"[^\W\d_]+", plain)]
    if said and _is_adverb(said[0]):
        return True  # "Always use these"
    if any(_is_adverb(word) and _may_be_finite(after) for word, after in pairwise(said)):
        return True  # "Marlin currently supports ..."
    return any(_is_finite(word) and said[at - 1 : at] != ["to"] for at, word in enumerate(said))


def _is_adverb(word: str) -> bool:
    """Whether a word can only be an adverb; "by" and "in" are prepositions as well."""
    often = word.endswith("ly") or word in ("always", "never", "often", "also")
    return often and {one.pos for one in readings(word)} == {"r"}


def _may_be_finite(word: str) -> bool:
    return any(one.pos == "v" and one.form in ("base", "s") for one in readings(word))


def _is_finite(word: str) -> bool:
    """Whether a word can only be a verb in the present tense or a command."""
    found = readings(word)
    return bool(found) and all(one.pos == "v" and one.form in ("base", "s") for one in found)


def _fold(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text.casefold()).strip()
