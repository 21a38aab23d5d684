"""States and exchanges under one name each, however a cover writes them."""

import re

_STATES = """AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware
|DC District of Columbia|FL Florida|GA Georgia|HI Hawaii|ID Idaho|IL Illinois|IN Indiana|IA Iowa|KS Kansas|KY Kentucky
|LA Louisiana|ME Maine|MD Maryland|MA Massachusetts|MI Michigan|MN Minnesota|MS Mississippi|MO Missouri|MT Montana
|NE Nebraska|NV Nevada|NH New Hampshire|NJ New Jersey|NM New Mexico|NY New York|NC North Carolina|ND North Dakota
|OH Ohio|OK Oklahoma|OR Oregon|PA Pennsylvania|RI Rhode Island|SC South Carolina|SD South Dakota|TN Tennessee|TX Texas
|UT Utah|VT Vermont|VA Virginia|WA Washington|WV West Virginia|WI Wisconsin|WY Wyoming|PR Puerto Rico"""
STATES = dict(entry.strip().split(" ", 1) for entry in _STATES.replace("\n", "").split("|"))


def state(shown: str) -> str:
    """ "California" for "CA", "CALIFORNIA" and "State of California"; a place outside the list as it is shown."""
    plain = re.sub(r"^(?:the )?(?:state|commonwealth) of ", "", shown.strip(" ,."), flags=re.I)
    by_name = {name.lower(): name for name in STATES.values()}
    return (
        STATES.get(plain.upper())
        or by_name.get(plain.lower())
        or (plain.title() if plain.isupper() and len(plain) > 3 else plain)
    )


def exchange(shown: str) -> str:
    """ "Nasdaq" and "New York Stock Exchange" for their many spellings; others as shown."""
    if re.search(r"nasdaq", shown, re.I):
        return "Nasdaq"
    if re.search(r"\bnyse\b(?! (?:american|arca))|new york stock exchange", shown, re.I):
        return "New York Stock Exchange"
    return shown
