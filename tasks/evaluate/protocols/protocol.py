"""The `Protocol` record: what one paper tries, by which rule an answer is right, and its measures (papers.md §0)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from rarefy.data_contracts.rows import KINDS, PATTERNS, Trial, Variant, is_found, row_id
from rarefy.tasks.evaluate.protocols.case import QuestionVariants
from rarefy.tasks.evaluate.protocols.display import Display

if TYPE_CHECKING:
    from rarefy.tasks.evaluate.protocols.frame import Frame
    from rarefy.tasks.evaluate.statistics.measure import Metric

OUTSIDE = "a kind that the paper does not have; in no headline"
# where answers are held against those without passages: a guess among what is named would be taken for knowledge
KNOWN = (*PATTERNS, "change", "share")
GUESSED = ("comparison", "superlative", "listing")


@dataclass(frozen=True)
class PromptPack:
    """The prompts of one paper for `--system rag`, in tasks/evaluate/systems/prompts/<role>.<domain>.j2.

    Prompts that the paper prints are copied; `made` names the steps whose prompts were written here in its manner.
    """

    name: str
    paper: str  # where its prompts are printed
    reads: str  # key of READERS in systems/rag/reply_parsing: how a reply states the answer
    notes: str = "noted"  # the same for ChainOfNote
    made: tuple[str, ...] = ()

    def role(self, step: str) -> str:
        """Return the prompt's role for one of the steps of systems/rag/conversation."""
        return f"{self.name}_{step}"


@dataclass(frozen=True)
class Protocol:
    """One paper's protocol; scores of two protocols never share a column.

    An option that the paper leaves open, or that was reconstructed, is a field of `config` whose `json_schema_extra`
    has `tag` "open" or "recon" and `source`; the results print it with the chosen value.
    """

    name: str  # as in [protocols.NAME] and Trial.protocol
    title: str
    paper: str  # arXiv id
    config: type[BaseModel]
    refusal: str  # the words that a system is asked to refuse with; "" where it must not refrain
    contained: bool  # right is what contains the answer (no judge); else what is unmatched is judged
    judge: str  # role of the judge's prompt in tasks/evaluate/correct/prompts; "" where none judges
    trials: Callable[[QuestionVariants, Any], Iterator[Trial]]
    # numbers of one system, from its scored trials of this protocol alone, of the kinds that count
    measures: Callable[["Frame", Any], Iterable["Metric"]]
    # why nothing of it can be tried with what there is, "" where something can: (all cases, what systems take)
    lacking: Callable[[list[QuestionVariants], Any, frozenset[str]], str]
    # numbers of several systems together, each with the label of those it is of; None where there are none
    across: "Callable[[Mapping[str, Frame], Any], Iterable[tuple[str, Metric]]] | None" = None
    display: Display = field(default_factory=Display)
    prompts: PromptPack | None = None  # None: the general ones
    # the paper's own [retrieve] settings, which `retrieve.preset = NAME` takes; empty where it retrieves nothing
    retrieval: Mapping[str, Any] = field(default_factory=dict)
    about: str = ""  # what its options are about, where the title does not say it
    # A column of the table of kinds against protocols (docs/kinds.md): which kinds of question count in its numbers,
    # and which are asked too and have numbers of their own; others are not asked. A pattern of one's own counts.
    kinds: tuple[str, ...] = PATTERNS
    beside: tuple[str, ...] = ()
    # Which part of it a trial of a question is of: a budget draws the trials of a part and a document (chunk_id) whole.
    # "" for what all of them need (closed book, the document as it is): it is asked with the first of them.
    part: Callable[[Trial, Any], str] = lambda trial, config: "all"
    # numbers of what the corpus does not answer, where that is asked: its trials, then those of what it answers
    abstention: Callable[["Frame", "Frame"], Iterable["Metric"]] | None = None

    @property
    def description(self) -> str:
        """The description of its options, in the schema and in forms."""
        return f"{self.about or self.title} (arXiv {self.paper})" if self.paper else self.about or self.title

    @property
    def uncounted(self) -> tuple[str, ...]:
        """The kinds of question that are in none of its numbers but their own."""
        return tuple(kind for kind in KINDS if kind not in self.kinds)

    def asks(self, kind: str) -> bool:
        """Whether it asks questions of a kind."""
        return kind not in self.uncounted or kind in self.beside

    def counted(self, frame: "Frame") -> "Frame":
        """The trials of the kinds that count."""
        return frame.where(~frame.has("pattern", *self.uncounted))

    def numbers(self, frame: "Frame", config: Any) -> "Iterator[Metric]":
        """All numbers of one system: of the kinds that count, then of each other kind by itself.

        Beside those of a kind that names what may be chosen stands what a guess would get.
        """
        guesses = {f"pattern={kind}": frame.only("pattern", kind).guess() for kind in KINDS}
        for one in self._numbers(frame, config):
            guess = guesses.get(one.slice, "")
            yield replace(one, note="; ".join(filter(None, (one.note, guess)))) if guess else one

    def _numbers(self, frame: "Frame", config: Any) -> "Iterator[Metric]":
        counted = self.counted(frame)
        if counted.size:
            yield from self.measures(counted, config)
        absent = frame.has("pattern", "absent")
        if self.abstention and absent.any():
            yield from self.abstention(frame.where(absent), frame.where(~absent))
        for kind in self.beside:
            own = frame.only("pattern", kind)
            if kind == "absent" or not own.size:
                continue
            for one in self.measures(own, config):
                if one.slice == "all" and (one.headline or one.metric in self.display.beside):
                    note = "; ".join(filter(None, (OUTSIDE, one.note)))
                    yield replace(one, slice=f"pattern={kind}", headline=False, note=note)


def trial(protocol: str, case: QuestionVariants, cell: str, given: str, **fields: Any) -> Trial:
    """A trial of a case's question, with an id made of its content; `fields` are fields of Trial.

    The share of gold chunks among `passage_ids` is filled in, and each passage's rank where no ranks are given.
    """
    query_id = fields.pop("query_id", case.original.variant_id)
    passage_ids = tuple(fields.pop("passage_ids", ()))
    ranks = tuple(fields.pop("ranks", range(1, len(passage_ids) + 1)))
    parts = [f"{name}={fields[name]}" for name in sorted(fields) if name not in ("gold", "skipped_because")]
    name = row_id("trial", protocol, case.question.question_id, cell, given, query_id, *parts, *passage_ids, *ranks)
    if "gold" not in fields:
        fields["gold"] = gold_share(case, passage_ids) if passage_ids else -1.0
    return Trial(
        name, protocol, case.question.question_id, cell, given, query_id, passage_ids=passage_ids, ranks=ranks, **fields
    )


def gold_share(case: QuestionVariants, passage_ids: Iterable[str]) -> float:
    """The share of a question's gold chunks that these passages hold, as they are or with their gold kept.

    A passage that states the same stands for the gold one.
    """
    hops = case.question.hops
    if not hops:
        return -1.0
    made_of = {row.variant_id: row.chunk_id for row in (*case.documents, *case.context) if _holds_gold(row)}
    shown = {made_of.get(name, name) for name in passage_ids}
    return sum(is_found(hop, shown) for hop in hops) / len(hops)


def _holds_gold(row: Variant) -> bool:
    """Whether a changed passage still holds what its gold chunk says."""
    if row.side == "document":
        return row.family != "deletion"
    return row.family in ("golden", "distraction")
