"""Knows fixed ways in which filings say things: segments, officers, subsidiaries, headquarters, prices paid."""

import re
from collections.abc import Iterator

from rarefy.tasks.knowledge.extract.prose_clauses import Claim
from rarefy.tasks.knowledge.extract.prose_names import Name, Registrant
from rarefy.tasks.knowledge.extract.prose_values import period, several, value_over
from rarefy.tasks.text.names import FORM

_NUMBERS = {word: n for n, word in enumerate("two three four five six seven eight nine ten".split(), 2)}
_SEGMENTS = re.compile(
    r"\b(?:(?P<count>two|three|four|five|six|seven|eight|nine|ten) )?(?:principal |primary |main )?"
    r"(?P<kind>reportable|operating|reporting|business)"
    r"(?: business| operating| reportable)? segments?(?P<join>,? which (?:are|include|consist of)| (?:are"
    r"|were|consists? of|consisted of|is comprised of"
    r"|are comprised of|comprise)| as follows|)(?P<colon>:?)[ ,—–-]*(?P<list>[^.]+)\.?$"
)
_PERSON = r"(?:(?:Dr|Mr|Ms|Mrs)\. )?[A-Z][\w’'-]+(?: [A-Z]\.)?(?: [A-Z][\w’'-]+){1,2}(?:,? (?:Jr|Sr|II|III)\.?)?"
_CHIEF = r"(?:Chief [A-Z]\w+(?: (?:and )?[A-Z]\w+)? Officer|General Counsel|Chairman of the Board|Treasurer|Controller)"
_OFFICE = rf"(?P<office>(?:[A-Z][\w-]+(?: and| &|,)? ){{0,5}}?{_CHIEF})"
_OFFICERS = (
    re.compile(
        rf"(?P<who>{_PERSON}), (?:our|the Company[’']s|the Registrant[’']s) (?:[a-z-]+ )?{_OFFICE}(?=[,.;]| and )"
    ),
    re.compile(rf"\b[Oo]ur {_OFFICE}, (?P<who>{_PERSON})(?=[,.;])"),
)
_TITLE = re.compile(r"\b(?:President|Officer|Director|Chair|Counsel|Secretary|Treasurer|Controller|Partner)")
_ORGANISATION = rf"[A-Z][\w&.’'-]*(?: (?:[A-Z][\w&.’'-]*|of|&|de))*(?:,? {FORM})?"
_SUBSIDIARY = re.compile(
    rf"(?P<sub>{_ORGANISATION})(?: \([^)]*\))?, (?:a|our|the Company[’']s) (?:\w+ )?(?:direct |indirect )?"
    rf"(?:wholly[- ]owned |majority[- ]owned )?"
    rf"subsidiary(?: of (?P<owner>the Company|ours|{_ORGANISATION}))?(?=[,.;)])"
)
_OUR_SUBSIDIARY = re.compile(
    rf"\b(?:our|the Company[’']s) (?:direct |indirect )?(?:wholly[- ]owned |majority[- ]owned )(?:\w+"
    rf" )?subsidiary, (?P<sub>{_ORGANISATION})(?=[,.; ])"
)
_HEADQUARTERS = re.compile(
    r"\b(?:[Oo]ur|[Tt]he Company[’']s) (?:corporate |global |world |worldwide |principal |executive "
    r"|current )*(?:headquarters|executive offices)"
    r"(?: and [a-z ]+)? (?:is|are) (?:currently )?located (?:in|at) (?:[^,]*\d[^,]*, )?"
    r"(?P<place>[A-Z][\w.’-]+(?: [A-Z][\w.’-]+)*(?:, [A-Z][\w.]+(?: [A-Z][\w.]+)?)?)"
)
_ACQUIRED = re.compile(
    rf"\b(?:acquired|completed (?:the|our|its) acquisition of|purchased) (?:all (?:of )?the (?:outstanding "
    rf"|issued )?(?:shares|stock|equity) of |100% of )?(?P<what>{_ORGANISATION})"
    r"(?P<between>(?:(?!\b(?:and|which|shares|interest|stake)\b)[^.$€£]){0,60}?) for (?:a |an )?(?:total "
    r"|aggregate |net |initial )?"
    r"(?:cash )?(?:purchase price |consideration |price |cash consideration )?(?:of )?(?P<price>"
    r"(?:approximately |about )?[$€£])"
)
_ROLE = re.compile(
    r"\b(?:[Oo]ur|[Tt]he Company[’']s|[Ww]e (?:utilize|use|rely on|work with|contract with|sell to"
    r"|supply))\b(?P<between>[^.;:]{0,60}?)"
    r"(?P<role>suppliers|foundries|foundry|contract manufacturers|competitors|customers|distributors|brands)"
    r"(?:,? (?:such as|including)| include|,? which include| are) (?P<list>[A-Z][^.;:]*)"
)
_RELATIONS = {
    "competitors": "competes with",
    "foundries": "uses foundry",
    "foundry": "uses foundry",
    "contract manufacturers": "uses manufacturer",
}
_UNSURE = re.compile(r"\b(?:may|might|could|would|potential|former|other|not|no longer|some|certain|new|future|of)\b")
_TARGET = re.compile(
    r"\b(?P<verb>keep|maintain|raise|lower|increase|reduce)(?:ing)? (?:its|the) target(?: range)? for the"
    r" federal funds rate"
    r"(?: by [\w/ -]+? (?:basis|percentage) points?)?,? (?P<join>at|to|of) (?P<value>[\d/-]+(?: to [\d/-]+)? percent)"
)
_DID = {
    "keep": "kept",
    "maintain": "kept",
    "raise": "raised",
    "lower": "lowered",
    "increase": "raised",
    "reduce": "lowered",
}
_MENTION = re.compile(r"\b(?:[Ww]e|[Oo]ur|us|[Tt]he (?:Company|Registrant|Corporation))\b")


def patterns(text: str, registrant: Registrant) -> Iterator[Claim]:
    """Claims of a sentence that its wording alone gives away; of the registrant only where it is spoken of."""
    if registrant.name and _speaks_of(text, registrant):
        us = Name(registrant.name, registrant.name, "ORG")
        yield from _segments(text, us)
        for pattern in _OFFICERS:
            for match in pattern.finditer(text):
                office = re.search(_CHIEF, match["office"])
                # "our Chief Operating Officer, Executive Vice President" names nobody
                if office and not _TITLE.search(match["who"]):
                    yield Claim(_name(match["who"], "PERSON"), f"{office[0].lower()} of", us, period(text)[0])
        for match in _OUR_SUBSIDIARY.finditer(text):
            yield Claim(_name(match["sub"], "ORG"), "is subsidiary of", us)
        for match in _ROLE.finditer(text):
            if _UNSURE.search(match["between"]):
                continue
            relation = _RELATIONS.get(match["role"], f"has {match['role'].removesuffix('s')}")
            for name in _leading_names(match["list"]):
                yield Claim(us, relation, _name(name, "BRAND" if match["role"] == "brands" else "ORG"))
        for match in _HEADQUARTERS.finditer(text):
            yield Claim(us, "is headquartered in", _name(match["place"].rstrip("."), "GPE"))
        for match in _TARGET.finditer(text) if registrant.domain == "economics" else ():
            if re.search(r"\b(?:decided|voted|agreed)\b", text[: match.start()]):
                relation = f"{_DID[match['verb']]} target rate {match['join']}".replace(" of", " at")
                yield Claim(us, relation, Name(match["value"], match["value"], "PERCENT"), period(text)[0])
    for match in _SUBSIDIARY.finditer(text):
        ours = match["owner"] in (None, "the Company", "ours")
        if (ours and not registrant.name) or not _good(match["sub"]):
            continue
        owner = Name(registrant.name, match["owner"] or "", "ORG") if ours else _name(match["owner"], "ORG")
        yield Claim(
            _name(match["sub"], "ORG"),
            "is subsidiary of",
            owner,
            trouble="" if match["owner"] or "our" in match[0] else "owner_not_said",
        )
    for match in _ACQUIRED.finditer(text):
        value = value_over(text, match.start("price"), match.start("price") + 1)
        if value is not None and not several(text, "money") and _good(match["what"]):
            price = Name(value.said, value.said, value.type)
            yield Claim(_name(match["what"], "ORG"), "was acquired for", price, period(text)[0], value.fields())


def _speaks_of(text: str, registrant: Registrant) -> bool:
    folded = text.casefold()
    called = (*(form for form in registrant.short if len(form) > 3), *(f"the {kind}" for kind in registrant.kind))
    return bool(_MENTION.search(text)) or any(form in folded for form in called)


def _name(text: str, kind: str) -> Name:
    return Name(re.sub(r"^The ", "", text.strip()), text.strip(), kind)


def _good(text: str) -> bool:
    return (
        len(text) > 2
        and not text.startswith(("Int’l", "Int'l"))
        and text.split()[0].lower()
        not in (
            "the",
            "our",
            "this",
            "company",
            "we",
            "in",
            "on",
            "as",
            "a",
        )
    )


def _segments(text: str, us: Name) -> Iterator[Claim]:
    match = _SEGMENTS.search(text)
    if match is None or not (match["join"] or match["colon"] or match["count"]):
        return
    kind = "operating" if match["kind"] == "operating" else "business" if match["kind"] == "business" else "reportable"
    parts = _listed(match["list"])
    wanted = _NUMBERS.get(match["count"] or "")
    trouble = ""
    if (wanted is not None and wanted != len(parts)) or (wanted is None and not match["colon"] and not match["join"]):
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
        parts = [
            part
            for piece in text.split(", ")
            for part in ([piece.removeprefix("and ")] if piece.startswith("and ") else [piece])
        ]
        if not text.rpartition(", ")[2].startswith("and ") and " and " in parts[-1]:
            parts[-1:] = parts[-1].split(" and ", 1)
    return [re.sub(r"^(?:the|our) ", "", part.strip(' ,;.“”"')) for part in parts if part.strip(" ,;.")]


def _leading_names(text: str) -> list[str]:
    """The names with which a list begins, up to its first member that is none; none of them where that is unclear."""
    found: list[str] = []
    text = re.sub(r" ?\([^)]*\)|[“”\"®™]", "", text)
    text = re.sub(r",? or [A-Z][\w-]*(?=,)", "", text)  # "Advanced Micro Devices, or AMD,"
    text = re.sub(rf",(?= {FORM})", "\0", text)
    for part in re.split(r", (?:and )?| and ", text):
        name = part.replace("\0", ",").strip(" ,")
        if not re.fullmatch(_ORGANISATION, name) or len(name.split()) > 7 or not _good(name):
            break
        found.append(name)
    return found
