"""Find every other passage that states what a question's gold passages state, so that it is gold as well.

A fact is the same where entity, value, unit, period and subject are, in whatever label and notation: another triplet of
the corpus, a row of a table or a sentence. A name is stated by a sentence that says both ends of the fact and how they
hang together; a passage that only spells it is none.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import lru_cache

from rarefy.data_contracts.rows import Chunk, Question, Triplet
from rarefy.tasks.knowledge.extract.entity_types import STATES
from rarefy.tasks.knowledge.extract.values import FACTORS
from rarefy.tasks.questions.ask.aliases import company_names
from rarefy.tasks.questions.ask.facts import OFFICE
from rarefy.tasks.questions.gates.wording import fold_text
from rarefy.tasks.text.dates import MONTHS, Moment, days_between, moments
from rarefy.tasks.text.markdown import CELL_BAR, split_cells
from rarefy.tasks.text.quantities import Quantity, number, quantities
from rarefy.tasks.text.sentences import sentences
from rarefy.tasks.text.stems import root, stem, words

FEWEST = 3  # digits of a figure that is rounded ("$31.4 billion" for 31,370), where the words beside it may vary
LEAST = 2  # likewise, where the words right beside it are the measure's ("Operating income of $9.7 billion")
LONG = 5  # digits of a figure that no other measure of the entity has in the same period by accident

Found = dict[str, tuple[tuple[str, ...], ...]]


def find_alternatives(
    questions: Iterable[Question], chunks: Mapping[str, Chunk], triplets: Mapping[str, Triplet]
) -> Found:
    """By question id: for each of its gold chunks the chunks that state all that it states for the question.

    Another gold chunk of the question may be among them: then it needs fewer chunks than it has. Questions without any
    are left out.
    """
    index = _Corpus(chunks, triplets)
    stated: dict[str, frozenset[str]] = {}
    found: Found = {}
    for question in questions:
        facts = [triplets[name] for name in question.triplet_ids if name in triplets]
        for fact in facts:
            if fact.triplet_id not in stated:
                stated[fact.triplet_id] = frozenset(index.state(fact)) if fact.chunk_id in chunks else frozenset()
        lists = []
        for chunk_id in question.chunk_ids:
            sets = [stated[fact.triplet_id] for fact in facts if fact.chunk_id == chunk_id]
            both = frozenset.intersection(*sets) if sets else index.names_beside(question, facts, stated)
            lists.append(tuple(sorted(both - {chunk_id})))
        if any(lists):
            found[question.question_id] = tuple(lists)
    return found


# What a text states: figures and words of a row or a sentence

_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?|(?<![\w.])\.\d+")
_SCALED = re.compile(r"(?<![\w.,])(\d{1,3}\.\d|\d\d) (?:million|billion|trillion)")
_NOTHING = frozenset(
    "a an and as at by for from in of on or our per the to with its their total net amount year fiscal million billion "
    "thousand dollar end period other than less balanc consolid add trail four quarter".split()
)
_MONTHS = frozenset(map(stem, MONTHS))
# Words for one thing, and short ones for several
_SAME = {
    "share": "stock", "sharehold": "stockhold", "shareown": "stockhold",
    "incom": "earn", "profit": "earn", "sale": "revenu", "cost": "expens",
    "provis": "expens", "paid": "payment", "pay": "payment", "loss": "earn",
}  # fmt: skip
_SHORT = {
    "ep": ("earn", "common", "stock"),
    "sbc": ("stock", "base", "compens"),
    "aoci": ("accumul", "comprehens", "earn"),
}
# Several words for one thing; an own word each, which no other measure shares
_PHRASES = tuple(
    (re.compile(rf"\b(?:{pattern})(?!\w)"), word)
    for pattern, word in (
        (r"capital (?:expenditures?|spending)|(?:payments|purchases|additions|expenditures|investments)"
         r"(?: for| of| to| in)*(?: property| plant| and| &|,)* equipment(?:, net)?", "capex"),
        (r"operating cash flows?|cash{0} operations|(?:cash{0} )?operating activities".format(
            r"(?: flows?| provided| generated| used| by| from| in| for| our| \(used (?:in|for)\))+"), "opcash"),
        (r"(?:re)?purchases? (?:of )?(?:\w+ )?(?:stock|shares)|(?:stock|share) (?:repurchases?|buybacks?)|repurchased",
         "buyback stock"),
        (r"long-lived", "longlived"),
        (r"present value of|,? net of (?:income )?tax(?:es)?"
         r"|,? (?:net of|less) accumulated (?:depreciation|amortization)(?: and (?:depreciation|amortization))?", ""),
        (r"u\.s\.|united states", "usa"),
    )
)  # fmt: skip
# A measure that has one of these is another than one that has not, however equal they are in a year
_APART = frozenset(
    "basic dilut current noncurr defer feder state foreign domest gross accumul unrecogn unearn cumul repurchas issu "
    "begin comprehens minimum maximum averag expect estim remain tax pretax matur short long".split()
)
_SIDES = frozenset("current noncurr short long".split())  # said by where a row stands in a balance sheet
_PART_OF_A_YEAR = re.compile(
    r"\b(?:(?<!four )quarters?|(?:three|six|nine|3|6|9) months|weeks|month ended)\b", re.IGNORECASE
)
_BALANCE = re.compile(r"(?:ending )?balances?\b(?!.*beginning)", re.IGNORECASE)
_SIDE = re.compile(r"\b(?:assets|liabilities)\b", re.IGNORECASE)  # of a balance sheet: no row hangs on it
_TOTAL = re.compile(r"\W*(?:(?:sub|grand )?totals?|net|consolidated)?\W*", re.IGNORECASE)  # of what stands above
_OF_OWNERS = re.compile(r"\b(?:attributable|available|applicable) (?:to|for) (?!non-?controlling).*", re.IGNORECASE)
_OWNERS = frozenset("attribut avail applic common stockhold".split())
_QUOTED = re.compile(r"“([^”]+)”")
_ASIDE = re.compile(r"\([^)]*\)")
_WITHOUT_CURRENT = re.compile(r",? (?:net of|less|excluding) current (?:portion|maturities|installments)\b", re.I)
_PARTS_OF_A_YEAR = frozenset("month three six nine".split())
_LABELLED = 400  # characters before a table, at most, that say what its figures are


@dataclass(frozen=True, slots=True)
class _Statement:
    """A figure, with the words that say what it is and when."""

    quantity: Quantity
    label: frozenset[str]  # stems of the row's label, or of the sentence
    own: frozenset[str]  # those, of the column's head and of what the row hangs on
    around: frozenset[str]  # those and what stands above the table, or before the sentence
    column: frozenset[str]  # of the column's head alone
    beside: tuple[str, str]  # what stands before and after the figure of a sentence, up to other figures
    when: str  # the column's head, or the sentence
    later: tuple[str, ...]  # where the period is looked for if that has none
    row: bool


@lru_cache(1 << 14)
def _telling(text: str) -> frozenset[str]:
    found = (one for word in words(_in_one_word(text)) if not word[0].isdigit() for one in _meant(word))
    return frozenset(one for one in found if one not in _NOTHING and one not in _MONTHS)


def _in_one_word(text: str) -> str:
    text = " ".join(text.lower().split())
    for pattern, word in _PHRASES:
        text = pattern.sub(word, text)
    return text


def _meant(word: str) -> tuple[str, ...]:
    one = stem(word)
    return _SHORT.get(one) or (_SAME.get(one, one),)


@lru_cache(1 << 14)
def _moments(text: str) -> tuple[Moment, ...]:
    return moments(text)


def _digits(amount: Decimal) -> str:
    return "".join(map(str, amount.as_tuple().digits)).strip("0")


def _rounded(digits: str, fewest: int = FEWEST) -> Iterator[str]:
    """The digits of a figure, and of what it is rounded to."""
    yield digits
    for kept in range(fewest, len(digits)):
        yield str((int(digits[: kept + 1]) + 5) // 10).rstrip("0")


@dataclass
class _Corpus:
    """Where the figures and names of a corpus stand."""

    chunks: Mapping[str, Chunk]
    triplets: Mapping[str, Triplet]
    figures: dict[tuple[str, str], list[tuple[str, int]]] = field(init=False)  # by entity and digits: chunk, place
    short: dict[tuple[str, str], list[tuple[str, int]]] = field(init=False)  # likewise those of two digits, scaled
    same: dict[tuple[str, ...], list[Triplet]] = field(init=False)
    by_document: dict[str, list[Chunk]] = field(init=False)
    read: dict[tuple[str, int], _Statement | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.figures, self.same, self.by_document = defaultdict(list), defaultdict(list), defaultdict(list)
        self.short = defaultdict(list)
        for name in sorted(self.chunks):
            chunk = self.chunks[name]
            self.by_document[chunk.doc_id].append(chunk)
            for hit in _NUMBER.finditer(chunk.text):
                digits = hit[0].replace(",", "").replace(".", "").strip("0")
                for one in dict.fromkeys(_rounded(digits)) if digits and len(digits) < 16 else ():
                    self.figures[_whose(chunk), one].append((name, hit.start()))
            for hit in _SCALED.finditer(chunk.text):
                self.short[_whose(chunk), hit[1].replace(".", "").strip("0")].append((name, hit.start()))
        for triplet in self.triplets.values():
            if triplet.value and triplet.chunk_id in self.chunks:
                self.same[_figure_key(triplet)].append(triplet)
        self.folded = {name: " ".join(chunk.text.casefold().split()) for name, chunk in self.chunks.items()}
        self.by_word: dict[str, list[str]] = defaultdict(list)
        for name, text in self.folded.items():
            for word in set(_WORD.findall(text)):
                self.by_word[word].append(name)

    def state(self, fact: Triplet) -> set[str]:
        """The chunks that state a fact."""
        found = set(self._hold_the_words(fact))
        if " under " in fact.subject or (fact.subject_type == "TABLE" and not _is_of_one_column(fact)):
            return found  # of that section, or that column, alone
        if _is_figure(fact):
            if fact.subject_type != "TABLE":
                found |= {other.chunk_id for other in self.same[_figure_key(fact)] if _is_same_measure(fact, other)}
            found |= set(self._state_figure(fact))
        else:
            found |= set(self._state_name(fact))
        return found

    def names_beside(
        self, question: Question, facts: Iterable[Triplet], stated: Mapping[str, frozenset[str]]
    ) -> frozenset[str]:
        """The chunks that state a fact of what a question asks for, and name it: none is needed for the name alone."""
        forms = {fold_text(form) for form in company_names(question.answer)}
        told = [fact for fact in facts if fact.subject.casefold() == question.answer.casefold()]
        near = {name for fact in told for name in (fact.chunk_id, *stated[fact.triplet_id]) if name in self.folded}
        return frozenset(name for name in near if any(_has(self.folded[name], form) for form in forms))

    def _hold_the_words(self, fact: Triplet) -> Iterator[str]:
        """Chunks that overlap where the fact stands."""
        home = self.chunks[fact.chunk_id]
        start, end = home.start + fact.start, home.start + fact.end
        for chunk in self.by_document[fact.doc_id]:
            if chunk.start <= start and end <= chunk.end and fact.source_sentence in chunk.text:
                yield chunk.chunk_id

    def _state_figure(self, fact: Triplet) -> Iterator[str]:
        home = self.chunks[fact.chunk_id]
        amount = abs(Decimal(fact.value))
        done: set[str] = set()
        own, whose = _digits(amount), _whose(home)
        places = [at for digits in dict.fromkeys(_rounded(own)) for at in self.figures.get((whose, digits), ())]
        places += self.short.get((whose, [*_rounded(own, LEAST)][min(1, len(own) - LEAST)]), ()) if len(own) > 2 else ()
        for name, at in places:
            if name in done:
                continue
            if (said := self._statement(name, at)) and _states(fact, amount, said, self.chunks[name]):
                done.add(name)
                yield name

    def _statement(self, name: str, at: int) -> _Statement | None:
        if (name, at) not in self.read:
            self.read[name, at] = _read(self.chunks[name], at)
        return self.read[name, at]

    def _state_name(self, fact: Triplet) -> Iterator[str]:
        home = self.chunks[fact.chunk_id]
        if home.entity and (address := _address(fact, home.entity)):
            yield from (
                name
                for name, text in self.folded.items()
                if _whose(self.chunks[name]) == home.entity and address.search(text)
            )
        cue, near = _cue(fact.relation), _CUES.get(fact.relation) or OFFICE.fullmatch(fact.relation)
        other = fact.object if fact.answer in ("", fact.subject) else fact.answer
        ends = [_forms(fact.relation, end) for end in (fact.subject, other)]
        own = {fold_text(form) for form in company_names(home.entity)} if home.entity else set[str]()
        wanted = [forms for forms in ends if forms.isdisjoint(own)]
        if cue is None or not wanted or any(not form for forms in ends for form in forms):
            return
        least = set[str]().union(*(self.by_word.get(_rarest(form), ()) for form in wanted[-1]))
        for name in sorted(least):
            chunk = self.chunks[name]
            needed = wanted if _whose(chunk) == _whose(home) else ends
            if fact.period and (chunk.entity, chunk.period_end) != (home.entity, home.period_end):
                continue  # who holds an office, and the like, is said of one year
            text = self.folded[name]
            if not all(any(form in text for form in forms) for forms in needed):
                continue
            if near and len(needed) == 1:
                said = _is_near(_FRAME.sub(" ", text), needed[0], cue, fact.relation not in _CUES)
            else:
                said = any(
                    all(any(_has(line, form) for form in forms) for forms in needed) and cue.search(line)
                    for line in _lines(chunk)
                )
            if said:
                yield name


def _whose(chunk: Chunk) -> str:
    return chunk.entity or chunk.doc_id


def _is_figure(fact: Triplet) -> bool:
    return (
        re.fullmatch(r"-?\d+(?:\.\d+)?", fact.value) is not None
        and Decimal(fact.value) != 0
        and fact.object_type != "DURATION"
    )


def _figure_key(triplet: Triplet) -> tuple[str, ...]:
    return (
        triplet.entity or triplet.doc_id, triplet.value.lstrip("-"), triplet.unit, triplet.period_start,
        triplet.period_end or triplet.period, triplet.subject_key or triplet.subject.casefold(),
    )  # fmt: skip


def _is_same_measure(one: Triplet, other: Triplet) -> bool:
    if other.subject_type == "TABLE":
        return False
    if one.concept and one.concept == other.concept:
        return True
    mine, theirs = _telling(one.relation), _telling(other.relation)
    return bool(mine) and mine == theirs and not _is_column_of_another(other)


def _is_column_of_another(other: Triplet) -> bool:
    return other.rejected_because in {"column_qualified", "scope_not_in_label", "member_not_shown", "period_disagrees"}


# Rows and sentences


def _read(chunk: Chunk, at: int) -> _Statement | None:
    """What the number at a place of a chunk says; None where it is none that counts something."""
    text = chunk.text
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    line = text[start : end if end >= 0 else len(text)]
    return _read_row(chunk, line, start, at) if line.startswith("|") else _read_sentence(chunk, at)


def _read_row(chunk: Chunk, line: str, start: int, at: int) -> _Statement | None:
    cells = split_cells(line)
    column = len(CELL_BAR.findall(line[: at - start])) - 1
    quantity = number(cells[column].strip()) if 0 < column < len(cells) else None
    if quantity is None:
        return None
    above = chunk.text[:start].splitlines()
    first = len(above)
    while first and above[first - 1].startswith("|"):
        first -= 1
    head = split_cells(above[first]) if first < len(above) else []
    groups = _groups(above[first + 2 :])
    lead = " ".join(above[:first]).rstrip()[-_LABELLED:]
    label = " ".join(cell for cell in cells[:column] if not number(cell.strip()))
    top = head[column] if column < len(head) else ""
    hung_on = _telling(groups[0] if groups else "")
    head_words = _telling(_ASIDE.sub("", top))
    named = _telling(_ASIDE.sub("", label))
    loose = _TOTAL.fullmatch(label) or _SIDE.search("".join(groups[:1]))
    own = _telling(label) | _telling(top) | (frozenset() if loose else hung_on)
    around = own | hung_on | _telling(lead) | _telling(chunk.section) | _telling("".join(head[:1]))
    later = (label, *groups, _next_balance(chunk.text, start), *head[:1], lead[-150:])
    return _Statement(quantity, named, own, around, head_words, ("", ""), top, later, True)


def _groups(rows: list[str]) -> list[str]:
    """The labels without figures above a row: the nearest, and the nearest that says when, if that is another."""
    labels = (cells[0] for cells in map(split_cells, reversed(rows)) if not any(cell.strip() for cell in cells[1:]))
    found: list[str] = []
    for label in labels:
        if not found or _moments(label):
            found.append(label)
        if _moments(label):
            break
    return found


def _next_balance(text: str, start: int) -> str:
    """The next balance below a row: of a statement of equity it says when the movements before it were."""
    for line in text[start:].splitlines()[1:]:
        if not line.startswith("|"):
            break
        label = split_cells(line)[0].strip()
        if _BALANCE.match(label):
            return label
    return ""


def _read_sentence(chunk: Chunk, at: int) -> _Statement | None:
    text = chunk.text
    start, end = next(((a, b) for a, b in _spans(text) if a <= at < b), (at, at))
    said = text[start:end]
    if "\n|" in said:  # a lead-in and its table
        said = said[: said.index("\n|")]
    found = quantities(said)
    quantity = next((one for one in found if one.digits[0] <= at - start < one.digits[1]), None)
    if quantity is None or quantity.year or quantity.kind == "place":
        return None
    own = _telling(said)
    around = own | _telling(text[max(0, start - _LABELLED) : start]) | _telling(chunk.section)
    return _Statement(
        quantity, own, own, around, frozenset(), _beside(said, quantity, found), _NOT_THEN.sub(" ", said), (), False
    )


# "9% more than in 2023": of another time than the figure before it
_NOT_THEN = re.compile(
    rf"\b(?:from|than|over|versus|compared (?:to|with))(?: in)?(?: fiscal)?(?: year)?"
    rf"(?: (?:{'|'.join(MONTHS)})(?: \d\d?,)?)? (?:19|20)\d\d\b",
    re.IGNORECASE,
)
_IDLE = frozenset(  # beside the name of a measure, and no part of it
    stem(word)
    for word in (
        "was were is are has have had been be includes including recognized incurred generated about approximately "
        "nearly total totaled increased decreased grew grown rose declined amounted reached recorded reported up down "
        "from compared respectively primarily used related we our it company this these which record high strong solid "
        "unchanged"
    ).split()
)


_COUNTED = {"count": frozenset({"stock", "outstand"}), "money": frozenset[str](), "percent": frozenset[str]()}


def _beside(said: str, quantity: Quantity, found: Iterable[Quantity]) -> tuple[str, str]:
    """What stands before and after a figure, up to other figures; before one of a row of figures: before the row."""
    others = [one for one in found if one.kind in ("money", "percent", "count") and not one.year]
    before, after = quantity.start, min((one.start for one in others if one.start > quantity.start), default=len(said))
    first = 0
    for one in reversed([one for one in others if one.end <= quantity.start]):
        first = one.end
        if _telling(_NUMBER.sub(" ", said[one.end : before])) - _IDLE - _COUNTED[one.kind]:
            break
        before, first = one.start, 0
    return said[first:before], said[quantity.end : after]


_TOKEN = re.compile(r"[^\W\d_]+|[.,;:()]")
_LINKS = frozenset("of in for from to included used related our".split())  # "$2.8 billion of ..."


def _names(needed: frozenset[str], beside: tuple[str, str], idle: frozenset[str]) -> bool:
    """Is a figure, by the words right beside it, of a measure, and of none with further words in its name?"""
    before, after = (_TOKEN.findall(_in_one_word(text)) for text in beside)
    linked = next((at for at, token in enumerate(after) if token not in _LINKS), 0)
    if linked and _begins_with(needed, after[linked:], idle):
        return True
    before.reverse()
    while before and before[0] != "by" and (before[0] in _NOTHING or stem(before[0]) in idle or before[0] == ","):
        del before[0]
    return _begins_with(needed, before, idle)


_OF_ANOTHER = re.compile(r"\b(?:of|by)(?: about| approximately| nearly)?\W*$")


def _names_another(needed: frozenset[str], beside: tuple[str, str], idle: frozenset[str]) -> bool:
    """Is a figure of another measure, by what stands before it: "proceeds of", "and reduced retained earnings by"?"""
    told = _telling(_NUMBER.sub(" ", beside[0])) - idle
    after = _telling(re.split(r"[,;.]", beside[1])[0])
    return bool(_OF_ANOTHER.search(beside[0]) and told and needed.isdisjoint(told | after))


def _begins_with(needed: frozenset[str], tokens: list[str], idle: frozenset[str]) -> bool:
    left = set(needed)
    for token in tokens:
        told = set(_meant(token)) - _NOTHING if token.isalpha() and len(token) > 1 else set[str]()
        if not left and told <= idle and token.isalpha():
            continue
        if not left:
            return told <= needed
        if not told <= needed or (not token.isalpha() and token != ","):
            return False
        left -= told
    return not left


@lru_cache(1 << 12)
def _spans(text: str) -> list[tuple[int, int]]:
    return sentences(text)


def _states(fact: Triplet, amount: Decimal, said: _Statement, chunk: Chunk) -> bool:
    """Does a row or a sentence of the fact's entity state the fact?"""
    if not _is_amount(fact, amount, said):
        return False
    needed, parts = _measure_and_part(fact)
    if not needed and not parts:
        return False
    if not (parts <= said.around or _initials(fact) in said.own):
        return False
    shown = _shown(said.quantity)
    same = _digits(amount) == _digits(said.quantity.amount)
    exact = same and shown >= LONG - 1
    other = (said.column if needed and needed <= said.column else said.own) & _APART
    if said.row and other - needed - parts and not (exact and needed == said.label):
        return False
    spoken = said.around if said.row else said.own
    if (needed & _APART) - said.around - (_SIDES | {"averag"} if exact else frozenset()):
        return False
    common = len(needed & spoken)
    idle = _IDLE | _telling(fact.entity) | parts
    if fact.subject_type == "TABLE":
        enough = shown >= LONG - 1 and needed <= said.own
    elif shown >= LONG or (exact and parts):
        enough = bool(common) if said.row else common * 2 >= len(needed)
    elif shown == LONG - 1:
        enough = common * (2 if exact and said.row else 3) >= len(needed - _SIDES) * (1 if exact and said.row else 2)
    elif same or shown >= FEWEST:
        further = (
            (said.label | said.column) - needed - parts - _telling(fact.entity) - _OWNERS
            if said.row
            else frozenset[str]()
        )
        enough = needed <= (said.own if further or not said.row else said.around) and len(further) <= 1
        enough = enough and (said.row or not _names_another(needed | parts, said.beside, idle))
    else:
        enough = bool(needed) and _names(needed, said.beside, idle)
    return enough and (_is_then(fact, said, chunk) or (exact and said.row and needed == said.label | said.column))


def _shown(quantity: Quantity) -> int:
    """How many digits of a figure are written; 1 of "9,000", which is anything's."""
    if not quantity.amount or not quantity.grain or (len(_digits(quantity.amount)) == 1 and not quantity.scale):
        return 1
    return quantity.amount.adjusted() - quantity.grain.adjusted() + 1


def _measure_and_part(fact: Triplet) -> tuple[frozenset[str], frozenset[str]]:
    """The words that tell what a fact measures, and those that tell of which part of the entity."""
    if fact.subject_type == "TABLE":
        quoted = _QUOTED.findall(fact.relation)
        return _telling(quoted[0] if quoted else fact.relation), frozenset()
    part = _telling(_ASIDE.sub("", fact.subject.removeprefix(fact.entity))) - {"segment"}
    if fact.entity and fact.subject.startswith(fact.entity):
        label = _WITHOUT_CURRENT.sub(" long-term", _ASIDE.sub("", fact.relation))
        needed = _telling(_OF_OWNERS.sub("", label)) | (_telling(label) & _APART)
        return needed, part
    return frozenset(), part  # of a subject of its own the verb tells nothing: "rose", "increased"


def _initials(fact: Triplet) -> str:
    """What a segment is called for short, with the letter of its entity: "BCA" is Boeing Commercial Airplanes."""
    entity = re.sub(r"^The ", "", fact.entity)
    part = _ASIDE.sub("", fact.subject.removeprefix(fact.entity)).replace("segment", "").split()
    return "".join(word[0] for word in (entity, *part) if word[0].isupper()).lower() if entity and part else ""


def _time(fact: Triplet) -> str:
    """A fact's period, which a table without tags may have in the head of its column."""
    column = fact.relation.partition(" in the column ")[2]
    return fact.period or (column if _moments(column) else "")


def _is_of_one_column(fact: Triplet) -> bool:
    """Does a fact of a table without tags hang on its row and period, and not on the column as well?"""
    column = fact.relation.partition(" in the column ")[2]
    return bool(_time(fact)) and not _telling(" ".join(_QUOTED.findall(column))) - _PARTS_OF_A_YEAR


def _is_amount(fact: Triplet, amount: Decimal, said: _Statement) -> bool:
    quantity, percent = said.quantity, fact.unit in ("percent", "pure") or fact.object_type == "PERCENT"
    if percent != (quantity.kind == "percent") and not (said.row and quantity.kind == "bare"):
        return False
    if quantity.kind not in ("money", "count", "bare", "percent"):
        return False
    if fact.unit == "shares" and quantity.kind == "money":
        return False
    if fact.unit.startswith("USD") and quantity.kind == "count":
        return False
    if quantity.scale or percent or "/" in fact.unit:
        shifts: tuple[int, ...] = (0,)
    elif said.row:
        shifts = (0, 3, 6, 9)
    else:  # a report in millions may leave the word out in its sentences as well
        shifts = (0, FACTORS.get(fact.scale, Decimal(1)).adjusted())
    if any(amount == quantity.amount.scaleb(shift) for shift in shifts):
        return True
    if not said.row:
        shifts = (0,)
    least = LEAST if quantity.scale and not said.row else FEWEST
    rounded = _shown(quantity) >= least and any(
        abs(amount - quantity.amount.scaleb(shift)) <= quantity.grain.scaleb(shift) / 2 for shift in shifts
    )
    finer = quantity.amount and (amount.adjusted() - quantity.amount.adjusted()) in shifts
    return rounded or bool(finer and _digits(amount) in _rounded(_digits(quantity.amount), least))


_YEAR_BEFORE = re.compile(r"\b(?:a year ago|(?:prior|previous|last)(?: fiscal)? year)\b", re.IGNORECASE)


def _is_then(fact: Triplet, said: _Statement, chunk: Chunk) -> bool:
    """Does a statement speak of the fact's period?"""
    if not _time(fact) and not fact.period_end:
        return True
    long = not fact.period_start or days_between(fact.period_start, fact.period_end) > 300
    for text in (said.when, *said.later):
        if long and fact.period_start and _PART_OF_A_YEAR.search(text) and said.row:
            return False
        if told := [one for one in _moments(text) if not one.decade]:
            before = not said.row and _YEAR_BEFORE.search(text) and fact.period_end[:4].isdigit()
            return any(_is_at(fact, one, chunk) for one in told) or bool(
                before and int(chunk.period_end[:4]) - int(fact.period_end[:4]) == 1
            )
    if not fact.period_end:
        return False
    return chunk.period_end == fact.period_end and _shown(said.quantity) >= (FEWEST if said.row else LEAST)


def _is_at(fact: Triplet, told: Moment, chunk: Chunk) -> bool:
    named = [one for moment in _moments(_time(fact)) for one in moment.ways]
    years = {way.year for way in named if way.year}
    if fact.period_end:
        last = date.fromisoformat(fact.period_end)
        if told.fiscal and chunk.period_end == fact.period_end and chunk.fiscal_year in told.years:
            return True  # "fiscal 2024" ended in 2025
        for way in told.ways:
            if way.quarter or way.half:
                continue
            if not way.month and way.year and way.year in (years or {last.year}):
                return True
            if way.month == last.month and way.year in (0, last.year) and way.day in (0, last.day):
                return bool(way.year) or chunk.period_end[:4] == str(last.year)
        return False
    months = {way.month for way in named if way.month}
    yearly = "year" in _time(fact).casefold()
    return any(
        (way.month in months or not months or (yearly and not way.month))
        and (way.year in years or (not way.year and chunk.period_end[:4] in map(str, years)))
        for way in told.ways
    )


# Names

_WORD = re.compile(r"\w+")
_NEAR = 160  # characters between a name and what links it, at most: across sentences, and cells of a signature
_FRAME = re.compile(r"[\s|]*(?:\||-{3,})[\s|]*")
_CUES = {
    "is audited by": r"\baudit|\bindependent registered|\baccounting firm|\bconsent of|\bpcaob|/s/",
    "is headquartered in": r"\bheadquarter|\bprincipal (?:executive )?offices?|\bcorporate offices?",
    "is based in": r"\bheadquarter|\bprincipal (?:executive )?offices?|\bcorporate offices?",
    "is incorporated in": r"\bincorporated (?:in|under|as)\b|\bjurisdiction of incorporation"
    r"|\borgani[sz]ed (?:in|under)|\ba \w+ corporation\b",
    "is listed on": r"\blisted\b|\btrade[sd]?\b|\btrading\b|\bregistered\b|\bsymbols?\b|\bclosing\b"
    r"|\blisting\b|\bapplicable rules\b",
    "trades under symbol": r"\bsymbols?\b|\btrad(?:es|ed|ing)\b",
    "has principal executive offices at": r"\boffices?\b|\bheadquarter",
}
_WHOLE = r"\bpart of\b|\binclud|\bcompris|\bconsist|\bcent(?:er|re)ed\b|\bwithin\b"  # what says of what a thing is part


def _forms(relation: str, end: str) -> set[str]:
    """The ways in which a passage may write an end of a fact."""
    forms = {fold_text(form) for form in company_names(end)}
    if relation == "is listed on":
        forms |= {short for short, full in (("nyse", "new york stock"), ("nasdaq", "nasdaq")) if full in fold_text(end)}
    city, _, state = end.rpartition(", ")
    if relation == "is headquartered in" and (other := STATES.get(state) or _ABBREVIATED.get(state)):
        forms.add(fold_text(f"{city}, {other}"))
    return forms


_ABBREVIATED = {name: short for short, name in STATES.items()}


def _address(fact: Triplet, company: str) -> re.Pattern[str] | None:
    """Where a company is to be written to: its name, street, town, state and code, of which the fact is one."""
    place = fact.object if fact.answer in ("", fact.subject) else fact.answer
    places = _forms(fact.relation, place)
    if fact.relation == "is based in":
        places |= {fold_text(other) for other in (STATES.get(place), _ABBREVIATED.get(place)) if other}
    elif fact.relation not in ("is headquartered in", "has principal executive offices at"):
        return None
    names, here = (
        "|".join(map(re.escape, sorted(forms))) for forms in (map(fold_text, company_names(company)), places)
    )
    town = r"[\w ,.]{0,40}?" if fact.relation.endswith(" at") else ",?"
    return re.compile(rf"(?<!\w)(?:{names})(?!\w).{{0,90}}?(?<!\w)(?:{here})(?!\w){town} \d{{5}}(?!\d)")


def _is_near(text: str, forms: Iterable[str], cue: re.Pattern[str], title: bool) -> bool:
    """Does a text name one of these close to the cue? A title stands behind its holder's name, or right before it."""
    for form in forms:
        for hit in re.finditer(rf"(?<!\w){re.escape(form)}(?!\w)", text):
            start, end = max(0, hit.start() - _NEAR), hit.end() + _NEAR
            before, after = text[start : hit.start()], text[hit.end() : end]
            if not title and cue.search(text[start:end]):
                return True
            if title and (held := cue.search(after)) and not _ANOTHER.search(after[: held.start()]):
                return True
            if title and not _ANOTHER.search(after[:60]) and re.search(rf"(?:{cue.pattern}),? $", before):
                return True
    return False


_ANOTHER = re.compile(r"/s/|\bofficer\b")  # another's signature, another title


@lru_cache(1 << 12)
def _cue(relation: str) -> re.Pattern[str] | None:
    """What a sentence must say so that it states a relation; None where no word of the relation tells anything."""
    if relation in _CUES:
        return re.compile(_CUES[relation])
    if office := OFFICE.fullmatch(relation):
        title = office[1]
        short = "".join(word[0] for word in title.split() if word != "and") if title.startswith("chief") else ""
        return re.compile(rf"(?<!vice )\b{re.escape(title)}\b" + (rf"|\b{short}\b" if short else ""))
    if relation == "is part of":
        return re.compile(_WHOLE)
    roots = [
        root(word) for word in words(relation) if stem(word) not in _NOTHING and len(word) > 3 and word not in _FILLERS
    ]
    return re.compile("|".join(rf"\b{re.escape(one)}" for one in roots)) if roots else None


_FILLERS = frozenset("have been were must shall will does with from into under that this which also being".split())


def _rarest(form: str) -> str:
    found: list[str] = _WORD.findall(form)
    return max(found, key=lambda word: (len(word), word), default="")


def _has(text: str, form: str) -> bool:
    return form in text and re.search(rf"(?<!\w){re.escape(form)}(?!\w)", text) is not None


@lru_cache(1 << 12)
def _split_lines(text: str) -> tuple[str, ...]:
    found = []
    for start, end in sentences(text):
        said = text[start:end]
        if "\n|" in said or said.startswith("|"):
            found += said.splitlines()
        else:
            found.append(said)
    return tuple(map(fold_text, found))


def _lines(chunk: Chunk) -> tuple[str, ...]:
    return _split_lines(chunk.text)
