"""Changes to questions (RARE §5.1, C.1; IBM §3)."""

from rarefy.tasks.perturb.entry import Perturbation

_RARE, _IBM = "RARE §5.1, C.1", "IBM §3"
_SUPERFICIAL = "rarefy.tasks.perturb.query.superficial"

# What the code makes of a question on Apple's annual report, as a test holds it to
_ASKED = (
    "What was Apple Inc.'s cost of sales for the Greater China segment in fiscal year 2024, in millions of US dollars?"
)
_MADE = {
    "character": "What was Apple Inc.'s cost of sales for the Greater China segent in fisal year 2024, in millions "
    "of US dollars?",
    "word": "What was Apple Inc.'s cost of sales for the Greater China segment in financial year 2024, in "
    "millions of US dollars?",
    "grammar": "In fiscal year 2024, what was Apple Inc.'s cost of sales for the Greater China segment, in "
    "millions of US dollars?",
    "irrelevant_detail": "What was Apple Inc.'s cost of sales for the Greater China segment in fiscal year 2024, in "
    "millions of US dollars, according to an annual report that also discusses share-based compensation?",
    "upper_case": "WHAT was Apple Inc.'s cost of SALES for the Greater China segment in fiscal year 2024, in "
    "MILLIONS of US dollars?",
    "lower_case": "what was Apple Inc.'s cost of sales for the Greater China segment in fiscal year 2024, in "
    "millions of US dollars?",
    "proper_case": "What was Apple Inc.'s Cost of sales For the Greater China segment in fiscal year 2024, in "
    "Millions of US dollars?",
    "no_punctuation": (
        "What was Apple Inc.'s cost of sales for the Greater China segment in fiscal year 2024 in millions "
        "of US dollars"
    ),
    "butter_fingers": "What was Apple Inc.'s cost of sales for the Greater China segkent in fiscap year 2024, in "
    "millions of US dollars?",
    "character_swap": "What was Apple Inc.'s cost of slaes for the Greater China segemnt in fiscal year 2024, in "
    "millions of US dollars?",
    "white_space": "What was Apple  Inc.'s cost of sales for the   Greater China segment in fiscal year 2024, in "
    "millions of   US dollars?",
    "superficial_mix": "what was Apple Inc.'s cost of sales for the Greater China segmemt in fuscal year 2024, in "
    "millions of US dollars?",
    "paraphrase": "What was the cost of sales of Apple Inc. for the Greater China segment in fiscal year 2024, "
    "expressed in millions of US dollars?",
}

QUERY = (
    Perturbation(
        name="character",
        paper=_RARE,
        side="query",
        family="surface",
        about="typing errors in a tenth of the words",
        checks=("only_misspelt", "similarity"),
        rules="rarefy.tasks.perturb.query.character:character",
        example=(_ASKED, _MADE["character"]),
    ),
    Perturbation(
        name="word",
        paper=_RARE,
        side="query",
        family="surface",
        about="synonyms for a tenth of the words",
        checks=("same_facts", "similarity"),
        rules="rarefy.tasks.perturb.query.word:word",
        example=(_ASKED, _MADE["word"]),
    ),
    Perturbation(
        name="grammar",
        paper=_RARE,
        side="query",
        family="advanced",
        about="another grammar, punctuation and word order, the words as they were",
        checks=("same_facts", "similarity"),
        rules="rarefy.tasks.perturb.query.grammar:grammar",
        role="grammar",
        example=(_ASKED, _MADE["grammar"]),
    ),
    Perturbation(
        name="irrelevant_detail",
        paper=_RARE,
        side="query",
        family="advanced",
        about="one detail of the same domain that does not bear on the answer",
        checks=("no_answer", "keeps_facts", "similarity"),
        rules="rarefy.tasks.perturb.query.irrelevant:irrelevant_detail",
        role="irrelevant",
        example=(_ASKED, _MADE["irrelevant_detail"]),
    ),
    *(
        Perturbation(
            name=name,
            paper=_IBM,
            side="query",
            family="superficial",
            about=about,
            checks=checks,
            rules=f"{_SUPERFICIAL}:{name}",
            speaks=speaks,
            example=(_ASKED, _MADE[name]),
        )
        for name, about, checks, speaks in (
            ("upper_case", "some words in capitals", ("same_letters", "codes_kept"), ()),
            ("lower_case", "some words without their capitals", ("same_letters", "codes_kept"), ()),
            ("proper_case", "some words with a first capital", ("same_letters", "codes_kept"), ()),
            ("no_punctuation", "punctuation removed", ("same_words", "same_facts"), ()),
            ("butter_fingers", "letters hit on a neighbouring key", ("only_misspelt", "similarity"), ("en",)),
            ("character_swap", "neighbouring letters swapped", ("only_misspelt", "similarity"), ()),
            ("white_space", "white space that is not needed", ("same_letters",), ()),
            ("superficial_mix", "two or three of these together", ("only_misspelt", "similarity"), ("en",)),
        )
    ),
    Perturbation(
        name="paraphrase",
        paper=_IBM,
        side="query",
        family="paraphrase",
        about="the question in other words and another syntax, up to five times",
        checks=("same_facts", "similarity", "entailment"),
        rules="rarefy.tasks.perturb.query.paraphrase:paraphrase",
        role="paraphrase",
        example=(_ASKED, _MADE["paraphrase"]),
    ),
)
