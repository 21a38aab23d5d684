"""Questions that the corpus does not answer: worded as those that it does, after its documents were searched."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from rarefy.data_contracts.rows import Fact, Path, Triplet
from rarefy.tasks.knowledge.graph.absences import year_of
from rarefy.tasks.questions.ask.index import CorpusIndex, relation_of, subject_of
from rarefy.tasks.questions.ask.patterns import Wording, ask_fact, refuse
from rarefy.tasks.text.dates import days_between
from rarefy.tasks.text.sentences import sentences
from rarefy.tasks.text.stems import stem, stems, words

ANSWER = "not stated in the documents"

LONGEST = 8  # words of a measure that somebody would ask another company for

# Words of a measure that tell nothing of what is measured
_EMPTY = frozenset("the a an of and or in on for to by with from at as per total net gross all our its other".split())
# Words of tags that say how a thing is counted, and not what it is
_OF_TAGS = frozenset(
    map(
        stem,
        """
        payments proceeds repayments acquire purchase sale sales from to of and the for in on net gross total current
        noncurrent expense expenses income loss gain increase decrease cost costs amount value other per share including
        excluding before after tax basic diluted operating activities period continuing operations
        """.split(),
    )
)

_ACTS = re.compile(r"Payments|Proceeds|Repayments|Repurchase|Dividends|Issuance")


def absent(path: Path, index: CorpusIndex) -> Wording:
    """The question for a figure that no document states; refused where any may do so, in whatever words or tags."""
    *others, own = (index.triplets[name] for name in path.triplet_ids)
    model = (others or [own])[0]
    if len(model.relation.split()) > LONGEST:
        return refuse("long_winded")
    year = year_of(path.pivot)
    of_own = replace(model, entity=own.entity, subject=own.subject, subject_key=own.subject_key, doc_id=own.doc_id)
    if others and model.entity == own.entity:
        asked = replace(of_own, subject_type=own.subject_type)
        reason = _part_is_known(asked, index)
    elif others:
        asked = of_own
        reason = _measure_is_known(asked, index)
    else:
        asked = replace(own, period=path.pivot)
        reason = _quarter_is_known(asked, index)
    if any(fact.period == path.pivot for fact in index.facts.get((subject_of(asked), relation_of(asked)), ())):
        reason = "stated_in_a_fact"
    if reason:
        return refuse(reason)
    wording = ask_fact(asked, index)
    if not wording.text or str(year) not in wording.text:
        return refuse(wording.rejected_because or "no_wording")
    return Wording(wording.text, ANSWER, asked)


# What is said where a measure is spoken of, in whatever words: its tag → an expression
_SPOKEN = {
    tag: re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for tags, words in (
        ("Revenues RevenueFromContractWithCustomerExcludingAssessedTax", r"revenues?|sales"),
        ("OperatingIncomeLoss NetIncomeLoss ComprehensiveIncomeNetOfTax EarningsPerShareBasic EarningsPerShareDiluted",
         r"income|profit\w*|earn\w*|loss(?:es)?|margins?|contribution|EBITD?A?|EPS"),
        ("GrossProfit", r"gross|margins?|profit\w*"),
        ("CostOfRevenue CostOfGoodsAndServicesSold", r"costs?|margins?"),
        ("ResearchAndDevelopmentExpense", r"research|development|R&D"),
        ("DepreciationDepletionAndAmortization", r"depreciation|amortization"),
        ("SellingGeneralAndAdministrativeExpense SellingAndMarketingExpense GeneralAndAdministrativeExpense",
         r"expenses?|SG&A|selling|marketing|administrative"),
        ("OperatingExpenses", r"expenses?|costs?"),
        ("IncomeTaxExpenseBenefit", r"tax(?:es)?"),
        ("InterestExpense", r"interest"),
        ("NetCashProvidedByUsedInOperatingActivities", r"cash flows?|operating activities|operations"),
        ("PaymentsToAcquirePropertyPlantAndEquipment",
         r"capital (?:expenditures?|spending|investments?)|capex|property|equipment|additions"),
        ("PaymentsForRepurchaseOfCommonStock", r"repurchase[sd]?|buybacks?|treasury"),
        ("ShareBasedCompensation", r"compensation|RSUs?"),
    )
    for tag in tags.split()
}  # fmt: skip


def _part_is_known(asked: Triplet, index: CorpusIndex) -> str:
    """Why the documents may break this measure down to this part.

    "" where no tag does, and no paragraph or table with half of the part's name has a word of the measure.
    """
    part = _telling(asked.subject.removeprefix(asked.entity))
    tagged = _has_tag(asked, index, lambda fact: bool(part & frozenset(stems(_apart(" ".join(fact.dimensions))))))
    named = lambda text, found: 2 * len(part & found) >= len(part)  # noqa: E731
    return tagged or _spoken_of(asked, index, named, "measure_is_spoken_of")


_QUARTER = re.compile(
    r"\bquarter(?:s|ly|ended)?\b|\b(?:three|3)[- ]months?\b|\b(?:thirteen|13)[- ]weeks?\b|\bQ[1-4]|\b[1-4]Q",
    re.IGNORECASE,
)


def _quarter_is_known(asked: Triplet, index: CorpusIndex) -> str:
    """Why the documents may have this measure of a quarter.

    "" where no tag of it is of less than a year, no passage that has its words speaks of quarters, and no sentence or
    table that does has any word of the measure.
    """
    wanted = _telling(asked.relation)
    for document in index.documents_about(asked.entity):
        for chunk in index.chunks_of(document.doc_id):
            if wanted <= index.stems_of(chunk.chunk_id) and _QUARTER.search(chunk.text):
                return "said_near_the_quarter"
    tagged = _has_tag(asked, index, _is_of_part_of_year)
    return tagged or _spoken_of(asked, index, _said_with_quarter(asked), "said_near_the_quarter")


def _said_with_quarter(asked: Triplet) -> Callable[[str, frozenset[str]], bool]:
    """Whether a table, or a sentence of a paragraph, has a quarter and a word of the measure."""
    spoken = _SPOKEN[asked.concept.partition(":")[2]]

    def near(text: str, _: frozenset[str]) -> bool:
        if not (_QUARTER.search(text) and spoken.search(text)):
            return False
        pieces = [text] if "|" in text else [text[start:end] for start, end in sentences(text)]
        return any(_QUARTER.search(piece) and spoken.search(piece) for piece in pieces)

    return near


def _has_tag(asked: Triplet, index: CorpusIndex, fits: Callable[[Fact], bool]) -> str:
    """Why a fitting tag of the measure is there, or may be."""
    for document in index.documents_about(asked.entity):
        if not document.facts:
            return "documents_without_tags"
        if any(fact.concept == asked.concept and fits(fact) for fact in document.facts):
            return "stated_in_a_tag"
    return ""


def _spoken_of(asked: Triplet, index: CorpusIndex, near: Callable[[str, frozenset[str]], bool], reason: str) -> str:
    """Why a text that is `near` has a word of the measure: a paragraph of the company's, or a passage that names it."""
    spoken = _SPOKEN[asked.concept.partition(":")[2]]
    for document in index.documents_about(asked.entity):
        if any(near(text, found) and spoken.search(text) for text, found in index.paragraphs_of(document.doc_id)):
            return reason
    others = ((index.chunks[name].text, index.stems_of(name)) for name in index.chunks_naming(asked.entity))
    return "others_may_state_it" if any(near(*other) and spoken.search(other[0]) for other in others) else ""


_YEAR = 350  # days


def _is_of_part_of_year(fact: Fact) -> bool:
    return bool(fact.period_start) and days_between(fact.period_start, fact.period_end) < _YEAR


def _measure_is_known(asked: Triplet, index: CorpusIndex) -> str:
    """Why the documents may have this measure in any year, under whatever name.

    "" where some word of what its tag is about is in none of their tags, and no passage has all of those words.
    """
    documents = index.documents_about(asked.entity)
    if not all(document.facts for document in documents):
        return "documents_without_tags"  # a measure by another name would not be found
    core, label = _words_of_tag(asked.concept), _telling(asked.relation) - _OF_TAGS
    if _ACTS.search(asked.concept):
        return "none_may_be_meant"  # who repurchased no stock has an answer to how much it was
    tags = {fact.concept for document in documents for fact in document.facts}
    if not label or core <= frozenset().union(*map(_words_of_tag, tags)):
        return "stated_in_a_tag"
    own = [chunk.chunk_id for document in documents for chunk in index.chunks_of(document.doc_id)]
    if any(core <= index.stems_of(name) or label <= index.stems_of(name) for name in own):
        return "measure_is_spoken_of"
    others = (index.stems_of(name) for name in index.chunks_naming(asked.entity))
    return "others_may_state_it" if any(core <= found or label <= found for found in others) else ""


def _telling(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text) if word not in _EMPTY)


@lru_cache(1 << 14)
def _words_of_tag(concept: str) -> frozenset[str]:
    """What a tag is about: of "us-gaap:RepaymentsOfLongTermDebt" the stems of long, term, debt."""
    return frozenset(stems(_apart(concept.partition(":")[2]))) - _OF_TAGS


def _apart(name: str) -> str:
    """The words of a name that is written in one."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
