"""The figures of a text with their units, dates and codes, in one notation each, and which of them another lacks."""

import re
from collections import Counter

from rarefy.tasks.text.figures import figures
from rarefy.tasks.text.memo import small
from rarefy.tasks.text.quantities import is_number

SMALL = 10  # a count up to this, in letters, comes with wording: "two things", "one of them"

_CODE = re.compile(r"[\w.-]*\d[\w.-]*")
_FORMS = ((re.compile(r"\b(?:form\s)?10-K\b", re.IGNORECASE), "annual report"),
          (re.compile(r"\b(?:form\s)?10-Q\b", re.IGNORECASE), "quarterly report"))  # fmt: skip
_FRACTIONS = {"50%": r"\bhalf\b", "10%": r"\b(?:one[- ])?tenth\b", "25%": r"\bquarter of\b",
              "@q4": r"\b(?:last|final) quarter\b",
              "2": r"\b(?:both|pair|two)\b", "2x": r"\b(?:twice|double[sd]?|doubling)\b"}  # fmt: skip
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()


def changed(original: str, variant: str) -> tuple[list[str], list[str]]:
    """The facts of the original that the variant lacks, in whatever notation, and those that only the variant has.

    Small counts in letters come and go with wording ("one more year") and are no facts then.
    """
    before, after = facts(original), facts(variant)
    gone = [fact for fact in before if fact not in after and not _otherwise(fact, after, variant)]
    new = [fact for fact in after if fact not in before and not _otherwise(fact, before, original)]
    gone = [fact for fact in gone if fact.partition(" ")[0] != "1" or _digits(fact, original)]
    return gone, [fact for fact in new if not _counted(fact, variant)]


@small
def facts(text: str) -> dict[str, int]:
    """Each figure of a text with its unit, in one notation, and each other word that has a digit."""
    for form, words in _FORMS:
        text = form.sub(words, text)
    found = figures(text)
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
