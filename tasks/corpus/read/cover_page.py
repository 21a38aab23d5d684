"""What the words of a cover page say, for filings whose cover is not tagged; and the SEC's own header above one."""

import re
from calendar import monthrange
from collections.abc import Sequence
from datetime import date, timedelta

from rarefy.data_contracts.rows import Block
from rarefy.tasks.corpus.read.dates import day, made
from rarefy.tasks.text import quantities
from rarefy.tasks.text.dates import MONTH, month_number

# Not text.dates, for covers are set without blanks: "January 28,2024"
_DATE = rf"({MONTH})\s*(\d{{1,2}})\s*,?\s*((?:19|20)\d\d)"
_PERIOD = re.compile(
    rf"(?:fiscal\s+year|year|period|52\s+weeks|53\s+weeks|quarterly\s+period)\s*ended\s*:?\s*\(?{_DATE}", re.I
)
_FORM = re.compile(r"\bform\s+((?:10-?K(?:SB|405|T)?|10-?Q|20-?F|40-?F|8-?K)(?:/A)?)\b", re.I)
_STATES = (
    "Alabama Alaska Arizona Arkansas California Colorado Connecticut Delaware Florida Georgia Hawaii "
    "Idaho Illinois Indiana Iowa Kansas Kentucky Louisiana Maine Maryland Massachusetts Michigan "
    "Minnesota Mississippi Missouri Montana Nebraska Nevada New_Hampshire New_Jersey New_Mexico New_York "
    "North_Carolina North_Dakota Ohio Oklahoma Oregon Pennsylvania Rhode_Island South_Carolina "
    "South_Dakota Tennessee Texas Utah Vermont Virginia Washington West_Virginia Wisconsin Wyoming "
    "District_of_Columbia Puerto_Rico Bermuda Ireland Switzerland Netherlands Luxembourg Cayman_Islands "
    "Canada Ontario British_Columbia Jersey England_and_Wales Marshall_Islands Israel Panama Curacao"
).replace("_", r"\s+")
_PLACE = "|".join(sorted(_STATES.split(), key=len, reverse=True))
_ABBREVIATED = (
    "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA "
    "RI SC SD TN TX UT VT VA WA WV WI WY DC PR"
)
_ADDRESS = re.compile(
    rf"((?:[^|]{{0,80}}?\d|(?:One|Two|Three|Four|Five|Six|Seven|Eight|Nine|Ten)\s)[^|]{{1,80}}?)[,\s]\s*"
    rf"([A-Z][A-Za-z.' -]{{1,30}}?)\s*,\s*({_PLACE}|{'|'.join(_ABBREVIATED.split())})\b[\s,|]*(\d{{5}}(?:-\d{{4}})?)?",
    re.I,
)
_INCORPORATED = re.compile(
    rf"\b({_PLACE})\b[^\n]{{0,60}}?\s*\(?\s*(?:(?:state|place|province)\s+(?:or\s+(?:other\s+)?(?:jurisdiction|country)\s+)?"
    rf"(?:of\s+)?(?:incorporation|organization)|jurisdiction)|\b(?:incorporated|organized)\s+in\s+({_PLACE})\b",
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


def iso(words: str) -> str:
    """ "January 28, 2024" as 2024-01-28, an ISO date as itself, "" for what is no date."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d", words.strip()):
        return day(words)
    found = re.search(_DATE, words, re.I)
    if not found:
        return ""
    return made(int(found[3]), month_number(found[1]), int(found[2]))


def year_before(end: str) -> str:
    """The first day of the year that ends on the last day of a month; "" where 52 or 53 weeks may be meant."""
    if not end:
        return ""
    last = date.fromisoformat(end)
    if last.day != monthrange(last.year, last.month)[1]:
        return ""
    return (last + timedelta(days=1)).replace(year=last.year - (last.month != 12)).isoformat()


def phone(area: str, number: str) -> str:
    """ "(408) 486-2000"."""
    area = re.sub(r"\D", "", area)
    return f"({area}) {number}" if area and number else number


def sec_header(head: str) -> dict[str, str]:
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
            found[key] = day(value) if dated else value
    if code := re.search(r"\[(\d{4})\]", found.get("sic", "")):
        found["sic"] = code.group(1)
    return found


def read(cover: str, blocks: Sequence[Block]) -> dict[str, str]:
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
        found["period"] = iso(" ".join(period.groups()))
    if number := re.search(r"Commission\s+file\s+(?:number|no\.?)\s*:?\s*(\d{1,3}-\d{3,6}(?:-\d+)?)", cover, re.I):
        found["file_number"] = number.group(1)
    if ein := re.search(r"(?<!\d)(\d{2}-\d{7})(?!\d)", cover[:6000]):
        found["ein"] = ein.group(1)
    if state := _INCORPORATED.search(cover[:8000]):
        place = " ".join((state.group(1) or state.group(2)).split())
        found["state_of_incorporation"] = place.title() if place.isupper() else place
    found |= _address(cover)
    if number := re.search(r"\((\d{3})\)\s*(\d{3}[-\s]\d{4})", cover):
        found["phone"] = f"({number.group(1)}) {number.group(2)}"
    listed = re.search(r"12\(b\)", cover)
    if listed and (exchange := _EXCHANGE.search(cover, listed.end(), listed.end() + 3000)):
        found["exchange"] = re.sub(r",? Inc\.?$", "", " ".join(exchange.group().split()))
    if value := re.search(r"aggregate\s+market\s+value.{0,600}?\$\s*([\d,.]+)(\s+[mbt]illion)?", cover, re.I | re.S):
        found["public_float"] = _number(value.group(1), value.group(2) or "")
    if count := re.search(
        r"(?<![\d$,.])(\d{1,3}(?:,\d{3}){1,4})\s+(?:shares|outstanding)|(?:outstanding|shares).{0,160}?(?<![\d$,.])(\d{1,3}(?:,\d{3}){2,4})(?![\d.])",
        cover[value.end() if value else 0 :],
        re.I | re.S,
    ):
        found["shares_outstanding"] = _number(count.group(1) or count.group(2), "")
    return {key: value for key, value in found.items() if value}


def auditor(text: str) -> tuple[str, str]:
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
    r"\b\d{5}(?:-\d{4})?\s*$|^\d+\s+\w|\(\d{3}\)|\b\d{2}-\d{7}\b|^\(|\b(?:address|zip code|jurisdiction|telephone)\b"
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
                named = len(after) < 90 and not re.search(r"\d{3}|[(:]|\bfiscal|exact", after)
                if named and re.search(r"[A-Za-z]{2}", after):
                    return " ".join(after.split())
    # not every legal form: "Denver, CO" and "Reno, NV" are places
    firm = r"\b(?:company|companies|corporation|corp|incorporated|inc|limited|ltd|llc|l\.?p|plc|trust|group)\b\.?$"
    return next((line for line in lines[:25] if len(line) < 80 and re.search(firm, line, re.I)), "")


def _address(cover: str) -> dict[str, str]:
    """Street, city, state and ZIP code of the principal executive offices."""
    mark = re.search(r"\(?\s*address(?:es)?[^\n()]{0,20}\bof\b[^\n()]{0,30}(?:executive\s+)?offices?", cover, re.I)
    lines = [line.strip("# |") for line in cover[: mark.start() if mark else 6000].split("\n")]
    near = [line for line in lines if line and len(line) < 250]
    # above the caption the lines are parts of one address; without a caption, one of the lines is the address
    tries = [" , ".join(near[-count:]) for count in (1, 2, 3, 4)] if mark else near
    for words in tries:
        found = _ADDRESS.search(words)
        if found and (mark or found[4]) and found[4] != "20549":  # the Commission's own
            street, city, state, code = (" ".join((part or "").split()).strip(" ,#") for part in found.groups())
            street = re.split(r"\)\s*,?\s*|(?:No|Number)\.?\s*,", street)[-1].strip(" ,#")
            return {"address": street, "city": city, "state": state, "zip": code}
    return {}


def _number(digits: str, scale: str) -> str:
    one = quantities.number(digits.rstrip(".,") + scale)
    return str(int(one.value)) if one else ""
