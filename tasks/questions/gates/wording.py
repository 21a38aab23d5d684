"""Gates that read a question with its evidence: answer there, not given away, understandable (RARE R19, R22, R23)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from rarefy.data_contracts.rows import COMPUTED, Chunk, Question, Span, Triplet
from rarefy.tasks.questions.ask.aliases import company_names
from rarefy.tasks.questions.ask.arithmetic import OPERATIONS, answer_of, shown_value
from rarefy.tasks.questions.gates.config import GatesConfig
from rarefy.tasks.questions.operands import operation_of
from rarefy.tasks.text import wordnet
from rarefy.tasks.text.readability import reading_ease

# what every gate takes and returns
Questions = Sequence[Question]
Chunks = Mapping[str, Chunk]
Triplets = Mapping[str, Triplet]
Reasons = dict[str, str]  # against questions, by question id


def answer_in_evidence(questions: Questions, config: GatesConfig, *, chunks: Chunks, triplets: Triplets) -> Reasons:
    """Rejects questions whose evidence is not verbatim at its spans, or whose answer is neither in it nor follows."""
    return {q.question_id: reason for q in questions if (reason := _evidence_fault(q, chunks, triplets))}


def _evidence_fault(question: Question, chunks: Chunks, triplets: Triplets) -> str:
    if not question.text.strip() or not question.answer.strip():
        return "empty"
    if question.pattern == "absent":
        return ""  # nothing states it
    if len(question.evidence) != len(question.evidence_spans) or not question.evidence:
        return "evidence_missing"
    for sentence, span in zip(question.evidence, question.evidence_spans, strict=True):
        chunk = chunks.get(span.chunk_id)
        if not sentence or chunk is None or chunk.text[span.start : span.end] != sentence:
            return "evidence_not_verbatim"
    if {s.chunk_id for s in question.evidence_spans} != set(question.chunk_ids):
        return "evidence_missing"  # a gold chunk that nothing supports
    if question.members:
        return ""  # a fact of each thing that is named is the evidence, and the names are the question's
    if question.pattern in COMPUTED:
        return "" if _follows(question, triplets) else "answer_does_not_follow"
    return "" if any(question.answer in e for e in question.evidence) else "answer_not_in_evidence"


def _follows(question: Question, triplets: Triplets) -> bool:
    """Whether the answer is what the question's operation makes of the figures that its gold sentences print."""
    sentences = dict(zip(question.evidence_spans, question.evidence, strict=True))
    operands = [triplets[name] for name in question.triplet_ids if name in triplets]
    printed = [replace(t, source_sentence=sentences.get(Span(t.chunk_id, t.start, t.end), "")) for t in operands]
    values = [value for value in map(shown_value, printed) if value is not None]
    operation = operation_of(question.arithmetic)
    if operation not in OPERATIONS or len(values) != len(question.triplet_ids):
        return False
    return answer_of(operation, operands, values).text == question.answer


def fold_text(text: str) -> str:
    """A text without case, its white space single blanks."""
    return " ".join(text.casefold().split())


def contains_phrase(text: str, phrase: str) -> bool:
    """Whether the text has the phrase between token boundaries, whatever the case ("12%" is not in "112%")."""
    folded, within = fold_text(phrase), fold_text(text)
    if not folded or folded not in within:
        return False  # nearly always: a pattern is not made for it
    return re.search(rf"(?<![\w$€£.,-]){re.escape(folded)}(?![\w%]|[.,]\d)", within) is not None


def answer_given_away(questions: Questions, config: GatesConfig, *, chunks: Chunks, triplets: Triplets) -> Reasons:
    """Rejects questions that contain their answer or one of its aliases, unless they name what may be chosen."""
    return {
        q.question_id: "answer_given_away"
        for q in questions
        if not q.chance and any(contains_phrase(q.text, a) for a in (q.answer, *q.aliases))
    }


def pivot_given_away(questions: Questions, config: GatesConfig, *, chunks: Chunks, triplets: Triplets) -> Reasons:
    """Rejects multi-hop questions that name their pivot: in full, without its legal form, or by a telling word.

    One of two that are named may be the pivot: which of them it is, is the question.
    """
    return {
        q.question_id: "pivot_given_away"
        for q in questions
        if q.pivot
        and not _is_of_two_named(q, triplets)
        and any(contains_phrase(q.text, name) for name in _pivot_names(q, triplets))
    }


def _is_of_two_named(question: Question, triplets: Triplets) -> bool:
    """Whether a star's clue is a figure that another company has as well, whose name stands beside its own."""
    facts = [triplets[name] for name in question.triplet_ids if name in triplets]
    if question.pattern != "star" or not facts or not facts[0].value:
        return False
    clue = facts[0]
    rivals = [t for t in facts if t.concept == clue.concept and t.period == clue.period and t.entity != clue.entity]
    named = (any(contains_phrase(question.text, name) for name in company_names(t.entity)) for t in rivals)
    return bool(rivals) and all(named)


def pivot_labels(question: Question, triplets: Triplets) -> list[str]:
    """The pivot's names in the question's own facts; its key where they have none."""
    labels = [
        label
        for triplet in (triplets[t] for t in question.triplet_ids if t in triplets)
        for label, key in ((triplet.subject, triplet.subject_key), (triplet.object, triplet.object_key))
        if question.pivot.casefold() in (key.casefold(), label.casefold())
    ]
    return list(dict.fromkeys(labels)) or [question.pivot]


def _pivot_names(question: Question, triplets: Triplets) -> set[str]:
    """The pivot's names in full and without legal forms, and the words that only they have of all ends."""
    labels, forms = pivot_labels(question, triplets), company_names(question.entity)
    facts = (triplets[name] for name in question.triplet_ids if name in triplets)
    others = {end for fact in facts for end in (fact.subject, fact.object)} - set(labels)
    # "Flash Gordon's Trip to Mars" may be given where "Flash Gordon Conquers the Universe" is the pivot
    given = {word for end in others for word in _LONG_WORD.findall(end)}
    own = {word for form in forms for word in _LONG_WORD.findall(form)}
    pivot_names: set[str] = set()
    for label in labels:
        cores = company_names(label)
        pivot_names |= cores
        # "NVIDIA" of "NVIDIA Corporation" tells as much as the whole; "General" of "General Motors" does not.
        telling = (w for core in cores for w in _LONG_WORD.findall(core))
        # Whose filing it is may be allowed: "NVIDIA" does not name NVIDIA Omniverse.
        allowed = given | own if cores.isdisjoint(forms) else given
        pivot_names |= {w for w in telling if w[0].isupper() and w not in allowed and not wordnet.known(w.lower())}
    return {name for name in pivot_names if len(name) > 1}


_LONG_WORD = re.compile(r"[^\W_]{4,}")


# Words that stand in the names of many things and tell none apart.
EMPTY = frozenset(
    """
    the a an of and or in on for to by with our its their this that other others certain various all any some total net
    company companies corporation registrant management customer customers supplier suppliers employee employees board
    directors committee subsidiary subsidiaries party parties third issuer issuers entity entities business businesses
    product products service services market markets segment segments group people person persons year years period
    quarter amount number value part section item note notes report law laws state states country agreement
    """.split()
)


def pivot_rarity(questions: Questions, config: GatesConfig, *, chunks: Chunks, triplets: Triplets) -> Reasons:
    """Rejects multi-hop questions about a generic pivot: neither two meaningful words nor a proper name."""
    names = NamesByUse([chunk.text for chunk in chunks.values()] if config.names == "used" else ())
    return {
        q.question_id: "pivot_generic"
        for q in questions
        if q.pivot and all(is_generic(label) and label not in names for label in pivot_labels(q, triplets))
    }


_IN_A_SENTENCE = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b")
_SMALL_WORD = re.compile(r"\b[a-z]{3,}\b")


class NamesByUse:
    """Words of the language that texts use as names: with a capital within sentences, and never without one."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = texts

    @cached_property
    def words(self) -> frozenset[str]:
        """These words; the texts are read when one is looked for."""
        capital: set[str] = set()
        small: set[str] = set()
        for text in self.texts:
            capital.update(_IN_A_SENTENCE.findall(text))
            small.update(_SMALL_WORD.findall(text))
        return frozenset(word for word in capital if word.lower() not in small)

    def __contains__(self, label: object) -> bool:
        return isinstance(label, str) and label[:1].isupper() and " " not in label and label in self.words


# what programs and pages are called: "std::mem", "max_size", "maxSize", "docs.rs", "rust-lang/rust", "@bors", "#infra"
_IDENTIFIER = re.compile(
    r"::|[<_]|[a-z][A-Z]|(?<![^\s(\[])[@#~/]+[a-z]|[^\W_]\.[^\W\d_]{2}|[^\W_]-[^\W_]+/[^\W_]|[^\W_]/[^\W_]+-[^\W_]",
    re.ASCII,
)


def is_generic(label: str) -> bool:
    """Whether a label is a common word or none ("the Company", "revenue", "12%"), not the name of one thing."""
    words = [w for w in re.findall(r"[^\W\d_][\w&'’.-]*", label) if w.lower().strip(".") not in EMPTY]
    if len(words) >= 2 or _IDENTIFIER.search(label):
        return False
    return not any((w[0].isupper() and not wordnet.known(w.lower())) or (w.isupper() and len(w) > 1) for w in words)


def is_telling(label: str) -> bool:
    """Whether a label is a name or a figure, which single something out; "the heap" and "a closure" are neither."""
    words = [w for w in re.findall(r"[^\W_][\w&'’.-]*", label) if w.lower().strip(".") not in EMPTY]
    marked = [w for w in words if not w.islower()]
    return (
        len(marked) > 1
        or any(w[0].isdigit() or w.isupper() or not wordnet.known(w.lower()) for w in marked)
        or _IDENTIFIER.search(label) is not None
    )


_PARTY = re.compile(
    r"\b[Tt]h(?:e|is) ([Cc]ompany|[Rr]egistrant|[Cc]orporation|[Ff]irm|[Ff]iling|[Rr]eport|[Dd]ocument)\b"
    r"(?!,? (?:that|which|whose|where|who|(?:one )?(?:in|with|for|to|of|from|by|at) (?:which|whose)|named|called"
    r"|(?:audited|headquartered|based|incorporated|listed|located|founded|led|run|owned) (?:in|by|at|on|under))\b)"
)
_NAME = re.compile(r"(?<!^)\b[A-Z]")
_LEANS = re.compile(
    r"(?-i:\b(?:we|our|ours|us)\b|^(?:We|Our|Us)\b)"  # "Our Gang" and the US are names
    r"|\b(?:this|last|next|current|previous|prior|that) (?:fiscal |financial )?(?:year|quarter|month|period)\b"
    r"|\b(?:table|chart|figure|section|paragraph|discussion|note) (?:above|below)\b|\bthe (?:above|following) table\b"
    r"|\b(?:as|the) (?:mentioned|described|discussed|noted|aforementioned)\b|\b(?:see|refer to) (?:note|item|part)\b"
    r"|\b(?:herein|thereof|hereto|aforesaid)\b",
    re.IGNORECASE,
)

_DEBRIS = re.compile(
    r"\||&nbsp;|&amp;|\\|_{2,}|\.{3,}|\s{2,}|[,;:]\s*[,;:?]|\(\s*\)|\s[,?]|\b(?!that\b|had\b)(\w+) \1\b", re.IGNORECASE
)


_QUOTED = re.compile(r"“[^“”]*”")
_BOTH_SIGNS = re.compile(
    r"\((?:loss(?:es)?|benefit|expenses?|income|deficit|decrease|increase|gains?|provision|used|outflow|repayment)s?\b[^()]*\)",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(
    r"(?<!graph)(?<!section)(?<!clause)(?<![\d)]) \((?:\d{1,2}|[a-z])\)(?!\w)|[*†‡]|§(?!\s?\d)|¹|"
    r"(?<!\bm)(?<!\b[cdkmµ]m)(?<!\bft)(?<!\bs)[²³]"  # no mark in "m²"
)
_SHOUTED = re.compile(r"\b[A-Z]{4,}\b")
_DOUBLED = re.compile(  # "fill in for" is none
    r"\b(?:of|(?<!fill )(?<!sign )(?<!check )in|from|by|with|at) (?:of|for|by|with|from)\b|\bfor (?:of|for|with|from)\b"
)


def seam_of(text: str) -> str:
    """What shows that a label was put into a sentence as it was printed; "" for none. Words in quotes are a label's."""
    text = _QUOTED.sub("“”", text)
    if _BOTH_SIGNS.search(text):
        return "both_signs"
    if _FOOTNOTE.search(text):
        return "footnote_mark"
    if sum(wordnet.known(word.lower()) for word in _SHOUTED.findall(text)) > 1:
        return "capitals"
    return "doubled_preposition" if _DOUBLED.search(text) else ""


def self_contained(questions: Questions, config: GatesConfig, *, chunks: Chunks, triplets: Triplets) -> Reasons:
    """Rejects questions that lean on a text that the reader does not see ("the Company", "the table above")."""
    return {q.question_id: "not_self_contained" for q in questions if _leans_on_text(q.text)}


_NAMED_YEAR = re.compile(r"(\b(?:19|20)\d\d\b.*) that (?:fiscal )?year\b")  # the one that was named before


def _leans_on_text(text: str) -> bool:
    if _LEANS.search(_NAMED_YEAR.sub(r"\1", text)):
        return True
    # "the company" may mean one that was named before; "the Company" is a term of the filing.
    name = _NAME.search(text)
    named = name.start() if name else len(text)
    return any(m[1][0].isupper() or m.start() <= named for m in _PARTY.finditer(text))


def readable(questions: Questions, config: GatesConfig, *, chunks: Chunks, triplets: Triplets) -> Reasons:
    """Rejects what is too short, too long, no question, hard to read, or holds the debris of a table or template.

    A label that allows both signs ("net income (loss)"), a footnote's mark, capitals and doubled prepositions are such.
    """
    return {q.question_id: reason for q in questions if (reason := _wording_fault(q.text, config))}


def _wording_fault(text: str, config: GatesConfig) -> str:
    count = len(text.split())
    if count < config.fewest_words:
        return "too_short"
    if count > config.most_words:
        return "too_long"
    if not text.endswith("?") or text.count("?") > 1 or not text[0].isupper():
        return "no_question"
    if _DEBRIS.search(text) or text.count("(") != text.count(")") or text.count("“") != text.count("”"):
        return "debris"
    if seam := seam_of(text):
        return seam
    return "hard_to_read" if reading_ease(text) < config.least_reading_ease else ""
