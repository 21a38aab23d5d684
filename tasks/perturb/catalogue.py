"""Every perturbation of the five papers by name, and what a config's list of names means."""

from collections.abc import Iterable, Iterator
from random import Random
from typing import Literal

from rarefy.tasks.find import find
from rarefy.tasks.perturb.case import Case, Draft, Make
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.entries.context import CONTEXT
from rarefy.tasks.perturb.entries.document import DOCUMENT
from rarefy.tasks.perturb.entries.query import QUERY
from rarefy.tasks.perturb.entry import Perturbation, Side

CATALOGUE: dict[str, Perturbation] = {entry.name: entry for entry in (*QUERY, *DOCUMENT, *CONTEXT)}


def chosen(config: PerturbConfig) -> list[Perturbation]:
    """The perturbations that a config asks for, each once, in the order of its lists; ValueError for one not known."""
    sides: tuple[tuple[Side, tuple[str, ...]], ...] = (
        ("query", config.query),
        ("document", config.document),
        ("context", config.context),
    )
    found = {entry.name: entry for side, names in sides for entry in of_names(side, names)}
    return list(found.values())


def of_names(side: Side, names: Iterable[str]) -> list[Perturbation]:
    """The perturbations of one side by name, by family, or, from elsewhere, by module:function."""
    return [entry for name in names for entry in _of_name(side, name)]


def _of_name(side: Side, name: str) -> list[Perturbation]:
    if ":" in name:
        find(name, {})
        return [_foreign(side, name)]
    own = [entry for entry in CATALOGUE.values() if entry.side == side]
    # a family stands for its members but those that double another; a name is meant as it is said
    found = [e for e in own if e.name == name] or [e for e in own if e.family == name and e.default]
    if not found:
        known = dict.fromkeys([*(e.family for e in own), *(e.name for e in own)])
        raise ValueError(f"no {side} perturbation {name!r}; have {', '.join(known)}, or write module:function")
    return found


def _foreign(side: Side, name: str) -> Perturbation:
    """Somebody else's function: what must hold of it beyond a change is theirs to say, in `Draft.refused`.

    On the context side it makes noise, unless its own attribute `family` says "golden": one of Magic Mushroom's classes
    for `rarefy mix`, by default its name.
    """
    family = getattr(find(name, {}), "family", name.partition(":")[2])
    about = "a perturbation from outside"
    checks = {
        "query": ("similarity",),
        "document": (),
        "context": ("answer_kept" if family == "golden" else "no_answer",),
    }
    per: Literal["chunk", "question"] = "question" if side == "context" and family != "golden" else "chunk"
    return Perturbation(name, name, side, family, about, checks[side], rules=name, speaks=(), per=per)


def maker(entry: Perturbation) -> Make:
    """The offline function of an entry; ValueError where it has none, or none is found."""
    made: Make = find(entry.rules, {})
    return _named(entry, made) if ":" in entry.name else made


def _named(entry: Perturbation, make: Make) -> Make:
    """Somebody else's function, whose faults name it and the question."""

    def drafts(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
        try:
            for draft in make(case, config, random):
                if not isinstance(draft, Draft):
                    raise TypeError(f"it gave {type(draft).__name__}, and rarefy.tasks.perturb.Draft is wanted")
                yield draft
        except Exception as error:
            raise ValueError(f"{entry.name}, on question {case.question_id}: {error}") from error

    return drafts


def wanted(entry: Perturbation, config: PerturbConfig) -> int:
    """How many variants of a case are asked for."""
    if entry.name == "paraphrase":
        return config.paraphrases
    return config.pools.get(entry.name, 1)
