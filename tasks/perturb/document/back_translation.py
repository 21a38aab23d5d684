"""Translate a passage into Spanish and back with apertium (RARE §5.2, C.2); tables and headings stay as they are.

Rules translate word by word: most of what comes back does not mean the same ("intangible advantages" for assets),
which no check of figures notices. So a passage is kept only where all changed words are reviewed as interchangeable:
few are. Figures, names and codes are replaced by placeholders and put back.
"""

import difflib
import re
import subprocess
from collections.abc import Iterator
from functools import lru_cache
from random import Random
from shutil import which

from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.text.dates import NAME
from rarefy.tasks.text.syntax.words import exchangeable
from rarefy.tasks.text.wordnet import readings

PROGRAM = "apertium"
THERE, BACK = "eng-spa", "spa-eng"
SECONDS = 120  # for one passage; 600 words take about one
LONGEST = 200_000  # characters; longer texts take minutes

# What must come back as it was: figures with their signs and units, codes, names with inner capitals, mail, links. A
# name of two words or more is one too; a single word with a capital may begin a sentence.
_KEPT = re.compile(
    r"(?:US\$|[$€£¥])\s?\d[\d.,]*\d?(?:\s(?:thousand|million|billion|trillion))?|\bfiscal(?:\syear)?\s\d{4}\b"
    rf"|\b{NAME}\s\d{{1,2}},?\s\d{{4}}\b"
    r"|\b\d[\d.,/-]*(?:\s?%|\spercent\b)?|\b\w*\d[\w-]*|\b[A-Z]{2,}[\w&-]*|\b\w*[a-z][A-Z]\w*|\S+@\S+|https?://\S+"
    r"|\b[A-Z][\w’'&-]*(?:\s(?:of\s|&\s|and\s)?[A-Z][\w’'&-]*)+(?:,?\s(?:Inc|Corp|LLC|Ltd)\b\.?)?"
)
_SIGN = "Xq"  # begins a placeholder, which no dictionary has; texts with such words are refused
_HELD = re.compile(rf"{_SIGN}([a-j]+)z")
_PROSE = re.compile(r"[a-z]{2,}\s+[a-z]{2,}")
_PAST = {"ed": {"past", "participle"}}  # one word for both
_PIECE = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")


def back_translation(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The passage translated back, with its figures and names as they were.

    Refused: `no_prose` (only tables, headings and fragments), `too_long`, `untranslatable` (the program fails or loses
    a figure), `garbled` (a change that is not between interchangeable words).
    """
    if len(case.text) > LONGEST:
        yield Draft(case.text, refused="too_long", detail=f"{len(case.text):,} characters, {LONGEST:,} at most")
    elif not any(map(_is_prose, case.text.split("\n"))):
        yield Draft(case.text, refused="no_prose")
    else:
        try:
            text = _translate_both_ways(case.text)
            wrong = find_garbled(case.text, text)
            summary = wrong or "English, Spanish, English by apertium"
            yield Draft(text, detail=summary, refused="garbled" if wrong else "")
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            yield Draft(case.text, refused="untranslatable", detail=" ".join(str(error).split())[:200])


def find_garbled(before: str, after: str) -> str:
    """The first change that is not one interchangeable word for another; "" where there is none."""
    for old, new in zip(before.split("\n"), after.split("\n"), strict=True):
        a, b = _PIECE.findall(old), _PIECE.findall(new)
        for kind, i, j, k, m in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
            if kind != "equal" and not (j - i == m - k and all(map(_is_interchangeable, a[i:j], b[k:m]))):
                return f"{' '.join(b[k:m])!r} for {' '.join(a[i:j])!r}"
    return ""


def _is_interchangeable(old: str, new: str) -> bool:
    """Whether one word can replace the other in the same form."""
    may, forms = exchangeable(old.lower()), _forms(old)
    return any(r.lemma in may and _PAST.get(r.form, {r.form}) & forms for r in readings(new.lower()))


def _forms(word: str) -> set[str]:
    return {form for reading in readings(word.lower()) for form in _PAST.get(reading.form, {reading.form})}


def _is_prose(line: str) -> bool:
    return not line.lstrip().startswith(("|", "#", "```", "<")) and _PROSE.search(line) is not None


def _translate_both_ways(text: str) -> str:
    lines = text.split("\n")
    places = [at for at, line in enumerate(lines) if _is_prose(line)]
    if _SIGN in text:
        raise ValueError(f"the text has words that begin with {_SIGN}")
    protected: list[str] = []

    def hold(hit: re.Match[str]) -> str:
        protected.append(hit[0])
        return f"{_SIGN}{_number_to_letters(len(protected) - 1)}z"

    prose = [_KEPT.sub(hold, lines[at]) for at in places]
    english = _translate(_translate(prose, THERE), BACK)
    for at, sent, back in zip(places, prose, english, strict=True):
        if sorted(_HELD.findall(sent)) != sorted(_HELD.findall(back)):
            raise ValueError(f"a figure or name did not come back: {lines[at][:80]}")
        lines[at] = _restore_space(lines[at], _HELD.sub(lambda hit: protected[_letters_to_number(hit[1])], back))
    return "\n".join(lines)


def _number_to_letters(number: int) -> str:
    return "".join("abcdefghij"[int(digit)] for digit in str(number))


def _letters_to_number(letters: str) -> int:
    return int("".join(str("abcdefghij".index(letter)) for letter in letters))


def _restore_space(line: str, back: str) -> str:
    """A translated line with the white space around the original."""
    head = line[: len(line) - len(line.lstrip())]
    return head + re.sub(r"(?<=\S) {2,}", " ", back.strip()) + line[len(line.rstrip()) :]


@lru_cache(512)
def _run_apertium(text: str, mode: str) -> str:
    done = subprocess.run(
        [PROGRAM, "-u", "-f", "txt", mode], input=text, capture_output=True, timeout=SECONDS, encoding="utf-8"
    )
    if done.returncode != 0:
        raise ValueError(f"{PROGRAM} {mode}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def _translate(lines: list[str], mode: str) -> list[str]:
    """The lines translated in one run of the program; ValueError where their number changes."""
    # A blank line between them: apertium joins a line to the next where a phrase seems to go on.
    joined = "\n\n".join(line.replace("\u2028", " ") for line in lines)
    found = re.split(r"\n\n", _run_apertium(joined + "\n", mode).rstrip("\n"))
    if len(found) != len(lines):
        raise ValueError(f"{PROGRAM} {mode} gave {len(found)} lines for {len(lines)}")
    return found


@lru_cache(1)
def version() -> str:
    """The versions of apertium and of its English-Spanish pair, which variants depend on; "" where it is missing."""
    if which(PROGRAM) is None:
        return ""
    listing = subprocess.run([PROGRAM, "-l"], capture_output=True, text=True, timeout=SECONDS)
    if not {THERE, BACK} <= set(listing.stdout.split()):
        return ""
    program = subprocess.run([PROGRAM, "-V"], capture_output=True, text=True, timeout=SECONDS).stdout.split()
    probe = _run_apertium("The company may not sell all of its shares before the board has approved it.\n", THERE)
    return f"{PROGRAM} {' '.join(program)}: {probe.strip()}"
