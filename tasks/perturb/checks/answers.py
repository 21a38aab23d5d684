"""Whether a passage keeps the answer, or holds none (SURE S5, RARE R28)."""

import json
import re
from html import unescape
from html.parser import HTMLParser

import yaml

from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.text.answers import readable, stated

_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def answer_kept(case: Case, draft: Draft) -> str:
    """`answer_lost` where the original held the answer or an alias and the variant holds none of them."""
    return _lost(case, draft.text)


def answer_readable(case: Case, draft: Draft) -> str:
    """As `answer_kept`, of what a reader of the format gets; `unreadable` where it is not well-formed."""
    try:
        text = read(draft.text)
    except (ValueError, yaml.YAMLError) as error:
        return f"unreadable: {str(error).splitlines()[0]}"
    return _lost(case, text)


def no_answer(case: Case, draft: Draft) -> str:
    """`answer_remains` where the answer or an alias can be read in the variant, in any notation."""
    found = readable(draft.text, case.answer, case.aliases)
    return f"answer_remains: {found}" if found else ""


def read(text: str) -> str:
    """What a reader gets of JSON, HTML, YAML or Markdown; ValueError or YAMLError where it cannot be read."""
    head = text.lstrip()[:64].lower()
    if head.startswith("{"):
        return "\n".join(str(value) for value in json.loads(text).values())
    if head.startswith(("<html", "<!doctype")):
        page = _Page()
        page.feed(text)
        page.close()
        return "".join(page.parts)
    if re.match(r"title\s*:", head):
        found = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        if not isinstance(found, dict):
            raise ValueError("the YAML is no mapping")
        return "\n".join(str(value) for value in found.values())
    return unescape(_ESCAPED.sub(r"\1", text))


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def _lost(case: Case, text: str) -> str:
    had = stated(case.text, case.answer, case.aliases)
    return f"answer_lost: {had}" if had and not stated(text, case.answer, case.aliases) else ""
