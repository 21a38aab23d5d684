"""Add one true detail that does not affect the answer to a question (RARE §5.1, C.1: R26, offline)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from random import Random

from rarefy.data_contracts.rows import Chunk
from rarefy.tasks.corpus.read.language import is_english
from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.query.question_parts import AUX, LONGEST_QUESTION, PREPOSITIONS, PRONOUNS
from rarefy.tasks.perturb.query.surface import QUESTION_OPENERS
from rarefy.tasks.perturb.query.words import apply_edits
from rarefy.tasks.text import wordnet
from rarefy.tasks.text.notations import contains_answer
from rarefy.tasks.text.sentences import STARTERS, sentences

# True details about the subject, from passages at hand (RARE R26, offline)

READ = 6_000  # characters of a passage that are read
LEAST, MOST = 3, 12  # words of a statement after its verb

# Words that refer to an earlier sentence
_POINTING = PRONOUNS | frozenset("its same our my your their his her this these those such no not".split())
# Verbs of lasting activities; what may be, was or is expected could affect an answer
_DOES = frozenset(
    """
    offer provide sell design manufacture market operate develop distribute serve own lease maintain license produce
    build deliver purchase compete make use rely support publish
    """.split()
)
_BOUND = re.compile(
    r"[;:—–]|\b(?:that|which|who|where|when|as|while|because|if|but|whether|so|to the extent|following|other|certain"
    r"|some|direct)\b",
    re.IGNORECASE,
)
_SPOKEN = re.compile(
    r"(?P<who>We|The Company|The company) (?:(?:also|generally|primarily|currently) )?(?P<verb>[a-z]+) (?P<rest>.+)"
)
_ITEM = re.compile(
    r"^(?:(?:part|item|note|section)\s+[\divx]+[a-c]?\b|\d+[a-z]?\b|§+\s*[\d.]+|\([a-z\d]\))[\s.:)–—-]*", re.IGNORECASE
)
LONGEST_HEADING = 6  # words
_TELLING_ONE = frozenset(
    "properties cybersecurity competition leases seasonality litigation dividends trademarks".split()
)
_SMALL = frozenset("and of the in on for to a an or with".split())
# Parts of any report, and the tables that questions ask about
_TOO_NEAR = frozenset(
    """
    table contents index signatures exhibits summary overview general other introduction notes note data statement
    statements sheet sheets balance schedule schedules selected documents reference information results our we us
    """.split()
)
# Topics of reports in any industry
_REPORTED = frozenset(
    """
    accounting accrued acquisitions advertising agreements amortization arrangements assets audit benefits borrowings
    business capital cash combinations commitments compensation competition compliance conditions contingencies
    contracts contractual controls corporate costs credit critical currency customers cybersecurity data debt deferred
    depreciation derivative development directors disclosure divestitures dividends economic employee employees
    environmental equipment equity estimates exchange executive expenses facilities factors fair fees financial
    financing foreign goodwill governance government governmental hedging human impairment income information insurance
    intangible intellectual interest inventories investment investments issuer labor lease leases legal liabilities
    liquidity litigation macroeconomic management manufacturing market marketing material matters measurements
    obligations officers operating operational party patents pension plans plant policies price privacy procedures
    proceedings product products programs property properties proprietary purchase purchases raw materials
    recently adopted recognition regulation regulations related repurchases research resources restructuring
    retirement rights risk risks sales securities security service services share shares stock subsequent supplier
    supply taxes tax trademarks transactions translation units valuation warranties awards options restricted based
    term long short uncertain positions unconditional loss events trading insider pronouncements strategies
    """.split()
)
_MASS = frozenset(
    """
    risk competition litigation recognition compensation research development property equipment cybersecurity
    seasonality regulation liquidity management security coverage depreciation amortization insurance governance
    compliance translation measurement taxation consolidation safety privacy marketing advertising inflation debt equity
    goodwill capital manufacturing distribution collateral eligibility financing maintenance
    """.split()
)
_SELF = re.compile(
    r"(?P<name>[A-Z][\w’'.&-]*(?: (?:[A-Z&][\w’'.&-]*|of|the))*) (?P<rest>(?:is|are|was|were) (?:an?|the|one) .+)\."
)


@dataclass(frozen=True, slots=True)
class Detail:
    """A true statement about `who` ("sells its products ..."); with `who` "", another topic of a document."""

    who: str
    statement: str
    source: str = ""  # chunk_id


@lru_cache(8_192)
def find_own_statements(chunk: str, text: str, entity: str) -> tuple[Detail, ...]:
    """What a report says of its entity as "we": "sells its products through its retail stores"."""
    return tuple(_find_own_statements(chunk, text[:READ], entity)) if entity else ()


def _find_own_statements(chunk: str, text: str, entity: str) -> Iterator[Detail]:
    for start, end in _split_sentences(text):
        match = _SPOKEN.fullmatch(text[start:end].strip())
        if not match:
            continue
        base = match["verb"]
        if match["who"] != "We":
            base = next((r.lemma for r in wordnet.readings(base) if r.pos == "v" and r.form == "s"), "")
        # cut after "as" or "that", a sentence may mean something else
        rest = re.split(r" \(|,? (?:including|such as)\b", match["rest"].rstrip("."), maxsplit=1)[0].strip()
        if "," in rest or _BOUND.search(rest) or rest.startswith(("and ", "or ")):
            continue
        verb = wordnet.inflect(base, "v", "s") if base in _DOES else None
        if verb and (statement := _third_person(rest)):
            yield Detail(entity, f"{verb} {statement}", chunk)


def _third_person(rest: str) -> str:
    """What "we" do in the third person; "" where it needs more context."""
    words = rest.split()
    if not LEAST <= len(words) <= MOST or re.search(r"\d|[“”\"|%$€£/]", rest):
        return ""
    turned = [{"our": "its", "us": "it"}.get(word, word) for word in words]
    bare = {re.sub("[’']s$", "", word.lower()) for word in turned}
    if bare & ((_POINTING | {"company"}) - {"it", "its"}):
        return ""
    # "builds products and maintain stock": a second verb would have to change too
    if any(a in ("and", "or") and _is_verb(b) for a, b in pairwise(turned)):
        return ""
    last = turned[-1]
    noun = last[0].isupper() or any(r.pos == "n" for r in wordnet.readings(last.lower()))
    if last.lower() in PREPOSITIONS | _SMALL or not noun:
        return ""
    return " ".join(turned)


def _is_verb(word: str) -> bool:
    return any(r.pos == "v" and r.form == "base" for r in wordnet.readings(word))


@lru_cache(8_192)
def find_definitions(chunk: str, text: str) -> tuple[Detail, ...]:
    """Short definitions in a passage: "Warsaw is an alpha global city"."""
    found = []
    for start, end in _split_sentences(text[:READ]):
        match = _SELF.fullmatch(text[start:end].strip())
        words = match["rest"].split() if match else []
        plain = match and not re.search(r"\d|[“”\"|();:—]", match["rest"])
        starter = match and match["name"].split()[0].lower() in STARTERS - {"the"}
        if match and plain and not starter and len(words) <= MOST + 2 and not {w.lower() for w in words} & _POINTING:
            found.append(Detail(match["name"], match["rest"], chunk))
    return tuple(found)


def find_topics(chunk: Chunk) -> Iterator[Detail]:
    """Other topics of the document: the headings above a passage without names."""
    for heading in chunk.section.split(" > "):
        if topic := _clean_topic(_ITEM.sub("", heading.strip()).strip(" .")):
            yield Detail("", topic, chunk.chunk_id)


@lru_cache(8_192)
def _clean_topic(written: str) -> str:
    heading = written.lower()
    words = heading.split()
    # where every word has a capital, "Epic Games" looks like "Stock Options"
    capitals = written[1:] != heading[1:]
    if capitals and not {part for w in words for part in re.split(r"[-,]", w) if part} <= _REPORTED | _SMALL:
        return ""
    if not 1 <= len(words) <= LONGEST_HEADING or not all(re.fullmatch(r"[a-z]+(?:-[a-z]+)*,?", w) for w in words):
        return ""
    if set(words) & _TOO_NEAR or not all(w in _SMALL or wordnet.readings(w.strip(",").split("-")[-1]) for w in words):
        return ""
    if len(words) == 1 and heading not in _TELLING_ONE:
        return ""
    things = re.split(r",? and |, ", heading)
    return heading if all(map(_needs_no_article, things)) else ""


def _needs_no_article(thing: str) -> bool:
    """Whether a topic needs no article: a plural or an uncountable noun."""
    head = re.split(r" (?:of|in|on|by|to|for|with) ", thing)[0].split()[-1:]
    several = head and any(r.pos == "n" and r.form == "plural" for r in wordnet.readings(head[0]))
    return bool(head) and (several or head[0] in _MASS) and thing.split()[0] not in PREPOSITIONS


def describe_document(title: str) -> str:
    """The kind of document, by its title."""
    if "10-K" in title or "20-F" in title or "annual report" in title.lower():
        return "an annual report"
    return "a quarterly report" if "10-Q" in title else "a document"


def _split_sentences(text: str) -> Iterator[tuple[int, int]]:
    """The sentences of a passage's paragraphs, without tables, lists and headings."""
    for paragraph in re.finditer(r"[^\n]+", text):
        if paragraph.group()[0] not in "|#-*•":
            for start, end in sentences(paragraph.group()):
                yield paragraph.start() + start, paragraph.start() + end


PASSAGES = 12  # passages read for a question, at most
_WORD = re.compile(r"[^\W\d_]{3,}")
_END = re.compile(r"\s*\?\s*\Z")
# What may follow a complete name (not "Apple Inc. director")
_FREE = re.compile(rf" (?:{AUX}|as of|in|on|at|during|for|from|according to)\b|,|\s*\?", re.IGNORECASE)
# Details known of any filer from the form of its report, and of the report
_FILER = {
    "10-K": ("files its annual report on Form 10-K", "also files quarterly reports"),
    "20-F": ("files its annual report on Form 20-F",),
}
_ANY_FILER = (
    "files its annual report with the Securities and Exchange Commission",
    "reports to the Securities and Exchange Commission",
    "has its annual statements audited by an independent firm",
)
_REPORT = ("filed on Form {}", "filed with the Securities and Exchange Commission")
# Questions that name their source get no other
_SOURCED = re.compile(
    r"according to|\bas (?:stated|disclosed|reported|described)\b|\b(?:10|20)-[KQF]\b|annual report", re.I
)
_SAME = frozenset("the and its for with from that this which what was were are has have had how many much who".split())


def irrelevant_detail(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The question with one more detail, taken from passages around the gold one; none where nothing true is known.

    Details of the entity are used only where the question names it. None has a figure, shares a word with what is
    asked, or holds the answer.
    """
    if len(case.text) > LONGEST_QUESTION or not case.text.strip() or "\n" in case.text.strip():
        return
    passages = _find_passages(case)
    found = list(dict.fromkeys(d for c in passages for d in _find_details(case, c) if _is_irrelevant(case, d)))
    filed = [d for c in passages[:1] for d in _filing_details(case, c) if _is_irrelevant(case, d)]
    random.shuffle(found)
    random.shuffle(filed)
    found += filed  # last, as they are true of every report
    seen = {case.text}
    for detail in found:
        for draft in _insert_detail(case, detail, random):
            if draft.text not in seen:
                seen.add(draft.text)
                yield draft


def _find_passages(case: Case) -> list[Chunk]:
    ids = [*case.golds, *(case.pool.neighbours if case.pool else ())]
    chunks = [case.chunks[i] for i in list(dict.fromkeys(ids))[:PASSAGES] if i in case.chunks]
    return [chunk for chunk in chunks if is_english(chunk.language)]


def _find_details(case: Case, chunk: Chunk) -> Iterator[Detail]:
    named = _entity_name(case)
    if named and chunk.entity == case.entity:
        yield from (
            Detail(named, d.statement, d.source) for d in find_own_statements(chunk.chunk_id, chunk.text, chunk.entity)
        )
    yield from (
        d for d in find_definitions(chunk.chunk_id, chunk.text) if re.search(rf"\b{re.escape(d.who)}\b", case.text)
    )
    if chunk.chunk_id not in case.golds:  # the headings above the answer are about it
        yield from find_topics(chunk)


def _filing_details(case: Case, chunk: Chunk) -> Iterator[Detail]:
    """Details of a report and its filer by the form of the report."""
    named = _entity_name(case)
    for form, own in _FILER.items():
        if f"Form {form}" in chunk.title:
            if named and chunk.entity == case.entity:
                yield from (Detail(named, template, chunk.chunk_id) for template in (*own, *_ANY_FILER))
            yield from (Detail("", template.format(form), chunk.chunk_id) for template in _REPORT)


def _entity_name(case: Case) -> str:
    """The entity as the question names it; "" where it does not."""
    entity = case.entity.removeprefix("The ")
    at = case.text.find(entity) if entity else -1
    if at < 0:
        return ""
    the = case.text[max(at - 4, 0) : at]
    return ("the " if the.lower() == "the " else "") + entity


def _is_irrelevant(case: Case, detail: Detail) -> bool:
    """Whether a detail shares no word with what is asked or answered."""
    if contains_answer(detail.statement, case.answer, case.aliases):
        return False
    asked = (_lemmas(case.text) - _lemmas(detail.who)) | _lemmas(case.answer)
    return not (_lemmas(detail.statement) & asked) - _SAME


def _lemmas(text: str) -> set[str]:
    return {_lemma(word) for word in _WORD.findall(text.lower())}


def _lemma(word: str) -> str:
    return next((r.lemma for r in wordnet.readings(word)), word)


def _insert_detail(case: Case, detail: Detail, random: Random) -> Iterator[Draft]:
    """The question with the detail in each place that it can have."""
    text = case.text
    if not detail.who:
        if (end := _END.search(text)) and not _SOURCED.search(text):
            passage = case.chunks[detail.source]
            also = "" if detail.statement.startswith("filed ") else "that also discusses "
            addition = f", according to {describe_document(passage.title)} {also}{detail.statement}"
            yield apply_edits(text, [(end.start(), end.start(), addition)], detail.statement)
        return
    at = text.find(detail.who)
    after = at + len(detail.who)
    if at >= 0 and _FREE.match(text, after) and not detail.statement.startswith(("is ", "are ", "was ", "were ")):
        comma = "" if text[after : after + 1] in (",", "?") else ","
        yield apply_edits(text, [(after, after, f", which {detail.statement}{comma}")], detail.statement)
    first = re.match(r"\w+", text)
    if first and (first.group().lower() in QUESTION_OPENERS or first.group() in ("Which", "Who", "Whose", "Whom")):
        who = detail.who[:1].upper() + detail.who[1:]
        opened = [f"Given that {detail.who} {detail.statement}, ", f"{who} {detail.statement}; "]
        lower = text[0].lower()
        random.shuffle(opened)
        for opening in opened:
            same = lower == text[0]  # a question that began small goes on as it was
            yield apply_edits(text, [(0, 0, opening)] if same else [(0, 1, opening + lower)], detail.statement)
