"""The forms of English words by rule, given the irregular ones."""

from collections.abc import Iterator, Sequence

# Forms by part of speech; "past" and "participle" are "ed" where they are the same word.
FORMS: dict[str, tuple[str, ...]] = {
    "n": ("plural",),
    "v": ("s", "ing", "ed", "past", "participle"),
    "a": ("comparative", "superlative"),
    "r": (),
}

# WordNet lists irregular forms without saying which is which: the common verbs whose past and participle differ.
STRONG: dict[str, tuple[str, str]] = {
    "be": ("was", "been"), "become": ("became", "become"), "begin": ("began", "begun"), "break": ("broke", "broken"),
    "choose": ("chose", "chosen"), "come": ("came", "come"), "do": ("did", "done"), "draw": ("drew", "drawn"),
    "drive": ("drove", "driven"), "fall": ("fell", "fallen"), "forbid": ("forbade", "forbidden"),
    "get": ("got", "got"), "give": ("gave", "given"), "go": ("went", "gone"), "grow": ("grew", "grown"),
    "know": ("knew", "known"), "rise": ("rose", "risen"), "run": ("ran", "run"), "see": ("saw", "seen"),
    "show": ("showed", "shown"), "speak": ("spoke", "spoken"), "take": ("took", "taken"),
    "undertake": ("undertook", "undertaken"), "wear": ("wore", "worn"), "withdraw": ("withdrew", "withdrawn"),
    "write": ("wrote", "written"),
}  # fmt: skip

UNCHANGED = {"cut", "set", "put", "let", "hit", "cost", "bid", "split", "spread", "wed", "shut", "hurt"}

VOWELS = "aeiou"


def head(lemma: str, pos: str) -> tuple[str, str]:
    """The word of a lemma that is inflected, and what follows: a verb's first, a noun's last or that before "of"."""
    if pos == "v":
        first, space, rest = lemma.partition(" ")
        return first, space + rest
    if pos == "n" and " of " in lemma:
        before, of, rest = lemma.partition(" of ")
        return before.rpartition(" ")[2], of + rest
    return lemma.rpartition(" ")[2], ""


def inflect(lemma: str, pos: str, form: str, irregular: Sequence[str] = ()) -> str | None:
    """This form of a one-word lemma; None where it has none or it is not certain."""
    if form == "base":
        return lemma
    if pos == "n" and form == "plural":
        return irregular[0] if irregular else _with_s(lemma)
    if pos == "v":
        return _verb(lemma, form, irregular)
    if pos == "a" and form in ("comparative", "superlative"):
        ending = "er" if form == "comparative" else "est"
        listed = [f for f in irregular if f.endswith(ending)]
        if listed:
            return listed[0]
        # Longer adjectives take "more", which is another word.
        return _joined(lemma, ending) if len(lemma) <= 6 and _syllables(lemma) <= 1 else None
    return None


def _verb(lemma: str, form: str, irregular: Sequence[str]) -> str | None:
    if form == "s":
        return {"have": "has", "be": "is", "do": "does", "go": "goes"}.get(lemma) or _with_s(lemma)
    if form == "ing":
        return next((f for f in irregular if f.endswith("ing")), None) or _joined(lemma, "ing")
    past = [f for f in irregular if not f.endswith("ing") and f != lemma]
    if lemma in STRONG:
        before, participle = STRONG[lemma]
        if before != participle:
            return {"past": before, "participle": participle}.get(form)
        return before
    if lemma in UNCHANGED:
        return lemma
    if len(past) > 1:
        return None
    return past[0] if past else _joined(lemma, "ed")


def undo(word: str) -> Iterator[tuple[str, str, str]]:
    """Every (lemma, pos, form) that a regular form can come from, known words or not; and the strong verbs."""
    for lemma, (past, participle) in STRONG.items():
        if word in (past, participle):
            yield lemma, "v", "ed" if past == participle else "past" if word == past else "participle"
    for ending, forms in (
        ("s", (("n", "plural"), ("v", "s"))),
        ("ing", (("v", "ing"),)),
        ("ed", (("v", "ed"),)),
        ("er", (("a", "comparative"),)),
        ("est", (("a", "superlative"),)),
    ):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            stem = word[: -len(ending)]
            stems = [stem, stem + "e", stem[:-1]]
            if stem.endswith("i"):
                stems.append(stem[:-1] + "y")
            elif stem.endswith("ie"):
                stems.append(stem[:-2] + "y")
            for pos, form in forms:
                for lemma in stems:
                    yield lemma, pos, form


def _with_s(word: str) -> str:
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in VOWELS:
        return word[:-1] + "ies"
    return word + "s"


def _joined(word: str, ending: str) -> str:
    if ending == "ing":
        return word[:-1] + ending if word.endswith("e") and not word.endswith(("ee", "ye", "oe")) else word + ending
    if word.endswith("e"):
        return word + ending[1:]
    if word.endswith("y") and word[-2:-1] not in VOWELS:
        return word[:-1] + "i" + ending
    return word + ending


def _syllables(word: str) -> int:
    groups = sum(c in VOWELS and (i == 0 or word[i - 1] not in VOWELS) for i, c in enumerate(word))
    return groups - (word.endswith("e") and groups > 1)
