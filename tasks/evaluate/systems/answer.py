"""Trials to answers: each system is asked what each trial says, equal asks once (retrieval robustness B4, B5)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import Answer, Chunk, Hits, Passage, Question, Trial, Unanswered, Variant, row_id
from rarefy.tasks.corpus.chunk.tokens import counter
from rarefy.tasks.evaluate.protocols import PROTOCOLS
from rarefy.tasks.evaluate.systems.config import SystemConfig
from rarefy.tasks.evaluate.systems.interface import System, SystemInput, SystemOutput
from rarefy.tasks.questions.gates.given_away import says

VERSION = 1
OF_LAYOUT = ("format", "metadata")  # families of document variants whose text has the title in it
REPEAT = "repeat"  # the cell of a trial that asks what another one asked, to see how much answers differ by themselves
Count = Callable[[Sequence[str]], list[int]]


class AnswerConfig(BaseModel, frozen=True, extra="forbid"):
    """Which system is asked, and what it is called in the results."""

    name: str = Field(description="the system's name in every row")
    system: SystemConfig
    corpus: str = Field("", description="digest of the documents, where the system's own index follows them")


def answer(
    trials: Iterable[Trial],
    config: AnswerConfig,
    *,
    questions: Mapping[str, Question],
    variants: Mapping[str, Variant],
    chunks: Mapping[str, Chunk],
    hits: Mapping[str, Hits],
    system: System,
) -> Iterator[Answer | Unanswered]:
    """An answer to every trial that can be tried and that the system takes, in their order.

    A system that fails is a row with an error, and one that tells of the request. `hits` are what a built-in system
    retrieves by itself.
    """
    desk = TrialRenderer(config.system, questions, variants, chunks, hits, config.corpus)
    wanted = [row for row in put_to(list(trials), config.system) if not row.skipped_because]
    asked: dict[str, SystemInput] = {}
    put: list[Put] = []
    for row in wanted:
        one, shown = desk.ask(row)
        asked.setdefault(one.asked_id, one)
        put.append(Put(row, one.asked_id, shown, one.passages))
    said: dict[str, SystemOutput] = {}
    replies = system(asked.values())
    for it in put:
        while it.asked_id not in said:
            reply = next(replies, None)
            if reply is None:
                reply = SystemOutput(
                    it.asked_id, error="lost", detail="the system gave no answer to this, nor to what follows"
                )
            said[reply.asked_id] = reply
        found = said[it.asked_id]
        yield desk.answered(config.name, it, found)
        if found.error:
            about = f"{config.name} {it.trial.trial_id}"
            name = row_id("unanswered", "answer", about, found.error)
            yield Unanswered(name, f"answer {config.name}", about, found.error, found.detail, found.text)


def put_to(trials: Sequence[Trial], system: SystemConfig) -> list[Trial]:
    """The trials that are this system's: of what it takes.

    One that retrieves by itself is asked so, whatever else it takes. For one of ours that would be the retrieval that
    `passages` trials show it anyway: it is asked so only where a protocol has no such trials for the question.
    """
    shown = {(row.protocol, row.question_id) for row in trials if row.given == "passages"}
    doubled = not system.retrieves and "passages" in system.takes
    return [
        row
        for row in trials
        if row.given in system.takes
        and not (row.given == "own" and doubled and (row.protocol, row.question_id) in shown)
    ]


@dataclass(frozen=True, slots=True)
class Put:
    """A trial as it was put to the system."""

    trial: Trial
    asked_id: str
    shown: int
    passages: tuple[Passage, ...] | None


@dataclass
class TrialRenderer:
    """What trials name, as texts, for one system."""

    system: SystemConfig
    questions: Mapping[str, Question]
    variants: Mapping[str, Variant]
    chunks: Mapping[str, Chunk]
    hits: Mapping[str, Hits]
    corpus: str = ""  # digest of the documents behind an index that follows them
    _passages: dict[str, Passage] = field(default_factory=dict)
    _digests: dict[str, str] = field(default_factory=dict)
    _sizes: dict[str, int] = field(default_factory=dict)
    _shows: dict[tuple[str, str], bool] = field(default_factory=dict)
    _found: dict[tuple[str, str], Hits] = field(default_factory=dict)
    _count: Count | None = None

    def __post_init__(self) -> None:
        self._found = {(row.retriever, row.query_id): row for row in self.hits.values()}

    def ask(self, trial: Trial) -> tuple[SystemInput, int]:
        """What the system is asked in a trial, and how many of its passages fitted."""
        question = self.questions[trial.question_id]
        wording = self.variants[trial.query_id].text if trial.query_id in self.variants else question.text
        passages = self.given(trial)
        if passages:
            ranks = trial.ranks if trial.given == "passages" else tuple(range(1, len(passages) + 1))
            passages = self._fitted(wording, passages, ranks)
        protocol = PROTOCOLS[trial.protocol]
        # only a system that is shown the protocol's prompt answers differently under another protocol
        told = (trial.protocol, protocol.refusal) if self.system.prompted else ("", self._refusal(protocol.refusal))
        own = ["own", self.corpus] if self.corpus else ["own"]
        texts = own if passages is None else [self._digest(one) for one in passages]
        repeat = trial.number if trial.cell == REPEAT else 0
        name = row_id("asked", *told, wording, question.domain, question.language, repeat, *texts)
        asked = SystemInput(name, wording, passages, *told, question.domain, question.language, repeat)
        return asked, len(passages or ())

    def _refusal(self, words: str) -> str:
        """The words to refuse with, for a system of ours; others have their own way of refusing, in every protocol."""
        return words if self.system.kind == "extractive" else ""

    def given(self, trial: Trial) -> tuple[Passage, ...] | None:
        """The passages of a trial from top to bottom; None where the system finds its own."""
        if trial.given == "closed_book":
            return ()
        if trial.given == "own":
            if self.system.retrieves:
                return None
            found = self._found.get((self.system.retriever, trial.query_id))
            if found is None:
                raise ValueError(f"nothing was retrieved by {self.system.retriever!r} for wording {trial.query_id}")
            return tuple(self._passage(name) for name in found.chunk_ids[: self.system.k])
        return tuple(self._passage(name) for name in trial.passage_ids)

    def _passage(self, name: str) -> Passage:
        if name not in self._passages:
            self._passages[name] = self._made(name)
        return self._passages[name]

    def _made(self, name: str) -> Passage:
        if name in self.chunks:
            chunk = self.chunks[name]
            return Passage(name, chunk.text, chunk.title)
        variant = self.variants[name]
        of = self.chunks.get(variant.chunk_id)
        return Passage(name, variant.text, of.title if of and variant.family not in OF_LAYOUT else "")

    def _digest(self, passage: Passage) -> str:
        name = passage.passage_id
        if name not in self._digests:
            self._digests[name] = row_id(passage.title, passage.text)
        return self._digests[name]

    def _fitted(self, wording: str, passages: tuple[Passage, ...], ranks: tuple[int, ...]) -> tuple[Passage, ...]:
        """The passages that fit beside the question, the lowest ranks dropped first, in the order they were in (B4)."""
        limit = self.system.context_tokens
        if not limit:
            return passages
        room = limit - self._tokens([wording])[0]
        new = [one for one in passages if one.passage_id not in self._sizes]
        for one, size in zip(new, self._tokens([f"{p.title}\n{p.text}" for p in new]), strict=True):
            self._sizes[one.passage_id] = size
        sizes = [self._sizes[one.passage_id] for one in passages]
        kept = set(range(len(passages)))
        total = sum(sizes)
        for place in sorted(kept, key=lambda at: ranks[at], reverse=True):
            if total <= room:
                break
            kept.discard(place)
            total -= sizes[place]
        return tuple(one for place, one in enumerate(passages) if place in kept)

    def _tokens(self, texts: list[str]) -> list[int]:
        if self._count is None:
            self._count = counter(self.system.tokenizer)
        return self._count(texts) if texts else []

    def answered(self, name: str, put: Put, said: SystemOutput) -> Answer:
        """The row of what a system said in a trial."""
        trial, question = put.trial, self.questions[put.trial.question_id]
        had = put.passages if put.passages is not None else said.retrieved
        known = put.passages is not None or bool(said.retrieved)
        own = trial.given == "own"
        retrieved = had if own and put.passages is None else _named(had) if own else ()
        return Answer(
            trial.trial_id,
            name,
            put.asked_id,
            said.text,
            said.refused,
            retrieved,
            self._gold(trial, question, had) if known else -1.0,
            self._answer_in(question, had) if known else None,
            put.shown,
            said.prompt_tokens,
            said.completion_tokens,
            said.calls,
            said.seconds,
            said.cost,
            said.model,
            said.error,
            said.detail,
        )

    def _gold(self, trial: Trial, question: Question, had: Sequence[Passage]) -> float:
        """The share of gold chunks in what the system had: by name, or by their gold sentences where names differ."""
        if trial.given == "passages" and len(had) == len(trial.passage_ids):
            return trial.gold
        gold = dict.fromkeys(question.chunk_ids)
        if not gold:
            return -1.0
        names = {one.passage_id for one in had}
        made_of = {self.variants[n].chunk_id for n in names if n in self.variants and _tells(self.variants[n])}
        texts = [" ".join(one.text.split()) for one in had if one.passage_id not in self.chunks]
        return sum(
            name in names or name in made_of or (bool(texts) and self._evidence_in(question, name, texts))
            for name in gold
        ) / len(gold)

    @staticmethod
    def _evidence_in(question: Question, chunk_id: str, texts: list[str]) -> bool:
        sentences = [
            " ".join(text.split())
            for text, span in zip(question.evidence, question.evidence_spans, strict=True)
            if span.chunk_id == chunk_id
        ]
        return bool(sentences) and all(any(sentence in text for text in texts) for sentence in sentences)

    def _answer_in(self, question: Question, had: Sequence[Passage]) -> bool:
        return any(self._shown_in(question, one) for one in had)

    def _shown_in(self, question: Question, passage: Passage) -> bool:
        key = (question.question_id, self._digest(passage) if passage.passage_id in self._digests else passage.text)
        if key not in self._shows:
            text = " ".join(passage.text.casefold().split())
            forms = (" ".join(form.casefold().split()) for form in (question.answer, *question.aliases))
            # the quick look first: says() goes through the text word by word
            self._shows[key] = any(form and form in text and says(text, form) for form in forms)
        return self._shows[key]


def _named(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Passages of the benchmark by name alone: their texts are in its own tables."""
    return tuple(Passage(one.passage_id, "", one.title, one.score) for one in passages)


def _tells(row: Variant) -> bool:
    return (row.side == "document" and row.family != "deletion") or row.family in ("golden", "distraction")
