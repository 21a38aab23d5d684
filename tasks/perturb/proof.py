"""What is held against a draft: rules first, then how alike it is, then entailment both ways (SURE §3.4; RARE R24)."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarefy.tasks.models.nli import NLI, Label, equivalent
from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.checks import CHECKS
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.entry import Perturbation

Embed = Callable[[Sequence[str]], NDArray[Any]]
SIMILARITY, ENTAILMENT = "similarity", "entailment"
_WORD = re.compile(r"[\w.,%$]+")


@dataclass(frozen=True, slots=True)
class Proof:
    """What came of a draft's checks: `reason` is "" where all held."""

    reason: str = ""
    detail: str = ""
    similarity: float | None = None  # None: not compared
    compared: str = ""  # embedding | words: by what
    entailment: str = ""
    checks: tuple[str, ...] = ()  # those that held
    missed: str = ""  # a code of faults.REASONS, where a model that was to judge it gave no answer


def prove(
    entry: Perturbation,
    drafts: Sequence[tuple[Case, Draft]],
    config: PerturbConfig,
    embed: Embed,
    nli: NLI | None,
) -> list[Proof]:
    """The proof of each draft; a check that comes after one that failed is not made.

    ValueError where the entry wants entailment and there is no `nli`.
    """
    proofs = [_by_rules(entry, case, draft) for case, draft in drafts]
    _liken(entry, drafts, proofs, config, embed)
    if ENTAILMENT in entry.checks:
        if nli is None:
            raise ValueError(f"{entry.name} wants entailment, and no nli was given")
        _entail(drafts, proofs, nli)
    return proofs


def _by_rules(entry: Perturbation, case: Case, draft: Draft) -> Proof:
    if draft.refused:
        return Proof(draft.refused, draft.detail)
    if entry.changes and draft.text == case.text:
        return Proof("unchanged", draft.detail)
    held: list[str] = []
    for name in entry.checks:
        if name in (SIMILARITY, ENTAILMENT):
            continue
        fault = CHECKS[name](case, draft)
        if fault:
            code, _, told = fault.partition(": ")
            return Proof(code, told or draft.detail, checks=tuple(held))
        held.append(name)
    return Proof(detail=draft.detail, checks=tuple(held))


def _liken(
    entry: Perturbation,
    drafts: Sequence[tuple[Case, Draft]],
    proofs: list[Proof],
    config: PerturbConfig,
    embed: Embed,
) -> None:
    """Put the similarity into each proof; by the embedder where it is a check, and for chunks as the config says."""
    open_ = [i for i, proof in enumerate(proofs) if not proof.reason]
    checked = SIMILARITY in entry.checks
    embedded = checked or (entry.side != "query" and config.document_similarity == "embedding")
    if embedded:
        pairs = [(drafts[i][0].text, drafts[i][1].text) for i in open_]
        alike = _cosines(pairs, embed)
    else:
        alike = [_of_words(drafts[i][0].text, drafts[i][1].text) for i in open_]
    for i, similarity in zip(open_, alike, strict=True):
        below = checked and similarity < config.threshold
        held = proofs[i].checks if below or not checked else (*proofs[i].checks, SIMILARITY)
        reason = "below_threshold" if below else ""
        method = "embedding" if embedded else "words"
        proofs[i] = replace(proofs[i], similarity=similarity, compared=method, checks=held, reason=reason)


def _entail(drafts: Sequence[tuple[Case, Draft]], proofs: list[Proof], nli: NLI) -> None:
    open_ = [i for i, proof in enumerate(proofs) if not proof.reason]
    pairs = [(drafts[i][0].text, drafts[i][1].text) for i in open_]
    both = list(dict.fromkeys(pair for a, b in pairs for pair in ((a, b), (b, a))))  # questions may share a passage
    labels = dict(zip(both, nli(both), strict=True))
    for i, (a, b) in zip(open_, pairs, strict=True):
        there, back = labels[a, b], labels[b, a]
        found = ", ".join(label.label or label.error for label in (there, back))
        if equivalent(there, back):
            proofs[i] = replace(proofs[i], entailment=found, checks=(*proofs[i].checks, ENTAILMENT))
        else:
            why = next((label.why for label in (there, back) if label.why), "")
            missed = there.error or back.error
            reason = "entailment_unanswered" if missed else unequal(there, back)
            proofs[i] = replace(
                proofs[i], entailment=found, reason=reason, detail=why or proofs[i].detail, missed=missed
            )


def unequal(there: Label, back: Label) -> str:
    """Why two texts that were compared are not taken to say the same: not_entailed by inference, not_proved by rules.

    What rules cannot prove, though they see another name or the contrary in it, inference might still accept.
    """
    return "not_proved" if {there.label, back.label} <= {"kept", "not_shown", "changed"} else "not_entailed"


def _cosines(pairs: Sequence[tuple[str, str]], embed: Embed) -> list[float]:
    """The cosine of each pair, of which the last digits hang on the machine and on what a text was batched with."""
    if not pairs:
        return []
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    vectors = np.asarray(embed(texts))
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = dict(zip(texts, vectors / np.where(lengths == 0, 1, lengths), strict=True))
    return [float(unit[a] @ unit[b]) for a, b in pairs]


def _of_words(original: str, changed: str) -> float:
    (a, long), (b, wide) = _counted(original), _counted.__wrapped__(changed)
    return round(sum(n * b[w] for w, n in a.items() if w in b) / (long * wide), 4) if long and wide else 0.0


@lru_cache(512)  # a chunk has a dozen variants, which stand together
def _counted(text: str) -> tuple[Counter[str], float]:
    """The words of a text, and their length as a vector."""
    words = Counter(_WORD.findall(text.lower()))
    return words, sqrt(sum(n * n for n in words.values()))
