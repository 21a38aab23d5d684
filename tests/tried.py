"""Small benchmarks, and systems of known robustness on them, as tests of SURE and of retrieval robustness use them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from rarefy.data_contracts.rows import Answer, Chunk, Hits, Question, Score, Trial, Variant, row_id
from rarefy.data_contracts.tables import to_table
from rarefy.tasks.evaluate.protocols import PROTOCOLS, QuestionVariants, cases
from rarefy.tasks.evaluate.protocols.frame import Frame, build_frame
from rarefy.tasks.evaluate.statistics.measure import Measure, Metric

Says = Callable[[Trial], float | str | None]  # a score, "refused", "failed", or None where it is never scored


@dataclass
class Benchmark:
    """Questions q0, q1, ... whose answers stand in chunks; documents changed by name; lists of retrievers."""

    questions: list[Question] = field(default_factory=list)
    chunks: dict[str, Chunk] = field(default_factory=dict)
    variants: dict[str, Variant] = field(default_factory=dict)
    hits: dict[str, Hits] = field(default_factory=dict)

    def chunk(self, name: str, text: str, title: str = "") -> None:
        """A chunk of a document of its own."""
        self.chunks[name] = Chunk(name, f"doc {name}", 0, len(text), "text", "", text, len(text.split()), title=title)

    def ask(self, name: str, *gold: str, answer: str = "42", domain: str = "finance", pattern: str = "") -> None:
        """A question whose gold is these chunks."""
        self.questions.append(
            Question(
                name,
                name,
                pattern or ("single" if len(gold) == 1 else "chain"),
                f"What is {name}?",
                answer,
                (),
                (),
                gold,
                (),
                (),
                entity="Acme",
                domain=domain,
                period="2024",
            )
        )

    def change(
        self, question: str, chunk: str, perturbation: str, text: str = "", why: str = "", side: str = "document"
    ) -> None:
        """A changed document, kept, or rejected for a reason."""
        name = row_id(question, side, perturbation, chunk)
        self.variants[name] = Variant(
            name,
            question,
            side,
            perturbation,
            text or f"{perturbation}: {self.chunks[chunk].text}",
            chunk,
            family="format",
            rejected_because=why,
        )

    def find(self, retriever: str, question: str, chunks: Sequence[str]) -> None:
        """What a retriever finds for the question as it is."""
        name = row_id(retriever, question)
        scores = tuple(float(len(chunks) - at) for at in range(len(chunks)))
        self.hits[name] = Hits(name, retriever, question, question, tuple(chunks), scores)

    def cases(self) -> list[QuestionVariants]:
        """The cases of its questions."""
        return list(cases(self.questions, self.variants.values(), self.chunks, self.hits.values()))

    def trials(self, protocol: str, config: object) -> list[Trial]:
        """The trials of a protocol."""
        return [row for case in self.cases() for row in PROTOCOLS[protocol].trials(case, config)]

    def text(self, trial: Trial) -> str:
        """All that is shown in a trial."""
        return "\n".join(
            self.chunks[name].text if name in self.chunks else self.variants[name].text for name in trial.passage_ids
        )

    def framed(
        self,
        trials: Iterable[Trial],
        says: Says,
        said: Callable[[Trial], str] = lambda trial: "",
        shuffle: int | None = None,
    ) -> Frame:
        """The frame of a system that says this; rows in another order where a seed for one is given."""
        tried = list(trials)
        answers, scores = [], []
        for row in tried:
            it = None if row.skipped_because else says(row)
            if it is None:
                continue
            failed, refused = it == "failed", it == "refused"
            value = None if failed else 0.0 if refused else float(it)
            error = "timeout" if failed else ""
            shown = len(row.passage_ids)
            answers.append(
                Answer(row.trial_id, "it", row.trial_id, said(row), shown=shown, answer_shown=False, error=error)
            )
            status = "failed" if failed else "scored"
            scores.append(Score(row.trial_id, "it", row.protocol, row.question_id, status, value, refused))
        if shuffle is not None:
            for rows in (tried, answers, scores):
                Random(shuffle).shuffle(rows)
        return build_frame(
            to_table(tried, Trial),
            to_table(answers, Answer),
            to_table(scores, Score),
            to_table(self.questions, Question),
        )


def numbers(figured: Iterable[Metric]) -> Mapping[tuple[str, str], float]:
    """The value of each measure by metric and slice, NaN where it is undefined."""
    return {(one.metric, one.slice): worth(one) for one in figured}


def worth(one: Metric) -> float:
    """The value of a measure."""
    if isinstance(one, Measure):
        below = one.denominator.sum()
        return float(one.numerator.sum() / below) if below else float("nan")
    return float(one.how(*(worth(part) for part in one.of)))
