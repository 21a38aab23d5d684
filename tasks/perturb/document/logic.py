"""The passage with its sentences in another order (SURE §3.2, Logic; Figure 8: random, reverse, LLM-ranked).

SURE shuffles the sentences of passages of 100 words of running text. Chunks have headings and tables besides, so here

- sentences stay under the heading that they stood under: headings, and lines that are titles, stay where they are, and
  each stretch between two of them is put into order by itself. Elsewhere "Sales rose 5 %" would be said of another
  segment. Paragraph breaks stay where they were, too; sentences move across them.
- a table is a unit, with the sentence or caption that leads it in ("The following table ...", "(in millions)") and its
  footnotes; so is a list with its lead-in, and a sentence that ends with a colon with the one that it announces.
"""

from collections.abc import Iterator, Sequence
from random import Random

from rarefy.tasks.perturb.case import Case, Draft, Move
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.document.outline import Piece, outline

SEEN = 0.5  # of the sentences, more than which must stand elsewhere: two lines of a form exchanged are no other order
DRAFTS = 5  # other orders offered of one passage: more will not keep an answer that five did not
TOLD = 500  # characters of an order that a variant tells
SHUFFLES = 40  # tries for an order not seen yet; of the two pairs that give the fewest, one try in two is one


def random_order(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The sentences shuffled, never into the reverse order, a perturbation of its own: of two there is none."""
    sections = [piece.section for piece in outline(case.text) if not piece.wall]
    if len(sections) == len(set(sections)):
        return  # each sentence under a heading of its own
    order = list(range(len(sections)))
    seen = {case.text, reordered(case.text, order[::-1]).text}
    made = 0
    for _ in range(SHUFFLES):
        random.shuffle(order)
        draft = reordered(case.text, order)
        if draft.text not in seen and _seen(case.text, draft):
            yield draft
            made += 1
        seen.add(draft.text)
        if made == DRAFTS:
            return


def reverse_order(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The sentences from the last to the first."""
    draft = reordered(case.text, range(len(sentence_units(case.text)))[::-1])
    if draft.text != case.text and _seen(case.text, draft):
        yield draft


def _seen(text: str, draft: Draft) -> bool:
    """Is the order seen to be another: does most of what can be moved stand elsewhere in it?"""
    ranks = {start: rank for rank, (start, _) in enumerate(sentence_units(text))}
    units = [ranks[move.start] for move in draft.moves if move.start in ranks]
    return sum(rank != place for place, rank in enumerate(units)) > SEEN * len(units)


def sentence_units(text: str) -> tuple[tuple[int, int], ...]:
    """What can be reordered: the spans of the sentences, and of tables and lists with what leads them in, in order."""
    return tuple((piece.start, piece.end) for piece in outline(text) if not piece.wall)


def reordered(text: str, order: Sequence[int]) -> Draft:
    """The text with its `sentence_units` in this order, a permutation of their numbers, as far as headings allow.

    Between two headings (or titles) its units stand in the order in which the permutation names them. ValueError where
    it is no permutation.
    """
    pieces = outline(text)
    units = [at for at, piece in enumerate(pieces) if not piece.wall]
    if sorted(order) != list(range(len(units))):
        raise ValueError(f"not an order of {len(units)} units, each named once: {list(order)[:20]}")
    queues: dict[int, list[int]] = {}  # of the units of each section, the next last
    for number in reversed(order):
        queues.setdefault(pieces[units[number]].section, []).append(units[number])
    places = [at if piece.wall else queues[piece.section].pop() for at, piece in enumerate(pieces)]

    written, moves, length = [text[: pieces[0].start]] if pieces else [text], [], pieces[0].start if pieces else 0
    for slot, at in enumerate(places):
        piece = pieces[at]
        if slot:
            gap = text[pieces[slot - 1].end : pieces[slot].start]
            gap = gap if at == places[slot - 1] + 1 and at == slot else _gap(text, gap, pieces[places[slot - 1]], piece)
            written.append(gap)
            length += len(gap)
        written.append(text[piece.start : piece.end])
        moves.append(Move(piece.start, piece.end, length))
        length += piece.end - piece.start
    if pieces:
        written.append(text[pieces[-1].end :])
    numbers = {at: number for number, at in enumerate(units)}
    told = " ".join(str(numbers[at]) for at in places if at in numbers)
    return Draft("".join(written), tuple(moves), detail=told if len(told) <= TOLD else "")


def _gap(text: str, gap: str, before: Piece, after: Piece) -> str:
    """What stands between two pieces that did not stand side by side, in the place of this gap."""
    if (before.lines or after.lines) and gap.count("\n") < 2:
        return "\n\n"  # a table in the middle of a line would be none
    # between Chinese sentences there is no space, after one that is cut off there must be
    return gap or ("" if text[before.end - 1] in "。！？”」』)" else " ")
