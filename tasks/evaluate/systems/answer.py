"""The answer stage: puts each trial to a system, equal inputs once (retrieval robustness B4, B5)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import (
    Answer,
    Chunk,
    Hits,
    Passage,
    Question,
    Trial,
    Unanswered,
    Variant,
    is_found,
    row_id,
)  # fmt: skip
from rarefy.tasks.corpus.tokens import counter
from rarefy.tasks.evaluate.protocols import PROTOCOLS
from rarefy.tasks.evaluate.systems.config import SystemConfig
from rarefy.tasks.evaluate.systems.interface import System, SystemInput, SystemOutput
from rarefy.tasks.questions.gates.wording import contains_phrase
from rarefy.tasks.questions.operands import is_answerable

VERSION = 3  # passages that state the same, alone or together, count as gold; operands of a computed answer
OF_LAYOUT = ("format", "metadata")  # families of document variants whose text includes the title
REPEAT = "repeat"  # cell of a trial that repeats another one, to measure how much answers vary by themselves
TokenCounter = Callable[[Sequence[str]], list[int]]


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
    """Yield an answer to each trial that is not skipped and that the system takes, in their order.

    Where the system fails, the answer has an error and an `Unanswered` row follows. `hits` are what the configured
    retriever found for systems of ours.
    """
    renderer = TrialRenderer(config.system, questions, variants, chunks, hits, config.corpus)
    inputs: dict[str, SystemInput] = {}
    asked: list[AskedTrial] = []
    for put, question in renderer.render_trials(list(trials)):
        inputs.setdefault(question.asked_id, question)
        asked.append(put)
    outputs: dict[str, SystemOutput] = {}
    replies = system(inputs.values())
    for put in asked:
        while put.asked_id not in outputs:
            reply = next(replies, None)
            if reply is None:
                reply = SystemOutput(
                    put.asked_id, error="lost", detail="the system gave no answer to this, nor to what follows"
                )
            outputs[reply.asked_id] = reply
        output = outputs[put.asked_id]
        yield renderer.make_answer(config.name, put, output)
        if output.error:
            about = f"{config.name} {put.trial.trial_id}"
            name = row_id("unanswered", "answer", about, output.error)
            yield Unanswered(name, f"answer {config.name}", about, output.error, output.detail, output.text)


def select_trials(trials: Sequence[Trial], system: SystemConfig) -> list[Trial]:
    """Return the trials whose `given` the system takes.

    `own` trials of a system whose retrieval is ours would repeat the protocol's `passages` trials of the same question:
    they are left out where the protocol has those.
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
class AskedTrial:
    """A trial and the input that the system got for it."""

    trial: Trial
    asked_id: str
    shown: int
    passages: tuple[Passage, ...] | None


@dataclass
class TrialRenderer:
    """Makes the inputs of trials for one system, and answers from its outputs."""

    system: SystemConfig
    questions: Mapping[str, Question]
    variants: Mapping[str, Variant]
    chunks: Mapping[str, Chunk]
    hits: Mapping[str, Hits]
    corpus: str = ""  # digest of the documents behind an index that follows them
    _passages: dict[str, Passage] = field(default_factory=dict)
    _digests: dict[str, str] = field(default_factory=dict)
    _sizes: dict[str, int] = field(default_factory=dict)
    _shows: dict[tuple[str, str, str], bool] = field(default_factory=dict)
    _hits: dict[tuple[str, str], Hits] = field(default_factory=dict)
    _count: TokenCounter | None = None

    def __post_init__(self) -> None:
        self._hits = {(row.retriever, row.query_id): row for row in self.hits.values()}

    def render_trials(self, trials: Sequence[Trial]) -> Iterator[tuple[AskedTrial, SystemInput]]:
        """Yield each trial that is not skipped and that the system takes, with its input."""
        for trial in select_trials(trials, self.system):
            if not trial.skipped_because:
                question, shown = self.render_input(trial)
                yield AskedTrial(trial, question.asked_id, shown, question.passages), question

    def render_input(self, trial: Trial) -> tuple[SystemInput, int]:
        """Return the system's input for a trial, and how many passages it holds."""
        question = self.questions[trial.question_id]
        wording = self.variants[trial.query_id].text if trial.query_id in self.variants else question.text
        passages = self.find_passages(trial)
        if passages:
            ranks = trial.ranks if trial.given == "passages" else tuple(range(1, len(passages) + 1))
            passages = self._drop_to_fit(wording, passages, ranks)
        protocol = PROTOCOLS[trial.protocol]
        # only a system that is shown the protocol's prompt answers differently under another protocol
        refusal = protocol.refusal if self.system.prompted or self.system.kind == "extractive" else ""
        prompt = (trial.protocol if self.system.prompted else "", refusal)
        own = ["own", self.corpus] if self.corpus else ["own"]
        texts = own if passages is None else [self._digest(passage) for passage in passages]
        repeat = trial.number if trial.cell == REPEAT else 0
        name = row_id("asked", *prompt, wording, question.domain, question.language, repeat, *texts)
        rendered = SystemInput(name, wording, passages, *prompt, question.domain, question.language, repeat)
        return rendered, len(passages or ())

    def find_passages(self, trial: Trial) -> tuple[Passage, ...] | None:
        """Return the passages of a trial from top to bottom; None where the system retrieves by itself."""
        if trial.given == "closed_book":
            return ()
        if trial.given == "own":
            if self.system.retrieves:
                return None
            hits = self._hits.get((self.system.retriever, trial.query_id))
            if hits is None:
                raise ValueError(f"nothing was retrieved by {self.system.retriever!r} for wording {trial.query_id}")
            return tuple(self._passage(name) for name in hits.chunk_ids[: self.system.k])
        return tuple(self._passage(name) for name in trial.passage_ids)

    def _passage(self, name: str) -> Passage:
        if name not in self._passages:
            self._passages[name] = self._make_passage(name)
        return self._passages[name]

    def _make_passage(self, name: str) -> Passage:
        if name in self.chunks:
            chunk = self.chunks[name]
            return Passage(name, chunk.text, chunk.title)
        variant = self.variants[name]
        source = self.chunks.get(variant.chunk_id)
        return Passage(name, variant.text, source.title if source and variant.family not in OF_LAYOUT else "")

    def _digest(self, passage: Passage) -> str:
        name = passage.passage_id
        if name not in self._digests:
            self._digests[name] = row_id(passage.title, passage.text)
        return self._digests[name]

    def _drop_to_fit(self, wording: str, passages: tuple[Passage, ...], ranks: tuple[int, ...]) -> tuple[Passage, ...]:
        """Return the passages that fit `context_tokens` beside the question, in order; low ranks go first (B4)."""
        limit = self.system.context_tokens
        if not limit:
            return passages
        room = limit - self._count_tokens([wording])[0]
        new = [passage for passage in passages if passage.passage_id not in self._sizes]
        counts = self._count_tokens([f"{passage.title}\n{passage.text}" for passage in new])
        self._sizes |= {passage.passage_id: size for passage, size in zip(new, counts, strict=True)}
        sizes = [self._sizes[passage.passage_id] for passage in passages]
        kept = set(range(len(passages)))
        total = sum(sizes)
        for place in sorted(kept, key=lambda at: ranks[at], reverse=True):
            if total <= room:
                break
            kept.discard(place)
            total -= sizes[place]
        return tuple(passage for place, passage in enumerate(passages) if place in kept)

    def _count_tokens(self, texts: list[str]) -> list[int]:
        if self._count is None:
            self._count = counter(self.system.tokenizer)
        return self._count(texts) if texts else []

    def make_answer(self, name: str, put: AskedTrial, output: SystemOutput) -> Answer:
        """Return the answer row of system `name` for a trial."""
        trial, question = put.trial, self.questions[put.trial.question_id]
        had = put.passages if put.passages is not None else output.retrieved
        known = put.passages is not None or bool(output.retrieved)
        retrieved: Sequence[Passage] = ()
        if trial.given == "own":  # passages of the benchmark by name alone: their texts are in its own tables
            retrieved = had if put.passages is None else [replace(passage, text="") for passage in had]
        return Answer(
            trial.trial_id,
            name,
            put.asked_id,
            output.text,
            output.refused,
            tuple(retrieved),
            self._gold_share(trial, question, had) if known else -1.0,
            self._state_answer(question, had) if known else None,
            put.shown,
            output.prompt_tokens,
            output.completion_tokens,
            output.calls,
            output.seconds,
            output.cost,
            output.model,
            output.error,
            output.detail,
        )

    def _gold_share(self, trial: Trial, question: Question, had: Sequence[Passage]) -> float:
        """Return the share of gold chunks among the passages, by name; what states the same stands for a gold one.

        -1 for a question without gold chunks. Passages with names of a system's own are credited by their words, which
        takes all chunks (`gold_shares`).
        """
        if trial.given == "passages" and len(had) == len(trial.passage_ids):
            return trial.gold
        gold = question.hops
        if not gold:
            return -1.0
        names = {passage.passage_id for passage in had}
        names |= {self.variants[n].chunk_id for n in names if n in self.variants and _keeps_gold(self.variants[n])}
        return sum(is_found(hop, names) for hop in gold) / len(gold)

    def _state_answer(self, question: Question, had: Sequence[Passage]) -> bool:
        """Return whether one of the passages states the answer, or all together every operand of a computed one."""
        return is_answerable(
            question, lambda form, aliases: any(self._states(question, (form, *aliases), passage) for passage in had)
        )

    def _states(self, question: Question, of: tuple[str, ...], passage: Passage) -> bool:
        """Return whether a passage states any of these forms of an answer, or of one of its operands."""
        text_key = self._digest(passage) if passage.passage_id in self._digests else passage.text
        key = (question.question_id, of[0], text_key)
        if key not in self._shows:
            text = " ".join(passage.text.casefold().split())
            forms = (" ".join(form.casefold().split()) for form in of)
            # the quick look first: says() goes through the text word by word
            self._shows[key] = any(form and form in text and contains_phrase(text, form) for form in forms)
        return self._shows[key]


def _keeps_gold(row: Variant) -> bool:
    """Return whether a variant of a gold chunk still counts as that chunk."""
    return (row.side == "document" and row.family != "deletion") or row.family in ("golden", "distraction")
