"""Chunks in another style, another hand, another order, or through French, by a model (SURE Figure 8; RARE C.2)."""

import re
from dataclasses import replace

from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.document.logic import reordered, sentence_units
from rarefy.tasks.perturb.entry import Perturbation
from rarefy.tasks.perturb.model_forms import Order, Text
from rarefy.tasks.perturb.model_turns import Talk, Turn, room, usable

INDEX = 8  # tokens of a sentence's number in a list
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_END = re.compile(r"[.!?;](?=\s|$)|\n\s*\n")


def simple(case: Case, entry: Perturbation, config: PerturbConfig) -> Talk:
    """The passage in short sentences and basic words; refused where its sentences are no shorter.

    Of 18 recorded ones each has shorter sentences than its original, 0.3 to 0.7 times as long.
    """
    drafts = yield from _rewritten("simple", case)
    return [_styled(draft, case, "not_simpler", _length(draft.text) < _length(case.text)) for draft in drafts]


def complex_(case: Case, entry: Perturbation, config: PerturbConfig) -> Talk:
    """The passage in long sentences and advanced words; refused where its sentences are no longer.

    Of 18 recorded ones each has longer sentences than its original, 1.04 to 2.2 times as long.
    """
    drafts = yield from _rewritten("complex", case)
    return [_styled(draft, case, "not_more_complex", _length(draft.text) > _length(case.text)) for draft in drafts]


def rewrite(case: Case, entry: Perturbation, config: PerturbConfig) -> Talk:
    """The passage written anew."""
    return (yield from _rewritten("rewrite", case))


def back_translation(case: Case, entry: Perturbation, config: PerturbConfig) -> Talk:
    """The passage by way of French; who translates back does not see the original (RARE R29)."""
    language = case.language.partition("-")[0].lower()
    if language == "fr":
        return [Draft(case.text, refused="language", detail="into French and back says nothing of a French text")]
    there: Text = yield Turn("to_french", Text, room(case.text), {"passage": case.text}, supposed=Text(text=case.text))
    drafts = usable([there.text], case.text, 1)
    if drafts[0].refused and there.text != case.text:
        return [replace(drafts[0], detail=f"the French: {drafts[0].refused}")]
    into = "English" if language == "en" else f'the language with the code "{language}"'
    told = {"passage": there.text, "into": into}
    back: Text = yield Turn("from_french", Text, room(there.text, case.text), told)
    return usable([back.text], case.text, 1)


def rank(case: Case, entry: Perturbation, config: PerturbConfig) -> Talk:
    """The passage's own sentences in the order that a model prefers; it gives numbers, never words (SURE S2)."""
    units = sentence_units(case.text)
    if reordered(case.text, range(len(units))[::-1]).text == case.text:
        return []  # fewer than two, or each under a heading of its own: no order makes a difference
    sentences = [case.text[start:end] for start, end in units]
    said: Order = yield Turn("rank", Order, INDEX * len(units) + INDEX, {"sentences": sentences})
    if sorted(said.indices) != list(range(len(units))):
        return [Draft(case.text, refused="not_a_permutation", detail=str(said.indices)[:200])]
    return [reordered(case.text, said.indices)]


def _rewritten(role: str, case: Case) -> Talk:
    said: Text = yield Turn(role, Text, room(case.text), {"passage": case.text})
    return usable([said.text], case.text, 1)


def _styled(draft: Draft, case: Case, reason: str, fits: bool) -> Draft:
    # of a table nobody can say how long its sentences are
    if fits or draft.refused or case.kind == "table":
        return draft
    told = f"{_length(case.text):.1f} words a sentence before, {_length(draft.text):.1f} after"
    return replace(draft, refused=reason, detail=told)


def _length(text: str) -> float:
    """Words of a sentence, on average."""
    return len(_WORD.findall(text)) / max(len(_END.findall(text)), 1)
