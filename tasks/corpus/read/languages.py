"""Names of languages, as sources give them, and their codes (ISO 639)."""

import re

_NAMES = """
ar ara arabic | bg bul bulgarian | bn ben bengali | ca cat catalan | cs ces cze czech | da dan danish
de deu ger german deutsch | el ell gre greek | en eng english | es spa spanish español espanol castilian
et est estonian | fa fas per persian farsi | fi fin finnish | fr fra fre french français francais | ga gle irish
he heb hebrew | hi hin hindi | hr hrv croatian | hu hun hungarian | id ind indonesian | is isl ice icelandic
it ita italian italiano | ja jpn japanese | ko kor korean | lt lit lithuanian | lv lav latvian | ms msa may malay
mt mlt maltese | nb nob bokmål | nl nld dut dutch nederlands flemish | no nor norwegian | pl pol polish polski
pt por portuguese português portugues | ro ron rum romanian | ru rus russian | sk slk slo slovak | sl slv slovenian
sr srp serbian | sv swe swedish svenska | ta tam tamil | te tel telugu | th tha thai | tr tur turkish
uk ukr ukrainian | ur urd urdu | vi vie vietnamese | zh zho chi chinese mandarin
"""
_CODES = {name: names[0] for line in re.split(r"[|\n]", _NAMES) if (names := line.split()) for name in names}
_UNSAID = frozenset("und unk mul mis zxx na nan none null unknown other n a".split())


def language(text: str) -> str:
    """The code of a language given by name or code ("English", "eng", "en-US" are "en"); "" for what is none."""
    words = re.findall(r"[^\W\d_]+", text[:200].lower())
    if not words or words[0] in _UNSAID:
        return ""
    for word in words if len(words[0]) > 3 else words[:1]:
        if word in _CODES:
            return _CODES[word]
    return words[0] if re.fullmatch("[a-z]{2,3}", words[0]) and re.match(r"\W*\w+(?:\W*$|[-_])", text) else ""
