"""Gates that look at the whole corpus: other answers, one chunk that suffices, near duplicates (RARE R16, R19)."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache

from rarefy.data_contracts.rows import COMPUTED, MULTI_HOP, Chunk, Question, Triplet
from rarefy.tasks.knowledge.graph.facts import BY_MODEL, is_literal
from rarefy.tasks.knowledge.graph.headlines import FOLLOWED_NAMES, is_unfollowed
from rarefy.tasks.questions.ask.aliases import company_names
from rarefy.tasks.questions.gates.config import GatesConfig
from rarefy.tasks.questions.gates.figures import ENOUGH, EXPENSE, is_figure
from rarefy.tasks.questions.gates.measure_words import measure_and_part, telling
from rarefy.tasks.questions.gates.statements import digits_of
from rarefy.tasks.questions.gates.wording import Chunks, Questions, Reasons, Triplets, contains_phrase, fold_text
from rarefy.tasks.text.notations import find_numbers, is_same_number
from rarefy.tasks.text.quiet_bm25s import import_bm25s

Key = tuple[str, ...]


def one_answer(questions: Questions, config: GatesConfig, *, chunks: Chunks, triplets: Triplets) -> Reasons:
    """Rejects questions to which another fact of the corpus, or a question worded alike, gives a second answer."""
    by_subject: dict[Key, dict[str, Triplet]] = defaultdict(dict)  # the facts about a subject, by object
    by_object: dict[Key, dict[str, str]] = defaultdict(dict)  # the names of an object's subjects, by subject
    for triplet in triplets.values():
        if not triplet.rejected_because:
            relation, *when = _fact_key(triplet)
            plain = (_NET_OR_TOTAL.sub("", relation), *when)
            for about in {(relation, *when), plain, _fact_key(triplet, always=True)}:
                by_subject[_subject(triplet), *about].setdefault(_object(triplet), triplet)
                by_object[_object(triplet), *about].setdefault(_subject(triplet), triplet.subject)
    worded: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        worded[fold_text(question.text)].append(question)
    return {
        q.question_id: "several_answers"
        for q in questions
        if _is_ambiguous(q, triplets, by_subject, by_object)
        or any(_answers_differ(q, other) for other in worded[fold_text(q.text)])
    }


# Without such words either is meant: "property, plant and equipment" is read as the net figure where the filing has one
_NET_OR_TOTAL = re.compile(r"^(?:total|net) |(?:,| [-–—])? net$")


def _is_ambiguous(
    question: Question,
    triplets: Triplets,
    by_subject: Mapping[Key, Mapping[str, Triplet]],
    by_object: Mapping[Key, Mapping[str, str]],
) -> bool:
    used = [triplets[t] for t in question.triplet_ids if t in triplets]
    answers = {question.answer, *question.aliases}
    if question.pattern in COMPUTED:  # one of its figures said otherwise makes another answer
        return any(_contradicts(t, other) for t in used for other in by_subject[_subject(t), *_fact_key(t)].values())
    for target in used:
        if target.answer == question.answer and target.subject != question.answer:
            others = by_subject[_subject(target), *_fact_key(target, question.latest)].values()
            if any(_contradicts(target, other) for other in others):
                return True
        elif target.subject in answers:
            holders = [
                by_object[_object(t), *_fact_key(t, question.latest)] for t in used if _subject(t) == _subject(target)
            ]
            fit = set.intersection(*(set(subjects) for subjects in holders))
            # "listed on the same exchange as NVIDIA" is true of NVIDIA too, but does not ask for it.
            if any(not _names(question.text, holders[0][subject]) for subject in fit - {_subject(target)}):
                return True
    return False


def _names(text: str, name: str) -> bool:
    """Whether a text has this name, with or without its legal form."""
    return any(contains_phrase(text, form) for form in company_names(name))


_KINDS = frozenset(("DATE", "GPE", "LAW", "ORG", "PERSON", "SEGMENT"))  # types that a question tells apart


def _contradicts(one: Triplet, other: Triplet) -> bool:
    """Whether two facts with the same subject, relation, unit and period have different objects of one kind.

    When and where something opened are two questions.
    """
    if is_literal(one) != is_literal(other) or (
        {one.object_type, other.object_type} <= _KINDS and one.object_type != other.object_type
    ):
        return False
    if one.value and other.value:
        return one.value != other.value and not _same_number(one.value, other.value)
    a, b = fold_text(one.answer or one.object), fold_text(other.answer or other.object)
    return _object(one) != _object(other) and a not in b and b not in a


def _same_number(one: str, other: str) -> bool:
    if one.startswith("-") != other.startswith("-"):
        return False  # a profit is not a loss
    a, b = find_numbers(one.lstrip("-")), find_numbers(other.lstrip("-"))
    return len(a) == len(b) == 1 and a[0].power == b[0].power and is_same_number(a[0], b[0], fewest=3)


def _answers_differ(one: Question, other: Question) -> bool:
    mine, theirs = ({fold_text(a) for a in (q.answer, *q.aliases)} for q in (one, other))
    return not mine & theirs


def _fact_key(triplet: Triplet, always: bool = False) -> Key:
    """A fact's relation, unit and period; with `always` without the period, for questions that name none."""
    relation = triplet.relation_key or triplet.relation.casefold()
    if always:
        return "always", relation, triplet.unit
    return relation, triplet.unit, triplet.period_start, triplet.period_end or triplet.period


def _subject(triplet: Triplet) -> str:
    return triplet.subject_key or triplet.subject.casefold()


def _object(triplet: Triplet) -> str:
    return triplet.object_key or triplet.object.casefold()


def worth_asking(questions: Questions, config: GatesConfig, *, chunks: Chunks, triplets: Triplets) -> Reasons:
    """Rejects what is asked of one line of a whole company that people do not follow and no other passage states.

    A note has many such lines, and few people want one: "unamortized debt issuance costs". What the documents come back
    to is worth asking all the same. Lines without a tag are judged by their names, those with a tag of the filer's own
    are not.
    """
    reasons: dict[str, str] = {}
    for question in questions:
        facts = [triplets[name] for name in question.triplet_ids if name in triplets]
        told_again = any(question.alternatives) or any(question.parts) or len(question.chunk_ids) > 1
        of_one = len({fact.entity for fact in facts}) == 1 and question.pattern in ("single", *COMPUTED)
        if of_one and not told_again and all(_is_followed_by_nobody(fact) for fact in facts):
            reasons[question.question_id] = "followed_by_nobody"
    return reasons


_FOLLOWED = frozenset(telling(name) - EXPENSE for name in FOLLOWED_NAMES)


def _is_followed_by_nobody(fact: Triplet) -> bool:
    if fact.concept:
        return fact.concept.startswith("us-gaap:") and is_unfollowed(fact)
    whole = fact.method == "table" and fact.subject_type != "TABLE" and fact.subject == fact.entity
    return whole and bool(fact.value) and measure_and_part(fact)[0] - EXPENSE not in _FOLLOWED


_TOKEN = re.compile(r"\w+")


def several_chunks(questions: Questions, config: GatesConfig, *, chunks: Chunks, triplets: Triplets) -> Reasons:
    """Rejects multi-hop questions with one gold chunk, or with a chunk anywhere that states or holds all their facts.

    It states a fact where it is gold or an alternative; it holds one where both of its ends are written in it, those of
    a fact by a model in one paragraph: pages that speak of the same things name them all. A computed answer may take
    one chunk, but not several where a chunk states all of its figures: that would do.

    What a chunk's document is about counts as said in each of its chunks, where it is "the Company".
    """
    multi = [q for q in questions if q.pattern in MULTI_HOP]
    needed = {q.question_id: _required_ends(q, triplets) for q in multi}
    texts = {name: fold_text(chunk.text) for name, chunk in chunks.items()}
    places = _chunks_by_token(
        {token for ends in needed.values() for end, _ in ends for token in _TOKEN.findall(end)}, texts
    )
    computed = (q for q in questions if q.pattern in COMPUTED and len(set(q.chunk_ids)) > 1)
    reasons = {q.question_id: "one_chunk_suffices" for q in computed if frozenset.intersection(*q.gold)}
    for question in multi:
        if len(set(question.chunk_ids)) < 2:
            reasons[question.question_id] = "one_chunk"
        elif frozenset.intersection(*question.gold) or _one_chunk_holds(
            needed[question.question_id], texts, places, chunks, _facts_by_model(question, triplets)
        ):
            reasons[question.question_id] = "one_chunk_suffices"
    return reasons


def _required_ends(question: Question, triplets: Triplets) -> set[tuple[str, str]]:
    """The ends of a question's facts, each as (what must be written, the entity whose own chunks need not name it)."""
    ends: set[tuple[str, str]] = {(fold_text(question.answer), "")}
    for triplet in (triplets[t] for t in question.triplet_ids if t in triplets):
        if triplet.value and triplet.source_sentence.startswith("|"):
            # "40" alone is anywhere: "Revenue" goes with it
            ends.add((fold_text(triplet.source_sentence.split("|")[1]), ""))
        for end in (triplet.subject, triplet.answer or triplet.object):
            if triplet.entity and end.startswith(triplet.entity) and end != triplet.entity:
                ends |= {
                    (fold_text(triplet.entity), fold_text(triplet.entity)),
                    (fold_text(end[len(triplet.entity) :]), ""),
                }
            else:
                ends.add((fold_text(end), fold_text(end)))
    return {(end, entity) for end, entity in ends if end}


def _chunks_by_token(tokens: Iterable[str], texts: Mapping[str, str]) -> dict[str, set[str]]:
    """The chunks that contain each of these tokens."""
    wanted = set(tokens)
    places: dict[str, set[str]] = defaultdict(set)
    for name, text in texts.items():
        for token in wanted.intersection(_TOKEN.findall(text)):
            places[token].add(name)
    return places


def _one_chunk_holds(
    ends: Iterable[tuple[str, str]],
    texts: Mapping[str, str],
    places: Mapping[str, set[str]],
    chunks: Chunks,
    by_model: Sequence[Triplet],
) -> bool:
    """Whether one chunk contains all of these ends, and those of each of a model's facts in one paragraph."""
    # Ends that no chunk may leave out find the few chunks worth reading.
    tokens = {token for end, entity in ends if not entity for token in _TOKEN.findall(end)}
    left = set.intersection(*(places.get(token, set()) for token in tokens)) if tokens else set(texts)
    return any(
        all(
            _contains(texts[name], end) or (entity and entity in _entity_names(chunks[name].entity))
            for end, entity in ends
        )
        and all(_holds_together(chunks[name], fact) for fact in by_model)
        for name in left
    )


def _facts_by_model(question: Question, triplets: Triplets) -> list[Triplet]:
    facts = (triplets[name] for name in question.triplet_ids if name in triplets)
    return [fact for fact in facts if fact.method in BY_MODEL and not fact.source_sentence.startswith("|")]


def _holds_together(chunk: Chunk, fact: Triplet) -> bool:
    """Whether a paragraph of a chunk has both ends of a fact, or the one that its document is not about."""
    about = _entity_names(chunk.entity)
    ends = [end for end in map(fold_text, (fact.subject, fact.answer or fact.object)) if end not in about]
    paragraphs = map(fold_text, re.split(r"\n\s*\n", chunk.text))
    return any(all(_contains(paragraph, end) for end in ends) for paragraph in paragraphs)


def _contains(text: str, end: str) -> bool:
    """Whether the text has this end between token boundaries (ten times as fast as a regular expression)."""
    at = text.find(end)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(end) : at + len(end) + 1]
        if not (before.isalnum() and end[0].isalnum()) and not (after.isalnum() and end[-1].isalnum()):
            return True
        at = text.find(end, at + 1)
    return False


@cache
def _entity_names(entity: str) -> frozenset[str]:
    return frozenset(fold_text(name) for name in company_names(entity)) if entity else frozenset()


# Names, numbers, and identifiers: "maxHeaderSize", "max_header_size", "server.port"
_NAMES_AND_NUMBERS = re.compile(r"(?<!^)\b[A-Z][\w&.’'-]*|\S*(?:\d|[a-z][A-Z]|[^\W_][._/][^\W_])\S*")


def near_duplicate(questions: Questions, config: GatesConfig, *, chunks: Chunks, triplets: Triplets) -> Reasons:
    """Rejects all but the smallest id of questions worded alike with the same answer.

    Only questions with the same names and numbers are compared: one about another year or company is another question.
    Of a company that is found by what it shares, questions are alike that find it by the same traits, whoever else has
    them and whichever of them is named. One cell asked of two tables is one question, whatever the tables are called,
    and so is one figure under two labels. The same things are listed by the same measure for one year.
    """
    from rapidfuzz import fuzz  # not when the stage is only looked up

    alike: dict[tuple[str, ...], list[Question]] = defaultdict(list)
    for question in sorted(questions, key=lambda q: q.question_id):
        marks = sorted(re.sub(r"\W", "", m).casefold() for m in _NAMES_AND_NUMBERS.findall(question.text))
        alike[question.answer.casefold().lstrip("$"), *marks].append(question)
    reasons: dict[str, str] = {}
    for group in alike.values():
        kept: list[str] = []
        for question in group:
            text = question.text.casefold()
            if any(fuzz.token_sort_ratio(text, other) >= config.near_duplicate for other in kept):
                reasons[question.question_id] = "near_duplicate"
            else:
                kept.append(text)
    found: set[tuple[Key, ...]] = set()
    # of two labels the shorter one stays, whatever ids a revision of the document gives them
    for question in sorted(questions, key=lambda q: (len(q.text), q.text, q.question_id)):
        if question.question_id not in reasons:
            same = [of(question, triplets) for of in (_cell_of, _figures_of, _list_of, _traits_of)]
            if not found.isdisjoint(key for key in same if key):
                reasons[question.question_id] = "near_duplicate"
            found.update(same)
    return reasons


def _cell_of(question: Question, triplets: Triplets) -> tuple[Key, ...]:
    """What a question asks of a table, of whom and when, with its answer; () where it asks for no single cell."""
    used = [triplets[name] for name in question.triplet_ids if name in triplets]
    if question.pattern != "single" or len(used) != 1 or used[0].subject_type != "TABLE":
        return ()
    return (("cell", used[0].relation.casefold(), used[0].period, used[0].entity, question.answer.casefold()),)


def _figures_of(question: Question, triplets: Triplets) -> tuple[Key, ...]:
    """The figures that a question takes, whatever they are called, of whom and when; () where one is short or a name.

    Net sales and total net sales of one amount are one figure.
    """
    used = [triplets[name] for name in question.triplet_ids if name in triplets]
    if not used or not all(is_figure(fact) and len(digits_of(Decimal(fact.value))) >= ENOUGH for fact in used):
        return ()
    told = {(_subject(fact), fact.value.lstrip("-"), fact.unit, fact.period_end or fact.period) for fact in used}
    asked = question.answer.lstrip("$(").rstrip(")") if question.pattern in MULTI_HOP else ""
    return (("figures", question.pattern, question.arithmetic, asked), *sorted(told))


def _list_of(question: Question, triplets: Triplets) -> tuple[Key, ...]:
    """Of a listing by figures, what is listed and what was measured, whenever; () for other patterns."""
    used = [triplets[name] for name in question.triplet_ids if name in triplets]
    if question.pattern != "listing" or not used or not all(map(is_figure, used)):
        return ()
    return ("listed", *sorted({fact.concept or fact.relation.casefold() for fact in used})), *sorted(
        {(_subject(fact),) for fact in used}
    )


def _traits_of(question: Question, triplets: Triplets) -> tuple[Key, ...]:
    """The facts by which the answer of an inverted star is found, in whatever order; of what was dated, with the time.

    () for other patterns.
    """
    if question.pattern != "inverted_star":
        return ()
    facts = [triplets[name] for name in question.triplet_ids if name in triplets]
    answers = {question.answer.casefold(), *(alias.casefold() for alias in question.aliases)}
    own = (fact for fact in facts if fact.subject.casefold() in answers)
    return tuple(sorted({(_subject(t), t.relation_key or t.relation.casefold(), _object(t), t.period) for t in own}))


def find_retrievable(questions: Questions, chunks: Chunks, depth: int) -> dict[str, bool]:
    """By question id: whether a gold chunk, or another that states the same, is among the first `depth` of BM25."""
    if not questions or not chunks:
        return {}
    names = sorted(chunks)
    index = import_bm25s().BM25()
    index.index(_tokens([chunks[name].text for name in names]), show_progress=False)
    queries = _tokens([q.text for q in questions])
    top, _ = index.retrieve(queries, k=min(depth, len(names)), show_progress=False, backend_selection="numpy")
    return {
        q.question_id: not q.every_gold.isdisjoint(names[i] for i in row)
        for q, row in zip(questions, top, strict=True)
        if q.chunk_ids
    }


def _tokens(texts: list[str]) -> list[list[str]]:
    tokens: list[list[str]] = import_bm25s().tokenize(texts, stopwords="en", return_ids=False, show_progress=False)
    return tokens
