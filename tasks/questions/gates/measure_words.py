"""The words that tell what is measured, and of what part: what two texts that speak of one measure have in common."""

import re
from functools import lru_cache

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.questions.ask.aliases import company_names
from rarefy.tasks.text import dates
from rarefy.tasks.text.stems import stem, words

NOTHING = frozenset(
    "a an and as at by for from in of on or our per the to with its their total net amount year fiscal million billion "
    "thousand dollar end period other than less balanc consolid add trail four quarter through under".split()
)
MONTHS = frozenset(map(stem, dates.MONTHS))
# Words for one thing, and short ones for several
_SAME = {
    "share": "stock", "sharehold": "stockhold", "shareown": "stockhold",
    "incom": "earn", "profit": "earn", "sale": "revenu", "cost": "expens",
    "provis": "expens", "paid": "payment", "pay": "payment", "loss": "earn", "borrow": "debt",
}  # fmt: skip
_SHORT = {
    "ep": ("earn", "stock"),
    "sbc": ("stockpay",),
    "aoci": ("accumul", "comprehens", "earn"),
}
# Several words for one thing; an own word each, which no other measure shares. One of the words before a pattern is in
# whatever it fits: to look for those first takes a sixth of the time.
_CASH = r"(?:net )?cash(?: flows?| provided| generated| used| by| from| in| for| our| \(used (?:in|for)\))*"
_CASH_FLOWS = tuple(
    ("activities", rf"(?:{_CASH} )?{kind} activities(?: of continuing operations)?", f"{kind}cash")
    for kind in ("operating", "investing", "financing")
)
_PHRASES = tuple(
    (tuple(needed.split("|")), re.compile(rf"\b(?:{pattern})(?!\w)"), word)
    for needed, pattern, word in (
        ("dividend",
         r"(?:common|ordinary) (?:stock|shares?) dividends?", "dividends"),
        ("common|ordinary",
         r"(?:common|ordinary) (stock|shares?)", r"\1"),
        ("in the form of",
         r"in the form of", ""),
        ("equivalents",
         r"cash(?:,| and)? (?:and )?(?:cash )?equivalents", "cash"),
        ("weighted",
         r"weighted[- ]average", "average"),
        ("average",
         r"average (?:number of )?(?:stock|shares)(?: outstanding)?"
         r"(?: for (?:earnings|net income) per (?:stock|share))?", "average shares outstanding"),
        ("non-current",
         r"non-current", "noncurrent"),
        ("right-of-use",
         r"right-of-use(?= assets?)", ""),
        ("shares of",
         r"shares of (?:our |its |the company['’]s )?(?:outstanding )?stock", "shares"),
        ("r&d",
         r"r&d", "research development"),
        ("impairment",
         r"impairment (?:losses|loss|charges?)", "impairment"),
        ("capital|equipment",
         r"capital (?:expenditures?|spending|investments?)"
         r"|(?:payments|purchases?|acquisitions?|additions|expenditures|investments)"
         r"(?: for| of| to| in| acquire)*(?: property| plant| and| &|,)* equipment(?:, net)?", "capex"),
        ("cash",
         rf"operating cash flows?|{_CASH} operations", "operatingcash"),
        *_CASH_FLOWS,
        ("purchase|buyback",
         r"(?:payments? (?:related to|for) )?(?:re)?purchases?(?: and retirements?)? (?:of )?"
         r"(?:\$?[\d.,]+ (?:million |billion )?(?:of )?)?(?:(?:our|its|the company['’]s) )?"
         r"(?:(?!preferred)\w+ )?(?:stock|shares)"
         r"|repurchased(?: and retired)?|(?:stock|share) (?:repurchases?|buybacks?)(?: and retirements?)?"
         r"|(?:treasury |common )?(?:stock|shares) (?:re)?purchased(?: and retired)?"
         r"|treasury (?:stock|shares?) purchases?",
         "buyback stock"),
        ("sale|issuance",
         r"(?:sales?|issuances?) of (?:stock|shares)", "issuance of stock"),
        ("dividend",
         r"(?:cash )?dividends?(?: payments?| declared and paid| paid)|cash dividends?"
         r"|(?:paid|payments? (?:of|for)) (?:cash )?dividends?", "dividends"),
        ("dividends",
         r"(?<=dividends) (?:on (?:our |its |the )?(?:stock|shares)"
         r"|to (?:our |its |the )?(?:common )?(?:stock|share)(?:holders|owners))", ""),
        ("long-term debt",
         r"(?:total )?long-term debt,? including current (?:portion|maturities)", "total debt"),
        ("current",
         r",? (?:net of|less|excluding) current (?:portion|maturities|installments)", " long-term"),
        ("cash",
         r"cash (?:proceeds )?received|cash proceeds", "proceeds"),
        ("repaid|retired|redeemed",
         r"(?:repaid|retired|redeemed)(?= (?:[\w$.,%]+ ){0,6}(?:debt|notes|borrowings)\b)", "repayment of"),
        ("long-lived",
         r"long-lived", "longlived"),
        ("intangible",
         r"intangible assets?", "intangibles"),
        ("income",
         r"income tax(?:es)?|taxes on income", "tax"),
        ("provision",
         r"benefit (?:from )?\(provision(?: for)?\)|\(?provision(?: for)?\)? \(?benefit(?: from)?\)?", "provision"),
        ("sg&a|selling",
         r"sg&a|selling,? general,? and administrative", "overhead"),
        ("paid-in",
         r"(?:additional )?paid-in capital", "paidincapital"),
        ("carrying|present value|net of|less|before tax",
         r"carrying (?:amounts?|values?)(?: of)?|present value of"
         r"|,? net of (?:(?:deferred |related |applicable )?tax(?:es)?|amortization|(?:the |a )?valuation allowances?)"
         r"|,? (?:net of|less) accumulated (?:depreciation|amortization)(?: and (?:depreciation|amortization))?"
         r"|(?<=expense),? before tax", ""),
        ("-based",
         r"(?:share|stock|equity)-based (?:compensation|payments?|expenses?)(?: expenses?| costs?)?", "stockpay"),
        ("depreciation|amortization",
         r"(?<=depreciation|amortization) (?:expenses?|costs?)", ""),
        ("u.s.|united states",
         r"u\.s\.|united states", "usa"),
    )
)  # fmt: skip
# A measure that has one of these is another than one that has not, however equal they are in a year
APART = frozenset(
    "basic dilut current noncurr defer feder state foreign domest gross accumul unrecogn unearn cumul repurchas issu "
    "begin comprehens minimum maximum averag expect estim remain tax pretax matur short long prefer declar".split()
)
SIDES = frozenset("current noncurr short long".split())  # said by where a row stands in a balance sheet
_OF_OWNERS = re.compile(r"\b(?:attributable|available|applicable) (?:to|for) (?!non-?controlling).*", re.IGNORECASE)
OWNERS = frozenset("attribut avail applic common stockhold".split())
_WITH = re.compile(r",? including .*| segment and(?= consolidated )")  # what else is in it
QUOTED = re.compile(r"“([^”]+)”")
ASIDE = re.compile(r"\((?![^)]*\bexclu)[^)]*\)", re.IGNORECASE)  # what excludes something is another measure


# what a model's relation says where the subject says what is measured
_SAYS = frozenset(map(stem, "amounted totaled totalled was were is are came stood reached equaled had be".split()))


@lru_cache(1 << 14)
def telling(text: str) -> frozenset[str]:
    found = (one for word in words(in_one_word(text)) if not word[0].isdigit() for one in meant(word))
    return frozenset(one for one in found if one not in NOTHING and one not in MONTHS)


def in_one_word(text: str) -> str:
    text = " ".join(text.lower().split())
    for needed, pattern, word in _PHRASES:
        if any(map(text.__contains__, needed)):
            text = pattern.sub(word, text)
    return text


def meant(word: str) -> tuple[str, ...]:
    one = stem(word)
    return _SHORT.get(one) or (_SAME.get(one, one),)


@lru_cache(1 << 14)  # a fact is held against every statement with its figure
def measure_and_part(fact: Triplet) -> tuple[frozenset[str], frozenset[str]]:
    """The words that tell what a fact measures, and those that tell of which part of the entity."""
    if fact.subject_type == "TABLE":
        quoted = QUOTED.findall(fact.relation)
        return telling(quoted[0] if quoted else fact.relation), frozenset()
    owner = _owner_named_by(fact)
    said = _SAYS if fact.method == "model" else frozenset[str]()
    part = telling(ASIDE.sub("", fact.subject.removeprefix(owner)))
    if said and not telling(fact.relation) - said:  # "Apple dividends in 2024" amounted to so much
        return part, frozenset()
    part -= {"segment"}
    part = part - {"product"} or part  # "Diagnostic Products" is "the Diagnostics segment" as well
    if owner:
        label = _WITH.sub("", ASIDE.sub("", in_one_word(fact.relation)))
        needed = telling(_OF_OWNERS.sub("", label)) | (telling(label) & APART)
        return needed - said, part
    return frozenset(), part  # of a subject of its own the verb tells nothing: "rose", "increased"


def _owner_named_by(fact: Triplet) -> str:
    """The entity as the subject begins with it, in full or short ("Apple Services"); "" for a subject of its own."""
    if fact.entity and fact.subject.startswith(fact.entity):
        return fact.entity
    names = sorted(company_names(fact.entity), key=len, reverse=True) if fact.entity and fact.method == "model" else []
    return next((name for name in names if f"{fact.subject} ".startswith(f"{name} ")), "")


def initials(fact: Triplet) -> frozenset[str]:
    """What a segment is called for short, also with its entity's letter: "BCA" is Boeing Commercial Airplanes.

    Small words are left out or not: "FoA" is Family of Apps.
    """
    entity = re.sub(r"^The ", "", fact.entity)
    part = ASIDE.sub("", fact.subject.removeprefix(fact.entity)).replace("segment", "").split()
    capital = "".join(word[0] for word in part if word[0].isupper()).lower()
    both = {capital, "".join(word[0] for word in part if word[0].isalpha()).lower()}
    both |= {entity[0].lower() + capital} if entity and capital else set()
    return frozenset(one for one in both if len(one) > 1 and one not in _SHORT_WORDS)


_SHORT_WORDS = frozenset("am an as at be by do go he if in is it me my no of on or pm so to up us we".split())
