"""One entry of the catalogue: what a perturbation is called, who makes it, and what must hold of it."""

from dataclasses import dataclass
from typing import Literal

Side = Literal["query", "document", "context"]


@dataclass(frozen=True, slots=True)
class Perturbation:
    """A way to change a question or a passage.

    At least one of `rules` and `role` says how: rules work offline, a role is a prompt of this stage for a model.
    """

    name: str
    paper: str  # RARE | IBM | SURE | Magic Mushroom, with the place
    side: Side
    family: str  # subtypes of one kind: superficial, style, format, ...; on the context side the class of noise
    about: str  # what it does, in a line
    checks: tuple[str, ...]  # what must hold of it, by name in checks.CHECKS, proof.SIMILARITY, proof.ENTAILMENT
    rules: str = ""  # module:function (a case.Make); "" for what only a model can do
    role: str = ""  # of a prompt in prompts/; "" for what no model is needed for
    by: str = "rules"  # what the offline method is: rules | selection | apertium
    speaks: tuple[str, ...] = ("en",)  # languages that the rules know; () for any
    needs: str = ""  # a program that the rules need
    generator: bool = False  # made by the system under test rather than by the model of [llm]
    whole: bool = False  # a question's gold chunks must all be changed, or none counts
    alone: bool = False  # hangs on the passage alone: made once for all questions on it
    per: Literal["chunk", "question"] = "chunk"  # of the gold passages: one case each, or one for all
    baseline: tuple[str, ...] = ("none",)  # what its effect is measured against; SURE leaves it open for metadata
    changes: bool = True  # False: a text that is taken as it stands
    default: bool = True  # made where its family is named
    example: tuple[str, str] = ("", "")  # a text, and what becomes of it
