"""Questions that a language model asks of a path's passages (RARE R18-R22)."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import combinations

from pydantic import BaseModel, ConfigDict, Field

from rarefy.data_contracts.rows import (
    KINDS,
    MULTI_HOP,
    PATTERNS,
    Chunk,
    Document,
    Path,
    Question,
    Reply,
    Request,
    Triplet,
    Unanswered,
    row_id,
)
from rarefy.tasks.knowledge.graph.cover_lines import is_cover_line
from rarefy.tasks.knowledge.graph.facts import BY_MODEL, is_literal
from rarefy.tasks.knowledge.graph.filers import is_by_rank
from rarefy.tasks.knowledge.graph.years import is_through_year
from rarefy.tasks.models.llm import LLM, parse_reply, replies, unanswered
from rarefy.tasks.models.prompts import messages
from rarefy.tasks.questions.ask import AskConfig, ask, make_question
from rarefy.tasks.questions.ask.aliases import company_names
from rarefy.tasks.questions.ask.choice import Choice, choose
from rarefy.tasks.questions.ask.index import CorpusIndex, build_index, leads_elsewhere, object_of, relation_of
from rarefy.tasks.questions.ask.model_checks import (
    has_name,
    has_own_word,
    hops_objection,
    is_off_topic,
    is_same_thing,
    locate_answer,
    telling_stems,
    tidy,
    wording_objection,
)
from rarefy.tasks.questions.ask.passages import ELSEWHERE, build_passages
from rarefy.tasks.questions.ask.patterns import Wording, refuse
from rarefy.tasks.questions.ask.roles import path_roles
from rarefy.tasks.questions.ask.surplus import find_repeats, find_surplus, find_unshown
from rarefy.tasks.questions.gates.alternatives import Alternatives
from rarefy.tasks.questions.gates.config import GatesConfig
from rarefy.tasks.questions.gates.corpus import several_chunks
from rarefy.tasks.questions.gates.wording import is_telling, pivot_rarity
from rarefy.tasks.text import wordnet
from rarefy.tasks.text.states import STATES

VERSION = 19  # of paths told twice that with another answer of its relation stays; equal values are no other answers


class Asked(BaseModel, frozen=True):
    """A question with its answer; both empty where the facts make no good one."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    reason: str = Field("", description="how the question follows from the facts, or why there is none")
    pivot: str = Field("", description="the thing that the question does not name; empty for a single fact")
    question: str | None = Field(description="empty where no good question can be made")
    answer: str | None = Field(description="copied from the sentence of its fact; empty where there is no question")


BY_RULES = tuple(kind for kind in KINDS if kind not in PATTERNS)  # no prompt asks for arithmetic, sets or absences
SCHEMA = json.dumps(Asked.model_json_schema())


def ask_by_model(
    paths: Iterable[Path],
    config: AskConfig,
    *,
    triplets: Mapping[str, Triplet],
    chunks: Mapping[str, Chunk],
    documents: Mapping[str, Document],
    llm: LLM,
) -> Iterator[Question | Unanswered]:
    """One question for each path, those with a passage in common one after the other.

    What is computed, compared or looked for in all documents is asked by rules, and comes first. Of some paths nothing
    is asked (`find_unaskable`), nor of those that the model, asked first, says nobody needs (`not_worth_asking`). A
    question with something wrong comes rejected, with its text; so does a path that the model found no question for
    (`model_declined`) or gave no reply to (`unanswered`), with an Unanswered row that says why.
    """
    index = build_index(triplets, chunks, documents)
    paths = list(paths)
    by_rules = [path for path in paths if _is_asked_by_rules(path, triplets)]
    yield from ask(by_rules, config, triplets=triplets, chunks=chunks, documents=documents)
    ordered = in_order(paths, triplets)
    unaskable = find_unaskable(ordered, index, config)
    choices: Mapping[str, Choice] = {}
    if config.worth:
        unaskable |= find_repeats(ordered, unaskable, index)
        unaskable |= find_unshown(ordered, unaskable, index, config.per_passage)
        candidates = [path for path in ordered if path.path_id not in unaskable]
        choices, failed = choose(candidates, config, index, llm)
        yield from failed
        # who answers a question of several facts has to find two passages: it may be worth one less
        bound = {path.path_id: config.worth - (path.pattern in MULTI_HOP) for path in candidates}
        low = {name: choice for name, choice in choices.items() if choice.worth < bound[name]}
        unaskable |= dict.fromkeys(low, "not_worth_asking")
        for name, choice in low.items():
            detail = f"worth {choice.worth}: {choice.reason}"
            yield unanswered("ask", name, Reply(row_id("choose", name), error="model_declined", detail=detail))
    unaskable |= find_surplus(ordered, unaskable, index, config, choices)
    for path in ordered:
        if path.path_id in unaskable:
            yield make_question(path, refuse(unaskable[path.path_id]), index)
    by_request = {request_id(path): path for path in ordered if path.path_id not in unaskable}
    for reply in replies(llm, (build_request(path, config, index) for path in by_request.values())):
        yield from _reply_rows(by_request[reply.request_id], reply, index, config)


def build_requests(
    paths: Iterable[Path],
    config: AskConfig,
    *,
    triplets: Mapping[str, Triplet],
    chunks: Mapping[str, Chunk],
    documents: Mapping[str, Document],
) -> Iterator[Request]:
    """The requests for wordings, in order, if all that can be asked about is worth asking."""
    index = build_index(triplets, chunks, documents)
    ordered = in_order(paths, triplets)
    unaskable = find_unaskable(ordered, index, config)
    if config.worth:
        unaskable |= find_repeats(ordered, unaskable, index)
        unaskable |= find_unshown(ordered, unaskable, index, config.per_passage)
    unaskable |= find_surplus(ordered, unaskable, index, config, {})
    return (build_request(path, config, index) for path in ordered if path.path_id not in unaskable)


def find_unaskable(paths: Iterable[Path], index: CorpusIndex, config: AskConfig) -> dict[str, str]:
    """Why nothing is asked about some paths.

    Of some multi-hop ones any question would be turned down: a chunk, an overlapping one for instance, states all
    facts or names all ends; the pivot has no telling name, or is one of several to which what is given leads; the
    relations lead to a second answer; what is given is no name either; or one arm of a star says all that three say.
    About others nobody would ask: a fact is a line of a cover page (`cover_fact`); whoever knows what is given of a
    company or a person knows whom it is about (`clue_known`); or subjects meet in a state or a common thing
    (`pivot_generic`), or two ends are one thing (`ends_alike`). Of single facts those of a cover page are left out,
    of a life, and of which one end has the name of the other (`answer_given_away`).
    """
    paths = list(paths)
    multi = [path for path in paths if path.pattern in MULTI_HOP]
    drafts = [make_question(path, Wording(target=index.triplets[path.triplet_ids[-1]]), index) for path in multi]
    also = Alternatives(index.chunks, index.triplets).find(drafts)
    drafts = [
        replace(draft, alternatives=also[draft.question_id][0], parts=also[draft.question_id][1])
        if draft.question_id in also
        else draft
        for draft in drafts
    ]
    reasons: dict[str, str] = {}
    for gate in (several_chunks, pivot_rarity):
        gates = GatesConfig.model_validate({"names": "used" if config.clues == "phrases" else "coined"})
        reasons |= gate(drafts, gates, chunks=index.chunks, triplets=index.triplets)
    found = {draft.path_id: reasons[draft.question_id] for draft in drafts if draft.question_id in reasons}
    filers = {name for document in index.documents.values() for name in company_names(document.entity)}
    for path in multi:
        if reason := _nobody_asks(path, index, filers):
            found.setdefault(path.path_id, reason)
        elif not _ends_to_ask_for(path, index, config, with_figures=False):
            found.setdefault(
                path.path_id, "pivot_not_unique" if not _unique_ends(path, index, config) else "clue_generic"
            )
    if config.clues == "phrases":
        found |= _find_told_twice([path for path in multi if path.path_id not in found], index, config)
    common = _common_names(index)
    for path in paths:
        fact = index.triplets[path.triplet_ids[0]]
        if path.pattern != "single":
            continue
        if is_cover_line(fact, path.pattern, last=True):
            found[path.path_id] = "cover_fact"
        elif _LIFE.search(fact.relation):
            found[path.path_id] = "biography"
        elif _gives_away(fact, common[fact.doc_id]):
            found[path.path_id] = "answer_given_away"
    return found


def _find_told_twice(paths: Iterable[Path], index: CorpusIndex, config: AskConfig) -> dict[str, str]:
    """Of paths with one pivot whose answer one sentence gives in two facts, or whose first end alone answers, one.

    So of chains that begin with one fact and ask for two facts of one sentence, as when somebody was born, and died.
    That stays of which the same relation has another answer.
    """
    seen: set[tuple[str, ...]] = set()
    found = {}

    def rank(path: Path) -> tuple[bool, str]:
        last = index.triplets[path.triplet_ids[-1]]
        return all(other.relation_key != last.relation_key for other in index.rivals.find(last, 1)), path.path_id

    for path in sorted(paths, key=rank):
        first, last = index.triplets[path.triplet_ids[0]], index.triplets[path.triplet_ids[-1]]
        answer = last.answer or last.object
        if path.pattern == "chain" and _ends_to_ask_for(path, index, config, with_figures=False) == ["A"]:
            last, answer = first, first.subject
        told = (path.pattern, path.pivot, last.chunk_id, last.source_sentence, answer)
        asked = (path.pattern, *path.triplet_ids[:-1], last.chunk_id, last.source_sentence)
        if not seen.isdisjoint({told, asked}):
            found[path.path_id] = "near_duplicate"
        seen |= {told, asked}
    return found


FEWEST = 5  # facts of a document that name something in most of them


def _common_names(index: CorpusIndex) -> defaultdict[str, set[str]]:
    """The names, none of them words of the language, that half of a document's facts have in an end, by document."""
    facts: Counter[str] = Counter()
    naming: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for fact in index.triplets.values():
        if not fact.rejected_because:
            facts[fact.doc_id] += 1
            naming[fact.doc_id].update({*fact.subject.split(), *fact.object.split()})
    common: defaultdict[str, set[str]] = defaultdict(set)
    for doc_id, counts in naming.items():
        often = {word for word, count in counts.items() if count >= max(FEWEST, facts[doc_id] / 2)}
        common[doc_id] = {word for word in often if word.isalpha() and not wordnet.known(word.lower())}
    return common


def _gives_away(fact: Triplet, common: Set[str]) -> bool:
    """Whether an end has the name of the other, or its own word; whose both are, as most things there, tells nothing.

    "CivicActions IT" is no hint that compromised systems at CivicActions are reported to it.
    """
    if fact.object.startswith("@"):  # a handle is little else than its holder's name
        return True
    ends = (fact.subject, fact.object)
    shared = common & set(fact.subject.split()) & set(fact.object.split())
    bare = [" ".join(word for word in end.split() if word not in shared) for end in ends]
    one, other = bare if all(bare) else ends
    return has_own_word(other, one) or has_own_word(one, other)


_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
# what is said of people
_LIFE = re.compile(
    r"\b(?:holds? (?:the )?office|(?:holds?|has|received|earned) (?:an? )?\w* ?degree|studied at|was born"
    r"|graduated from|(?:formerly|previously) (?:worked|served|was)|serves on (?:the )?board)\b|\bjoined as$"
    r"|\bin the column .age\b",
    re.IGNORECASE,
)


def _nobody_asks(path: Path, index: CorpusIndex, filers: Set[str]) -> str:
    """Why nobody would ask about a path, though a question could be made of it; "" for no reason.

    `filers` are the names of whom documents are about.
    """
    facts = [index.triplets[i] for i in path.triplet_ids]
    if any(is_cover_line(fact, path.pattern, last=fact is facts[-1]) for fact in facts):
        return "cover_fact"
    if _goes_in_a_circle(path, facts):
        return "ends_alike"
    in_one_document = len({fact.doc_id for fact in facts}) == 1
    if path.pattern == "chain":
        through = facts[-1].subject in filers
        told = through and in_one_document and facts[-1].method in BY_MODEL
        return "clue_known" if told or (through and facts[0].subject_type == "PERSON") else ""
    if path.pattern == "star":  # one biography tells all of a life
        life = any(fact.subject_type == "PERSON" or _LIFE.search(fact.relation) for fact in facts)
        if in_one_document and life:
            return "clue_known"
        alone = (len(index.subjects[relation_of(fact), object_of(fact)]) == 1 for fact in facts)
        return "hop_not_needed" if len(facts) > 2 and sum(alone) > 1 else ""
    # years alone: PEP 503 and PEP 629 are two things, the 2023 and the 2024 plan are one
    shared, subjects = facts[0].object, {_YEAR.sub("", fact.subject.casefold()) for fact in facts}
    if len(subjects) < len(facts):
        return "ends_alike"
    if not is_telling(shared) or shared in {*STATES, *STATES.values()}:
        return "pivot_generic"
    if len(facts) > 2:  # one of those that are given says what is shared
        return "hop_not_needed"
    common = set.intersection(*(index.subjects[relation_of(fact), object_of(fact)] for fact in facts))
    return "pivot_not_unique" if len(common) > len(facts) else ""


def _goes_in_a_circle(path: Path, facts: Sequence[Triplet]) -> bool:
    """Whether two things of a path, its pivot apart, are one in short and in full: AMD and Advanced Micro Devices."""
    roles = path_roles(path.pattern, facts)
    names = [end.name for end in roles.ends if end.head or not is_literal(end.triplet)]
    if path.pattern == "chain":
        names += [fact.subject for fact in facts[1:]]
    return any(is_same_thing(one, other) for one, other in combinations(dict.fromkeys(names), 2))


def _ends_to_ask_for(path: Path, index: CorpusIndex, config: AskConfig, with_figures: bool = True) -> list[str]:
    """The letters of the ends of which there is one and to which a name leads, or a figure.

    Of a single fact both, but for the subject where the same is said of others.

    A name that has the pivot's in it gives that away: "docs.rs team". A model has not read all that a corpus says of
    common things ("the heap", "a closure"): that one fact of it gives them does not mean that they single anything out.
    Nobody has a figure in hand, so that it is no reason to ask; where something else could be given, it may be.
    """
    if path.pattern == "single":
        (fact,) = (index.triplets[i] for i in path.triplet_ids)
        holders = index.subjects.get((relation_of(fact), object_of(fact)), ())
        return ["C"] if not is_literal(fact) and len(holders) > 1 else ["A", "C"]
    roles = path_roles(path.pattern, [index.triplets[i] for i in path.triplet_ids])
    phrases = config.clues == "phrases"
    named = {
        end.letter
        for end in roles.ends
        if (is_telling(end.name) or (phrases and is_narrow(end.name, index)))
        and (with_figures or end.head or not is_literal(end.triplet))
        and not any(has_name(end.name, pivot) for pivot in roles.pivots)
    }
    return [letter for letter in _unique_ends(path, index, config) if named - {letter}]


FEW = 3  # chunks


def is_narrow(phrase: str, index: CorpusIndex) -> bool:
    """Whether a phrase has several telling words, which few chunks have: "postage of a leaver's laptop"."""
    telling = telling_stems(phrase)
    return len(telling) > 1 and sum(telling <= index.stems_of(name) for name in index.chunks) <= FEW


def _unique_ends(path: Path, index: CorpusIndex, config: AskConfig) -> list[str]:
    """The letters of the ends of which there is one, as far as the facts of the corpus know.

    The subject of a model's fact is not asked for where nothing like it is said of others: whoever leaves the
    description out finds it all the same. Of objects the graph has seen to it (`find_asked`).
    """
    facts = [index.triplets[i] for i in path.triplet_ids]
    ends = path_roles(path.pattern, facts).ends
    told = {end.letter for end in ends if end.head and config.rivals and end.triplet.method in BY_MODEL}
    return [
        end.letter
        for end in ends
        if not leads_elsewhere(path.pattern, facts, end.triplet, index)
        and (end.letter not in told or index.rivals.find(end.triplet, 1))
    ]


def in_order(paths: Iterable[Path], triplets: Mapping[str, Triplet]) -> list[Path]:
    """The paths that a model asks, those whose prompts begin alike together, for a server's prefix cache."""
    asked = (path for path in paths if not _is_asked_by_rules(path, triplets))
    return sorted(asked, key=lambda p: (p.domain, *(triplets[i].chunk_id for i in p.triplet_ids), p.path_id))


def _is_asked_by_rules(path: Path, triplets: Mapping[str, Triplet]) -> bool:
    """Whether an answer, or what leads to it, comes from comparing figures: a year, or one of two companies."""
    first, last = triplets[path.triplet_ids[0]], triplets[path.triplet_ids[-1]]
    if path.pattern == "star":
        return is_by_rank(first, last)
    return path.pattern in BY_RULES or (path.pattern == "chain" and is_through_year(first, last))


def request_id(path: Path) -> str:
    """The id of the request for a path."""
    return row_id("ask", path.path_id)


def build_request(path: Path, config: AskConfig, index: CorpusIndex) -> Request:
    """The request for one path."""
    facts = [index.triplets[i] for i in path.triplet_ids]
    roles = path_roles(path.pattern, facts)
    passages = build_passages(facts, roles, index, config.sentences, config.rivals)
    inner = sorted({letter for pair in roles.letters for letter in pair if letter.startswith("B")})
    return Request(
        request_id(path),
        messages(
            "ask",
            path.pattern,
            path.domain,
            passages=passages,
            elsewhere=any(line.startswith(ELSEWHERE) for p in passages for f in p.facts for line in f.lines),
            facts=len(facts),
            ends=" and ".join(end.letter for end in roles.ends),
            asked_for=_ends_to_ask_for(path, index, config),
            pivots=" and ".join(inner),
        ),
        schema=SCHEMA,
        temperature=config.temperature,
        max_tokens=config.max_tokens,
        seed=config.seed,
    )


def _reply_rows(path: Path, reply: Reply, index: CorpusIndex, config: AskConfig) -> Iterator[Question | Unanswered]:
    """The rows of one reply: exactly one question, and why there is none where there is none."""
    parsed, reply = parse_reply(reply, Asked)
    if parsed is None:
        yield make_question(path, refuse("unanswered"), index)
        yield unanswered("ask", path.path_id, reply)
        return
    text, answer = tidy(parsed.question or ""), tidy(parsed.answer or "")
    if not text and not answer:
        yield make_question(path, refuse("model_declined"), index)
        yield unanswered("ask", path.path_id, replace(reply, error="model_declined", detail=parsed.reason))
        return
    yield _check_question(path, text, answer, parsed.pivot, index, config)


def _check_question(path: Path, text: str, answer: str, pivot: str, index: CorpusIndex, config: AskConfig) -> Question:
    """The question of a reply, rejected for the first thing that is wrong with it."""
    facts = [index.triplets[i] for i in path.triplet_ids]
    roles = path_roles(path.pattern, facts)
    if path.pattern == "single":
        asked_for = _ends_to_ask_for(path, index, config)
        roles = replace(roles, ends=tuple(end for end in roles.ends if end.letter in asked_for))
    wording = locate_answer(answer, roles, index) if text and answer else refuse("empty")
    question = make_question(path, replace(wording, text=text, answer=wording.answer or answer), index)
    reason = question.rejected_because if not text else wording_objection(text) or question.rejected_because
    target = wording.target or facts[-1]
    if not reason and path.pattern == "single":
        reason = "off_topic" if is_off_topic(question, target) else ""
    elif not reason:
        reason = hops_objection(question, facts, target, [*roles.pivots, *filter(None, [tidy(pivot)])])
        if not reason and leads_elsewhere(path.pattern, facts, target, index):
            reason = "pivot_not_unique"
    return replace(question, rejected_because=reason)
