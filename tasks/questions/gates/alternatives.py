"""Find every other passage that states what a question's gold passages state, so that it is gold as well.

A fact is the same where entity, value, unit, period and subject are, in whatever label and notation: another triplet of
the corpus, a row of a table or a sentence. A name is stated by a sentence that says both ends of the fact and how they
hang together; a passage that only spells it is none.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal

from rarefy.data_contracts.rows import MULTI_HOP, Chunk, Question, Triplet
from rarefy.tasks.knowledge.graph.years import is_through_year
from rarefy.tasks.questions.gates.changes import Change
from rarefy.tasks.questions.gates.figures import is_figure, is_net_income, is_of_one_column
from rarefy.tasks.questions.gates.index import Figures
from rarefy.tasks.questions.gates.measure_words import telling
from rarefy.tasks.questions.gates.names import Names
from rarefy.tasks.questions.gates.precision import ANY, Precision, have_grown, precisions
from rarefy.tasks.questions.gates.shares import Share
from rarefy.tasks.questions.gates.statements import moments_in, told_by
from rarefy.tasks.questions.operands import operation_of

Lists = tuple[tuple[str, ...], ...]


class Alternatives:
    """What the chunks of a corpus state, each fact looked up once."""

    def __init__(self, chunks: Mapping[str, Chunk], triplets: Mapping[str, Triplet]) -> None:
        self.chunks, self.triplets = chunks, triplets
        self.figures, self.names = Figures(chunks), Names(chunks, triplets.values())
        self.of_document: dict[str, list[Chunk]] = defaultdict(list)
        for name in sorted(chunks):
            self.of_document[chunks[name].doc_id].append(chunks[name])
        self.same: dict[tuple[str, ...], list[Triplet]] = defaultdict(list)
        self.of_measure: dict[tuple[str, ...], list[Triplet]] = defaultdict(list)
        for triplet in triplets.values():
            if triplet.value and triplet.chunk_id in chunks:
                self.same[_figure_key(triplet)].append(triplet)
                if is_figure(triplet) and not _is_column_of_another(triplet):
                    self.of_measure[_measure_key(triplet)].append(triplet)
        self.known: dict[tuple[str, Precision], frozenset[str]] = {}

    def find(self, questions: Iterable[Question]) -> dict[str, tuple[Lists, Lists]]:
        """By question id, what `Question.alternatives` and `Question.parts` hold.

        For each of its gold chunks the chunks that state all that it states for the question; and, where others state
        only some of its facts, for each of these facts the gold chunk and the others. What states a change or a share
        states its operands.

        Another gold chunk of the question may be among the first: then it needs fewer chunks than it has. Questions
        without any are left out.
        """
        found: dict[str, tuple[Lists, Lists]] = {}
        for question in questions:
            facts = self._facts(question)
            computed, clues = self._state_computed(question, facts), _clues_to_year(question, facts)
            settling, moves = self._settle_year(clues), self._state_moves(question, facts)
            needed = precisions(question, facts)
            whole: list[tuple[str, ...]] = []
            parts: list[tuple[str, ...]] = []
            for chunk_id in question.chunk_ids:
                here = [fact for fact in facts if fact.chunk_id == chunk_id]
                sets = [
                    self._at_its_time(question, fact, self.state(fact, needed.get(fact.triplet_id, ANY)))
                    | moves.get(fact.triplet_id, frozenset())
                    for fact in here
                ]
                if here and all(fact in clues for fact in here):
                    sets = [one | settling for one in sets]
                all_of_it = frozenset.intersection(*sets) | computed if sets else self._name_beside(question, facts)
                whole.append(tuple(sorted(all_of_it - {chunk_id})))
                if frozenset().union(*sets) - all_of_it - {chunk_id}:
                    parts += ((chunk_id, *sorted(one - {chunk_id})) for one in sets)
            if any(whole) or parts:
                found[question.question_id] = tuple(whole), tuple(dict.fromkeys(parts))
        return found

    def is_unclear(self, question: Question) -> bool:
        """May a passage that is neither gold nor an alternative state a fact, or what is computed from facts?"""
        if question.pattern == "absent":  # what is beside the answer that the corpus has not
            return False
        known = question.stating
        facts = [fact for fact in self._facts(question) if fact.chunk_id in self.chunks]
        if any(name not in known for name in self._may_state_computed(question, facts)):
            return True
        needed = precisions(question, facts)
        return any(
            name not in known and name not in self.state(fact)  # what is too rounded to reckon with is clear, too
            for fact in facts
            for name in self._may_state(fact, question, needed.get(fact.triplet_id, ANY))
        )

    def _may_state_computed(self, question: Question, facts: Sequence[Triplet]) -> Iterator[str]:
        for share in Share.of_measures(question, facts):
            yield from self.figures.may_state_share(share)
        asked = Change.asked_for(question, facts)
        changes = {asked} if asked else {*_rates(question, facts).values()}
        for change in changes | {change.by_amount for change in changes}:
            yield from self.figures.may_state_change(change)

    def _may_state(self, fact: Triplet, question: Question, needed: Precision) -> Iterator[str]:
        if is_figure(fact):
            if fact.subject_type != "TABLE" and not _is_of_section(fact):
                yield from self.figures.may_state(fact, needed)
        elif question.pattern in MULTI_HOP:
            yield from self.names.may_state(fact)

    def _facts(self, question: Question) -> list[Triplet]:
        return [self.triplets[name] for name in question.triplet_ids if name in self.triplets]

    def state(self, fact: Triplet, needed: Precision = ANY) -> frozenset[str]:
        """The chunks that state a fact, a figure as exactly as needed."""
        key = fact.triplet_id, needed
        if key not in self.known:
            self.known[key] = frozenset(self._find(fact, needed)) if fact.chunk_id in self.chunks else frozenset()
        return self.known[key]

    def _state_computed(self, question: Question, facts: Sequence[Triplet]) -> frozenset[str]:
        """The chunks that state the change or the share that a question asks for, whatever they say of its operands.

        A rise in percent follows from its amount and what it rose to.
        """
        change = Change.asked_for(question, facts)
        asked = change or Share.asked_for(question, facts)
        if asked is None or asked.home not in self.chunks:
            return frozenset()
        found = frozenset(self.figures.state_computed(asked))
        if change and change.percent:
            found |= frozenset(self.figures.state_computed(change.by_amount)) & self.state(change.newer)
        return found

    def _state_moves(self, question: Question, facts: Sequence[Triplet]) -> dict[str, frozenset[str]]:
        """By fact of what has grown or shrunk, the chunks that say how its figure moved from the year before.

        How fast is said in percent; an amount, and words alone, tell which way.
        """
        found: dict[str, frozenset[str]] = {}
        for name, rate in _rates(question, facts).items():
            stating = {*self.figures.state_computed(rate)}
            if question.pattern == "listing":
                stating |= {*self.figures.state_computed(rate.by_amount), *self.figures.tell_way(rate)}
            found[name] = frozenset(stating)
        return found

    def _settle_year(self, clues: Sequence[Triplet]) -> frozenset[str]:
        """The chunks that have all figures by which a year is singled out, counted another way: the same year is."""
        if not clues:
            return frozenset()
        amounts = [self.figures.amounts_otherwise(fact) for fact in clues]
        own = [abs(Decimal(fact.value)) for fact in clues]
        extreme = max if own[0] == max(own) else min
        found = frozenset(amounts[0]).intersection(*amounts)
        return frozenset(name for name in found if amounts[0][name] == extreme(one[name] for one in amounts))

    def _name_beside(self, question: Question, facts: Iterable[Triplet]) -> frozenset[str]:
        """The chunks that state a fact of what a question asks for, and name it: none is needed for the name alone."""
        told = [fact for fact in facts if fact.subject.casefold() == question.answer.casefold()]
        near = {name for fact in told for name in (fact.chunk_id, *self.state(fact)) if name in self.chunks}
        return frozenset(self.names.that_name(question.answer, near))

    def _at_its_time(self, question: Question, fact: Triplet, names: frozenset[str]) -> frozenset[str]:
        """Those of the chunks that state a fact which speak of the time that the question names and the fact does not.

        "At its June 2015 meeting" is the time of the document alone: what every minutes say is not of that meeting.
        """
        if question.pattern != "single" or fact.period or not moments_in(question.text):
            return names
        then = self.chunks[fact.chunk_id].period_end if fact.chunk_id in self.chunks else ""
        return frozenset(name for name in names if self.chunks[name].period_end == then)

    def _find(self, fact: Triplet, needed: Precision) -> Iterator[str]:
        yield from self._hold_the_words(fact)
        if _is_of_section(fact) or (fact.subject_type == "TABLE" and not is_of_one_column(fact)):
            return  # of that section, or that column, alone
        if is_figure(fact):
            if fact.subject_type != "TABLE":
                yield from (other.chunk_id for other in self.same[_figure_key(fact)] if _is_same_measure(fact, other))
            yield from self.figures.state(fact, needed, self._at_other_times(fact))
        else:
            yield from self.names.state(fact)

    def _at_other_times(self, fact: Triplet) -> Collection[Triplet]:
        """The facts of the same measure at other times, one for each other value."""
        others = (one for one in self.of_measure[_measure_key(fact)] if one.period_end != fact.period_end)
        return {other.value: other for other in others if other.value != fact.value}.values()

    def _hold_the_words(self, fact: Triplet) -> Iterator[str]:
        """Chunks that overlap where the fact stands, and others of its filer that repeat its sentence to the letter.

        A row of a table says nothing without its head, and a figure is of a time, which the sentence must name.
        """
        home = self.chunks[fact.chunk_id]
        start, end = home.start + fact.start, home.start + fact.end
        for chunk in self.of_document[fact.doc_id]:
            if chunk.start <= start and end <= chunk.end and fact.source_sentence in chunk.text:
                yield chunk.chunk_id
        if "|" not in fact.source_sentence and (not fact.value or moments_in(fact.source_sentence)):
            words = " ".join(fact.source_sentence.casefold().split())
            for name in self.names.that_have_words(words):
                chunk = self.chunks[name]
                if told_by(chunk) == told_by(home) and (chunk.period_end == home.period_end or not fact.period):
                    yield name


def _clues_to_year(question: Question, facts: Sequence[Triplet]) -> Sequence[Triplet]:
    """The figures by which a year is singled out, that of the year first; () where none is.

    The year is the answer of a superlative, and what a chain leads through.
    """
    if question.pattern == "superlative" and all(map(is_net_income, facts)) and len({f.entity for f in facts}) == 1:
        largest = operation_of(question.arithmetic) == "largest"
        return sorted(facts, key=lambda fact: Decimal(fact.value), reverse=largest)
    if question.pattern != "chain" or len(facts) < 3 or not is_through_year(facts[0], facts[1]):
        return ()
    return [fact for fact in facts if fact != facts[1]]


def _rates(question: Question, facts: Sequence[Triplet]) -> dict[str, Change]:
    """By fact of what has grown or shrunk, how fast its figure did; nothing where a question asks for no growth."""
    if not have_grown(question.pattern, facts):
        return {}
    pairs = {
        fact.triplet_id: sorted((f for f in facts if f.subject_key == fact.subject_key), key=lambda f: f.period_end)
        for fact in facts
    }
    return {name: Change.rate(*pair) for name, pair in pairs.items()}


def _figure_key(triplet: Triplet) -> tuple[str, ...]:
    return (
        triplet.entity or triplet.doc_id, triplet.value.lstrip("-"), triplet.unit, triplet.period_start,
        triplet.period_end or triplet.period, triplet.subject_key or triplet.subject.casefold(),
    )  # fmt: skip


def _is_of_section(fact: Triplet) -> bool:
    return " under " in fact.subject


def _measure_key(triplet: Triplet) -> tuple[str, ...]:
    subject = triplet.subject_key or triplet.subject.casefold()
    measure = triplet.concept or triplet.relation_key or triplet.relation.casefold()
    return triplet.entity or triplet.doc_id, triplet.unit, subject, measure


def _is_same_measure(one: Triplet, other: Triplet) -> bool:
    if other.subject_type == "TABLE":
        return False
    if one.concept and one.concept == other.concept:
        return True
    mine, theirs = telling(one.relation), telling(other.relation)
    return bool(mine) and mine == theirs and not _is_column_of_another(other)


def _is_column_of_another(other: Triplet) -> bool:
    return other.rejected_because in {"column_qualified", "scope_not_in_label", "member_not_shown", "period_disagrees"}
