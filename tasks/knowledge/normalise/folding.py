"""Labels without what writers vary: case, accents, punctuation."""

import re
from functools import cache

from rarefy.tasks.text.names import plain


@cache
def label(text: str) -> str:
    """A relation without case and punctuation: "Non-current assets" and "noncurrent assets" are one.

    Signs that carry meaning stay: "gross margin %" is not "gross margin", and "other (income) expense" has the opposite
    sign of "other income (expense)". So do the digits of a number.
    """
    kept = re.sub(r"(?<=\d)[.,](?=\d)", "·", plain(text).replace("&", " and "))
    return re.sub(r"[^\w%$#+·()]|_", "", kept)
