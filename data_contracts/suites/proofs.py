"""What must have been held against a kept variant, by family: the catalogue's word, where no task can change it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Proven:
    """A family of perturbations: its side, the checks that none of its kept variants lacks, its members."""

    side: str
    checks: frozenset[str]
    names: frozenset[str]


def _of(side: str, checks: str, names: str) -> Proven:
    return Proven(side, frozenset(checks.split()), frozenset(names.split()))


_FORMATS = "json html yaml markdown"
_METADATA = "timestamp_pre timestamp_post datasource_wiki datasource_twitter"

FAMILIES = {
    "surface": _of("query", "similarity", "character word"),
    "advanced": _of("query", "similarity", "grammar irrelevant_detail"),
    "superficial": _of(
        "query",
        "",
        "upper_case lower_case proper_case no_punctuation butter_fingers character_swap white_space superficial_mix",
    ),
    "paraphrase": _of("query", "same_facts similarity entailment", "paraphrase"),
    "deletion": _of("document", "no_answer", "answer_deleted"),
    "back_translation": _of("document", "answer_kept same_facts entailment", "back_translation"),
    "style": _of("document", "answer_kept same_facts entailment", "simple complex"),
    "source": _of("document", "answer_kept same_facts entailment", "llm_generated self_generated"),
    "logic": _of("document", "same_sentences answer_kept", "random_order reverse_order llm_ranked"),
    "format": _of("document", "", f"{_FORMATS} {' '.join(f'{n}_as_printed' for n in _FORMATS.split())}"),
    "metadata": _of("document", "", f"{_METADATA} {' '.join(f'{n}_as_printed' for n in _METADATA.split())}"),
    "golden": _of("context", "answer_kept", "golden_passage golden_augmented"),
    "distracting": _of("context", "no_answer", "distracting"),
    "low_quality": _of("context", "no_answer", "counterfactual debris"),
    "inconsequential": _of("context", "no_answer", "inconsequential"),
    "irrelevant": _of("context", "no_answer", "irrelevant"),
    "distraction": _of("context", "holds_original answer_kept", "distraction_before distraction_after"),
}
FAMILY_OF = {name: family for family, proven in FAMILIES.items() for name in proven.names}


def unproven(side: str, perturbation: str, family: str, checks: list[str]) -> str | None:
    """Why a kept variant is not what its name says; None where it is, or where the name is somebody else's."""
    if perturbation not in FAMILY_OF:
        return None
    wanted = FAMILY_OF[perturbation]
    proven = FAMILIES[wanted]
    if (side, family) != (proven.side, wanted):
        return f"{perturbation} is of family {wanted} on the {proven.side} side, not of {family!r} on the {side} side"
    lost = sorted(proven.checks.difference(checks))
    return f"{perturbation} kept without {', '.join(lost)}" if lost else None
