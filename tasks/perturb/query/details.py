"""What the passages at hand say of a question's subject that does not bear on its answer (RARE R26, offline)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from rarefy.data_contracts.rows import Chunk
from rarefy.tasks.perturb.query.hanging import PREPOSITIONS, PRONOUNS
from rarefy.tasks.text import wordnet
from rarefy.tasks.text.sentences import STARTERS, sentences

READ = 6_000  # characters of a passage that are read: a chunk has fewer, a user's context may be a book
LEAST, MOST = 3, 12  # words of what is told after its verb

# Words that hang on what was said before
_POINTING = PRONOUNS | frozenset("its same our my your their his her this these those such no not".split())
# Verbs of what somebody lastingly does; what "may" be, was or is expected could bear on an answer
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
# Parts of any report, the tables that figures are asked of among them
_TOO_NEAR = frozenset(
    """
    table contents index signatures exhibits summary overview general other introduction notes note data statement
    statements sheet sheets balance schedule schedules selected documents reference information results our we us
    """.split()
)
# What reports in any trade treat
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
    """Something true: of `who`, what it "sells"; or with `who` "", what else a document treats."""

    who: str
    told: str
    source: str = ""  # chunk_id


@lru_cache(8_192)
def spoken(chunk: str, text: str, entity: str) -> tuple[Detail, ...]:
    """What a report's "we" says of itself, for its entity: "sells its products through its retail stores"."""
    return tuple(_spoken(chunk, text[:READ], entity)) if entity else ()


def _spoken(chunk: str, text: str, entity: str) -> Iterator[Detail]:
    for start, end in _sentences(text):
        match = _SPOKEN.fullmatch(text[start:end].strip())
        if not match:
            continue
        base = match["verb"]
        if match["who"] != "We":
            base = next((r.lemma for r in wordnet.readings(base) if r.pos == "v" and r.form == "s"), "")
        # cut after "as" or "that", a sentence may say something else; cut in a list, it may say nothing
        rest = re.split(r" \(|,? (?:including|such as)\b", match["rest"].rstrip("."), maxsplit=1)[0].strip()
        if "," in rest or _BOUND.search(rest) or rest.startswith(("and ", "or ")):
            continue
        verb = wordnet.inflect(base, "v", "s") if base in _DOES else None
        if verb and (told := _of_it(rest)):
            yield Detail(entity, f"{verb} {told}", chunk)


def _of_it(rest: str) -> str:
    """What "we" do, as said of another; "" where it does not stand alone."""
    words = rest.split()
    if not LEAST <= len(words) <= MOST or re.search(r"\d|[“”\"|%$€£/]", rest):
        return ""
    turned = [{"our": "its", "us": "it"}.get(word, word) for word in words]
    bare = {re.sub("[’']s$", "", word.lower()) for word in turned}
    if bare & ((_POINTING | {"company"}) - {"it", "its"}):
        return ""
    # "builds products and maintain stock": a second verb would have to be turned too
    if any(a in ("and", "or") and _acts(b) for a, b in pairwise(turned)):
        return ""
    last = turned[-1]
    noun = last[0].isupper() or any(r.pos == "n" for r in wordnet.readings(last.lower()))
    if last.lower() in PREPOSITIONS | _SMALL or not noun:
        return ""
    return " ".join(turned)


def _acts(word: str) -> bool:
    return any(r.pos == "v" and r.form == "base" for r in wordnet.readings(word))


@lru_cache(8_192)
def said(chunk: str, text: str) -> tuple[Detail, ...]:
    """What a passage says that something is, in a short sentence of its own: "Warsaw is an alpha global city"."""
    found = []
    for start, end in _sentences(text[:READ]):
        match = _SELF.fullmatch(text[start:end].strip())
        words = match["rest"].split() if match else []
        plain = match and not re.search(r"\d|[“”\"|();:—]", match["rest"])
        starter = match and match["name"].split()[0].lower() in STARTERS - {"the"}
        if match and plain and not starter and len(words) <= MOST + 2 and not {w.lower() for w in words} & _POINTING:
            found.append(Detail(match["name"], match["rest"], chunk))
    return tuple(found)


def topics(chunk: Chunk) -> Iterator[Detail]:
    """What else the document treats, by the headings above a passage: those in plain words that name nothing."""
    for heading in chunk.section.split(" > "):
        if told := _topic(_ITEM.sub("", heading.strip()).strip(" .")):
            yield Detail("", told, chunk.chunk_id)


@lru_cache(8_192)
def _topic(written: str) -> str:
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
    return heading if all(map(_without_article, things)) else ""


def _without_article(thing: str) -> bool:
    """Can this be discussed without "a" or "the" before it: are there several of it, or is it no countable thing?"""
    head = re.split(r" (?:of|in|on|by|to|for|with) ", thing)[0].split()[-1:]
    several = head and any(r.pos == "n" and r.form == "plural" for r in wordnet.readings(head[0]))
    return bool(head) and (several or head[0] in _MASS) and thing.split()[0] not in PREPOSITIONS


def document(title: str) -> str:
    """What kind of document this is, as far as its title tells."""
    if "10-K" in title or "20-F" in title or "annual report" in title.lower():
        return "an annual report"
    return "a quarterly report" if "10-Q" in title else "a document"


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """The sentences of a passage's paragraphs; tables and headings have none."""
    for paragraph in re.finditer(r"[^\n]+", text):
        if paragraph.group()[0] not in "|#-*•":
            for start, end in sentences(paragraph.group()):
                yield paragraph.start() + start, paragraph.start() + end
