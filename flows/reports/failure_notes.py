"""Failures of a system's answers and scores, printed while they can still be mended."""

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa

from rarefy.flows.engine.run import Part, Run
from rarefy.flows.faults import Fault
from rarefy.tasks.evaluate.systems.interface import NO_ANSWER, explain_error
from rarefy.tasks.text.characters import shorten

SHOWN = 3  # kinds of failure told one by one
LONGEST = 300  # characters of what a system said
JUDGE = "judge_needed"


def tell_failures(run: Run, system: str, parts: Sequence[Part]) -> None:
    """Print which answers failed and why, with an example of each; Fault where no answer came at all."""
    answers = _all(run, parts, "answers", "error", "detail")
    found: Counter[str] = Counter()
    example: dict[str, str] = {}
    for code, detail in zip(*(answers[name].to_pylist() for name in ("error", "detail")), strict=True):
        if code:
            found[code] += 1
            example.setdefault(code, detail)
    if not found:
        return
    lines = [
        f"{count:,} {code}: {explain_error(code)}" + (f" ({_short(example[code])})" if example[code] else "")
        for code, count in sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
    if found.total() == answers.num_rows:
        raise Fault(
            f"{system}: none of {answers.num_rows:,} answers came. "
            + ". ".join(lines[:SHOWN])
            + ". Mend the cause and run the same command again"
        )
    missing = found[NO_ANSWER]  # of a file of answers: there is nobody to ask again
    if missing:
        run.board.note("", f"{missing:,} of {answers.num_rows:,} answers are missing")
    if failed := found.total() - missing:
        run.board.note("", f"{failed:,} of {answers.num_rows:,} answers failed; run again to ask them again")
    for line in lines[:SHOWN]:
        run.board.note("", f"{line}")
    if len(lines) > SHOWN:
        run.board.note("", f"{len(lines) - SHOWN} more kinds: see `error` in answers.parquet")


def tell_unscored(run: Run, system: str, parts: Sequence[Part]) -> None:
    """Print how many answers only a judge can score."""
    scores = _all(run, parts, "scores", "status", "why")
    needed = sum(why.startswith(JUDGE) for why in scores["why"].to_pylist())
    if needed:
        run.board.note(
            "",
            f"{needed:,} of {scores.num_rows:,} answers of {system} need a judge ([correct.judge]), and have no score",
        )


def _all(run: Run, parts: Sequence[Part], kind: str, *columns: str) -> pa.Table:
    return pa.concat_tables([run.store.table(part[kind]).select(columns) for part in parts])


def _short(text: str) -> str:
    return shorten(" ".join(text.split()), LONGEST)
