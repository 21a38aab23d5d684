"""What belongs to a segment of a company, as its filing lists it: products, brands and companies bought for it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rarefy.data_contracts.rows import Chunk, Document, Triplet, row_id
from rarefy.tasks.knowledge.extract.entity_types import entity_type
from rarefy.tasks.knowledge.extract.markdown import parse_tables
from rarefy.tasks.knowledge.extract.prose import NAME, prose_sentences
from rarefy.tasks.knowledge.extract.tables import names_part, part_name, part_type

_WORD = r"[A-Z][\w&.’'-]*"
_NAMED = rf"{_WORD}(?:,? (?:{_WORD}|&|and(?= [A-Z])|of(?= [A-Z]))){{0,9}}"
_LISTS = r"(?:includes?|consists? of|is (?:also )?comprised of|comprises)"
# "The Graphics segment includes GeForce GPUs, …", "FoA includes Facebook, …", "Windows Division offerings consist of …"
_WHOLE = re.compile(
    rf"(?:^|[:–—-] |, )(?:(?:[Tt]he|[Oo]ur) )?(?P<part>{_NAMED})(?: \([“\"]?[A-Z]\w*[”\"]?\))?"
    r"(?:(?: (?:reportable|operating|business))* [Ss]egment)?(?: offerings)?,?(?: which| also)? "
    rf"{_LISTS} (?P<list>.+)"
)
_BOUGHT = re.compile(
    rf"the (?P<part>{_NAMED}) segment completed the acquisition of (?P<what>{NAME})(?= (?:in|for|on)\b|[,.])"
    rf"|acquisition of (?P<bought>{NAME}) in \w+ \d{{4}} within the (?P<of>{_NAMED}) segment"
)
_SHORT_FOR = r"(?P<name>{named}) \([“\"]?{short}[”\"]?\)"
# Where a list ends, and what in it is no more a list of products
_LIST_ENDS = re.compile(
    r",? (?:but|except|excluding|which|each|where|with|through|used in|regardless|offset)\b|[.;:]$|\("
)
_LEADS_TO = re.compile(r"^.*?\b(?:including|such as|results of)(?: our)? ")
_PRODUCT = re.compile(
    r"(?:the |our |an? )?(?P<name>(?:[A-Z][\w&’'/-]*|[a-z]{1,2}[A-Z]\w*)"
    r"(?: (?:[A-Z][\w&’'/-]*|[a-z]{1,2}[A-Z]\w*|\d+\b|for(?= [A-Z])))*)(?P<rest>.*)"
)
# Kinds of things and people, technologies and places, in capitals all the same
_NO_PRODUCT = re.compile(
    r"(?:AI|API|CMP|IT|PC|GPU|Data Center|Internet|Compan(?:y|ies)|Corporate|Other|Note|Item|Segment|Product|Service"
    r"|North America|Latin America|Europe|Asia|Africa|Asia Pacific|Middle East|Americas|International|eCommerce|U\.S)"
    r"\.?s?|.*(?:[’']s|/.*)"
)


@dataclass(frozen=True, slots=True)
class PartNames:
    """The parts of a document's company, by the members of its tags, and the words that stand for them."""

    document: Document
    segments: frozenset[str]
    others: frozenset[str]

    def segment(self, words: str) -> str:
        """The name of the segment that these words name, an abbreviation spelled out; "" where none is so called."""
        if any(names_part(words, code) for code in self.segments):
            return part_name(words)
        spelled = re.search(_SHORT_FOR.format(named=_NAMED, short=re.escape(words)), self.document.text)
        if spelled is None or not re.fullmatch(r"[A-Z]\w{1,5}", words):
            return ""
        name = spelled["name"]
        return part_name(name) if any(names_part(name, code) for code in self.segments) else ""

    def is_part(self, words: str) -> bool:
        """Whether these words name a part of the company that its tables have figures of."""
        return any(names_part(words, code) for code in self.segments | self.others)


def part_names(document: Document) -> PartNames:
    """The segments and other parts of the company that a document is about, by its tags."""
    codes: dict[str, set[str]] = {}
    for fact in document.facts:
        for dimension in fact.dimensions:
            axis, _, code = dimension.partition("=")
            codes.setdefault(part_type(axis), set()).add(code)
    others = (codes.get("PRODUCT", set()) | codes.get("REGION", set())) - codes.get("SEGMENT", set())
    return PartNames(document, frozenset(codes.get("SEGMENT", ())), frozenset(others))


def extract_parts(document: Document, chunks: Sequence[Chunk]) -> Iterator[Triplet]:
    """(product, "is part of", segment) for what a document lists under the segments that its tags know."""
    names = part_names(document)
    if not document.entity or not names.segments:
        return
    for chunk in chunks:
        yield from _of_tables(chunk, names) if chunk.kind == "table" else _of_sentences(chunk, names)


def _of_tables(chunk: Chunk, names: PartNames) -> Iterator[Triplet]:
    """The brands in each row of a table with a column of segments and one of brands."""
    for table in parse_tables(chunk.text):
        heads = [cell.text.lower() for cell in table.header.cells]
        brands = next((i for i, head in enumerate(heads) if re.search(r"\bbrands\b", head)), 0)
        if not brands or not re.search(r"\bsegments?$", heads[0]):
            continue
        for row in table.rows:
            if len(row.cells) <= brands or not (segment := names.segment(row.cells[0].text)):
                continue
            for name in row.cells[brands].text.split(", "):
                if re.fullmatch(r"[A-Z][\w&.’'-]*(?: (?:[A-Z][\w&.’'-]*|&))*", name):
                    span, head = (row.start, row.end), (table.header.start, table.header.end)
                    yield _part(chunk, names, name, (segment, row.cells[0].text), span, head)


def _of_sentences(chunk: Chunk, names: PartNames) -> Iterator[Triplet]:
    for sentence in prose_sentences(chunk.text):
        if sentence.objection:
            continue
        span = sentence.start, sentence.end
        for match in _BOUGHT.finditer(sentence.text):
            written = match["part"] or match["of"]
            if segment := names.segment(written):
                yield _part(chunk, names, match["what"] or match["bought"], (segment, written), span)
        whole = _WHOLE.search(sentence.text)
        if whole and (segment := names.segment(whole["part"])):
            for name in list_products(whole["list"]):
                if not names.is_part(name):
                    yield _part(chunk, names, name, (segment, whole["part"]), span)


def list_products(text: str) -> list[str]:
    """The names of products with which the items of a list begin; "GeForce GPUs" of "GeForce GPUs for gaming"."""
    names: list[str] = []
    for group in re.split(r"; (?:and )?", re.sub(r",? or [A-Za-z]*[A-Z]\w*,", "", text)):
        end = _LIST_ENDS.search(group)
        group = _LEADS_TO.sub("", group[: end.start()] if end else group)
        for item in re.split(r", (?:and )?", group.rstrip(" .")):
            first, _, second = item.partition(" and ")
            # "Quantum and Spectrum" are two, "Surface RT and Pro devices" are not
            both = all((m := _PRODUCT.fullmatch(one)) and not m["rest"] for one in (first, second.removeprefix("the ")))
            for one in (first, second) if both else (first,):
                found = _PRODUCT.fullmatch(one)
                name = found["name"].strip() if found else ""
                plain_rest = found is not None and re.match(r"[®™]*(?: [a-z-]|$)", found["rest"])
                known = _NO_PRODUCT.fullmatch(name) or entity_type(name) == "GPE"
                if len(name) > 2 and plain_rest and not known and name not in names:
                    names.append(name)
    return names


def _part(
    chunk: Chunk,
    names: PartNames,
    name: str,
    segment: tuple[str, str],
    span: tuple[int, int],
    head: tuple[int, int] = (0, 0),
) -> Triplet:
    """The triplet that a thing is part of a segment, which the sentence or row calls by the second of its names."""
    document = names.document
    whole = f"{document.entity} {segment[0]}"
    return Triplet(
        triplet_id=row_id("part", chunk.chunk_id, span[0], name, whole),
        chunk_id=chunk.chunk_id,
        doc_id=document.doc_id,
        start=span[0],
        end=span[1],
        subject=name,
        relation="is part of",
        object=whole,
        source_sentence=chunk.text[slice(*span)],
        method="table" if head[1] else "prose",
        subject_type="PRODUCT",
        object_type="SEGMENT",
        header=chunk.text[slice(*head)],
        header_start=head[0],
        header_end=head[1],
        answer=segment[1],
        entity=document.entity,
        domain=document.domain,
    )
