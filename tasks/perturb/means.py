"""What a perturbation needs and may not have here: a model, a program, a language."""

from functools import cache

from rarefy.tasks.find import find
from rarefy.tasks.perturb.case import Case
from rarefy.tasks.perturb.entry import Perturbation

# who says which version of a program, and of the data that is needed of it, is installed; "" where it is not
PROGRAMS = {"apertium": "rarefy.tasks.perturb.document.back_translation:version"}


def lacking(entry: Perturbation, case: Case, asks: bool) -> str:
    """Why this cannot be made of a case, as a code; "" where it can. `asks`: a model is at hand for it."""
    if asks:
        return ""
    if not entry.rules:
        return "needs_generator" if entry.generator else "needs_model"
    if entry.speaks and case.language.partition("-")[0].lower() not in entry.speaks:
        return "language"
    return f"needs_{entry.needs}" if entry.needs and not version(entry.needs) else ""


@cache
def version(program: str) -> str:
    """Which version of a program is installed; "" where it cannot be used here."""
    return str(find(PROGRAMS[program], {})())
