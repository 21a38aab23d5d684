"""Passages to mix contexts of, by their class (Magic Mushroom §3.2–3.3; IBM §3)."""

from rarefy.tasks.perturb.entry import Perturbation

_MUSHROOM = "Magic Mushroom §3.2-3.3"
_HERE = "rarefy.tasks.perturb.context"
# Of the 10-Ks of Procter & Gamble for 2025 and NVIDIA for 2024, as the offline methods change them
_GOLD = "There were 2,342,371,488 shares of Common Stock outstanding as of July 31, 2025."
_NEAR = (
    "#### Employees\n\nAs of June 30, 2025, the Company had approximately 109,000 employees, an increase of 2% versus "
    "the prior year due to business growth."
)
_FAR = (
    "#### Cash Equivalents\n\nAll highly liquid investments with maturities of three months or less at the date of "
    "purchase are treated as cash equivalents."
)
_DEBRIS = (
    '<div style="text-align:justify"><font style="font-family:inherit;color:#333">the Company had approximately<br>'
    "</div></div><br clear=all>"
)

CONTEXT = (
    Perturbation(
        name="golden_passage",
        paper=_MUSHROOM,
        side="context",
        family="golden",
        about="the gold passage as it stands",
        checks=("answer_kept",),
        rules=f"{_HERE}.golden:golden_passage",
        by="selection",
        speaks=(),
        changes=False,
        example=(_GOLD, _GOLD),
    ),
    Perturbation(
        name="golden_augmented",
        paper=_MUSHROOM,
        side="context",
        family="golden",
        about="the gold passage in other words (synonyms for a fifth of its content words) and another syntax",
        checks=("answer_kept", "same_facts", "entailment"),
        rules=f"{_HERE}.golden:golden_augmented",
        role="golden",
        example=(_NEAR, _NEAR.replace("an increase", "a rise").replace("prior", "previous")),
    ),
    Perturbation(
        name="distracting",
        paper=_MUSHROOM,
        side="context",
        family="distracting",
        about="the gold passage with what answers the question replaced by another of its kind",
        checks=("no_answer",),
        rules=f"{_HERE}.distracting:distracting",
        role="distracting",
        example=(_GOLD, _GOLD.replace("2,342,371,488", "2,470,000,000")),
    ),
    Perturbation(
        name="counterfactual",
        paper=_MUSHROOM,
        side="context",
        family="low_quality",
        about="a passage on the same topic with its figures or names replaced by others of their kind",
        checks=("no_answer",),
        rules=f"{_HERE}.low_quality:counterfactual",
        role="low_quality",
        per="question",
        example=(_NEAR, _NEAR.replace("109,000", "143,000").replace("2%", "3%")),
    ),
    Perturbation(
        name="debris",
        paper=_MUSHROOM,
        side="context",
        family="low_quality",
        about="a passage on the same topic of which little but fragments and remnants of HTML is left",
        checks=("no_answer",),
        rules=f"{_HERE}.low_quality:debris",
        speaks=(),
        per="question",
        example=(_NEAR, _DEBRIS),
    ),
    Perturbation(
        name="inconsequential",
        paper=_MUSHROOM,
        side="context",
        family="inconsequential",
        about="a passage that stands near the gold one and does not answer the question",
        checks=("no_answer",),
        rules=f"{_HERE}.selected:inconsequential",
        role="inconsequential",
        by="selection",
        speaks=(),
        per="question",
        example=(_GOLD, _NEAR),
    ),
    Perturbation(
        name="irrelevant",
        paper=_MUSHROOM,
        side="context",
        family="irrelevant",
        about="a passage of the document of another question",
        checks=("no_answer",),
        rules=f"{_HERE}.selected:irrelevant",
        by="selection",
        speaks=(),
        per="question",
        example=(_GOLD, _FAR),
    ),
    *(
        Perturbation(
            name=f"distraction_{place}",
            paper="IBM §3",
            side="context",
            family="distraction",
            about=f"a passage from elsewhere in the corpus {place} the gold one",
            checks=("holds_original", "answer_kept"),
            rules=f"{_HERE}.selected:distraction_{place}",
            by="selection",
            speaks=(),
            example=(_GOLD, f"{_FAR}\n\n{_GOLD}" if place == "before" else f"{_GOLD}\n\n{_FAR}"),
        )
        for place in ("before", "after")
    ),
)
