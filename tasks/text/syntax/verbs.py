"""The past and the participle of a verb, where they are certain."""

from rarefy.tasks.text.wordnet import inflect

# The dictionary lists irregular forms without saying which is which, and not those that are as the verb itself: of
# these it gives the participle for both, or one made by rule ("beaten", "readed").
_PARTS = {
    "beat": ("beat", "beaten"), "mow": ("mowed", "mown"), "outbid": ("outbid", "outbid"),
    "overbid": ("overbid", "overbid"), "prove": ("proved", "proven"), "saw": ("sawed", "sawn"),
    "sew": ("sewed", "sewn"), "shave": ("shaved", "shaved"), "sow": ("sowed", "sown"), "swell": ("swelled", "swollen"),
    "gnaw": ("gnawed", "gnawed"), "melt": ("melted", "melted"), "overflow": ("overflowed", "overflowed"),
    "strew": ("strewed", "strewn"),
}  # fmt: skip
_UNCHANGED = frozenset(
    """
    read reread misread proofread shed burst thrust slit bet quit rid cast recast miscast typecast broadcast rebroadcast
    forecast telecast offset reset preset beset typeset upset input sublet undercut underbid
    """.split()
)


def past(lemma: str) -> str | None:
    """ "bought" of "buy"; None where it is not certain."""
    if lemma in _UNCHANGED:
        return lemma
    return _PARTS[lemma][0] if lemma in _PARTS else inflect(lemma, "v", "ed") or inflect(lemma, "v", "past")


def participle(lemma: str) -> str | None:
    """ "taken" of "take"; None where it is not certain."""
    if lemma in _UNCHANGED:
        return lemma
    return _PARTS[lemma][1] if lemma in _PARTS else inflect(lemma, "v", "ed") or inflect(lemma, "v", "participle")
