"""Names of firms and people: legal forms, and abbreviations that end in a full stop."""

import re
import unicodedata
from functools import lru_cache

# Legal forms as they are written without full stops, each with the spellings that mean the same. Short words that are
# also English ("as", "se", "spa", "sa") are forms only at the end of a name.
_SPELLINGS = {
    "inc": "inc incorporated",
    "corp": "corp corporation",
    "co": "co company companies cos",
    "ltd": "ltd limited",
    "lp": "lp",
    "plc": "plc",
    "bv": "bv",
    "pty": "pty proprietary",
    "srl": "srl",
    "gmbh": "gmbh mbh",
    "sarl": "sarl sàrl",
    "ag": "ag aktiengesellschaft",
    **{
        form: form
        for form in (
            "llc llp lllp pllc pc sa nv ab asa as oy oyj aps spa sas se kg kgaa ohg ug kk gk pte bhd sdn sl slu sro "
            "zrt nyrt kft doo ooo pao oao pjsc ojsc jsc sca scs snc sprl bvba cv saoc saog ltda na nsa"
        ).split()
    },
}
# What the name of a street ends in, in small letters
STREETS = frozenset(
    "street st road rd avenue ave drive lane boulevard blvd way parkway pkwy expressway highway plaza place court "
    "square circle terrace".split()
)
LEGAL_FORMS = {spelling: form for form, spellings in _SPELLINGS.items() for spelling in spellings.split()}
# Those of firms under English and American law, which English prints with any name and which are no other words.
ENGLISH_FORMS = frozenset(
    word for word, form in LEGAL_FORMS.items() if form in "inc corp co ltd lp plc llc llp".split()
)
# Two letters that end the names of things as well ("Apple Watch SE"), or are words: forms only in `company`.
_DOUBTFUL = frozenset("as ab se spa pc cv sl ug pao proprietary".split())
_STOPPED = [
    form if len(form) > 4 or form in ("inc", "corp", "co", "ltd") else r"\.?".join(form)
    for form in sorted(set(LEGAL_FORMS) - _DOUBTFUL, key=len, reverse=True)
]
# A legal form at the end of a name, with what parts it from the rest; in any case of letters.
ENDING = re.compile(rf"[,\s]+(?:{'|'.join(_STOPPED)})\.?$", re.IGNORECASE)
# A legal form as print has it, with a capital ("Inc.", "L.L.C.", "AG") or "plc", for patterns of names that need one.
FORM = rf"(?=[A-Z]|plc\b)(?i:(?:{'|'.join(_STOPPED)})(?!\w)\.?)"

# Never the end of a sentence, whatever follows.
TITLES = frozenset(
    """
    mr mrs ms messrs dr prof rev hon gov sen rep reps sens gen col lt capt maj sgt st mt ft vs v cf viz e.g i.e al
    no nos sec secs art arts fig figs ch para paras pp vol vols ed eds par pt approx est incl excl resp re jan feb mar
    apr jun jul aug sept oct nov dec
    """.split()
)
# The end of a sentence only where a word follows that seldom stands in a name.
ABBREVIATIONS = frozenset(
    """
    inc corp co cos ltd llc plc l.p l.l.c l.l.p n.a s.a n.v a.g u.s u.k u.n e.u d.c u.s.a u.s.c c.f.r n.y p.l.c jr sr
    etc a.m p.m ph.d m.d b.a m.b.a esq bros dept assn ave blvd rd ste bldg intl univ mfg int'l gov't stat reg regs fed
    f.2d f.3d supp cir ct dist div govt co.'s
    """.split()
)


@lru_cache(maxsize=1 << 14)
def plain(text: str) -> str:
    """The text in one case, without accents, white space single: what names of any type may differ in."""
    decomposed = unicodedata.normalize("NFKD", text.replace("’", "'").replace("–", "-").replace("—", "-"))
    return " ".join("".join(c for c in decomposed if not unicodedata.combining(c)).casefold().split())


@lru_cache(maxsize=1 << 14)
def company(text: str) -> tuple[str, tuple[str, ...]]:
    """An organisation's name without article, case and punctuation, and the legal forms at its end."""
    words = re.sub(r"[^\w]+|_", " ", re.sub(r"['.]", "", re.sub(r"'s$", "", plain(text))).replace("&", " and ")).split()
    if words[:1] == ["the"] and len(words) > 1:
        words = words[1:]
    core = list(words)
    forms: list[str] = []
    while len(core) > 1 and core[-1] in LEGAL_FORMS:
        forms.insert(0, LEGAL_FORMS[core.pop()])
        if core[-1] == "and" and len(core) > 1:  # "& Co."
            core.pop()
    return " ".join(core), tuple(forms)


def without_form(name: str) -> str:
    """A company's name as written, without article and legal forms: "Apple" of "The Apple, Inc."."""
    left = re.sub(r"^the\s", "", name.strip(), flags=re.IGNORECASE)
    while (shorter := re.sub(r"\s(?:&|and)$", "", ENDING.sub("", left)).rstrip(" ,")) != left and shorter:
        left = shorter
    return left


def is_legal_form(word: str) -> bool:
    """Is a word, with full stops or without, a legal form of firms?"""
    return plain(word).replace(".", "") in LEGAL_FORMS
