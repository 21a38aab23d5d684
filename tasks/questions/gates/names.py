"""The passages that state a fact between names: both ends, and the words that link them."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import combinations

from rarefy.data_contracts.rows import Chunk, Triplet
from rarefy.tasks.knowledge.extract.entity_types import canonical_exchange
from rarefy.tasks.questions.ask.aliases import company_names
from rarefy.tasks.questions.ask.facts import OFFICE
from rarefy.tasks.questions.gates.measure_words import NOTHING
from rarefy.tasks.questions.gates.statements import told_by
from rarefy.tasks.questions.gates.wording import fold_text
from rarefy.tasks.text.names import LEGAL_FORMS
from rarefy.tasks.text.sentences import sentences
from rarefy.tasks.text.states import STATES, swap_state_form
from rarefy.tasks.text.stems import root, stem, words

_WORD = re.compile(r"\w+")
_NEAR = 160  # characters between a name and what links it, at most: across sentences, and cells of a signature
_SUBSIDIARY = "is subsidiary of"
_TITLE_WORDS = 14  # of a line that is a title, at most
_LISTED = re.compile(r"\bsubsidiaries\b|^exhibit 21\b", re.IGNORECASE)
_FORMS = "|".join(sorted(LEGAL_FORMS, key=len, reverse=True))
_INITIAL = re.compile(r"(?<=\w) \w\.(?= \w)")
_AFTER_NAME = re.compile(r",? (?:jr|sr|ii|iii|iv)\.?$")
_FRAME = re.compile(r"[\s|]*(?:\||-{3,})[\s|]*")
_AUDITED = "is audited by"  # a firm for which many once worked
_TRADED = "is listed on"
_SYMBOL = re.compile(r"\((?P<exchange>[a-z ]+): ?[a-z.]{1,6}\)")
# what is listed there is not the company's stock: an index of others, bonds
_OTHERS_TRADED = re.compile(
    r"\b(?:issuers|notes|debentures|bonds|index)\b(?!.*\b(?:common|ordinary|our) (?:stock|shares)\b)"
)
_INDEX = re.compile(r"[ -]?(?:composite|100|us benchmark|(?:stock )?market index|index)\b")  # behind an exchange's name
_SEATED = ("is headquartered in", "is based in")
_OTHER_SITES = re.compile(
    r"\b(?:in addition to|besides|other than|apart from) (?:our|its|the) [a-z ]{0,30}headquarters\b"
)
_IN_TOWN = r"\bheadquarter(?:s|ed)(?: (?:is|are|located|building|campus|offices?))* in (?:downtown |the city of )?"
_SEAT = r"\bheadquarter|\b(?:principal|executive|corporate) offices?\b"
_PURCHASES = ("was acquired by", "completed acquisition of")
_CUES = {
    **dict.fromkeys(  # traffic is acquired, too
        _PURCHASES,
        r"\bacqui(?:r|s(?!ition costs?\b))|\b(?:stock|share|equity|asset|unit)s? purchase agreement\b"
        r"|\bplan of merger\b",
    ),
    _AUDITED: r"\baudit|\breports? of\b|\bassessed\b|\bindependent registered|\baccounting firm|\bconsents?\b|\bpcaob"
    r"|/s/|\(signed\)",
    "is headquartered in": _SEAT,
    "is based in": _SEAT,
    "is incorporated in": r"\bincorporat(?:ed|ion) (?:in|under|as)\b|\bjurisdiction of incorporation"
    r"|\borgani[sz]ed (?:in|under)|\ban? (?:\w+ )?\w+ (?:corporation|(?:public )?(?:limited )?company)\b",
    _TRADED: r"\blisted\b|\btrade[sd]?\b|\btrading\b|\bregistered\b|\bsymbols?\b|\bclosing\b"
    r"|\blisting\b|\bapplicable rules\b|\breported (?:sales?|price)",
    "trades under symbol": r"\bsymbols?\b|\btrad(?:es|ed|ing)\b",
    "has principal executive offices at": r"\boffices?\b|\bheadquarter",
}
# where companies of other countries are incorporated: "an Irish public limited company"
_OF_COUNTRY = {
    "Bermuda": "Bermudian", "Canada": "Canadian", "Denmark": "Danish", "England": "English", "Finland": "Finnish",
    "France": "French", "Germany": "German", "Ireland": "Irish", "Israel": "Israeli", "Italy": "Italian",
    "Japan": "Japanese", "Netherlands": "Dutch", "Norway": "Norwegian", "Spain": "Spanish", "Sweden": "Swedish",
    "Switzerland": "Swiss", "United Kingdom": "British",
}  # fmt: skip
_FOR_OTHERS = re.compile(
    r"\b(?:investor relations|(?:share|stock)(?:holder|owner) (?:services|relations)|transfer agent|registrar)\b"
)
_DESK = 60  # characters before an address, at most, that say which desk it is of
_WHOLE = r"\bpart of\b|\binclud|\bcompris|\bconsist|\bcent(?:er|re)ed\b|\bwithin\b"  # what says of what a thing is part


class Names:
    """The texts of a corpus, by the words in them."""

    def __init__(self, chunks: Mapping[str, Chunk], facts: Iterable[Triplet] = ()) -> None:
        self.chunks = chunks
        self.towns: dict[str, set[str]] = defaultdict(set)  # of companies' seats, with their state
        for fact in facts:
            if fact.relation == "is headquartered in" and not fact.rejected_because:
                self.towns[fact.subject].add(fact.object)
        self.texts = {name: " ".join(chunk.text.casefold().split()) for name, chunk in chunks.items()}
        self.by_word: dict[str, list[str]] = defaultdict(list)
        for name, text in self.texts.items():
            for word in set(_WORD.findall(text)):
                self.by_word[word].append(name)

    def that_name(self, name: str, among: Iterable[str]) -> Iterator[str]:
        """Those of some chunks that spell a name in any form."""
        forms = {fold_text(form) for form in company_names(name)}
        return (chunk_id for chunk_id in among if any(_has(self.texts[chunk_id], form) for form in forms))

    def that_have_words(self, text: str) -> Iterator[str]:
        """The chunks with a text, in small letters and single spaces, as it is."""
        return (name for name in self.by_word.get(_rarest(text), ()) if text in self.texts[name])

    def may_state(self, fact: Triplet) -> Iterator[str]:
        """The chunks that name both ends of a fact not far from each other, or from what links them."""
        cue, wanted, ends = self._looked_for(fact)
        title, home = OFFICE.fullmatch(fact.relation) is not None, told_by(self.chunks[fact.chunk_id])
        if cue is None:
            return
        for name, needed in self._that_have(fact, wanted, ends):
            if told_by(self.chunks[name]) != home:
                continue
            text = _INITIAL.sub("", self.texts[name]) if title else self.texts[name]
            if len(needed) == 1 and (title or fact.relation in _CUES):
                near = any(
                    cue.search(before + spelled + after) and not _is_of_others(fact.relation, before, after)
                    for before, spelled, after in _places(text, needed[0], 2 * _NEAR)
                )
            else:
                near = any(
                    all(_is_spelled(forms, paragraph) for forms in needed)
                    and (len(needed) > 1 or cue.search(paragraph.casefold()))
                    for paragraph in self.chunks[name].text.split("\n")
                )
            if near:
                yield name
        if fact.relation in _PURCHASES:
            yield from self._may_call_short(fact.subject if fact.relation == "was acquired by" else fact.object, home)

    def _may_call_short(self, bought: str, home: str) -> Iterator[str]:
        """A buyer’s chunks that speak of a purchase by the first name alone: "the Abcam acquisition"."""
        first = re.escape(bought.split()[0].rstrip(","))
        bought_then = r"\b[Aa]cqui[rs]"
        purchase = re.compile(rf"\b{first}\b[^.\n]{{0,60}}{bought_then}|{bought_then}[^.\n]{{0,60}}\b{first}\b")
        for name in self.by_word.get(_rarest(first.casefold()), ()):
            if told_by(self.chunks[name]) == home and purchase.search(self.chunks[name].text):
                yield name

    def state(self, fact: Triplet) -> Iterator[str]:
        """The chunks that state a fact between names."""
        home = self.chunks[fact.chunk_id]
        if home.entity and (address := _address(fact, home.entity)):
            own_texts = (item for item in self.texts.items() if told_by(self.chunks[item[0]]) == home.entity)
            yield from (
                name
                for name, text in own_texts
                if any(
                    not _FOR_OTHERS.search(text[max(0, hit.start() - _DESK) : hit.start()])
                    for hit in address.finditer(text)
                )
            )
        yield from self._that_say_town(fact)
        cue, wanted, ends = self._looked_for(fact)
        if cue is None:
            return
        for name, needed in self._that_have(fact, wanted, ends):
            chunk = self.chunks[name]
            if (
                self._says(name, fact.relation, cue, needed)
                or (fact.relation == _SUBSIDIARY and chunk.entity == home.entity and _is_in_list(ends[0], chunk))
                or (fact.relation == "is part of" and _is_under_heading(ends[0], ends[1], chunk))
            ):
                yield name

    def _looked_for(self, fact: Triplet) -> tuple[re.Pattern[str] | None, list[set[str]], list[set[str]]]:
        """What links the ends of a fact, None where nothing can; the forms of those its filer is not, and of both."""
        home = self.chunks[fact.chunk_id]
        other = fact.object if fact.answer in ("", fact.subject) else fact.answer
        named = (fact.object, other) if fact.relation in _SEATED else (other,)
        ends = [_forms(fact.relation, fact.subject), _forms(fact.relation, *named)]
        if fact.relation == "is based in":  # "Omaha, NE" is in Nebraska, where it is the seat
            towns = {
                form for town in self.towns.get(fact.subject, ()) for form in (town, swap_state_form(town)) if form
            }
            ends[-1] |= {fold_text(form) for town in towns for form in (town, town.replace(",", ""))}
        if fact.relation in _PURCHASES:
            ends = [forms | self._introduced(forms, home) for forms in ends]
        own = {fold_text(form) for form in company_names(home.entity)} if home.entity else set[str]()
        wanted = [forms for forms in ends if forms.isdisjoint(own)]
        sure = wanted and all(form for forms in ends for form in forms)
        return (_cue(fact.relation) if sure else None), wanted, ends

    def _introduced(self, forms: set[str], home: Chunk) -> set[str]:
        """What a name is called from then on by its filer: "CymaBay Therapeutics, Inc. (“CymaBay”)"."""
        found = set[str]()
        for form in forms:
            short = re.compile(
                rf"(?<!\w){re.escape(form)}(?: and its \w+)?"
                r" \((?:collectively,? )?(?:the )?[“\"]([^”\"]{3,30}),?[”\"]\)"
            )
            for name in self.by_word.get(_rarest(form), ()):
                if told_by(self.chunks[name]) == told_by(home) and (hit := short.search(self.texts[name])):
                    found.add(hit[1])
        return {one for one in found if any(form.startswith(one) for form in forms)}  # "company" is anybody

    def _that_have(
        self, fact: Triplet, wanted: list[set[str]], ends: list[set[str]]
    ) -> Iterator[tuple[str, list[set[str]]]]:
        """The chunks that may have a word of a fact's last end, each with the ends that it must name."""
        home = self.chunks[fact.chunk_id]
        for name in sorted(set[str]().union(*(self.by_word.get(_rarest(form), ()) for form in wanted[-1]))):
            chunk = self.chunks[name]
            elsewhere = (chunk.entity, chunk.period_end) != (home.entity, home.period_end)
            if elsewhere and fact.period and fact.relation not in _PURCHASES:
                continue  # who holds an office, and the like, is said of one year
            yield name, wanted if told_by(chunk) == told_by(home) else ends

    def _that_say_town(self, fact: Triplet) -> Iterator[str]:
        """The chunks of a company that say in which town its headquarters are, without the state."""
        towns = {fact.object} if fact.relation == _SEATED[0] else self.towns.get(fact.subject, set())
        town, comma, _ = next(iter(towns), "").partition(",")
        if fact.relation not in _SEATED or len(towns) > 1 or not comma:
            return
        here = re.escape(fold_text(town))
        seat = re.compile(
            rf"{_IN_TOWN}{here}(?!\w| (?:bay|metro|area|county)\b)|\b(?:our|its) (?:corporate )?{here} headquarters\b"
        )
        for name in self.by_word.get(_rarest(fold_text(town)), ()):
            own = told_by(self.chunks[name]) == told_by(self.chunks[fact.chunk_id])
            if own and seat.search(self.texts[name]):
                yield name

    def _says(self, name: str, relation: str, cue: re.Pattern[str], needed: list[set[str]]) -> bool:
        text, title = self.texts[name], bool(OFFICE.fullmatch(relation))
        text = _INITIAL.sub("", text) if title else text
        if not all(any(form in text for form in forms) for forms in needed):
            return False
        lines: Iterable[str] = _lines(self.chunks[name])
        if relation == _TRADED:  # "Acme Corporation (NYSE: ACM)" lists whom it stands behind, and nobody else
            own = tuple(filter(None, map(fold_text, company_names(self.chunks[name].entity))))
            listed = (hit for hit in _SYMBOL.finditer(text) if hit["exchange"] in needed[-1])
            if any(text[: hit.start()].rstrip().endswith(own) for hit in listed):
                return True
            text, lines = _SYMBOL.sub(" ", text), (_SYMBOL.sub(" ", line) for line in lines)
        if len(needed) == 1 and (title or relation in _CUES):
            return _is_near(_FRAME.sub(" ", text), needed[0], cue, title, relation)
        return any(
            all(any(_has(line, form) for form in forms) for forms in needed) and cue.search(line) for line in lines
        )


def _forms(relation: str, *ends: str) -> set[str]:
    """The ways in which a passage may write an end of a fact."""
    forms = {fold_text(form) for end in ends for form in company_names(end)}
    if OFFICE.fullmatch(relation):
        forms = {_AFTER_NAME.sub("", _INITIAL.sub("", form)) for form in forms}
        forms |= {f"{first[0]}. {last}" for form in forms for first, _, last in [form.rpartition(" ")] if first}
    if relation == "is incorporated in":
        forms |= {fold_text(_OF_COUNTRY[end]) for end in ends if end in _OF_COUNTRY}
    if relation == _AUDITED:
        forms |= {form.replace(" & ", " and ") for form in forms}
    if relation == _TRADED:
        full = fold_text(" ".join(ends))
        forms |= {fold_text(canonical_exchange(full))}
        names = " ".join(forms)
        forms |= {short for short, name in (("nyse", "new york stock"), ("nasdaq", "nasdaq")) if name in names}
    if relation == "is headquartered in":
        forms |= {fold_text(other) for end in ends if (other := swap_state_form(end))}
        forms |= {re.sub(r" \d\d?$", "", form) for form in forms}  # "Dublin 2" is in Dublin
    if relation == "is based in":  # "PA" alone may be anything
        forms = {fold_text(STATES.get(end, end)) for end in ends}
    return forms


def _is_in_list(forms: Iterable[str], chunk: Chunk) -> bool:
    """Does a chunk have a list of subsidiaries, and a name in it, with or without a legal form?"""
    listed = _LISTED.search(chunk.section.rpartition(">")[2].strip()) is not None
    rows = []
    for line in chunk.text.splitlines():
        title = line.strip("#* ")
        if _LISTED.search(title) and len(title.split()) <= _TITLE_WORDS and not title.endswith("."):
            listed = True
        elif line.startswith("#"):
            listed = False
        elif listed:
            rows.append(fold_text(line))
    shortest = min(forms, key=len)
    # behind a dash or a stroke stands who holds it: "Orbit Inc. – Acme Inc. 75%/Astro Ltd. 25%"
    name = re.compile(rf"(?<![\w/-])(?<!\S [–—] ){re.escape(shortest)}(?:(?:,? (?:{_FORMS})\b\.?)+| ?(?:\||$))")
    return any(name.search(row) for row in rows)


def _is_spelled(forms: Iterable[str], text: str) -> bool:
    """Does a text have one of these names, as names are written: "Graphics", and not "computer graphics"?"""
    spelled = (re.search(rf"(?<!\w){re.escape(form)}(?!\w)", text, re.IGNORECASE) for form in forms)
    return any(not hit[0].islower() for hit in spelled if hit)


def _is_under_heading(parts: Iterable[str], wholes: Iterable[str], chunk: Chunk) -> bool:
    """Does a chunk name a part under the whole's own heading, or in a paragraph that begins with the whole's name?

    An item of a list may also begin with the part's name under a heading that has the whole's among other words.
    """
    item = re.compile(rf"[-*•] \W*(?:{'|'.join(map(re.escape, parts))})(?![\w-])")
    heading = fold_text(chunk.section.rpartition(">")[2].strip())
    for line in map(fold_text, chunk.text.splitlines()):
        heading = line if line.startswith("#") else heading
        title = _SEGMENT.sub("", heading.strip("#* "))
        named = any(_has(line, part) for part in parts) and line != heading
        if named and (title in wholes or any(re.match(rf"\W*{re.escape(whole)}\W*: ", line) for whole in wholes)):
            return True
        if item.match(line) and any(_has(heading, whole) for whole in wholes):
            return True
    return False


_SEGMENT = re.compile(r" ?\([^()]*\)$| (?:operating |reportable )?segment$")


def _address(fact: Triplet, company: str) -> re.Pattern[str] | None:
    """Where a company is to be written to: its name, street, town, state and code, of which the fact is one."""
    place = fact.object if fact.answer in ("", fact.subject) else fact.answer
    places = _forms(fact.relation, place)
    if fact.relation == "is based in":
        places |= {fold_text(other) for end in (fact.object, place) if (other := swap_state_form(end))}
    elif fact.relation not in (*_SEATED, "has principal executive offices at"):
        return None
    names, here = (
        "|".join(map(re.escape, sorted(forms))) for forms in (map(fold_text, company_names(company)), places)
    )
    town = r"[\w ,.]{0,40}?" if fact.relation.endswith(" at") else ",?"
    return re.compile(rf"(?<!\w)(?:{names})(?!\w).{{0,90}}?(?<!\w)(?:{here})(?!\w){town} \d{{5}}(?!\d)")


def _is_near(text: str, forms: Iterable[str], cue: re.Pattern[str], title: bool, relation: str) -> bool:
    """Does a text name one of these close to the cue? A title stands behind its holder's name, or right before it."""
    for before, name, after in _places(text, forms, _NEAR):
        if not title and cue.search(before + name + after) and not _is_of_others(relation, before, after):
            return True
        if title and (held := cue.search(after)) and not _ANOTHER.search(after[: held.start()]):
            return True
        if title and not _ANOTHER.search(after[:60]) and re.search(rf"(?:{cue.pattern}),? $", before):
            return True
    return False


def _places(text: str, forms: Iterable[str], near: int) -> Iterator[tuple[str, str, str]]:
    """Each of these names in a text, with so many characters before and behind it."""
    for form in forms:
        for hit in re.finditer(rf"(?<!\w){re.escape(form)}(?!\w)", text):
            yield text[max(0, hit.start() - near) : hit.start()], hit[0], text[hit.end() : hit.end() + near]


def _is_of_others(relation: str, before: str, after: str) -> bool:
    """Does a text name an exchange that lists something else, where other sites are, or a firm of one's past?"""
    if relation in _SEATED:
        return _OTHER_SITES.search(before) is not None
    if relation == _TRADED:
        return _INDEX.match(after) is not None or _OTHERS_TRADED.search(before) is not None
    return relation == _AUDITED and _worked_there(before, after)


def _worked_there(before: str, after: str) -> bool:
    """Does a text tell of who once worked for what it names? What signs or consents is no employer."""
    near = before[-_WORKED:] + after[:_WORKED]
    return bool(_PERSON.search(near)) and not re.search(r"/s/|\bconsents? of\b", before[-_WORKED:])


_WORKED = 100  # characters between a name and a word for who worked there
_PERSON = re.compile(r"\b(?:he|she|mr|ms|mrs|joined|joining|career|former|formerly|previously|partner at)\b")
_ANOTHER = re.compile(r"/s/|\bofficer\b")  # another's signature, another title


@lru_cache(1 << 12)
def _cue(relation: str) -> re.Pattern[str] | None:
    """What a sentence must say so that it states a relation; None where no word of the relation tells anything."""
    if relation in _CUES:
        return re.compile(_CUES[relation])
    if office := OFFICE.fullmatch(relation):
        title = office[1]
        if not title.startswith("chief"):
            return re.compile(rf"(?<!vice )\b{re.escape(title)}\b")
        short = "".join(word[0] for word in title.split() if word != "and")
        return re.compile(rf"\b(?:chief|principal) {re.escape(title.removeprefix('chief '))}\b|\b{short}\b")
    if relation == "is part of":
        return re.compile(_WHOLE)
    roots = [
        root(word) for word in words(relation) if stem(word) not in NOTHING and len(word) > 3 and word not in _FILLERS
    ]
    # a directory does not direct, nor is an inventory an invention; of many words one alone ("beverage") says little
    said = [rf"\b{re.escape(one)}(?!\w*or(?:y|ies)\b)" for one in dict.fromkeys(roots)]
    if len(said) < 3:
        return re.compile("|".join(said)) if said else None
    enough = combinations(said, (len(said) + 1) // 2)
    return re.compile("|".join(r"\A" + "".join(f"(?=.*?{one})" for one in some) for some in enough), re.DOTALL)


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
