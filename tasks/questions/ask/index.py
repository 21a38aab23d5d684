"""Look-ups over the whole corpus: who else has a fact, where names stand, whether a pivot is unique (RARE R19)."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise

from rarefy.data_contracts.rows import Chunk, Document, Fact, Span, Triplet
from rarefy.tasks.corpus.places import PlaceIndex, join_names
from rarefy.tasks.knowledge.extract.cell_names import read_cell_name
from rarefy.tasks.knowledge.extract.periods import fiscal_year
from rarefy.tasks.knowledge.graph.facts import is_member
from rarefy.tasks.questions.ask.aliases import company_names, short_name
from rarefy.tasks.questions.rivals import Rivals
from rarefy.tasks.text.names import plain, without_form
from rarefy.tasks.text.stems import stems


@dataclass(slots=True)
class CorpusIndex:
    """Look-ups over every accepted triplet of a corpus, not only those on paths."""

    triplets: Mapping[str, Triplet]
    chunks: Mapping[str, Chunk]
    documents: Mapping[str, Document]
    subjects: dict[tuple[str, str], set[str]] = field(default_factory=dict)  # (relation, object) → subjects
    objects: dict[tuple[str, str], set[str]] = field(default_factory=dict)  # (subject, relation) → objects
    facts: dict[tuple[str, str], list[Triplet]] = field(default_factory=dict)  # (subject, relation) → triplets
    tagged: dict[tuple[str, str], list[Triplet]] = field(default_factory=dict)  # (subject, concept) → triplets
    restated: dict[tuple[str, str, str], list[Triplet]] = field(default_factory=dict)  # fact → what it superseded
    filers: dict[tuple[str, str, str], list[Triplet]] = field(
        default_factory=dict
    )  # (concept, unit, period) → those of whole companies
    traits: dict[str, list[Triplet]] = field(default_factory=dict)  # subject → facts on its documents' covers
    _called: Counter[str] = field(default_factory=Counter)  # short name → companies with it
    keys: dict[str, str] = field(default_factory=dict)  # entity → its key as a subject
    figures: dict[tuple[str, str, str], list[Triplet]] = field(
        default_factory=dict
    )  # (chunk, relation, period) → parts'
    _texts: dict[str, list[str]] = field(default_factory=dict)  # entity → its documents, folded
    _mentioning: dict[str, set[str]] = field(default_factory=dict)
    _by_document: dict[str, list[Chunk]] = field(default_factory=dict)
    _stems: dict[str, frozenset[str]] = field(default_factory=dict)  # by chunk
    _spelled: dict[tuple[str, str], bool] = field(default_factory=dict)  # whether a document has a word
    _paragraphs: dict[str, list[tuple[str, frozenset[str]]]] = field(default_factory=dict)  # by document
    _naming: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _places: dict[str, PlaceIndex] = field(default_factory=dict)
    _facts: dict[str, dict[tuple[str, str], list[Fact]]] = field(default_factory=dict)  # numbers, by document and time
    _about: dict[str, list[Document]] = field(default_factory=dict)  # by company
    _rivals: Rivals | None = None
    _cells: dict[str, list[Triplet]] = field(default_factory=dict)  # of tables without tags, by their labels, folded
    _folded: dict[str, str] = field(default_factory=dict)  # the texts of chunks
    _with_thing: dict[str, list[str]] = field(default_factory=dict)  # what a cell is of → chunks with its words
    _titles: Counter[str] = field(default_factory=Counter)  # of tables and of documents → how many bear it

    @property
    def rivals(self) -> Rivals:
        """Which facts of other things could be taken for an answer."""
        if self._rivals is None:
            self._rivals = Rivals(self.triplets.values())
        return self._rivals

    def call(self, entity: str) -> str:
        """A company as people call it, unless another in the corpus is called so too."""
        if not self._called:
            self._called = Counter(short_name(name) for name in {d.entity for d in self.documents.values()} if name)
        short = short_name(entity)
        return short if self._called[short] < 2 else entity

    def write_small(self, text: str, doc_id: str) -> str:
        """A text without the capitals of headings: "Converse" for "CONVERSE" where its document has that, too."""
        document = self.documents[doc_id]

        def small(word: re.Match[str]) -> str:
            spelled = word[0].capitalize()
            if any(word[0] in other.entity for other in self.documents.values()):
                return word[0]  # a company's name, here or beside it
            if (doc_id, spelled) not in self._spelled:
                self._spelled[doc_id, spelled] = re.search(rf"\b{spelled}\b", document.text) is not None
            return spelled if self._spelled[doc_id, spelled] else word[0]

        return re.sub(r"\b[A-Z]{4,}\b", small, text)

    def place_of(self, span: Span) -> str:
        """Where in its source a span of a chunk stands; "" where the source has no places."""
        chunk = self.chunks[span.chunk_id]
        if not chunk.place:
            return ""
        if chunk.doc_id not in self._places:
            self._places[chunk.doc_id] = PlaceIndex(self.documents[chunk.doc_id].places)
        return self._places[chunk.doc_id].name(chunk.start + span.start, chunk.start + span.end)

    def documents_about(self, entity: str) -> Sequence[Document]:
        """The documents of a company."""
        if not self._about:
            for document in self.documents.values():
                self._about.setdefault(document.entity, []).append(document)
        return self._about.get(entity, ())

    def fiscal_year_label(self, triplet: Triplet) -> str:
        """ "fiscal year 2024" for a balance on its last day, a day that may be one company's alone; "" for others."""
        if triplet.period_start or not triplet.period_end:
            return ""
        year = fiscal_year(date.fromisoformat(triplet.period_end), self.documents[triplet.doc_id])
        return f"fiscal year {year}" if year else ""

    def year_of(self, triplet: Triplet) -> str:
        """The period of a figure, of a balance the year that its day ends."""
        return self.fiscal_year_label(triplet) or triplet.period

    def cells_like(self, cell: Triplet) -> list[Triplet]:
        """The cells of other tables that give another thing for what a cell of a table without tags says, or may."""
        if not self._cells:
            for triplet in self.triplets.values():
                if triplet.subject_type == "TABLE" and (name := read_cell_name(triplet.relation)):
                    for label in {name.row.casefold(), name.column.casefold()} - {""}:
                        self._cells.setdefault(label, []).append(triplet)
        own = read_cell_name(cell.relation)
        asked = set(stems(own.measure)) if own else set()
        found = []
        for other in self._cells.get(own.thing.casefold(), ()) if own else ():
            same_table = (other.chunk_id, other.header_start) == (cell.chunk_id, cell.header_start)
            name = read_cell_name(other.relation)
            said = f"{name.row} {name.column}".casefold().replace(own.thing.casefold(), " ") if name and own else ""
            if not same_table and other.answer != cell.answer and asked & set(stems(said)):
                found.append(other)
        return found

    def may_be_said_elsewhere(self, cell: Triplet) -> bool:
        """Whether a passage outside a cell's table has the words for its thing and its measure, but not its answer."""
        name = read_cell_name(cell.relation)
        asked = set(stems(name.measure)) if name else set()
        thing = name.thing.casefold() if name else ""
        if thing not in self._with_thing:
            self._folded = self._folded or {key: chunk.text.casefold() for key, chunk in self.chunks.items()}
            self._with_thing[thing] = [key for key, text in self._folded.items() if thing in text]
        return any(
            asked <= self.stems_of(key) and cell.answer not in self.chunks[key].text
            for key in self._with_thing[thing]
            if key != cell.chunk_id
        )

    def has_one_document(self, cell: Triplet) -> bool:
        """Whether no other document bears the title of a cell's."""
        return self._count_titles()[self.documents[cell.doc_id].title] < 2

    def has_one_table(self, cell: Triplet) -> bool:
        """Whether no other table's name begins as that of a cell's."""
        return self._count_titles()[cell.subject.partition("” in “")[0].strip("“”")] < 2

    def _count_titles(self) -> Counter[str]:
        if not self._titles:
            tables = {(t.subject, t.doc_id) for t in self.triplets.values() if t.subject_type == "TABLE"}
            self._titles = Counter(subject.partition("” in “")[0].strip("“”") for subject, _ in tables)
            self._titles += Counter(document.title for document in self.documents.values())
        return self._titles

    def chunks_of(self, doc_id: str) -> Sequence[Chunk]:
        """The chunks of a document, in order."""
        return self._by_document.get(doc_id, ())

    def facts_of_time(self, doc_id: str, start: str, end: str) -> Sequence[Fact]:
        """The tagged numbers of a document that are of one period."""
        if doc_id not in self._facts:
            times = self._facts[doc_id] = {}
            for fact in self.documents[doc_id].facts:
                if re.fullmatch(r"-?\d+(?:\.\d+)?", fact.value):
                    times.setdefault((fact.period_start, fact.period_end), []).append(fact)
        return self._facts[doc_id].get((start, end), ())

    def stems_of(self, chunk_id: str) -> frozenset[str]:
        """The stems of all words of a chunk."""
        if chunk_id not in self._stems:
            self._stems[chunk_id] = frozenset(stems(self.chunks[chunk_id].text))
        return self._stems[chunk_id]

    def paragraphs_of(self, doc_id: str) -> list[tuple[str, frozenset[str]]]:
        """The paragraphs of a document with their stems, a table together with what stands before it."""
        if doc_id not in self._paragraphs:
            parts = re.split(r"\n\s*\n", self.documents[doc_id].text)
            led = (
                f"{before}\n{part}" if part.lstrip().startswith("|") else part
                for before, part in pairwise(["", *parts])
            )
            self._paragraphs[doc_id] = [(text, frozenset(stems(text))) for text in led]
        return self._paragraphs[doc_id]

    def chunks_naming(self, entity: str) -> tuple[str, ...]:
        """The chunks of others' documents that name a company, with or without its legal form."""
        if entity not in self._naming:
            name = re.compile(rf"(?<!\w){re.escape(without_form(entity))}(?!\w)")
            others = (chunk for chunk in self.chunks.values() if chunk.entity != entity)
            self._naming[entity] = tuple(chunk.chunk_id for chunk in others if name.search(chunk.text))
        return self._naming[entity]

    def entities_mentioning(self, words: str) -> set[str]:
        """The entities whose documents contain these words anywhere, exhibits included."""
        if words not in self._mentioning:
            if not self._texts:
                for document in self.documents.values():
                    text = re.sub(r"\s+", " ", document.text).casefold()
                    self._texts.setdefault(document.entity, []).append(text)
            folded = re.sub(r"\s+", " ", words).casefold()
            self._mentioning[words] = {
                entity for entity, texts in self._texts.items() if any(folded in t for t in texts)
            }
        return self._mentioning[words]

    def chunks_stating(self, fact: Triplet) -> list[str]:
        """The chunks from which a fact was read."""
        facts = self.facts.get((subject_of(fact), relation_of(fact)), ())
        return sorted({other.chunk_id for other in facts if object_of(other) == object_of(fact)})

    def find_name(self, document: Document, among: Iterable[str]) -> Span | None:
        """The line with the name of a document's entity in one of these chunks; None for nowhere.

        A passage that only spells the name somewhere else (lawsuits, a savings plan) says nothing of what is asked.
        """
        own = [name for name in among if self.chunks[name].doc_id == document.doc_id]
        forms = (document.entity, document.entity.upper())  # some print it in capitals alone
        lines = (_line_with(self.chunks[name], form) for form in forms for name in own)
        return next(filter(None, lines), None)

    def cover_of(self, document: Document) -> list[str]:
        """The chunks with a document's first words, and with what its cover says of its entity."""
        first = [chunk.chunk_id for chunk in self._by_document.get(document.doc_id, ())[:1]]
        traits = [t for t in self.traits.get(self.keys.get(document.entity, ""), ()) if t.doc_id == document.doc_id]
        return first + sorted({t.chunk_id for t in traits}, key=lambda name: (self.chunks[name].start, name))[:1]

    def has_several(self, fact: Triplet) -> bool:
        """Whether its subject stands in the same relation to several things."""
        return len(self.objects.get((subject_of(fact), relation_of(fact)), ())) > 1

    def may_hold(self, fact: Triplet) -> set[str]:
        """The keys of all of whom a fact may hold: who has it, and whose documents speak of its object elsewhere.

        What was not read is unknown: a filer whose cover says "capital stock" may be listed where its text says so.
        Of what a company has one of (a state, an auditor), having another one says no.
        """
        relation = relation_of(fact)
        mentioning = {self.keys.get(name, name) for name in self.entities_mentioning(_spoken(fact.object))}
        if relation not in _SEVERAL:
            mentioning = {key for key in mentioning if (key, relation) not in self.objects}
        return self.subjects[relation, object_of(fact)] | mentioning

    def share_a_chunk(self, facts: Sequence[Triplet]) -> bool:
        """Whether one chunk has the passages of all these facts, the overlap of chunks counted."""
        return bool(set.intersection(*(self._holding(fact) for fact in facts)))

    def _holding(self, fact: Triplet) -> set[str]:
        own = self.chunks[fact.chunk_id]
        start, end = own.start + fact.start, own.start + fact.end
        around = (c for c in self._by_document[own.doc_id] if c.start <= start and end <= c.end)
        said = {c.chunk_id for c in around if c.text[start - c.start : end - c.start] == fact.source_sentence}
        return said | {own.chunk_id}


# Relations that a company may have to several things; of others, one answer rules out another
_SEVERAL = frozenset(("is listed on", "acquired", "completed acquisition of", "completed divestiture of"))


def _spoken(name: str) -> str:
    """A name as prose writes it: an auditor without its legal form."""
    return min(company_names(name), key=len)


def places_of_evidence(spans: Sequence[Span], used: Iterable[Triplet], index: CorpusIndex) -> tuple[str, ...]:
    """The place of each span in its source: of a fact's, where its answer stands; none at all where no span has one."""
    of_facts: dict[Span, list[str]] = {}
    for triplet in used:
        of_facts.setdefault(Span(triplet.chunk_id, triplet.start, triplet.end), []).append(triplet.place)
    found = tuple(join_names(filter(None, of_facts.get(span, ()))) or index.place_of(span) for span in spans)
    return found if any(found) else ()


def subject_of(triplet: Triplet) -> str:
    return triplet.subject_key or triplet.subject


def object_of(triplet: Triplet) -> str:
    """The thing at a fact's end; of auditors the network, whose firms are of several countries and forms."""
    if triplet.relation == "is audited by":
        return plain(without_form(triplet.object))
    return triplet.object_key or triplet.object


def relation_of(triplet: Triplet) -> str:
    return triplet.relation_key or triplet.relation


def fact_of(triplet: Triplet) -> tuple[str, str, str]:
    return subject_of(triplet), relation_of(triplet), object_of(triplet)


def _current_fact(triplet: Triplet, triplets: Mapping[str, Triplet]) -> Triplet:
    """The last fact in the chain that superseded this one."""
    while triplet.superseded_by:
        triplet = triplets[triplet.superseded_by]
    return triplet


def build_index(
    triplets: Mapping[str, Triplet], chunks: Mapping[str, Chunk], documents: Mapping[str, Document]
) -> CorpusIndex:
    """The index of a corpus, for all its questions."""
    index = CorpusIndex(triplets, chunks, documents)
    for triplet in triplets.values():
        if triplet.superseded_by:
            index.restated.setdefault(fact_of(_current_fact(triplet, triplets)), []).append(triplet)
        if triplet.rejected_because:
            continue
        subject, relation, thing = subject_of(triplet), relation_of(triplet), object_of(triplet)
        index.subjects.setdefault((relation, thing), set()).add(subject)
        index.objects.setdefault((subject, relation), set()).add(thing)
        index.facts.setdefault((subject, relation), []).append(triplet)
        if triplet.concept:
            index.tagged.setdefault((subject, triplet.concept), []).append(triplet)
            if triplet.subject == triplet.entity:
                index.filers.setdefault((triplet.concept, triplet.unit, triplet.period), []).append(triplet)
        if triplet.subject == triplet.entity:
            index.keys.setdefault(triplet.entity, subject)
        if is_member(triplet) and triplet.value:
            index.figures.setdefault((triplet.chunk_id, relation, triplet.period), []).append(triplet)
        if triplet.method == "cover" and triplet.subject == triplet.entity and not triplet.value:
            index.traits.setdefault(subject, []).append(triplet)
    for chunk in sorted(chunks.values(), key=lambda c: (c.doc_id, c.start)):
        index._by_document.setdefault(chunk.doc_id, []).append(chunk)
    return index


def _line_with(chunk: Chunk, name: str) -> Span | None:
    at = chunk.text.find(name) if name else -1
    if at < 0:
        return None
    left = chunk.text.rfind("\n", 0, at) + 1
    right = chunk.text.find("\n", at)
    return Span(chunk.chunk_id, left, len(chunk.text) if right < 0 else right)


def leads_elsewhere(pattern: str, facts: Sequence[Triplet], target: Triplet, index: CorpusIndex) -> bool:
    """Whether the same relations lead from what is given to a second answer through another pivot.

    A model may describe a pivot better than its relation does ("the largest segment", where the fact says "has
    segment"), which nobody can check here: such a question is given up with the others. Inverted stars are the gate's.
    """
    if pattern == "chain":
        return _chain_leads_elsewhere(facts, target, index)
    if pattern == "star":
        clues = [fact for fact in facts if fact != target]
        others = set.intersection(*(index.subjects[relation_of(c), object_of(c)] for c in clues))
        return any(
            _differs(f, target) for other in others for f in index.facts.get(_subject_relation(other, target), ())
        )
    return False


def _chain_leads_elsewhere(facts: Sequence[Triplet], target: Triplet, index: CorpusIndex) -> bool:
    *links, last = facts
    if target == last:
        if any(index.has_several(link) for link in links):
            return True  # one of several competitors: nobody has read what is said of the others
        reached = {subject_of(facts[0])}
        for link in links:
            reached = {thing for name in reached for thing in index.objects.get(_subject_relation(name, link), ())}
        return any(
            _differs(fact, last) for name in reached for fact in index.facts.get(_subject_relation(name, last), ())
        )
    reached = {object_of(last)}
    for link in reversed(facts[1:]):
        reached = {name for thing in reached for name in index.subjects.get((relation_of(link), thing), ())}
    heads = {head for thing in reached for head in index.subjects.get((relation_of(target), thing), ())}
    return len(heads) > 1


def _subject_relation(name: str, fact: Triplet) -> tuple[str, str]:
    return name, relation_of(fact)


def _differs(fact: Triplet, target: Triplet) -> bool:
    """Whether a fact of the same relation and time says another thing."""
    if (fact.unit, _time_of(fact)) != (target.unit, _time_of(target)):
        return False
    return object_of(fact) != object_of(target) and (not fact.value or fact.value != target.value)


def _time_of(fact: Triplet) -> str:
    """The time of a fact; "" where it says none: then it holds until a later document says another thing."""
    return fact.period_end or fact.period
