"""Replace words of a question by synonyms from the Open English WordNet, in the same form (RARE §5.1, C.1)."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from rarefy.data_contracts.rows import row_id
from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.query.words import (
    Edit,
    Word,
    apply_edits,
    changes_meaning,
    describe_changes,
    draw_distinct,
    is_number,
    split_entity_words,
    split_words,
)
from rarefy.tasks.text import wordnet
from rarefy.tasks.text.syntax import Tables, replacements
from rarefy.tasks.text.syntax.words import DEGREES
from rarefy.tasks.text.wordnet import Reading

REVIEWED = Path(__file__).with_name("interchangeable.tsv")
OF_QUESTIONS = Tables(Path(__file__).with_name("question_words.tsv"), Path(__file__).with_name("question_phrases.tsv"))

# What many questions share: left where there is anything else
COMMON = frozenset({"company", "companies", "which", "what", "how many", "how many people", "how", "where"})
# and of these only one question in `SPARED` is changed, so that most variants do not change the same
SPARE = frozenset(
    "fiscal year|financial year|according to|under|as of|at the end of|at the close of|what was|what were|in".split("|")
)
SPARED = 2

CLAUSE = 60  # words before a verb that are searched for its auxiliary
LONGEST = 4  # words of the longest term that is replaced as a whole

MODALS = frozenset(
    {"to", "will", "would", "can", "could", "may", "might", "must", "should", "shall", "did", "does", "do"}
)
DETERMINERS = frozenset(
    "a an the its their his her our this that these those of in by for with from at on as and or".split()
)
AUXILIARIES = frozenset({"is", "are", "was", "were", "be", "been", "being", "has", "have", "had"})
HAVE = frozenset({"has", "have", "had"})
# Next to these a verb is part of a measure's name ("net cash provided by operating activities").
TERM_MAKERS = frozenset({"cash", "wholly", "fair", "own"})
# Nouns by WordNet ("in" is an inch) that begin another phrase after a noun
LINKS = frozenset(
    """
    in at as by for of on to was were is are be have has did does do can may must will or and per over than that it its
    most a
    """.split()
)


ARTICLE = 12  # characters before a word that are searched for its article
_ARTICLE = re.compile(r"\b([Aa]n?)\s+\Z")


@dataclass(frozen=True, slots=True)
class Replacement:
    """`text[start:end]` of a question and its synonyms."""

    start: int
    end: int
    instead: tuple[str, ...]


def word(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """Questions with `config.share` of their words (one at least) replaced by synonyms.

    Only reviewed synonyms are used, since most of WordNet's change a question about a report: terms of reports by the
    words beside them (`interchangeable.tsv`), the words of any question by its syntax (`question_words.tsv`,
    `question_phrases.tsv` and the tables of text/syntax). Names, numbers, dates and units stay; a
    term is replaced as a whole.
    """
    places = _find_places(case)
    wanted = max(1, round(config.share * len(split_words(case.text))))

    def drawn() -> Draft:
        some = random.sample(places, min(wanted, len(places)))
        edits = sorted(random.choice(place) for place in some)
        detail = describe_changes((case.text[start:end], new) for start, end, new in edits)
        return apply_edits(case.text, edits, detail)

    return draw_distinct(case.text, drawn) if places else iter(())


def _find_places(case: Case) -> list[list[Edit]]:
    """The words and phrases that can be replaced, each by what may stand instead, without overlap.

    What many questions on a corpus offer is left where there is anything else, and what nearly every one offers
    ("fiscal year") in all but one of `SPARED` questions, chosen by hash: else most variants would change that alone.
    """
    text, named = case.text, split_entity_words(case.entity)
    found = [[_with_article(text, p, new) for new in p.instead] for p in find_replacements(case)]
    every = split_words(text)
    for edits in replacements(text, OF_QUESTIONS):
        place = [(e.start, e.end, e.new) for e in edits if _may_change(every, e.start, e.end, named)]
        if place and not any(place[0][0] < end and start < place[0][1] for start, end, _ in (own[0] for own in found)):
            found.append(place)
    # one of two equal words would seem to mean another thing ("fiscal year 2024", "financial year 2023")
    once = [place for place in found if _count_words(text, text[slice(*place[0][:2])]) == 1]
    written = [text[slice(*place[0][:2])].lower() for place in once]
    rare = [place for place, word in zip(once, written, strict=True) if word not in COMMON | SPARE]
    common = [place for place, word in zip(once, written, strict=True) if word not in SPARE]
    return rare or common or (once if int(row_id("word", case.case_id), 16) % SPARED == 0 else [])


def _may_change(every: Sequence[Word], start: int, end: int, named: Set[str]) -> bool:
    """Whether these words are no name, code or quotation."""
    words = [(i, word) for i, word in enumerate(every) if word.start < end and start < word.end]
    return all(w.plain and not (w.capitalised and i) and w.text.lower() not in named for i, w in words)


def _count_words(text: str, words: str) -> int:
    return len(re.findall(rf"(?<![\w-]){re.escape(words)}(?![\w-])", text))


def _with_article(text: str, place: Replacement, new: str) -> Edit:
    """The edit that puts a word there, with the article before it where that changes."""
    article = _ARTICLE.search(text, max(place.start - ARTICLE, 0), place.start)
    if article and len(article[1]) != 1 + (new[0] in "aeiou"):
        return article.start(1), place.end, f"{article[1][0]}{'n' if new[0] in 'aeiou' else ''} {new}"
    return place.start, place.end, new


def find_replacements(case: Case) -> Iterator[Replacement]:
    """The words that can be replaced, without overlap."""
    every, named, i = split_words(case.text), split_entity_words(case.entity), 0
    while i < len(every):
        length = _term_length(every, i)
        run = every[i : i + length]
        if instead := _find_instead(every, i, length, named):
            yield Replacement(run[0].start, run[-1].end, instead)
        i += length


def _find_instead(every: Sequence[Word], i: int, length: int, named: Set[str]) -> tuple[str, ...]:
    run = every[i : i + length]
    before, after = every[i - 1] if i else None, every[i + length] if i + length < len(every) else None
    if any(w.capitalised or not w.plain or w.text in named for w in run) or (length == 1 and changes_meaning(run[0])):
        return ()
    if any(w and w.text in TERM_MAKERS for w in (before, after)):
        return ()
    found: dict[str, None] = {}
    for reading in _readings(" ".join(w.text for w in run)):
        if _is_reading_possible(reading, every, i, i + length):
            for synonym in _synonyms(reading, before, after):
                if new := wordnet.inflect(synonym, reading.pos, _target_form(reading, before)):
                    found[new] = None
    return tuple(found)


def _term_length(every: Sequence[Word], i: int) -> int:
    """The number of words of the WordNet term that begins here; 1 where it is a single word."""
    for length in range(min(LONGEST, len(every) - i), 1, -1):
        run = every[i : i + length]
        if not any(w.ends for w in run[:-1]) and _readings(" ".join(w.text.lower() for w in run)):
            return length
    return 1


@cache
def _readings(term: str) -> tuple[Reading, ...]:
    """The readings of a term; of several words, a noun whose last word (or that before "of") may be plural."""
    if " " not in term:
        return wordnet.readings(term)
    first, _, last = term.rpartition(" ")
    lemmas = {term} | {f"{first} {r.lemma}" for r in wordnet.readings(last)}
    before, of, rest = term.partition(" of ")
    if of:
        lemmas |= {r.lemma + of + rest for r in wordnet.readings(before)}
    found = (Reading(lemma, "n", form) for lemma in sorted(lemmas) for form in ("base", "plural"))
    return tuple(r for r in found if wordnet.senses(r.lemma, "n") and wordnet.inflect(r.lemma, "n", r.form) == term)


def _synonyms(reading: Reading, before: Word | None, after: Word | None) -> tuple[str, ...]:
    allowed = load_reviewed_synonyms().get((reading.lemma, reading.pos))
    if not allowed or not (_is_allowed_beside(before, allowed.before) and _is_allowed_beside(after, allowed.after)):
        return ()
    return tuple(s for s in wordnet.synonyms(reading.lemma, reading.pos) if s in allowed.synonyms)


def _is_allowed_beside(beside: Word | None, listed: frozenset[str] | None) -> bool:
    """Whether the neighbouring word is allowed. None allows all but numbers, "#" all, "!word" all but that word."""
    if listed is None:
        return beside is None or not is_number(beside)
    if any(word.startswith("!") for word in listed):
        return beside is None or not (is_number(beside) or "!" + beside.text.lower() in listed)
    return "#" in listed or (beside is not None and beside.text.lower() in listed)


@dataclass(frozen=True, slots=True)
class Allowed:
    """The reviewed synonyms of a lemma, and the words that must follow or precede it (None: any)."""

    synonyms: frozenset[str]
    after: frozenset[str] | None
    before: frozenset[str] | None


@cache
def load_reviewed_synonyms() -> Mapping[tuple[str, str], Allowed]:
    """What `interchangeable.tsv` allows, by lemma and part of speech."""
    table: dict[tuple[str, str], Allowed] = {}
    for line in REVIEWED.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            lemma, pos, *lists = line.split("\t")
            sets = [frozenset(cell.split(",")) if cell else None for cell in (*lists, "", "")]
            table[lemma, pos] = Allowed(sets[0] or frozenset(), sets[1], sets[2])
    return table


def _is_reading_possible(reading: Reading, every: Sequence[Word], i: int, end: int) -> bool:
    """Whether the words around confirm this reading of the words from `i` to `end`."""
    before = every[i - 1].text.lower() if i else ""
    others = {r.pos for r in wordnet.readings(every[i].text)} - {reading.pos}
    if reading.pos == "v":
        if reading.form == "ing":
            return before in AUXILIARIES - HAVE  # else it may be a noun or part of a name ("operating income")
        if reading.form == "base":
            asked = any(w.text.lower() in MODALS for w in every[max(i - CLAUSE, 0) : i])
            return before in MODALS or (asked and every[i - 1].capitalised)
        # "the assisted unit": a participle before a noun is part of its name.
        return not others if reading.form == "s" else before not in DETERMINERS and not (i and every[i - 1].owns)
    if reading.pos == "n":
        modifies = end < len(every) and not every[i].owns and not _ends_phrase(every, end)
        return not modifies and ("v" not in others or before not in MODALS)
    return before not in DEGREES


def _ends_phrase(every: Sequence[Word], end: int) -> bool:
    """Whether the noun phrase ends at `end`, so that no noun follows ("customer deposits")."""
    after = every[end]
    return (
        every[end - 1].ends
        or "n" not in {r.pos for r in wordnet.readings(after.text.lower())}
        or after.text.lower() in LINKS
    )


def _target_form(reading: Reading, before: Word | None) -> str:
    """The form that the synonym needs: "ed" after an auxiliary is the participle."""
    if reading.form == "ed" and before and before.text.lower() in AUXILIARIES:
        return "participle"
    return reading.form
