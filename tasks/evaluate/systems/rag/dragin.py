"""DRAGIN: retrieval where the model is uncertain of its own words, among the passages given (arXiv 2403.10081).

It scores each token by entropy, by how much later tokens attend to it, and by whether it is a content word. An endpoint
tells no attention and only the likeliest alternatives: here attention counts as 1 throughout (DRAGIN norms it to 1 on
average), the rest of the distribution as one alternative, and the query is the question with the draft's words before
the uncertain one, where DRAGIN takes those that it attends to.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from rarefy.data_contracts.rows import Passage, Reply, Request, Token
from rarefy.tasks.evaluate.systems.rag.case import StrategyCase
from rarefy.tasks.evaluate.systems.rag.final import unthinking
from rarefy.tasks.evaluate.systems.rag.logprobs import NOT_AVAILABLE
from rarefy.tasks.evaluate.systems.rag.plain import over
from rarefy.tasks.evaluate.systems.rag.ranked import best, content
from rarefy.tasks.evaluate.systems.rag.turns import Talk
from rarefy.tasks.models.llm.faults import Unavailable


def dragin(case: StrategyCase) -> Talk:
    """A draft from the model's own knowledge; where it is uncertain, the answer from the passages that its words find.

    Again, as often as `dragin_rounds` allows, while the answer is uncertain and other passages are found.
    Unavailable where the endpoint gives no log-probabilities.
    """
    if not case.passages:
        return (yield from over(case, ()))
    step = "closed_book"
    found: tuple[Passage, ...] = ()
    reply = yield _watched(case.request(step), case)
    for number in range(case.config.dragin_rounds + 1):
        ended = case.failed(reply)
        if ended:
            if ended.error == "rejected" and "logprobs" in ended.detail.lower():
                raise Unavailable(f"strategy dragin: {NOT_AVAILABLE} ({ended.detail}); choose another strategy")
            return case.answer(reply, step, "dragin: an empty draft" if not ended.error else "")
        if not reply.logprobs:
            raise Unavailable(f"strategy dragin: {NOT_AVAILABLE}; choose another strategy, or an endpoint that does")
        tokens = answering(reply)
        unsure = uncertain(tokens, case.config.dragin_threshold)
        further: tuple[Passage, ...] = ()
        if unsure is not None and number < case.config.dragin_rounds:
            further = best(f"{case.asked.query} {certain(tokens, unsure)}", case.passages, case.config.dragin_passages)
        if not further or further == found:
            way = "certain" if unsure is None else f"uncertain of {tokens[unsure].text.strip()!r}"
            return case.answer(reply, step, f"dragin: {number} retrievals, {way}")
        step, found = "passages", further
        reply = yield _watched(case.request(step, found), case)
    raise AssertionError("the last round retrieves nothing")


def _watched(request: Request, case: StrategyCase) -> Request:
    return replace(request, logprobs=case.config.dragin_alternatives)


def answering(reply: Reply) -> tuple[Token, ...]:
    """The tokens of a reply behind the model's thoughts."""
    answer = unthinking(reply.text)
    start = max(reply.text.rfind(answer), 0) if answer else len(reply.text)
    at, tokens = 0, []
    for token in reply.logprobs:
        at += len(token.text)
        if at > start:
            tokens.append(token)
    return tuple(tokens)


def entropy(token: Token) -> float:
    """The entropy in nats of a token's distribution, what is not told of it taken for one alternative."""
    told = dict(zip(token.others, token.other_logprobs, strict=True))
    told.setdefault(token.text, token.logprob)
    shares = [math.exp(min(logprob, 0.0)) for logprob in told.values()]
    rest = max(1.0 - sum(shares), 0.0)
    return -sum(share * math.log(share) for share in (*shares, rest) if share > 0)


def uncertain(tokens: Sequence[Token], threshold: float) -> int | None:
    """The place of the first content word that the model is uncertain of; None where it is of none."""
    return next((at for at, token in enumerate(tokens) if content(token.text) and entropy(token) > threshold), None)


def certain(tokens: Sequence[Token], end: int) -> str:
    """The words before the uncertain one, as far as they were said."""
    return "".join(token.text for token in tokens[:end])
