"""Collect what noise can be made of for each question: other passages and other values (Magic Mushroom §3.2-3.3)."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice

from rarefy.data_contracts.rows import Chunk, Pool, Question, Swap, Triplet, row_id
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.context.other_values import (
    ENTITY,
    Value,
    ValueIndex,
    classify_answer,
    find_listed_names,
    find_namesakes,
    find_other_rates,
    find_other_states,
    find_replacements,
    index_answers,
    index_triplets,
    invent_counts,
    invent_figures,
    is_distinct,
    is_figure_kind,
    is_security,
    object_kinds,
    signless_value,
    subject_kind,
)
from rarefy.tasks.perturb.context.swaps import parse_amount
from rarefy.tasks.perturb.passages import split_passages
from rarefy.tasks.questions.operands import as_passages_state_it
from rarefy.tasks.text.notations import Number, contains_answer, find_numbers, is_same_number, parse_only_number

VERSION = 12  # persons asked for by their trade, and decades, get others too

SPARE = 4  # candidates for each passage wanted: some hold the answer, some say nothing
POINTS = 8  # of a document on the hash ring, so that documents are drawn about evenly
STATED = 40  # counterfacts of a question, at most

_NONE: Mapping[str, Triplet] = {}


def draw(
    questions: Iterable[Question],
    config: PerturbConfig,
    *,
    chunks: Mapping[str, Chunk],
    triplets: Mapping[str, Triplet] = _NONE,
) -> Iterator[Pool]:
    """A pool for each accepted question but absences, in their order, which does not affect the pools.

    None of a pool's passages states the answer: no alternative of a gold chunk, and nothing about the same entity, for
    a name nothing at all, that has it in any notation.
    Neighbours are the chunks within `config.reach` of a gold one in its document, nearest first. Strangers are chunks
    of other documents, drawn by consistent hashing (hashes of the question on a ring of hashed documents and chunks),
    so that a new document changes few of them. Swaps come from `triplets` or, for a question without any, from other
    questions' answers and names listed beside its own; figures without a like are made up and have no source.
    KeyError where a question's chunk is not among `chunks`.
    """
    accepted = [as_passages_state_it(q) for q in questions if not q.rejected_because and q.pattern != "absent"]
    wanted = max(config.pools.values(), default=0)
    around = _ChunkIndex(chunks, config.passage)
    beside = {} if triplets else find_listed_names(chunks[name].text for name in sorted(chunks))
    known = _SwapFinder(index_triplets(triplets.values()), index_answers(accepted), beside, triplets, SPARE * wanted)
    stated: dict[str, list[Triplet]] = defaultdict(list)
    for triplet in triplets.values():
        if not triplet.rejected_because and triplet.answer.strip():
            stated[triplet.chunk_id].append(triplet)
    for question in accepted:
        neighbours = around.neighbours(question, config.reach)
        yield Pool(
            pool_id=row_id("pool", question.question_id),
            question_id=question.question_id,
            neighbours=neighbours,
            strangers=around.strangers(question, SPARE * wanted),
            swaps=tuple(known.swaps(question)),
            counterfacts=tuple(islice(known.counterfacts(question, neighbours, stated), STATED)),
        )


class _ChunkIndex:
    """The chunks by their position in documents and on the hash ring."""

    def __init__(self, chunks: Mapping[str, Chunk], words: int) -> None:
        self.chunks = chunks
        self.words = words
        self.documents: dict[str, list[str]] = defaultdict(list)
        for chunk in sorted(chunks.values(), key=lambda c: (c.doc_id, c.start, c.end, c.chunk_id)):
            self.documents[chunk.doc_id].append(chunk.chunk_id)
        self.place = {name: i for names in self.documents.values() for i, name in enumerate(names)}
        self.of_entity: dict[str, set[str]] = defaultdict(set)
        for chunk in chunks.values():
            self.of_entity[chunk.entity].add(chunk.doc_id)
        self.ring = sorted((row_id("document", name, i), name) for name in self.documents for i in range(POINTS))
        self.numbers: dict[str, dict[str, set[Number]]] = {}  # of the chunks that were looked at, by first digit
        self.rings: dict[str, list[tuple[str, str]]] = {}

    def neighbours(self, question: Question, reach: int) -> tuple[str, ...]:
        gold = question.stating
        found: dict[str, int] = {}
        for chunk_id in question.chunk_ids:
            names, at = self.documents[self.chunks[chunk_id].doc_id], self.place[chunk_id]
            for i in range(max(0, at - reach), min(len(names), at + reach + 1)):
                if names[i] not in gold and not self.holds_answer(question, names[i]):
                    found[names[i]] = min(found.get(names[i], reach), abs(i - at))
        order = sorted(found, key=lambda name: (found[name], self.chunks[name].doc_id, self.place[name]))
        return tuple(order)

    def strangers(self, question: Question, wanted: int) -> tuple[str, ...]:
        gold = {self.chunks[name].doc_id for name in question.chunk_ids}
        whose = {self.chunks[name].entity for name in question.chunk_ids} - {""}
        own = gold | {name for entity in sorted(whose) for name in self.of_entity[entity]}
        gold = own if len(own) < len(self.documents) else gold  # other reports of the entity are not off the topic
        if len(self.documents) <= len(gold):
            return ()
        every = question.stating
        found: dict[str, None] = {}
        for i in range(3 * wanted):  # draws may repeat or have no passage
            if len(found) == wanted:
                break
            at = bisect_left(self.ring, (row_id(question.question_id, i), ""))
            places = (self.ring[(at + j) % len(self.ring)][1] for j in range(len(self.ring)))
            ring = self._of_document(next(name for name in places if name not in gold))
            if ring:
                at = bisect_left(ring, (row_id(question.question_id, i, "chunk"), ""))
                name = ring[at % len(ring)][1]
                if name not in every and not self.holds_answer(question, name):
                    found.setdefault(name)
        return tuple(found)

    def holds_answer(self, question: Question, chunk_id: str) -> bool:
        """Whether a passage has the answer: a name, or a figure about whom it is asked."""
        chunk = self.chunks[chunk_id]
        if parse_only_number(question.answer) is None:
            return contains_answer(chunk.text, question.answer, question.aliases)
        if chunk.entity and chunk.entity not in {self.chunks[name].entity for name in question.chunk_ids}:
            return False
        if chunk_id not in self.numbers:
            self.numbers[chunk_id] = defaultdict(set)
            for number in find_numbers(chunk.text):
                self.numbers[chunk_id][number.figures[0]].add(number)
        sought = set(filter(None, map(parse_only_number, (question.answer, *question.aliases))))
        # no two that begin otherwise are the same
        return any(is_same_number(one, other) for one in sought for other in self.numbers[chunk_id][one.figures[0]])

    def _of_document(self, document: str) -> list[tuple[str, str]]:
        """The chunks of a document with passages, as a hash ring."""
        if document not in self.rings:
            telling = [name for name in self.documents[document] if split_passages(self.chunks[name].text, self.words)]
            self.rings[document] = sorted((row_id("chunk", name), name) for name in telling)
        return self.rings[document]


class _SwapFinder:
    """Finds values that can replace others."""

    def __init__(
        self,
        stated: ValueIndex,
        answered: ValueIndex,
        beside: Mapping[str, tuple[str, ...]],
        triplets: Mapping[str, Triplet],
        wanted: int,
    ) -> None:
        self.stated, self.answered, self.beside = stated, answered, beside
        self.triplets, self.wanted = triplets, wanted
        self.figures: dict[str, tuple[Swap, ...]] = {}  # swaps of answers, by triplet
        self.fact_swaps: dict[str, tuple[Swap, ...]] = {}  # of neighbours' facts, by triplet

    def swaps(self, question: Question) -> Iterator[Swap]:
        """Swaps of the answer, then of what else leads to it in the gold passages."""
        own = [self.triplets[name] for name in question.triplet_ids if name in self.triplets]
        answers = [t for t in own if t.answer == question.answer]
        subjects = [t for t in own if t.subject == question.answer and t.subject != t.entity]
        if answers:
            yield from self._of_answer(question, answers[-1])
        elif subjects:
            value = Value(question.answer, None, subjects[-1].entity, subjects[-1].triplet_id, subjects[-1].subject_key)
            name = subjects[-1].subject_type or "NAME"  # some have no type
            found = find_replacements(self.stated, value, [subject_kind(subjects[-1])], name, question.aliases)
            yield from islice(found, self.wanted)
        elif question.answer in {t.entity for t in own}:
            value = Value(question.answer, None, "", "", question.answer)
            found = find_replacements(self.stated, value, [ENTITY], "ORG", question.aliases, question.text)
            yield from islice(found, self.wanted)
        else:
            yield from islice(self._by_shape(question), self.wanted)
        links = (swap for t in own if t not in answers for swap in self._of_link(question, t))
        yield from {(swap.old, swap.new): swap for swap in links if swap.old != question.answer}.values()

    def _of_answer(self, question: Question, triplet: Triplet) -> Iterable[Swap]:
        """Swaps of the answer in a triplet; those of a figure are found once for all its questions."""
        if not triplet.value:
            return self._for(triplet, question)
        if triplet.triplet_id not in self.figures:
            self.figures[triplet.triplet_id] = tuple(self._for(triplet, question))
        return self.figures[triplet.triplet_id]

    def _for(self, triplet: Triplet, question: Question) -> Iterator[Swap]:
        value = Value(
            triplet.answer,
            signless_value(triplet),
            triplet.subject_key or triplet.subject,
            triplet.triplet_id,
            triplet.object_key or triplet.object,
        )
        name = triplet.object_type or "NAME"
        found = chain(
            find_replacements(self.stated, value, object_kinds(triplet), name, question.aliases, question.text),
            find_other_states(triplet.answer, name),
            invent_figures(triplet.answer, question.aliases, name, triplet.triplet_id) if value.amount else (),
        )
        yield from islice(_deduplicate(found), self.wanted)

    def _by_shape(self, question: Question) -> Iterator[Swap]:
        kind = classify_answer(question.answer, question.text)
        if not kind or not is_figure_kind(kind):
            yield from self._beside(question)
        if not kind:
            yield from invent_counts(question.answer, "NUMBER", question.question_id)
            return
        if kind == "NAME who":
            yield from find_namesakes(
                self.answered, question.answer, question.aliases, question.text, question.question_id
            )
            return
        number = parse_amount(question.answer) if is_figure_kind(kind) else None
        value = Value(question.answer, number, question.question_id, question.question_id)
        name = kind.partition(" ")[0]
        yield from _deduplicate(
            chain(
                # another year may be of another age: only those that are made up are near
                find_replacements(self.answered, value, [(kind,)], name, question.aliases, question.text)
                if name != "DATE"
                else (),
                find_other_states(question.answer, name),
                invent_figures(question.answer, question.aliases, name, question.question_id)
                if number or name == "DATE"
                else (),
            )
        )

    def _beside(self, question: Question) -> Iterator[Swap]:
        """Swaps for names listed with the answer, but for those in the question."""
        names = self.beside.get(question.answer.strip(), ())
        for name in sorted(names, key=lambda n: row_id(question.answer, n)):
            asked = name.casefold() in question.text.casefold()
            if not asked and is_distinct(name, question.answer, question.aliases):
                yield Swap(question.answer, name, "NAME")

    def _of_link(self, question: Question, triplet: Triplet) -> Iterator[Swap]:
        """Swaps of what leads to the answer, so that it leads elsewhere."""
        own, named = triplet.subject_key or triplet.subject, triplet.object_key or triplet.object
        ends = (
            (
                triplet.answer,
                signless_value(triplet),
                own,
                named,
                object_kinds(triplet)[:1],
                triplet.object_type or "NAME",
            ),
            (triplet.subject, None, triplet.entity, own, [subject_kind(triplet)], triplet.subject_type or "NAME"),
        )
        for text, number, owner, key, of, name in ends:
            if text and text != question.entity and text in triplet.source_sentence:
                if is_security(text):  # its symbol and year are beside it and fit no other security
                    yield from islice(find_other_rates(text, name), self.wanted)
                    continue
                value = Value(text, number, owner, triplet.triplet_id, key)
                found = chain(
                    find_replacements(self.stated, value, of, name, (), question.text), find_other_states(text, name)
                )
                kept = (s for s in found if not contains_answer(s.new, question.answer, question.aliases))
                yield from islice(_deduplicate(kept), self.wanted)

    def counterfacts(
        self, question: Question, neighbours: Iterable[str], stated: Mapping[str, list[Triplet]]
    ) -> Iterator[Swap]:
        """Two swaps at most of each fact that the neighbours state."""
        forms = (question.answer, question.aliases)
        for triplet in (t for name in neighbours for t in stated.get(name, ())):
            name = triplet.object_type or "NAME"
            if triplet.triplet_id not in self.fact_swaps:
                value = Value(
                    triplet.answer, signless_value(triplet), triplet.subject_key or triplet.subject, triplet.triplet_id,
                    triplet.object_key or triplet.object,
                )  # fmt: skip
                found = find_replacements(self.stated, value, object_kinds(triplet)[:1], name)
                self.fact_swaps[triplet.triplet_id] = tuple(islice(_deduplicate(found), 2))
            yield from (s for s in self.fact_swaps[triplet.triplet_id] if not contains_answer(s.new, *forms))


def _deduplicate(swaps: Iterable[Swap]) -> Iterator[Swap]:
    seen: set[str] = set()
    for swap in swaps:
        if swap.new not in seen:
            seen.add(swap.new)
            yield swap
