"""Configuration of the built-in RAG system: its model, its prompting strategy, and the options of each strategy."""

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field

from rarefy.tasks.evaluate.systems.interface import System
from rarefy.tasks.find import find
from rarefy.tasks.models.embed import EmbedConfig
from rarefy.tasks.models.llm.config import InferenceContext, LLMConfig

Fallback = Literal["passages", "closed_book", "error"]


def _open_choice(source: str) -> dict[str, Any]:
    return {"tag": "open", "source": source}


class RagConfig(BaseModel, frozen=True, extra="forbid"):
    """Which model answers, and how it is asked."""

    llm: LLMConfig = Field(default_factory=lambda: LLMConfig.model_validate({}), description="the model that answers")
    strategy: str = Field(
        "vanilla",
        description="no_rag | vanilla | own_know | s2a (retrieval robustness) | chain_of_note | skr | crag | dragin "
        '(Magic Mushroom) | "module:function"',
    )
    prompts: str = Field(
        "",
        description="whose prompts are shown: rare | sure | retrieval_robustness | effect_size | magic_mushroom | "
        'general; "": those of the protocol that asks, general where none does',
    )
    titles: bool = Field(
        True,
        description="each passage under its document's title, where it has one outside its text",
        json_schema_extra=_open_choice("no paper's template shows a title; SURE's formats carry one in the text"),
    )
    temperature: float = Field(
        0.0,
        ge=0,
        description="of every reply",
        json_schema_extra=_open_choice('SURE appendix F: "greedy decoding" and "temperature 0.1"; the other papers: 0'),
    )
    max_tokens: int = Field(
        1024,
        ge=1,
        description="of one reply, a reasoning model's thoughts included; RARE allows 1,024, retrieval robustness 100",
    )
    seed: int = Field(0, description="of the model, for a provider that takes one")
    unread: Literal["error", "whole"] = Field(
        "error",
        description='a reply without the answer that its prompt asks for: error: "unparsable", a failed trial; whole: '
        "the whole reply is the answer, as in RARE's code",
        json_schema_extra=_open_choice("RARE's code"),
    )
    truncated: Literal["error", "answer"] = Field(
        "error",
        description='a reply cut at max_tokens: error: "truncated", a failed trial; answer: what there is is read',
        json_schema_extra=_open_choice("no paper says"),
    )
    form: Literal["popqa", "boolq", "siga"] = Field(
        "popqa",
        description="which of the effect size paper's prompts: an open question, one for yes or no, a statement to be "
        "judged; it must not follow the wording, or a changed question would be asked with another prompt",
        json_schema_extra=_open_choice("effect size A.4"),
    )
    s2a_none: Fallback = Field(
        "closed_book",
        description="what S2A's second step shows where the first selects no context: nothing, all, or it is an error",
        json_schema_extra=_open_choice("retrieval robustness appendix C, s2a.j2"),
    )
    s2a_unread: Fallback = Field(
        "passages",
        description="and where the first step's reply names no context and does not say None",
        json_schema_extra=_open_choice("retrieval robustness appendix C, s2a.j2"),
    )
    skr_unclear: Fallback = Field(
        "passages",
        description="what SKR does where its check is answered by neither yes nor no",
        json_schema_extra=_open_choice("Magic Mushroom Figure 18"),
    )
    evaluator: str = Field(
        "embed",
        description="CRAG's retrieval evaluator: embed (cosine of question and passage) | cross-encoder (from "
        'evaluator_model) | "module:function" of (query, texts) that gives a score in [-1, 1] for each text',
        json_schema_extra={"tag": "recon", "source": "CRAG's own evaluator is a T5-large tuned for it"},
    )
    evaluator_model: str = Field("", description="the cross-encoder's folder, or its name in the Hugging Face cache")
    evaluator_squashed: bool = Field(
        True,
        description="a cross-encoder of one output gives a logit, made a score by 2 sigmoid(x) - 1; false: its output "
        "is the score, as of CRAG's own evaluator",
    )
    embed: EmbedConfig = Field(default_factory=EmbedConfig, description="whose cosine, for evaluator embed")
    cosine_low: float = Field(
        0.39,
        ge=-1,
        le=1,
        description="the cosine that is the score -1, for the packaged embedder; another one needs its own",
        json_schema_extra=_open_choice("measured, docs/strategies.md"),
    )
    cosine_high: float = Field(
        0.67,
        ge=-1,
        le=1,
        description="the cosine that is the score 1, for the packaged embedder; another one needs its own",
        json_schema_extra=_open_choice("measured, docs/strategies.md"),
    )
    crag_rates: Literal["strips", "passages"] = Field(
        "strips",
        description="a passage is rated by its best strip, or as a whole as in CRAG, whose passages have 100 words",
        json_schema_extra={"tag": "recon", "source": "CRAG's code"},
    )
    crag_correct: float = Field(0.5, ge=-1, le=1, description="some passage scores at least this: correct")
    crag_incorrect: float = Field(-0.91, ge=-1, le=1, description="every passage scores below this: incorrect")
    crag_strip_sentences: int = Field(
        3,
        ge=1,
        description="sentences in a strip of a passage, or rows of a table behind its head",
        json_schema_extra={"tag": "recon", "source": "CRAG's code; its passages hold no tables"},
    )
    crag_strips: int = Field(
        10,
        ge=1,
        description="best strips that are kept and put together again in their order",
        json_schema_extra={"tag": "recon", "source": "CRAG's code"},
    )
    crag_strip_least: float = Field(
        -1.0,
        ge=-1,
        le=1,
        description="a strip that scores below this is left out; the best one stays all the same; -1: none is",
        json_schema_extra={"tag": "recon", "source": "CRAG's code"},
    )
    crag_instead_of_web: Literal["own_knowledge", "refuse"] = Field(
        "own_knowledge",
        description="what stands in for CRAG's web search where all passages are incorrect: the model answers from its "
        "own knowledge, or the protocol's words of refusal are the answer (own knowledge where it has none)",
        json_schema_extra=_open_choice('Magic Mushroom appendix E: "optional web augmentation"'),
    )
    dragin_threshold: float = Field(
        1.2,
        ge=0,
        description="entropy in nats of a content word's token above which the model is uncertain",
        json_schema_extra=_open_choice("DRAGIN's configurations have 1.0 to 1.4, with attention that is 1 on average"),
    )
    dragin_alternatives: int = Field(
        20, ge=1, le=20, description="likeliest tokens at each place that the endpoint is asked for; most give up to 20"
    )
    dragin_passages: int = Field(3, ge=1, description="passages that one retrieval among those given takes")
    dragin_rounds: int = Field(2, ge=1, le=5, description="retrievals for one question, at most")

    def identity(self) -> dict[str, Any]:
        """Return what determines its answers: model, prompts, strategy with its options, evaluator of passages."""
        options = find(
            "rarefy.tasks.evaluate.systems.rag.strategies:strategy_identity", {}
        )  # by name: it needs this module
        return {"llm": self.llm.identity(), **options(self)}

    def connect(self, cache: Path, *, threads: int, means: InferenceContext) -> System:
        """Return the system; faults.Unavailable or ValueError, saying what to do, where a model is not available."""
        rag = find("rarefy.tasks.evaluate.systems.rag:rag", {})
        system: System = rag(self, self.llm.connect(cache, threads=threads, means=means), cache, threads, means)
        return system
