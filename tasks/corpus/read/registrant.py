"""A registrant's name as its own text spells it, from the capitals of EDGAR's index."""

import re
import unicodedata
from collections import Counter

from rarefy.tasks.text.names import FORM, is_legal_form

# How forms in capitals are printed, where the text does not say
PRINTED = {
    "INC": "Inc.",
    "LTD": "Ltd.",
    "LP": "L.P.",
    "LLC": "LLC",
    "PLC": "plc",
    "NV": "N.V.",
    "SA": "S.A.",
    "AG": "AG",
}
PLACE = re.compile(r"\s*/[A-Z]{0,4}/?\s*$|\s*\\[A-Z]{2}\\?\s*$")  # "/DE/", "/NEW/", "CO/"
LITTLE = {"OF", "AND", "THE", "FOR", "IN", "DE"}
ARTICLE = 0.4  # of the mentions with a capital "The": it is the name's own, not that of "the Acme Inc. plan"
SEARCHED = 400_000  # characters: a registrant names itself in its first items


def preferred_name(conformed: str, text: str) -> str:
    """The spelling of "WALT DISNEY CO/" that the text uses most in full, else the conformed name in title case."""
    name = PLACE.sub("", conformed.strip()).strip(" ,/")
    tokens = [token.strip(".,") for token in name.split() if token.strip(".,&") or token == "&"]
    if not tokens:
        return ""
    core = list(tokens)
    while len(core) > 1 and is_legal_form(core[-1]):
        core.pop()
    words = r"[\s,.]+".join("(?:&|and)" if t.upper() in ("&", "AND") else re.escape(_plain(t)) for t in core)
    pattern = re.compile(rf"(?<!\w){words}(?!\w)(?:,?\s(?:{FORM}|Trust|Holdings|Group)(?!\w))+", re.I)
    plain, full, articles = _plain(text[:SEARCHED]), Counter[str](), Counter[str]()
    for match in pattern.finditer(plain):
        spelled = " ".join(text[match.start() : match.end()].split())
        if not spelled.isupper():
            full[spelled] += 1
            articles[spelled] += plain[max(match.start() - 5, 0) : match.start()].split()[-1:] == ["The"]
    if full:
        best = max(full, key=lambda name: (full[name], name))
        return f"The {best}" if articles[best] >= ARTICLE * full[best] else best
    return _title_case(tokens) if name.isupper() else name


def _plain(text: str) -> str:
    """The text without accents, letter for letter, so that places stay the same."""
    if text.isascii():
        return text
    return "".join(unicodedata.normalize("NFD", character)[0] for character in text)


def _title_case(tokens: list[str]) -> str:
    words = []
    for number, token in enumerate(tokens):
        if number and number == len(tokens) - 1 and token in PRINTED:
            words.append(PRINTED[token])
        elif token in LITTLE and number:
            words.append(token.lower())
        else:
            words.append(token.capitalize())
    return " ".join(words)
