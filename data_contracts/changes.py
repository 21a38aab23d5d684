"""The row that says what is not as it was between two benchmarks of the same documents (architecture §2)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """One thing of a benchmark, beside what became of it in a later one."""

    change_id: str
    kind: str  # documents | sections | paragraphs | chunks | triplets | questions
    change: str  # added, edited, restated, retired, ...: tasks/refresh/versions/classes.py lists them by kind
    old_id: str = ""  # of the row in the old benchmark; "" for what is new, and for sections and paragraphs
    new_id: str = ""  # of the row in the new one; the successor of a question that was retired
    doc_id: str = ""  # its document in the new benchmark; of what is gone, in the old
    section: str = ""  # where it stands, or stood
    about: str = ""  # what it is: a title, a question, "subject · relation · period"
    before: str = ""  # what the old benchmark says
    after: str = ""  # what the new one says
    detail: str = ""  # where it moved to, why it was retired, what else is another
