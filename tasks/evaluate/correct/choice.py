"""Judge an answer to a question that names what may be chosen: whoever repeats all of it has not answered yet."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from rarefy.data_contracts.rows import Question
from rarefy.tasks.evaluate.correct.claim_status import (
    NEGATION,
    TURNS,
    Outcome,
    is_denied,
    is_doubted,
    right,
    says_none,
    sentence_bounds,
    unclear,
    wrong,
)
from rarefy.tasks.evaluate.correct.gold import Expectation, GoldAnswer
from rarefy.tasks.evaluate.correct.normalise import (
    EMPTY,
    FIGURES_ALONE,
    LEGAL,
    NAME,
    Word,
    expand_abbreviations,
    find_values,
    initials,
    split_tokens,
    split_words,
    strip_legal_form,
)
from rarefy.tasks.questions.ask.aliases import company_names
from rarefy.tasks.questions.operands import candidates_of
from rarefy.tasks.text import wordnet
from rarefy.tasks.text.dates import compare_moments, moments
from rarefy.tasks.text.stems import stem

# What is named behind these words is what the answer is compared with
_BESIDE = re.compile(r"\b(?:than|compared (?:with|to)|versus|vs|ahead of|above|exceed\w*)\b[^.;]*", re.IGNORECASE)

# What says that a thing is the one that was asked for, by the end of the scale that was asked for
_EXTREMES = (
    re.compile(
        r"\b(?:high(?:er|est)|larg(?:er|est)|great(?:er|est)|bigg(?:er|est)|most|more|best|longe[rs]t?|peak\w*|maximum|top)\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:low(?:er|est)|small(?:er|est)|least|few(?:er|est)|less|worst|short(?:er|est)|minimum|bottom\w*)\b",
        re.IGNORECASE,
    ),
)
_SENTENCE = re.compile(r"[^.;\n]+(?:\.(?!\s|$)[^.;\n]*)*")
_PIECE = re.compile(r"(?:[^,:]|,(?=\d))+")
_HEAD = re.compile(r"([^.,:;<>\n]+?)([.,:;<>\n]|\s-|\s(?:vs|versus)\b)")
_BRACKETED = re.compile(r"\([^()]*\)")
# Behind these words another thing is said of the others
_AGAINST = re.compile(
    r"\b(?:than|compared|versus|vs|against|ahead of|while|whereas|up from|down from|followed|but)\b.*", re.I
)
_TICKER = re.compile(r"\W*[A-Z]{1,4}\W*")  # "KO"
_VAGUE = re.compile(
    r"\b(?:all|both|each|either|neither|none|no|not|nothing|any|others?(?! [A-Z])|former|latter|first|second|third|"
    r"fourth|last|one|two|three|same|equal\w*|its?|their|they|them|this|that|these|those)\b|n't\b",
    re.IGNORECASE,
)

# Words around an answer, and around the time that it is, which say nothing of another thing
_CHATTER = frozenset(
    "based provided passage passages document documents context information data table tables figure figures report "
    "answer according fiscal year years period date when so therefore thus therein because since among compared versus "
    "than value amount one only just i we here s".split()
)
_OWNED = re.compile(r"\b(?:[A-Z][\w.&-]*\s)*[A-Z][\w.&-]*['’]s?(?!\w)")  # "Apple's": an answer need not say of whom

# What may mean one of several things in a longer text that names none of them
_MEANS_ONE = re.compile(
    rf"{NEGATION.pattern}|\b(?:both|each|either|former|latter|first|second|third|others?|another|same|equal\w*|its?|they|them|"
    r"their|our|we|us|compan(?:y|ies)|corporation|firm|business|maker|owner|producer|rival|competitor)\b",
    re.IGNORECASE,
)


def judge_choice(text: str, question: Question) -> Outcome | None:
    """Wrong where the answer names another thing alone, open where it names several; None where it names the right one.

    Wrong, too, where it is a figure and no more ("5,321 million" for a segment). Open where the gold answer gives
    figures of its thing in brackets, and the answer none but others. None where it names nothing of what may be chosen
    in other words: then these decide.
    """
    outcome = _judge_choice(text, question)
    if outcome is None or outcome.verdict == "right":
        known = " ".join(bracket for form in question.aliases for bracket in _BRACKETED.findall(form))
        said = {one.amount for one in find_values(text)}
        if known and said and said.isdisjoint(one.amount for one in find_values(f"{known} {question.text}")):
            return unclear("other_value")
    return outcome


def _judge_choice(text: str, question: Question) -> Outcome | None:
    forms = _candidate_forms(candidates_of(question))
    if len(forms) < 2:
        return None
    if says_none(text):
        return wrong("no_member", text.strip())
    named = _named_in(_BESIDE.sub(" ", text), forms) or _named_in(text, forms)
    gold = {name for name, own in forms.items() if {question.answer, *question.aliases} & {*own}}
    if named and not named & gold:
        return wrong("other_name", sorted(named)[0])
    if named and text.strip(" .").casefold() in {form.casefold() for name in gold for form in forms[name]}:
        return right("exact", text.strip())
    if named - gold:
        chosen = _chosen_in(text, question.text, forms)
        if len(chosen) != 1:
            return unclear("choice", sorted(named & gold)[0])
        return right("contained", *chosen) if chosen <= gold else wrong("other_name", *chosen)
    if not named and len(short := _shortened_in(text, forms)) == 1:
        return right("contained", text.strip()) if short <= gold else wrong("other_name", text.strip())
    if not named and _TICKER.fullmatch(text):
        return unclear("unmatched")
    if named:
        return None
    if FIGURES_ALONE.fullmatch(text):
        return None if _is_number_of_one(text, question.text, forms) else wrong("no_member", text.strip())
    others = names_none(text, [form for name in gold for form in forms[name]])
    return wrong("no_member", text.strip()) if others else None


def is_of_another_thing(text: str, gold: GoldAnswer, about: Expectation) -> bool:
    """Whether each sentence with the time that was to be chosen may tell it of something else ("Japan in 2025").

    It does not where it has no words but the question's, or says that it was highest, or lowest, as it was asked, of
    all that the question speaks of, and names nothing new.
    """
    ends = [words for words in _EXTREMES if words.search(about.question.text)]
    if not about.question.chance or gold.kind != "moment" or len(ends) != 1:
        return False
    told = [one for one in moments(text) if any(compare_moments(mine, one) == "same" for mine in gold.moments)]
    return bool(told) and all(_tells_of_another(text, one.start, ends[0], about) for one in told)


def _tells_of_another(text: str, at: int, end_of_scale: re.Pattern[str], about: Expectation) -> bool:
    begin, end = sentence_bounds(text, at)
    sentence = text[begin:end]
    rest = list(sentence)
    figures = [(one.start, one.end) for one in find_values(sentence)]
    for start, stop in (*figures, *((one.start, one.end) for one in moments(sentence))):
        rest[start:stop] = "|" * (stop - start)
    left = "".join(rest)
    words = split_words(left)
    new = [
        word
        for word in words
        if word.text not in EMPTY | LEGAL | _CHATTER
        and not word.text.isdigit()
        and stem(word.text) not in about.words
        and not end_of_scale.fullmatch(word.text)
    ]
    if not new:
        return False
    asked = [word for word in split_tokens(_OWNED.sub(" ", about.question.text)) if not end_of_scale.fullmatch(word)]
    telling = {stem(word) for word in asked if word not in EMPTY | _CHATTER and not any(map(str.isdigit, word))}
    if not end_of_scale.search(sentence) or not telling <= {stem(word.text) for word in words}:
        return True
    return any(_names_another(left, words, word, about) for word in new)


def _names_another(text: str, words: Sequence[Word], word: Word, about: Expectation) -> bool:
    """Whether a word that the question does not have names a thing, and is no part of a name of the question.

    The first word of a sentence does where it stands right before words of the question ("Total sales").
    """
    if not text[word.start].isupper():
        return False
    at = words.index(word)
    beside = [
        other
        for other in (*words[max(at - 1, 0) : at], *words[at + 1 : at + 2])
        if not text[min(word.end, other.end) : max(word.start, other.start)].strip() and stem(other.text) in about.words
    ]
    if any(text[other.start].isupper() for other in beside):
        return False  # "Greater China"
    return at > 0 or bool(beside) or not wordnet.known(word.text)


def _chosen_in(text: str, asked: str, forms: dict[str, tuple[str, ...]]) -> set[str]:
    """The things of which a text that names several says that they are highest, or lowest, as it was asked.

    Looked for in what stands with that word between commas, else before it in its sentence; and in a name that stands
    before all else ("Apple: ..."). Nothing where any of this is denied or in doubt.
    """
    ends = [words for words in _EXTREMES if words.search(asked)]
    if len(ends) != 1:
        return set()
    head = _HEAD.match(_BRACKETED.sub("", text))
    chosen = {name for name, own in forms.items() if head and head[1].strip().casefold() in map(str.casefold, own)}
    if head and head[2] == ("<" if ends[0] is _EXTREMES[0] else ">"):
        return set()
    for sentence in _SENTENCE.finditer(_BRACKETED.sub(" ", text)):
        for hit in ends[0].finditer(sentence[0]):
            pieces = _PIECE.finditer(sentence[0])
            piece = _AGAINST.sub("", next(one[0] for one in pieces if one.end() > hit.start()))
            named = _named_in(piece, forms) or _named_in(sentence[0][: hit.start()], forms)
            if TURNS.search(piece) or is_doubted(sentence[0], hit.start()):
                return set()
            chosen |= named
    return chosen


def _shortened_in(text: str, forms: dict[str, tuple[str, ...]]) -> set[str]:
    """The things that an answer of a few words may mean by a part of their names ("Colgate")."""
    words = set(split_tokens(text)) - EMPTY - LEGAL
    if not words or len(split_tokens(text)) > NAME or any(map(str.isdigit, text)) or _VAGUE.search(text):
        return set()
    return {name for name, own in forms.items() if any(words <= set(split_tokens(form)) for form in own)}


def name_forms(name: str, candidates: Sequence[str]) -> Iterator[str]:
    """The ways to write a name: "&" or "and", without its legal form, by its initials, by its first words alone."""
    bare = company_names(name)
    yield from bare
    yield from (form.replace("&", "and") for form in bare if "&" in form)
    words = strip_legal_form(split_tokens(re.sub(r"\s*\([^()]*\)", "", name)))
    if len(words) > 2:
        yield initials(words).upper()
    name = re.sub(r"^[Tt]he\s", "", name)
    first = re.split(r"[\s.]", name)[0].strip(",")
    shared = [other for other in candidates if other.casefold().startswith(first.casefold())]
    if len(shared) == 1 and len(first) > 2 and first[0].isupper():
        if not wordnet.known(first.casefold()):
            yield first
        if hit := re.match(r"[A-Z][\w.&'-]*\s[A-Z][\w.'-]*(?=\s)", name):
            yield hit[0]


def names_none(text: str, forms: Sequence[str]) -> bool:
    """Whether an answer shares no word with any of these names, and can mean none of them in other words.

    It may where it counts ("both", "the second"), denies, is a ticker symbol, or has the initials of a name; a longer
    one also where it speaks of "its" or "the company". Where the names are years, so may any word for a time.
    """
    words = split_tokens(expand_abbreviations(text))
    if (
        _TICKER.fullmatch(text)
        or (_VAGUE if len(words) <= NAME else _MEANS_ONE).search(text)
        or any(any(map(str.isdigit, form)) for form in forms)
    ):
        return False
    theirs = {word[:4] for form in forms for word in split_tokens(form) if word not in EMPTY | LEGAL}
    if any(initials(split_tokens(form)) in words for form in forms):
        return False
    return theirs.isdisjoint(word[:4] for word in words if word not in EMPTY | LEGAL)


def _is_number_of_one(text: str, asked: str, forms: dict[str, tuple[str, ...]]) -> bool:
    """Whether a number of one or two digits is that of a thing that the question counts ("(1) Asia"), or in its name.

    "23" may be fiscal year 2023.
    """
    number = text.strip(" ().#'")
    if not re.fullmatch(r"\d\d?", number):
        return False
    named = any(re.search(rf"(?<!\d){number}(?!\d)", form) for own in forms.values() for form in own)
    return named or re.search(rf"(?<!\d){number}[.):]\s", asked) is not None


def _named_in(text: str, forms: dict[str, tuple[str, ...]]) -> set[str]:
    """The things that a text names and does not deny; within a longer name a shorter one is not named."""
    places: list[tuple[int, int, str]] = []
    for name, own in forms.items():
        for form in own:
            for hit in re.finditer(rf"(?<!\w){re.escape(form)}(?!\w)", text, re.IGNORECASE):
                if not is_denied(text, hit.start(), hit.end()):
                    places.append((*hit.span(), name))
    return {
        name
        for start, end, name in places
        if not any(a <= start and end <= b and (a, b) != (start, end) and other != name for a, b, other in places)
    }


@lru_cache(1000)  # of one question for each of its trials
def _candidate_forms(candidates: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    found = {}
    for name in candidates:
        year = re.fullmatch(r"fiscal year (\d{4})", name)
        bare = re.sub(r"^[Tt]he\s|\s*\([^()]*\)", "", name)  # "China" for "China (including Hong Kong)"
        own = {*name_forms(name, candidates), bare}
        found[name] = (
            (name, year[1], f"fiscal {year[1]}", f"FY{year[1]}", f"FY{year[1][2:]}") if year else tuple(sorted(own))
        )
    return found
