"""Settings of which variants are made and how (RARE §5.1–5.2, C.1–C.2; SURE §3; Magic Mushroom §3)."""

from typing import Literal

from pydantic import BaseModel, Field

# Of a first look: what each protocol's headline needs, the cheapest of each class (docs/perturbations.md says why)
QUERY = ("character", "word", "grammar", "irrelevant_detail", "lower_case", "no_punctuation")
DOCUMENT = ("answer_deleted", "reverse_order", "json", "html", "timestamp_pre")
CONTEXT = ("golden_passage", "distracting", "debris", "inconsequential", "irrelevant", "distraction_after")
# All that rules can make: `--all-kinds`
ALL_KINDS = {
    "query": ("surface", "advanced", "superficial", "paraphrase"),
    "document": ("deletion", "logic", "format", "metadata"),
    "context": ("golden", "distracting", "low_quality", "inconsequential", "irrelevant", "distraction"),
}


class PerturbConfig(BaseModel, frozen=True, extra="forbid"):
    """How variants are made of questions, of their gold chunks, and of the passages around them."""

    query: tuple[str, ...] = Field(
        QUERY, description="changes to questions: names or families of `rarefy perturbations`, or module:function"
    )
    document: tuple[str, ...] = Field(
        DOCUMENT, description="changes to gold chunks: names or families, or module:function"
    )
    context: tuple[str, ...] = Field(
        CONTEXT, description="passages to mix contexts of: names or families, or module:function"
    )
    by: Literal["rules", "model"] | tuple[str, ...] = Field(
        "rules",
        description="rules: offline, and what cannot be done so is left out with a count; model: the model of [llm] "
        "makes what the papers had made by one, rules the rest; or a list of names or families that the model makes",
    )
    model_share: float = Field(
        1.0,
        gt=0,
        le=1,
        description="share of the questions, drawn by hash, whose variants the model makes; of the others rules make "
        "what they can",
    )
    temperature: float = Field(0.2, ge=0, le=2, description="of the model")
    inventive: float = Field(
        0.7,
        ge=0,
        le=2,
        description="temperature where a model makes something up or words it in many ways: irrelevant details, false "
        "passages, paraphrases; RARE's code: 0.7",
    )
    seed: int = Field(0, description="of the model, for a provider that takes one")
    max_tokens: int = Field(
        8_192, ge=1, description="of a reply, at most; a text whose rewriting may take more is not asked about"
    )
    share: float = Field(0.1, gt=0, le=1, description="how much of a question is changed; RARE: 10 %")
    share_of: Literal["characters", "words"] = Field(
        "words",
        description="what the share of typing errors is of: RARE's text says characters, its code does words. Measured "
        "on 160 questions: an error in 10 % of the words leaves a mean cosine of 0.94, and all above 0.85; errors in "
        "10 % of the characters leave 0.62, and none",
    )
    edits: tuple[Literal["neighbour_key", "deletion", "swap", "homoglyph"], ...] = Field(
        ("neighbour_key", "deletion", "swap"),
        min_length=1,
        description="the typing errors drawn from; RARE's text has the first two, its code all four. A homoglyph (a "
        "Cyrillic letter that looks like the Latin one) is no typing error, and nobody sees it",
    )
    shortest_word: int = Field(4, ge=2, description="letters of the shortest word that gets a typing error")
    candidates: int = Field(5, ge=1, description="tries for a variant; the first that passes its checks is taken")
    threshold: float = Field(0.85, ge=-1, le=1, description="least cosine to the original; RARE's code: 0.85")
    document_similarity: Literal["words", "embedding"] = Field(
        "words",
        description="cosine of a changed chunk to the original: words compares their counts (the lexical likeness that "
        "this setting is about); embedding costs two passages a variant, and 2 cores embed some 17 a second",
    )
    synonyms: float = Field(
        0.2, gt=0, le=1, description="share of the content words of a golden passage that get a synonym; Magic Mushroom"
    )
    passage: int = Field(
        100, ge=20, description="words of a passage in a context, cut from its chunk around the evidence, at most"
    )
    reach: int = Field(3, ge=1, description="how far from the gold chunk an inconsequential one may stand, in chunks")
    pools: dict[str, int] = Field(
        {
            "golden_augmented": 10,
            "distracting": 10,
            "counterfactual": 4,
            "debris": 3,
            "inconsequential": 7,
            "irrelevant": 7,
        },
        description="passages of each kind per question, at most; Magic Mushroom: 10, 10, 7, 7, 7 by class",
    )
    paraphrases: int = Field(5, ge=1, description="of a question, at most; the IBM paper: five")
    cutoff: str = Field(
        "2023-12",
        pattern=r"^\d{4}-\d{2}$",
        description="knowledge cutoff of the model under test, as YYYY-MM: timestamps are put a year before and after",
    )

    def with_all_kinds(self) -> "PerturbConfig":
        """The config with all kinds that rules can make, on each side that is as by default."""
        fields = type(self).model_fields
        update = {side: kinds for side, kinds in ALL_KINDS.items() if getattr(self, side) == fields[side].default}
        return self.model_copy(update=update)

    def __hash__(self) -> int:
        return hash(self.model_dump_json())
