"""What of a system's text is its answer: not its thinking, its marks of layout, its citations, its explanations."""

import re

from rarefy.tasks.evaluate.correct.values import plain
from rarefy.tasks.models.llm.reading import unthought

_CITED = re.compile(
    r"\[\s*(?:(?:passages?|contexts?|docs?|documents?|chunks?|sources?|refs?)\s*)?#?\d{1,3}(?:\s*[,;–-]\s*#?\d{1,3})*\s*\]"
    r"|【[^】]{0,60}】|\[\^\d+\]|\((?:see |source:? |from |per )?(?:passage|context|document|doc|chunk|"
    r"source)s?\s#?\d{1,3}"
    r"(?:(?:,| and)\s#?\d{1,3})*\)",
    re.IGNORECASE,
)
_MARKUP = re.compile(
    r"\*{1,3}|`{1,3}|(?<!\w)_{1,2}(?=\S)|(?<=\S)_{1,2}(?!\w)|\\(?=[$%#&*_.,-])|^\s{0,3}#{1,6}\s", re.MULTILINE
)
_BOXED = re.compile(r"\\boxed\{([^{}]{1,200})\}")
_LATEX = re.compile(r"\$(-?\\?\$?[\d.,{}\s]{1,30}(?:\\?%|\\text\{[^{}]{0,40}\})?)\$")
_MARKED = re.compile(
    r"(?:^|[\n.!?:]\s*|\s)(?:the\s+)?(?:(?:final|short|correct|direct)\s+)?answers?\s*(?::|=|(?:is|was)\s*:)\s*(?=\S)",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?:^|\n|(?<=[.!?])\s)\s*(?:explanation|reasoning|rationale|sources?|evidence|references?|citations?|supporting\s\w+|"
    r"calculation|justification|note|notes|confidence)\s*:",
    re.IGNORECASE,
)
_BLANKS = re.compile(r"[^\S\n]+")
_EMPTY_LINES = re.compile(r"\n(?: ?\n)+")
_NOTHING = re.compile(r"(?:the\s+)?(?:final\s+)?answer\s*(?:is)?\s*[:=]?\s*[.\"']*", re.IGNORECASE)


def cleaned(text: str, language: str = "en") -> str:
    """The answer proper, in plain English notation: "" where nothing is said, or thinking never ended.

    What stands behind the last "Answer:" is the answer, up to an "Explanation:", "Source:" or the like. Digits, dashes,
    quotes, spaces and numbers in words are plain ones afterwards, so that places in it are not those in `text`.
    """
    told = unthought(text).replace("\\n", "\n")
    told = _EMPTY_LINES.sub("\n\n", _BLANKS.sub(" ", told)).strip()  # patterns below try every place of a run of blanks
    if boxed := _BOXED.findall(told):
        told = boxed[-1]
    told = _LATEX.sub(lambda hit: re.sub(r"[{}\\]|text", "", hit[1]), told)
    told = _MARKUP.sub("", _CITED.sub("", told)).strip()
    if _NOTHING.fullmatch(told):
        return ""
    marks = list(_MARKED.finditer(told))
    if marks and told[marks[-1].end() :].strip(" .\n"):
        told = told[marks[-1].end() :]
    told = _without_explanation(told)
    return plain(told.strip(), language).strip()


def _without_explanation(text: str) -> str:
    """The text up to where it begins to explain, if anything stands before."""
    hit = _AFTER.search(text)
    return text[: hit.start()] if hit and text[: hit.start()].strip() else text
