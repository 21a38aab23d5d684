"""Small annual reports and notes made of paragraphs, as people edit them, and a folder that holds them."""

from dataclasses import dataclass, replace
from pathlib import Path

from hypothesis import strategies as st

COMPANIES = ("Acme Corp", "Nordlys Holdings Inc", "Fjord Systems Inc", "Tessera Optics LLC")
CITIES = ("Oslo", "Bergen", "Halden")
AUDITORS = ("Meyer LLP", "Halvorsen LLP")
OTHERS = ("Borealis Instruments", "Kestrel Pumps", "Linden Foods", *COMPANIES[:2])
LEAD = "The following table shows our results (in millions):\n\n| | 2024 | 2023 |\n| --- | --- | --- |\n"
# Said of a company in one paragraph each; of some there are several kinds, so that facts repeat, meet and contradict
SAID = (
    *(f"{{name}} is headquartered in {city}." for city in CITIES),
    *(f"The financial statements of {{name}} were audited by {auditor}." for auditor in AUDITORS),
    *(f"{{name}} acquired {other} in March 2024. {other} sells pumps to hospitals." for other in OTHERS),
    *(f"{other} is headquartered in {city}." for other, city in zip(OTHERS, CITIES * 2, strict=False)),
    "## Item 7. Management's Discussion and Analysis",
    "## Legal matters",
    "Nothing more is known of it, and nobody has asked for more than this, as far as {name} can say today.",
    "Demand was weak in spring, strong in autumn, and weak again when the winter came to the north of the country.",
    f"{LEAD}| Net sales | $412 | $398 |\n| Cost of sales | $231 | $227 |\n| Net income | $31 | $27 |",
    f"{LEAD}| Net sales | $413 | $398 |\n| Net income | $31 | $28 |\n| Total assets | $950 | $940 |",
)


@dataclass(frozen=True)
class Paper:
    """A document: whose it is, as which kind of file, and its paragraphs by number."""

    kind: str  # html | md | txt
    company: int
    parts: tuple[int, ...]

    def text(self) -> str:
        """What stands in its file."""
        name = COMPANIES[self.company]
        said = [SAID[part].format(name=name) for part in self.parts]
        if self.kind == "html":
            return _as_html(name, said)
        return "\n\n".join([f"# Annual letter of {name}", *said]) + "\n"


def _as_html(name: str, said: list[str]) -> str:
    return f"""<html><head><title>{name}</title></head><body>
<div><b>FORM 10-K</b></div><div>For the fiscal year ended December 31, 2024</div>
<div><b>{name}</b></div><div>(Exact name of registrant as specified in its charter)</div>
<p><b>Item 1. Business</b></p>
{"".join(map(_block, said))}</body></html>"""


def _block(said: str) -> str:
    lead, _, table = said.partition("\n\n")
    if table:
        return f"<p>{lead}</p>\n<table>{_rows(table)}</table>\n"
    return f"<p><b>{said[3:]}</b></p>\n" if said.startswith("## ") else f"<p>{said}</p>\n"


def _rows(table: str) -> str:
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in table.split("\n"))
    years = "".join(f'<td colspan="2">{year}</td>' for year in head[1:])
    lines = [(row[0], "".join(f"<td>$</td><td>{cell.strip('$')}</td>" for cell in row[1:])) for row in rows]
    return f"<tr><td></td>{years}</tr>" + "".join(f"<tr><td>{name}</td>{cells}</tr>" for name, cells in lines)


Corpus = dict[str, Paper]  # name of a file without its ending -> what it holds
Step = tuple[str, int, int, int, int]  # what is done, and numbers that say to what and with what

NAMES = ("a", "b", "c/d", "e")
ANCHOR = Paper("html", 3, (0, 18, 3, 15, 19))  # which nobody edits: it always gives a question
START: Corpus = {
    "a": Paper("html", 0, (0, 3, 5, 15, 19, 16, 10, 11, 17)),
    "b": Paper("md", 1, (1, 4, 9, 20, 12, 6)),
    "c/d": Paper("html", 2, (2, 3, 8, 13, 15, 20, 7, 16)),
}

numbers = st.integers(0, 59)
papers = st.builds(
    Paper,
    st.sampled_from(["html", "md", "txt"]),
    st.integers(0, len(COMPANIES) - 1),
    st.lists(st.integers(0, len(SAID) - 1), min_size=1, max_size=10).map(tuple),
)
WHAT = ("add", "insert", "insert", "drop", "change", "move", "delete", "rename", "copy", "back")
steps = st.tuples(st.sampled_from(WHAT), numbers, numbers, numbers, papers)


def done(corpus: Corpus, step: tuple, before: list[Corpus]) -> Corpus:
    """The corpus after a step; the same where there is nothing to do it to, and never an empty one."""
    what, one, two, three, paper = step
    names, free = sorted(corpus), [name for name in NAMES if name not in corpus]
    name = names[one % len(names)]
    old = corpus[name]
    at = two % (len(old.parts) + 1)
    rest = {other: corpus[other] for other in names if other != name}
    changed = {
        "insert": (*old.parts[:at], three % len(SAID), *old.parts[at:]),
        "drop": old.parts[:at] + old.parts[at + 1 :],
        "change": (*old.parts[:at], three % len(SAID), *old.parts[at + 1 :]),
        "move": (*old.parts[at:], *old.parts[:at]),
    }
    if what in changed:
        return corpus | {name: replace(old, parts=changed[what])}
    if what == "add" and free:
        return corpus | {free[0]: paper}
    if what == "copy" and free:
        return corpus | {free[0]: old}
    if what == "rename" and free:
        return rest | {free[0]: old}
    if what == "delete" and rest:
        return rest
    return before[two % len(before)] if what == "back" else corpus


def put(corpus: Corpus, folder: Path) -> None:
    """Make the folder hold these documents and the anchor; files that stay the same are left alone."""
    corpus = corpus | {"anchor": ANCHOR}
    wanted = {folder / f"{name}.{paper.kind}": paper.text() for name, paper in corpus.items()}
    for file in [file for file in folder.rglob("*") if file.is_file()]:
        if file not in wanted:
            file.unlink()
    for file, text in wanted.items():
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
