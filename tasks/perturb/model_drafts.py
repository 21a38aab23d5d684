"""Drafts that a language model writes, by prompts after the papers'.

Each role of `prompts/` has a conversation: a generator of turns, which is sent each reply and returns the drafts
(RARE C, SURE Figure 8, Magic Mushroom Figures 9-14, IBM §3).
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from random import Random
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from rarefy.data_contracts.rows import Reply, Request, row_id
from rarefy.tasks.models import prompts
from rarefy.tasks.models.llm import LLM, parse_reply, replies
from rarefy.tasks.models.llm.faults import UNASKED
from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.catalogue import Perturbation, count_wanted, load_maker
from rarefy.tasks.perturb.checks import same_facts
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.context.selected import find_nearby_passages
from rarefy.tasks.perturb.document.sentence_order import find_sentence_units, reorder_sentences

# Reply forms: their names and docstrings are part of the schema that a model is sent


class Text(BaseModel, frozen=True):
    """One text."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    text: str


class Texts(BaseModel, frozen=True):
    """Several texts, the best first."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    texts: list[str]


class Numbered(BaseModel, frozen=True):
    """What became of one of several passages that were shown with numbers."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    number: int
    text: str


class Passages(BaseModel, frozen=True):
    """A text for each of several passages."""

    passages: list[Numbered]


class Order(BaseModel, frozen=True):
    """Sentences by number, in their order."""

    indices: list[int]


class Verdict(BaseModel, frozen=True):
    """The dual check of one passage."""

    number: int
    consistent: bool = Field(description="what it says is accurate and misleads nobody who reads the gold passage")
    answers: bool = Field(description="it gives the answer away, directly or indirectly")


class Verdicts(BaseModel, frozen=True):
    """The dual check of several passages."""

    verdicts: list[Verdict]


def json_schema(form: type[BaseModel]) -> str:
    """The JSON schema of a form."""
    return json.dumps(form.model_json_schema(), sort_keys=True)


# Turns of a conversation, and the texts that can be used

BYTES = 3  # per token, a low estimate, so that room for a text is never estimated too small
FRAME = 64  # tokens for the JSON around a text
TWICE = 2  # how much longer a rewritten text may get; SURE's complex style is 1.3 times as long

_DECLINED = re.compile(
    r"\W*(?:i(?:['’]m| am) (?:sorry|unable|not able|afraid)\b|i (?:cannot|can['’]?t|can not|won['’]?t|will not)\b"
    r"|(?:sorry|apologies|unfortunately)\b|as an ai\b|as a (?:large )?language model\b)",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:(?:sure|certainly|of course|okay)\b[^\n]{0,20}?)?here(?:['’]s| is| are)\b[^\n]{0,120}:\s*\n", re.IGNORECASE
)
_TAG = re.compile(r"\s*<(passage|question)\b[^>\n]{0,200}>\n?(.*?)\n?</\1>\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ModelTurn:
    """One request of a conversation."""

    role: str  # a prompt of prompts/
    form: type[BaseModel]  # of the reply
    room: int  # tokens of the reply, at most
    values: Mapping[str, Any] = field(default_factory=dict)  # that the prompt is filled with
    inventive: bool = False  # the model makes something up: uses the higher temperature
    supposed: BaseModel | None = None  # stand-in for the reply in a dry run, where more turns follow


Conversation = Generator[ModelTurn, Any, list[Draft]]
"""Yields the turns for one case, is sent the parsed reply to each, and returns the drafts."""


def estimate_tokens(*texts: str) -> int:
    """Tokens that rewritten versions of these texts may take, at most."""
    return sum(TWICE * len(text.encode("utf-8", "replace")) // BYTES + FRAME for text in texts)


def normalise_space(text: str) -> str:
    """A text with single spaces, to be compared."""
    return " ".join(text.split())


def clean_text(text: str, original: str) -> str:
    """A model's text without an introduction ("Here is ...:") and tags around it."""
    if (found := _TAG.fullmatch(text)) and not _TAG.fullmatch(original):
        text = found[2]
    lead = _LEAD.match(text.lstrip()[:200])
    if lead and not _LEAD.match(original.lstrip()[:200]):
        text = text.lstrip()[lead.end() :]
    return text.strip()


def select_usable(texts: Iterable[str], original: str, most: int) -> list[Draft]:
    """Drafts of a model's texts: the usable ones, `most` at most, then the others with the reason against them.

    Reasons: `model_declined` (also without any text), `empty`, `unchanged` (but for white space).
    """
    good: dict[str, Draft] = {}
    bad: list[Draft] = []
    for reply_text in texts:
        text = clean_text(reply_text, original)
        if not text:
            bad.append(Draft(original, refused="empty"))
        elif _DECLINED.match(text[:200]) and not _DECLINED.match(original[:200]):
            bad.append(Draft(text, refused="model_declined"))
        elif normalise_space(text) == normalise_space(original):
            bad.append(Draft(text, refused="unchanged"))
        else:
            good.setdefault(normalise_space(text), Draft(text))
    return [*list(good.values())[:most], *bad] or [Draft(original, refused="model_declined", detail="no text")]


# Questions (RARE §5.1, C.1; IBM §3)

CANDIDATES = 3  # of one variant; RARE's code

_WORD = re.compile(r"[^\W\d_]+")
_LONG = 5  # letters; shorter words may change with the grammar (was, did, its, that)
_FUNCTION = frozenset(
    "about after among before being below could doing during either every might neither other shall should since such "
    "their there these those though through under until where whether which while whose within without would".split()
)


def grammar(case: Case, entry: Perturbation, config: PerturbConfig) -> Conversation:
    """The question in another grammar; drafts with replaced words are refused (RARE R27: no synonyms)."""
    drafts = yield from _ask_for_questions("grammar", case, entry, config, inventive=False)
    return [_refuse_if(draft, _find_replaced_words(case.text, draft.text), "words_changed") for draft in drafts]


def irrelevant(case: Case, entry: Perturbation, config: PerturbConfig) -> Conversation:
    """The question with one more detail; drafts without more words are refused (RARE R26)."""
    drafts = yield from _ask_for_questions("irrelevant", case, entry, config, inventive=True)
    least = len(_find_words(case.text)) + 2  # a detail is two words at least: "retailer Amazon"
    return [
        _refuse_if(draft, "" if len(_find_words(draft.text)) >= least else "no more words", "nothing_added")
        for draft in drafts
    ]


def paraphrase(case: Case, entry: Perturbation, config: PerturbConfig) -> Conversation:
    """Several paraphrases of the question."""
    return (yield from _ask_for_questions("paraphrase", case, entry, config, inventive=True))


def _ask_for_questions(
    role: str, case: Case, entry: Perturbation, config: PerturbConfig, *, inventive: bool
) -> Conversation:
    count = max(CANDIDATES, count_wanted(entry, config))
    values = {"question": case.text, "count": count}
    reply: Texts = yield ModelTurn(role, Texts, estimate_tokens(*[case.text] * count), values, inventive=inventive)
    return select_usable(reply.texts, case.text, count)


def _refuse_if(draft: Draft, why: str, reason: str) -> Draft:
    return replace(draft, refused=reason, detail=why) if why and not draft.refused else draft


def _find_words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _find_replaced_words(original: str, changed: str) -> str:
    """Long words of which the original has no form; "" where there are none.

    A form shares the first four letters, or the first two with a word that is gone (drove, driven).
    """
    old, new = _find_words(original), _find_words(changed)
    begun, gone = {word[:4] for word in old}, {word[:2] for word in Counter(old) - Counter(new)}
    new_words = [w for w in new if len(w) >= _LONG and w not in _FUNCTION and w[:4] not in begun and w[:2] not in gone]
    return ", ".join(dict.fromkeys(new_words))


# Gold chunks (SURE Figure 8; RARE C.2)

INDEX = 8  # tokens of a sentence's number in a list
_SPOKEN_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_END = re.compile(r"[.!?;](?=\s|$)|\n\s*\n")


def simple(case: Case, entry: Perturbation, config: PerturbConfig) -> Conversation:
    """The passage in short sentences and basic words; refused where its sentences are no shorter.

    Those of 18 recorded drafts are 0.3 to 0.7 times as long.
    """
    drafts = yield from _rewrite("simple", case)
    return [
        _refuse_unless(draft, case, "not_simpler", _sentence_length(draft.text) < _sentence_length(case.text))
        for draft in drafts
    ]


def complex_(case: Case, entry: Perturbation, config: PerturbConfig) -> Conversation:
    """The passage in long sentences and advanced words; refused where its sentences are no longer.

    Those of 18 recorded drafts are 1.04 to 2.2 times as long.
    """
    drafts = yield from _rewrite("complex", case)
    return [
        _refuse_unless(draft, case, "not_more_complex", _sentence_length(draft.text) > _sentence_length(case.text))
        for draft in drafts
    ]


def rewrite(case: Case, entry: Perturbation, config: PerturbConfig) -> Conversation:
    """The passage rewritten."""
    return (yield from _rewrite("rewrite", case))


def back_translation(case: Case, entry: Perturbation, config: PerturbConfig) -> Conversation:
    """The passage translated into French and back, without sight of the original (RARE R29)."""
    language = case.language.partition("-")[0].lower()
    if language == "fr":
        return [Draft(case.text, refused="language", detail="into French and back says nothing of a French text")]
    french: Text = yield ModelTurn(
        "to_french", Text, estimate_tokens(case.text), {"passage": case.text}, supposed=Text(text=case.text)
    )
    drafts = select_usable([french.text], case.text, 1)
    if drafts[0].refused and french.text != case.text:
        return [replace(drafts[0], detail=f"the French: {drafts[0].refused}")]
    into = "English" if language == "en" else f'the language with the code "{language}"'
    values = {"passage": french.text, "into": into}
    back: Text = yield ModelTurn("from_french", Text, estimate_tokens(french.text, case.text), values)
    return select_usable([back.text], case.text, 1)


def rank(case: Case, entry: Perturbation, config: PerturbConfig) -> Conversation:
    """The sentences of the passage in the order that a model prefers, given by numbers (SURE S2)."""
    units = find_sentence_units(case.text)
    if reorder_sentences(case.text, range(len(units))[::-1]).text == case.text:
        return []  # at most one sentence under each heading
    sentences = [case.text[start:end] for start, end in units]
    reply: Order = yield ModelTurn("rank", Order, INDEX * len(units) + INDEX, {"sentences": sentences})
    if sorted(reply.indices) != list(range(len(units))):
        return [Draft(case.text, refused="not_a_permutation", detail=str(reply.indices)[:200])]
    return [reorder_sentences(case.text, reply.indices)]


def _rewrite(role: str, case: Case) -> Conversation:
    reply: Text = yield ModelTurn(role, Text, estimate_tokens(case.text), {"passage": case.text})
    return select_usable([reply.text], case.text, 1)


def _refuse_unless(draft: Draft, case: Case, reason: str, fits: bool) -> Draft:
    # tables have no sentences to measure
    if fits or draft.refused or case.kind == "table":
        return draft
    lengths = f"{_sentence_length(case.text):.1f} words a sentence before, {_sentence_length(draft.text):.1f} after"
    return replace(draft, refused=reason, detail=lengths)


def _sentence_length(text: str) -> float:
    """The average number of words in a sentence."""
    return len(_SPOKEN_WORD.findall(text)) / max(len(_END.findall(text)), 1)


# Gold passages and noise (Magic Mushroom §3.2-3.3, Figures 9-14)

VERDICT = 48  # tokens of a verdict
MORE = 2  # passages asked for beyond those wanted, as some will be refused


def golden(case: Case, entry: Perturbation, config: PerturbConfig) -> Conversation:
    """The gold passage reworded, as many times as the pool wants (Figures 9 and 12)."""
    return (yield from _ask_for_passages("golden", case, config, count_wanted(entry, config)))


def distracting(case: Case, entry: Perturbation, config: PerturbConfig) -> Conversation:
    """The gold passage with something else in place of the answer, as many times as the pool wants (Figures 10, 13).

    Where the passage never held the answer, drafts with the same figures and names are refused.
    """
    drafts = yield from _ask_for_passages("distracting", case, config, count_wanted(entry, config))
    return drafts if _holds_answer(case) else [_refuse_if_true(draft, case) for draft in drafts]


def low_quality(case: Case, entry: Perturbation, config: PerturbConfig) -> Conversation:
    """Passages near the gold one made untrue, all in one request (Figures 11 and 14).

    Passages with the answer are not used: untrue, they would distract. Drafts with the same figures and names are
    refused; of 18 recorded ones none is.
    """
    shown = list(islice(find_nearby_passages(case, config), count_wanted(entry, config) + MORE))
    if not shown:
        return []
    near = [source.text for source in shown]
    values = {"question": case.question, "passages": near}
    reply: Passages = yield ModelTurn("low_quality", Passages, estimate_tokens(*near), values, inventive=True)
    texts: dict[int, str] = {}
    for numbered in reply.passages:
        texts.setdefault(numbered.number, numbered.text)
    drafts = [
        replace(_refuse_if_true(draft, replace(case, text=source.text)), chunk_id=source.chunk_id)
        for number, source in enumerate(shown, 1)
        if number in texts
        for draft in select_usable([texts[number]], source.text, 1)
    ]
    declined = Draft(case.text, refused="model_declined", detail="no text under a number that was shown")
    return sorted(drafts, key=lambda draft: bool(draft.refused)) or [declined]


def inconsequential(case: Case, entry: Perturbation, config: PerturbConfig) -> Conversation:
    """Passages that the rules select, each with the paper's dual check: accurate, and without the answer (§3.3).

    Reasons: `answers_question`, `inconsistent` and, where the model left one out, `not_checked`.
    """
    selected = load_maker(entry)(case, config, Random(row_id(case.case_id, entry.name)))
    found = list(islice(selected, count_wanted(entry, config) + MORE))
    if not found:
        return []
    texts = [draft.text for draft in found]
    values = {"question": case.question, "answer": case.answer, "passage": case.text, "passages": texts}
    reply: Verdicts = yield ModelTurn("inconsequential", Verdicts, VERDICT * (len(found) + 1), values)
    verdicts = {given.number: given for given in reversed(reply.verdicts)}
    checked = []
    for number, draft in enumerate(found, 1):
        verdict = verdicts.get(number)
        reason = "" if verdict else "not_checked"
        if verdict and (verdict.answers or not verdict.consistent):
            reason = "answers_question" if verdict.answers else "inconsistent"
        checked.append(replace(draft, refused=draft.refused or reason))
    return sorted(checked, key=lambda draft: bool(draft.refused))


def _ask_for_passages(role: str, case: Case, config: PerturbConfig, count: int) -> Conversation:
    count = max(min(count, config.max_tokens // estimate_tokens(case.text)), 1)  # as many as one reply has room for
    values = {"question": case.question, "answer": case.answer, "passage": case.text, "count": count}
    values["held"] = _holds_answer(case)
    reply: Texts = yield ModelTurn(role, Texts, estimate_tokens(*[case.text] * count), values, inventive=True)
    return select_usable(reply.texts, case.text, count)


def _holds_answer(case: Case) -> bool:
    return any(form and form in case.text for form in (case.answer, *case.aliases))


def _refuse_if_true(draft: Draft, of: Case) -> Draft:
    """The draft, refused where its figures and names are those of the original."""
    return draft if draft.refused or same_facts(of, draft) else replace(draft, refused="still_true")


# Run the conversations

CONVERSATIONS: dict[str, Callable[[Case, Perturbation, PerturbConfig], Conversation]] = {
    "grammar": grammar,
    "irrelevant": irrelevant,
    "paraphrase": paraphrase,
    "simple": simple,
    "complex": complex_,
    "rewrite": rewrite,
    "back_translation": back_translation,
    "rank": rank,
    "golden": golden,
    "distracting": distracting,
    "low_quality": low_quality,
    "inconsequential": inconsequential,
}


@dataclass(eq=False)
class _OpenConversation:
    """The state of a conversation."""

    case: Case
    talk: Conversation
    reply: Reply  # the last one
    turn: ModelTurn | None = None  # the next
    drafts: list[Draft] = field(default_factory=list)
    supposed: bool = False  # a stand-in has replaced a reply

    def go(self, reply: object, most: int) -> None:
        """Continue with the reply, to the next turn or the drafts."""
        try:
            self.turn = self.talk.send(reply)
        except StopIteration as end:
            self.turn, self.drafts = None, end.value
            return
        if self.turn.room > most:
            reason = f"a reply may take {self.turn.room:,} tokens, perturb.max_tokens is {most:,}"
            self.turn, self.drafts = None, [Draft(self.case.text, refused="too_long_for_model", detail=reason)]

    def hear(self, reply: Reply, most: int) -> None:
        """Parse the reply to the turn and continue; without one the conversation ends."""
        assert self.turn
        parsed, reply = parse_reply(reply, self.turn.form)
        if not self.supposed:
            self.reply = reply
        if parsed is None and reply.error == UNASKED and self.turn.supposed:
            parsed, self.supposed = self.turn.supposed, True
        if parsed is None:
            self.turn = None
        else:
            self.go(parsed, most)


def write_drafts(
    entry: Perturbation, cases: Sequence[Case], config: PerturbConfig, llm: LLM
) -> Iterator[tuple[Case, list[Draft], Reply]]:
    """For each case in order the model's drafts, the best first, and its last reply, whose `error` says why none.

    Cases of equal ids share one conversation. Unusable drafts say why in `refused`. ValueError for an unknown role.
    """
    if entry.role not in CONVERSATIONS:
        raise ValueError(f"{entry.name}: no role {entry.role!r}; have {', '.join(CONVERSATIONS)}")
    conversations: dict[str, _OpenConversation] = {}
    for case in cases:
        name = row_id("vary", entry.name, case.case_id)
        if name not in conversations:
            conversations[name] = _OpenConversation(case, CONVERSATIONS[entry.role](case, entry, config), Reply(name))
            if case.text.strip():
                conversations[name].go(None, config.max_tokens)
    number = 0
    while waiting := {row_id(name, number): talk for name, talk in conversations.items() if talk.turn}:
        for reply in replies(llm, [_make_request(name, talk, config) for name, talk in waiting.items()]):
            waiting[reply.request_id].hear(reply, config.max_tokens)
        number += 1
    for case in cases:
        conversation = conversations[row_id("vary", entry.name, case.case_id)]
        yield case, [] if conversation.reply.error else conversation.drafts, conversation.reply


def list_requests(entry: Perturbation, cases: Sequence[Case], config: PerturbConfig) -> Iterator[Request]:
    """The requests that a model would be sent; second turns as if the first reply were the passage itself."""
    asked: list[Request] = []

    def unasked(wanted: Iterable[Request], /) -> Iterator[Reply]:
        for request in wanted:
            asked.append(request)
            yield Reply(request.request_id, error=UNASKED)

    for _ in write_drafts(entry, cases, config, unasked):
        pass
    yield from asked


def _make_request(name: str, conversation: _OpenConversation, config: PerturbConfig) -> Request:
    turn = conversation.turn
    assert turn
    return Request(
        name,
        prompts.messages("perturb", turn.role, conversation.case.domain, **turn.values),
        schema=json_schema(turn.form),
        temperature=config.inventive if turn.inventive else config.temperature,
        max_tokens=turn.room,
        seed=config.seed,
    )
