"""Where the figures of a corpus stand, so that the passages that state one are few to read."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from decimal import Decimal

from rarefy.data_contracts.rows import Chunk, Triplet
from rarefy.tasks.questions.gates.changes import Change
from rarefy.tasks.questions.gates.figures import (
    EXPENSE,
    LEAST,
    NET_INCOME,
    amount_otherwise,
    is_exactly,
    is_net_income,
    is_of_its_series,
    may_state,
    off_by,
    roundings,
    states,
    states_beside_another,
)
from rarefy.tasks.questions.gates.measure_words import measure_and_part, telling
from rarefy.tasks.questions.gates.precision import Precision
from rarefy.tasks.questions.gates.shares import Share
from rarefy.tasks.questions.gates.statements import (
    NUMBER,
    Statement,
    digits_of,
    digits_shown,
    read,
    sentence_spans,
    told_by,
)

_SCALED = re.compile(
    r"(?<![\w.,])(\d{1,3}\.\d|\d\d)(?: (?:million|billion|trillion)| ?(?:[bm]n?\b|%)| percent)", re.IGNORECASE
)


class Figures:
    """Where the figures of a corpus stand, by whom they are told of and their digits."""

    def __init__(self, chunks: Mapping[str, Chunk]) -> None:
        self.chunks = chunks
        self.places: dict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)  # chunk, and where in it
        self.short: dict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)  # those of two digits, scaled
        self.read: dict[tuple[str, int], Statement | None] = {}
        self.numbers: dict[str, list[int]] = defaultdict(list)  # where they are in each chunk
        self.of_filer: dict[str, list[str]] = defaultdict(list)
        for name in sorted(chunks):
            text, whose = chunks[name].text, told_by(chunks[name])
            self.of_filer[whose].append(name)
            for hit in NUMBER.finditer(text):
                self.numbers[name].append(hit.start())
                digits = hit[0].replace(",", "").replace(".", "").strip("0")
                for one in dict.fromkeys(roundings(digits)) if digits and len(digits) < 16 else ():
                    self.places[whose, one].append((name, hit.start()))
            for hit in _SCALED.finditer(text):
                self.short[whose, hit[1].replace(".", "").strip("0")].append((name, hit.start()))

    def state(self, fact: Triplet, needed: Precision, at_others: Collection[Triplet] = ()) -> Iterator[str]:
        """The chunks that state a fact, which is a figure, with the digits needed or as many as it has.

        `at_others` are the facts of the same measure at other times.
        """
        amount, whose = abs(Decimal(fact.value)), told_by(self.chunks[fact.chunk_id])
        amounts = [abs(Decimal(other.value)) for other in at_others]

        def is_said(said: Statement, chunk: Chunk) -> bool:
            return _is_exact_enough(fact, said, needed) and (
                states(fact, amount, said, chunk)
                or is_of_its_series(fact, amount, said, amounts)
                or (
                    states_beside_another(fact, amount, said, chunk)
                    and any((chunk.chunk_id, said.text) in self._lines_with(other, whose) for other in at_others)
                )
            )

        yield from self._that_say(self._places_of(amount, whose), is_said)

    def may_state(self, fact: Triplet, needed: Precision) -> Iterator[str]:
        """The chunks with a fact's amount, as exactly as needed, under some of its words."""
        amount, whose = abs(Decimal(fact.value)), told_by(self.chunks[fact.chunk_id])

        def may_be_said(said: Statement, chunk: Chunk) -> bool:
            return _is_exact_enough(fact, said, needed) and may_state(fact, amount, said, chunk)

        yield from self._that_say(self._places_of(amount, whose), may_be_said)

    def amounts_otherwise(self, fact: Triplet) -> dict[str, Decimal]:
        """By chunk, the amount of a row that has the fact's measure at its time, the same or another near it."""
        amount, whose = abs(Decimal(fact.value)), told_by(self.chunks[fact.chunk_id])
        needed = NET_INCOME if is_net_income(fact) else measure_and_part(fact)[0]
        found: dict[str, Decimal] = {}
        for name in self.of_filer[whose]:
            if "|" in self.chunks[name].text and needed - EXPENSE <= telling(self.chunks[name].text):
                said = filter(None, (self._read(name, at) for at in self.numbers[name]))
                near = (amount_otherwise(fact, amount, one, self.chunks[name]) for one in said)
                if (other := next(filter(None, near), None)) is not None:
                    found[name] = other
        return found

    def _places_of(self, amount: Decimal, whose: str) -> list[tuple[str, int]]:
        """Where an amount stands, whole or rounded."""
        own = digits_of(amount)
        places = [at for some in dict.fromkeys(roundings(own)) for at in self.places.get((whose, some), ())]
        if len(own) > LEAST:  # "19%" is 19.5 % as well, which may have been 19.48
            for short in {[*roundings(own, LEAST)][1], own[:LEAST].rstrip("0")}:
                places += self.short.get((whose, short), ())
        return places

    def _lines_with(self, fact: Triplet, whose: str) -> Iterator[tuple[str, str]]:
        """The rows and sentences, each with its chunk, that have a fact's amount at its time."""
        amount = abs(Decimal(fact.value))
        for name, at in self.places.get((whose, digits_of(amount)), ()):
            said = self._read(name, at)
            if said and is_exactly(fact, amount, said, self.chunks[name]):
                yield name, said.text

    def state_computed(self, asked: Change | Share) -> Iterator[str]:
        """The chunks that state what is computed."""
        yield from self._that_say(self._with_digits_of(asked), asked.is_said)

    def may_state_share(self, asked: Share) -> Iterator[str]:
        """The chunks that may state what percentage one figure is of another."""
        yield from self._that_say(self._with_digits_of(asked), asked.may_be_said)

    def may_state_change(self, change: Change) -> Iterator[str]:
        """The chunks that may state by how much a figure changed."""
        yield from self._that_say(self._with_digits_of(change), change.may_be_said)

    def _with_digits_of(self, asked: Change | Share) -> list[tuple[str, int]]:
        whose = told_by(self.chunks[asked.home])
        return [at for some in dict.fromkeys(asked.digits()) for at in self.places.get((whose, some), ())]

    def tell_way(self, change: Change) -> Iterator[str]:
        """The chunks with a sentence that says which way a figure went, and need not say by how much."""
        needed = measure_and_part(change.newer)[0]
        for name in self.of_filer[told_by(self.chunks[change.home])]:
            chunk = self.chunks[name]
            if needed <= telling(chunk.text):
                said = (chunk.text[start:end] for start, end in sentence_spans(chunk.text))
                if any(change.is_told(sentence, chunk) for sentence in said):
                    yield name

    def _that_say(
        self, places: Iterable[tuple[str, int]], is_said: Callable[[Statement, Chunk], bool]
    ) -> Iterator[str]:
        done: set[str] = set()
        for name, at in places:
            if name not in done:
                said = self._read(name, at)
                if said and is_said(said, self.chunks[name]):
                    done.add(name)
                    yield name

    def _read(self, name: str, at: int) -> Statement | None:
        if (name, at) not in self.read:
            self.read[name, at] = read(self.chunks[name], at)
        return self.read[name, at]


def _is_exact_enough(fact: Triplet, said: Statement, needed: Precision) -> bool:
    amount = abs(Decimal(fact.value))
    shown = max(digits_shown(said.quantity), len(digits_of(said.quantity.amount)))
    return shown >= min(needed.digits, len(digits_of(amount))) or off_by(fact, amount, said) < needed.off
