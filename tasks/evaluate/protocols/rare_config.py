"""What RARE-Met leaves to choose (arXiv 2506.00789 §5, Tables 3 and 4; papers.md 004-L, 004-M)."""

from typing import Literal

from pydantic import BaseModel, Field

GOLD, SIMILAR, DIFFERENT, RETRIEVED, PROBE = "gold", "lexical_similar", "lexical_different", "retrieved", "probe"
OWN = "own"  # the retriever of a system that retrieves itself


class RareConfig(BaseModel, frozen=True, extra="forbid"):
    """Which cells a question has, when one is robust, and how cells are averaged."""

    queries: tuple[str, ...] = Field(
        ("character", "word", "irrelevant_detail", "grammar"),
        description="perturbations of the question beside the original wording (C.1)",
    )
    lexical_similar: str = Field(
        "answer_deleted",
        description="perturbation of the gold passages that leaves the style and takes the answer (C.2)",
    )
    lexical_different: str = Field(
        "back_translation",
        description="perturbation of the gold passages that changes the style and leaves the answer (C.2); offline, "
        "where nothing translates, golden_augmented is one that rules can make",
    )
    retrievers: tuple[str, ...] = Field((), description="whose passages are shown; none given: all that were run")
    real_world: Literal["table", "gold_must_answer", "strict"] = Field(
        "table",
        description="what a system that does not know the answer must do with retrieved passages: table: be right or "
        "refuse; gold_must_answer: be right where any gold passage was retrieved, else be right or refuse; strict: be "
        "right where any gold passage was retrieved, else refuse",
        json_schema_extra={
            "tag": "recon",
            "source": "RARE Table 3, whose cells for refusal are lost; the head of the authors' repository excuses a "
            "refusal though gold was retrieved, the prose of §5 does not, and their first version has strict",
        },
    )
    without_probe: Literal["unknown", "skip"] = Field(
        "unknown",
        description="a system that cannot be asked without passages: unknown: it is taken not to know the answers; "
        "skip: what hangs on that is not counted",
        json_schema_extra={"tag": "open", "source": "RARE §5 has a probe of every generator"},
    )
    include_original: bool = Field(
        False,
        description="the original wording counts in Query Robustness and the original passages in Document Robustness",
        json_schema_extra={
            "tag": "recon",
            "source": "RARE Table 4; Appendix D's Q and D have it, its repository has not",
        },
    )
    mean: Literal["question", "flat"] = Field(
        "question",
        description="question: mean of the questions' means; flat: every cell counts once (the same where no cell is "
        "missing)",
        json_schema_extra={"tag": "recon", "source": "RARE Table 4; its repository and G.3 take the flat mean"},
    )
