"""The rows of an evaluation: what was found, asked, answered, scored, and what it comes to (architecture §2)."""

from dataclasses import dataclass

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
    """One question put to a system in one setting: a cell of a protocol. It hangs on no system.

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
    value: float | None  # None where it is undefined or withheld
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
    withheld: bool = False  # too little of it was scored
    headline: bool = False
    note: str = ""
