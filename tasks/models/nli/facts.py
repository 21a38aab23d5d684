"""The names and the figures (with units, dates, codes) of a text, and which of them another text lacks."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from rarefy.tasks.text.dates import MONTHS, SHORT
from rarefy.tasks.text.memo import cache_short_texts
from rarefy.tasks.text.names import ENGLISH_FORMS
from rarefy.tasks.text.notations import find_figures
from rarefy.tasks.text.quantities import is_number
from rarefy.tasks.text.wordnet import known, readings

# Names: by capitals, digits and what English has as a word

_TOKEN = re.compile(r"[^\W_](?:[\w&]|[-.'’&/](?=\w))*")
_STARTS = re.compile(r"(?:^|[.!?:;•●▪]|\||§)[\s\d\"'“‘«(\[*•–—.-]*$")
_SKIP = (
    frozenset(
        """
    a an the this that these those such of in on at to for with as and or is are am be been being has have had do does
    did it its itself they them their theirs there here which who whom whose what when where why how than then also so
    too into onto upon via not no nor but if we us our ours you your yours he him his she her hers i my me by from
    under over about between among within without through during before after since until while although though because
    unless per each every any all both some many most more less few other others another same only own very
    notwithstanding whereas whereby therein thereof hereby herein hereof hereto thereto inasmuch insofar moreover
    furthermore however therefore thus hence accordingly additionally may might can could shall should will would must
    group holdings mr mrs ms dr fiscal year quarter section item note part form table exhibit chapter page paragraph
    registrant report monday tuesday wednesday thursday friday saturday sunday q1 q2 q3 q4 fy etc e.g i.e cfr
    everyone everything everybody someone something anyone anything anybody nobody nothing none themselves itself
    throughout subsequent toward towards upon amid amongst alongside beneath besides beyond despite except inside near
    onto outside past per plus regarding concerning via versus whenever wherever whoever whatever 10-k 10-q 8-k
    percent usd eur gbp mm bn tn st nd rd th annual quarterly
    """.split()
    )
    | ENGLISH_FORMS
    | {*MONTHS, *map(str.lower, SHORT)}
)
_LEADS = frozenset("the our its their this that these those such each any every a an your his her my no".split())
_SMALL = frozenset("of and the for de in on & at".split())
_SHORT = {"fed": "federal", "us": "american", "uk": "british"}
# what a title is short for, each word of which must stand in the other text
_TITLES = {short: tuple(one.split() for one in full.split("|")) for short, full in {
    "ceo": "chief executive|chief exec", "cfo": "chief financial|chief finance",
    "coo": "chief operating|chief operations",
    "cto": "chief technology|chief technical", "cio": "chief information|chief investment",
    "cmo": "chief marketing|chief medical",
    "clo": "chief legal", "cso": "chief strategy|chief scientific|chief security|chief sustainability",
    "cro": "chief risk|chief revenue|chief restructuring",
    "cpo": "chief product|chief people|chief privacy|chief procurement",
    "cao": "chief accounting|chief administrative", "cco": "chief compliance|chief commercial|chief communications",
    "cdo": "chief data|chief digital", "chro": "chief human resources", "ciso": "chief information security",
    "evp": "executive vice president", "svp": "senior vice president", "avp": "assistant vice president",
    "vp": "vice president", "gc": "general counsel", "md": "managing director",
}.items()}  # fmt: skip
_PEOPLE = re.compile(r"(?:ese|ians?|eans?|ans?|ern|ish|ns?|is)$")


@dataclass(frozen=True, slots=True)
class Names:
    """What a text names. Every name is lower-case; `forms` has all its words, so that others can look theirs up."""

    sure: dict[str, str] = field(default_factory=dict)  # no word of English: NVIDIA, Gigafactory, A100; as written
    plain: dict[str, str] = field(default_factory=dict)  # a word with a capital and no article: China, Cook
    loose: dict[str, str] = field(default_factory=dict)  # the like after an article or in a heading: the Red Sea
    forms: frozenset[str] = frozenset()
    initials: frozenset[str] = frozenset()  # of runs of words with capitals: "fasb"
    runs: dict[str, tuple[str, ...]] = field(default_factory=dict)  # initials -> the words behind them


@cache_short_texts
def find_names(text: str) -> Names:
    """The names of a text, in one pass; headings and rows of tables, where all words have capitals, prove little."""
    sure: dict[str, str] = {}
    plain: dict[str, str] = {}
    loose: dict[str, str] = {}
    doubtful: dict[str, str] = {}
    forms: set[str] = set()
    runs: dict[str, tuple[str, ...]] = {}
    for line in text.split("\n"):
        tokens = list(_TOKEN.finditer(line))
        letters = [t[0] for t in tokens if t[0][0].isalpha() and t[0].lower() not in _SMALL]
        capital = sum(not w[0].islower() for w in letters)
        shouted = len(letters) > 1 and sum(w.isupper() for w in letters) >= 0.7 * len(letters)
        heading = line.startswith(("|", "#")) or (
            bool(letters)
            and not tokens[0][0][0].islower()
            and capital >= 0.6 * len(letters)
            and not line.rstrip().endswith((".", "?", "!"))
        )
        _runs(line, tokens, runs)
        for place, token in enumerate(tokens):
            word = _bare(token[0])
            low = _plain(word)
            forms.update(_forms(low))
            if low in _SKIP or word.islower() or not any(c.isalpha() for c in word) or len(word) < 2:
                continue
            first = _STARTS.search(line[max(0, token.start() - 12) : token.start()]) is not None
            inner = any(c.isupper() for c in word[1:])
            if (any(c.isdigit() for c in word) and word[0].isalpha()) or (inner and not shouted):
                if not all(_common(part) for part in re.split(r"[-/]", low)) or (word.isupper() and len(word) < 7):
                    sure[low] = word
                elif not first and not heading:
                    loose[low] = word
            elif word[0].isupper() and not _common(low):
                (doubtful if heading or shouted else sure)[low] = word
            elif word[0].isupper() and not (first or heading or shouted):
                (loose if _led(line, tokens, place) else plain)[low] = word
    loose |= {low: word for low, word in doubtful.items() if low not in sure and low not in plain}
    for low in sure:
        plain.pop(low, None)
        loose.pop(low, None)
    return Names(sure, plain, loose, frozenset(forms), frozenset(runs), runs)


def missing_names(of: Names, other: Names, told: Collection[str] = ()) -> tuple[list[str], list[str]]:
    """The names that the other text lacks: those that are sure, and those that may only be words with a capital."""
    known_there = other.forms | set(told) | {short for short, full in _SHORT.items() if full in other.forms}
    hidden = {w for letters, words in of.runs.items() if letters in other.forms for w in words}

    def lacks(low: str) -> bool:
        if low in hidden or low in other.initials:
            return False
        if any(all(word in other.forms for word in full) for full in _TITLES.get(low, ())):
            return False
        return not _there(low, known_there, other)

    sure = [word for low, word in of.sure.items() if lacks(low)]
    sure += [word for low, word in of.plain.items() if lacks(low)]
    return sure, [word for low, word in of.loose.items() if lacks(low)]


def _there(low: str, forms: Collection[str], other: Names) -> bool:
    if low in forms or any(form in forms for form in _forms(low)):
        return True
    parts = [part for part in re.split(r"[-/&.']", low) if part]
    if len(parts) > 1 and all(part in forms or part in _SKIP for part in parts):
        return True
    stem = _people(low)
    return len(stem) > 3 and any(
        _people(name) == stem for names in (other.sure, other.plain, other.loose) for name in names
    )


def _people(low: str) -> str:
    """What a country and its people have in common: "chin", "mexic"."""
    return _PEOPLE.sub("", low).rstrip("aeiouy")


def _plain(word: str) -> str:
    """In lower case and without accents: México is Mexico."""
    low = word.lower()
    return (
        low if low.isascii() else "".join(c for c in unicodedata.normalize("NFKD", low) if not unicodedata.combining(c))
    )


@lru_cache(100_000)
def _bare(word: str) -> str:
    word = re.sub(r"['’](?:s|S)?$", "", word)
    return word.replace(".", "") if re.fullmatch(r"(?:[A-Za-z]\.)+[A-Za-z]?", word) else word


@lru_cache(100_000)
def _common(low: str) -> bool:
    return low in _SKIP or known(low) or (low.endswith("'s") and known(low[:-2]))


@lru_cache(100_000)
def _forms(low: str) -> frozenset[str]:
    """A word, its parts and lemmas."""
    parts = {part for part in re.split(r"[-/&’']", low) if part} | {low}
    lemmas = {r.lemma for part in parts for r in readings(part)}
    singular = {part[:-1] for part in parts if len(part) > 3 and part.endswith("s")}
    return frozenset(parts | lemmas | singular)


def _led(line: str, tokens: list[re.Match[str]], place: int) -> bool:
    """Does an article stand before the run of words with capitals that this one is in?"""
    at = place - 1
    while at >= 0 and place - at < 12 and line[tokens[at].end() : tokens[at + 1].start()].strip(" ") == "":
        word = tokens[at][0]
        if word.lower() in _LEADS:
            return True
        if word[0].islower() and word not in _SMALL:
            return False
        at -= 1
    return False


def _runs(line: str, tokens: list[re.Match[str]], runs: dict[str, tuple[str, ...]]) -> None:
    """Put down the initials of each run of words with capitals, and of its endings and beginnings, to eight words."""
    run: list[str] = []
    for place, token in enumerate([*tokens, None]):
        word = token[0] if token else ""
        joined = (
            bool(run) and token is not None and len(line[tokens[place - 1].end() : token.start()].strip(" &,-")) == 0
        )
        if token and joined and word in _SMALL:
            continue
        if token and word[0].isupper() and (joined or not run):
            run.append(word)
            continue
        for letters, words in _initials(run[:12]):
            runs.setdefault(letters, words)
        run = [word] if token and word[0].isupper() else []


def _initials(run: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    letters = "".join(word[0] for word in run)
    words = tuple(_plain(_bare(word)) for word in run)
    for start in range(len(run)):
        for end in range(start + 2, min(len(run), start + 8) + 1):
            yield letters[start:end].lower(), words[start:end]


SMALL = 10  # a count up to this, in letters, comes with wording: "two things", "one of them"

_CODE = re.compile(r"[\w.-]*\d[\w.-]*")
_FORMS = ((re.compile(r"\b(?:form\s)?10-K\b", re.IGNORECASE), "annual report"),
          (re.compile(r"\b(?:form\s)?10-Q\b", re.IGNORECASE), "quarterly report"))  # fmt: skip
_FRACTIONS = {"50%": r"\bhalf\b", "10%": r"\b(?:one[- ])?tenth\b", "25%": r"\bquarter of\b",
              "@q4": r"\b(?:last|final) quarter\b",
              "2": r"\b(?:both|pair|two)\b", "2x": r"\b(?:twice|double[sd]?|doubling)\b"}  # fmt: skip
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()


def changed_facts(original: str, variant: str) -> tuple[list[str], list[str]]:
    """The facts of the original that the variant lacks, in whatever notation, and those that only the variant has.

    Small counts in letters come and go with wording ("one more year") and are no facts then.
    """
    before, after = facts(original), facts(variant)
    gone = [fact for fact in before if fact not in after and not _otherwise(fact, after, variant)]
    new = [fact for fact in after if fact not in before and not _otherwise(fact, before, original)]
    gone = [fact for fact in gone if fact.partition(" ")[0] != "1" or _digits(fact, original)]
    return gone, [fact for fact in new if not _counted(fact, variant)]


@cache_short_texts
def facts(text: str) -> dict[str, int]:
    """Each figure of a text with its unit, in one notation, and each other word that has a digit."""
    for form, words in _FORMS:
        text = form.sub(words, text)
    found = find_figures(text)
    facts = Counter(f"{one.text} {one.unit}" if one.unit else one.text for one in found)
    # figures that hang on letters are names ("A100"), what hangs on hyphens and stops is a code ("2025-06")
    edges = [0, *(edge for one in found for edge in (one.start, one.end)), len(text)]
    rest = " ".join(text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
    facts.update(code for hit in _CODE.finditer(rest) if not re.search(r"[^\W\d_]", code := hit[0].strip("-.")))
    return dict(facts)


def _otherwise(fact: str, facts: dict[str, int], text: str) -> bool:
    """Is this fact among others said in parts, or with its unit understood: "September 28" and "2024"?"""
    if fact in _FRACTIONS and re.search(_FRACTIONS[fact], text, re.IGNORECASE):
        return True
    if fact.startswith("@"):
        year, _, rest = fact[1:].partition("-")
        if rest == "12-31" and re.search(
            rf"\b(?:end|last day|close) of (?:fiscal )?(?:year )?{year}\b", text, re.IGNORECASE
        ):
            return True
        days = {f[1:].partition("-")[2] for f in facts if f.startswith("@")}
        years = {f[1:].partition("-")[0] for f in facts if f.startswith("@")}
        return (not year or year in years) and (not rest or rest in days)
    value, _, unit = fact.partition(" ")
    if value.endswith("th"):
        place = int(value[:-2]) if value[:-2].isdecimal() and is_number(value) else 0
        return 0 < place <= len(_ORDINALS) and re.search(rf"\b{_ORDINALS[place - 1]}\b", text, re.I) is not None
    if value.endswith("x"):
        return value[:-1] in facts
    return not unit and f"{value}x" in facts


def _counted(fact: str, text: str) -> bool:
    """A small count in letters: "two things", "one more year"; but "two years" counts."""
    value, _, unit = fact.partition(" ")
    small = value.isdecimal() and (value == "1" or (is_number(value) and int(value) <= SMALL and not unit))
    return small and not _digits(fact, text)


def _digits(fact: str, text: str) -> bool:
    value, _, unit = fact.partition(" ")
    return re.search(rf"(?<![\w.(]){value}" + (rf"[\s-]{unit}" if unit else r"(?!\w)"), text) is not None
