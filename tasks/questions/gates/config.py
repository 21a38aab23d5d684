"""What a question must be to be accepted (RARE §3.4, R19-R23)."""

from typing import Literal

from pydantic import BaseModel, Field


class GatesConfig(BaseModel, frozen=True, extra="forbid"):
    """What a question must be to be accepted."""

    gates: tuple[str, ...] = Field(
        (
            "answer_in_evidence",
            "answer_given_away",
            "pivot_given_away",
            "pivot_rarity",
            "self_contained",
            "readable",
            "worth_asking",
            "one_answer",
            "several_chunks",
            "near_duplicate",
        ),
        description="in this order, the cheap ones first: names, or module:function",
    )
    names: Literal["coined", "used"] = Field(
        "used",
        description="which single words are names for a pivot. coined: those that the language does not have; used: or "
        "that the corpus writes with a capital within sentences, and never without",
    )
    fewest_words: int = Field(5, ge=1, description="in a question")
    most_words: int = Field(60, ge=1, description="in a question")
    least_reading_ease: float = Field(
        -40.0, description="Flesch's; terms of accounting are long words: plain questions about them go down to -15"
    )
    near_duplicate: float = Field(
        92.0,
        ge=0,
        le=100,
        description="likeness (0-100, whatever the order of words) from which two questions with the same names, "
        "numbers and answer are one; the smallest id stays",
    )
    whole_gold: bool = Field(
        True,
        description="turn a question of one fact or a computed one down where another passage may state its figure and "
        "no rule is sure: a system that finds that passage would be marked wrong",
    )
    retrieved: int = Field(
        20,
        ge=0,
        description="how many of BM25's first passages may hide a gold one in a retrievable question; 0: not tried",
    )
