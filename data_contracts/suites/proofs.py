"""What must have been held against a kept variant, by family, where no task can change it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Proven:
    """A family of perturbations: its side, and the checks that none of its kept variants lacks."""

    side: str
    checks: frozenset[str] = frozenset()


def _of(side: str, *checks: str) -> Proven:
    return Proven(side, frozenset(checks))


# Members are the catalogue's business (tasks/perturb/entries), and so are further checks of theirs
FAMILIES = {
    "surface": _of("query", "similarity"),
    "advanced": _of("query", "similarity"),
    "superficial": _of("query"),
    "paraphrase": _of("query", "same_facts", "similarity", "entailment"),
    "deletion": _of("document", "no_answer"),
    "back_translation": _of("document", "answer_kept", "same_facts", "entailment"),
    "style": _of("document", "answer_kept", "same_facts", "entailment"),
    "source": _of("document", "answer_kept", "same_facts", "entailment"),
    "logic": _of("document", "same_sentences", "answer_kept"),
    "format": _of("document"),
    "metadata": _of("document"),
    "golden": _of("context", "answer_kept"),
    "distracting": _of("context", "no_answer"),
    "low_quality": _of("context", "no_answer"),
    "inconsequential": _of("context", "no_answer"),
    "irrelevant": _of("context", "no_answer"),
    "distraction": _of("context", "holds_original", "answer_kept"),
}


def unproven(side: str, perturbation: str, family: str, checks: list[str]) -> str | None:
    """Why a kept variant is not what its family says; None where it is, or where it is somebody else's."""
    if perturbation == "none" or ":" in perturbation:
        return None
    if family not in FAMILIES:
        return f"{perturbation} is of family {family!r}, of which nothing is known"
    proven = FAMILIES[family]
    if side != proven.side:
        return f"{perturbation} is of family {family}, which is of the {proven.side} side, not of the {side} side"
    lost = sorted(proven.checks.difference(checks))
    return f"{perturbation} kept without {', '.join(lost)}" if lost else None
