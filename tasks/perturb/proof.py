"""Check drafts: rules first, then similarity, then entailment both ways (SURE §3.4; RARE R24)."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarefy.tasks.models.nli import NLI, Label, equivalent
from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.catalogue import Perturbation
from rarefy.tasks.perturb.checks import CHECKS
from rarefy.tasks.perturb.config import PerturbConfig

Embed = Callable[[Sequence[str]], NDArray[Any]]
SIMILARITY, ENTAILMENT = "similarity", "entailment"
_WORD = re.compile(r"[\w.,%$]+")


@dataclass(frozen=True, slots=True)
class Proof:
    """The result of a draft's checks: `reason` is "" where all passed."""

    reason: str = ""
    detail: str = ""
    similarity: float | None = None  # None: not compared
    compared: str = ""  # embedding | words
    entailment: str = ""
    checks: tuple[str, ...] = ()  # those that passed
    missed: str = ""  # a code of faults.REASONS, where the judging model gave no answer


Drafted = tuple[Perturbation, Case, Draft]


def compare_meanings(
    drafts: Sequence[Drafted],
    proofs: Sequence[Proof],
    config: PerturbConfig,
    cosines: Iterable[float],
    nli: NLI | None,
) -> list[Proof]:
    """The proofs of drafts whose rules were checked, now with similarity and entailment.

    `cosines` are those of the drafts that passed the rules and are embedded, in their order. ValueError where an entry
    needs entailment and there is no `nli`.
    """
    found = list(proofs)
    _add_similarities(drafts, found, config, cosines)
    _add_entailments(drafts, found, nli)
    return found


def check_rules(entry: Perturbation, case: Case, draft: Draft) -> Proof:
    """The proof of a draft by rules alone; checks stop at the first failure."""
    if draft.refused:
        return Proof(draft.refused, draft.detail)
    if entry.changes and draft.text == case.text:
        return Proof("unchanged", draft.detail)
    passed: list[str] = []
    for name in entry.checks:
        if name in (SIMILARITY, ENTAILMENT):
            continue
        fault = CHECKS[name](case, draft)
        if fault:
            code, _, what = fault.partition(": ")
            return Proof(code, what or draft.detail, checks=tuple(passed))
        passed.append(name)
    return Proof(detail=draft.detail, checks=tuple(passed))


def _add_similarities(
    drafts: Sequence[Drafted], proofs: list[Proof], config: PerturbConfig, cosines: Iterable[float]
) -> None:
    """Add the similarity to each proof: by the embedder where it is a check, for chunks as configured."""
    measured = iter(cosines)
    for i, proof in enumerate(proofs):
        if proof.reason:
            continue
        entry, case, draft = drafts[i]
        embedded = is_embedded(entry, config)
        similarity = next(measured) if embedded else _word_similarity(case.text, draft.text)
        checked = SIMILARITY in entry.checks
        below = checked and similarity < config.threshold
        passed = proof.checks if below or not checked else (*proof.checks, SIMILARITY)
        reason = "below_threshold" if below else ""
        method = "embedding" if embedded else "words"
        proofs[i] = replace(proof, similarity=similarity, compared=method, checks=passed, reason=reason)


def is_embedded(entry: Perturbation, config: PerturbConfig) -> bool:
    """Whether drafts of this kind are compared with their originals by the embedder."""
    return SIMILARITY in entry.checks or (entry.side != "query" and config.document_similarity == "embedding")


def _add_entailments(drafts: Sequence[Drafted], proofs: list[Proof], nli: NLI | None) -> None:
    wanting = [i for i, (entry, _, _) in enumerate(drafts) if ENTAILMENT in entry.checks]
    if wanting and nli is None:
        raise ValueError(f"{drafts[wanting[0]][0].name} wants entailment, and no nli was given")
    open_ = [i for i in wanting if not proofs[i].reason]
    if not open_ or nli is None:
        return
    pairs = [(drafts[i][1].text, drafts[i][2].text) for i in open_]
    both = list(dict.fromkeys(pair for a, b in pairs for pair in ((a, b), (b, a))))  # questions may share a passage
    labels = dict(zip(both, nli(both), strict=True))
    for i, (a, b) in zip(open_, pairs, strict=True):
        forward, backward = labels[a, b], labels[b, a]
        found = ", ".join(label.label or label.error for label in (forward, backward))
        if equivalent(forward, backward):
            proofs[i] = replace(proofs[i], entailment=found, checks=(*proofs[i].checks, ENTAILMENT))
        else:
            why = next((label.why for label in (forward, backward) if label.why), "")
            missed = forward.error or backward.error
            reason = "entailment_unanswered" if missed else entailment_failure(forward, backward)
            proofs[i] = replace(
                proofs[i], entailment=found, reason=reason, detail=why or proofs[i].detail, missed=missed
            )


def entailment_failure(there: Label, back: Label) -> str:
    """Why two texts are not equivalent: not_proved by rules, which inference might accept, or not_entailed."""
    return "not_proved" if {there.label, back.label} <= {"kept", "not_shown", "changed"} else "not_entailed"


def measure_cosines(pairs: Sequence[tuple[str, str]], embed: Embed) -> list[float]:
    """The cosine of each pair; its last digits depend on the machine and on batches."""
    if not pairs:
        return []
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    vectors = np.asarray(embed(texts))
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = dict(zip(texts, vectors / np.where(lengths == 0, 1, lengths), strict=True))
    return [float(unit[a] @ unit[b]) for a, b in pairs]


@lru_cache(512)  # the questions on one chunk share most of its variants
def _word_similarity(original: str, changed: str) -> float:
    (a, long), (b, wide) = _count_words(original), _count_words.__wrapped__(changed)
    return round(sum(n * b[w] for w, n in a.items() if w in b) / (long * wide), 4) if long and wide else 0.0


@lru_cache(512)  # a chunk has a dozen variants in a row
def _count_words(text: str) -> tuple[Counter[str], float]:
    """The counts of a text's words, and their norm."""
    words = Counter(_WORD.findall(text.lower()))
    return words, sqrt(sum(n * n for n in words.values()))
