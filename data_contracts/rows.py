"""Every row type, and the names of rows (§2)."""

import hashlib
import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

# Types of object that are values, not things: two facts that share one share nothing
LITERALS = frozenset("MONEY PERCENT NUMBER DATE TEXT TIME QUANTITY CARDINAL ORDINAL DURATION RATIO".split())

# Answers that are verdicts, not words of a passage: "no" in "no notes are due" answers nothing
VERDICTS = frozenset({"yes", "no", "true", "false"})

# Shapes of questions. RARE's four patterns (§3.3), of which three take several hops; then the kinds whose answer is
# computed from several facts, or is a set of names, or is that the corpus does not say it.
MULTI_HOP = ("chain", "star", "inverted_star")
PATTERNS = ("single", *MULTI_HOP)
COMPUTED = ("comparison", "change", "share", "superlative")
WORKED_OUT = (*COMPUTED, "listing")  # whose answer no passage states: their operands stand in passages
KINDS = (*PATTERNS, *WORKED_OUT, "absent")

Hop = tuple[frozenset[str], ...]  # sets of chunks: one of each is as good as a gold chunk

# How `Variant.rejected_because` begins where something was not tried, rather than tried in vain
UNTRIED = ("needs_", "language")


def hops_of(pattern: str) -> str:
    """ "single", or "multi" where one fact leads to another; "computed" where none does, but an answer takes several.

    "" of what no fact answers.
    """
    if pattern in WORKED_OUT:
        return "computed"
    return {"single": "single", "absent": ""}.get(pattern, "multi")


def row_id(*parts: str | int) -> str:
    """Name a row after what it is made of, so that equal work gets equal names on every machine."""
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=8).hexdigest()


def gold_sets(chunk_ids: Sequence[str], alternatives: Sequence[Sequence[str]]) -> tuple[frozenset[str], ...]:
    """Per gold chunk, each once, the chunks of which any does: it and those that state the same."""
    lists = dict(zip(chunk_ids, alternatives, strict=True)) if alternatives else {}
    return tuple(frozenset((name, *lists.get(name, ()))) for name in dict.fromkeys(chunk_ids))


def gold_hops(
    chunk_ids: Sequence[str], alternatives: Sequence[Sequence[str]], parts: Sequence[Sequence[str]]
) -> tuple[Hop, ...]:
    """Per gold chunk, each once, the sets of chunks of which one each is enough: one set, or one for each of its parts.

    A chunk that states all that the gold one does is in each of them.
    """
    names = dict.fromkeys(chunk_ids)
    return tuple(
        tuple(whole.union(part) for part in parts if part[0] == name) or (whole,)
        for name, whole in zip(names, gold_sets(chunk_ids, alternatives), strict=True)
    )


def is_found(hop: Hop, names: Collection[str]) -> bool:
    """Whether these chunks state all that a gold chunk does, be it together."""
    return all(not some.isdisjoint(names) for some in hop)


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch `[start, end)` of a document's text that must be kept in mind as a whole."""

    kind: str  # heading | text | table | caption | footnote
    start: int
    end: int
    section: str = ""  # the item and section titles above it, joined by " > "


@dataclass(frozen=True, slots=True)
class Place:
    """Where the source itself shows a stretch `[start, end)` of a document's text, as its reader would look it up."""

    start: int
    end: int
    name: str  # "page 12" | "slide 3" | "Sheet1!C7" | "Sheet1!A5:F20"


@dataclass(frozen=True, slots=True)
class Link:
    """A hyperlink: the stretch `[start, end)` of a document's text that a reader would click, and where it leads."""

    start: int
    end: int
    target: str  # as the source writes it: "../leave.md#vacation", "/handbook/leave/", "https://example.org/leave"


@dataclass(frozen=True, slots=True)
class Fact:
    """A tagged value (inline XBRL) and the span `[start, end)` of the document's text that shows it."""

    start: int
    end: int
    concept: str  # "us-gaap:Revenues"
    value: str  # signed and scaled, "47525000000"; the text itself where it is no number
    unit: str = ""  # "USD", "USD/shares", "shares", "pure"; "" for text
    period_start: str = ""  # ISO date; "" for an instant
    period_end: str = ""  # ISO date
    dimensions: tuple[str, ...] = ()  # "srt:ProductOrServiceAxis=aapl:IPhoneMember", sorted


@dataclass(frozen=True, slots=True)
class Document:
    """One version of one source, as normalised text that every span downstream points into.

    `doc_id` names the source (path in the corpus, CIK + form + period, or the user's own id),
    `content_hash` its version. `fiscal_year` is 0 and the dates are "" where the source does not say.
    """

    doc_id: str
    content_hash: str
    source: str  # path inside the corpus, or path#record
    title: str
    media_type: str
    text: str
    blocks: tuple[Block, ...] = ()
    facts: tuple[Fact, ...] = ()
    places: tuple[Place, ...] = ()  # in order of start; of two over the same words the narrower comes later
    entity: str = ""  # who the document is about: the registrant, the institution
    domain: str = "default"  # finance | economics | policy | default
    form: str = ""  # "10-K"
    fiscal_year: int = 0
    period_start: str = ""  # ISO date, first day of the period reported on
    period_end: str = ""  # ISO date, last day of it
    as_of: str = ""  # ISO date of filing or publication
    language: str = "en"
    duplicate_of: str = ""  # doc_id of the document that this one repeats
    duplicate_similarity: float = 0.0  # 1.0: the same text; else estimated Jaccard of word shingles
    dropped: dict[str, int] = field(default_factory=dict)  # boilerplate, by kind: characters
    metadata: dict[str, str] = field(default_factory=dict)  # cik, sic, state, exchange, ticker, auditor, ...
    links: tuple[Link, ...] = ()  # to other files and pages, in order, none within another


@dataclass(frozen=True, slots=True)
class Chunk:
    """`document.text[start:end]`, the unit of retrieval."""

    chunk_id: str
    doc_id: str
    start: int
    end: int
    kind: str  # text | table
    section: str
    text: str
    tokens: int
    split: bool = False  # holds a part of a paragraph that alone exceeds the limit
    entity: str = ""
    domain: str = "default"
    fiscal_year: int = 0
    period_end: str = ""
    title: str = ""  # of its document
    language: str = "en"  # of its document
    place: str = ""  # in the source: "pages 3–4", "slide 5", "Sheet1!A5:F20"; "" where it has none but its characters


@dataclass(frozen=True, slots=True)
class Triplet:
    """A fact with its proof: `chunk.text[start:end] == source_sentence`, likewise the header of a table row.

    `object` is what is said, `period` when it held. The `*_key` fields are empty until `normalise` has filled
    them; a literal's `object_key` is scoped by its subject and relation, so that equal numbers share nothing.
    """

    triplet_id: str
    chunk_id: str
    doc_id: str
    start: int
    end: int
    subject: str
    relation: str
    object: str
    source_sentence: str
    method: str  # table | cover | deadline | reading | prose | model | link | owner
    subject_type: str = ""  # ORG | PERSON | GPE | PRODUCT | SEGMENT | LAW | ...
    object_type: str = ""  # those, or MONEY | PERCENT | NUMBER | DATE | TEXT for literals
    header: str = ""  # a table row's header line, verbatim
    header_start: int = 0
    header_end: int = 0
    group: str = ""  # the row above that the row's label depends on ("Earnings per share:"), verbatim
    group_start: int = 0
    group_end: int = 0
    answer: str = ""  # the words of the object that are verbatim in the source sentence
    value: str = ""  # a literal as a plain number, scaled and signed
    unit: str = ""  # "USD", "USD/shares", "shares", "percent", ...
    scale: str = ""  # "millions", "thousands", "" ; the unit the source counts in
    period: str = ""  # as a person says it: "fiscal year 2024", "September 28, 2024"
    period_start: str = ""
    period_end: str = ""
    concept: str = ""  # the tag that confirms it, where the source is tagged
    entity: str = ""
    domain: str = "default"
    subject_key: str = ""
    relation_key: str = ""
    object_key: str = ""
    valid_from: str = ""  # ISO date from which the corpus says so: its document's as_of, else its period_end
    valid_to: str = ""  # ISO date from which the corpus says another thing, "" where it does not
    superseded_by: str = ""  # triplet_id of the fact that says it then
    subject_from: str = ""  # of a table without tags: entity | metadata | document | caption | heading | title
    place: str = ""  # in the source: "page 3", "Sheet1!C7"; "" where it has none but its characters
    rejected_because: str = ""


@dataclass(frozen=True, slots=True)
class Merge:
    """Two names taken for one, and why."""

    merge_id: str
    kind: str  # relation | entity
    name: str
    canonical: str
    entity_type: str
    evidence: str  # the rule, and a source sentence of each


@dataclass(frozen=True, slots=True)
class Path:
    """Triplets that make one pattern of RARE §3.3, the answer's last; or those that a computed answer needs."""

    path_id: str
    pattern: str  # one of KINDS
    triplet_ids: tuple[str, ...]
    chunk_ids: tuple[str, ...]
    pivot: str
    domain: str = "default"
    remaining: int = 0  # answers in the corpus when the clue is taken away, its own among them; 0 where none is counted
    remaining_in_chunk: int = 0  # those of them in the answer's own chunk


@dataclass(frozen=True, slots=True)
class Span:
    """Where a gold sentence stands: `chunk.text[start:end]`."""

    chunk_id: str
    start: int
    end: int


def answer_in_words(answer: str, aliases: Sequence[str], pattern: str) -> str:
    """A question's answer as it is said without its table: "$4,427 million" for a cell that prints "4,427".

    A name that a cover prints in capitals is said as elsewhere: "Comcast Corporation".
    """
    if answer.isupper():
        return next((form for form in aliases if form.casefold() == answer.casefold()), answer)
    cell = re.fullmatch(r"-?\(?[$€£¥]?(\d[\d.,]*|\.\d+)\)?", answer)
    if cell is None or pattern in COMPUTED:
        return answer
    whole = re.sub(r"\.0+$", "", cell[1])  # "2,240.0" is said as "$2,240 million"
    digits = "|".join(map(re.escape, (cell[1], whole, f"0{cell[1]}")))  # ".70" is said as "$0.70"
    said = re.compile(rf"-?[$€£¥]?(?:{digits})(?: (?:thousand|million|billion)(?: shares)?)?")
    forms = [form for form in (answer, *aliases) if said.fullmatch(form)]
    return max(
        forms,
        key=lambda form: (" " in form, form[0] != "-", bool(re.search("[$€£¥]|shares", form)), len(form)),
        default=answer,
    )


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold answer; `evidence[i]` is the text of `evidence_spans[i]`."""

    question_id: str
    path_id: str
    pattern: str  # one of KINDS
    text: str
    answer: str
    aliases: tuple[str, ...]
    triplet_ids: tuple[str, ...]
    chunk_ids: tuple[str, ...]
    evidence: tuple[str, ...]
    evidence_spans: tuple[Span, ...]
    evidence_places: tuple[str, ...] = ()  # of each in its source: "page 12", "Sheet1!C7"; () where none has any
    entity: str = ""
    domain: str = "default"
    period: str = ""
    valid_from: str = ""  # ISO date: end of the period asked about
    latest: bool = False  # names no period: what holds by the newest document is asked, and a newer one may say another
    pivot: str = ""
    alternatives: tuple[tuple[str, ...], ...] = ()  # per chunk of `chunk_ids`: others that state the same
    parts: tuple[tuple[str, ...], ...] = ()  # per fact of a gold chunk of several: it, and others that state this one
    arithmetic: str = ""  # of a computed answer: the operation on its operands, its rounding and unit
    chance: float = 0.0  # of a guess among the things that the question names; 0.0 where it names none
    members: tuple[str, ...] = ()  # of an answer that is a set, each of them
    language: str = "en"
    retrievable: bool | None = None  # a gold chunk or an alternative is in BM25's top 20; None: not tried
    split: str = ""  # train | test, "" where rejected
    rejected_because: str = ""

    @property
    def answer_in_words(self) -> str:
        """The answer as it is said without its table: "$4,427 million" for a cell that prints "4,427"."""
        return answer_in_words(self.answer, self.aliases, self.pattern)

    @property
    def gold(self) -> tuple[frozenset[str], ...]:
        """Per gold chunk, each once, the chunks of which any does: it and those that state the same."""
        return gold_sets(self.chunk_ids, self.alternatives)

    @property
    def every_gold(self) -> frozenset[str]:
        """The gold chunks and all others that state the same."""
        return frozenset(name for hop in self.gold for name in hop)

    @property
    def hops(self) -> tuple[Hop, ...]:
        """Per gold chunk, each once, what is as good: see `gold_hops` and `is_found`."""
        return gold_hops(self.chunk_ids, self.alternatives, self.parts)

    @property
    def stating(self) -> frozenset[str]:
        """All chunks that state any of what the gold ones do: none of them is noise."""
        return self.every_gold.union(*self.parts)


@dataclass(frozen=True, slots=True)
class Swap:
    """A value that a passage states, and another of the same kind that it could state instead."""

    old: str
    new: str
    kind: str  # of Triplet.object_type: MONEY, GPE, PERSON, ...
    source: str = ""  # triplet_id or question_id that `new` was taken from


@dataclass(frozen=True, slots=True)
class Pool:
    """What noise for one question can be made of, nearest or fittest first (Magic Mushroom §3.3)."""

    pool_id: str
    question_id: str
    neighbours: tuple[str, ...]  # chunk_ids around the gold chunks, in their documents
    strangers: tuple[str, ...]  # chunk_ids of other questions' documents
    swaps: tuple[Swap, ...]  # of the answer
    counterfacts: tuple[Swap, ...] = ()  # of what the neighbours state


@dataclass(frozen=True, slots=True)
class Variant:
    """A question or a passage, changed, with its proof; the unperturbed question is one too (`perturbation = "none"`).

    A rejected variant keeps its text, so that a reader sees what was wrong with it.
    """

    variant_id: str
    question_id: str
    side: str  # query | document | context
    perturbation: str
    text: str
    chunk_id: str = ""  # the chunk that was changed, or that the passage was taken from; "" on the query side
    number: int = 0  # 0, 1, ... of several by the same perturbation
    family: str = ""  # the perturbation's, or its class of noise
    method: str = ""  # rules | selection | model
    spans: tuple[Span, ...] = ()  # where the gold evidence of this chunk stands in `text`
    entailment: str = ""  # "entailment, entailment": original to variant, and back; "kept, kept" by rules; "" not asked
    checks: tuple[str, ...] = ()  # that were held against it and held, by name
    detail: str = ""  # what was changed, or what failed
    rejected_because: str = ""


@dataclass(frozen=True, slots=True)
class Similarity:
    """How alike two texts were found: of a Variant to its original, of the two names of a Merge.

    The last digits of a number that comes from embeddings are the machine's. These stand here, and nowhere else in a
    benchmark, so that everything else is the same on all machines. What was not compared has no row.
    """

    of: str  # variant_id | merge_id
    kind: str  # variant | merge
    method: str  # embedding | words: whose vectors were compared, the model's or those of word counts
    cosine: float


@dataclass(frozen=True, slots=True)
class Quarantined:
    """What could not be worked on: where, why, and the way out."""

    quarantine_id: str
    stage: str
    source: str
    reason: str  # a code: empty_file, not_html, undecodable, ...
    detail: str


@dataclass(frozen=True, slots=True)
class Breach:
    """A row that broke a rule of its contract, or that depends on one that did, as it was before it was set aside."""

    breach_id: str
    stage: str  # that made the row, or that was at work when it turned out to lack something
    table: str  # that the row was taken out of: chunks, questions, ...
    row: str  # its name there
    rule: str  # a code: contract_ and the rule; contract_depends_on_..., contract_raised
    detail: str  # what the rule has against it
    content: str  # the row as JSON


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a model that did not write a question says of it, 1 to 5 (RARE R23)."""

    judgement_id: str
    question_id: str
    judge: str  # first | second: which of the judges, as configured
    round: int  # 0, 1, ... where a judgement is repeated
    readability: int = 0  # 0: not judged, see `error`
    clarity: int = 0
    correctness: int = 0
    reason: str = ""
    model: str = ""  # that judged, as the provider names it
    error: str = ""  # as Reply.error
    use: int = 0  # whether anybody would ask it; 0: not judged, or a judge that was not asked for it


@dataclass(frozen=True, slots=True)
class Probe:
    """A multi-hop question asked with one of its gold chunks alone (RARE R16, R19): it must not be answerable."""

    probe_id: str
    question_id: str
    chunk_id: str
    answer: str = ""  # "" where the model found none in the chunk
    right: bool = False
    error: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """Passages for one question, in the order in which they are shown; the texts are those of the variants named.

    What was asked for and what came of it stand side by side: `k` and `passages`, `ratio` and `noise`. A context that
    cannot be made at all is a row without passages and with a reason.
    """

    context_id: str
    question_id: str
    variant_ids: tuple[str, ...]
    classes: tuple[str, ...]  # of each passage: golden | distracting | low_quality | inconsequential | irrelevant
    setting: str  # all that was asked for, in words: "natural, k 10, ratio 0.3"
    k: int  # passages asked for
    ratio: float  # of noise asked for, 0 to 1
    passages: int  # in it
    noise: float  # share of noise in it; -1.0 where it is empty
    mix: str = "natural"  # of the noise: natural | a class | "10:7:7:7"
    scenario: str = ""
    placed: str = ""  # the class whose position was asked for
    position: str = ""  # near | mid | far, as seen from the question; "" where nothing was asked, or none is there
    order: str = "shuffled"
    length: str = ""  # the bin of tokens asked for
    tokens: int = 0  # of the passages as they are shown, titles included
    bin: str = ""  # the bin that the tokens fall into
    seed: int = 0
    partial_gold: bool = False  # not every gold chunk of the question is in it
    short_of: tuple[str, ...] = ()  # "distracting: 2 of 4": what the pools lacked of what was asked for
    rejected_because: str = ""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A passage that somebody's retriever found for a question."""

    question_id: str
    rank: int  # 1, 2, ...
    text: str
    score: float | None = None
    passage_id: str = ""  # the retriever's own, or a chunk_id of the benchmark
    doc_id: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Classified:
    """What a retrieved passage is to its question."""

    question_id: str
    rank: int
    passage_id: str
    label: str  # a class of Context.classes, or unclear
    why: str  # the rule that decided, and what it found
    method: str = "rules"  # rules | model
    scores: dict[str, float] = field(default_factory=dict)
    error: str = ""  # as Reply.error, where a model was asked and gave no answer


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of what a model is shown."""

    role: str  # system | user | assistant
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model. `request_id` is the asker's own and names its reply; it is no part of the cache key."""

    request_id: str
    messages: tuple[Message, ...]
    schema: str = ""  # the JSON schema that the reply must keep, as JSON; "" for free text
    temperature: float = 0.0
    max_tokens: int = 1024  # of the reply
    seed: int | None = None
    logprobs: int | None = None  # how many alternatives per token of the reply; None: no log-probabilities


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a reply with its natural log-probability, and the likeliest others as parallel tuples."""

    text: str
    logprob: float
    others: tuple[str, ...] = ()
    other_logprobs: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a request: an answer, or the reason why there is none. Tokens are the provider's own count."""

    request_id: str
    text: str = ""  # raw, kept even where it cannot be used
    parsed: str = ""  # the value that keeps the request's schema, as canonical JSON; "" where none was asked for
    finish_reason: str = ""  # stop | length | content_filter | ..., as the provider says it
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0  # of the prompt's, served from the provider's prefix cache
    logprobs: tuple[Token, ...] = ()
    model: str = ""  # that answered, as the provider names it
    error: str = ""  # a code: see rarefy.tasks.models.llm.faults.REASONS; "" for an answer
    detail: str = ""  # what the provider or the parser said of it, without secrets
    remembered: bool = field(default=False, compare=False)  # from the reply cache: nothing was sent
    seconds: float = field(default=0.0, compare=False)  # that the model took once; a remembered reply keeps them


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A request of a stage that got no usable answer: what it was about, why, and what the model said if anything."""

    unanswered_id: str
    stage: str
    about: str  # the rows it was about, by id
    reason: str  # as Reply.error
    detail: str
    text: str = ""  # the raw reply


GIVEN = ("closed_book", "passages", "own")  # no passages; these passages; whatever the system retrieves itself
STATUSES = ("scored", "failed", "missing", "skipped")


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that a system is shown, or that it retrieved."""

    passage_id: str  # chunk_id or variant_id of the benchmark; the system's own name for it where it retrieved
    text: str
    title: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Hits:
    """What a retriever finds for one wording of a question, best first, and what a reranker leaves of the first few."""

    hits_id: str
    retriever: str
    query_id: str  # variant_id of the wording
    question_id: str
    chunk_ids: tuple[str, ...]
    scores: tuple[float, ...]  # of the retriever, of each
    best: tuple[str, ...] = ()  # chunk_ids after reranking (RARE: 5 found, 3 kept); the first few where none reranks
    reranker: str = ""  # "" where none did


@dataclass(frozen=True, slots=True)
class Trial:
    """One question put to a system in one setting: a cell of a protocol. It depends on no system.

    A cell that the benchmark cannot fill is a row too, with `skipped_because`, so that it can be counted.
    """

    trial_id: str
    protocol: str
    question_id: str
    cell: str  # what the protocol calls it: probe | gold | lexical_similar | retrieved | original | ...
    given: str  # closed_book | passages | own
    query_id: str  # variant_id of the wording asked
    query: str = "none"  # the perturbation of the wording
    number: int = 0  # of several variants by the same perturbation
    passage_ids: tuple[str, ...] = ()  # variant_ids and chunk_ids, as they are shown from top to bottom
    ranks: tuple[int, ...] = ()  # of each, 1 is the retriever's best: what is too much is dropped from the last (B4)
    document: str = ""  # what was done to the passages: "none", a perturbation; "" where they are retrieved or mixed
    chunk_id: str = ""  # the passage that a pair is about (SURE)
    retriever: str = ""
    k: int = 0  # passages asked for
    order: str = ""  # original | reversed | shuffled
    context_id: str = ""  # of a mixed context, and what it was mixed to:
    mix: str = ""
    ratio: float = -1.0
    scenario: str = ""
    placed: str = ""
    position: str = ""
    bin: str = ""
    gold: float = -1.0  # share of the question's gold chunks among the passages; -1.0 where nothing is shown
    noise: float = -1.0  # share of noise in a mixed context, as it came out; `ratio` is what was asked for
    skipped_because: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system said in a trial, or the reason why it said nothing. Trials that ask the same share `asked_id`."""

    trial_id: str
    system: str
    asked_id: str
    text: str = ""
    refused: bool | None = None  # the system's own word for it; None: its text is looked at
    retrieved: tuple[Passage, ...] = ()  # by the system itself, best first; () where it was given passages
    gold: float = -1.0  # share of the gold chunks in what it was shown or retrieved; -1.0 where that is not known
    answer_shown: bool | None = None  # does any form of the answer stand in it (B5); None where that is not known
    shown: int = 0  # passages that fitted into its context, of those that it was given
    prompt_tokens: int = 0
    completion_tokens: int = 0
    calls: int = 0
    seconds: float = 0.0
    cost: float = 0.0  # in the currency of the prices
    model: str = ""
    error: str = ""  # a code; "" for an answer, which may be an empty one
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """Whether an answer is right by its protocol's own rule, and what decided that."""

    trial_id: str
    system: str
    protocol: str
    question_id: str
    status: str  # scored | failed | missing | skipped
    value: float | None = None  # correctness, 0 to 1; None unless scored
    refused: bool = False
    stage: str = ""  # what decided: empty | refusal | exact | contained | value | judge
    matched: str = ""  # the form of the answer that was found
    why: str = ""  # the judge's words, or why there is no score
    judge: str = ""  # the model that judged
    votes: tuple[float, ...] = ()  # what its rounds said, each 0 to 1, where it was asked more than once


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of a result, of one protocol alone, with all that is needed to believe it or not."""

    figure_id: str
    system: str
    protocol: str
    metric: str
    slice: str  # "all", "pattern=chain", "perturbation=typos, known=yes": names and values
    value: float | None  # of what was scored; None where it is undefined
    low: float | None = None  # 95 % interval
    high: float | None = None
    worst: float | None = None  # if all that failed or is missing had gone wrong
    best: float | None = None  # if all of it had gone right
    n_scored: int = 0  # in units
    n_failed: int = 0
    n_missing: int = 0
    n_skipped: int = 0
    unit: str = "trials"
    clusters: int = 0  # questions (or documents) that the interval was drawn from
    withheld: bool = False  # too little of it was scored to compare its value, which then has no interval
    headline: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing of a benchmark, beside what became of it in a later one."""

    change_id: str
    kind: str  # documents | sections | paragraphs | chunks | triplets | questions
    change: str  # added, edited, restated, retired, ...: tasks/refresh/versions/compare.py lists them by kind
    old_id: str = ""  # of the row in the old benchmark; "" for what is new, and for sections and paragraphs
    new_id: str = ""  # of the row in the new one; the successor of a question that was retired
    doc_id: str = ""  # its document in the new benchmark; of what is gone, in the old
    section: str = ""  # where it stands, or stood
    place: str = ""  # in its source, where it stands there: "page 12", "Sheet1!C7"
    about: str = ""  # what it is: a title, a question, "subject · relation · period"
    before: str = ""  # what the old benchmark says
    after: str = ""  # what the new one says
    detail: str = ""  # where it moved to, why it was retired, what else is another
