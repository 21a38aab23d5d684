"""All perturbations of the five papers by name, and how a config chooses among them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any, Literal

from rarefy.tasks.find import find
from rarefy.tasks.perturb.case import Case, Draft, Make
from rarefy.tasks.perturb.config import PerturbConfig

Side = Literal["query", "document", "context"]


@dataclass(frozen=True, slots=True)
class Perturbation:
    """A way to change a question or a passage.

    At least one of `rules` and `role` says how: rules work offline, a role is a prompt of this stage for a model.
    """

    name: str
    paper: str  # RARE | IBM | SURE | Magic Mushroom, with the place
    side: Side
    family: str  # subtypes of one kind: superficial, style, format, ...; on the context side the class of noise
    about: str  # what it does, in a line
    checks: tuple[str, ...]  # what must hold of it, by name in checks.CHECKS, proof.SIMILARITY, proof.ENTAILMENT
    rules: str = ""  # module:function (a case.Make); "" for what only a model can do
    role: str = ""  # of a prompt in prompts/; "" for what no model is needed for
    by: str = "rules"  # what the offline method is: rules | selection
    speaks: tuple[str, ...] = ("en",)  # languages of the rules; () for any
    generator: bool = False  # made by the system under test, not by the model of [llm]
    whole: bool = False  # a question's gold chunks must all be changed, or none counts
    alone: bool = False  # depends on the passage alone: made once for all its questions
    per: Literal["chunk", "question"] = "chunk"  # of the gold passages: one case each, or one for all
    baseline: tuple[str, ...] = ("none",)  # perturbations that its effect is measured against
    changes: bool = True  # False: the text stays as it is
    strangers: bool = False  # takes passages of other documents, as the question's pool lists them
    default: bool = True  # included where its family is named
    parses: bool = False  # its rules parse each question
    example: tuple[str, str] = ("", "")  # a text, and what becomes of it


# Examples: what becomes of a passage of a filing, by perturbation; a test compares the rules with it

TITLE = "Meta Platforms, Inc., Form 10-K for fiscal year 2024"
_ONE = "We were incorporated in Delaware in July 2004."
EVIDENCE = (
    "We completed our initial public offering in May 2012 and our Class A common stock is currently listed on the "
    'Nasdaq Global Select Market under the symbol "META."'
)
_THREE = "Our principal executive offices are located at 1 Meta Way, Menlo Park, California 94025."
PASSAGE = f"{_ONE} {EVIDENCE} {_THREE}"
ANSWER = "Nasdaq Global Select Market"

# Of Amazon.com, Inc., Form 10-K for fiscal year 2024, rewritten by a model
_SENTENCE = (
    "Our financial reporting currency is the U.S. Dollar and changes in foreign exchange rates significantly affect "
    "our reported results and consolidated trends."
)
_REWRITTEN = (
    "The U.S. Dollar is the currency of our financial reports, so movements in exchange rates weigh heavily on the "
    "results and consolidated trends we present."
)

_QUOTED = PASSAGE.replace('"', '\\"')


def _html_example(meta: str = "") -> str:
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="UTF-8">\n{meta}<title>{TITLE}</title>\n</head>\n'
        f"<body>\n<p>{PASSAGE}</p>\n</body>\n</html>"
    )


def _html_as_printed_example(meta: str = "") -> str:
    return (
        f'<html lang="en">\n<head>\n<meta charset="UTF-8">\n{meta}{TITLE}\n</head>\n<body> {PASSAGE} </body>\n</html>'
    )


_WIKI = "https://en.wikipedia.org/wiki/Meta_Platforms,_Inc.,_Form_10-K_for_fiscal_year_2024"
_TWITTER = "https://twitter.com/MetaPlatforms/status/"

EXAMPLES = {
    "answer_deleted": (PASSAGE, f"{_ONE} {_THREE}"),
    "random_order": (PASSAGE, f"{_THREE} {_ONE} {EVIDENCE}"),
    "reverse_order": (PASSAGE, f"{_THREE} {EVIDENCE} {_ONE}"),
    "llm_ranked": (PASSAGE, f"{_ONE} {_THREE} {EVIDENCE}"),
    "json": (PASSAGE, f'{{\n"title": "{TITLE}",\n"text": "{_QUOTED}"\n}}'),
    "json_as_printed": (PASSAGE, f'{{\n"title": "{TITLE}",\n"text": "{PASSAGE}"\n}}'),
    "html": (PASSAGE, _html_example()),
    "html_as_printed": (PASSAGE, _html_as_printed_example()),
    "yaml": (PASSAGE, f'Title: "{TITLE}"\nText: "{_QUOTED}"'),
    "yaml_as_printed": (PASSAGE, f"Title: {TITLE}\nText: {PASSAGE}"),
    "markdown": (PASSAGE, f"# {TITLE}\n\n{PASSAGE}"),
    "markdown_as_printed": (PASSAGE, f"# {TITLE}\n{PASSAGE}"),
    "timestamp_pre": (PASSAGE, _html_example('<meta name="timestamp" content="2022-12-19">\n')),
    "timestamp_post": (PASSAGE, _html_example('<meta name="timestamp" content="2024-12-25">\n')),
    "datasource_wiki": (PASSAGE, _html_example(f'<meta name="datasource" content="{_WIKI}">\n')),
    "datasource_twitter": (
        PASSAGE,
        _html_example(f'<meta name="datasource" content="{_TWITTER}1682780444662099681">\n'),
    ),
    "timestamp_pre_as_printed": (PASSAGE, _html_as_printed_example("<meta name='timestamp' content='2022-12-04'>\n")),
    "timestamp_post_as_printed": (PASSAGE, _html_as_printed_example("<meta name='timestamp' content='2024-12-26'>\n")),
    "datasource_wiki_as_printed": (PASSAGE, _html_as_printed_example(f"<meta name='datasource' content='{_WIKI}'>\n")),
    "datasource_twitter_as_printed": (
        PASSAGE,
        _html_as_printed_example(f"<meta name='datasource' content='{_TWITTER}1716708850329718030'>\n"),
    ),
    "simple": (
        _SENTENCE,
        "We report our finances in the U.S. Dollar. Changes in foreign exchange rates have a big effect on the results "
        "we report and on our consolidated trends.",
    ),
    "complex": (
        _SENTENCE,
        "The currency in which our financial reporting is conducted is the U.S. Dollar, and changes in foreign "
        "exchange rates exert a significant effect upon the results that we report and upon our consolidated trends.",
    ),
    "llm_generated": (_SENTENCE, _REWRITTEN),
    "self_generated": (_SENTENCE, _REWRITTEN),
    "back_translation": (
        _SENTENCE,
        "Our financial presentation currency is the US dollar, and variations in exchange rates have a significant "
        "impact on our published results and our consolidated trends.",
    ),
}

# Questions (RARE §5.1, C.1; IBM §3)

_rare_query = partial(Perturbation, paper="RARE §5.1, C.1", side="query")
_ibm_query = partial(Perturbation, paper="IBM §3", side="query")
_SUPERFICIAL = "rarefy.tasks.perturb.query.surface"

# What the rules make of a question on Apple's annual report; a test compares them
_QUESTION = (
    "What was Apple Inc.'s cost of sales for the Greater China segment in fiscal year 2024, in millions of US dollars?"
)
_QUESTION_EXAMPLES = {
    "character": "What was Apple Inc.'s cost of sales for the Greater China segent in fisal year 2024, in millions "
    "of US dollars?",
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
    _rare_query(
        name="character",
        family="surface",
        about="typing errors in a tenth of the words",
        checks=("only_misspelt", "similarity"),
        rules="rarefy.tasks.perturb.query.surface:character",
    ),
    _rare_query(
        name="word",
        family="surface",
        about="synonyms for a tenth of the words",
        checks=("same_facts", "similarity"),
        rules="rarefy.tasks.perturb.query.synonyms:word",
        parses=True,
    ),
    _rare_query(
        name="grammar",
        family="advanced",
        about="another grammar, punctuation and word order, the words as they were",
        checks=("same_facts", "similarity"),
        rules="rarefy.tasks.perturb.query.grammar:grammar",
        parses=True,
        role="grammar",
    ),
    _rare_query(
        name="irrelevant_detail",
        family="advanced",
        about="one detail of the same domain that does not bear on the answer",
        checks=("no_answer", "keeps_facts", "similarity"),
        rules="rarefy.tasks.perturb.query.irrelevant:irrelevant_detail",
        role="irrelevant",
    ),
    *(
        _ibm_query(
            name=name,
            family="superficial",
            about=about,
            checks=checks,
            rules=f"{_SUPERFICIAL}:{name}",
            speaks=speaks,
        )
        for name, about, checks, speaks in (
            ("upper_case", "some words in capitals", ("same_letters", "codes_kept"), ()),
            ("lower_case", "some words without their capitals", ("same_letters", "codes_kept"), ()),
            ("proper_case", "some words with a first capital", ("same_letters", "codes_kept"), ()),
            ("no_punctuation", "punctuation removed", ("same_words", "same_facts"), ()),
            ("butter_fingers", "letters hit on a neighbouring key", ("only_misspelt", "similarity"), ("en",)),
            ("character_swap", "neighbouring letters swapped", ("only_misspelt", "similarity"), ()),
            ("white_space", "white space that is not needed", ("same_letters",), ()),
            (
                "superficial_mix",
                "two or three changes of spelling and layout together",
                ("only_misspelt", "similarity"),
                ("en",),
            ),
        )
    ),
    _ibm_query(
        name="paraphrase",
        family="paraphrase",
        about="the question in other words and another syntax, up to five times",
        checks=("same_facts", "similarity", "entailment"),
        rules="rarefy.tasks.perturb.query.paraphrase:paraphrase",
        parses=True,
        role="paraphrase",
    ),
)

# Gold chunks (RARE §5.2, C.2; SURE §3.2, Table 2, Figures 8 and 9)

_rare_chunk = partial(Perturbation, paper="RARE §5.2, C.2", side="document")
_sure_chunk = partial(Perturbation, paper="SURE §3.2, Figures 8-9", side="document")
_CHUNKS = "rarefy.tasks.perturb.document"
_SAME_MEANING = ("answer_kept", "same_facts", "entailment")

DOCUMENT = (
    _rare_chunk(
        name="answer_deleted",
        family="deletion",
        about="the sentences that support the answer, and the answer in any notation, are gone",
        checks=("only_deleted", "no_answer"),
        rules=f"{_CHUNKS}.answer_deleted:answer_deleted",
        speaks=(),
        whole=True,
    ),
    _rare_chunk(
        name="back_translation",
        family="back_translation",
        about="into French and back",
        checks=_SAME_MEANING,
        role="back_translation",
        whole=True,
        alone=True,
    ),
    *(
        _sure_chunk(
            name=name,
            family=family,
            about=about,
            checks=_SAME_MEANING,
            role=role,
            generator=generator,
            alone=True,
        )
        for name, family, about, role, generator in (
            ("simple", "style", "short sentences and basic words", "simple", False),
            ("complex", "style", "long sentences and advanced words", "complex", False),
            ("llm_generated", "source", "rewritten by a model", "rewrite", False),
            ("self_generated", "source", "rewritten by the system under test", "rewrite", True),
        )
    ),
    *(
        _sure_chunk(
            name=name,
            family="logic",
            about=about,
            checks=("same_sentences", "answer_kept"),
            rules=rules,
            role=role,
            speaks=(),
            alone=True,
        )
        for name, about, rules, role in (
            ("random_order", "sentences shuffled", f"{_CHUNKS}.sentence_order:random_order", ""),
            ("reverse_order", "sentences reversed", f"{_CHUNKS}.sentence_order:reverse_order", ""),
            ("llm_ranked", "sentences in the order that a model prefers", "", "rank"),
        )
    ),
    *(
        _sure_chunk(
            name=name + suffix,
            family=family,
            about=about + template,
            checks=("parses_back", "answer_readable") if not suffix else ("holds_original",),
            rules=f"{_CHUNKS}.format:{name}{suffix}",
            speaks=(),
            alone=True,
            baseline=baseline if not suffix or family == "format" else ("none", "html_as_printed"),
            default=not suffix,
        )
        for suffix, template in (("", ""), ("_as_printed", ", by the paper's template, nothing escaped"))
        for name, family, about, baseline in (
            ("json", "format", "as JSON", ("none",)),
            ("html", "format", "as HTML", ("none",)),
            ("yaml", "format", "as YAML", ("none",)),
            ("markdown", "format", "as Markdown", ("none",)),
            ("timestamp_pre", "metadata", "HTML dated before the model's cutoff", ("none", "html")),
            ("timestamp_post", "metadata", "HTML dated after the model's cutoff", ("none", "html")),
            ("datasource_wiki", "metadata", "HTML that names Wikipedia as its source", ("none", "html")),
            ("datasource_twitter", "metadata", "HTML that names Twitter as its source", ("none", "html")),
        )
    ),
)

# Passages of contexts, by class (Magic Mushroom §3.2–3.3; IBM §3)

_NOISE = "rarefy.tasks.perturb.context"
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

_CONTEXT_EXAMPLES = {
    "golden_passage": (_GOLD, _GOLD),
    "golden_augmented": (_NEAR, _NEAR.replace("an increase", "a rise").replace("prior", "previous")),
    "distracting": (_GOLD, _GOLD.replace("2,342,371,488", "2,470,000,000")),
    "counterfactual": (_NEAR, _NEAR.replace("109,000", "143,000").replace("2%", "3%")),
    "debris": (_NEAR, _DEBRIS),
    "inconsequential": (_GOLD, _NEAR),
    "irrelevant": (_GOLD, _FAR),
    "distraction_before": (_GOLD, f"{_FAR}\n\n{_GOLD}"),
    "distraction_after": (_GOLD, f"{_GOLD}\n\n{_FAR}"),
}


def _passage(name: str, family: str, about: str, module: str, **more: Any) -> Perturbation:
    """An entry of the context side; noise unless its checks say otherwise."""
    given: dict[str, Any] = {"paper": "Magic Mushroom §3.2-3.3", "checks": ("no_answer",), **more}
    return Perturbation(
        name=name, side="context", family=family, about=about, rules=f"{_NOISE}.{module}:{name}", **given
    )


_ANY_SELECTION: dict[str, Any] = {"by": "selection", "speaks": ()}

CONTEXT = (
    _passage(
        "golden_passage", "golden", "the gold passage as it stands", "golden",
        checks=("answer_kept",), changes=False, **_ANY_SELECTION,
    ),
    _passage(
        "golden_augmented", "golden",
        "the gold passage in other words (synonyms for a fifth of its content words) and another syntax", "golden",
        checks=("answer_kept", "same_facts", "entailment"), role="golden",
    ),
    _passage(
        "distracting", "distracting",
        "the gold passage with what answers the question replaced by another of its kind", "distracting",
        role="distracting",
    ),
    _passage(
        "counterfactual", "low_quality",
        "a passage on the same topic with its figures or names replaced by others of their kind", "low_quality",
        role="low_quality", per="question",
    ),
    _passage(
        "debris", "low_quality",
        "a passage on the same topic of which little but fragments and remnants of HTML is left", "low_quality",
        speaks=(), per="question",
    ),
    _passage(
        "inconsequential", "inconsequential",
        "a passage that stands near the gold one and does not answer the question", "selected",
        role="inconsequential", per="question", **_ANY_SELECTION,
    ),
    _passage(
        "irrelevant", "irrelevant", "a passage of the document of another question", "selected",
        per="question", strangers=True, **_ANY_SELECTION,
    ),
    *(
        _passage(
            f"distraction_{place}", "distraction", f"a passage from elsewhere in the corpus {place} the gold one",
            "selected", paper="IBM §3", checks=("holds_original", "answer_kept"), strangers=True, **_ANY_SELECTION,
        )
        for place in ("before", "after")
    ),
)  # fmt: skip

_ALL_EXAMPLES = {name: (_QUESTION, text) for name, text in _QUESTION_EXAMPLES.items()} | EXAMPLES | _CONTEXT_EXAMPLES
_ALL_EXAMPLES["word"] = (
    "How often did Apple Inc. update the software of its main product in 2024?",
    "How frequently did Apple Inc. update the software of its main product in 2024?",
)
CATALOGUE: dict[str, Perturbation] = {
    entry.name: replace(entry, example=_ALL_EXAMPLES[entry.name]) for entry in (*QUERY, *DOCUMENT, *CONTEXT)
}


def choose_perturbations(config: PerturbConfig) -> list[Perturbation]:
    """The perturbations that a config asks for, each once, in the order of its lists; ValueError for one not known."""
    sides: tuple[tuple[Side, tuple[str, ...]], ...] = (
        ("query", config.query),
        ("document", config.document),
        ("context", config.context),
    )
    found = {entry.name: entry for side, names in sides for entry in select_by_names(side, names)}
    return list(found.values())


def is_written_by_model(entry: Perturbation, config: PerturbConfig) -> bool:
    """Whether a model makes this, where there is one, and not the rules."""
    if not entry.role or config.by == "rules":
        return False
    return config.by == "model" or entry.name in config.by or entry.family in config.by


def select_by_names(side: Side, names: Iterable[str]) -> list[Perturbation]:
    """The perturbations of one side by name, by family, or by module:function."""
    return [entry for name in names for entry in _select_by_name(side, name)]


def _select_by_name(side: Side, name: str) -> list[Perturbation]:
    if ":" in name:
        find(name, {})
        return [_describe_external(side, name)]
    own = [entry for entry in CATALOGUE.values() if entry.side == side]
    # a family means its members with `default`; a name means itself
    found = [e for e in own if e.name == name] or [e for e in own if e.family == name and e.default]
    if not found:
        known = dict.fromkeys([*(e.family for e in own), *(e.name for e in own)])
        raise ValueError(f"no {side} perturbation {name!r}; have {', '.join(known)}, or write module:function")
    return found


def _describe_external(side: Side, name: str) -> Perturbation:
    """The entry of a user's function, which is checked little: it can say more in `Draft.refused`.

    Its attribute `family` is its class for `rarefy mix`, by default its name. On the context side it makes noise,
    unless that is "golden".
    """
    family = getattr(find(name, {}), "family", name.partition(":")[2])
    about = "a perturbation from outside"
    checks = {
        "query": ("similarity",),
        "document": (),
        "context": ("answer_kept" if family == "golden" else "no_answer",),
    }
    per: Literal["chunk", "question"] = "question" if side == "context" and family != "golden" else "chunk"
    # what it takes of a pool is not known
    return Perturbation(name, name, side, family, about, checks[side], rules=name, speaks=(), per=per, strangers=True)


def load_maker(entry: Perturbation) -> Make:
    """The function of an entry's rules; ValueError where it has none or it cannot be imported."""
    made: Make = find(entry.rules, {})
    return _wrap_external_maker(entry, made) if ":" in entry.name else made


def _wrap_external_maker(entry: Perturbation, make: Make) -> Make:
    """A user's function, whose errors are raised with its name and the question."""

    def drafts(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
        try:
            for draft in make(case, config, random):
                if not isinstance(draft, Draft):
                    raise TypeError(f"it gave {type(draft).__name__}, and rarefy.tasks.perturb.Draft is wanted")
                yield draft
        except Exception as error:
            raise ValueError(f"{entry.name}, on question {case.question_id}: {error}") from error

    return drafts


def count_wanted(entry: Perturbation, config: PerturbConfig) -> int:
    """How many variants of a case are wanted."""
    if entry.name == "paraphrase":
        return config.paraphrases
    return config.pools.get(entry.name, 1)


# Requirements


def find_missing_requirement(entry: Perturbation, case: Case, asks: bool) -> str:
    """The code of what is missing to make this of a case; "" where nothing is. `asks`: a model makes it."""
    if asks:
        return ""
    if not entry.rules:
        return "needs_generator" if entry.generator else "needs_model"
    if entry.speaks and case.language.partition("-")[0].lower() not in entry.speaks:
        return "language"
    return ""
