"""How many paths and questions there are, or will be as far as anyone can say."""

from dataclasses import dataclass, replace

from rarefy.flows.engine.stages import STAGES
from rarefy.flows.models.request_forecast import UNSEEN, Range
from rarefy.flows.models.request_rates import Rates
from rarefy.tasks.models import prompts
from rarefy.tasks.store.tables import Store

AS_BEFORE: Range = (0.8, 1.0, 1.25)  # of the rates of a build like this one
CHARACTERS = 4  # per token of a prompt's own words


@dataclass(frozen=True)
class Counts:
    """So many of one chunk and of several; `wide` is how many chunks the latter have."""

    single: Range
    multi: Range
    wide: float

    @property
    def all(self) -> Range:
        """Both together."""
        low, likely, high = (a + b for a, b in zip(self.single, self.multi, strict=True))
        return low, likely, high

    def standing(self, rates: Rates) -> "Counts":
        """Those whose question will pass the gates."""
        low, _, high = AS_BEFORE if rates.builds else UNSEEN
        single, multi = rates.stand_single, rates.stand_multi
        return replace(
            self,
            single=times(self.single, (single * low, single, min(single * high, 1.0))),
            multi=times(self.multi, (multi * low, multi, min(multi * high, 1.0))),
        )

    def tried(self, rates: Rates) -> "Counts":
        """Those that will still stand once each was tried on its chunks one by one."""
        low, _, _ = AS_BEFORE if rates.builds else UNSEEN
        return replace(self, multi=times(self.multi, (rates.kept_multi * low, rates.kept_multi, 1.0)))

    def graded(self, rates: Rates) -> "Counts":
        """Those that a judge will keep."""
        share = kept(rates)
        return replace(self, single=times(self.single, share), multi=times(self.multi, share))


def times(left: Range, right: Range) -> Range:
    """The product, end for end."""
    return left[0] * right[0], left[1] * right[1], left[2] * right[2]


def kept(rates: Rates) -> Range:
    """The share of the questions before a judge that it keeps."""
    low, _, _ = AS_BEFORE if rates.builds else UNSEEN
    return rates.kept_graded * low, rates.kept_graded, 1.0


def found(store: Store, name: str, reasons: tuple[str, ...]) -> Counts:
    """The paths, or the questions with one of these reasons, of a table."""
    table = store.table(name)
    columns = [table["pattern"].to_pylist(), table["chunk_ids"].to_pylist()]
    columns.append(table["rejected_because"].to_pylist() if reasons else [""] * table.num_rows)
    rows = [(pattern, len(set(ids))) for pattern, ids, why in zip(*columns, strict=True) if why in (reasons or ("",))]
    many = [count for pattern, count in rows if pattern != "single"]
    ones = float(len(rows) - len(many))
    return Counts((ones,) * 3, (float(len(many)),) * 3, sum(many) / len(many) if many else 1.0)


def guessed(chunks: int, rates: Rates) -> Counts:
    """The paths of so many chunks that nobody has taken facts from yet."""
    by = AS_BEFORE if rates.builds else UNSEEN
    single, multi = chunks * rates.paths_single, chunks * rates.paths_multi
    return Counts(times((single,) * 3, by), times((multi,) * 3, by), rates.chunks_multi)


def frame(stage: str) -> float:
    """Tokens of a prompt's own words, around what it is filled with: of the longest role, and of what it is put in."""
    task = next((one.prompts for one in STAGES if one.name == stage), "") or stage
    files = sorted(prompts.folder(task).glob("*.j2"), key=lambda file: -file.stat().st_size)
    put_in = [file for file in files if file.stem.partition(".")[2] == ""][:1]
    longest = [file for file in files if file.stem.endswith(".general")][:1]
    return sum(file.stat().st_size for file in (*put_in, *longest)) / CHARACTERS
