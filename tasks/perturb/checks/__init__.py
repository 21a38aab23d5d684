"""What must hold of a variant, each by rule and independent of any model (SURE S5; quality.md, a variant)."""

from collections.abc import Callable

from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.checks.answers import answer_kept, answer_readable, no_answer
from rarefy.tasks.perturb.checks.facts import keeps_facts, same_facts
from rarefy.tasks.perturb.checks.order import same_letters, same_sentences
from rarefy.tasks.perturb.checks.surface import (
    codes_kept,
    holds_original,
    only_deleted,
    only_misspelt,
    parses_back,
    same_words,
)

Check = Callable[[Case, Draft], str]
"""Why a draft does not keep what it should, as a code and, after ": ", what was found; "" where it does."""

CHECKS: dict[str, Check] = {
    f.__name__: f
    for f in (
        answer_kept,
        answer_readable,
        codes_kept,
        holds_original,
        keeps_facts,
        no_answer,
        only_deleted,
        only_misspelt,
        parses_back,
        same_facts,
        same_letters,
        same_sentences,
        same_words,
    )
}
