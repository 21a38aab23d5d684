"""Read AsciiDoc: pandoc makes HTML of it, which the reader of HTML reads.

Pandoc is a program under the GPL: it is called as one, from the extra `asciidoc`, and is let at no file but its input.
"""

import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from html import escape
from pathlib import PurePosixPath

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.read.compose import split_pieces
from rarefy.tasks.corpus.read.html import read_html
from rarefy.tasks.corpus.read.metadata import build_document, fill_fields
from rarefy.tasks.corpus.read.unreadable import Unreadable

try:
    import resource
except ImportError:  # no POSIX system
    resource = None  # type: ignore[assignment]

KIND = "text/asciidoc"
_SECTION = 4_000  # characters given to pandoc at once: its time grows with far more than their number
_SECONDS = 20  # of work on them: what is read at all takes a tenth of one
_AGAIN = 2  # of work on a part of them, where all took too long
_HEAP = "-M2g"  # of memory: 1 MB of AsciiDoc takes some 100 MB
_INCLUDE = re.compile(  # with a title that nothing else would follow
    r"(?:^\.[^\s.][^\n]*\n)?^(?:include(?:-code)?::[^\n\[]*\[[^\n]*|//[ \t]*(?:tag|end)::[^\n]*)$", re.M
)
_FENCE = re.compile(r"(?:-{4,}|\.{4,}|\+{4,}|`{3,}\w*)\s*\Z")  # around what is shown as it stands
_TABLE = re.compile(r"[|,:!]={3,}\s*\Z")
_COMMENT = re.compile(r"//(?!/)")
_CONDITION = re.compile(r"(ifdef|ifndef|ifeval|endif)::([^\[\n]*)\[(.*)\]\s*\Z")
_UNSEEN = re.compile(r":[\w!-]+:(?:\s|\Z)|\[[^\]]*\]\s*\Z")  # attributes of a page or block, anchors
_DEFINED = re.compile(r":([\w-]+):(?:\s|\Z)")
# Before the title may stand attributes, comments, anchors and pictures; after it author, revision and attributes
_TITLE = re.compile(
    r"\A(?:[ \t]*\n|(?://|:[\w!-]+:|\[|image::?)[^\n]*\n){0,100}(=[ \t]+(\S[^\n]*)(?:\n|\Z)((?:\S[^\n]*\n)*))"
)
_HEADING = re.compile(r"={2,6}[ \t]+\S")
_HASHES = re.compile(r"^#{1,6}(?=[ \t]+\S)")
_PART = re.compile(r"^=(?=[ \t]+\S)", re.M)
_ATTRIBUTE = re.compile(r"^:([\w-]+):(.*)$", re.M)
_AUTHOR = re.compile(r"\A(?!v?\d|:|//)([^<\n:]{1,200}?)[ \t]*(?:<[^>\n]+>)?(?:;[^\n]*)?\n")
_REVISION = re.compile(r"^(?:v?[\d.]+,[ \t]*)?(\d{4}-\d{2}-\d{2})\b", re.M)
_GIVEN = ("author", "email", "revdate", "revnumber", "description", "keywords", "lang", "organization")


_UNDERLINES = "=-~^+"  # of a title of level 0, 1, 2, ...
_UNDERLINE = re.compile(rf"([{re.escape(_UNDERLINES)}])\1{{2,}}\s*\Z")


def read_asciidoc(text: str, source: str, seconds: float) -> Document:
    """The document that an AsciiDoc text holds; the lines under its title become metadata."""
    text = _titles_in_one_line(text.replace("\r\n", "\n"))
    title, about = _read_header(text)
    kept = "\n".join(_choose_lines(text))
    bare = _INCLUDE.sub("", kept)
    included = len(kept) - len(bare)
    if head := _TITLE.match(bare):  # first, where pandoc looks for it; a title in the text is that of a part
        set_before = [line for line in bare[: head.start(1)].split("\n") if _DEFINED.match(line)]
        bare = "\n".join([head[1].rstrip("\n"), *set_before, ""]) + _PART.sub("==", bare[head.end() :])
    else:
        bare = _PART.sub("==", bare)
    faults: list[Unreadable] = []
    pages = [p for section in _split_sections(bare) for p in _convert_parts(section, min(seconds, _SECONDS), faults)]
    if faults and len(faults) == len(pages):
        raise faults[0]
    if faults:
        about["as_written"] = f"{len(faults)} paragraphs, the first: {faults[0].detail}"
    document = read_html("<html><body>" + "\n".join(pages) + "</body></html>", source)
    made = build_document(
        source, title or PurePosixPath(source).stem, KIND, split_pieces(document),
        {**document.dropped, "conditions": len(text) - len(kept), "includes": included},
    )  # fmt: skip
    return fill_fields(made, about)


def _titles_in_one_line(text: str) -> str:
    """The text with "== Mission" for "Mission" over "-------", which pandoc takes for a block that never ends.

    And for "## Mission", which it stumbles over.
    """
    lines, fence = text.split("\n"), ""
    made: list[str] = []
    for at, line in enumerate(lines):
        rule = _UNDERLINE.match(line)
        title = made[-1].strip() if made else ""
        alone = at < 2 or lines[at - 2].strip()[:1] in ("", "[")  # an anchor may stand above: "[[quorum]]"
        if rule and not fence and alone and title[:1].isalnum() and abs(len(title) - len(line.rstrip())) <= 2:
            made[-1] = f"{'=' * (_UNDERLINES.index(rule[1]) + 1)} {title}"
            continue
        fence = _fence_behind(line, fence)
        made.append(line if fence else _HASHES.sub(lambda found: "=" * len(found[0]), line))
    return "\n".join(made)


def _fence_behind(line: str, fence: str) -> str:
    """The fence that is open behind a line, "" for none: one like it closes it, and no other does."""
    if _FENCE.match(line) and fence in ("", line.rstrip()):
        return "" if fence else line.rstrip()
    return fence


def _read_header(text: str) -> tuple[str, dict[str, str]]:
    """The title, and what the lines under it say: author, date of revision, attributes."""
    head = _TITLE.match(text)
    if not head:
        return "", {}
    about = {key: value.strip() for key, value in _ATTRIBUTE.findall(head.group()) if key in _GIVEN and value.strip()}
    if author := _AUTHOR.match(head[3]):
        about.setdefault("author", author[1])
    revised = about.pop("revdate", "") or "".join(_REVISION.findall(head[3])[:1])
    set_ = {key: value.strip() for key, value in _ATTRIBUTE.findall(text)}
    title = re.sub(r"\{([\w-]+)\}", lambda found: set_.get(found[1], found[0]), head[2])
    return title.strip(), {**about, **({"date": revised} if revised else {})}


def _choose_lines(text: str) -> Iterator[str]:
    """The lines that a reader of the page sees: of conditional ones those whose attributes the document itself sets.

    Pandoc stumbles over conditions inside of each other, comments in some places, and blocks without an end. What is
    compared (ifeval) is not known here, and stays.
    """
    defined: set[str] = set()
    open_: list[bool] = []
    fence = ""
    for line in text.split("\n"):
        found = _CONDITION.match(line)
        if not found:
            if all(open_):
                if attribute := _DEFINED.match(line):
                    defined.add(attribute[1])
                before, fence = fence, _fence_behind(line, fence)
                if fence != before:
                    line = line.rstrip()
                if fence or not _COMMENT.match(line):
                    yield line
            continue
        kind, names, inside = found.groups()
        if kind == "endif":
            del open_[-1:]
            continue
        known = [name in defined for name in re.split(r"[,+]", names)]
        holds = (all if "+" in names else any)(known)
        shown = kind == "ifeval" or (holds if kind == "ifdef" else not holds)
        if kind == "ifeval" or not inside:
            open_.append(shown)
        elif shown and all(open_):
            yield inside
    if fence:  # one that is never closed has pandoc search for its end for ever
        yield re.sub(r"\w", "", fence)


def _split_sections(text: str) -> Iterator[str]:
    """The text in stretches that begin with a heading, each with the attributes that were set before it."""
    gathered: list[str] = []
    known: list[str] = []
    size, fence = 0, ""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if not fence and size > _SECTION and _opens_section(lines, number):
            yield "\n".join(gathered) + "\n"
            gathered, size = [*known, ""], 0
        if _FENCE.match(line) and fence in ("", line):
            fence = "" if fence else line
        if not fence and _DEFINED.match(line):
            known.append(line)
        gathered.append(line)
        size += len(line)
    yield "\n".join(gathered) + "\n"


def _opens_section(lines: list[str], number: int) -> bool:
    """Whether a line is a heading, or an anchor or attribute right above one."""
    if number and lines[number - 1].startswith("["):
        return False
    while number < len(lines) - 1 and lines[number].startswith("["):
        number += 1
    return bool(_HEADING.match(lines[number]))


def _convert_parts(text: str, seconds: float, faults: list[Unreadable]) -> list[str]:
    """The HTML of a section; where pandoc stumbles over it, of its halves, down to the paragraph that is at fault.

    That paragraph is given as its words. Where pandoc did not end, it has less time for the halves.
    """
    try:
        return [_convert(text, seconds)]
    except Unreadable as error:
        if error.reason == "needs_extra":
            raise
        fault = error
    if fault.reason == "read_timeout":
        seconds = min(seconds, _AGAIN)
    paragraphs = _split_paragraphs(text)
    if len(paragraphs) < 2:
        faults.append(fault)
        lines = (line for line in text.split("\n") if line.strip() and not _UNSEEN.match(line))
        return ["".join(f"<p>{escape(line)}</p>" for line in lines)]
    half = len(paragraphs) // 2
    return [
        page
        for part in (paragraphs[:half], paragraphs[half:])
        for page in _convert_parts("\n\n".join(part) + "\n", seconds, faults)
    ]


def _split_paragraphs(text: str) -> list[str]:
    """The stretches of a text between blank lines, none of which parts a block between fences or a table."""
    gathered: list[list[str]] = [[]]
    fence = ""
    for line in text.split("\n"):
        if not fence and not line.strip():
            gathered.append([])
            continue
        if fence:
            fence = "" if fence == line.rstrip() else fence
        else:
            fence = line.rstrip() if _TABLE.match(line) else _fence_behind(line, "")
        gathered[-1].append(line)
    return ["\n".join(lines) for lines in gathered if lines]


def _convert(text: str, seconds: float) -> str:
    """The HTML that pandoc makes of AsciiDoc, within bounds of time and memory. Raises Unreadable for none."""
    command = [
        _find_pandoc(),
        "+RTS",
        _HEAP,
        "-RTS",
        "--from=asciidoc",
        "--to=html",
        "--sandbox",
        "--wrap=none",
        "--mathjax",
        "--syntax-highlighting=none",
    ]
    try:
        done = subprocess.run(
            command,
            input=text.encode("utf-8", "replace"),
            capture_output=True,
            timeout=seconds,
            preexec_fn=_bound(seconds),
        )
    except subprocess.TimeoutExpired as error:
        raise Unreadable(
            "read_timeout",
            f"pandoc did not end within {seconds:g} seconds; split the file, write it as HTML or remove it",
        ) from error
    if done.returncode:
        why = done.stderr.decode("utf-8", "replace").strip() or f"pandoc ended with code {done.returncode}"
        raise Unreadable("bad_asciidoc", f"{why:.300}; mend it or remove it")
    return done.stdout.decode("utf-8", "replace")


def _bound(seconds: float) -> Callable[[], None] | None:
    """What bounds the program's work from within: it may outlive the process that waits for it."""
    if resource is None:
        return None
    limit = int(seconds) + 1
    return lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))


def _find_pandoc() -> str:
    """The pandoc of the extra, or the machine's own. Raises Unreadable where there is none."""
    with suppress(ImportError, OSError):
        import pypandoc

        return str(pypandoc.get_pandoc_path())
    raise Unreadable("needs_extra", "AsciiDoc is read by pandoc: install rarefy[asciidoc], or write the file as HTML")
