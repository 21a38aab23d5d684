"""Which of two documents came later, and whose they are."""

from collections.abc import Iterable

from rarefy.data_contracts.rows import Document
from rarefy.tasks.text.names import company

AMENDED = "/A"  # ends the form of what amends another filing: "10-K/A"


def since(document: Document) -> str:
    """The ISO date from which a document says what it says: its own, else the end of its period; "" for neither."""
    return document.as_of or document.period_end


def later(one: Document, other: Document) -> bool:
    """Whether `one` was published after `other`, as far as they say: by their dates, their periods, their forms.

    A document without a date is later than another's date once its own period ends after it. Of two on one period, one
    amends the other. False where nothing tells them apart.
    """
    if one.as_of and other.as_of and one.as_of != other.as_of:
        return one.as_of > other.as_of
    if one.as_of and not other.as_of and other.period_end > one.as_of:
        return False
    if other.as_of and not one.as_of and one.period_end > other.as_of:
        return True
    if one.period_end != other.period_end:
        return bool(one.period_end and other.period_end) and one.period_end > other.period_end
    return bool(one.period_end) and one.form == f"{other.form}{AMENDED}"


def newness(document: Document) -> tuple[str, str, bool]:
    """What sorts documents by when they came, as far as that goes without comparing them two by two."""
    return since(document), document.period_end, document.form.endswith(AMENDED)


def issuers(documents: Iterable[Document]) -> dict[str, str]:
    """Who speaks in each document, by doc_id: the registrant's number, else its name; "" where it does not say."""
    rows = list(documents)
    names = {row.doc_id: company(row.entity)[0] for row in rows}
    numbers = {row.doc_id: row.metadata.get("cik", "").lstrip("0") for row in rows}
    known = {name: numbers[doc_id] for doc_id, name in sorted(names.items(), reverse=True) if numbers[doc_id]}
    return {doc_id: numbers[doc_id] or known.get(name, name) for doc_id, name in names.items()}
