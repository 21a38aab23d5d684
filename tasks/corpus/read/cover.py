"""Find who a filing is by and what period it covers: from its `dei:` facts, else from the words of its cover page."""

import re
import unicodedata
from calendar import monthrange
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import pairwise

from rarefy.data_contracts.rows import Block, Fact
from rarefy.tasks.text import quantities
from rarefy.tasks.text.dates import MONTH, iso_date, iso_day, moments, month_number, parse_day
from rarefy.tasks.text.names import FORM, STREETS, is_legal_form
from rarefy.tasks.text.states import STATES

# Words of the cover page, and the header that the SEC puts above a submission

# Not text.dates, for covers are set without blanks: "January 28,2024"
_DATE = rf"({MONTH})\s*(\d{{1,2}})\s*,?\s*((?:19|20)\d\d)"
_PERIOD = re.compile(
    rf"(?:fiscal\s+year|year|period|52\s+weeks|53\s+weeks|quarterly\s+period)\s*ended\s*:?\s*\(?{_DATE}", re.I
)
_FORM = re.compile(r"\bform\s+((?:10-?K(?:SB|405|T)?|10-?Q|20-?F|40-?F|8-?K)(?:/A)?)\b", re.I)
_ELSEWHERE = (
    "Bermuda|Ireland|Switzerland|Netherlands|Luxembourg|Cayman Islands|Canada|Ontario|British Columbia|Jersey"
    "|England and Wales|Marshall Islands|Israel|Panama|Curacao"
)
_PLACE = "|".join(
    sorted((name.replace(" ", r"\s+") for name in (*STATES.values(), *_ELSEWHERE.split("|"))), key=len, reverse=True)
)
# Where a street ends and a city begins: at a comma or a line's end, else behind such a word, or the number of a suite
_OTHER_WAYS = "dr ln ct center centre hwy freeway mall trail turnpike building tower campus".split()
_WAYS = "|".join(sorted((*STREETS, *_OTHER_WAYS)))
_NUMBERED = r"(?:Suite|Ste\.?|Box|Floor|Unit|Room|Route)"
_STREET = r"((?:[^|]{0,80}?\d|(?:One|Two|Three|Four|Five|Six|Seven|Eight|Nine|Ten)\s)[^|]{0,80}?"
_TOWN = rf"([A-Z][A-Za-z.' -]{{1,30}}?)\s*,\s*({_PLACE}|{'|'.join(STATES)})\b[\s,|]*(\d{{5}}(?:-\d{{4}})?)?"
_ADDRESSES = (
    re.compile(rf"{_STREET}[^|\s,])\s*,\s*{_TOWN}", re.I),
    re.compile(rf"{_STREET}\b(?:(?:{_WAYS})\b\.?|{_NUMBERED}\s*#?\d+))\s+{_TOWN}", re.I),
)
# ... but not certainly behind these: "410 Terry Avenue North Seattle", "1095 Avenue of the Americas New York"
_STREET_GOES_ON = re.compile(r"(?:north|south|east|west|[nsew]|[ns][ew]|of|the|building|floor|suite)\b", re.I)
_INCORPORATED = re.compile(
    rf"\b({_PLACE}|(?-i:{'|'.join(STATES)})(?=\s+\d\d-\d{{7}}))\b[^\n]{{0,60}}?[\s#|]*\(?\s*"
    r"(?:(?:state|place|province)\s+(?:or\s+(?:other\s+)?(?:jurisdiction|country)\b|(?:of\s+)?(?:incorporation|organization))"
    r"|jurisdiction)"
    rf"|\b(?:(?:incorporated|organized)\s+in|state\s+of\s+(?:incorporation|organization):)\s+({_PLACE})\b",
    re.I,
)
_EXCHANGE = re.compile(
    r"(?:The\s+)?(?:New York Stock Exchange(?:, Inc\.?)?|NYSE(?: American| Arca| MKT)?|American Stock Exchange|"
    r"N(?:asdaq|ASDAQ)(?:\s+(?:Stock Market|(?:Global |Capital |National )?(?:Select )?Market))?(?: LLC)?|"
    r"(?:NYSE )?Chicago Stock Exchange)"
)
_FIRM = re.compile(
    r"(?:/s/\s*)?((?:Deloitte (?:&|and) Touche|PricewaterhouseCoopers|Ernst (?:&|and) Young|KPMG|Grant Thornton|"
    r"BDO(?: USA| Seidman)?|RSM(?: US)?|Crowe(?: Horwath| Chizek)?|McGladrey(?: & Pullen)?|Arthur Andersen|"
    r"Coopers & Lybrand|Price Waterhouse|[A-Z][\w&.,' ]{3,50}?)(?:,? (?:LLP|L\.L\.P\.|P\.?C\.?|PLLC|LLC)\b\.?))",
    re.I,
)


_REPORT = re.compile(
    r"report\s+of\s+(?:the\s+)?independent\s+(?:registered\s+)?(?:certified\s+)?(?:public\s+account|auditors)", re.I
)


def parse_cover_date(words: str) -> str:
    """ "January 28, 2024" as 2024-01-28, an ISO date as itself, "" for what is no date."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d", words.strip()):
        return parse_day(words)
    found = re.search(_DATE, words, re.I)
    if not found:
        return ""
    return iso_date(int(found[3]), month_number(found[1]), int(found[2]))


def period_start(end: str) -> str:
    """The first day of the year that ends on the last day of a month; "" where 52 or 53 weeks may be meant."""
    if not end:
        return ""
    last = date.fromisoformat(end)
    if last.day != monthrange(last.year, last.month)[1]:
        return ""
    return (last + timedelta(days=1)).replace(year=last.year - (last.month != 12)).isoformat()


def format_phone(area: str, number: str) -> str:
    """ "(408) 486-2000"."""
    area = re.sub(r"\D", "", area)
    return f"({area}) {number}" if area and number else number


def read_sec_header(head: str) -> dict[str, str]:
    """What EDGAR's header above a full submission says; {} where there is none."""
    found: dict[str, str] = {}
    fields = {
        "registrant": r"COMPANY CONFORMED NAME:\s*(.+)",
        "cik": r"CENTRAL INDEX KEY:\s*(\d+)",
        "sic": r"STANDARD INDUSTRIAL CLASSIFICATION:\s*(.+)",
        "ein": r"IRS NUMBER:\s*(\S+)",
        "fiscal_year_end": r"FISCAL YEAR END:\s*(\d{4})",
        "form": r"(?:CONFORMED SUBMISSION TYPE:|<TYPE>)\s*(\S+)",
        "period": r"CONFORMED PERIOD OF REPORT:\s*(\d{8})",
        "filed": r"FILED AS OF DATE:\s*(\d{8})",
        "phone": r"BUSINESS PHONE:\s*(.+)",
    }
    for key, pattern in fields.items():
        if match := re.search(pattern, head):
            value = match.group(1).strip()
            dated = key in ("period", "filed")
            found[key] = parse_day(value) if dated else value
    if code := re.search(r"\[(\d{4})\]", found.get("sic", "")):
        found["sic"] = code.group(1)
    return found


def read_cover_page(cover: str, blocks: Sequence[Block]) -> dict[str, str]:
    """What the words of the cover page say: form, registrant, period, state, address, exchange, numbers."""
    found: dict[str, str] = {}
    lines = [re.sub(r"^#+\s*", "", cover[block.start : block.end]) for block in blocks if block.kind != "table"]
    if not lines:
        lines = [line.strip("# ").strip() for line in cover.split("\n") if line.strip()]
    if form := _FORM.search(cover[:6000]):
        found["form"] = re.sub(r"^(10|20|40|8)-?", r"\1-", form.group(1).upper())
    if name := _registrant(lines):
        found["registrant"] = name
    if period := _PERIOD.search(cover[:6000]):
        found["period"] = parse_cover_date(" ".join(period.groups()))
    if number := re.search(r"Commission\s+file\s+(?:number|no\.?)\s*:?\s*(\d{1,3}-\d{3,6}(?:-\d+)?)", cover, re.I):
        found["file_number"] = number.group(1)
    if ein := re.search(r"(?<!\d)(\d{2}-\d{7})(?!\d)", cover[:6000]):
        found["ein"] = ein.group(1)
    if state := _INCORPORATED.search(cover[:8000]):
        place = " ".join((state.group(1) or state.group(2)).split())
        found["state_of_incorporation"] = STATES.get(place) or (place.title() if place.isupper() else place)
    found |= _address(cover)
    if number := re.search(r"\((\d{3})\)\s*(\d{3}[-\s]\d{4})", cover):
        found["phone"] = f"({number.group(1)}) {number.group(2)}"
    listed = re.search(r"12\(b\)", cover)
    if listed and (exchange := _EXCHANGE.search(cover, listed.end(), listed.end() + 3000)):
        found["exchange"] = re.sub(r",? Inc\.?$", "", " ".join(exchange.group().split()))
    if value := re.search(r"aggregate\s+market\s+value.{0,600}?\$\s*([\d,.]+)(\s+[mbt]illion)?", cover, re.I | re.S):
        found["public_float"] = _cover_number(value.group(1), value.group(2) or "")
    if count := re.search(
        r"(?<![\d$,.])(\d{1,3}(?:,\d{3}){1,4})\s+(?:shares|outstanding)|(?:outstanding|shares).{0,160}?(?<![\d$,.])(\d{1,3}(?:,\d{3}){2,4})(?![\d.])",
        cover[value.end() if value else 0 :],
        re.I | re.S,
    ):
        found["shares_outstanding"] = _cover_number(count.group(1) or count.group(2), "")
    return {key: value for key, value in found.items() if value}


def find_auditor(text: str) -> tuple[str, str]:
    """The firm that signs the report on the financial statements and where it signs; ("", "") where none is found."""
    for report in _REPORT.finditer(text):
        signed = re.search(r"/s/\s*", text[report.end() : report.end() + 30_000])
        if not signed:
            continue
        at = report.end() + signed.start()
        if firm := _FIRM.search(text, at, at + 120):
            after = re.sub(r"[#*\s|]+", " ", text[firm.end() : firm.end() + 200])
            place = re.match(rf"[ ,.]*([A-Z][A-Za-z. ]+?,\s+(?:{_PLACE}|[A-Z][a-z]+(?: [A-Z][a-z]+)?))", after)
            name = " ".join(firm.group(1).split()).strip(" ,")
            if name.isupper():  # as it is written elsewhere, where it is
                written = [found.group() for found in re.finditer(re.escape(name), text, re.I)]
                mixed = (form for form in written if not form.isupper())
                name = next(mixed, name.title().replace("Llp", "LLP").replace("Kpmg", "KPMG").replace("Bdo", "BDO"))
            return name, place.group(1) if place else ""
    return "", ""


# An address, a state, a telephone or employer's number, a caption of one of them
_NO_NAME = re.compile(
    r"\b\d{5}(?:-\d{4})?\s*$|^\d+\s+\w|\(\d{3}\)|\b\d{2}-\d{7}\b|^\("
    r"|\b(?:address|zip code|jurisdiction|telephone|incorporation|employer)\b"
    rf"|^(?:{_PLACE})$",
    re.I,
)


def _registrant(lines: list[str]) -> str:
    """The line above "(Exact name of registrant…)", else the first name below the commission's file number."""
    for number, line in enumerate(lines[:60]):
        if match := re.search(r"\(?\s*exact\s+name\s+of\s+(?:the\s+)?(?:registrant|company|issuer)", line, re.I):
            # a page printed in columns may put the address between the name and its caption
            above = [line[: match.start()].strip(" _-–—"), *reversed(lines[max(0, number - 4) : number])]
            for name in above:
                if re.search(r"commission|form 10|file", name, re.I):
                    break
                if re.search(r"[A-Za-z]{2}", name) and not _NO_NAME.search(name):
                    return " ".join(name.split())
    for number, line in enumerate(lines[:60]):
        if re.search(r"commission\s+file", line, re.I):
            for after in lines[number + 1 : number + 5]:
                named = (
                    len(after) < 90
                    and not re.search(r"\d{3}|[(:]|\bfiscal|exact", after)
                    and not _NO_NAME.search(after)
                )
                if named and re.search(r"[A-Za-z]{2}", after):
                    return " ".join(after.split())
    # not every legal form: "Denver, CO" and "Reno, NV" are places
    firm = r"\b(?:company|companies|corporation|corp|incorporated|inc|limited|ltd|llc|l\.?p|plc|trust|group)\b\.?$"
    for line in lines[:25]:  # "Acme Corporation – Annual Report on Form 10-K", as a part of a filing is headed
        headed = re.fullmatch(
            r"(.{2,80}?)(?:\s[-–—|]\s|,|[’']s)\s*(?:\d{4} )?(?:annual report|form 10-?k)\b.*", line, re.I
        )
        if headed and re.search(firm, headed[1], re.I):
            return headed[1].strip()
    return next((x for x in lines[:25] if len(x) < 80 and re.search(firm, x, re.I) and not _NO_COMPANY.search(x)), "")


_AND_SUBSIDIARIES = re.compile(
    rf"\b((?:[A-Z0-9][\w&.’'-]*,? ){{1,6}}?{FORM})(?:,? \([^()]{{1,40}}\))?"
    r",? and (?:its |their )?(?:\w+[ -]){0,2}subsidiaries\b"
)


def name_with_subsidiaries(text: str) -> str:
    """Who a filing names most often with subsidiaries, "" for nobody: some covers show a picture of the name."""
    named = Counter(" ".join(found[1].split()) for found in _AND_SUBSIDIARIES.finditer(text))
    return min(named, key=lambda name: (-named[name], name)) if named else ""


# A heading about a company, or an item of a list
_NO_COMPANY = re.compile(
    r"^\W*\(?(?:[ivx]+|[a-z]|\d+)[).]|^(?:note|item|part)\b|\b(?:acquisitions?|mergers?|sales?|disposition|divestiture|purchase"
    r"|investments?|agreement|settlement|offering|combination|litigation|v\.?|vs\.?) (?:of|by|in|with|against)\b",
    re.I,
)


def _address(cover: str) -> dict[str, str]:
    """Street, city, state and ZIP code of the principal executive offices."""
    mark = re.search(r"\(?\s*address(?:es)?[^\n()]{0,20}\bof\b[^\n()]{0,30}(?:executive\s+)?offices?", cover, re.I)
    lines = [line.strip("# |") for line in cover[: mark.start() if mark else 6000].split("\n")]
    near = [line for line in lines if line and len(line) < 250]
    # above the caption the lines are parts of one address; without a caption, one of the lines is the address
    tries = [" , ".join(near[-count:]) for count in (1, 2, 3, 4)] if mark else near
    for words in tries:
        found = next(filter(None, (pattern.search(words) for pattern in _ADDRESSES)), None)
        if found and (mark or found[4]) and found[4] != "20549":  # the Commission's own
            street, city, state, code = (" ".join((part or "").split()).strip(" ,#") for part in found.groups())
            if found.re is _ADDRESSES[1] and _STREET_GOES_ON.match(city):
                return {"state": state, "zip": code}
            street = re.split(r"\)\s*,?\s*|(?:No|Number)\.?\s*,|\boffices?:", street, flags=re.I)[-1].strip(" ,#")
            named = {"address": street} if re.search(r"[^\W\d_]{2}", street) else {}  # no ZIP code of a column beside
            return {**named, "city": city, "state": state, "zip": code}
    return {}


def _cover_number(digits: str, scale: str) -> str:
    quantity = quantities.number(digits.rstrip(".,") + scale)
    return str(int(quantity.value)) if quantity else ""


# Spelling of the registrant

# How forms in capitals are printed, where the text does not say
PRINTED = {
    "INC": "Inc.", "LTD": "Ltd.", "LP": "L.P.", "LLC": "LLC", "PLC": "plc", "NV": "N.V.", "SA": "S.A.", "AG": "AG",
}  # fmt: skip
STATE_SUFFIX = re.compile(r"\s*/[A-Z]{0,4}/?\s*$|\s*\\[A-Z]{2}\\?\s*$")  # "/DE/", "/NEW/", "CO/"
LITTLE = {"OF", "AND", "THE", "FOR", "IN", "DE"}
ARTICLE = 0.4  # of the mentions with a capital "The": it is the name's own, not that of "the Acme Inc. plan"
SEARCHED = 400_000  # characters: a registrant names itself in its first items


def preferred_name(conformed: str, text: str) -> str:
    """The spelling of "WALT DISNEY CO/" that the text uses most in full, else the conformed name in title case."""
    name = STATE_SUFFIX.sub("", conformed.strip()).strip(" ,/")
    tokens = [token.strip(".,") for token in name.split() if token.strip(".,&") or token == "&"]
    if not tokens:
        return ""
    core = list(tokens)
    while len(core) > 1 and is_legal_form(core[-1]):
        core.pop()
    words = r"[\s,.]+".join("(?:&|and)" if t.upper() in ("&", "AND") else _pattern_of(_plain(t)) for t in core)
    pattern = re.compile(rf"(?<!\w)(?i:{words})(?!\w)(?:,?\s(?:{FORM}|Trust|Holdings|Group)(?!\w))+")
    plain, full, articles = _plain(text[:SEARCHED]), Counter[str](), Counter[str]()
    for match in pattern.finditer(plain):
        spelled = " ".join(text[match.start() : match.end()].split())
        if not _is_shouted(spelled):
            full[spelled] += 1
            articles[spelled] += plain[max(match.start() - 5, 0) : match.start()].split()[-1:] == ["The"]
    if full:
        best = max(full, key=lambda name: (full[name], name))
        return f"The {best}" if articles[best] >= ARTICLE * full[best] else best
    return _title_case(tokens) if name.isupper() else name


def _pattern_of(word: str) -> str:
    """A word with the apostrophe that EDGAR's index leaves out, of either form: "LOWES" for "Lowe's"."""
    bare = re.sub(r"['’](?=s$)", "", word, flags=re.I)
    return f"{re.escape(bare[:-1])}['’]?{bare[-1]}" if re.search(r"\w{3}s$", bare, re.I) else re.escape(word)


def _is_shouted(name: str) -> bool:
    """Whether a name is in capitals, as covers print it: "McDONALD'S CORPORATION"."""
    return re.sub(r"\b(?:Mc|Mac)(?=[A-Z])", "", name).isupper()


def _plain(text: str) -> str:
    """The text without accents, letter for letter, so that places stay the same."""
    if text.isascii():
        return text
    return "".join(unicodedata.normalize("NFD", character)[0] for character in text)


def _title_case(tokens: list[str]) -> str:
    words = []
    for number, token in enumerate(tokens):
        if number and number == len(tokens) - 1 and token in PRINTED:
            words.append(PRINTED[token])
        elif token in LITTLE and number:
            words.append(token.lower())
        else:
            words.append(token.capitalize())
    return " ".join(words)


# Day of signature

SPAN = 2_500  # characters after the heading: the registrant signs first
LATE = timedelta(days=500)  # after the period's end; who files later has signed something else
_HEADING = re.compile(r"^\W*signatures?\W*$", re.I | re.M)


def signing_day(text: str, period_end: str) -> str:
    """The first day under the last heading "Signatures", as an ISO date; "" where there is none that fits the period.

    A report is filed on the day it is signed or shortly after.
    """
    headings = [found.end() for found in _HEADING.finditer(text)]
    if not headings or not (over := parse_day(period_end)):
        return ""
    end = date.fromisoformat(over)
    for moment in moments(text[headings[-1] : headings[-1] + SPAN]):
        if (found := iso_day(moment)) and end < date.fromisoformat(found) <= end + LATE:
            return found
    return ""


COVER = 12_000  # characters: the cover page, its table of securities included
_TAGS_BY_FIELD = {
    "cik": "EntityCentralIndexKey",
    "ein": "EntityTaxIdentificationNumber",
    "file_number": "EntityFileNumber",
    "state_of_incorporation": "EntityIncorporationStateCountryCode",
    "fiscal_year_end": "CurrentFiscalYearEndDate",
    "address": "EntityAddressAddressLine1",
    "city": "EntityAddressCityOrTown",
    "state": "EntityAddressStateOrProvince",
    "zip": "EntityAddressPostalZipCode",
    "country": "EntityAddressCountry",
    "auditor": "AuditorName",
    "auditor_location": "AuditorLocation",
    "auditor_id": "AuditorFirmId",
    "filer_category": "EntityFilerCategory",
}
_COMMON = re.compile(r"\b(?:common|ordinary|class [a-c]|shares|stock)\b", re.I)


@dataclass(slots=True)
class FilingDescription:
    """Identity, entity, form, period and metadata of a filing."""

    name: str = ""  # "0000320193:10-K:2024-09-28"
    title: str = ""
    entity: str = ""
    form: str = ""
    fiscal_year: int = 0
    period_start: str = ""
    period_end: str = ""
    as_of: str = ""
    metadata: dict[str, str] = field(default_factory=dict)


_OF_A_PERIOD = re.compile(r"(?:10-?K|10-?Q|20-?F|40-?F|11-?K|N-CSR|ARS)", re.I)


def describe_filing(text: str, blocks: Sequence[Block], facts: Sequence[Fact], head: str) -> FilingDescription:
    """The entity, form, period and metadata of a filing; `head` is where the SEC's header may stand."""
    dei = {fact.concept[4:]: fact for fact in reversed(facts) if fact.concept.startswith("dei:") and fact.value}
    words = read_cover_page(text[:COVER], [block for block in blocks if block.end <= COVER])
    header = read_sec_header(head)

    def tagged(name: str) -> str:
        return dei[name].value if name in dei else ""

    about = FilingDescription()
    about.form = tagged("DocumentType") or header.get("form", "") or words.get("form", "")
    if not about.form:
        return about
    tag = dei.get("EntityRegistrantName")
    named = _registrant_shown(text, tag) or words.get("registrant", "") or header.get("registrant", "")
    named = named or name_with_subsidiaries(text)  # last, since it reads the whole text
    about.entity = preferred_name(_hyphenated(named, text), text) if _is_shouted(named) else named
    _set_dates(about, dei, words, header, text)
    about.as_of = header.get("filed", "") or signing_day(text, about.period_end)
    metadata = {key: tagged(name).strip(" ,;") for key, name in _TAGS_BY_FIELD.items()} | _securities(facts)
    metadata["phone"] = format_phone(tagged("CityAreaCode"), tagged("LocalPhoneNumber"))
    metadata["public_float"] = tagged("EntityPublicFloat")
    metadata["shares_outstanding"] = _outstanding(facts)
    if not metadata["auditor"]:
        metadata["auditor"], metadata["auditor_location"] = find_auditor(text)
    for found in (words, header):
        for key in ("address", "city", "state"):
            if found.get(key, "").isupper() and len(found[key]) > 2:
                found[key] = found[key].title()
    for found in (words, header):
        for key, value in found.items():
            if key not in ("form", "registrant", "period", "filed") and not metadata.get(key):
                metadata[key] = value
    about.metadata = {key: value for key, value in metadata.items() if value}
    if about.period_end and (cik := metadata["cik"]):
        about.name = f"{cik.zfill(10)}:{about.form}:{about.period_end}"
    if about.entity:
        period = f"fiscal year {about.fiscal_year}" if about.fiscal_year else about.period_end
        period = period if _OF_A_PERIOD.match(about.form) else ""  # a press release is of a day, whatever years it has
        about.title = f"{about.entity}, Form {about.form}" + (f" for {period}" if period else "")
    return about


def _hyphenated(name: str, text: str) -> str:
    """The name with the hyphens that the text has in it and EDGAR's index leaves out: "COCA COLA CO"."""
    words = name.split()
    for first, second in pairwise(words[:-1]):
        pair = Counter(re.findall(rf"\b{re.escape(first)}([- ]){re.escape(second)}\b", text[:400_000], re.I))
        if pair["-"] > pair[" "]:
            name = name.replace(f"{first} {second}", f"{first}-{second}")
    return name


def _registrant_shown(text: str, fact: Fact | None) -> str:
    """The registrant's name as the cover writes it, of which the tag may cover only a part."""
    if fact is None:
        return ""
    if not fact.end:
        return fact.value
    end = fact.end
    while end < len(text) and (text[end].isalnum() or text[end] in "&.'’"):
        end += 1  # "NVIDIA CORP" is tagged in "NVIDIA CORPORATION"
    return text[fact.start : end].strip(" ,")


def _set_dates(
    about: FilingDescription, dei: dict[str, Fact], words: dict[str, str], header: dict[str, str], text: str
) -> None:
    fact = dei.get("DocumentPeriodEndDate") or dei.get("DocumentType")
    if fact and fact.period_end:
        about.period_start, about.period_end = fact.period_start, fact.period_end
    else:
        about.period_end = words.get("period") or header.get("period", "")
        about.period_start = period_start(about.period_end)
    if (end := dei.get("DocumentPeriodEndDate")) and parse_cover_date(end.value):
        about.period_end = parse_cover_date(end.value)
    focus = dei["DocumentFiscalYearFocus"].value if "DocumentFiscalYearFocus" in dei else ""
    if re.fullmatch(r"(?:19|20)\d\d", focus):
        about.fiscal_year = int(focus)
    elif about.period_end:
        about.fiscal_year = fiscal_year(about.period_end, text)


def fiscal_year(period_end: str, text: str) -> int:
    """The year that a fiscal year ending on this day is called, 0 where there is no date.

    Years that end in the first quarter are called either way; the text says which ("fiscal 2012").
    """
    if not re.match(r"\d{4}-\d{2}-\d{2}", period_end):
        return 0
    year, month, day = (int(part) for part in period_end[:10].split("-"))
    if month > 3:
        return year
    spoken = Counter(re.findall(r"\bfiscal(?:\s+years?)?\s+((?:19|20)\d\d)\b", text, re.I))
    this, last = spoken[str(year)], spoken[str(year - 1)]
    if this != last:
        return year if this > last else year - 1
    return year - 1 if (month, day) <= (1, 10) else year  # a 52- or 53-week year that ends nearest to December 31


def _securities(facts: Sequence[Fact]) -> dict[str, str]:
    """Title, exchange and ticker of the registrant's common stock, else of the first security listed."""
    listed: dict[tuple[str, ...], dict[str, str]] = {}
    for fact in facts:
        if key := {"Security12bTitle": "security", "SecurityExchangeName": "exchange", "TradingSymbol": "ticker"}.get(
            fact.concept.removeprefix("dei:")
        ):
            listed.setdefault(fact.dimensions, {}).setdefault(key, fact.value)
    common = [found for found in listed.values() if _COMMON.search(found.get("security", ""))]
    return next(iter(common or listed.values()), {})


def _outstanding(facts: Sequence[Fact]) -> str:
    """The number of shares outstanding, all classes together."""
    counts = [fact for fact in facts if fact.concept == "dei:EntityCommonStockSharesOutstanding"]
    whole = [fact.value for fact in counts if not fact.dimensions]
    classes = {fact.dimensions: fact.value for fact in counts if re.fullmatch(r"\d+", fact.value)}
    return whole[0] if whole else str(sum(map(int, classes.values()))) if classes else ""
