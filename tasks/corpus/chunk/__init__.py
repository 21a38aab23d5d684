"""Cut documents into chunks that keep tables and paragraphs whole (RARE §3.1 and Appendix A; papers.md R1–R5)."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise

from rarefy.data_contracts.rows import Chunk, Document, row_id
from rarefy.tasks.corpus.chunk.pieces import pieces
from rarefy.tasks.corpus.chunk.profiles import PROFILES, ChunkConfig, Profile
from rarefy.tasks.corpus.chunk.tokens import TokenCounter, counter
from rarefy.tasks.corpus.chunk.units import Unit, units
from rarefy.tasks.corpus.chunk.windows import windows
from rarefy.tasks.text.sentences import sentences

__all__ = ["PROFILES", "VERSION", "ChunkConfig", "Profile", "chunk", "repeated", "sentences"]

VERSION = 3


def chunk(documents: Iterable[Document], config: ChunkConfig, *, count: TokenCounter | None = None) -> Iterator[Chunk]:
    """The chunks of each document, by start, together all of its text but white space.

    No table is cut, nor parted from its caption, footnotes and lead-in, however long it gets; no paragraph is cut
    unless it alone exceeds the limit (then between sentences, and `split`); text exceeds the limit only by headings.
    Where a chunk begins with the end of the one before (`overlap`), `chunk.start < previous.end`: see `repeated`.
    """
    count = count or counter(config.tokenizer)
    for document in documents:
        profile = config.for_domain(document.domain)
        parts = list(units(document.text, pieces(document, profile, count), profile))
        spans = [
            (parts[window.first : window.last], parts[window.new])
            for window in windows(document.text, parts, profile, config.fragment)
        ]
        texts = [document.text[held[0].start : held[-1].end] for held, _ in spans]
        occurrences: Counter[str] = Counter()
        for (held, new), text, tokens in zip(spans, texts, _tokens(spans, texts, count), strict=True):
            occurrences[text] += 1
            yield Chunk(
                chunk_id=row_id(document.doc_id, text, occurrences[text] - 1),
                doc_id=document.doc_id,
                start=held[0].start,
                end=held[-1].end,
                kind="table" if any(unit.table for unit in held) else "text",
                section=new.section,
                text=text,
                tokens=tokens,
                split=any(unit.part for unit in held),
                entity=document.entity,
                domain=document.domain,
                fiscal_year=document.fiscal_year,
                period_end=document.period_end,
                title=document.title,
                language=document.language,
            )


def repeated(chunks: Iterable[Chunk]) -> dict[str, int]:
    """How many of its first characters each chunk repeats of the one before it in its document (0 for most).

    What is said there is said twice in the corpus: whoever takes facts from chunks takes these from the chunk before.
    """
    ends: dict[str, int] = {}
    result = {}
    for one in sorted(chunks, key=lambda one: (one.doc_id, one.start, one.end)):
        result[one.chunk_id] = max(ends.get(one.doc_id, 0) - one.start, 0)
        ends[one.doc_id] = max(ends.get(one.doc_id, 0), one.end)
    return result


def _tokens(spans: list[tuple[list[Unit], Unit]], texts: list[str], count: TokenCounter) -> list[int]:
    """The tokens of each chunk: the sum of what was counted, or counted anew where parts do not add up to it."""
    adds_up = getattr(count, "adds_up", False)
    sums = [sum(unit.tokens for unit in held) for held, _ in spans]
    unsure = [i for i, (held, _) in enumerate(spans) if not adds_up or _cut_in_word(held)]
    for i, tokens in zip(unsure, count([texts[i] for i in unsure]), strict=True):
        sums[i] = tokens
    return sums


def _cut_in_word(held: list[Unit]) -> bool:
    return any(a.end == b.start for a, b in pairwise(held))
