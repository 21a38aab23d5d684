"""EDGAR's full submission text files: many documents in one, the report first."""

import re

START = re.compile(r"\s*(?:-----BEGIN PRIVACY-ENHANCED MESSAGE|<(?:SEC|IMS)-DOCUMENT>|<DOCUMENT>)", re.I)
BODY = re.compile(r"<DOCUMENT>\s*<TYPE>[^\n]*.*?<TEXT>", re.I | re.S)


def is_submission(text: str) -> bool:
    """Whether a text is a whole submission, with EDGAR's header."""
    return bool(START.match(text))


def main_document(text: str) -> str:
    """The text of the first document in a submission; the whole where none is marked."""
    opening = BODY.search(text)
    if not opening:
        return text
    end = text.find("</TEXT>", opening.end())
    return text[opening.end() : end if end > 0 else len(text)]
