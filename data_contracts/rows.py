"""Every row type (with those of `asked`, `changes`, `contexts`, `evaluation`, `exchange`) and their names (§2)."""

import hashlib
import json
from dataclasses import dataclass, field

from rarefy.data_contracts.changes import Change as Change
from rarefy.data_contracts.contexts import Classified as Classified
from rarefy.data_contracts.contexts import Context as Context
from rarefy.data_contracts.contexts import Retrieved as Retrieved
from rarefy.data_contracts.evaluation import Answer as Answer
from rarefy.data_contracts.evaluation import Figure as Figure
from rarefy.data_contracts.evaluation import Hits as Hits
from rarefy.data_contracts.evaluation import Passage as Passage
from rarefy.data_contracts.evaluation import Score as Score
from rarefy.data_contracts.evaluation import Trial as Trial
from rarefy.data_contracts.exchange import Message as Message
from rarefy.data_contracts.exchange import Reply as Reply
from rarefy.data_contracts.exchange import Request as Request
from rarefy.data_contracts.exchange import Token as Token
from rarefy.data_contracts.exchange import Unanswered as Unanswered
from rarefy.data_contracts.model_judgements import Judgement as Judgement
from rarefy.data_contracts.model_judgements import Probe as Probe

# Types of object that are values, not things: two facts that share one share nothing
LITERALS = frozenset("MONEY PERCENT NUMBER DATE TEXT TIME QUANTITY CARDINAL ORDINAL DURATION RATIO".split())

# Answers that are verdicts, not words of a passage: "no" in "no notes are due" answers nothing
VERDICTS = frozenset({"yes", "no", "true", "false"})

# How `Variant.rejected_because` begins where something was not tried, rather than tried in vain
UNTRIED = ("needs_", "language")


def row_id(*parts: str | int) -> str:
    """Name a row after what it is made of, so that equal work gets equal names on every machine."""
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch `[start, end)` of a document's text that must be kept in mind as a whole."""

    kind: str  # heading | text | table | caption | footnote
    start: int
    end: int
    section: str = ""  # the item and section titles above it, joined by " > "


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
    method: str  # table | cover | deadline | reading | prose | model
    subject_type: str = ""  # ORG | PERSON | GPE | PRODUCT | SEGMENT | LAW | ...
    object_type: str = ""  # those, or MONEY | PERCENT | NUMBER | DATE | TEXT for literals
    header: str = ""  # a table row's header line, verbatim
    header_start: int = 0
    header_end: int = 0
    group: str = ""  # the row above that the row's label hangs on ("Earnings per share:"), verbatim
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
    """Triplets that make one pattern of RARE §3.3, the answer's last."""

    path_id: str
    pattern: str  # single | chain | star | inverted_star
    triplet_ids: tuple[str, ...]
    chunk_ids: tuple[str, ...]
    pivot: str
    domain: str = "default"


@dataclass(frozen=True, slots=True)
class Span:
    """Where a gold sentence stands: `chunk.text[start:end]`."""

    chunk_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold answer; `evidence[i]` is the text of `evidence_spans[i]`."""

    question_id: str
    path_id: str
    pattern: str
    text: str
    answer: str
    aliases: tuple[str, ...]
    triplet_ids: tuple[str, ...]
    chunk_ids: tuple[str, ...]
    evidence: tuple[str, ...]
    evidence_spans: tuple[Span, ...]
    entity: str = ""
    domain: str = "default"
    period: str = ""
    valid_from: str = ""  # ISO date: end of the period asked about
    latest: bool = False  # names no period: what holds by the newest document is asked, and a newer one may say another
    pivot: str = ""
    language: str = "en"
    retrievable: bool | None = None  # a gold chunk is in BM25's top 20; None: not tried
    split: str = ""  # train | test, "" where rejected
    rejected_because: str = ""


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
    method: str = ""  # rules | selection | model | apertium
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
