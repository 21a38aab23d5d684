"""Rephrase a question in the same words: other order, punctuation or construction (RARE §5.1, C.1: R27, offline)."""

import re
from collections.abc import Iterator
from itertools import pairwise
from random import Random

from rarefy.tasks.perturb.case import Case, Draft, join_pieces
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.query.question_parts import (
    BE,
    CLAUSE,
    LONGEST_QUESTION,
    PREPOSITIONS,
    PRONOUNS,
    SAYING,
    TIME,
    UNIT,
    WH,
    ParsedQuestion,
    Piece,
    is_nominal,
    modifies_whole_question,
    parse_question,
)
from rarefy.tasks.perturb.query.words import Edit, apply_edits
from rarefy.tasks.text import wordnet
from rarefy.tasks.text.syntax import embed_question
from rarefy.tasks.text.wordnet import past_tense

# Possessives: "Apple Inc.'s goodwill" and "the goodwill of Apple Inc."

# Names that end like a possessive
APOSTROPHES = frozenset(
    """
    mcdonald moody lowe macy wendy kohl domino dick sotheby christie sainsbury denny arby levi daniel lay reese joe john
    chili applebee jerry bj carl casey lloyd poor harrod bloomingdale victoria kellogg nathan
    """.split()
)
# Nouns after which "of" means possession: not "city of Paris" or "battle of Waterloo"
OWNABLE = frozenset(
    """
    capital population president ceo cfo chairman founder founders author director mayor king queen owner currency
    revenue revenues income sales expense expenses assets liabilities earnings share equity goodwill debt profit margin
    percentage rate headquarters wife husband father mother daughter son sister brother successor predecessor
    """.split()
)
_NAME = r"(?:the |The )?[A-Z0-9][\w.&’-]*(?:,? (?:[A-Z&][\w.&-]*|of|and(?= [A-Z])))*"
_OWNED = re.compile(rf" (?P<name>{_NAME}?)(?P<s>['’]s) (?P<measure>[\w$].*)")
_OF = re.compile(rf" (?P<the>the) (?P<measure>[a-z][\w -]*?) of (?P<name>{_NAME})")
# Where the owner is inserted in a longer measure: before a place, customers, a segment
_BEFORE = re.compile(r" (?:in (?:the )?(?=[A-Z])|to (?=customers|[A-Z])|from (?=[A-Z])|for (?=the |[A-Z]))")
_LOOSE = re.compile(r",? (?:net of|including|excluding|exclusive of|inclusive of)\b|, in ", re.IGNORECASE)
# A measure inside the question: "of Apple Inc.'s total net sales in 2024"
_INSIDE = re.compile(
    rf"(?<=\b(?:of|in|to|by) )(?P<own>(?P<name>{_NAME})['’]s) (?P<measure>[a-z][\w-]*(?: [a-z][\w-]*){{0,3}}?)"
    r"(?= (?:in|for|during|to|as of|came|was|were|is|are|did|does) |[,?]|\Z)"
)
_OWN = re.compile(r"\b(?:its|their|his|her)\b")
LONGEST_MEASURE = 6  # words of a measure that moves behind its owner


def swap_possessive(question: ParsedQuestion, entity: str) -> Iterator[tuple[Edit, ...]]:
    """Edits that turn "X's Y" into "the Y of X" or back, in "what (who) is (was) ...?"."""
    text, (low, high) = question.text, question.body
    if question.wh not in ("what", "who") or text[question.to : question.aux[0]].strip().lower() != question.wh:
        return
    if text[question.aux[0] : question.aux[1]].lower() not in ("is", "are", "was", "were") or not is_nominal(question):
        return
    body = text[low:high]
    if (has := _OWNED.fullmatch(body)) and not _LOOSE.search(has["measure"]):
        own, measure = _is_same_name(has["name"], entity), has["measure"]
        if _OWN.search(measure):  # "X's cost as a share of its revenue": it would come before X
            return
        # "Destiny's Child" and "Grey's Anatomy" are single names
        if (not own and measure[0].isupper()) or has["name"].rpartition(" ")[2].lower() in APOSTROPHES:
            return
        at = _BEFORE.search(measure)
        put = low + has.start("measure") + (at.start() if at else len(measure))
        cut = (low + 1, low + has.start("measure"), "the ")
        yield cut, (put, put, f" of {_lower_the(has['name'])}")
    elif of := _OF.fullmatch(body):
        name, measure = of["name"], of["measure"]
        if (
            name.endswith(("s", "S"))
            or len(measure.split()) > LONGEST_MEASURE
            or re.search(r"\b(?:of|in|for|and)\b", measure)
        ):
            return
        if _is_same_name(name, entity) or measure.rpartition(" ")[2] in OWNABLE:
            start = low + of.start("the")
            yield ((start, low + of.start("measure"), f"{_lower_the(name)}'s "), (low + of.end("measure"), high, ""))


def swap_inner_possessive(question: ParsedQuestion, entity: str) -> Iterator[tuple[Edit, ...]]:
    """Edits that turn "Apple Inc.'s net sales" into "the net sales of Apple Inc." within a question."""
    for match in _INSIDE.finditer(question.text, question.start, question.end):
        name, measure = match["name"], match["measure"].split()
        head = {r.pos for r in wordnet.readings(measure[-1])}
        verbs = any({r.pos for r in wordnet.readings(word)} <= {"v", "r"} for word in measure)
        if _OWN.search(match["measure"]) or "n" not in head or verbs:
            continue
        if name.rpartition(" ")[2].lower() in APOSTROPHES or measure[0] in ("own", "of"):
            continue
        if not re.search(r"\b(?:first|second|third|fourth) (?:quarter|half)$|\byear$", match["measure"]):
            put = match.end("measure")
            yield (*match.span("own"), "the"), (put, put, f" of {_lower_the(name)}")


def _is_same_name(name: str, entity: str) -> bool:
    return bool(entity) and name.lower().removeprefix("the ") == entity.lower().removeprefix("the ")


def _lower_the(name: str) -> str:
    return "the " + name[4:] if name.startswith("The ") else name


# Clauses that can be moved, shortened or introduced by another word

Span = tuple[int, int]
LEAST = 2  # words of what is asked without its condition: "What, if anything, ...?" is no condition

_CONDITION = r"(?:if|when|while|once|unless|because)"
_LAST = re.compile(rf",? (?P<it>{_CONDITION} (?:\w\S*\s+){{2,}}\S+)\Z")
_FIRST = re.compile(
    rf"(?P<it>{_CONDITION} [^;?.]+?), (?P<main>(?:(?:to|in|on|at|for|from|under|by|with) )?{WH}\b)", re.I
)
_POINTS_BACK = re.compile(
    r"\b(?:it|its|itself|they|them|their|he|him|his|she|her|this|these|those|that|such|do|does|did so|there)\b", re.I
)
# After these, "if" and "when" begin what is asked about
_ASKING = SAYING | frozenset(
    "know decide decides ask asks see determine determines depend depends tell understand check remember show time "
    "day date year moment case period point occasion matter care".split()
)
_RELATIVE = re.compile(
    r"(?<=[a-z]) (?P<drop>(?:that|which|who) (?:is|are|was|were) )(?P<verb>[a-z]+) (?:in|by|at|on|to|from|of)\b"
)
_THAT = re.compile(r"\b(?P<before>[A-Za-z]+) (?P<noun>[a-z]+) (?P<that>that|which) (?P<verb>[a-z]+)\b")
_DROPPED = re.compile(r"\b(?P<before>[A-Za-z]+) (?P<noun>[a-z]+)(?P<that> that)(?= [A-Z])")
_DETERMINERS = frozenset("the a an its their each any same of this these those".split())
_FINITE = frozenset("is are was were has had can could would will must may should".split())
# Nouns that "which" does not refer to
_PERSONS = frozenset(
    """
    people person persons man men woman women child children one ones those all anything everything something nothing
    owner owners executive executives director directors employee employees customer customers player actor actress
    singer writer author king queen president participant participants shareholder shareholders holder issuer
    """.split()
)
# Nouns that "that" begins the content of
_CONTENT = frozenset(
    """
    requirement rule condition principle decision ruling fact idea claim belief view statement notion evidence report
    reports news hope fear sign way reason time day
    """.split()
)
_WHO = re.compile(r"(?P<who>who|which [a-z]+|what [a-z]+) (?P<verb>[a-z]+)\b", re.IGNORECASE)


def move_condition_first(question: ParsedQuestion) -> tuple[Span, Span] | None:
    """The spans of the condition at the end and of the rest, where the condition can come first."""
    text, low = question.text, question.body[0]
    last = _LAST.search(text, low, question.end)
    if question.front or not question.wh or last is None:
        return None
    if CLAUSE.search(text, low, last.start()) or CLAUSE.search(text, last.start("it") + 6, question.end):
        return None
    if len(text[question.start : last.start()].split()) < LEAST:
        return None
    word = re.findall(r"\w+", text[low : last.start()])[-1:] or [text[question.start : low].split()[-1]]
    if word[0].lower() in _ASKING or _POINTS_BACK.search(last["it"]):
        return None
    return last.span("it"), (question.start, last.start())


def move_condition_last(text: str) -> tuple[int, int, int] | None:
    """Start and end of a condition at the beginning, and the start of the rest; None where it must stay first."""
    first = _FIRST.match(text) if len(text) <= LONGEST_QUESTION else None
    if first is None or text.count("?") != 1 or text[-1] != "?":
        return None
    main = text[first.start("main") : -1]
    if _POINTS_BACK.search(main) or ";" in text or "," in main or CLAUSE.search(main, len(first["main"])):
        return None
    return first.start("it"), first.end("it"), first.start("main")


def change_relatives(question: ParsedQuestion) -> Iterator[tuple[Edit, ...]]:
    """Edits that shorten "the company that is based in Ohio", or exchange "that" and "which"."""
    text = question.text
    for match in _RELATIVE.finditer(text, question.body[0], question.end):
        if any(r.pos == "v" and r.form in ("ed", "participle") for r in wordnet.readings(match["verb"])):
            yield ((match.start("drop"), match.end("drop"), ""),)
    for match in _THAT.finditer(text, question.body[0], question.end):
        forms = {r.form for r in wordnet.readings(match["verb"]) if r.pos == "v"}
        # after "the rule that" a plural noun would begin a content clause; a past form or an auxiliary would not
        sure = bool(forms & {"ed", "past"} and "base" not in forms) or match["verb"] in _FINITE
        if _is_thing(match["before"], match["noun"], sure) and (sure or "s" in forms):
            yield ((*match.span("that"), "which" if match["that"] == "that" else "that"),)
    for match in _DROPPED.finditer(text, question.body[0], question.end):
        if match["before"] in _DETERMINERS and match["noun"] not in _PERSONS | _CONTENT:
            yield ((*match.span("that"), ""),)


def _is_thing(before: str, noun: str, sure: bool) -> bool:
    """Whether a noun is a thing that a relative clause with "that" or "which" can describe."""
    kinds = {r.pos for r in wordnet.readings(noun)}
    if noun in PREPOSITIONS:  # "the business it invests in that offers": "in which" would be read together
        return False
    if "n" not in kinds or noun in _PERSONS or (noun in _CONTENT and not sure):
        return False
    return "v" not in kinds or before in _DETERMINERS or bool({r.pos for r in wordnet.readings(before)} & {"a"})


def make_cleft(question: ParsedQuestion) -> Iterator[tuple[Edit, ...]]:
    """Edits that turn "Who wrote it?" into "Who was it that wrote it?", and "Who must sign?" likewise."""
    match = _WHO.match(question.text, question.start)
    if match is None or question.to > question.start:
        return
    forms = {r.form for r in wordnet.readings(match["verb"].lower()) if r.pos == "v"}
    be = match["verb"].lower() if question.aux != (0, 0) else ""
    if be:  # "Which member can vote", "Which method is used"; not "Which member can he ask"
        after = re.match(r" ([a-z]+)\b", question.text[match.end() :])
        base = after and any(r.pos == "v" and r.form == "base" for r in wordnet.readings(after[1]))
        done = after and be in ("is", "was") and _is_participle(after[1])
        if question.aux != match.span("verb") or not ((be in MODALS and base) or done):
            return
    noun = match["who"].rpartition(" ")[2].lower()
    named = any(r.pos == "n" and r.form == "base" for r in wordnet.readings(noun))
    if noun != "who" and (not named or noun[-1] == "s"):
        return
    if (be and be != "was") or ("s" in forms and not {"base", "ed", "past"} & forms):
        yield ((match.end("who"), match.end("who"), " is it that"),)
    elif be or (forms & {"ed", "past"} and "base" not in forms):
        yield ((match.end("who"), match.end("who"), " was it that"),)


# Declarative order: "Apple Inc. had how many employees as of September 28, 2024?"

Parts = list[tuple[int, int] | str]

LONGEST_PHRASE = 8  # words of what is asked for, and of a subject
_OFFERED = re.compile(r"[:,] [^?]*\bor\b[^?]*\?$")  # what is offered stands behind what is asked
MODALS = frozenset("can could will would may might must shall should".split())
_WORD = re.compile(r"\S+")
_SUBJECT = re.compile(
    r" (?P<name>(?:the )?[A-Z][\w.&’'-]*(?: (?:[A-Z&][\w.&’'-]*|(?:and|of|the|and the|of the)(?= [A-Z])))*)(?= [a-z])"
)


def make_declarative(question: ParsedQuestion) -> Iterator[Parts]:
    """The question with what it asks for in the place of the answer, without closing punctuation."""
    if question.front or question.aux == (0, 0) or (question.wh and _OFFERED.search(question.text)):
        return
    if not question.wh:
        yield from _declare_yes_no(question)
        return
    asks = (question.start, question.aux[0] - 1)
    if len(_WORD.findall(question.text[asks[0] : asks[1]])) > LONGEST_PHRASE:
        return
    auxiliary = question.text[question.aux[0] : question.aux[1]].lower()
    if auxiliary in BE:
        if question.to > question.start or question.wh in ("where", "when"):
            yield from _declare_passive(question, asks)
    elif auxiliary in ("do", "does", "did") or auxiliary in MODALS:
        yield from _declare_action(question, asks, auxiliary)


def strand_preposition(question: ParsedQuestion) -> tuple[tuple[int, int], str] | None:
    """The span without the leading preposition, and the preposition: "which segment are its sales included", "in"."""
    text, (low, high) = question.text, question.body
    before = text[question.start : question.to].strip().lower()
    if question.front or question.tails or before not in ("in", "to", "from", "on", "at", "with", "by", "for"):
        return None
    last = text[low:high].split()[-1:]
    passive = text[question.aux[0] : question.aux[1]].lower() in BE
    verb = last and (_is_participle(last[0]) if passive else _is_base_form(last[0]))
    if question.wh not in ("what", "which") or question.aux == (0, 0) or not verb or CLAUSE.search(text, low, high):
        return None
    return (question.to, high), before


def _declare_yes_no(question: ParsedQuestion) -> Iterator[Parts]:
    """The Laleli Mosque and Esma Sultan Mansion are located in the same neighborhood?"""
    text, (low, high) = question.text, question.body
    auxiliary = text[slice(*question.aux)].lower()
    subject = _SUBJECT.match(text, low, high)
    if auxiliary not in BE and auxiliary not in MODALS | {"has", "have", "had"}:
        return
    choice = " or " in text[low:high]
    if (
        subject
        and not choice
        and not subject["name"].endswith(("'s", "’s", "'", "’"))
        and not CLAUSE.search(text, low, high)
    ):
        end = subject.end("name")
        yield [subject.span("name"), " ", text[slice(*question.aux)].lower(), (end, question.end)]


def _declare_passive(question: ParsedQuestion, asks: tuple[int, int]) -> Iterator[Parts]:
    """Its sales are included in which segment?"""
    text, (low, high) = question.text, question.body
    rest_words = text[low:high].split()
    if len(rest_words) < 2 or CLAUSE.search(text, low, high) or not _is_participle(rest_words[-1]):
        return
    if any(_is_participle(word) and rest_words[i + 1] in PREPOSITIONS for i, word in enumerate(rest_words[:-1])):
        return
    at = high - len(rest_words[-1])
    yield [(low + 1, at - 1), " ", question.aux, " ", (at, high), " ", *_lower_first(text, *asks), (high, question.end)]


def _declare_action(question: ParsedQuestion, asks: tuple[int, int], auxiliary: str) -> Iterator[Parts]:
    """Apple Inc. had how many employees as of September 28, 2024?"""
    text, (low, high) = question.text, question.body
    tokens = list(_WORD.finditer(text, low, high))
    found = _find_verb([token.group() for token in tokens])
    if not found or CLAUSE.search(text, low, tokens[found].end()):
        return
    verb, rest = tokens[found], [token.group() for token in tokens[found + 1 :]]
    form = verb.group() if auxiliary in MODALS else _inflect(verb.group(), auxiliary)
    named = any(r.pos == "n" for r in wordnet.readings(verb.group()))
    if named and (
        rest[:1] == ["of"]
        or any(_is_base_form(word) and i and _may_precede_verb(rest[i - 1]) for i, word in enumerate(rest))
    ):
        return  # "the will of the duke", "a red sky at night mean": it may be a noun, and the verb is to come
    if verb.group() in SAYING or not form:
        return
    parts: Parts = [(low + 1, verb.start()), *(((question.aux), " ") if auxiliary in MODALS else ()), form]
    noun = text[asks[0] : asks[1]].split()[-1].lower()
    one = any(r.pos == "n" and r.form == "base" for r in wordnet.readings(noun)) and noun[-1] != "s"
    if question.to == question.start and question.wh in ("what", "which") and one and auxiliary not in MODALS:
        be = "was" if auxiliary == "did" else "is"
        yield [asks, f" {be} it that ", *parts, (verb.end(), question.end)]  # "Which product was it that Apple dropped"
    if rest[:1] == ["to"] and len(rest) > 1 and any(r.pos == "v" for r in wordnet.readings(rest[1])):
        return  # "offer to do": what is asked for is what is done
    if any(word.lower() in PRONOUNS for word in rest) or CLAUSE.search(text, verb.end(), high):
        return
    if any(word in ("and", "or") and _is_base_form(after) for word, after in pairwise(rest)):
        return
    asked_for = [" ", *_lower_first(text, *asks)]
    if question.to > question.start or question.wh in ("where", "when"):
        yield [*parts, (verb.end(), high), *asked_for, (high, question.end)]
    elif not rest or (len(rest) > 1 and rest[0] in PREPOSITIONS and rest[1] not in PREPOSITIONS):
        # else an object or a single preposition follows the verb: what is asked for is not its object
        yield [*parts, *asked_for, (verb.end(), question.end)]


def _find_verb(words_left: list[str]) -> int:
    """The index of the verb after a subject that is a name or a noun with article; 0 where not certain."""
    plain = words_left[0].lower() in ("the", "its", "their", "a", "an") if words_left else False
    if "not" in words_left[:2]:
        return 0
    # "employees get", "participants cite", "37signals engineers use"
    head = 1 if words_left and not words_left[0].islower() else 0
    if len(words_left) > head + 1 and _is_base_form(words_left[head + 1]) and _is_plural(words_left[head]):
        return head + 1
    for i, word in enumerate(words_left[: LONGEST_PHRASE + 1]):
        name = word[:1].isupper() or word[:1].isdigit() or word in ("&", "of", "the") or not word[:1].isalpha()
        if not i or (name and not (plain and i > 1 and word.islower())) or word.endswith("ly"):
            continue
        candidates = [at for at in range(i, min(len(words_left), i + 4)) if _is_base_form(words_left[at])]
        owns = words_left[i - 1].endswith(("'s", "’s", "'", "’"))
        if not owns and (not plain or any(w[:1].isupper() for w in words_left[:i])):
            return i if _is_base_form(word) else 0
        return candidates[0] if len(candidates) == 1 and candidates[0] - i < 3 else 0
    return 0


def _inflect(verb: str, auxiliary: str) -> str | None:
    """The verb inflected as its auxiliary was; None where not certain."""
    if auxiliary == "do":
        return verb
    if auxiliary == "does":
        return wordnet.inflect(verb, "v", "s")
    return past_tense(verb)


def _is_plural(word: str) -> bool:
    return any(r.pos == "n" and r.form == "plural" for r in wordnet.readings(word))


def _may_precede_verb(before: str) -> bool:
    """Whether a verb can follow this word."""
    return before.lower() not in PREPOSITIONS | {"the", "a", "an", "its", "their", "his", "her", "no", "any", "this"}


def _is_base_form(word: str) -> bool:
    return word.islower() and any(r.pos == "v" and r.form == "base" for r in wordnet.readings(word))


def _is_participle(word: str) -> bool:
    forms = {r.form for r in wordnet.readings(word) if r.pos == "v"} if word.islower() else set()
    return word == "born" or bool(forms & {"ed", "participle"})


def _lower_first(text: str, start: int, end: int) -> Parts:
    return [text[start].lower(), (start + 1, end)]


_UNIT = re.compile(rf", (?:{UNIT})(?=,)", re.IGNORECASE)
_TIME = re.compile(TIME, re.IGNORECASE)
_SHORT_IS = re.compile(r"(?P<wh>what|who|where|when|how)(?P<s>['’]s)(?= (?:the|a|an|your|his|her|its|their)\b)", re.I)
_LONG_IS = re.compile(r"(?:what|who|where|how)(?P<is> is)(?= (?:the|a|an)\b)", re.I)


def grammar(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """Questions in the same words with another order, construction or punctuation, where that is safe.

    Orders come in random order, before mere punctuation.
    """
    question = parse_question(case.text)
    if question is None:
        yield from _turn_condition_back(case.text)
        return
    makers = (_move_tail_front, _move_front_last, _declare, _turn_condition, _ask_which_of, _turn_options, _embed)
    orders = [draft for make in makers for draft in make(question)]
    owners = (*swap_possessive(question, case.entity), *swap_inner_possessive(question, case.entity))
    orders += [apply_edits(case.text, edits, "the owner said otherwise") for edits in owners]
    orders += [apply_edits(case.text, edits, "a clause begun otherwise") for edits in change_relatives(question)]
    orders += [apply_edits(case.text, edits, "what is asked for brought out") for edits in make_cleft(question)]
    random.shuffle(orders)
    seen = {case.text}
    for draft in (*orders, *_change_punctuation(question)):
        if draft.text not in seen:
            seen.add(draft.text)
            yield draft


def _move_tail_front(question: ParsedQuestion) -> Iterator[Draft]:
    """In 2024, what was ...?"""
    if question.front:
        return
    for piece in question.tails:
        if modifies_whole_question(question, piece):
            before = piece.start - 1 - piece.comma
            body = [*_uncapitalise(question, question.start, before), (piece.end, len(question.text))]
            yield _make_draft(question, [*_capitalise(question, piece.start, piece.end), ", ", *body], piece, "first")


def _move_front_last(question: ParsedQuestion) -> Iterator[Draft]:
    """What was ... in 2024?"""
    text, piece = question.text, question.front
    if piece is None or piece.kind == "other":
        return
    if piece.kind == "source" and piece.comma and not question.tails:  # it is of the whole, whatever stands before it
        moved = [", ", *_uncapitalise(question, piece.start, piece.end)]
        parts = [*_capitalise(question, question.start, question.end), *moved, (question.end, len(question.text))]
        yield _make_draft(question, parts, piece, "behind")
        return
    if question.aux == (0, 0):
        return
    low, high = question.body
    unit = _UNIT.search(text, low, high)
    if unit and unit.end() < high:
        high = unit.start()  # "..., in millions of US dollars, of the company that ...": before that
    last = Piece(piece.kind, high, high)
    kept = question.wh and not _TIME.search(text, low, high) and modifies_whole_question(question, last)
    if kept and not CLAUSE.search(text, low, high):
        comma = "," if piece.kind == "source" or "," in text[low:high] else ""
        moved = [f"{comma} ", *_uncapitalise(question, piece.start, piece.end)]
        parts = [*_capitalise(question, question.start, high), *moved, (high, len(text))]
        yield _make_draft(question, parts, piece, "behind")


def _declare(question: ParsedQuestion) -> Iterator[Draft]:
    for parts in make_declarative(question):
        first = parts[0]
        if isinstance(first, tuple):
            parts = [*_capitalise(question, *first), *parts[1:], (question.end, len(question.text))]
            yield join_pieces(question.text, parts, "in the order of a statement")
    if found := strand_preposition(question):
        (start, end), preposition = found
        parts = [*_capitalise(question, start, end), f" {preposition}", (question.end, len(question.text))]
        yield join_pieces(question.text, parts, f"{preposition}: last")


def _embed(question: ParsedQuestion) -> Iterator[Draft]:
    """Please tell me what ... was in 2024."""
    text, front = question.text, question.front
    clause = embed_question(text)
    if not clause and front and front.kind == "time":
        clause = embed_question(f"{text[question.start].upper()}{text[question.start + 1 :]}")
        # behind the verb the time is that of the question
        free = clause.endswith((" was", " were", " is", " are"))
        clause = f"{clause} {text[front.start].lower()}{text[front.start + 1 : front.end]}" if free else ""
    elif (
        not clause and not front and text[question.start : question.aux[0]].lower() == "what " and is_nominal(question)
    ):
        (low, high), verb = question.body, text[question.aux[0] : question.aux[1]]
        clause = f"what{text[low:high]} {verb}{text[high : question.end]}" if verb in BE else ""
    if clause and text[0].isupper():
        yield Draft(f"Please tell me {clause}{'' if clause.endswith('.') else '.'}", detail="asked for in a statement")


_OF_THESE = re.compile(r"(?:Of|Between|Among) (?P<these>[^,]+(?:, [^,]+)* and [^,]+)")


def _ask_which_of(question: ParsedQuestion) -> Iterator[Draft]:
    """Which of these had ...? For: Of these, which had ...?"""
    text, front = question.text, question.front
    if front is None or question.wh != "which" or question.to > question.start:
        return
    after = re.match(r"which (?P<verb>[a-z]+) ", text[question.start :])
    forms = {r.pos for r in wordnet.readings(after["verb"])} if after else set()
    these = _OF_THESE.fullmatch(text, front.start, front.end)
    if after and these and (after["verb"] in _FINITE or forms == {"v"}):
        named = these.span("these")
        rest = (question.start + len("which"), len(text))
        yield join_pieces(text, ["Which of ", named, rest], "which of these")


_OPTIONS = re.compile(r": (?P<options>[^:;?]+,? or [^:;?]+)\?$")
_OPTION_ENDS = re.compile(r", or | or |, (?![^()]*\))")
_IN = re.compile(r"(?:in|for|at|on|by) ")


def _turn_options(question: ParsedQuestion) -> Iterator[Draft]:
    """Which ...: services or products? For: products or services?"""
    hit = _OPTIONS.search(question.text)
    options = _OPTION_ENDS.split(hit["options"])[::-1] if hit else []
    if hit and len(options) > 1 and not any(map(_IN.match, options)):
        turned = f"{', '.join(options[:-1])} or {options[-1]}"
        yield apply_edits(question.text, [(*hit.span("options"), turned)], "what is offered the other way round")


def _turn_condition(question: ParsedQuestion) -> Iterator[Draft]:
    if found := move_condition_first(question):
        condition, main = found
        parts = [
            *_capitalise(question, *condition),
            ", ",
            *_uncapitalise(question, *main),
            (question.end, len(question.text)),
        ]
        yield join_pieces(question.text, parts, f"{question.text[condition[0] :].partition(' ')[0]}: first")


def _turn_condition_back(text: str) -> Iterator[Draft]:
    if found := move_condition_last(text):
        start, end, main = found
        head = text[main].upper() if text[start].isupper() else text[main]
        parts: Parts = [head, (main + 1, len(text) - 1), " ", text[start].lower(), (start + 1, end), text[-1]]
        yield join_pieces(text, parts, f"{text[start:].partition(' ')[0].lower()}: last")


def _change_punctuation(question: ParsedQuestion) -> Iterator[Draft]:
    """Changes of punctuation and of contractions, the last resort."""
    text, front = question.text, question.front
    if short := _SHORT_IS.match(text, question.start):
        yield apply_edits(text, [(short.start("s"), short.end("s"), " is")], "a contraction undone")
    elif question.wh and (long := _LONG_IS.match(text, question.start)):
        yield apply_edits(text, [(long.start("is"), long.end("is"), "'s")], "a contraction")
    if front and front.comma:
        yield apply_edits(text, [(front.end, front.end + 1, "")], "no comma after what comes first")
    stop = question.end
    if text[stop:].strip() == "?":
        yield apply_edits(text, [(stop, len(text), "")], "no question mark")
    elif not text[stop:].strip() and question.wh:
        first = question.start if not front else front.start
        yield apply_edits(
            text, [(first, first + 1, text[first].upper()), (stop, len(text), "?")], "capital, question mark"
        )


def _make_draft(question: ParsedQuestion, parts: Parts, piece: Piece, where: str) -> Draft:
    return join_pieces(question.text, parts, f"{question.text[piece.start : piece.end]}: {where}")


def _capitalise(question: ParsedQuestion, start: int, end: int) -> Parts:
    """A piece to begin the question with: with a capital where the question had one."""
    first = question.text[question.front.start if question.front else question.start]
    letter = question.text[start]
    return [letter.upper(), (start + 1, end)] if first.isupper() and letter.islower() else [(start, end)]


def _uncapitalise(question: ParsedQuestion, start: int, end: int) -> Parts:
    """A piece that began the question and does so no more; it begins with a word of grammar, not with a name."""
    letter = question.text[start]
    return [letter.lower(), (start + 1, end)] if letter.isupper() else [(start, end)]
