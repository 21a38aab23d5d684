"""The split of accepted questions into train and test (RARE Appendix E), by hash, up to a quota per pattern."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import ceil

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import Question, row_id

VERSION = 4


class SplitConfig(BaseModel, frozen=True, extra="forbid"):
    """How many questions of a pattern and domain are for testing; the others are for training."""

    share: float = Field(
        default=0.2, ge=0, le=1, description="share of a pattern and domain that goes to test, rounded up"
    )
    most: int = Field(default=1000, ge=0, description="most test questions of a pattern and domain (RARE: 1,000)")
    quotas: dict[str, int] = Field(default={}, description="another `most` for some patterns, by pattern")


def split(questions: Iterable[Question], config: SplitConfig) -> Iterator[Question]:
    """Give every question its split: "train" or "test", "" where it was rejected.

    Questions on one path stay together: its facts would give the other's answer away. A few more questions move
    few: each path keeps its place in line, and only the quota's edge shifts. The place is drawn by what is asked, not
    by ids, which an edit beside the fact changes: what was for training is not for testing in the next version.
    """
    rows = list(questions)
    asked: dict[str, str] = {}  # by path: the first of its questions
    groups: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if not row.rejected_because:
            groups[row.domain, row.pattern][row.path_id].append(row.question_id)
            asked[row.path_id] = min(asked.get(row.path_id, row.text), row.text)
    test: set[str] = set()
    for (_, pattern), paths in groups.items():
        total = sum(map(len, paths.values()))
        quota = min(ceil(config.share * total), config.quotas.get(pattern, config.most))
        for path in sorted(paths, key=lambda name: (row_id("split", asked[name]), name)):
            if len(paths[path]) > quota:
                break
            test.update(paths[path])
            quota -= len(paths[path])
    for row in rows:
        yield replace(row, split="" if row.rejected_because else "test" if row.question_id in test else "train")
