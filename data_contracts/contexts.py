"""What a system is shown with a question: mixed to order, or as a user's own retriever found it (Magic Mushroom §4)."""

from dataclasses import dataclass, field


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
