"""Questions in another grammar, with a detail too many, or in other words, by a model (RARE §5.1, C.1; IBM §3)."""

import re
from collections import Counter
from dataclasses import replace

from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.catalogue import wanted
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.entry import Perturbation
from rarefy.tasks.perturb.model_forms import Texts
from rarefy.tasks.perturb.model_turns import Talk, Turn, room, usable

CANDIDATES = 3  # of one variant; RARE's code

_WORD = re.compile(r"[^\W\d_]+")
_LONG = 5  # letters: shorter words come and go with another grammar (was, did, its, that)
_FUNCTION = frozenset(
    "about after among before being below could doing during either every might neither other shall should since such "
    "their there these those though through under until where whether which while whose within without would".split()
)


def grammar(case: Case, entry: Perturbation, config: PerturbConfig) -> Talk:
    """The question in another grammar; one whose words were replaced is refused (RARE R27: no synonyms)."""
    drafts = yield from _asked("grammar", case, entry, config, inventive=False)
    return [_refused(draft, _replaced(case.text, draft.text), "words_changed") for draft in drafts]


def irrelevant(case: Case, entry: Perturbation, config: PerturbConfig) -> Talk:
    """The question with one detail more; one that says no more than before is refused (RARE R26)."""
    drafts = yield from _asked("irrelevant", case, entry, config, inventive=True)
    least = len(_words(case.text)) + 2  # a detail is two words at least: "retailer Amazon"
    return [
        _refused(draft, "" if len(_words(draft.text)) >= least else "no more words", "nothing_added")
        for draft in drafts
    ]


def paraphrase(case: Case, entry: Perturbation, config: PerturbConfig) -> Talk:
    """The question in other words, several times."""
    return (yield from _asked("paraphrase", case, entry, config, inventive=True))


def _asked(role: str, case: Case, entry: Perturbation, config: PerturbConfig, *, inventive: bool) -> Talk:
    count = max(CANDIDATES, wanted(entry, config))
    told = {"question": case.text, "count": count}
    said: Texts = yield Turn(role, Texts, room(*[case.text] * count), told, inventive=inventive)
    return usable(said.texts, case.text, count)


def _refused(draft: Draft, why: str, reason: str) -> Draft:
    return replace(draft, refused=reason, detail=why) if why and not draft.refused else draft


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _replaced(original: str, changed: str) -> str:
    """Long words that the original has in no form, as far as letters tell; "" where there are none.

    A form begins with the same four letters, or with the same two as a word that is gone (drove, driven).
    """
    old, new = _words(original), _words(changed)
    begun, gone = {word[:4] for word in old}, {word[:2] for word in Counter(old) - Counter(new)}
    come = [w for w in new if len(w) >= _LONG and w not in _FUNCTION and w[:4] not in begun and w[:2] not in gone]
    return ", ".join(dict.fromkeys(come))
