"""The numbers and quantities of a text: what is counted, how many, in which unit, how exactly, and where it stands.

A number is looked for once, and what belongs to it in a few dozen letters before and behind: the whole is linear in the
length of the text. "$1.2T", "half a million", "forty-seven point five billion", "1,61,000", "1.234,5", "(497)" and
"twice" are quantities; "Form 10-K", "3M" the company, "Apollo 16", "net-zero", the marks of a list and dates are none.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from rarefy.tasks.text.characters import plain
from rarefy.tasks.text.dates import moments
from rarefy.tasks.text.memo import cache_short_texts

# No quantity that is stated has more digits, or a larger scale ("million million ..."). A longer row of digits is a
# code or nonsense, and nothing is computed of it.
MOST_DIGITS, MOST_POWER = 24, 30

SCALES = {
    "hundred": 2, "thousand": 3, "lakh": 5, "million": 6, "crore": 7, "billion": 9, "trillion": 12, "quadrillion": 15,
    "k": 3, "m": 6, "mm": 6, "mn": 6, "mio": 6, "b": 9, "bn": 9, "mrd": 9, "milliard": 9, "t": 12, "tn": 12, "trn": 12,
    "mil": 6, "bil": 9, "mille": 3, "tausend": 3, "tsd": 3, "millionen": 6, "milliarden": 9,
}  # fmt: skip
UNITS = {
    word: n
    for n, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split()
    )
}
TENS = {word: 10 * n for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
ORDINALS = {
    word: n
    for n, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth seventeenth eighteenth nineteenth".split(), 1
    )
} | {f"{word[:-1]}ieth": n for word, n in TENS.items()} | {"hundredth": 100, "thousandth": 1000}  # fmt: skip
CURRENCIES = {
    "$": "USD", "us$": "USD", "dollar": "USD", "us dollar": "USD", "usd": "USD", "€": "EUR", "euro": "EUR", "£": "GBP",
    "pound": "GBP", "pound sterling": "GBP", "¥": "JPY", "yen": "JPY", "₹": "INR", "rs": "INR", "rupee": "INR",
    "yuan": "CNY", "renminbi": "CNY", "rmb": "CNY", "c$": "CAD", "ca$": "CAD", "a$": "AUD", "au$": "AUD",
    "hk$": "HKD", "nt$": "TWD", "s$": "SGD", "nz$": "NZD", "r$": "BRL", "mx$": "MXN", "cent": "USD", "¢": "USD",
    "won": "KRW", "₩": "KRW", "franc": "CHF", "krona": "SEK", "krone": "NOK", "peso": "MXN", "real": "BRL",
    "canadian dollar": "CAD", "australian dollar": "AUD", "hong kong dollar": "HKD", "swiss franc": "CHF", "₽": "RUB",
    "rouble": "RUB", "ruble": "RUB", "₪": "ILS", "shekel": "ILS", "₺": "TRY", "lira": "TRY", "penny": "USD",
    "pence": "GBP",
}  # fmt: skip
_CODES = "USD EUR GBP JPY INR CNY RMB CAD AUD HKD TWD SGD NZD BRL MXN CHF KRW SEK NOK DKK RUB ILS TRY ZAR PLN".split()
CURRENCIES |= {code.lower(): code for code in _CODES if code != "RMB"}
_HUNDREDTHS = {"cent", "¢", "penny", "pence"}
# How a measure is called, each in its spellings; the first is its name.
_MEASURES = (
    "year yr,month,week,day,hour hr,minute,second sec,millisecond,quarter,decade,century centuries,"
    "acre,hectare ha,mile,kilometer kilometre km,"
    "meter metre,centimeter centimetre cm,millimeter millimetre mm,foot feet ft,inch inches,yard,square-foot,"
    "square-meter,square-mile,ton tonne,pound-mass lb lbs,kilogram kg,gram,milligram mg,ounce oz,"
    "gallon,barrel bbl,liter litre,deciliter decilitre dl,centiliter centilitre cl,milliliter millilitre ml,"
    "watt w,kilowatt kw,megawatt mw,gigawatt gw,kwh,mwh,gwh,terabyte tb,gigabyte gb,megabyte mb,kilobyte kb,byte,"
    "tebibyte tib,gibibyte gib,mebibyte mib,kibibyte kib,hertz hz,megahertz mhz,gigahertz ghz,"
    "degree,°c celsius,°f fahrenheit"
)
# How many bytes a unit may mean: a megabyte is a million of them, or as many as a mebibyte
SIZES_IN_BYTES = {"byte": (1,)} | {
    name: sizes
    for power, prefix in enumerate(("kilo kibi", "mega mebi", "giga gibi", "tera tebi"), 1)
    for name, sizes in zip(
        (f"{one}byte" for one in prefix.split()), ((1000**power, 1024**power), (1024**power,)), strict=True
    )
}
# Measures of one thing, each with how much of the first's unit it is
LENGTHS = {"meter": "1", "millimeter": "0.001", "centimeter": "0.01", "kilometer": "1000", "inch": "0.0254",
           "foot": "0.3048", "yard": "0.9144", "mile": "1609.344"}  # fmt: skip
MASSES = {"gram": "1", "milligram": "0.001", "kilogram": "1000", "ounce": "28.349523125", "pound-mass": "453.59237"}
VOLUMES = {"liter": "1", "deciliter": "0.1", "centiliter": "0.01", "milliliter": "0.001", "gallon": "3.785411784"}
AREAS = {"square-meter": "1", "hectare": "10000", "acre": "4046.8564224", "square-foot": "0.09290304",
         "square-mile": "2589988.110336"}  # fmt: skip
POWERS = {"watt": "1", "kilowatt": "1000", "megawatt": "1000000", "gigawatt": "1000000000"}
DURATIONS = {"ms": "millisecond", "s": "second", "h": "hour", "d": "day"}  # of settings; "m" is of months and metres
MEASURES = {form: name.split()[0] for name in _MEASURES.split(",") for form in name.split()}
_DEGREES = {"c": "°c", "celsius": "°c", "centigrade": "°c", "f": "°f", "fahrenheit": "°f"}
_SQUARE = {"foot": "square-foot", "feet": "square-foot", "ft": "square-foot", "meter": "square-meter",
           "metre": "square-meter", "mile": "square-mile"}  # fmt: skip

_WORTH = UNITS | TENS
_FRACTIONS = {"half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8,
              "tenth": 10}  # fmt: skip
_VULGAR = {
    "½": "0.5", "¼": "0.25", "¾": "0.75", "⅛": "0.125", "⅜": "0.375", "⅝": "0.625", "⅞": "0.875",
}  # fmt: skip
_SYMBOL = r"(?:(?<![A-Za-z])(?:US|CA|AU|HK|NT|NZ|MX|[CASR])?\$|[€£¥₹₩₽₪₺]|(?<!\w)Rs\.?)"
_NUMERAL = "|".join(sorted((*_WORTH, "dozen", "half", "twice", "thrice"), key=len, reverse=True))
_ORDINAL = "|".join(sorted(ORDINALS, key=len, reverse=True))
SCALE_WORDS = "hundred|thousand|lakh|million|crore|billion|trillion|quadrillion"
# What a pattern can begin with is looked for first: most letters of a text begin nothing.
NUMBER_IN_WORDS = re.compile(
    rf"(?=[bcdefhlmnoqstz])(?<![\w'])(?:{_NUMERAL}|{SCALE_WORDS})(?!(?!fold)\w)", re.IGNORECASE
)
_NUMBER = re.compile(
    r"(?=[\d.½¼¾⅛⅜⅝⅞adefhnostz])(?<![\w'])(?<!\d[.,/:])(?:"
    r"(?P<alone>[½¼¾⅛⅜⅝⅞]|\d/(?:2|4|8|10|16)(?=\s?(?:%|per\s?cent)))|(?=[\d.])(?:"
    r"(?P<indian>\d{1,2}(?:,\d{2}){1,6},\d{3}(?:\.\d+)?)"
    r"|(?P<grouped>\d{1,3}(?:,\d{3})++(?:\.\d++)?)"
    r"|(?P<swiss>\d{1,3}(?:'\d{3}){1,8}(?:[.,]\d+)?)"
    r"|(?P<dotted>\d{1,3}(?:(?:\.\d{3}){2,8}(?:,\d{1,6})?|(?:\.\d{3}),\d{1,6}))"
    rf"|(?P<spaced>(?<=[$€£¥])\d{{1,3}}(?: \d{{3}}){{1,8}}(?=\s(?:{SCALE_WORDS}))"
    rf"|\d{{1,3}}(?: \d{{3}}){{1,8}}(?=\s?(?:[€£]|euros?\b|(?:{'|'.join(_CODES)})\b))"
    r"|\d{1,3}(?:(?:\u00a0\d{3}){1,8}|(?: \d{3}){2,8}(?! ?\d)|(?: \d{3}){1,8}(?=,\d{1,2}(?!\d)))(?:[.,]\d{1,6})?)"
    r"|(?P<comma>\d{1,15},(?!\d{3}(?!\d))\d{1,9})"
    r"|(?P<plain>\d++(?:\.\d++)?|(?<![\w.])\.\d++)"
    r")(?P<vulgar>(?:\s?[½¼¾⅛⅜⅝⅞]|[\s-]\d{1,2}/(?:2|4|8|16)(?![\d/])))?"
    rf"|(?<!-)(?P<word>{_NUMERAL}|an?(?=\s(?:{SCALE_WORDS}|dozen|half|quarter|third|fifth"
    rf"|tenth)\b)"
    rf"|{_ORDINAL})(?!(?!fold)\w))",
    re.IGNORECASE,
)
_SCALE = re.compile(
    rf"(?:(?P<words>(?:[\s-]?(?:{SCALE_WORDS}|milliard(?:en)?|millionen|tausend|mille)s?(?![^\W_])){{1,3}})|"
    r"(?P<short>\s?(?:(?:mm|mn|bn|tn|trn|mil|bil)(?![^\W_])\.?|(?:Mio|Mrd|Tsd)(?![^\W_])\.?)"
    r"|(?P<letter>\s?[kKmMbBtT])(?![^\W_]|\.[A-Za-z]|-[A-Za-z\d])))",
    re.IGNORECASE,
)
_PERCENT = re.compile(
    r"[\s-]?(?P<share>%(?:-?(?P<pt>(?:age)?\s?points?|pts?\b))?|percentage[\s-]points?(?!\w)"
    r"|per\s?cent(?:age[\s-]points?)?(?!\w)|pct\.?(?!\w)"
    r"|prozent(?!\w)|pour\s?cent(?!\w)|basis[\s-]points?(?!\w)|bps?(?!\w)|ppts?(?!\w)|pp(?!\w)|p\.p\."
    r"|percentage[\s-]pts?(?!\w))",
    re.IGNORECASE,
)
_TIMES = re.compile(r"(?:\s?x(?!\w)|[\s-]?fold(?!\w)|\stimes(?!\w)|×(?!\s?\d))", re.IGNORECASE)
_MONEY = re.compile(
    r"[\s-]?(?:(?:in\s)?(?:of\s)?)(?P<money>(?:U\.?S\.?\s|US-|American\s)?dollars?|(?:canadian|australian"
    r"|hong kong)\sdollars?|(?:swiss\s)?francs?"
    r"|euros?|pounds?\ssterling|pounds?(?=\s(?!of\b)|[.,;)]|$)|yen|rupees?|yuan|renminbi|won|cents?|pence|penny"
    r"|pesos?|r[ou]+bles?|shekels?|lira"
    rf"|{'|'.join(_CODES)}|[€£¥₹¢])(?!\w)",
    re.IGNORECASE,
)
_BEFORE_MONEY = re.compile(rf"(?:{_SYMBOL}|(?<![^\W_])(?:{'|'.join(_CODES)})[$]?)\s?$", re.IGNORECASE)
_SIGN = re.compile(r"(?:(?<![\w)%.])(?P<mark>[-+])\s?|(?<![^\W_])(?P<word>minus|negative|plus)\s)$", re.IGNORECASE)
_MARK = re.compile(r"(?:(?P<open>[(])|(?P<mark>[-+]))\s?$")
_CLOSE = re.compile(
    r"\s?(?P<percent>%)?\s?\)(?P<percent2>\s?%)?(?P<late>\s(?:thousand|million|billion|trillion)s?(?!\w))?"
)
_NOUNS = re.compile(r"[\s-]*(?:of\s)?((?:(?:U\.S\.|sq\.|[^\W\d_][\w'&-]*)\s?){1,5})")
_PER = re.compile(
    r"\s*(?:per|a|an|each|every|/)\s?(?:(?:basic|diluted|common|ordinary|weighted)\s)*(?P<of>[a-z]+)", re.IGNORECASE
)
_BOUNDS = (
    ("least", r"at least|no (?:less|fewer) than|not (?:less|fewer) than|a minimum of|minimum of|minimum|≥|>=|from"),
    ("most", r"at most|up to|no more than|not more than|as (?:much|many) as|a maximum of|maximum of"
        r"|not exceeding|≤|<="),
    ("over", r"more than|over|above|greater than|in excess of|exceeding|exceeds|exceeded|well over|upwards of|>"),
    ("under", r"less than|fewer than|under|below|lower than|<"),
    ("about", r"about|approximately|approx\.?|roughly|around|some|circa|ca\.|c\.|~|≈|an estimated|estimated|close to"),
    ("near", r"nearly|almost|just under|just over|slightly (?:over|under|more than|less than|above|below)"
        r"|just (?:above|below)"),
)  # fmt: skip
_BOUND = re.compile(
    "(?:"
    + "|".join(rf"(?P<{name}>(?<!\w)(?:{words}))" for name, words in reversed(_BOUNDS))
    + r")\s*(?:of\s)?(?:the\s|an?\s)?$",
    re.IGNORECASE,
)
_BOUND_BEHIND = re.compile(
    r"(?P<of>\s[a-z]+)?\s?(?:(?P<least>\bor (?:more|greater|above|over|higher)|\band (?:more|above|over|up))"
    r"|(?P<most>\bor (?:less|fewer|below|under|lower))"
    r"|(?P<over>\+(?!\d)))",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\b(?:between|from)\s(?:about\s|approximately\s|roughly\s)?$", re.IGNORECASE)
_TO = re.compile(r"\s?-\s?|\s(?:to|through)\s(?:(?:about|approximately|up to|over|nearly)\s)?")
_AND = re.compile(r"\sand\s(?:(?:about|approximately)\s)?")
_YEAR_ALONE = re.compile(r"(?:[A-Za-z\s']{0,20})\d{4}")
_NOUN = re.compile(r"[^\W\d_][\w'&.-]*")
_JOINED = re.compile(r"-?(?P<unit>[a-z°]+)", re.IGNORECASE)
_STOP = re.compile(r"\s*[.,;:!?|)\n]")
# Digits that count nothing: of a note, a form, a passage.
_NAMED = re.compile(
    r"(?:(?<!\w)(?:notes?|items?|parts?|sections?|exhibits?|rules?|forms?|tables?|figures?|fig\.|chapters?"
    r"|articles?|titles?|topics?|asu|asc|"
    r"ifrs|ias|sfas|fas|fasb|fin|iso|sab|sas|no\.|nos\.|number|levels?|phases?|class|series|tiers?|version|v\."
    r"|step|page|pages|p\.|pp\.|passages?|"
    r"documents?|contexts?|docs?|chunks?|sources?|room|suite|floor|box|zip|route|highway|interstate|flight"
    r"|question|q\.|act of|"
    r"volume|vol\.|issue|type|group|tranche|schedule|appendix|annex|paragraph|para\.|line|row|column|grade|gate"
    r"|platform|bus|channel|"
    r"apollo|gemini|soyuz|falcon|boeing|airbus|windows|iphone|ipad|galaxy|playstation|xbox|android|ios|macos"
    r"|python|java|season|episode|"
    r"fortune|russell|nasdaq|s&p|ftse|nikkei|stoxx|cac|dax|msci|studio|catch|area|war|bowl|chanel|model|mark|mk|pac|"
    r"basel|mach|psalm|sonnet|symphony|opus|agenda|vision|horizon|euro|expo|covid|cfr|u\.s\.c\.?|usc|star"
    r"|district|ward|"
    r"super bowl [ivxl]*|world war)(?:\s|-)|[#§]\s?)$",
    re.IGNORECASE,
)
_OF_A_NAME = re.compile(r"(?<!\w)(?:the|aboard|project|operation|mission)\s[A-Z][a-z]+(?:\s[A-Z][a-z]+)?\s$")
_IN_A_NAME = re.compile(
    r"-[A-Z]{1,3}\b(?!-)|\s?[\[(][a-z]{1,2}[\])]|-Eleven\b|\s(?:CFR|U\.S\.C|USC)\b|/7(?!\d)|-(?:\d+-)*[A-Z]\b"
)
_THE_COMPANY = re.compile(
    r"\s(?:users?|subscribers?|shares?|people|customers?|units|members|downloads?|vehicles|employees|dollars?"
    r"|euros?|pounds|"
    r"views|sales of|homes|jobs|tons|barrels|accounts|visitors|viewers|followers|students|copies|in (?:revenue"
    r"|sales|cash|profit))(?!\w)"
)
_SCREEN = re.compile(r"\s(?:TVs?|videos?|resolution|displays?|monitors?|screens?|content|streaming|cameras?|UHD)(?!\w)")
_RUN = re.compile(r"\s(?:filings?|reports?|forms?|runs?|races?)(?!\w)")
_TWICE = re.compile(r"\s?\((\d{1,3})\)")
_LONGEST_CELL = 200
# A raised digit right behind a whole number may be its power
_RAISED = r"(?:(?<=\s)|(?<=[%)])|(?<=[.,]\d)|(?<=[.,]\d\d)|(?<=[.,]\d\d\d))[¹²³⁴⁵⁶⁷⁸⁹⁰]+"
_CELL_NOTES = re.compile(rf"(?<=[\d%)])(?:\s?(?:\((?:\d{{1,2}}|[a-z])\)|[*†‡]|\[\d{{1,2}}\]|{_RAISED})){{1,4}}\s*$")
_LIST_MARK = re.compile(r"(?:(?<=[\s:;.)])|^)(?P<n>\d{1,2})[.)](?=\s|$)")
_LINE_MARK = re.compile(r"^[ \t]*(?:[(\[]\d{1,3}[)\]]|\d{1,3}[.)])(?=[ \t]+[^\W\d_])", re.MULTILINE)
_NOTE_MARK = re.compile(
    r"(?=[\s\[(])(?<=[A-Za-z.,;\"'%)])(?:\s?\[\d{1,3}(?:[,-]\s?\d{1,3}){0,9}\]|\(\d{1,2}\)(?=[\s|.,;:]|$)"
    r"|(?<=[a-z])\s\(\d\)(?=\s?(?:[|\n:]|-\s|$)))"
)
_CLOCK = re.compile(r"(?<![\d.,:])\d{1,2}(?::\d\d){0,2}\s?[ap]\.?\s?m\b", re.IGNORECASE)  # "7 a.m."
_ZERO_OF = re.compile(
    r"-(?!(?:year|month|day|week|hour|mile|minute|time|fold|percent|dollar|point|acre)s?\b)[a-z]", re.I
)
_OF_A_POINT = re.compile(r"\s(?:of\s)?(?:a|one)(?=\s(?:per\s?cent|percentage\spoint|point))", re.IGNORECASE)
_AND_A_HALF = re.compile(r"\sand\s(?:a|one)[\s-](?P<f>half|quarter|third)(?!\w)", re.IGNORECASE)
_LAST_ORDINAL = re.compile(rf"-(?P<o>{_ORDINAL})(?!\w)", re.IGNORECASE)
_TH = re.compile(r"(?:st|nd|rd|th)(?!\w)", re.IGNORECASE)
_LETTERS = re.compile(r"[A-Za-z°]{1,12}")
_CODE = re.compile(rf"\s?(?:{'|'.join(_CODES)})(?!\w)")
_A_WORD = re.compile(r"(?:(?:,\s|\s|-)?)([A-Za-z]+?)(?:(?=fold\b)|(?![^\W_]|'))")
_ONE = re.compile(r"(?:no|any|every|each|this|that|the|some|which|another|an|other)[\s-]$", re.IGNORECASE)
_ONE_OF = re.compile(
    r"\s(?:of|another|day|time|such|or another|must|should|can|could|may|might|would|will)\b|'s\b|-(?!half"
    r"|third|quarter|fourth|fifth|tenth)[a-z]",
    re.I,
)
_NO_NOUN = frozenset(
    "a about above after against all almost also although an and any approximately are around as at be because before "
    "below between both but by can compared could despite due during each ended ending excluding for from had has have "
    "he her his however if in including into is it its less may more most no nor not now of off on or our over per "
    "respectively roughly she should since so some than that the their them then there these they this those "
    "through to total under until up upon versus vs was we were when where which while who "
    "whose will with within without would "
    "yet you driven fiscal down net gross".split()
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number where it stands, with its sign and scale worked in.

    `value` is in `currency` or `unit`: cents are hundredths of their currency, basis points hundredths of a point.
    """

    kind: str  # money | percent | points | times | count (of things named behind it) | measure | place | bare
    value: Decimal
    grain: Decimal  # what the last written digit is worth; 0 for a fraction, which is exact
    start: int  # of its first character: bracket, sign, currency or digit
    end: int
    unit: str = ""  # of a measure: "day", "mile", ...; of a count: what is counted, as written, in small letters
    currency: str = ""  # ISO code, "" where none is written
    scale: int = 0  # power of ten of its scale words: 6 in "3 million" and in "$3M"
    bound: str = ""  # about | near | least | most | over | under; "" where it is said to be so
    part: str = ""  # from | to: an end of a range
    sign: str = ""  # how a sign is written: "-", "+", "()" or "" for none
    grouped: bool = False  # with separators of thousands
    pointed: bool = False  # with decimals, so that zeros at its end count
    worded: bool = False  # "five"
    nouns: str = ""  # the words behind it, in small letters
    digits: tuple[int, int] = (0, 0)  # where its number stands, without sign, currency, scale and unit

    @property
    def amount(self) -> Decimal:
        """The value without its sign."""
        return abs(self.value)

    @property
    def enclosed(self) -> bool:
        """In brackets, which may mean less than nothing, or be no more than brackets."""
        return self.sign == "()"

    @property
    def year(self) -> bool:
        """Four plain digits that may be a year."""
        plain_four = self.kind in ("bare", "count") and not (self.scale or self.grouped or self.pointed or self.worded)
        return plain_four and not self.sign and 1900 <= self.value <= 2099

    @property
    def loose(self) -> Decimal:
        """Its grain if the zeros at its end stand for digits that were rounded away: three figures stay, or "about"."""
        least = 0 if self.bound in ("about", "near") else 1000
        return self.grain if self.pointed else without_zeros(self.amount, self.grain, least)


def quantities(text: str, *, language: str = "en") -> tuple[Quantity, ...]:
    """Every quantity of a text in order; dates, names and the marks of lists are none, and a year stands among them.

    `language` other than "en" reads "1.234" as German and French write it: one thousand two hundred thirty-four.
    """
    return _kept(text, language) if len(text) <= 4_000 else _quantities(text, language)


def number(text: str, *, language: str = "en") -> Quantity | None:
    """The quantity that the whole of a text is ("$(1,234)", "about 5 percent", "12,345 (1)"); None if it is none."""
    return _number(text, language) if len(text) <= _LONGEST_CELL else None


@lru_cache(10_000)  # a table is read for each of its questions
def _number(text: str, language: str) -> Quantity | None:
    bare = _CELL_NOTES.sub("", text)
    found = quantities(bare, language=language)
    if len(found) != 1:
        return None
    before = _BOUND.sub("", f"{plain(bare)[: found[0].start].strip()} ")
    return found[0] if not before.strip() and bare[found[0].end :].strip() in ("", ".") else None


def without_zeros(amount: Decimal, grain: Decimal, least: int = 0) -> Decimal:
    """The grain of an amount whose zeros at its end are no digits, as long as `least` or more of the grain are left."""
    shown = int(amount / grain) if grain else 0
    while shown and shown % 10 == 0 and shown >= least:
        shown //= 10
        grain *= 10
    return grain


def is_number(written: str) -> bool:
    """Is a row of digits short enough to be a quantity?"""
    return len(written) <= MOST_DIGITS or sum(map(str.isdecimal, written)) <= MOST_DIGITS


def per(text: str, one: Quantity) -> str:
    """ "share" of "$1.76 per share": what a sum is said to be for; "" where it is not."""
    found = _PER.match(text[one.end : one.end + 60])
    return found["of"].lower() if found else ""


@lru_cache(2_000)
def _kept(text: str, language: str) -> tuple[Quantity, ...]:
    return _quantities(text, language)


def _quantities(text: str, language: str) -> tuple[Quantity, ...]:
    told = plain(text)
    taken = _no_quantities(told)
    found: list[Quantity] = []
    at = 0
    while hit := _NUMBER.search(told, at):
        if taken[hit.start()]:
            at = hit.end()
            continue
        one, at = _read(told, hit, language, found[-1].end if found else -1)
        if one:
            found.append(one)
    return tuple(_ranged(told, found))


@cache_short_texts  # a text is read in several languages
def _no_quantities(text: str) -> bytes:
    """1 for each character of a date that is more than a year, of a list's mark and of a footnote's."""
    taken = bytearray(len(text) + 1)
    for moment in moments(text):
        width = moment.end - moment.start
        told = text[moment.start : moment.end]
        if not moment.only_year or moment.decade or not _YEAR_ALONE.fullmatch(told):
            taken[moment.start : moment.end] = b"\x01" * width
    for pattern in (_LINE_MARK, _NOTE_MARK, _CLOCK):
        for hit in pattern.finditer(text):
            taken[hit.start() : hit.end()] = b"\x01" * (hit.end() - hit.start())
    run: list[tuple[int, int]] = []
    wanted = 1
    for hit in _LIST_MARK.finditer(text):
        if int(hit["n"]) == 1:
            run, wanted = [hit.span()], 2
        elif run and int(hit["n"]) == wanted:
            run.append(hit.span())
            wanted += 1
            for start, end in run[-2:]:
                taken[start:end] = b"\x01" * (end - start)
    return bytes(taken)


def _read(text: str, hit: re.Match[str], language: str, last: int) -> tuple[Quantity | None, int]:
    """The quantity whose number is at `hit`, and where to look for the next; the one before ends at `last`."""
    core = _worded(text, hit) if hit["word"] else _digits(text, hit, language)
    if core is None:
        return None, hit.end()
    value, grain, power, end, place = core
    start, figures = hit.start(), end
    before = text[max(start - 28, 0) : start]
    if last > start - len(before) and text[last - 1] in "€£¥₹¢":
        before = text[last:start]  # "5€.0": the sign is that of the number before
    scaled = None if place or (hit["word"] and power) else _SCALE.match(text, end)
    money = _BEFORE_MONEY.search(before) if _may_end_in(before, "$€£¥₹₩₽₪₺.") else None
    if scaled:
        step = _power(scaled, text, hit, money is not None)
        if step:
            power += step
            value, grain, end = value.scaleb(step), grain.scaleb(step), scaled.end()
            if (more := _SCALE.match(text, end)) and more["words"]:
                return None, end  # "million million million million"
    if power > MOST_POWER:
        return None, end
    if _is_name(text, hit, before, end, money is not None, power, last):
        return None, max(hit.end(), end)
    written = hit[0]
    sign = ""
    outer = before
    currency = ""
    hundredths = False
    opened = _MARK.search(before) if not money else None
    if opened and opened["open"]:  # "$(1.5)", "(1.5)"
        inner = _BEFORE_MONEY.search(before[: opened.start()])
        money = inner or money
        sign, start = "(", start - (len(before) - opened.start())
        outer = before[: opened.start()]
        if inner:
            start, outer = start - (len(outer) - inner.start()), outer[: inner.start()]
    elif opened and _BEFORE_MONEY.search(before[: opened.start()]):  # "$-5"
        inner = _BEFORE_MONEY.search(before[: opened.start()])
        assert inner is not None
        money, sign, outer = inner, opened["mark"], before[: inner.start()]
        start -= len(before) - inner.start()
    elif money:
        start, outer = start - (len(before) - money.start()), before[: money.start()]
    if money:
        name = money[0].strip().lower().rstrip(".")
        currency = CURRENCIES.get(name) or CURRENCIES.get(name.rstrip("$")) or ""
    if not sign and _may_end_in(outer, "-+") and (marked := _SIGN.search(outer)):
        sign = "+" if (marked["mark"] or marked["word"]).lower() in ("+", "plus") else "-"
        if not (marked["word"] and sign == "+"):
            start -= len(outer) - marked.start()
            outer = outer[: marked.start()]
        else:
            sign = ""
    elif not sign and outer.endswith(("(", "( ")) and money:
        sign, start, outer = "(", start - 1 - outer.endswith(" "), outer.rstrip()[:-1]
    kind, unit = "", ""
    share = times = None
    if place:
        kind = "place"
    else:
        share = _PERCENT.match(text, end)
        times = None if share or money else _TIMES.match(text, end)
        if share:
            end = share.end()
        elif times:
            end = times.end()
        elif not money and (named := _MONEY.match(text, end)):
            name = named["money"].lower().replace(".", "").replace("us-", "").replace("american ", "")
            name = name.removeprefix("u s ").removeprefix("us ")
            name = name if name in CURRENCIES else name.rstrip("s").replace("pounds ", "pound ")
            currency, end = CURRENCIES.get(name, "CNY" if name == "rmb" else ""), named.end()
            money, hundredths = named, name in _HUNDREDTHS
        elif money and (named := _CODE.match(text, end)):
            currency, end = named[0].strip(), named.end()
    if sign == "(":
        closed = _CLOSE.match(text, end)
        if closed is None or (closed["percent"] and share):
            start += 1 if text[start] == "(" else 0
            sign = ""
        else:
            sign, end = "()", closed.end()
            if closed["percent"] or closed["percent2"]:
                kind = "percent"
            if closed["late"]:
                step = SCALES[closed["late"].strip().lower().rstrip("s")]
                power += step
                value, grain = value.scaleb(step), grain.scaleb(step)
    after = text[end : end + 80]
    behind = _BOUND_BEHIND.match(after)
    after = f"{behind['of'] or ''}{after[behind.end() :]}" if behind else after  # "90 days or more"
    nouns = found[1].strip().lower() if (found := _NOUNS.match(after)) else ""
    if share:
        told = share["share"].lower()
        kind = "points" if "point" in told or "pt" in told or told.startswith(("pp", "p.p", "b")) else "percent"
        if told.startswith(("basis", "bp")):
            value, grain = value / 100, grain / 100
    elif times or _is_twice(hit):
        kind = "times"
    elif money and not place:
        kind = "money"
        if hundredths:
            value, grain = value / 100, grain / 100
    elif not kind:
        kind, unit = _counts(nouns, after) if grain or value > 1 or hit["vulgar"] or hit["alone"] else ("bare", "")
    if sign == "-" or (sign == "()" and _means_less(text, start, end, kind, currency)):
        value = -value
    bound = ""
    if _may_end_in(outer, ".~≈≥≤<>=") and (hedge := _BOUND.search(outer[-28:])):
        bound = str(hedge.lastgroup)
        if bound == "least" and hedge["least"].lower() == "from":
            bound = ""
    if behind:
        bound = str(behind.lastgroup)
    return (
        Quantity(
            kind,
            value,
            grain,
            start,
            end,
            unit=unit,
            currency=currency,
            scale=power,
            bound=bound,
            sign=sign,
            grouped=bool(hit["indian"] or hit["grouped"] or hit["swiss"] or hit["dotted"] or hit["spaced"]),
            pointed="." in written or bool(hit["comma"]),
            worded=bool(hit["word"]),
            nouns=nouns,
            digits=(hit.start(), figures),
        ),
        end,
    )


_Core = tuple[Decimal, Decimal, int, int, bool]  # value, grain, power, end, is it a place in a row


def _digits(text: str, hit: re.Match[str], language: str) -> _Core | None:
    """The number in digits at `hit`; None where the letters around it make it part of a word or code."""
    end = hit.end()
    written = hit["indian"] or hit["grouped"] or hit["plain"] or ""
    if hit["alone"]:
        over, _, under = hit["alone"].partition("/")
        value = Decimal(over) / Decimal(under) if under else Decimal(_VULGAR[over])
        return value, Decimal(0), 0, end, False
    if written:
        if language != "en" and re.fullmatch(r"\d{1,3}\.\d{3}", written):
            written = written.replace(".", "")
        elif language != "en" and written.count(",") == 1 and "." not in written and hit["grouped"]:
            written = written.replace(",", ".")
        written = written.replace(",", "")
    elif hit["comma"]:
        if language == "en" and not _continental(text, hit):
            return None
        written = hit["comma"].replace(",", ".")
    else:
        written = re.sub(r"['\u00a0 ]", "", hit["swiss"] or hit["spaced"] or "") or (hit["dotted"] or "").replace(
            ".", ""
        )
        written = written.replace(",", ".")
    if not is_number(written):
        return None
    value, grain = Decimal(written), Decimal(1).scaleb(-len(written.partition(".")[2]))
    if hit["vulgar"]:
        sign = hit["vulgar"].strip().lstrip("-")
        if "/" in sign:
            over, under = sign.split("/")
            if int(over) >= int(under):
                end, sign = hit.start("vulgar"), ""
            else:
                sign = str(Decimal(over) / Decimal(under))
        if sign:
            value, grain = value + Decimal(_VULGAR.get(sign, sign)), Decimal(0)
    place = _TH.match(text, end)
    if place and "." not in written:
        return value, grain, 0, place.end(), True
    rest = text[end : end + 2]
    if rest[:1].isalpha() or rest[:1] == "_":
        scaled, unit = _SCALE.match(text, end), _LETTERS.match(text, end)
        fits = unit and (
            unit[0].lower() in MEASURES or unit[0] in _CODES or _TIMES.match(text, end) or _PERCENT.match(text, end)
        )
        if not (scaled or fits):
            return None
    if rest[:1] in "/:" and rest[1:].isdigit():
        return None  # "24/7", "10:30"
    if rest[:1] in ".," and rest[1:].isdigit():
        return None  # "1.2.3", "12,34,5"
    return value, grain, 0, end, False


def _continental(text: str, hit: re.Match[str]) -> bool:
    """Is a comma between digits a decimal one: a unit follows, or no English text could write it so?"""
    behind = text[hit.end() : hit.end() + 24]
    before = text[max(hit.start() - 4, 0) : hit.start()]
    unit = re.match(
        rf"\s?(?:%|per\s?cent|prozent|pour cent|(?:{SCALE_WORDS})|mio|mrd|bn\b|mn\b|milli|euros?\b|EUR\b|€)",
        behind,
        re.IGNORECASE,
    )
    return unit is not None or re.search(r"(?:€|EUR)\s?$", before) is not None


def _worded(text: str, hit: re.Match[str]) -> _Core | None:
    """The number in words at `hit`; None where they are no number: "no one", "net-zero", "the first"."""
    words = _words(text, hit.start())
    if not words:
        return None  # "one's"
    first = words[0][0]
    before = text[max(hit.start() - 12, 0) : hit.start()]
    if first in ORDINALS:
        end = hit.end()
        return Decimal(ORDINALS[first]), Decimal(1), 0, end, True
    if first in ("twice", "thrice"):
        return Decimal(2 if first == "twice" else 3), Decimal(1), 0, hit.end(), False
    part = total = Decimal(0)
    power, last, said, end, grain = 0, 10**19, 0, hit.end(), Decimal(1)
    scaled = 0
    at = 0
    lead = first in ("a", "an")
    if lead or first == "half":
        skipped = [word for word, _ in words[:3]]
        if lead and skipped[1:2] and skipped[1] in _FRACTIONS and skipped[1] != "second":
            if skipped[1] == "half" and skipped[2:3] and skipped[2] in SCALES:
                part, at, grain, end = Decimal("0.5"), 2, Decimal("0.1"), words[1][1]
            elif re.match(r"\sof\b", text[words[1][1] : words[1][1] + 4]):
                of = _OF_A_POINT.match(text, words[1][1])
                return _fraction(1, skipped[1]), Decimal(0), 0, of.end() if of else words[1][1], False
            else:
                return None
        elif first == "half":
            if skipped[1:2] in (["a"], ["an"]) and skipped[2:3] and (skipped[2] in SCALES or skipped[2] == "dozen"):
                part, at, grain, end = Decimal("0.5"), 2, Decimal("0.1"), words[1][1]
            elif of := _OF_A_POINT.match(text, hit.end()):
                return Decimal("0.5"), Decimal(0), 0, of.end(), False
            elif re.match(r"\s(?:of|the|its|their|our|his|her)\b", text[hit.end() : hit.end() + 7]):
                return Decimal("0.5"), Decimal(0), 0, hit.end(), False
            else:
                return None
        else:
            part, at = Decimal(1), 1
        said = 1
    for place, (word, until) in enumerate(words[at:], at):
        if word == "and" and [one for one, _ in words[place + 2 : place + 3]] in (["half"], ["quarter"], ["third"]):
            break  # "two and a half"
        if word in ("and", "a", "an"):
            continue
        if word == "dozen":
            part, said, grain = (part or Decimal(1)) * 12, 2, Decimal(1)
        elif word == "hundred":
            if not said:
                return None
            part, said, grain = (part or Decimal(1)) * 100, 2, Decimal(100)
        elif word in SCALES and len(word) > 3:
            if not part or 10 ** SCALES[word] >= last:
                break
            last = 10 ** SCALES[word]
            total, part, scaled = total + part * last, Decimal(0), SCALES[word]
            grain = (grain if grain < 1 else 1) * Decimal(last)
        elif word in _WORTH:
            worth = _WORTH[word]
            if said and part and (part % 10 or (part % 100 and worth >= 10) or not worth):
                break  # "five six": two numbers
            part, said = part + worth, 1
            grain = Decimal(1)
        elif word == "point":
            digits = ""
            for digit, stop in words[words.index((word, until)) + 1 :]:
                if digit not in UNITS or UNITS[digit] > 9:
                    break
                digits, end = digits + str(UNITS[digit]), stop
            if not digits:
                break
            part, grain = part + Decimal(f"0.{digits}"), Decimal(1).scaleb(-len(digits))
            scale = _SCALE.match(text, end)
            if scale and scale["words"]:
                power = _scale_words(scale["words"])
                return (total + part).scaleb(power), grain.scaleb(power), power, scale.end(), False
            return total + part, grain, 0, end, False
        elif word in _FRACTIONS or word.rstrip("s") in _FRACTIONS:
            if word == "quarters" and text[words[at][1]] != "-" and not re.match(r"\sof\b", text[until : until + 4]):
                break  # of a year
            if (
                scaled
                or said != 1
                or part > 20
                or (word.endswith("s") == (part == 1) and word not in ("half", "halves"))
            ):
                break
            return _fraction(int(part), word), Decimal(0), 0, until, False
        else:
            break
        end = until
    value = total + part
    if first == "one" and end == hit.end() and (_ONE.search(before) or _ONE_OF.match(text, end)):
        return None
    if first == "zero" and end == hit.end() and _ZERO_OF.match(text, end):
        return None
    if half := _AND_A_HALF.match(text, end):
        value, grain, end = value + _fraction(1, half["f"].lower()), Decimal(0), half.end()
        if (scale := _SCALE.match(text, end)) and scale["words"]:
            power = _scale_words(scale["words"])
            return value.scaleb(power), grain, power, scale.end(), False
    if (twice := _TWICE.match(text, end)) and Decimal(twice[1]) == value:
        end = twice.end()
    if (ordinal := _LAST_ORDINAL.match(text, end)) and value in TENS.values():
        return value + ORDINALS[ordinal["o"].lower()], Decimal(1), 0, ordinal.end(), True
    return value, grain, scaled, end, False


def _words(text: str, start: int) -> list[tuple[str, int]]:
    """Up to thirty words from a place on that a number may be made of, each with its end."""
    found: list[tuple[str, int]] = []
    at = start
    for _ in range(30):
        hit = _A_WORD.match(text, at)
        if hit is None:
            break
        found.append((hit[1].lower(), hit.end()))
        at = hit.end()
    return found


def _fraction(over: int, word: str) -> Decimal:
    under = _FRACTIONS.get(word) or _FRACTIONS[word.rstrip("s")]
    return (Decimal(over) / Decimal(under)).quantize(Decimal("1e-12")).normalize()


def _is_twice(hit: re.Match[str]) -> bool:
    return (hit["word"] or "").lower() in ("twice", "thrice")


def _power(scaled: re.Match[str], text: str, hit: re.Match[str], money: bool) -> int:
    """The power of ten that scale words or letters stand for; 0 where the letter is another thing."""
    if scaled["words"]:
        return _scale_words(scaled["words"])
    letter = (scaled["letter"] or "").strip()
    if letter:
        spaced = scaled["letter"] != letter
        if spaced and (letter not in "MBmb" or not money):
            return 0  # "5 m", "Plan 5 B", but "$120 m"
        if letter == "t" and not money:
            return 0
    word = scaled[0].strip().lower().rstrip(".")
    if word == "mm" and not money and not re.match(r"\s(?:shares|users|units)", text[scaled.end() :][:8]):
        return 0
    return SCALES[word]


def _scale_words(words: str) -> int:
    names = [word for word in re.split(r"[\s-]+", words.lower()) if word]
    return sum(SCALES[name] if name in SCALES else SCALES[name.rstrip("s")] for name in names)


def _is_name(text: str, hit: re.Match[str], before: str, end: int, money: bool, power: int, last: int) -> bool:
    """Is the number part of a name: a form, a note, a company, a mission, a code?"""
    if money:
        return False
    tail = text[end : end + 24]
    unit = _PERCENT.match(text, end)
    if hit["word"]:
        return before.endswith("-") or bool(
            re.search(r"(?:phase|step|level|tier|point|chapter|part|season|episode|day)\s$", before, re.IGNORECASE)
        )
    if last == hit.start() - 1 and before.endswith("-"):
        return False  # the upper end of a range
    if before.endswith("-") and before[-2:-1].isalnum() and not unit:
        return (
            not re.search(r"\b(?:sub|plus|pre|post|non|mid)-$", before, re.IGNORECASE)
            if before[-2:-1].isalpha()
            else True
        )
    letter = text[hit.end() : end]
    plain = not (unit or hit["grouped"] or (power and len(letter) > 1))  # "Item 9B"
    if plain and _may_end_in(before, ".#§-") and _NAMED.search(before):
        return True
    digits = hit["plain"] or ""
    if digits and _IN_A_NAME.match(tail):
        return True
    if digits == "3" and letter == "M" and not _THE_COMPANY.match(text, end):
        return not (_BOUND.search(before) or re.search(r"\$\s?$", before))
    if letter in ("K", "Q", "k") and (
        re.search(r"(?:form|its|annual|latest|tv)\s$", before, re.I) or _RUN.match(tail) or _SCREEN.match(tail)
    ):
        return True
    if digits == "401" and letter == "k":
        return True
    if power or unit or not digits.isdecimal() or len(digits) > 4:
        return False
    return _OF_A_NAME.search(before) is not None


def _may_end_in(text: str, signs: str) -> bool:
    """Does a text end in a letter or one of these signs, but for blanks? Behind most numbers of tables it does not."""
    last = text.rstrip()[-1:]
    return last.isalpha() or (last != "" and last in signs)


def _counts(nouns: str, after: str) -> tuple[str, str]:
    """Is it a measure, a count of things or a bare number, and what does it count?"""
    words = _NOUN.findall(nouns)
    first = words[0] if words else ""
    joined = _JOINED.match(after.strip())
    if first in ("degree", "degrees") and (scale := _DEGREES.get(words[1] if words[1:] else "")):
        return "measure", scale
    for form in (
        first,
        first.rstrip("s"),
        joined["unit"].lower() if joined else "",
        joined["unit"].lower().rstrip("s") if joined else "",
    ):
        if form in MEASURES and (form not in ("second", "foot") or words[:1]):
            return "measure", MEASURES[form]
    if first in ("square", "sq", "sq."):  # "sq. ft."
        for form in words[1:2]:
            if known := _SQUARE.get(form) or _SQUARE.get(form.rstrip("s")):
                return "measure", known
    if first in ("business", "calendar", "working", "full", "consecutive", "fiscal", "trading", "metric", "nautical"):
        for form in words[1:2]:
            for one in (form, form.rstrip("s")):
                if one in MEASURES:
                    return "measure", MEASURES[one]
    if not first or first in _NO_NOUN or first in _WORTH or first in SCALES or _STOP.match(after):
        return "bare", ""
    return "count", first


def _means_less(text: str, start: int, end: int, kind: str, currency: str) -> bool:
    """Do brackets mean less than nothing: in a cell, alone, behind a currency, or around a sum or a share?"""
    if text[start] != "(" or currency or kind in ("money", "percent", "points"):
        return True
    before, behind = text[max(start - 3, 0) : start].rstrip(" "), text[end : end + 3].lstrip(" ")
    return before[-1:] in ("", "|", "\n", "\t", ":", "$") and behind[:1] in ("", "|", "\n", "\t", ".", ",", ";", "%")


def _ranged(text: str, found: list[Quantity]) -> Iterator[Quantity]:
    """The quantities, the two ends of a range marked, and the first with the unit and scale that only the last has."""
    low: Quantity | None = None
    for one, following in zip(found, [*found[1:], None], strict=False):  # none is found: none stands behind
        if low is not None:
            one = replace(one, part="to")
            if low.kind == "money" and one.kind == "bare":
                one = replace(one, kind="money", currency=low.currency)
            low = None
        if following is not None and _spans(text, one, following):
            one = _completed(one, following)
            low = one
        yield one


def _spans(text: str, one: Quantity, other: Quantity) -> bool:
    between = text[one.end : other.start]
    if len(between) > 24 or one.part:
        return False
    half_said = one.kind == "money" and other.kind == "bare" and "-" in between
    if (one.kind not in ("bare", "count", other.kind) and not half_said) or "place" in (one.kind, other.kind):
        return False
    if one.year and (other.scale or other.kind == "percent" or other.start < other.digits[0]):
        return False  # "from 2022 to $903 million"
    if one.year and other.year:
        return re.fullmatch(r"\s?-\s?|\sto\s", between) is not None
    if _TO.fullmatch(between):
        begun = re.search(r"\b(?:rose|fell|up|down|increased?|decreased?|grew|dropped|declined|from|reduced"
            r"|rises|rising|cut|raised)\s(?:by\s)?$", text[max(one.start - 24, 0) : one.start], re.I)  # fmt: skip
        return not (between.strip() == "to" and begun and one.kind == other.kind != "bare" and "from" not in begun[0])
    if "or" in between and re.fullmatch(r"\sor\s", between):
        return one.kind == "bare" and other.kind != "bare" and other.worded == one.worded
    return _AND.fullmatch(between) is not None and bool(_BETWEEN.search(text[max(one.start - 28, 0) : one.start]))


def _completed(one: Quantity, other: Quantity) -> Quantity:
    """The lower end of a range with what is said once, at its upper end."""
    step = other.scale if not one.scale and other.scale and not one.grouped and one.amount < 1000 else 0
    kind = other.kind if one.kind in ("bare", "count") and not one.currency else one.kind
    shrink = (
        Decimal("0.01")
        if kind == "points" and one.kind != "points" and other.unit == "" and other.grain < 1 and _basis(other)
        else 1
    )
    return replace(
        one,
        kind=kind,
        value=one.value.scaleb(step) * shrink,
        grain=one.grain.scaleb(step) * shrink,
        scale=one.scale or step,
        currency=one.currency or other.currency,
        unit=one.unit or other.unit,
        part="from",
    )


def _basis(other: Quantity) -> bool:
    return not other.pointed and other.grain == Decimal("0.01")
