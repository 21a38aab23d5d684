"""Cut the sample corpus that ships in the package from whole filings: python infra/cut_sample.py CORPORA.

CORPORA holds finance/10k-html, economics/fomc-minutes and policy/ecfr-title24, with the names below. What is kept of a
filing is what a reader needs to ask about it: the cover page, the first part of each section listed below, and the XBRL
contexts and units that the kept facts refer to. No word of what is kept is changed.
"""

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

OUT = Path(__file__).resolve().parents[1] / "tasks" / "sample" / "corpus"
# companies of which some name others: AMD and NVIDIA, PepsiCo and Coca-Cola are competitors
FILINGS = ("aapl-fy2024", "aapl-fy2025", "nvda-fy2023", "nvda-fy2024", "amd-fy2023", "ko-fy2024", "pep-fy2023")
OTHERS = (
    ("economics/fomc-minutes/MeetingDate=2015-06-16-2015-06-17_UploadedOn=20150708.txt", "fomc-2015-06-17.txt"),
    ("economics/fomc-minutes/MeetingDate=2015-07-28-2015-07-29_UploadedOn=20150819.txt", "fomc-2015-07-29.txt"),
    ("policy/ecfr-title24/title24_chVII_part791.md", "24-cfr-791.md"),
    ("policy/ecfr-title24/title24_chVII_part792.md", "24-cfr-792.md"),
)
# A section begins at a short block with such a title and ends at the next; this many characters of it are kept.
HEADINGS = (
    (r"(?:information about our|item x\. .*) executive officers", 3_000),
    (r"item 1\.", 7_000),
    (r"(?:our )?competition", 2_500),
    (r"item 2\.", 1_500),
    (r"item 5\.", 3_500),
    (r"item 7\.", 4_000),
    (r"critical accounting (?:policies|estimates)|liquidity(?:, capital resources.*| and capital resources)$", 0),
    (r"segment operating performance|fiscal year \d+ summary|results of operations$|operations review", 9_000),
    (r"item 8\.", 200),
    (r"item \d+[a-c]?\.|part (?:i|ii|iii|iv)$|exhibit index|exhibit no|schedule ii|signatures$", 0),
    (r"(?:consolidated )?statements of (?:comprehensive|shareholders|shareowners)", 0),
    (r"consolidated statements? of (?:income|operations|cash flows)|consolidated balance sheets", 9_000),
    (r"note \d+\s?[-–—:]\s?(?:revenue|net operating revenues)", 4_000),
    (r"note \d+\s?[-–—:]\s?(?:segment|operating segments)", 7_000),
    (r"note \d+\s?[-–—:]\s?(?:debt)", 4_000),
    (r"note \d+\s?[-–—:]\s?(?:business combinations|acquisitions and divestitures)", 4_000),
    (r"note \d+\s?[-–—:]\s?(?:earnings per share|net income per share|goodwill)", 2_500),
    (r"note \d+\s?[-–—:]|notes to (?:the )?consolidated financial statements$|report of management", 0),
    (r"opinion on internal control|critical audit matters?$", 0),
    (r"report of independent registered public accounting firm", 4_500),
)
STYLES = (
    "font-weight", "font-style", "font-size", "text-align", "padding-left", "text-indent", "margin-left", "display",
    "visibility", "vertical-align", "page-break-after", "page-break-before", "border-bottom", "position", "top",
    "text-decoration",
)  # fmt: skip
USUAL = re.compile(r"vertical-align:\s*(?:top|bottom|middle|baseline)|text-align:\s*(?:left|right|justify)")
COVER = 12_000  # characters: no cover page is longer
RUNNING = re.compile(
    r"^(?:table of contents|nvidia corporation and subsidiaries|notes to the consolidated financial statements|"
    r"\(continued\)|\s)+(?=\w)",
    re.I,
)


def main(corpora: Path) -> None:
    """Write the sample anew, and say how large it is."""
    OUT.mkdir(parents=True, exist_ok=True)
    for old in OUT.iterdir():
        old.unlink()
    for name in FILINGS:
        (OUT / f"{name}.html").write_bytes(cut((corpora / "finance" / "10k-html" / f"{name}.html").read_bytes()))
    for source, target in OTHERS:
        shutil.copyfile(corpora / source, OUT / target)
    for file in sorted(OUT.iterdir()):
        file.chmod(0o644)
        print(f"{file.stat().st_size:>9,} {file.name}")
    print(f"{sum(file.stat().st_size for file in OUT.iterdir()):>9,} in all")


def cut(content: bytes) -> bytes:
    """A filing with the cover page, the beginnings of some sections, and what their facts refer to."""
    xml = True
    try:
        root = etree.fromstring(content, etree.XMLParser(huge_tree=True))
    except etree.XMLSyntaxError:
        root, xml = etree.fromstring(content, etree.HTMLParser(huge_tree=True)), False
    body = next(element for element in root.iter() if _name(element) == "body")
    kept = set(_kept(body))
    for block in list(body):
        if block not in kept:
            body.remove(block)
    _keep_header(root)
    for element in root.iter():
        if isinstance(element.tag, str):
            _simplify(element)
    if xml:
        return b'<?xml version="1.0" encoding="utf-8"?>\n' + etree.tostring(root, encoding="utf-8") + b"\n"
    return b"<!DOCTYPE html>\n" + etree.tostring(root, encoding="utf-8", method="html") + b"\n"


def _kept(body: etree._Element) -> Iterator[etree._Element]:
    """The blocks to keep: the header, the cover page up to the contents, the beginning of each section."""
    left = COVER
    for block in body:
        text = " ".join("".join(block.itertext()).split())
        if any(_name(element) == "header" for element in block.iter()):
            yield block
            continue
        title = RUNNING.sub("", text)
        budget = next((size for sign, size in HEADINGS if len(title) < 250 and re.match(sign, title, re.I)), None)
        if len(re.findall(r"\bItem \d", text, re.I)) > 4:  # the table of contents ends the cover page
            left = 0
        elif budget is not None:
            left = budget + len(text)
        if left > 0:
            yield block
            left -= len(text)


def _keep_header(root: etree._Element) -> None:
    """Of the XBRL header, only what the facts that are left refer to."""
    for hidden in [element for element in root.iter() if _name(element) == "hidden"]:
        for fact in list(hidden):
            if not str(fact.get("name", "")).startswith("dei:"):
                hidden.remove(fact)
    ids = {element.get("id") for element in root.iter() if element.get("id")}
    used: set[str] = set()
    for element in root.iter():
        for name in ("contextRef", "contextref", "unitRef", "unitref"):
            used.add(element.get(name) or "")
        for name in ("continuedAt", "continuedat"):
            if element.get(name) and element.get(name) not in ids:
                del element.attrib[name]
            used.add(element.get(name) or "")
    for resources in [element for element in root.iter() if _name(element) == "resources"]:
        for resource in list(resources):
            if resource.get("id") not in used:
                resources.remove(resource)
    for element in root.iter():
        if element.get("id") and element.get("id") not in used:
            del element.attrib["id"]


def _simplify(element: etree._Element) -> None:
    """The looks that tell a heading from a paragraph and a label from a figure; colours and fonts go."""
    style = element.get("style")
    if style:
        kept = [
            part for part in style.split(";") if part.split(":")[0].strip().lower() in STYLES and not USUAL.search(part)
        ]
        element.set("style", ";".join(kept))
        if not kept:
            del element.attrib["style"]


def _name(element: etree._Element) -> str:
    return re.split("[}:]", element.tag)[-1].lower() if isinstance(element.tag, str) else ""


if __name__ == "__main__":
    main(Path(sys.argv[1]))
