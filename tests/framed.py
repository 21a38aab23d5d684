"""Small benchmarks as cases, and frames of systems that are plain functions of a trial, without anything in between."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from rarefy.data_contracts.rows import Answer, Chunk, Hits, Question, Score, Trial, Variant
from rarefy.data_contracts.tables import to_table
from rarefy.tasks.evaluate.protocols.case import QuestionVariants, cases
from rarefy.tasks.evaluate.protocols.frame import Frame, build_frame
from rarefy.tasks.evaluate.protocols.protocol import Protocol

RARE_QUERIES = ("character", "word", "irrelevant_detail", "grammar")
SUPERFICIAL = tuple(
    "upper_case lower_case proper_case no_punctuation butter_fingers character_swap white_space superficial_mix".split()
)
RETRIEVERS = ("bm25", "dense", "hybrid")
RIGHT, WRONG, REFUSED = (1.0, False), (0.0, False), (0.0, True)

Verdict = tuple[float, bool] | str
"""Score and whether it refused; or the status of an answer that has none: failed | missing."""


def made(
    number: int = 4,
    *,
    gold: int = 1,
    queries: Iterable[str] = (*RARE_QUERIES, *SUPERFICIAL),
    paraphrases: int = 2,
    documents: Iterable[str] = ("answer_deleted", "back_translation"),
    context: Iterable[str] = ("distraction_before", "distraction_after"),
    retrievers: Sequence[str] = RETRIEVERS,
    found: Callable[[int, str, str], bool] = lambda question, retriever, wording: True,
    rejected: Iterable[Variant] = (),
) -> list[QuestionVariants]:
    """Cases of questions q0, q1, ...: odd ones multi-hop where `gold` is over 1; `found`: whether gold is retrieved."""
    questions, chunks, variants, hits = [], {}, list(rejected), []
    for n in range(number):
        name = f"q{n}"
        own = tuple(f"g{n}{letter}" for letter in "abcd"[: gold if n % 2 else 1])
        for chunk_id in (*own, *(f"x{n}{i}" for i in range(3))):
            chunks[chunk_id] = Chunk(chunk_id, f"doc{n // 2}", 0, 9, "text", "", f"text of {chunk_id}", 3)
        pattern = "chain" if gold > 1 and n % 2 else "single"
        domain = ("finance", "economics", "policy")[n % 3]
        questions.append(
            Question(name, f"p{n}", pattern, f"what is {n}?", f"answer{n}", (), (), own, (), (), domain=domain)
        )
        wordings = {"none": f"{name}:none"}
        variants.append(Variant(f"{name}:none", name, "query", "none", f"what is {n}?"))
        for perturbation in queries:
            wordings[perturbation] = f"{name}:{perturbation}"
            variants.append(Variant(f"{name}:{perturbation}", name, "query", perturbation, f"{perturbation} {n}?"))
        for i in range(paraphrases):
            variants.append(Variant(f"{name}:para{i}", name, "query", "paraphrase", f"say {i} {n}?", number=i))
        for side, names in (("document", documents), ("context", context)):
            for perturbation in names:
                for chunk_id in own:
                    told: dict[str, Any] = {"chunk_id": chunk_id, "family": _family(perturbation)}
                    variants.append(
                        Variant(f"{chunk_id}:{perturbation}", name, side, perturbation, f"{perturbation} {n}", **told)
                    )
        for retriever in retrievers:
            for perturbation, query_id in wordings.items():
                best = (
                    (own[0], f"x{n}0", f"x{n}1")
                    if found(n, retriever, perturbation)
                    else tuple(f"x{n}{i}" for i in range(3))
                )
                hits.append(Hits(f"{retriever}:{query_id}", retriever, query_id, name, best, (3.0, 2.0, 1.0), best))
    return list(cases(questions, variants, chunks, hits))


def _family(perturbation: str) -> str:
    return {"answer_deleted": "deletion"}.get(perturbation, perturbation.partition("_")[0])


def tried(
    protocol: Protocol,
    known: Iterable[QuestionVariants],
    config: Any,
    takes: Iterable[str] = ("closed_book", "passages"),
) -> list[Trial]:
    """The trials of these cases that a system can be put to."""
    return [row for case in known for row in protocol.trials(case, config) if row.given in set(takes)]


def framed(
    protocol: Protocol,
    known: Sequence[QuestionVariants],
    config: Any,
    system: Callable[[Trial], Verdict],
    takes: Iterable[str] = ("closed_book", "passages"),
) -> Frame:
    """The frame of a system that is a function of a trial."""
    return of_trials(protocol, known, tried(protocol, known, config, takes), system)


def of_trials(
    protocol: Protocol, known: Sequence[QuestionVariants], trials: Sequence[Trial], system: Callable[[Trial], Verdict]
) -> Frame:
    """The same of these trials, in their order."""
    answers, scores = [], []
    for row in trials:
        said = "skipped" if row.skipped_because else system(row)
        if said == "missing":
            continue
        error = "" if isinstance(said, tuple) else "timeout"
        if said != "skipped":
            answers.append(
                Answer(row.trial_id, "s", row.trial_id, gold=row.gold, shown=len(row.passage_ids), error=error)
            )
        blank = Score(row.trial_id, "s", protocol.name, row.question_id, "scored")
        if isinstance(said, tuple):
            scores.append(replace(blank, value=said[0], refused=said[1]))
        else:
            scores.append(replace(blank, status=said))
    tables = (to_table(trials, Trial), to_table(answers, Answer), to_table(scores, Score))
    questions = to_table([case.question for case in known], Question)
    return build_frame(*tables, questions, to_table(list(known[0].chunks.values()), Chunk))


def values(protocol: Protocol, one: Frame, config: Any) -> dict[tuple[str, str], float]:
    """What every number comes to, by metric and slice; NaN where it is undefined."""
    found = {}
    for measure in protocol.numbers(one, config):
        key = (measure.metric, measure.slice)
        assert key not in found, f"two numbers are called {key}"
        found[key] = value(measure)
    return found


def value(measure: Any) -> float:
    """What a measure comes to."""
    if hasattr(measure, "of"):
        return float(measure.how(*(value(part) for part in measure.of)))
    below = float(measure.denominator.sum())
    return float(measure.numerator.sum()) / below if below else float("nan")


def by_name(protocol: Protocol, one: Frame, config: Any) -> dict[tuple[str, str], Any]:
    """The measures themselves, by metric and slice."""
    return {(measure.metric, measure.slice): measure for measure in protocol.numbers(one, config)}


POOLS = {"golden": 10, "distracting": 10, "low_quality": 7, "inconsequential": 7, "irrelevant": 7}


def pooled(number: int = 3, *, multi: bool = False, pools: dict[str, int] | None = None) -> list[QuestionVariants]:
    """Cases with passages to mix, as many of each class as Magic Mushroom has; odd ones multi-hop where `multi`."""
    questions, chunks, variants = [], {}, []
    for n in range(number):
        own = (f"g{n}a", f"g{n}b") if multi and n % 2 else (f"g{n}a",)
        for chunk_id in own:
            chunks[chunk_id] = Chunk(chunk_id, f"doc{n}", 0, 9, "text", "", "text", 3)
        pattern = "chain" if len(own) > 1 else "single"
        questions.append(Question(f"q{n}", f"p{n}", pattern, f"what is {n}?", f"Oslo{n}", (), (), own, (), ()))
        for family, count in (pools or POOLS).items():
            for i in range(count):
                text = f"{family} passage {i} of {n}" + (f" says Oslo{n}" if family == "golden" else " says nothing")
                told: dict[str, Any] = {"chunk_id": own[i % len(own)], "number": i, "family": family}
                variants.append(Variant(f"q{n}:{family}:{i}", f"q{n}", "context", f"{family}_made", text, **told))
    return list(cases(questions, variants, chunks))
