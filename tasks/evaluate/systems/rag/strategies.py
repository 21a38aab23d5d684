"""Prompting strategies by name (retrieval robustness appendix C, Magic Mushroom appendix E).

A strategy is a generator over one `StrategyCase`: it yields requests, is sent replies, and returns an `Ended`."""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from rarefy.data_contracts.rows import Passage, Reply, Token
from rarefy.tasks.evaluate.systems.rag.config import RagConfig
from rarefy.tasks.evaluate.systems.rag.conversation import Ended, PassageRater, StrategyCase, Talk
from rarefy.tasks.evaluate.systems.rag.likelihood import NOT_AVAILABLE
from rarefy.tasks.evaluate.systems.rag.reply_parsing import strip_code_fence, strip_thoughts
from rarefy.tasks.find import find
from rarefy.tasks.models import prompts
from rarefy.tasks.models.embed.sentences import find_model_folder
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.models.llm.faults import Unavailable
from rarefy.tasks.text.sentences import sentences

# NoRAG, Vanilla, ChainOfNote: one turn (retrieval robustness C; Magic Mushroom Figures 15-17)


def no_rag(case: StrategyCase) -> Talk:
    """Answer from the model's own knowledge, whatever passages there are."""
    return answer_from(case, ())


def vanilla(case: StrategyCase) -> Talk:
    """Answer from all passages; closed book where there are none."""
    return answer_from(case, case.passages)


def chain_of_note(case: StrategyCase) -> Talk:
    """Take notes on the passages, then answer; closed book where there are none."""
    if not case.passages:
        return (yield from answer_from(case, ()))
    reply = yield case.request("chain_of_note", case.passages)
    return case.answer(reply, "chain_of_note")


def answer_from(case: StrategyCase, passages: Sequence[Passage], detail: str = "") -> Talk:
    """Answer from these passages with the protocol's prompt; closed book where there are none."""
    step = "passages" if passages else "closed_book"
    reply = yield case.request(step, passages)
    return case.answer(reply, step, detail)


# OwnKnow: a closed-book answer first, then one from the passages beside it (retrieval robustness C)


def own_know(case: StrategyCase) -> Talk:
    """Answer closed book, then again with that draft shown beside the passages.

    A draft that cannot be parsed is shown as it came; a failed one ends the conversation with its error.
    """
    if not case.passages:
        return (yield from answer_from(case, ()))
    reply = yield case.request("closed_book")
    draft = case.answer(reply, "closed_book")
    if draft.error and draft.error != "unparsable":
        return draft
    text = (draft.detail if draft.error else draft.text).strip()
    reply = yield case.request("own_know", case.passages, draft=text.rstrip("."))
    return case.answer(reply, "own_know", f"own_know: {text}"[:200])


# S2A: the model selects contexts first (retrieval robustness C, s2a.j2)

# the template says "Selected Conetxts" twice and "Selected Contexts" once, and models copy either (B6)
_SELECTED = re.compile(r"selected\s+con(?:text|etxt)\(?s?\)?\s*(?:\*\*)?\s*[:：]\s*(?:\*\*)?", re.IGNORECASE)
# the numbers behind "Context", with those that follow in the same list: "Contexts 2, 3 and 5", "Context 2-4"
_LISTED = re.compile(
    r"con(?:text|etxt)s?\s*#?\s*(\d+(?:\s*(?:,|and|&|-|–|—|to|through)+\s*(?:and\s+)?\d+(?![\d.%]))*)",
    re.IGNORECASE,
)
_CONTEXT = re.compile(r"con(?:text|etxt)s?\s*#?\s*(\d+)", re.IGNORECASE)
_NUMBERS = re.compile(r"(\d+)(?:\s*(?:-|–|—|to|through)\s*(?:con(?:text|etxt)\s*)?(\d+))?", re.IGNORECASE)
_NONE = re.compile(r"\b(?:none|no\s+(?:retrieved\s+)?con(?:text|etxt)s?)\b", re.IGNORECASE)


def s2a(case: StrategyCase) -> Talk:
    """Let the model select contexts, then answer from those alone, in the order they were shown."""
    if not case.passages:
        return (yield from answer_from(case, ()))
    reply = yield case.shared("s2a", case.passages)
    ended = case.failed(reply)
    if ended and ended.error:
        return ended
    numbers = parse_selection(reply.text, len(case.passages))
    kept: tuple[Passage, ...] | Ended
    if numbers is None:
        kept, selection = case.unclear(case.config.s2a_unread, reply), "unreadable"
    elif not numbers:
        kept, selection = case.unclear(case.config.s2a_none, reply), "none"
    else:
        kept, selection = tuple(case.passages[number - 1] for number in numbers), ", ".join(map(str, numbers))
    if isinstance(kept, Ended):
        return kept
    return (yield from answer_from(case, kept, f"s2a: {selection} of {len(case.passages)}"))


def parse_selection(text: str, count: int) -> list[int] | None:
    """Return the numbers of the selected contexts, from 1, ascending; [] for none; None where it is unclear."""
    text = strip_code_fence(strip_thoughts(text))
    labels = list(_SELECTED.finditer(text))
    if labels:
        text = text[labels[-1].end() :].split("\n\n")[0]
        if re.match(r"\W*all\b", text, re.IGNORECASE):
            return list(range(1, count + 1))
        if re.match(r"\W*none\b", text, re.IGNORECASE):
            return []
        text = re.sub(r"\([^)]*\)", " ", text)  # a remark on a context, as "(covers 2024)", selects nothing
        numbers = _expand_ranges(" ".join(_LISTED.findall(text)) if _CONTEXT.search(text) else text)
    else:
        numbers = [int(number) for number in _CONTEXT.findall(text)]
    valid = sorted({number for number in numbers if 1 <= number <= count})
    if valid:
        return valid
    return [] if _NONE.search(text) else None


def _expand_ranges(text: str) -> list[int]:
    numbers: list[int] = []
    for first, last in _NUMBERS.findall(text):
        if len(first) <= 4 and len(last) <= 4:
            numbers += range(int(first), int(last or first) + 1)
    return numbers


# SKR: the model says first whether it needs passages (Magic Mushroom Figure 18)

_YES = re.compile(r"\byes\b|(?<!not )(?<!n't )\bi need\b", re.IGNORECASE)
_NO = re.compile(r"\bno\b|\bdon't need\b|\bdo not need\b", re.IGNORECASE)


def skr(case: StrategyCase) -> Talk:
    """Answer from the passages if the model says that it needs them, else closed book."""
    if not case.passages:
        return (yield from answer_from(case, ()))
    reply = yield case.shared("skr")
    ended = case.failed(reply)
    if ended and ended.error:
        return ended
    need = parse_need(reply.text)
    if need is None:
        kept = case.unclear(case.config.skr_unclear, reply)
        if isinstance(kept, Ended):
            return kept
        return (yield from answer_from(case, kept, "skr: unclear"))
    return (yield from answer_from(case, case.passages if need else (), "skr: need" if need else "skr: no need"))


def parse_need(text: str) -> bool | None:
    """Return whether a reply says "Yes, I need." or "No, I don't need."; None where it says neither, or both."""
    text = " ".join(strip_code_fence(strip_thoughts(text)).replace("’", "'").split())
    if first := re.match(r"\W*(yes|no)\b", text, re.IGNORECASE):
        return first[1].lower() == "yes"
    yes, no = bool(_YES.search(text)), bool(_NO.search(text))
    return yes if yes != no else None


# DRAGIN (arXiv 2403.10081): retrieval where the model is uncertain, here by BM25 among the passages of the trial.
# DRAGIN scores a token by entropy, attention from later tokens and content word. An endpoint reports no attention: it
# counts as 1 here, DRAGIN's average. It reports only the likeliest tokens: the rest is one alternative. The query is
# the question and the draft's words before the uncertain one, where DRAGIN takes the words it attends to.

K1, B = 1.5, 0.75
_WORD = re.compile(r"\w+(?:[.,]\d+)*")
STOPWORDS = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being below between both but by
    can could did do does doing down during each either few for from further had has have having he her here hers him
    his how i if in into is it its itself just may me might more most must my neither no nor not now of off on once
    only or other our out over own said same shall she should so some such than that the their them then there these
    they this those through to too under until up very was we were what when where whether which while who whom whose
    why will with would you your answer question
    """.split()
)


def is_content_word(text: str) -> bool:
    """Return whether a token holds a word that is no stop word."""
    return any(word not in STOPWORDS for word in _words(text))


def rank_passages(query: str, passages: Sequence[Passage], count: int) -> tuple[Passage, ...]:
    """Return the best `count` passages by BM25, in the order they were given; ties go to the upper one."""
    texts = [[word for word in _words(f"{p.title} {p.text}") if word not in STOPWORDS] for p in passages]
    terms = set(_words(query)) - STOPWORDS
    frequency = Counter(word for words in texts for word in set(words) & terms)
    mean = sum(map(len, texts)) / max(len(texts), 1) or 1.0
    scores = []
    for words in texts:
        counts = Counter(word for word in words if word in terms)
        scores.append(
            sum(
                math.log(1 + (len(texts) - frequency[word] + 0.5) / (frequency[word] + 0.5))
                * (counts[word] * (K1 + 1))
                / (counts[word] + K1 * (1 - B + B * len(words) / mean))
                for word in sorted(counts)
            )
        )
    places = sorted(range(len(passages)), key=lambda at: (-scores[at], at))[:count]
    return tuple(passages[at] for at in sorted(places))


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def dragin(case: StrategyCase) -> Talk:
    """Draft an answer closed book; while a word is uncertain, answer again from the passages that the draft retrieves.

    At most `dragin_rounds` retrievals; ends earlier where no other passages are found. Unavailable where the endpoint
    gives no log-probabilities.
    """
    if not case.passages:
        return (yield from answer_from(case, ()))
    step = "closed_book"
    shown: tuple[Passage, ...] = ()
    reply = yield replace(case.request(step), logprobs=case.config.dragin_alternatives)
    for number in range(case.config.dragin_rounds + 1):
        ended = case.failed(reply)
        if ended:
            if ended.error == "rejected" and "logprobs" in ended.detail.lower():
                raise Unavailable(f"strategy dragin: {NOT_AVAILABLE} ({ended.detail}); choose another strategy")
            return case.answer(reply, step, "dragin: an empty draft" if not ended.error else "")
        if not reply.logprobs:
            raise Unavailable(f"strategy dragin: {NOT_AVAILABLE}; choose another strategy, or an endpoint that does")
        tokens = answer_tokens(reply)
        unsure = find_uncertain_token(tokens, case.config.dragin_threshold)
        retrieved: tuple[Passage, ...] = ()
        if unsure is not None and number < case.config.dragin_rounds:
            query = f"{case.asked.query} {''.join(token.text for token in tokens[:unsure])}"
            retrieved = rank_passages(query, case.passages, case.config.dragin_passages)
        if not retrieved or retrieved == shown:
            doubt = "certain" if unsure is None else f"uncertain of {tokens[unsure].text.strip()!r}"
            return case.answer(reply, step, f"dragin: {number} retrievals, {doubt}")
        step, shown = "passages", retrieved
        reply = yield replace(case.request(step, shown), logprobs=case.config.dragin_alternatives)
    raise AssertionError("the last round retrieves nothing")


def answer_tokens(reply: Reply) -> tuple[Token, ...]:
    """Return the tokens of a reply after the model's thoughts."""
    answer = strip_thoughts(reply.text)
    start = max(reply.text.rfind(answer), 0) if answer else len(reply.text)
    at, tokens = 0, []
    for token in reply.logprobs:
        at += len(token.text)
        if at > start:
            tokens.append(token)
    return tuple(tokens)


def token_entropy(token: Token) -> float:
    """Return the entropy of a token's distribution in nats; its unreported rest counts as one alternative."""
    logprobs = dict(zip(token.others, token.other_logprobs, strict=True))
    logprobs.setdefault(token.text, token.logprob)
    shares = [math.exp(min(logprob, 0.0)) for logprob in logprobs.values()]
    rest = max(1.0 - sum(shares), 0.0)
    return -sum(share * math.log(share) for share in (*shares, rest) if share > 0)


def find_uncertain_token(tokens: Sequence[Token], threshold: float) -> int | None:
    """Return the place of the first content word whose entropy is above the threshold, None for none."""
    return next(
        (at for at, token in enumerate(tokens) if is_content_word(token.text) and token_entropy(token) > threshold),
        None,
    )


# CRAG: passages are rated, then shown refined or left out (arXiv 2401.15884; Magic Mushroom E)

_TABLE = re.compile(r"((?:^[ \t]*\|.*(?:\n|\Z))+)", re.MULTILINE)
_RULE = re.compile(r"[ \t]*\|(?:\s*:?-+:?\s*\|)+\s*")


def crag(case: StrategyCase) -> Talk:
    """Answer after one of three actions, chosen by the best rating of the passages."""
    if not case.passages:
        return (yield from answer_from(case, ()))
    assert case.rate
    query, config = case.asked.query, case.config
    strips = [
        Strip(place, text, head)
        for place, passage in enumerate(case.passages)
        for head, text in split_strips(passage.text, config.crag_strip_sentences)
    ]
    rated = case.rate(query, [f"{strip.head}\n{strip.text}".strip() for strip in strips])
    # by strips: short texts are rated more reliably than long ones, and no evaluator truncates them
    whole = config.crag_rates == "passages"
    best = max(case.rate(query, [passage.text for passage in case.passages]) if whole else rated)
    action = choose_action(best, config.crag_correct, config.crag_incorrect)
    detail = f"crag: {action} ({best:.2f})"
    if action == "incorrect":
        if config.crag_instead_of_web == "refuse" and case.asked.refusal:
            return Ended(case.asked.refusal, detail=detail)
        return (yield from answer_from(case, (), detail))
    return (yield from answer_from(case, refine_passages(case.passages, strips, rated, config), detail))


@dataclass(frozen=True, slots=True)
class Strip:
    """A part of a passage that is rated alone."""

    place: int  # of its passage
    text: str
    head: str = ""  # of the table whose rows the text is


def choose_action(best: float, correct: float, incorrect: float) -> str:
    """Return the action for the best rating: correct (at least `correct`), incorrect (below `incorrect`), ambiguous."""
    if best >= correct:
        return "correct"
    return "ambiguous" if best >= incorrect else "incorrect"


def refine_passages(
    passages: Sequence[Passage], strips: Sequence[Strip], rated: Sequence[float], config: RagConfig
) -> tuple[Passage, ...]:
    """Return the passages cut down to their best strips, in order; passages of which nothing is left are dropped."""
    by_rating = sorted(range(len(strips)), key=lambda at: (-rated[at], at))[: config.crag_strips]
    kept = {at for at in by_rating if rated[at] >= config.crag_strip_least} or set(by_rating[:1])
    left: dict[int, list[str]] = {}
    head = ""
    for at in sorted(kept):
        strip = strips[at]
        texts = left.setdefault(strip.place, [])
        if strip.head and not (texts and strip.head == head):
            texts.append(strip.head)
        texts.append(strip.text)
        head = strip.head
    return tuple(replace(passages[place], text="\n".join(texts)) for place, texts in left.items())


def split_strips(text: str, count: int) -> list[tuple[str, str]]:
    """Split a passage into (table head, text) strips of `count` sentences, or of `count` rows of a table.

    Nothing of the text is lost; a shorter passage is one strip.
    """
    strips: list[tuple[str, str]] = []
    for table in _TABLE.split(text):
        lines = table.rstrip("\n").split("\n")
        if not table.lstrip().startswith("|") or len(lines) < 3:
            spans = sentences(table)
            parts = [(spans[at][0], spans[min(at + count, len(spans)) - 1][1]) for at in range(0, len(spans), count)]
            strips += [("", table[start:end]) for start, end in parts]
            continue
        first = 2 if _RULE.fullmatch(lines[1]) else 1
        head, rows = "\n".join(lines[:first]), lines[first:]
        strips += [(head, "\n".join(rows[at : at + count])) for at in range(0, len(rows), count)]
    return strips or [("", text)]


# Stand-ins for CRAG's own retrieval evaluator, which rate how much a text helps with a question, -1 to 1

MAX_TOKENS = 512  # tokens of a pair, as CRAG's own evaluator reads


def connect_rater(config: RagConfig, cache: Path | None, threads: int, means: InferenceContext) -> PassageRater:
    """Return the evaluator of a config; ValueError, saying what to do, where it is unknown or not on disk."""
    if config.evaluator == "embed":
        return connect_cosine_rater(config, cache, threads, means)
    if config.evaluator == "cross-encoder":
        if not config.evaluator_model:
            raise ValueError(
                "evaluator cross-encoder needs evaluator_model: a folder, or a name in Hugging Face's cache"
            )
        return CrossEncoder(find_model_folder(config.evaluator_model), config.evaluator_squashed)
    if ":" not in config.evaluator:
        raise ValueError(f"no evaluator {config.evaluator!r}; have embed, cross-encoder, or write module:function")
    return find(config.evaluator, {})


def connect_cosine_rater(config: RagConfig, cache: Path | None, threads: int, means: InferenceContext) -> PassageRater:
    """Return a rater by the cosine of question and text, mapped from [cosine_low, cosine_high] to [-1, 1]."""
    if config.cosine_low >= config.cosine_high:
        raise ValueError("cosine_low must be below cosine_high")
    embed = config.embed.connect(cache, threads=threads, means=means)
    middle, half = (config.cosine_high + config.cosine_low) / 2, (config.cosine_high - config.cosine_low) / 2

    def rate(query: str, texts: Sequence[str]) -> list[float]:
        if not texts:
            return []
        cosines = embed(list(texts), role="passage") @ embed([query], role="query")[0]
        return [max(-1.0, min(1.0, (float(cosine) - middle) / half)) for cosine in cosines]

    return rate


class CrossEncoder:
    """Rates (question, text) pairs by a Hugging Face model with one output, which is loaded for the first pair."""

    def __init__(self, folder: Path, squashed: bool) -> None:
        self.folder, self.squashed = folder, squashed
        self._known = lru_cache(maxsize=100_000)(self._rate)  # passages recur with every wording and mix
        self._loaded: tuple[Any, Any, Any] | None = None

    def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return a rating for each text."""
        return [self._known(query, text) for text in texts]

    def _rate(self, query: str, text: str) -> float:
        # one pair at a time: in a batch its last bits would depend on the other pairs
        import torch

        tokenizer, network, device = self._loaded = self._loaded or self._load()
        read = tokenizer(query, text, truncation="only_second", max_length=MAX_TOKENS, return_tensors="pt").to(device)
        with torch.inference_mode():
            logit = float(network(**read).logits.float().reshape(-1)[0])
        return 2 / (1 + math.exp(-logit)) - 1 if self.squashed else max(-1.0, min(1.0, logit))

    def _load(self) -> tuple[Any, Any, Any]:
        import torch
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        network = AutoModelForSequenceClassification.from_pretrained(self.folder, local_files_only=True)
        if network.config.num_labels != 1:
            raise ValueError(
                f"{self.folder}: a cross-encoder that rates has one output, this has {network.config.num_labels}"
            )
        device = "cuda" if torch.cuda.is_available() else "cpu"
        tokenizer = AutoTokenizer.from_pretrained(self.folder, local_files_only=True)
        return tokenizer, network.eval().to(device), device


VERSION = 1
DEFAULT_TURNS = 8  # of a user's strategy without an attribute `turns`


@dataclass(frozen=True)
class Strategy:
    """A prompting strategy and what it needs."""

    talk: Callable[[StrategyCase], Talk]
    turns: Callable[[RagConfig], int]  # requests for one question, at most
    rates: bool = False  # needs an evaluator of passages
    options: tuple[str, ...] = ()  # prefixes of the fields of RagConfig that only it reads


def _fixed_turns(number: int) -> Callable[[RagConfig], int]:
    return lambda config: number


STRATEGIES: dict[str, Strategy] = {
    "no_rag": Strategy(no_rag, _fixed_turns(1)),
    "vanilla": Strategy(vanilla, _fixed_turns(1)),
    "own_know": Strategy(own_know, _fixed_turns(2)),
    "s2a": Strategy(s2a, _fixed_turns(2), options=("s2a_",)),
    "chain_of_note": Strategy(chain_of_note, _fixed_turns(1)),
    "skr": Strategy(skr, _fixed_turns(2), options=("skr_",)),
    "crag": Strategy(crag, _fixed_turns(1), rates=True, options=("crag_", "evaluator", "cosine_", "embed")),
    "dragin": Strategy(dragin, lambda config: 1 + config.dragin_rounds, options=("dragin_",)),
}


def find_strategy(name: str) -> Strategy:
    """Return the strategy of this name; "module:function" names a user's generator function of a StrategyCase.

    Its attribute `rates` says that it needs StrategyCase.rate; `turns` says how many requests it makes at most.
    """
    if name in STRATEGIES:
        return STRATEGIES[name]
    talk = find(name, {known: strategy.talk for known, strategy in STRATEGIES.items()})
    return Strategy(talk, _fixed_turns(int(getattr(talk, "turns", DEFAULT_TURNS))), bool(getattr(talk, "rates", False)))


def strategy_identity(config: RagConfig) -> dict[str, Any]:
    """Return what determines answers besides the model: prompts, strategy, and the options that it reads."""
    own = find_strategy(config.strategy)
    others = {name for strategy in STRATEGIES.values() for name in strategy.options} - set(own.options)
    if ":" in config.strategy:
        others = set()  # what a user's strategy reads is unknown
    identity = config.model_dump(mode="json", exclude={"llm", "embed"})
    identity = {name: value for name, value in identity.items() if not name.startswith(tuple(others))}
    if own.rates and config.evaluator == "embed":
        identity["embed"] = config.embed.identity()
    return identity | {"version": VERSION, "prompt": prompts.digest("systems")}
