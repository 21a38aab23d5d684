"""How variants are made (RARE §5.1–5.2, C.1–C.2)."""

from typing import Literal

from pydantic import BaseModel, Field


class PerturbConfig(BaseModel, frozen=True, extra="forbid"):
    """How variants are made of questions and of their gold chunks."""

    query: tuple[str, ...] = Field(("character", "word"), description="changes to questions: names, or module:function")
    document: tuple[str, ...] = Field(
        ("answer_deleted",), description="changes to gold chunks: names, or module:function"
    )
    share: float = Field(0.1, gt=0, le=1, description="how much of a question is changed; RARE: 10 %")
    share_of: Literal["characters", "words"] = Field(
        "words",
        description="what the share of typing errors is of: RARE's text says characters, its code does words. Measured "
        "on 160 questions: an error in 10 % of the words leaves a mean cosine of 0.94, and all above 0.85; errors in "
        "10 % of the characters leave 0.62, and none",
    )
    edits: tuple[Literal["neighbour_key", "deletion", "swap", "homoglyph"], ...] = Field(
        ("neighbour_key", "deletion", "swap", "homoglyph"),
        min_length=1,
        description="the typing errors drawn from; RARE's text has the first two, its code all four",
    )
    shortest_word: int = Field(4, ge=2, description="letters of the shortest word that gets a typing error")
    candidates: int = Field(5, ge=1, description="tries for a question; the first that is similar enough is taken")
    threshold: float = Field(0.85, ge=-1, le=1, description="least cosine to the original; RARE's code: 0.85")
    document_similarity: Literal["words", "embedding"] = Field(
        "words",
        description="cosine of a changed chunk to the original: words compares their counts (the lexical likeness that "
        "this setting is about); embedding costs two passages a variant, and 2 cores embed some 17 a second",
    )
