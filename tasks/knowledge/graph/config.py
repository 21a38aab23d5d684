"""What a pattern is and how many paths of it are wanted (RARE §3.3, R11–R17)."""

from typing import Literal

from pydantic import BaseModel, Field, field_validator

Sizes = tuple[int, ...]


class GraphConfig(BaseModel, frozen=True, extra="forbid"):
    """Which paths are eligible, and which of them are taken."""

    patterns: tuple[str, ...] = Field(
        ("inverted_star", "chain", "star", "single"),
        description="patterns by name or module:function, in the order in which they choose their facts: rarest first",
    )
    computed: tuple[Literal["comparison", "change", "share", "superlative"], ...] = Field(
        ("comparison", "change", "share", "superlative"),
        description="kinds whose answer is computed from several figures; they may use what the patterns used",
    )
    quotas: dict[str, int] = Field(
        {
            "inverted_star": 1_000,
            "chain": 2_000,
            "star": 2_000,
            "single": 8_000,
            "comparison": 500,
            "change": 800,
            "share": 500,
            "superlative": 500,
            "listing": 300,
            "absent": 1_000,
        },
        description="paths wanted per pattern or kind and domain (RARE's code: 30000), of absences in all domains "
        "together; these are at most a fifth of all, and many of them are not asked, since a document may speak of "
        "them; one not named here gets none",
    )
    single_rule: Literal["tail", "paper", "subject", "any"] = Field(
        "tail",
        description="tail: the tail has no other edge (RARE's code); paper: nor has the head (R11); "
        "subject: or the tail is a thing and no other fact has the head and relation, while others may "
        "share it (who is responsible for several tasks); any: of all that "
        "no other pattern took, for a model, which asks for the end of which there is one. In filings the "
        "registrant heads nearly every fact, so that the paper's rule leaves only facts about things named once",
    )
    chunk_rule: Literal["covered", "distinct"] = Field(
        "covered",
        description="covered: no one chunk states all facts of a path (R16); distinct: each fact from another chunk",
    )
    chain_sizes: Sizes = Field((2, 3), description="facts in a chain (R12)")
    star_sizes: Sizes = Field((2, 3, 4), description="facts around one head (R13)")
    inverted_star_sizes: Sizes = Field(
        (2, 3, 4), description="heads that meet in one tail (R14; RARE's code: pairs only)"
    )
    star_clues: Literal["member", "entity", "any"] = Field(
        "member",
        description="entity: at most one tail of a star is a literal, since a number cannot point at its owner; "
        "member: but at a part of a company, whose siblings have other figures of the measure; any: all literals",
    )
    needed_clues: bool = Field(
        True,
        description="without its clues a chain or star has another answer in the corpus, and each clue of a star is "
        "needed to single its head out (R19); none is one of a list; false: whatever is there",
    )
    rivals: Literal["relation", "words"] = Field(
        "words",
        description="what another answer is: a fact of the same relation; or also, of facts by a model, one whose "
        "relation, or the words beside its value, have a word in common",
    )
    common_clues: tuple[str, ...] = Field(
        (
            "is headquartered in",
            "is based in",
            "is incorporated in",
            "is listed on",
            "is audited by",
            "trades under symbol",
            "are issued by",
            "(chief .+|president|controller|general counsel|treasurer) of",
        ),
        description="relations (regular expressions) that anybody knows of a company, or that lead to its first page: "
        "alone they are the clue of few paths",
    )
    cover_facts: bool | None = Field(
        None,
        description="patterns use lines of a cover page (symbol, exchange, state, offices), which rules ask about and "
        "no model does; the census counts them all the same. Not given: where rules ask",
    )
    class_relations: tuple[str, ...] = Field(
        (
            "(is|are|was|were) an?( (kind|type|form|sort|example|class) of)?",
            "are (kinds|types|forms|sorts) of",
        ),
        description="relations (regular expressions) that say what kind of thing it is: no chain or star ends in one, "
        "since whoever asks says what kind of thing is meant",
    )
    telling_offices: tuple[str, ...] = Field(
        ("chief (executive|financial) officer of", "(chairman|chairwoman|chairperson|chair|founder|co-founder) of"),
        description="relations (regular expressions) of a person to a company by which people know which one is meant; "
        "no chain begins with another office",
    )
    through_years: bool = Field(
        True,
        description="chains also lead through a year: a figure that was highest or lowest then is the clue, where it "
        "does not simply rise; another figure of that year is the answer",
    )
    one_of_two: bool = Field(
        True,
        description="stars also describe one of two companies that are named, by a figure in which they are near each "
        'other: "the larger of Coca-Cola and Procter & Gamble by net income"',
    )
    per_common: int = Field(2, ge=0, description="chains, and stars, by such a clue alone, per described entity")
    same_relation: bool = Field(
        True,
        description="the facts of an inverted star say the same of their heads: what is listed on an exchange and what "
        "competes with it share a name, not a meaning",
    )
    for_model: bool | None = Field(
        None,
        description="what a model is asked nothing about is not drawn, so that it takes no other path's place: chains "
        "of which one passage names the ends of both facts, or that lead to several things from either end; stars but "
        "those of one named thing by names; inverted stars but those of two things of two documents that alone share a "
        "third. Not given: where a model asks",
    )
    per_pivot: int = Field(100, ge=1, description="multi-hop paths of one pattern around one entity, at most")
    per_part: int = Field(
        10, ge=1, description="chains that ask for figures of one part of a company, which stars ask for as well"
    )
    per_answer: int = Field(1, ge=1, description="paths of one pattern that end in the same fact, at most")
    per_meeting: int = Field(
        5, ge=1, description="inverted stars that end in the same fact, at most: each meets another head there"
    )
    per_clue: int = Field(
        6, ge=1, description="stars and chains around a named thing that describe it by the same facts"
    )
    per_tables: int = Field(
        8, ge=1, description="stars that describe a part of a company by one passage and ask for a figure of another"
    )
    exclusive: Literal["pattern", "answer", "answered", "none"] = Field(
        "pattern",
        description="pattern: a fact used in one pattern is used in no other (R15); answer: none is the answer of two "
        "patterns; answered: nor is the answer of one the clue of a later one",
    )
    reserve_clues: float = Field(
        0.2,
        ge=0,
        le=1,
        description="share of a head's facts with a named tail, rounded up, that is left to stars, which need clues",
    )
    reserve_values: float = Field(
        0.3,
        ge=0,
        le=1,
        description="share of a head's facts with a literal tail, rounded down, that is left to single facts",
    )

    @field_validator("patterns")
    @classmethod
    def _once(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(patterns)) < len(patterns):
            raise ValueError("each pattern may stand here once")
        return patterns

    @field_validator("chain_sizes", "star_sizes", "inverted_star_sizes")
    @classmethod
    def _countable(cls, sizes: Sizes, info: object) -> Sizes:
        most = 3 if getattr(info, "field_name", "") == "chain_sizes" else 4
        if not sizes or len(set(sizes)) < len(sizes) or min(sizes) < 2 or max(sizes) > most:
            raise ValueError(f"sizes must be different numbers from 2 to {most}, for which exact counts are known")
        return tuple(sorted(sizes))
