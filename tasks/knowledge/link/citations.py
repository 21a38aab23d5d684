"""Links between the sections of regulations: what a section says is done as another one rules."""

import re
from collections.abc import Iterator

from rarefy.data_contracts.rows import Document, Triplet
from rarefy.tasks.knowledge.extract.deadlines import cite_section, mark_sections, section_at
from rarefy.tasks.knowledge.extract.labels import is_plural
from rarefy.tasks.knowledge.link.linked import Corpus, make_link, new_sentences

_UNDER = re.compile(r" under (?=\d+ CFR |Article |Section |Regulation |Rule |§)")
_CITE = (
    r"(?:(?P<title>\d+) CFR |§ ?)(?P<number>\d+\.\d+\w*)(?:\([a-zA-Z0-9]{1,4}\))*"
    r"(?: of this (?:part|chapter|title))?"
)
_BY = (
    r"in accordance with|pursuant to|in the manner (?:described|provided|prescribed) in"
    r"|as (?:provided|required|set forth|described|specified) (?:in|by|under)|under"
)
_MARK = r"^(?:\([a-zA-Z0-9]{1,5}\)\s*|—\s*)*"
_PHRASE = r"(?:(?!\bthe\b)[a-z' -])"
_LETTERED = r"[\w' -]"
# "Drains must be completed in accordance with § 3280.610 of this chapter."
_DONE = re.compile(
    rf"(?:{_MARK}(?P<subject>[A-Z]{_LETTERED}{{1,90}}?)|, (?P<later>the {_LETTERED}{{1,60}}?)) "
    rf"(?P<modal>must|shall|will|may|is|are) (?P<verb>(?:not )?(?:be )?{_LETTERED}{{3,90}}?),? "
    rf"(?P<by>{_BY}|(?<=provided )in) (?:the (?:provisions|requirements|procedures) (?:of|in) )?{_CITE}[.;]$"
)
# "Is conducting marketing in accordance with § 880.601(a)"
_DOING = re.compile(
    rf"\b(?:[Ii]s )?(?:[Cc]onduct(?:s|ing|ed)?) (?P<thing>{_PHRASE}{{3,50}}?) (?P<by>in accordance with) {_CITE}"
)
# "… after receipt of the written notice described in § 103.50."
_THING = re.compile(
    rf"(?<!and )(?<!or )\bthe (?P<thing>{_PHRASE}{{2,60}}?) (?P<how>described|required|specified|prescribed|established"
    rf"|authorized|enumerated|calculated) (?P<in>in|by|under|pursuant to) {_CITE}"
)
# words that say nothing without what stands before them
_LEANING = re.compile(
    r"\b(?:this|these|those|such|it|they|that|which|who|its|their|paragraph|section|and|or|any|is|are|be|has|have|had"
    r"|will|shall|must|may|meets?|than|for|with|more)\b",
    re.I,
)
_WITH = re.compile(r" with regard to(?= )")
# what many sections have
_VAGUE = re.compile(
    r"(?:(?:applicable|minimum|general|following|other|additional) )*(?:requirements?|criteria|standards?|provisions?"
    r"|conditions?|information|procedures?|items?|materials|\w+)"
)


def cited_record(subject: str) -> str:
    """The section whose rule this subject has: "24 CFR 180.410" of "respondent under 24 CFR 180.410"; "" for none."""
    parts = _UNDER.split(subject)
    return parts[-1] if len(parts) > 1 else ""


def link_sections(corpus: Corpus) -> Iterator[Triplet]:
    """The links from sections to those that they cite and that set measured rules, one to each subject of a rule."""
    ruled: dict[str, set[str]] = {}
    for row in corpus.facts:
        if row.method == "deadline" and (section := cited_record(row.subject)):
            ruled.setdefault(section, set()).add(row.subject)
    for document in corpus.documents if ruled else ():
        name = document.entity or document.title
        marks = mark_sections(document.text) if name else []
        for chunk in corpus.chunks[document.doc_id] if marks else ():
            for start, end in new_sentences(chunk, corpus):
                sentence = chunk.text[start:end]
                own = cite_section(name, section_at(marks, chunk.start + start))
                for subject, relation, words, cited in _find_citations(sentence, document):
                    for rule in sorted(ruled.get(cited, ())) if cited != own else ():
                        fact = (f"{subject} under {own}", relation, rule)
                        yield make_link(document, chunk, (start, end), fact, ("", ""), words)


def _find_citations(sentence: str, document: Document) -> Iterator[tuple[str, str, str, str]]:
    """(what is ruled, what is said of it, the words that cite, the section cited) of each citation in a known form."""
    title = (document.entity or document.title).partition(" CFR ")[0]
    if done := _DONE.search(sentence):
        subject, said = done["subject"] or done["later"], f"{done['modal']} {done['verb']} {done['by']}"
        if not _LEANING.search(f"{_WITH.sub('', subject)} {done['verb'].removeprefix('be ')}"):
            yield _lower_article(subject), said, *_cited(done, title)
        return
    if doing := _DOING.search(sentence):
        if not _LEANING.search(doing["thing"]):
            yield doing["thing"], f"is conducted {doing['by']}", *_cited(doing, title)
        return
    for thing in _THING.finditer(sentence):
        if not _LEANING.search(thing["thing"]) and not _VAGUE.fullmatch(thing["thing"]):
            verb = "are" if is_plural(thing["thing"]) else "is"
            yield f"the {thing['thing']}", f"{verb} {thing['how']} {thing['in']}", *_cited(thing, title)


def _cited(match: re.Match[str], title: str) -> tuple[str, str]:
    return match["number"], f"{match['title'] or title} CFR {match['number']}"


def _lower_article(words: str) -> str:
    """Words from the beginning of a sentence as within one; names keep their capital."""
    return (
        words
        if re.match(r"[A-Z]{2}|(?!The |An? |Each |Every |All )[A-Z]\w* [A-Z]", words)
        else words[:1].lower() + words[1:]
    )
