"""Add one true detail that does not affect the answer to a question (RARE §5.1, C.1: R26, offline)."""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
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
from rarefy.tasks.text.dates import MONTHS
from rarefy.tasks.text.dates import SHORT as SHORT_MONTHS
from rarefy.tasks.text.notations import contains_answer
from rarefy.tasks.text.sentences import STARTERS, sentences
from rarefy.tasks.text.states import STATES
from rarefy.tasks.text.stems import stems
from rarefy.tasks.text.syntax.tree import TaggedWord, tag_words
from rarefy.tasks.text.wordnet import known, readings

# True details about the subject, from passages at hand (RARE R26, offline)

READ = 6_000  # characters of a passage that are read
LEAST, MOST = 3, 12  # words of a statement after its verb

# Words that refer to an earlier sentence
_POINTING = PRONOUNS | frozenset("its same our my your their his her this these those such no not".split())
# Verbs of lasting activities; what may be, was or is expected could affect an answer
_DOES = frozenset(
    """
    offer provide sell design manufacture market operate develop distribute serve own lease maintain license produce
    build deliver purchase compete make use rely support publish administer manage run oversee supervise regulate
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
LONGEST_HEADING = 8  # words
_HEADING = re.compile(r"^(?:#{1,6}|§ [\d.]+) +(?P<heading>[^\n]+)$", re.MULTILINE)
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_PARTS = re.compile(r",? (?:and|or|of|in|on|by|to|for|with|from|at) (?:the )?|, ")
_TELLING_ONE = frozenset(
    "properties cybersecurity competition leases seasonality litigation dividends trademarks".split()
)
# Headings that could stand in anything
_BARE = frozenset(
    """
    examples definitions notes questions resources basics exercises requirements details results steps errors terms
    items topics options features rules changes remarks comments tips links methods purposes
    """.split()
)
_SMALL = frozenset("and of the in on for to a an or with".split())
# Parts of any report, and the tables that questions ask about
_TOO_NEAR = frozenset(
    """
    table contents index signatures exhibits summary overview general other introduction notes note data statement
    statements sheet sheets balance schedule schedules selected documents reference information results our we us
    company registrant
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
    goodwill capital manufacturing distribution collateral eligibility financing maintenance leave communication
    training travel memory concurrency ownership support compression encryption logging onboarding
    """.split()
)
_SELF = re.compile(
    r"(?:The )?(?P<name>[A-Z\d][\w’'.&-]*(?: (?:[A-Z&][\w’'.&-]*|of|the))*) "
    r"(?P<rest>(?:(?:is|are|was|were) (?:an?|the|one)|(?P<verb>[a-z]+s)) .+)\."
)


_UNPLAIN = re.compile(r"\d|[“”\"|();:—`_*\[\]]")


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
    for sentence in _split_sentences(text):
        match = _SPOKEN.fullmatch(sentence)
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
    """What a passage says of names in short: "Warsaw is an alpha global city", "Kandji manages work devices"."""
    found = []
    for sentence in _split_sentences(text[:READ]):
        match = _SELF.fullmatch(sentence)
        if match is None or match["name"].split()[0].lower() in STARTERS - {"the"}:
            continue
        name, rest, does = match["name"], match["rest"], match["verb"]
        if does and (_BOUND.search(rest) or not any(r.lemma in _DOES and r.form == "s" for r in readings(does))):
            continue
        words = rest.split()
        if len(words) <= MOST + 2 and not _UNPLAIN.search(rest) and not {w.lower() for w in words} & _POINTING:
            found.append(Detail(name, rest, chunk))
    return tuple(found)


def find_topics(chunk: Chunk, without: Set[str] = frozenset()) -> Iterator[Detail]:
    """Other topics of the document: the headings above or in a passage without names, but for those `without`."""
    for heading in _headings(chunk):
        if heading.casefold() not in without and (topic := _clean_topic(heading, chunk.text[:READ])):
            yield Detail("", f"also discusses {topic}", chunk.chunk_id)


def _headings(chunk: Chunk) -> list[str]:
    within = _CODE.sub("", chunk.text[:READ])
    written = [*chunk.section.split(" > "), *(match["heading"] for match in _HEADING.finditer(within))]
    return [_ITEM.sub("", heading.strip()).strip(" .*_") for heading in written]


@lru_cache(8_192)
def _clean_topic(written: str, text: str) -> str:
    heading = written.lower()
    words = heading.split()
    # where every word has a capital, "Epic Games" looks like "Stock Options"
    capitals = written[1:] != heading[1:]
    if not 1 <= len(words) <= LONGEST_HEADING or not all(re.fullmatch(r"[a-z]+(?:-[a-z]+)*,?", w) for w in words):
        return ""
    if set(words) & (_TOO_NEAR | _POINTING) or not all(
        w in _SMALL or wordnet.readings(w.strip(",").split("-")[-1]) for w in words
    ):
        return ""
    if len(words) > 1 and _is_gerund(words):
        return heading if not capitals or all(_stands_in_small(word, text) for word in words[1:]) else ""
    reported = {part for w in words for part in re.split(r"[-,]", w) if part} <= _REPORTED | _SMALL
    if capitals and not reported and not all(_stands_in_small(part, text) for part in _PARTS.split(heading)):
        return ""
    plain = capitals and not reported and heading not in _BARE  # a single word is a topic where a sentence has it
    if len(words) == 1 and heading not in _TELLING_ONE and not plain:
        return ""
    things = re.split(r",? and |, ", heading)
    if all(map(_needs_no_article, things)):
        return heading
    owned = re.search(rf"\b(?:the|our|your|an?) {re.escape(heading)}(?![\w-])", text)
    return f"the {heading}" if owned and len(words) > 1 else ""


def find_sections(chunk: Chunk, without: Set[str] = frozenset()) -> Iterator[Detail]:
    """The sections of a passage by their headings, but for those `without`: "also has a section called “Removal”"."""
    for heading in _headings(chunk):
        words = heading.split()
        plain = heading[:1].isupper() and len(words) <= MOST_CALLED and re.fullmatch(r"[A-Za-z][A-Za-z ,'’-]*", heading)
        bare = {word.lower().strip(",") for word in words}
        told = heading.casefold() in without or _clean_topic(heading, chunk.text[:READ])
        if plain and not told and not bare & (_TOO_NEAR | _POINTING | _BARE):
            yield Detail("", f"{_HAS}“{heading}”", chunk.chunk_id)


def _stands_in_small(words: str, text: str) -> bool:
    """Whether a text has these words without capitals, within a sentence: they are no name."""
    return re.search(rf"(?<=[a-z,] ){re.escape(words)}(?![\w-])", text) is not None


def _is_gerund(words: list[str]) -> bool:
    """Whether a heading says what is done ("running tests in parallel", not "revolving credit facility")."""
    done = any(r.pos == "v" and r.form == "ing" for r in wordnet.readings(words[0]))
    whole = words[-1] not in PREPOSITIONS | _SMALL
    object_ = words[1] in PREPOSITIONS | _SMALL or any(_needs_no_article(word) for word in words[1:])
    return done and whole and object_


def _needs_no_article(thing: str) -> bool:
    """Whether a topic needs no article: a plural or an uncountable noun."""
    head = re.split(r" (?:of|in|on|by|to|for|with) ", thing)[0].split()[-1:]
    several = head and any(r.pos == "n" and r.form == "plural" for r in wordnet.readings(head[0]))
    return bool(head) and (several or head[0] in _MASS) and thing.split()[0] not in PREPOSITIONS


@lru_cache(8_192)
def find_sayings(chunk: str, text: str) -> tuple[Detail, ...]:
    """Short sentences of a passage that need no other: "marriages and domestic partnerships are covered"."""
    found = []
    for written in _split_sentences(text[:READ]):
        sentence = _MARKS.sub(lambda match: match["label"] or match["bold"], written).replace(" also ", " ")
        words = sentence[:-1].split()
        if not LEAST_SAID <= len(words) <= MOST_SAID or not sentence.endswith(".") or _OPEN.search(sentence[:-1]):
            continue
        bare = {re.sub("[’']s$", "", word.lower().strip(",")) for word in words}
        if bare & ((_POINTING - {"its", "their", "no", "not"}) | _GOES_ON) or sentence.count("`") % 2:
            continue
        tags = tag_words(sentence)
        verbs = [tag for tag in tags if tag.tag in ("VBZ", "VBP", "VBD", "MD")]
        if not 1 <= len(verbs) <= 2 or words[-1] == "follows" or not _has_plain_subject(tags, bare):
            continue
        named = tags[0].tag.startswith("NNP") and not readings(words[0].lower().split("-")[0])
        said = words[0] if named or words[0][0] == "`" else words[0][0].lower() + words[0][1:]
        found.append(Detail("", f"{_SAYS}{' '.join([said, *words[1:]])}", chunk))
    return tuple(found)


def _has_plain_subject(tags: Sequence[TaggedWord], bare: Set[str]) -> bool:
    """Whether a sentence begins with a subject that is clear without others: a plural, a name, "every team"."""
    first, second = tags[0], tags[1]
    if first.text.lower() in ("a", "an", "every", "everyone", "everybody", "anyone"):
        return not bare & {"its", "their"}
    if first.text == "The":
        return second.tag in ("NNP", "NNPS") and not bare & {"its", "their"}
    if first.text.lower() in STARTERS or len(first.text) < 3:
        return False
    if first.tag in ("NNP", "NNPS"):
        return second.tag in ("VBZ", "VBD", "MD", "NNP", "CC", "NNPS", "NNS", "POS")
    # "Surveys suggest", "Energy prices rose"
    plural = first.tag == "NNS" or (first.tag in ("NN", "JJ") and second.tag == "NNS")
    return plural and tags[1 + (first.tag != "NNS")].tag in ("VBP", "VBD", "MD", "IN", "CC", "RB", "WDT")


@lru_cache(8_192)
def find_mentions(chunk: str, text: str) -> tuple[Detail, ...]:
    """Names within the sentences of a passage that are no part of another and no title: "also mentions Kandji"."""
    found: dict[str, None] = {}
    for sentence in _split_sentences(text[:READ]):
        for match in _NAMES.finditer(_MARKS.sub(lambda match: match["label"] or match["bold"], sentence)):
            before, name = match["before"], match["name"]
            words = name.lower().split()
            strange = any(not known(word) and not _stands_in_small(word, text) for word in words)
            if before not in _BINDING and (name in _PLACES or (strange and not set(words) & _NO_NAMES)):
                found["the " * (before == "the" and " " in name) + name] = None
        for match in _TERM.finditer(sentence):
            if not known(match["term"]):
                found[match.group()] = None
    return tuple(Detail("", f"also mentions {name}", chunk) for name in found)


def describe_document(title: str) -> str:
    """The kind of document, by its title."""
    if "10-K" in title or "20-F" in title or "annual report" in title.lower():
        return "an annual report"
    if "10-Q" in title:
        return "a quarterly report"
    kind = _KIND.search(title)
    if kind:
        return f"a {kind.group().lower()}"
    return "minutes" if title.startswith("Minutes ") else "a regulation" if " CFR " in title else "a document"


def _split_sentences(text: str) -> Iterator[str]:
    """The sentences of a passage's paragraphs, without tables, lists, headings and code."""
    for paragraph in re.split(r"\n\s*\n", _CODE.sub("", text)):
        lines = paragraph.strip().split("\n")
        if lines[0][:1] in "|#-*•>`<" or re.match(r"\d+[.)]", lines[0]):
            continue
        # lines of one width are a paragraph that was wrapped, others are a list
        wrapped = len(lines) > 1 and all(WRAPPED <= len(line) <= 2 * WRAPPED for line in lines[:-1])
        for written in [" ".join(lines)] if wrapped else lines:
            if written[:1] not in "|#-*•":
                yield from (written[start:end].strip() for start, end in sentences(written))


WRAPPED = 50  # characters of a line of a wrapped paragraph, at least
_SAYS = "also says that "
_HAS = "also has a section called "
_ALSO = re.compile(r"^also (?:mentions(?: the)?|says that) ")
MOST_CALLED = 5  # words of a heading that is named as it stands
SHORT = 64  # characters
# Names of one to three words within a sentence, whole
_NAMES = re.compile(
    r"(?<![\w’'&.-])(?P<before>[a-z]+) (?P<name>[A-Z][a-z]{2,}(?: [A-Z][a-z]+){0,2})"
    r"(?=[.,;](?! [A-Z])|$| (?:(?:is|are|was|were|has|have|to|in|on|by|for|with|that|which|will|can|must)\b"
    r"|(?:and|or) [a-z]))"
)
_TERM = re.compile(r"(?<= )`(?P<term>[A-Za-z_][\w:!-]{2,20})`(?= |[.,])")  # a word of code
_PLACES = frozenset({*STATES.values(), "United States", "United Kingdom", "European Union", "New York"})
# Words that bind a name to others, or that are none
_BINDING = frozenset("of and or a an no nor than de von as".split())
_NO_NAMES = frozenset(
    {
        *MONTHS,
        *map(str.lower, SHORT_MONTHS),
        *"monday tuesday wednesday thursday friday saturday sunday english".split(),
        *"inc corp ltd llc everyone anyone someone everything anything nothing yourself ourselves".split(),
        *"president officer officers vice adviser advisers manager managers director directors form fahrenheit".split(),
    }
)
LEAST_SAID, MOST_SAID = 4, 13  # words of a sentence that a document is said to say
_OPEN = re.compile(r"[\d“”\"|();:—–*\[\]<>/$%&!?•]|(?<!\w)_|_(?!\w)|\.(?= |$)")
# Links and emphasis in Markdown
_MARKS = re.compile(
    r"\[(?P<label>[^\[\]]+)\](?:\([^()]*\)|\[[^\[\]]*\])|(?P<mark>\*\*?|(?<!\w)_)(?P<bold>[^*_]+)(?P=mark)"
)
# Words by which a sentence leans on others, on its page or on its time
_GOES_ON = frozenset(
    """
    also however therefore thus then instead similarly moreover finally again too so above below next last latter former
    previous following example chapter section listing figure table page here there now today currently first second
    both another other others one ones only even still already more most less same different certain company registrant
    let see note please here’s there’s it’s that’s
    """.split()
)
_KIND = re.compile(r"\b(?:handbook|manual|guide|guidebook)\Z", re.IGNORECASE)

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
    r"according to|\bas (?:stated|disclosed|reported|described)\b|\b(?:10|20)-[KQF]\b|annual report|\bminutes of\b"
    r"|\bCFR\b",
    re.I,
)
# The source that a question names, of which something else can be told
_SECTION = re.compile(r"\b\d+ CFR (?:part )?(?P<part>\d+)(?P<section>\.\d+\w*)?(?! and\b)", re.IGNORECASE)
_NAMED_SOURCE = re.compile(
    r"according to (?:the|its|their) (?:[\w-]+ ){0,3}?(?P<what>minutes|handbook|manual|guide|book|rules|regulations"
    r"|annual report|10-K)\b(?: (?:of|for|from) [^?]+?)?(?=\?|, (?:what|which|who|when|where|how|by|in|of|to|for)\b)",
    re.IGNORECASE,
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
    told: list[Detail] = []
    # topics, then sections by name, what is said, what is named, and what is true of every report
    for find in (_find_details, _find_sections, _find_sayings, _find_mentions, _find_filing):
        found = list(dict.fromkeys(d for c in passages for d in find(case, c) if _is_irrelevant(case, d)))
        random.shuffle(found)
        told += found
    told.sort(key=lambda detail: len(detail.statement) > SHORT)  # a long one makes of a short question another
    seen = {case.text}
    for detail in told:
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
    if _is_beside_gold(case, chunk):
        yield from find_topics(chunk, _headings_above(case, chunk))


def _find_sections(case: Case, chunk: Chunk) -> Iterator[Detail]:
    if _is_beside_gold(case, chunk):
        yield from find_sections(chunk, _headings_above(case, chunk))


def _headings_above(case: Case, chunk: Chunk) -> frozenset[str]:
    """The headings above the answer, which are about it, and the title."""
    above = {h.casefold() for name in case.golds if name in case.chunks for h in _headings(case.chunks[name])}
    return frozenset(above | {chunk.title.casefold()})


def _find_sayings(case: Case, chunk: Chunk) -> Iterator[Detail]:
    yield from _only_beside_evidence(case, chunk, find_sayings(chunk.chunk_id, chunk.text))


def _find_mentions(case: Case, chunk: Chunk) -> Iterator[Detail]:
    yield from _only_beside_evidence(case, chunk, find_mentions(chunk.chunk_id, chunk.text))


def _only_beside_evidence(case: Case, chunk: Chunk, found: Iterable[Detail]) -> Iterator[Detail]:
    """What a passage says beside the gold one, or within it beside the evidence."""
    if _is_beside_gold(case, chunk):
        yield from found
    elif chunk.chunk_id in case.golds and len(set(case.golds)) == 1 and case.evidence:
        evidence = " ".join(" ".join(case.evidence).split()).casefold()
        yield from (d for d in found if _ALSO.sub("", d.statement).casefold() not in evidence)


def _is_beside_gold(case: Case, chunk: Chunk) -> bool:
    """Whether a passage is another one of the only document that the gold passages are of."""
    documents = {case.chunks[name].doc_id for name in case.golds if name in case.chunks}
    return chunk.chunk_id not in case.golds and documents <= {chunk.doc_id}


def _find_filing(case: Case, chunk: Chunk) -> Iterator[Detail]:
    """Details of a report and its filer by the form of the report."""
    if chunk.chunk_id != next(iter((*case.golds, *(case.pool.neighbours if case.pool else ()))), ""):
        return
    named = _entity_name(case)
    if len({case.chunks[name].doc_id for name in case.golds if name in case.chunks}) > 1:
        return  # of several reports
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
    # of a source only something else is told
    asked = (_lemmas(_NAMED_SOURCE.sub("", case.text)) - _lemmas(detail.who)) | _lemmas(case.answer)
    # a section called "Elections" is on who is elected
    named = detail.statement.removeprefix(_HAS) if detail.statement.startswith(_HAS) else ""
    called = {word for word in stems(named) if len(word) > 2} & (set(stems(case.text)) - _SAME)
    return not (called or (_lemmas(detail.statement) & asked) - _SAME)


def _lemmas(text: str) -> set[str]:
    return {_lemma(word) for word in _WORD.findall(text.lower())}


def _lemma(word: str) -> str:
    return next((r.lemma for r in wordnet.readings(word)), word)


def _insert_detail(case: Case, detail: Detail, random: Random) -> Iterator[Draft]:
    """The question with the detail in each place that it can have."""
    text = case.text
    if not detail.who:
        yield from _insert_beside_source(case, detail)
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


def _insert_beside_source(case: Case, detail: Detail) -> Iterator[Draft]:
    """The question with something else that its document says: behind its source, or with a source of no name."""
    text, title = case.text, case.chunks[detail.source].title
    about_filing = detail.statement.startswith("filed ")
    if section := _SECTION.search(text):
        part = re.search(rf"\bCFR PART {section['part']}\b", title, re.IGNORECASE)
        if part and not about_filing and text[section.end() : section.end() + 1] in (",", "?"):
            which = "which belongs to a part that" if section["section"] else "which"
            yield _add(text, section.end(), f", {which} {detail.statement}", detail)
    elif source := _NAMED_SOURCE.search(text):
        # of a meeting or a year: that of this document
        same = set(re.findall(r"\d+", source.group())) <= set(re.findall(r"\d+", title))
        if same and not about_filing and text[source.end() : source.end() + 1] in (",", "?"):
            several = source["what"].lower() in ("minutes", "rules", "regulations")
            statement = _of_several(detail.statement) if several else detail.statement
            yield _add(text, source.end(), f", which {statement}", detail)
    elif (end := _END.search(text)) and not _SOURCED.search(text):
        that = "" if about_filing else "that "
        document = describe_document(title)
        statement = _of_several(detail.statement) if document == "minutes" else detail.statement
        yield _add(text, end.start(), f", according to {document} {that}{statement}", detail)


def _of_several(statement: str) -> str:
    statement = statement.replace("also has ", "also have ", 1)
    return re.sub(r"^also (discuss|say|mention)(?:e?s)\b", r"also \1", statement)


def _add(text: str, at: int, words: str, detail: Detail) -> Draft:
    return apply_edits(text, [(at, at, words)], detail.statement)
