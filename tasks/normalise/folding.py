"""Names without what writers vary: case, accents, punctuation, and for companies the legal suffix."""

import re
import unicodedata
from functools import cache

# Legal forms, each with the spellings that mean the same.
SUFFIXES: dict[str, str] = {
    spelling: form
    for form, spellings in {
        "inc": "inc incorporated",
        "corp": "corp corporation",
        "co": "co company",
        "ltd": "ltd limited",
        **{
            form: form
            for form in "llc llp lp plc sa ag nv bv ab asa as oyj spa se gmbh kg kgaa kk pte pty sarl na".split()
        },
    }.items()
    for spelling in spellings.split()
}


@cache
def plain(text: str) -> str:
    """The text in one case, without accents, white space single: what names of any type may differ in."""
    decomposed = unicodedata.normalize("NFKD", text.replace("’", "'").replace("–", "-").replace("—", "-"))
    return " ".join("".join(c for c in decomposed if not unicodedata.combining(c)).casefold().split())


@cache
def label(text: str) -> str:
    """A relation without case and punctuation: "Non-current assets" and "noncurrent assets" are one.

    Signs that carry meaning stay: "gross margin %" is not "gross margin", and "other (income) expense" has the opposite
    sign of "other income (expense)". So do the digits of a number.
    """
    kept = re.sub(r"(?<=\d)[.,](?=\d)", "·", plain(text).replace("&", " and "))
    return re.sub(r"[^\w%$#+·()]|_", "", kept)


@cache
def company(text: str) -> tuple[str, tuple[str, ...]]:
    """An organisation's name without article, case and punctuation, and the legal forms at its end."""
    words = re.sub(r"[^\w]+|_", " ", re.sub(r"['.]", "", re.sub(r"'s$", "", plain(text))).replace("&", " and ")).split()
    if words[:1] == ["the"] and len(words) > 1:
        words = words[1:]
    core = list(words)
    forms: list[str] = []
    while len(core) > 1 and core[-1] in SUFFIXES:
        forms.insert(0, SUFFIXES[core.pop()])
        if core[-1] == "and" and len(core) > 1:  # "& Co."
            core.pop()
    return " ".join(core), tuple(forms)
