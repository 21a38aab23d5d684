"""What a row label is called in a sentence: measures named as the filing names them, or not at all."""

import re
from collections.abc import Set

# Head nouns that make a label the name of a measure; a label without one borrows its group's ("Net sales:").
MEASURES = frozenset(
    """sales revenue revenues income loss losses earnings profit margin expense expenses cost costs asset assets
    liability liabilities equity deficit debt cash goodwill inventory inventories depreciation amortization compensation
    dividend dividends purchase purchases payment payments proceeds repurchase repurchases repayment repayments
    payable payables receivable receivables property equipment plant investment investments securities borrowing
    borrowings rate rates gain gains provision provisions deposit deposits capital surplus stock contribution
    contributions obligation obligations lease leases commitment commitments backlog interest tax taxes allowance
    allowances reserve reserves share shares employees stores benefit benefits charge charges expenditure expenditures
    spending outlay outlays acquisition acquisitions issuance issuances impairment impairments credit credits balance
    paper intangibles software land buildings machinery value accruals accrual fees fee premium premiums grants
    funding funds yield""".split()
)
# One such word says enough alone; others ("Other", "Cash", "Interest", "Stock") do not.
_ENOUGH = frozenset("goodwill inventories revenue revenues depreciation sales dividends backlog".split())
_ADJECTIVES = frozenset(
    "basic diluted current noncurrent non-current federal state foreign domestic international deferred u.s. us".split()
)
_EMPTY = frozenset(
    "other others total totals subtotal net gross all miscellaneous various eliminations unallocated".split()
)
_SMALL = frozenset(
    """a an and as at before after by excluding for from in including less net of on or per the to used with""".split()
)
_ALWAYS_SMALL = _SMALL | MEASURES | _EMPTY | (_ADJECTIVES - {"u.s.", "us"})
_MARK = re.compile(r"\s*(?:\((?:\d{1,2}|[a-z]{1,2})\)(?:\s*,)?|[*†‡§]+|\[\d+\])\s*$")
_ASIDE = re.compile(
    r"\s*\((?:in |\$ |amounts |dollars |unaudited|as (?:restated|adjusted|reported)|see |note|refer)[^()]*\)"
    r"|,?\s+(?:see )?note \d+\w*",
    re.I,
)
# What a label of one measure never has: numbers, halves of alternatives, points of time
_DEBRIS = re.compile(r"\d|[$%]|/\(|\)/|\bbeginning\b|\bend(?:ing)? of|\bbalances?,? (?:at|as of)\b", re.I)
_PAR = re.compile(
    r",\s*(?:\$[\d.]+ )?(?:par|stated) value.*$|\s*\$[\d.]+ (?:par|stated) value.*$|;.*$|:.*\bauthorized\b.*$", re.I
)
_HEAD_ENDS = re.compile(
    r"\s+(?:of|from|for|in|on|to|per|at|used|before|after|attributable|available|provided|generated|due|under|by|excluding"
    r"|including|with|held|paid|payable to|issued|incurred|received|declared|outstanding|obtained|related|that|arising"
    r"|recognized|acquired|accrued|charged|reclassified|included)\b"
    r"|\s+\w+ed(?=$|\s+(?:for|in|to|of|by|on|from|during)\b)|\s*[,(]| [-–—] "
)
_TRAILS = re.compile(r", (?:net|current|non-?current|less|including|excluding|inclusive)\b| net of\b")
_LISTED_ENDS = re.compile(_HEAD_ENDS.pattern.replace(r"|\s*[,(]|", r"|\s*\(|"))
# Measures that are counted on a day, and those that run over a stretch of time
STOCK = re.compile(
    r"\b(?:assets|liabilities|obligations|equity|deficit|inventor(?:y|ies)|receivables?|payables?|goodwill|debt"
    r"|retained earnings|(?:cash|funds) and (?:cash )?equivalents|accumulated|allowance|unearned|deferred revenue)\b",
    re.I,
)
FLOW = re.compile(
    r"\b(?:revenues?|sales|income|expenses?|earnings|costs?|loss|profit|margin|payments?|proceeds|purchases?|repayments?"
    r"|repurchases?|changes?|increase|decrease|provided|used|issu\w+|return|acquisitions?|additions|dividends)\b",
    re.I,
)
_ENDING = re.compile(
    r",? (?:at )?(?:the )?end(?:ing)?(?: of (?:the )?(?:year|period)| balances?)$|,? (?:at )?(?:the )?year[- ]end$",
    re.I,
)


def tidy_label(label: str) -> str:
    """A label without footnote marks, asides about units, and its colon."""
    label = re.sub(r"^(?:(?:add|plus|deduct|including|of which)\s*:|less\b:?)\s*", "", label, flags=re.I)
    previous = None
    while previous != label:
        previous = label
        label = _MARK.sub("", label).strip()
        label = _ASIDE.sub("", label).strip().rstrip(":").rstrip("—–-").strip()
    label = re.sub(r"\s*/\s*\((loss(?:es)?|deficit|expense|benefit|decrease|outflow)\)", r" (\1)", label, flags=re.I)
    return re.sub(r"\s+", " ", label)


def lowercase_label(label: str, vocabulary: Set[str]) -> str:
    """A label as it is written within a sentence: words that the document also has in lower case lose their capital."""
    words: list[str] = []
    shouted = sum(w.isupper() and len(w) > 3 for w in label.split()) > 1 or (label.isupper() and len(label) > 5)
    rest = label.split(" ")[1:]
    begins_small = not any(w[:1].isupper() for w in rest[:1])
    sentence_case = begins_small and any(w[:1].islower() and w.lower() not in _SMALL for w in rest)
    for i, word in enumerate(label.split(" ")):
        core = word.strip("(),.:;’'\"")
        parts = [p for p in re.split(r"[-‑/]", core.lower()) if p]
        plain = core[:1].isupper() and (core[1:] == core[1:].lower() or shouted or (len(core) > 3 and core.isupper()))
        known = all(p in vocabulary or p in _ALWAYS_SMALL or re.sub(r"s$", "", p) in vocabulary for p in parts)
        # "Repayment of long-term debt": a first word that only the label has, in a label that is a sentence's beginning
        # (by its beginning: a vocabulary is searched for words that go on in any way)
        stem = re.sub(r"^(?:un|non|re)(?=\w{5})", "", parts[0])[:5] if parts else ""
        may_open = bool(stem) and i == 0 and sentence_case and plain and not known
        opening = may_open and any(v.startswith(stem) for v in vocabulary)
        if len(core) == 1 and i and label.split(" ")[i - 1].lower() == "class":
            words[-1] = words[-1].capitalize()  # "Class A"
            words.append(word)
            continue
        named = i > 1 and words[-1][:1].isupper() and not shouted  # "the Coca-Cola Company"
        if plain and parts and (known or opening) and not named:
            word = word.lower()
        elif plain and shouted:
            word = word if "." in word.rstrip(".,") else word.capitalize()
        words.append(word)
    return " ".join(words)


def label_words(label: str) -> list[str]:
    """The lower-case words of a label."""
    return re.findall(r"[a-z][a-z.&’'-]*[a-z.]|[a-z]", label.lower())


def measure_name(label: str, groups: tuple[str, ...]) -> str | None:
    """The name of what a row measures, from its label and the group labels above it (nearest last).

    None where the words at hand do not say it: "Total", "Other, net", "Beginning balance".
    """
    label = _ENDING.sub("", _PAR.sub("", tidy_label(label)).strip())
    if tail := re.fullmatch(r"(.+?)\s+[-–—]\s*(\S.*)", label):
        if tail[2].lower() in _ADJECTIVES:
            label = f"{tail[2]} {tail[1]}"  # "Earnings per share – basic"
        elif tail[2].lower() != "net":
            return None
    words = label_words(label)
    if not words or len(words) > 14 or _DEBRIS.search(label.replace("401(k)", "")):
        return None
    group = _PAR.sub("", tidy_label(groups[-1])).strip() if groups else ""
    if words in (["common", "stock"], ["preferred", "stock"], ["common", "shares"]):
        return None  # an amount or a number of shares: the label alone does not tell which
    known = {
        w
        for i, w in enumerate(words)
        if w in MEASURES and not (w == "payable" and words[i - 1 : i][-1:] == ["currently"])
    }
    telling = [w for w in words if w not in _EMPTY - {"total", "net", "gross"} and w not in _SMALL]
    if known and telling and set(telling) - _EMPTY and (len(telling) >= 2 or telling[0] in _ENOUGH):
        if words[0] in _ADJECTIVES and len(telling) < 2:
            return None
        return label
    kind = label_words(group)
    if not kind or not set(kind) & MEASURES or not telling or len(kind) > 10:
        return None
    if all(w in _ADJECTIVES or w in _SMALL for w in words):
        first, _, rest = group.partition(" ")
        if first.lower() in {"current", "deferred"} and rest:
            return f"{first} {label} {rest}"  # "current federal income taxes", as everybody says
        return f"{label} {group}"
    if known or not set(words) <= _ADJECTIVES | _SMALL | MEASURES | _EMPTY:
        return None  # a member of the group, not a measure of the whole
    return None


def complete_measure(label: str, groups: tuple[str, ...], tag: str) -> str | None:
    """A label without a noun, completed by that of its tag or group: "Research and development expenses"."""
    label = _PAR.sub("", tidy_label(label)).strip()
    words = [w for w in label_words(label) if w not in _SMALL]
    parts = [p.lower() for p in re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+", tag)]
    if len(words) < 2 or not all(any(p.startswith(w[:5]) or w.startswith(p[:5]) for p in parts) for w in words):
        return None
    lent = [
        w for g in groups[-1:] for w in label_words(tidy_label(g)) if w in MEASURES and w[:6] in {p[:6] for p in parts}
    ]
    noun = lent[-1] if lent else next((p for p in parts if p in {"expense", "cost", "income", "revenue"}), None)
    return f"{label} {noun}" if noun and noun not in words else None


def group_measure(group: str) -> str | None:
    """The measure that a group label announces for the members below it ("Net sales:" → "Net sales")."""
    group = _PAR.sub("", tidy_label(group)).strip()
    words = label_words(group)
    if not words or len(words) > 8 or (words[-1] not in MEASURES and not set(words[:3]) & MEASURES):
        return None
    if words[0] in {"changes", "adjustments", "less", "add", "supplemental", "other"}:
        return None
    return re.sub(r"^total ", "", group, flags=re.I)


def is_plural(name: str) -> bool:
    """Whether a measure's name takes "were": by its head noun, the last word before a preposition or participle."""
    plain = _TRAILS.split(name.lower())[0]
    listed = re.match(r"[\w\s/-]+(?:, [\w\s/-]+)*,? (?:and|&) ", plain)
    ends = _HEAD_ENDS if not listed else _LISTED_ENDS
    head = (ends.split(plain or name.lower(), maxsplit=1)[0] or name.lower()).split()
    return bool(head) and re.search(r"(?<![sui])s$", head[-1]) is not None
