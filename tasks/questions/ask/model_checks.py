"""Where a model's answer stands in its facts, and why its question is not to be had (RARE R19-R22)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rarefy.data_contracts.rows import Question, Span, Triplet
from rarefy.tasks.knowledge.extract.locate import find_words
from rarefy.tasks.questions.ask.aliases import answer_aliases, company_names
from rarefy.tasks.questions.ask.index import CorpusIndex
from rarefy.tasks.questions.ask.patterns import Wording, refuse
from rarefy.tasks.questions.ask.roles import End, Roles
from rarefy.tasks.questions.gates.config import GatesConfig
from rarefy.tasks.questions.gates.wording import fold_text, pivot_given_away
from rarefy.tasks.text import wordnet
from rarefy.tasks.text.names import without_form
from rarefy.tasks.text.notations import find_numbers, is_same_number
from rarefy.tasks.text.quantities import number, quantities
from rarefy.tasks.text.sentences import sentences
from rarefy.tasks.text.stems import root, stem, words

SHARED = 0.5  # of the shorter's telling words: more than that, and an answer is what its fact's end says

_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
_EMPTY = frozenset(
    "a an the of in on at to by for from with and or as its their his her our that which who is are was were be been "
    "approximately about roughly nearly around over under more less than least most up any all such other".split()
)
# words before the answer that are the model's own sentence: "through paid licenses", "as a subscription"
_LEAD = re.compile(
    r"^(?:(?:in|at|on|by|to|from|for|of|with|through|under|via|into|within|as|because of|due to)\s+)?"
    r"(?:(?:the|an?|about|approximately|around|roughly|nearly)\s+)?",
    re.IGNORECASE,
)


def locate_answer(answer: str, roles: Roles, index: CorpusIndex) -> Wording:
    """The wording (without its text) of an answer at one of the path's ends; refused where it is at none.

    The answer is what the document writes: another case, other quotes or spaces, or a number in another notation are
    the model's own, and the notation becomes an alias.
    """
    is_in_facts = False
    for end in reversed(roles.ends):
        for sentence in _sentences(end.triplet):
            exact = _find_answer(answer, sentence, end.triplet)
            if not exact:
                continue
            is_in_facts = True
            if _bare(exact) in {_bare(name) for pivot in roles.pivots for name in company_names(pivot)}:
                return refuse("answer_is_pivot")
            if _is_at(exact, end):
                forms = _other_forms(answer, exact, end.triplet)
                spelt = (end.name,) if _abbreviates(exact, end.name) else ()
                return Wording(answer=exact, target=end.triplet, aliases=(*forms, *spelt))
    named = _entity_answer(answer, roles, index) or (None if is_in_facts else _named_answer(answer, roles, index))
    return named or refuse("answer_not_at_end" if is_in_facts else "answer_not_located")


def telling_stems(text: str) -> set[str]:
    """The stems of the telling words of a text; numbers without their commas."""
    return {stem(word.replace(",", "")) for word in words(text) if word not in _EMPTY}


def _sentences(triplet: Triplet) -> Iterator[str]:
    yield from (words for words in (triplet.source_sentence, triplet.group, triplet.header) if words)


def _find_answer(answer: str, words: str, triplet: Triplet) -> str:
    """The answer as these words of a document write it; "" where they do not have it."""
    for form in (answer, _LEAD.sub("", answer)):
        if span := find_words(form, words):
            exact = " ".join(words[slice(*span)].split()) if form not in words else form
            kept = exact if form[-1:] in ".!?," else exact.rstrip(" .!?,;:")
            return kept if kept in words else ""
    wanted = find_numbers(answer)
    if len(wanted) != 1 or number(answer) is None:
        return ""
    cells = [triplet.answer] if triplet.answer and triplet.answer in words else _amounts(words)
    fits = [cell for cell in cells for other in find_numbers(cell) if is_same_number(wanted[0], other, fewest=3)]
    return fits[0] if len(set(fits)) == 1 else ""


def _amounts(words: str) -> list[str]:
    """The amounts in figures of a text, as written, without their scale words."""
    return [
        words[amount.start : amount.end if not amount.scale else amount.digits[1]]
        for amount in quantities(words)
        if not amount.worded
    ]


def _is_at(exact: str, end: End) -> bool:
    """Whether an answer is what the fact has at this end, in more words or fewer."""
    if not end.head and exact == end.triplet.answer:
        return True
    stems = telling_stems(exact)
    for name in {end.name} if end.head else {end.name, end.triplet.answer}:
        wanted = telling_stems(name)
        numerals = {word for word in stems if word[0].isdigit()}
        alike = stems and wanted and len(stems & wanted) > SHARED * min(len(stems), len(wanted))
        # of a row or a list the right number is wanted, not one beside it
        if alike and (not numerals or numerals & wanted or not any(word[0].isdigit() for word in wanted)):
            return True
        if (
            exact == name
            or _abbreviates(exact, name)
            or (len(numerals) == len(stems) == 1 and _is_same_number(exact, name))
        ):
            return True
    return False


def _is_same_number(one: str, other: str) -> bool:
    mine, theirs = find_numbers(one), find_numbers(other)
    return len(mine) == len(theirs) == 1 and is_same_number(mine[0], theirs[0], fewest=3)


def _entity_answer(answer: str, roles: Roles, index: CorpusIndex) -> Wording | None:
    """A document's entity as the answer, written elsewhere in its document where the sentence says "the Company"."""
    for end in reversed(roles.ends):
        document = index.documents[end.triplet.doc_id]
        own = {fold_text(name) for name in company_names(document.entity)} if document.entity else set()
        if end.head and fold_text(answer) in own and {fold_text(name) for name in company_names(end.name)} & own:
            line = index.find_name(document, [end.triplet.chunk_id, *index.cover_of(document)])
            if line and (
                exact := _find_answer(answer, index.chunks[line.chunk_id].text[line.start : line.end], end.triplet)
            ):
                return Wording(answer=exact, target=end.triplet, naming=(line,))
    return None


def _named_answer(answer: str, roles: Roles, index: CorpusIndex) -> Wording | None:
    """A fact's name as the answer, where its sentence has a pronoun, an abbreviation or a part of it.

    It is written elsewhere in the sentence's chunk, or of a subject in its document, which then names it; else what the
    sentence writes for it answers, and the name is an alias.
    """
    for end in reversed(roles.ends):
        if _bare(_ARTICLE.sub("", answer)) != _bare(_ARTICLE.sub("", end.name)):
            continue
        own = index.chunks[end.triplet.chunk_id]
        near = [own, *(chunk for chunk in index.chunks_of(own.doc_id) if end.head and chunk != own)]
        found = ((chunk, place) for chunk in near if (place := find_words(end.name, chunk.text)))
        if named := next(found, None):
            chunk, place = named
            short = () if end.head or not end.triplet.answer else (end.triplet.answer,)
            line = Span(chunk.chunk_id, *place)
            return Wording(answer=chunk.text[slice(*place)], target=end.triplet, naming=(line,), aliases=short)
        if not end.head and end.triplet.answer:
            return Wording(answer=end.triplet.answer, target=end.triplet, aliases=(end.name,))
    return None


def _other_forms(answer: str, exact: str, target: Triplet) -> tuple[str, ...]:
    """Other notations of the answer, beyond the aliases of its triplet."""
    forms = {answer} if fold_text(answer) != fold_text(exact) else set()
    amount, given = number(exact), number(answer)
    if amount is None or amount.worded or exact == target.answer or amount.year:
        return tuple(forms)
    if not amount.scale and re.search(r"\d[^\W\d_]", exact):  # "10x" is a name
        return tuple(forms)
    bare = exact[amount.start :]
    forms |= {bare} if amount.scale else {bare, bare.lstrip("$€£¥")}
    scaled = given if given and given.scale else amount
    row = target.source_sentence.startswith("|")
    if scaled.scale or amount.kind == "percent" or not row:  # a cell without a word may count in thousands or millions
        unit = "percent" if amount.kind == "percent" else amount.currency
        forms |= set(answer_aliases(replace(target, answer=bare, value=f"{scaled.amount:f}", unit=unit, scale="")))
    return tuple(sorted(forms - {exact}, key=lambda form: (len(form), form)))


def _abbreviates(one: str, other: str) -> bool:
    """Whether either holds the initials of the other: AWS and Amazon Web Services."""
    for short, long in ((one, other), (other, one)):
        initials = "".join(w[0] for w in re.findall(r"[^\W_]+", long) if w.lower() not in _EMPTY).upper()
        letters = (word.replace("&", "") for word in re.findall(r"\b[A-Z](?:&?[A-Z]){2,5}\b", short))
        if any(initials.startswith(word) for word in letters if len(word) > 2):
            return True
    return False


def is_same_thing(one: str, other: str) -> bool:
    """Whether two names are one but for the legal form, or one is the other's initials: AMD, Advanced Micro Devices."""
    forms = [{_bare(form) for form in company_names(name)} for name in (one, other)]
    if forms[0] & forms[1]:
        return True
    short, long = sorted((one, other), key=len)
    return bool(re.fullmatch(r"[A-Z](?:&?[A-Z]){2,5}", short)) and _abbreviates(short, without_form(long))


def has_name(text: str, name: str) -> bool:
    """Whether a text has a name, with or without its legal form, however it is joined: "docsrs-api" has "docs.rs"."""
    return any(len(bare := _bare(form)) > 3 and bare in _bare(text) for form in company_names(name))


def has_own_word(text: str, name: str) -> bool:
    """Whether a text has a name or its first word that is none of the language: "triagebot source code"."""
    coined = (word for word in words(name) if not wordnet.known(word) and not word[0].isdigit())
    return has_name(text, name) or has_name(text, next(coined, name))


def _bare(text: str) -> str:
    return re.sub(r"\W", "", text.casefold())


_SHOWN = r"(?:text|passage|excerpt|chunk|snippet|context|triplet|fact|knowledge graph|source sentence)s?"
_GIVEN = r"(?:(?:given|provided|above|following|same|first|second|third|other|two|three|four|source|relevant)\s+)*"
_PROMPT = re.compile(
    rf"\b(?:the|this|these|those|that|each|both|all|which|any|given|provided|above|following)\s+{_GIVEN}{_SHOWN}\b"
    r"(?!\s+(?:of|that|in which|for|surrounding|when|where)\b)"
    r"|\b(?:according to|based on|per|from|(?:as )?(?:stated|described|mentioned|shown|reported|noted|listed|given)"
    rf" (?:in|by))\s+(?:the|this|these|that)\s+{_GIVEN}"
    r"(?:table|document|source|information|section|sentence|paragraph|data|details?|report|filing)s?\b"
    r"(?!\s+(?:of|on|for|that|which|called|named|titled|entitled|filed|\d|[\"“(])|\s?['’]s)"
    r"|\b(?:passage|fact|chunk|triplet)\s+\d\b"
    r"|\bpivot(?: entity)?\b|(?-i:\b(?:[Ee]ntity|[Hh]ead|[Tt]ail|[Ss]ubject|[Oo]bject|named|called) [ABC]\d?\b)",
    re.IGNORECASE,
)
# A second thing asked for: "..., and how many ...", "and what ..."; "and which" and "and who" may be relative clauses
_ASKS = (
    r"(?:what|why|how(?: much| many| long| often| large| far| recently| soon)?|did|does|is it|was it"
    r"|(?:by|to|in|at|on|for|of|from|under|upon|with) (?:what|how (?:much|many)|which|whom))"
)
_SECOND = re.compile(rf"(?:[,;:]|\b(?:and|or|as well as))\s+(?:and |or |also |then )?{_ASKS}\b", re.IGNORECASE)
_FIRST = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|why|how|did|does|do|is|are|was|were|has|have|had|can|could|will)\b",
    re.IGNORECASE,
)
_PAIR = re.compile(
    r"^(?:who|what|which|when|where)\b[^,]*,? and (?:who|which|when|where) (?!(?:is|are|was|were) the)", re.I
)
_MARKS = re.compile(r"^(?:[\"“”'*_`\s]+|#+\s+|(?:question|q)\s*\d*\s*[:.)]\s*)+|[\"“”*_`\s]+$", re.IGNORECASE)
_NONE = frozenset(("", "-", "none", "null", "n/a", "na", "nil", "no question", "not applicable", "empty"))


def tidy(text: str) -> str:
    """A question or an answer as one line, without quotes, marks or a label around it; "" for words that say none."""
    line = " ".join(text.replace("\u200b", "").replace("\ufeff", "").split())
    bare = _MARKS.sub("", line).strip()
    # a quotation inside it, a mark of its own at the end: left as they are
    quoted = line.startswith("'") and re.search(r"\w'(?!\w)", bare)  # 'Q' models
    line = bare if bare.count('"') % 2 == 0 and bare.count("“") == bare.count("”") and not quoted else line
    return "" if line.casefold().strip(".") in _NONE else line


def wording_objection(text: str) -> str:
    """The first reason against how a question is worded, whatever its answer; "" for none."""
    if _PROMPT.search(text):
        return "leans_on_prompt"
    if len(sentences(text)) > 1:
        return "several_sentences"
    return "several_questions" if _asks_twice(text) else ""


def hops_objection(question: Question, facts: Sequence[Triplet], target: Triplet, pivots: Sequence[str]) -> str:
    """The first reason why a multi-hop question is none: it names a pivot, or leaves a fact out; "" for none."""
    if any(_names_pivot(question, facts, pivot) for pivot in pivots):
        return "pivot_given_away"
    hidden = _roots(" ".join(pivots))
    return (
        ""
        if all(_uses_fact(question.text, fact, target, hidden) for fact in facts if fact != target)
        else "hop_not_used"
    )


def is_off_topic(question: Question, target: Triplet) -> bool:
    """Whether a question has no word in common with the fact that should answer it."""
    return not _roots(question.text) & (_roots(_fact_text(target)) - _roots(question.answer))


def _asks_twice(text: str) -> bool:
    if text.count("?") > 1 or _PAIR.search(text):
        return True
    return any(
        _FIRST.search(text[: match.start()]) for match in _SECOND.finditer(text) if _starts_question(text, match)
    )


def _starts_question(text: str, match: re.Match[str]) -> bool:
    """Whether the part is a question of its own: an opening clause ("In 2024, what ...") is none."""
    asked = _FIRST.search(text[: match.start()])
    return asked is not None and (match[0][0] not in ",;:" or bool(re.search(r"\b(?:and|or|also|then)\b", match[0])))


def _names_pivot(question: Question, facts: Sequence[Triplet], pivot: str) -> bool:
    """Whether a question names this pivot, by the gate: the row of a longer chain holds only its first pivot."""
    by_id = {fact.triplet_id: fact for fact in facts}
    gate = GatesConfig.model_validate({})
    return bool(pivot_given_away([replace(question, pivot=pivot)], gate, chunks={}, triplets=by_id))


def _uses_fact(text: str, fact: Triplet, target: Triplet, hidden: set[str]) -> bool:
    """Whether a question has a word that only this fact gives, pivots and the answer's fact apart."""
    own = _roots(_fact_text(fact)) - _roots(_fact_text(target))
    return not own - hidden or bool(_roots(text) & own)


def _fact_text(fact: Triplet) -> str:
    return f"{fact.subject} {fact.relation} {fact.object} {fact.source_sentence}"


def _roots(text: str) -> set[str]:
    """The roots of telling words: a model writes "auditor" where the fact has "is audited by"."""
    return {root(word) for word in telling_stems(text)}
