"""Knows fixed ways in which filings say things: segments, officers, subsidiaries, headquarters, prices paid."""

import re
from collections.abc import Iterator

from rarefy.tasks.extract.prose_clauses import Claim
from rarefy.tasks.extract.prose_names import Name, Registrant
from rarefy.tasks.extract.prose_values import MONEY, period, value_over

_NUMBERS = {word: n for n, word in enumerate("two three four five six seven eight nine ten".split(), 2)}  # noqa: SIM905
_SEGMENTS = re.compile(
    r"\b(?:(?P<count>two|three|four|five|six|seven|eight|nine|ten) )?(?:principal |primary |main )?(?P<kind>reportable|operating|reporting|business)"
    r"(?: business| operating| reportable)? segments?(?P<join>,? which (?:are|include|consist of)| (?:are|were|consists? of|consisted of|is comprised of"
    r"|are comprised of|comprise)| as follows|)(?P<colon>:?)[ ,—–-]*(?P<list>[^.]+)\.?$"
)
_PERSON = r"(?:(?:Dr|Mr|Ms|Mrs)\. )?[A-Z][\w’'-]+(?: [A-Z]\.)?(?: [A-Z][\w’'-]+){1,2}(?:,? (?:Jr|Sr|II|III)\.?)?"
_OFFICE = (
    r"(?P<office>(?:[A-Z][\w-]+(?: and| &|,)? ){0,5}?(?:Chief [A-Z]\w+(?: (?:and )?[A-Z]\w+)? Officer|General Counsel|Chairman of the Board|Treasurer|Controller))"
)
_OFFICERS = (
    re.compile(rf"(?P<who>{_PERSON}), (?:our|the Company[’']s|the Registrant[’']s) (?:[a-z-]+ )?{_OFFICE}(?=[,.;]| and )"),
    re.compile(rf"\b[Oo]ur {_OFFICE}, (?P<who>{_PERSON})(?=[,.;])"),
)
_CHIEF = re.compile(r"Chief [A-Z]\w+(?: (?:and )?[A-Z]\w+)? Officer|General Counsel|Chairman|Treasurer|Controller")
_ORGANISATION = r"[A-Z][\w&.’'-]*(?: (?:[A-Z][\w&.’'-]*|of|&|de))*(?:,? (?:Inc|LLC|Ltd|L\.P|Corp|N\.V|S\.A|GmbH|plc|Co)\b\.?)?"
_SUBSIDIARY = re.compile(
    rf"(?P<sub>{_ORGANISATION})(?: \([^)]*\))?, (?:a|our|the Company[’']s) (?:\w+ )?(?:direct |indirect )?(?:wholly[- ]owned |majority[- ]owned )?"
    rf"subsidiary(?: of (?P<owner>the Company|ours|{_ORGANISATION}))?(?=[,.;)])"
)
_OUR_SUBSIDIARY = re.compile(
    rf"\b(?:our|the Company[’']s) (?:direct |indirect )?(?:wholly[- ]owned |majority[- ]owned )(?:\w+ )?subsidiary, (?P<sub>{_ORGANISATION})(?=[,.; ])"
)
_HEADQUARTERS = re.compile(
    r"\b(?:[Oo]ur|[Tt]he Company[’']s) (?:corporate |global |world |worldwide |principal |executive |current )*(?:headquarters|executive offices)"
    r"(?: and [a-z ]+)? (?:is|are) (?:currently )?located (?:in|at) (?:[^,]*\d[^,]*, )?(?P<place>[A-Z][\w.’-]+(?: [A-Z][\w.’-]+)*(?:, [A-Z][\w.]+(?: [A-Z][\w.]+)?)?)"
)
_ACQUIRED = re.compile(
    rf"\b(?:acquired|completed (?:the|our|its) acquisition of|purchased) (?:all (?:of )?the (?:outstanding |issued )?(?:shares|stock|equity) of |100% of )?(?P<what>{_ORGANISATION})"
    r"(?P<between>(?:(?!\b(?:and|which|shares|interest|stake)\b)[^.$€£]){0,60}?) for (?:a |an )?(?:total |aggregate |net |initial )?"
    r"(?:cash )?(?:purchase price |consideration |price |cash consideration )?(?:of )?(?P<price>(?:approximately |about )?[$€£])"
)
_TARGET = re.compile(
    r"\b(?P<verb>keep|maintain|raise|lower|increase|reduce)(?:ing)? (?:its|the) target(?: range)? for the federal funds rate"
    r"(?: by [\w/ -]+? (?:basis|percentage) points?)?,? (?P<join>at|to|of) (?P<value>[\d/-]+(?: to [\d/-]+)? percent)"
)
_DID = {"keep": "kept", "maintain": "kept", "raise": "raised", "lower": "lowered", "increase": "raised", "reduce": "lowered"}
_MENTION = re.compile(r"\b(?:[Ww]e|[Oo]ur|us|[Tt]he (?:Company|Registrant|Corporation))\b")


def patterns(text: str, registrant: Registrant) -> Iterator[Claim]:
    """Claims of a sentence that its wording alone gives away; of the registrant only where it is spoken of."""
    if registrant.name and _speaks_of(text, registrant):
        us = Name(registrant.name, registrant.name, "ORG")
        yield from _segments(text, us)
        for pattern in _OFFICERS:
            for match in pattern.finditer(text):
                office = _CHIEF.search(match["office"])
                if office:
                    yield Claim(_name(match["who"], "PERSON"), f"{office[0].lower()} of", us, period(text)[0])
        for match in _OUR_SUBSIDIARY.finditer(text):
            yield Claim(_name(match["sub"], "ORG"), "is subsidiary of", us)
        match = _HEADQUARTERS.search(text)
        if match:
            yield Claim(us, "is headquartered in", _name(match["place"].rstrip("."), "GPE"))
    match = _TARGET.search(text)
    if match and registrant.domain == "economics" and re.search(r"\b(?:decided|voted|agreed)\b", text[: match.start()]):
        value = value_over(text, match.start("value"), match.end("value"))
        rate = Name(match["value"], match["value"], "PERCENT")
        relation = f"{_DID[match['verb']]} target rate {match['join']}".replace(" of", " at")
        if value is not None and registrant.name:
            yield Claim(Name(registrant.name, registrant.name, "ORG"), relation, rate, period(text)[0])
    for match in _SUBSIDIARY.finditer(text):
        ours = match["owner"] in (None, "the Company", "ours")
        if ours and not registrant.name or not _good(match["sub"]):
            continue
        owner = Name(registrant.name, match["owner"] or "", "ORG") if ours else _name(match["owner"], "ORG")
        yield Claim(_name(match["sub"], "ORG"), "is subsidiary of", owner, trouble="" if match["owner"] or "our" in match[0] else "owner_not_said")
    match = _ACQUIRED.search(text)
    if match and len(MONEY.findall(text)) == 1 and _good(match["what"]):
        value = value_over(text, match.start("price"), match.start("price") + 1)
        if value is not None:
            price = Name(value.said, value.said, value.type)
            yield Claim(_name(match["what"], "ORG"), "was acquired for", price, period(text)[0], value.fields())


def _speaks_of(text: str, registrant: Registrant) -> bool:
    folded = text.casefold()
    return bool(_MENTION.search(text)) or any(len(form) > 3 and form in folded for form in registrant.short)


def _name(text: str, kind: str) -> Name:
    return Name(re.sub(r"^The ", "", text.strip()), text.strip(), kind)


def _good(text: str) -> bool:
    return len(text) > 2 and text.split()[0].lower() not in ("the", "our", "this", "company", "we", "in", "on", "as", "a")


def _segments(text: str, us: Name) -> Iterator[Claim]:
    match = _SEGMENTS.search(text)
    if match is None or not (match["join"] or match["colon"] or match["count"]):
        return
    kind = "operating" if match["kind"] == "operating" else "business" if match["kind"] == "business" else "reportable"
    parts = _listed(match["list"])
    wanted = _NUMBERS.get(match["count"] or "")
    trouble = ""
    if wanted is not None and wanted != len(parts):
        trouble = "list_of_other_length"
    elif wanted is None and not match["colon"] and not match["join"]:
        trouble = "list_of_other_length"
    if any(not re.fullmatch(r"[A-Z][^:;()|]{1,60}", part) or len(part.split()) > 8 for part in parts) or len(parts) < 2:
        trouble = "not_a_list_of_names"
    for part in parts:
        yield Claim(us, f"has {kind} segment", Name(part, part, "SEGMENT", trouble), trouble=trouble)


def _listed(text: str) -> list[str]:
    """The members of a list: by semicolons or numbers where it has them, else by commas and its last "and"."""
    text = re.sub(r"^(?:the following|as follows)[:,]? ?", "", text.strip())
    if re.search(r"\((?:\d|[ivx]+|[a-e])\) ", text):
        parts = re.split(r"[,;]? ?(?:and )?\((?:\d|[ivx]+|[a-e])\) ", text)
    elif ";" in text:
        parts = re.split(r"; ?(?:and )?", text)
    else:
        parts = [part for piece in text.split(", ") for part in ([piece.removeprefix("and ")] if piece.startswith("and ") else [piece])]
        if not text.rpartition(", ")[2].startswith("and ") and " and " in parts[-1]:
            parts[-1:] = parts[-1].split(" and ", 1)
    return [re.sub(r"^(?:the|our) ", "", part.strip(" ,;.“”\"")) for part in parts if part.strip(" ,;.")]
