"""Questions that the corpus does not answer: worded as those that it does, after its documents were searched."""

import re
from dataclasses import replace

from rarefy.data_contracts.rows import Path, Triplet
from rarefy.tasks.questions.ask.index import CorpusIndex, relation_of, subject_of
from rarefy.tasks.questions.ask.patterns import Wording, ask_fact, refuse
from rarefy.tasks.text.stems import stem, stems, words

ANSWER = "not stated in the documents"

LONGEST = 8  # words of a measure that somebody would ask another company for, or another year of

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
    if len((others or [own])[0].relation.split()) > LONGEST:
        return refuse("long_winded")
    year = int(path.pivot.removeprefix("fiscal year "))
    if others:
        asked = replace(
            others[0], entity=own.entity, subject=own.subject, subject_key=own.subject_key, doc_id=own.doc_id
        )
        reason = _measure_is_known(asked, index)
    else:
        asked = replace(own, period=path.pivot)
        ends = year + int(own.period_end[:4]) - int(own.period.removeprefix("fiscal year "))
        reason = _year_is_known(asked, frozenset((year, ends)), index)
    if any(fact.period == path.pivot for fact in index.facts.get((subject_of(asked), relation_of(asked)), ())):
        reason = "stated_in_a_fact"
    if reason:
        return refuse(reason)
    wording = ask_fact(asked, index)
    if not wording.text or str(year) not in wording.text:
        return refuse(wording.rejected_because or "no_wording")
    return Wording(wording.text, ANSWER, asked)


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


def _year_is_known(asked: Triplet, years: frozenset[int], index: CorpusIndex) -> str:
    """Why the documents may have this measure in one of these years.

    "" where they have no such tag of any of them, and nowhere all words of the measure near one.
    """
    wanted = _telling(f"{asked.relation} {asked.subject.removeprefix(asked.entity)}")
    for document in index.documents_about(asked.entity):
        if not document.facts:
            return "documents_without_tags"
        for fact in document.facts:
            if fact.concept == asked.concept and fact.period_start and int(fact.period_end[:4]) in years:
                return "stated_in_a_tag"
        if any(wanted <= near for near in index.stems_near_years(document.doc_id, years)):
            return "said_near_the_year"
    others = (index.stems_of(name) for name in index.chunks_naming(asked.entity))
    said = any(wanted <= found and found & {str(year) for year in years} for found in others)
    return "others_may_state_it" if said else ""


def _telling(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text) if word not in _EMPTY)


def _words_of_tag(concept: str) -> frozenset[str]:
    """What a tag is about: of "us-gaap:RepaymentsOfLongTermDebt" the stems of long, term, debt."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", concept.partition(":")[2])
    return frozenset(stems(name)) - _OF_TAGS
