"""Answer texts as they are compared: the answer without thoughts and explanations, its words, and its numbers."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from rarefy.tasks.models.llm.json_text import BadJSON, parse_json, strip_thinking
from rarefy.tasks.text import characters
from rarefy.tasks.text.answers import fold
from rarefy.tasks.text.dates import MONTH
from rarefy.tasks.text.memo import cache_short_texts
from rarefy.tasks.text.names import LEGAL_FORMS
from rarefy.tasks.text.quantities import UNITS as WORDS
from rarefy.tasks.text.quantities import Quantity, quantities, without_zeros
from rarefy.tasks.text.refusals import strip_courtesies
from rarefy.tasks.text.states import STATES
from rarefy.tasks.text.stems import stem

# An answer that is an amount and no more
FIGURES_ALONE = re.compile(
    r"[\W\d_]*\d(?:[\W\d_]|thousand|million|billion|trillion|percent|dollars?|usd)*", re.IGNORECASE
)

# An answer of so many words may be one name, states one thing, or may be a sentence about one name
NAME, SHORT, STATEMENT = 6, 12, 20

# Words: case, accents, quotes, articles, legal forms, abbreviations of states

_TOKEN = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?![^\W_])|[^\W\d_]+(?:'[^\W\d_]+)*|\d*[^\W_]+|[&%$€£¥@]")
COUNTRIES = frozenset(
    "united states,us,usa,uk,united kingdom,canada,china,japan,germany,france,ireland,taiwan,india,mexico".split(",")
)
PLACES = COUNTRIES | frozenset(name.casefold() for name in STATES.values())
_ABBREVIATED = re.compile(rf"(?:(?<=, )|^)(?:{'|'.join(STATES)})(?=$|[\s.,;)])")
_GLUED = re.compile(r"\b(on|by|in|at|to|of|the|and|from|with|was|is)(?=[A-Z][a-z])")  # "byCyndi Grecco"
_SEASON = re.compile(r"\b((?:1[5-9]|20)\d\d)\s?[-–—/]\s?(\d\d)(?![\d-])")  # "1979–80"
_SAME = {word: str(n) for word, n in WORDS.items() if 0 < n <= 10} | {
    "&": "and", "inc": "incorporated", "corp": "corporation", "co": "company", "ltd": "limited", "dept": "department",
    "pkwy": "parkway", "blvd": "boulevard", "ave": "avenue", "rd": "road", "hwy": "highway", "ste": "suite",
    "centre": "center", "colour": "color", "grey": "gray", "licence": "license", "programme": "program",
    "usa": "us", "pct": "percent", "%": "percent", "intl": "international", "saint": "st",
    "mr": "", "mrs": "", "ms": "", "dr": "",
}  # fmt: skip
_ROMAN = dict(
    zip(
        "II III IV VI VII VIII IX XI XII XIII XIV XV XVI".split(),
        map(str, (2, 3, 4, 6, 7, 8, 9, *range(11, 17))),
        strict=True,
    )
)
LEGAL = frozenset(LEGAL_FORMS) - {"as"} | {"holdings"}  # without "as", which is a word within sentences
# Words at the end of a name that may be left out
GENERIC = frozenset("segment segments line division unit business region category operating reportable".split())
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
    ("no one", "nobody"),
)


@dataclass(frozen=True, slots=True)
class Word:
    """A normalised token with its place in the text."""

    text: str
    start: int
    end: int


@cache_short_texts
def split_words(text: str) -> tuple[Word, ...]:
    """Return the normalised words of a text, without articles and possessive endings; numbers stay whole."""
    found: list[Word] = []
    for hit in _TOKEN.finditer(_join_abbreviations(text)):
        folded = _ROMAN.get(hit[0]) or fold(hit[0])  # "Article II" is Article Two
        folded = folded.replace(",", "") if hit[0][0].isdigit() else folded.removesuffix("'s").replace("'", "")
        folded = _SAME.get(folded, folded)
        if folded and (folded not in ("the", "a", "an") or text[hit.end() : hit.end() + 1].isdigit()):  # "A012"
            found.append(Word(folded, hit.start(), hit.end()))
    return tuple(found)


def _join_abbreviations(text: str) -> str:
    """Write "U.S." as "US", padded so that places stay the same."""
    return re.sub(r"\b(?:[A-Za-z]\.){2,}", lambda hit: hit[0].replace(".", "") + " " * hit[0].count("."), text)


@cache_short_texts
def expand_abbreviations(text: str) -> str:
    """Return the text with state codes, glued words, seasons and country names in one form."""
    plain = _ABBREVIATED.sub(lambda hit: STATES[hit[0]], text)
    plain = _GLUED.sub(r"\1 ", plain)
    plain = _SEASON.sub(lambda hit: f"{hit[1]}-{hit[1][:2]}{hit[2]}", plain)
    for long, short in _PHRASES:
        plain = re.sub(rf"\b{long}\b", short, plain, flags=re.IGNORECASE)
    return plain


def strip_legal_form(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tokens of a name without legal forms at its end and middle initials."""
    kept = list(tokens)
    while len(kept) > 1 and kept[-1] in LEGAL:
        kept.pop()
    inner = [w for at, w in enumerate(kept) if not (len(w) == 1 and w.isalpha() and 0 < at < len(kept) - 1)]
    return tuple(inner)


def split_tokens(text: str) -> tuple[str, ...]:
    """Return the normalised words of a text."""
    return tuple(word.text for word in split_words(text))


@cache_short_texts
def stems(text: str) -> frozenset[str]:
    """Return the stems of all content words of a text."""
    return frozenset(stem(word) for word in split_tokens(text) if word not in EMPTY)


def initials(tokens: tuple[str, ...]) -> str:
    """ "nyse" of New York Stock Exchange."""
    return "".join(word[0] for word in tokens if word not in EMPTY)


# A name of code: letters joined by signs or capitals, or behind a sign ("X-Forwarded-Host", "strip@file", "--no-cache")
CODE_NAME = re.compile(
    r"(?<![\w@/.$#~-])(?:--?|[.#@$%]|(?:~|\.{1,2})?/\.?)?[A-Za-z_]\w*(?:[-@/.:_]+\w+)*(?:\(\))?(?![\w@/-])"
)
_ODD = re.compile(r"[a-z0-9][A-Z]|\d|[@/:_]|-[A-Z]|^(?:--?|[.#$%~])\w")


def is_odd(name: str) -> bool:
    """Return whether a word is written as no word of prose is: capitals or digits inside, or signs but a hyphen."""
    return bool(_ODD.search(name)) or ("." in name.strip(".") and len(name) > 4)


def is_code_name(form: str) -> bool:
    """Return whether a form is one name of code, as no word of prose is written."""
    return CODE_NAME.fullmatch(form) is not None and is_odd(form)


# Numbers, and the answer within a system's text


@dataclass(frozen=True, slots=True)
class Value:
    """A number in a text, with its scale applied."""

    kind: str  # money | percent | points | times | count | measure | place
    amount: Decimal  # absolute
    grain: Decimal  # the worth of its last written digit
    unit: str  # ISO code of a currency, "year", "mile", ...; "" where none is said
    minus: bool  # written as negative
    enclosed: bool  # in brackets, which may mean negative
    pointed: bool  # written with decimals, so that trailing zeros count
    about: bool  # qualified as approximate
    grouped: bool  # written with thousands separators
    scaled: bool  # written with a scale word
    year: bool  # four plain digits that may be a year
    worded: bool  # "five"
    nouns: str  # the words after it, which say what it counts
    start: int
    end: int

    @property
    def loose(self) -> Decimal:
        """Return the grain if trailing zeros were rounded: all of them after "about", else beyond three figures."""
        return self.grain if self.pointed else without_zeros(self.amount, self.grain, 0 if self.about else 1000)

    @property
    def strong(self) -> bool:
        """Return whether it looks like an amount, even without a unit."""
        return self.kind != "count" or self.grouped or self.pointed or self.enclosed or self.amount >= 1000


def plain_text(text: str, language: str = "en") -> str:
    """Return the text with plain quotes, hyphens, spaces and letters, and its numbers in English notation.

    In German and French, "47,5 Milliarden Euro" becomes "47500000000 EUR".
    """
    text = re.sub(r"(?<=\d) & (?=\d)", " and ", characters.lettered(characters.plain(text)))
    if language == "en":
        return text
    for one in reversed(quantities(text, language=language)):
        if one.kind != "place" and not one.year and not one.worded:
            text = f"{text[: one.start]}{_english_number(one)}{text[one.end :]}"
    return text


def _english_number(one: Quantity) -> str:
    ends = {"percent": "%", "points": " percentage points", "times": " times", "money": f" {one.currency}"}
    behind = ends.get(one.kind, f" {one.unit}" if one.kind == "measure" else "")
    return f"({one.amount:f}{behind})" if one.enclosed else f"{one.value:f}{behind}"


@cache_short_texts
def find_values(text: str) -> tuple[Value, ...]:
    """Return all numbers of a plain text in order, without those of dates and quarters; years are marked."""
    return tuple(_make_value(one) for one in quantities(text))


def _make_value(one: Quantity) -> Value:
    return Value(
        "count" if one.kind == "bare" else one.kind,
        one.amount,
        one.grain or Decimal(1).scaleb(one.amount.adjusted() - 1),  # a fraction in words
        one.currency or (one.unit if one.kind == "measure" else ""),
        minus=one.sign == "-",
        enclosed=one.enclosed,
        pointed=one.pointed,
        about=one.bound in ("about", "near"),
        grouped=one.grouped,
        scaled=one.scale > 0,
        year=one.year or (one.enclosed and replace(one, sign="").year),
        worded=one.worded,
        nouns=one.nouns,
        start=one.start,
        end=one.end,
    )


_CITED = re.compile(
    r" ?(?:\[\s*(?:(?:passages?|contexts?|docs?|documents?|chunks?|sources?|refs?)\s*)?"
    r"#?\d{1,3}(?:\s*[,;–-]\s*#?\d{1,3})*\s*\]"
    r"|【[^】]{0,60}】|\[\^\d+\]|\((?:see |source:? |from |per )?(?:passage|context|document|doc|chunk|"
    r"source)s?\s#?\d{1,3}"
    r"(?:(?:,| and)\s#?\d{1,3})*\)|\((?:(?:sources?|references?|citations?)\s?:|see\s)[^()]{0,120}\))",
    re.IGNORECASE,
)
_FENCED = re.compile(r"```\w*\n(.*?)\n?```", re.DOTALL)
_ANSWER_KEYS = ("answer", "final_answer", "short_answer", "response", "result", "value")
_TAG = re.compile(r"<sup>[^<>]{0,20}</sup>|</?(?:answer|final_answer|response|b|strong|i|em|p|div|span|u|code)>", re.I)
_LINE_TAG = re.compile(r"</?(?:br|li|ul|ol|p)\s?/?>", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*•–+]|\d{1,2}[.)])\s+(?=\S)", re.MULTILINE)
_NOTE = re.compile(
    r"(?:(?<=[^\W\d_]{4})|(?<=\d{4})|(?<=[.)%]))[⁰¹²³⁴⁵⁶⁷⁸⁹]+(?!\w)"
)  # a footnote's, and no square metre's
_LEAD = re.compile(
    r"(?:sure|certainly|of course|absolutely|great question)[!,.:]\s+(?=\S)|/s/\s"
    r"|(?-i:[Tt]he answer is (?=[A-Z\d$€£]))",
    re.IGNORECASE,
)
_SCALE_BEHIND = re.compile(  # "5,321 (in millions)", "$5,321 in USD millions"
    r"(?<=\d)\s*(?:\(\s*(?:in\s)?|in\s)(?:(?:US)?\s?\$\s?|USD\s)?(?P<scale>thousand|million|billion)s"
    r"(?:\sof\s(?:U\.?S\.?\s)?dollars|\sUSD)?\s*\)?(?!\w)",
    re.IGNORECASE,
)
_JOINED_DAY = re.compile(rf"\b(\d{{1,2}})-({MONTH})-(\d{{4}}|\d\d)\b", re.IGNORECASE)  # "9-Jun-2022"
_YEAR_FIRST = re.compile(r"\b(?:FY\s?'?(\d\d)|(?:FY\s?)?((?:19|20)\d\d))[\s-]?Q([1-4])\b", re.IGNORECASE)  # "FY24 Q3"
_DASH = re.compile(  # "5% - 7%", "$5 million - $6 million", "03/21/26-04/03/26"
    r"(?<=\d|%|n) - (?=[$€£]?\d)|(?<=\d/\d\d)-(?=\d{1,2}/)|(?<=\d/\d{4})-(?=\d{1,2}/)"
    r"|(?<=\d)\s?(?:…|\.\.\.)\s?(?=[-−+]?\d)"
)
_PLUS = re.compile(r"(?<![\w.,])([$€£]?\d[\d,.]*)(?:\s?\+(?=\s?%|\s?$)|\+(?=\s[a-z]))")  # "200+ countries"
_SPACED = re.compile(r"([^\w-]*\d{1,3})((?: \d{3})+)(?=\D*$)")  # "2 427" and no other number
_MARKUP = re.compile(
    r"\*{1,3}|`{1,3}|(?<!\w)_{1,2}(?=\S)|(?<=\S)_{1,2}(?!\w)|\\(?=[$%#&*_.,-])|^\s{0,3}#{1,6}\s", re.MULTILINE
)
_BOXED = re.compile(r"\\boxed\{([^{}]{1,200})\}")
_LATEX = re.compile(r"\$(-?\\?\$?[\d.,{}\s]{1,30}(?:\\?%|\\text\{[^{}]{0,40}\})?)\$")
_MARKED = re.compile(
    r"(?:^|[\n.!?:]\s*|\s)(?:the\s+)?(?:(?:final|short|correct|direct)\s+)?"
    r"(?:answers?\s*(?::|=|(?:is|was)\s*:|[-–—](?=\s))|response:)\s*(?=\S)",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?:^|\n|(?<=[.!?])\s)\s*(?:explanation|reasoning|rationale|sources?|evidence|references?|citations?|supporting\s\w+|"
    r"calculation|justification|note|notes|confidence)\s*:",
    re.IGNORECASE,
)
_BLANKS = re.compile(r"[^\S\n]+")
_EMPTY_LINES = re.compile(r"\n(?: ?\n)+")
_NOTHING = re.compile(r"(?:the\s+)?(?:final\s+)?answer\s*(?:is)?\s*[:=]?\s*[.\"']*", re.IGNORECASE)


def extract_answer(text: str, language: str = "en") -> str:
    """Return the answer proper in plain text and English notation; "" where there is none, or thoughts never end.

    It is what follows the last "Answer:", up to an "Explanation:", "Source:" or the like, without citations, markup and
    courtesies.
    """
    answer = _unwrap(strip_thinking(text).strip()).replace("\\n", "\n")
    # the patterns below would try each place of a run of blanks
    answer = _EMPTY_LINES.sub("\n\n", _BLANKS.sub(" ", answer)).strip()
    if boxed := _BOXED.findall(answer):
        answer = boxed[-1]
    answer = _LATEX.sub(lambda hit: re.sub(r"[{}\\]|text", "", hit[1]), answer)
    answer = _MARKUP.sub("", _NOTE.sub("", _LINE_TAG.sub("\n", _TAG.sub("", _CITED.sub("", answer)))))
    answer = _BULLET.sub("", strip_courtesies(answer.strip())).strip()  # "5. Let me know ..." is no item of a list
    answer = _LEAD.sub("", answer, count=1)
    if _NOTHING.fullmatch(answer):
        return ""
    marks = list(_MARKED.finditer(answer))
    if marks and answer[marks[-1].end() :].strip(" .\n"):
        answer = answer[marks[-1].end() :]
    answer = plain_text(strip_courtesies(_strip_explanation(answer).strip()), language).strip()
    answer = _SPACED.sub(lambda hit: hit[1] + hit[2].replace(" ", ","), answer) if _SPACED.match(answer) else answer
    answer = _YEAR_FIRST.sub(lambda hit: f"Q{hit[3]} {hit[2] or '20' + hit[1]}", _JOINED_DAY.sub(r"\1 \2 \3", answer))
    answer = answer if "=" in answer else _DASH.sub(" to ", answer)
    return _SCALE_BEHIND.sub(_scale_number, _PLUS.sub(r"more than \1", answer))


def _scale_number(hit: re.Match[str]) -> str:
    """Return a scale as it stands behind a number; behind a year of a sentence it is that of figures that follow."""
    before = hit.string[max(hit.start() - 40, 0) : hit.start()]
    return hit[0] if re.search(r"[^\W\d_].*(?<![\d.,$])(?:19|20)\d\d$", before) else f" {hit['scale']}"


def _unwrap(text: str) -> str:
    """Return what a text in JSON, fenced or not, gives as its answer: a value alone, or that of an answer's key."""
    if fenced := _FENCED.fullmatch(text):
        text = fenced[1].strip()
    if not text.startswith(("{", "[")):
        return text
    try:
        value = parse_json(text)
    except BadJSON:
        return text
    if isinstance(value, dict):
        named = {str(key).casefold().replace(" ", "_"): own for key, own in value.items()}
        value = next(
            (named[key] for key in _ANSWER_KEYS if key in named), [*value.values()] if len(value) == 1 else text
        )
    values = value if isinstance(value, list) else [value]
    return "; ".join(map(str, values)) if all(isinstance(one, str | int | float) for one in values) else text


def _strip_explanation(text: str) -> str:
    """Return the text before its explanation, or all of it where nothing stands before."""
    hit = _AFTER.search(text)
    return text[: hit.start()] if hit and text[: hit.start()].strip() else text
