"""Words as a reader takes them for the same: case, accents, quotes, articles, legal forms, a state's two letters."""

import re
from dataclasses import dataclass

from rarefy.tasks.text.answers import fold
from rarefy.tasks.text.memo import small
from rarefy.tasks.text.names import LEGAL_FORMS
from rarefy.tasks.text.quantities import UNITS as WORDS
from rarefy.tasks.text.stems import stem

_TOKEN = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?![^\W_])|[^\W\d_]+(?:'[^\W\d_]+)*|\d*[^\W_]+|[&%$€£¥@]")
_STATES = (
    "AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE "
    "Delaware,FL Florida,GA Georgia,"
    "HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,KY Kentucky,LA Louisiana,ME Maine,MD Maryland,"
    "MA Massachusetts,MI Michigan,MN Minnesota,MS Mississippi,MO Missouri,MT Montana,NE Nebraska,NV Nevada,"
    "NH New Hampshire,NJ New Jersey,NM New Mexico,NY New York,NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma,"
    "OR Oregon,PA Pennsylvania,RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah,"
    "VT Vermont,VA Virginia,WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming,DC District of Columbia"
)
STATES = {pair[:2]: pair[3:] for pair in _STATES.split(",")}
COUNTRIES = frozenset(
    "united states,us,usa,uk,united kingdom,canada,china,japan,germany,france,ireland,taiwan,india,mexico".split(",")
)
PLACES = COUNTRIES | frozenset(name.casefold() for name in STATES.values())
_ABBREVIATED = re.compile(rf"(?:(?<=, )|^)(?:{'|'.join(STATES)})(?=$|[\s.,;)])")
_GLUED = re.compile(r"\b(on|by|in|at|to|of|the|and|from|with|was|is)(?=[A-Z][a-z])")  # "byCyndi Grecco"
_SEASON = re.compile(r"\b((?:1[5-9]|20)\d\d)\s?[-–—/]\s?(\d\d)(?![\d-])")  # "1979–80"
_SAME = {word: str(n) for word, n in WORDS.items() if 0 < n <= 10} | {
    "&": "and", "inc": "incorporated", "corp": "corporation", "co": "company", "ltd": "limited", "dept": "department",
    "usa": "us", "pct": "percent", "%": "percent", "intl": "international", "mr": "", "mrs": "", "ms": "", "dr": "",
}  # fmt: skip
_ROMAN = dict(
    zip(
        "II III IV VI VII VIII IX XI XII XIII XIV XV XVI".split(),
        map(str, (2, 3, 4, 6, 7, 8, 9, *range(11, 17))),
        strict=True,
    )
)
LEGAL = frozenset(LEGAL_FORMS) - {"as"} | {"holdings"}  # in the midst of sentences, where "as" is a word
# What may stand at the end of a name, or be left out there, without another thing being meant
GENERIC = frozenset("segment segments line division unit business region category".split())
OF_PLACES = frozenset("state city commonwealth province county town republic kingdom".split())
EMPTY = frozenset(
    "a an the of in on at to by for from with and or as is was were are be been its their his her "
    "our that which who it "
    "this these those there has have had".split()
)
_PHRASES = (
    ("united states of america", "us"),
    ("united states", "us"),
    ("united kingdom", "uk"),
    ("per cent", "percent"),
)


@dataclass(frozen=True, slots=True)
class Word:
    """A token, folded, and where it stands."""

    text: str
    start: int
    end: int


@small
def words(text: str) -> tuple[Word, ...]:
    """The words of a text in order, without articles and possessive endings; numbers stay whole."""
    found: list[Word] = []
    for hit in _TOKEN.finditer(_spelt(text)):
        folded = _ROMAN.get(hit[0]) or fold(hit[0])  # "Article II" is Article Two
        folded = folded.replace(",", "") if hit[0][0].isdigit() else folded.removesuffix("'s").replace("'", "")
        folded = _SAME.get(folded, folded)
        if folded and folded not in ("the", "a", "an"):
            found.append(Word(folded, hit.start(), hit.end()))
    return tuple(found)


def _spelt(text: str) -> str:
    """The text at the same places, with U.S. as US and so on; a state's letters are told by `spelt`."""
    return re.sub(r"\b(?:[A-Za-z]\.){2,}", lambda hit: hit[0].replace(".", "") + " " * hit[0].count("."), text)


@small
def spelt(text: str) -> str:
    """The text with a state's two letters as its name and a country's long name as its short one."""
    plain = _ABBREVIATED.sub(lambda hit: STATES[hit[0]], text)
    plain = _GLUED.sub(r"\1 ", plain)
    plain = _SEASON.sub(lambda hit: f"{hit[1]}-{hit[1][:2]}{hit[2]}", plain)
    for long, short in _PHRASES:
        plain = re.sub(rf"\b{long}\b", short, plain, flags=re.IGNORECASE)
    return plain


def bare(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Tokens without the legal form at their end and the initials among them."""
    kept = list(tokens)
    while len(kept) > 1 and kept[-1] in LEGAL:
        kept.pop()
    inner = [w for at, w in enumerate(kept) if not (len(w) == 1 and w.isalpha() and 0 < at < len(kept) - 1)]
    return tuple(inner)


def tokens(text: str) -> tuple[str, ...]:
    """The folded words alone."""
    return tuple(word.text for word in words(text))


@small
def stems(text: str) -> frozenset[str]:
    """The stems of all telling words of a text."""
    return frozenset(stem(word) for word in tokens(text) if word not in EMPTY)


def initials(tokens: tuple[str, ...]) -> str:
    """ "nyse" of New York Stock Exchange."""
    return "".join(word[0] for word in tokens if word not in EMPTY)
