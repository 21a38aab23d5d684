"""Gold passages in other words, and noise, by a model (Magic Mushroom §3.2-3.3, Figures 9-14)."""

from dataclasses import replace
from itertools import islice
from random import Random

from rarefy.data_contracts.rows import row_id
from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.catalogue import maker, wanted
from rarefy.tasks.perturb.checks.facts import same_facts
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.context.selected import around
from rarefy.tasks.perturb.entry import Perturbation
from rarefy.tasks.perturb.model_forms import Passages, Texts, Verdicts
from rarefy.tasks.perturb.model_turns import Talk, Turn, room, usable

VERDICT = 48  # tokens of one, written with spaces and lines
MORE = 2  # passages shown beyond those that are wanted: some will come back with the answer in them


def golden(case: Case, entry: Perturbation, config: PerturbConfig) -> Talk:
    """The gold passage in other words and another syntax, as often as the pool wants it (Figures 9 and 12)."""
    return (yield from _several("golden", case, config, wanted(entry, config)))


def distracting(case: Case, entry: Perturbation, config: PerturbConfig) -> Talk:
    """The gold passage with something else where the answer stands, as often (Figures 10 and 13).

    Of a passage that never held the answer those are refused whose figures and names are still the same.
    """
    drafts = yield from _several("distracting", case, config, wanted(entry, config))
    return drafts if _held(case) else [_untrue(draft, case) for draft in drafts]


def low_quality(case: Case, entry: Perturbation, config: PerturbConfig) -> Talk:
    """Passages around the gold one made untrue, all in one request (Figures 11 and 14).

    None of those that hold the answer: untrue, they would distract. Refused are those whose figures and names are still
    the same; of 18 recorded ones none is.
    """
    shown = list(islice(around(case, config), wanted(entry, config) + MORE))
    if not shown:
        return []
    near = [source.text for source in shown]
    told = {"question": case.question, "passages": near}
    said: Passages = yield Turn("low_quality", Passages, room(*near), told, inventive=True)
    texts: dict[int, str] = {}
    for one in said.passages:
        texts.setdefault(one.number, one.text)
    made = [
        replace(_untrue(draft, replace(case, text=source.text)), chunk_id=source.chunk_id)
        for number, source in enumerate(shown, 1)
        if number in texts
        for draft in usable([texts[number]], source.text, 1)
    ]
    declined = Draft(case.text, refused="model_declined", detail="no text under a number that was shown")
    return sorted(made, key=lambda draft: bool(draft.refused)) or [declined]


def inconsequential(case: Case, entry: Perturbation, config: PerturbConfig) -> Talk:
    """What the rules select, each passage with the paper's dual check: accurate, and no answer (§3.3).

    Refused are `answers_question`, `inconsistent` and, where the model passed one over, `not_checked`.
    """
    selected = maker(entry)(case, config, Random(row_id(case.case_id, entry.name)))
    found = list(islice(selected, wanted(entry, config) + MORE))
    if not found:
        return []
    texts = [draft.text for draft in found]
    told = {"question": case.question, "answer": case.answer, "passage": case.text, "passages": texts}
    said: Verdicts = yield Turn("inconsequential", Verdicts, VERDICT * (len(found) + 1), told)
    verdicts = {one.number: one for one in reversed(said.verdicts)}
    checked = []
    for number, draft in enumerate(found, 1):
        verdict = verdicts.get(number)
        reason = "" if verdict else "not_checked"
        if verdict and (verdict.answers or not verdict.consistent):
            reason = "answers_question" if verdict.answers else "inconsistent"
        checked.append(replace(draft, refused=draft.refused or reason))
    return sorted(checked, key=lambda draft: bool(draft.refused))


def _several(role: str, case: Case, config: PerturbConfig, count: int) -> Talk:
    count = max(min(count, config.max_tokens // room(case.text)), 1)  # as many as one reply has room for
    told = {"question": case.question, "answer": case.answer, "passage": case.text, "count": count}
    told["held"] = _held(case)
    said: Texts = yield Turn(role, Texts, room(*[case.text] * count), told, inventive=True)
    return usable(said.texts, case.text, count)


def _held(case: Case) -> bool:
    return any(form and form in case.text for form in (case.answer, *case.aliases))


def _untrue(draft: Draft, of: Case) -> Draft:
    """The draft, refused where nothing that it says can be seen to be otherwise."""
    return draft if draft.refused or same_facts(of, draft) else replace(draft, refused="still_true")
