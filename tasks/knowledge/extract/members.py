"""Parts of a company that figures are broken down by: segments, products, regions."""

import re

_AXES = {
    "StatementBusinessSegmentsAxis": "SEGMENT",
    "ProductOrServiceAxis": "PRODUCT",
    "StatementGeographicalAxis": "REGION",
}
_FILLER = frozenset(["member", "segment", "segments", "group", "business", "and", "of", "the", "other", "total"])


def member_type(axis: str) -> str:
    """SEGMENT, PRODUCT or REGION; "" for an axis that is not a part of the company."""
    return _AXES.get(axis.rpartition(":")[2], "")


def _squeezed(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def shows_member(label: str, code: str) -> bool:
    """Whether a label names the member of a tag: "Greater China" and "aapl:GreaterChinaSegmentMember"."""
    prefix, _, local = code.rpartition(":")
    shown = _squeezed(re.sub(r"\(.*?\)|\d{4}|\bsegment\b|\btotal\b", " ", label.lower()))
    if not shown:
        return False
    if prefix == "country":
        return shown in _COUNTRY.get(local, ()) or (shown == local.lower())
    camel = re.sub(r"Member$", "", local)
    parts = [p for p in re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|\d+", camel) if p.lower() not in _FILLER]
    name = "".join(parts).lower()
    if not name or len(shown) < 2:
        return False
    shown = re.sub(r"and|of|the", "", shown) or shown
    name = re.sub(r"and|of|the", "", name) or name
    return shown == name or (min(len(shown), len(name)) >= 4 and (name.startswith(shown) or shown.startswith(name)))


_COUNTRY = {
    "US": ("us", "unitedstates", "usa", "unitedstatesofamerica", "domestic"),
    "CN": ("china", "mainlandchina", "chinaincludinghongkong"),
    "GB": ("unitedkingdom", "uk"),
    "DE": ("germany",),
    "JP": ("japan",),
    "TW": ("taiwan",),
    "SG": ("singapore",),
    "IE": ("ireland",),
    "CA": ("canada",),
    "MX": ("mexico",),
    "IN": ("india",),
    "FR": ("france",),
    "KR": ("korea", "southkorea"),
    "AU": ("australia",),
    "BR": ("brazil",),
    "IL": ("israel",),
    "NL": ("netherlands",),
    "CH": ("switzerland",),
    "HK": ("hongkong",),
    "NO": ("norway",),
    "IT": ("italy",),
    "ES": ("spain",),
}
