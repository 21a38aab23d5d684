"""A refresh after one of 200 documents was edited, against the whole build: requests to a model, processor time.

python benchmarks/refresh.py ../shared/corpora [--documents 200] [--characters 12000]

The documents: 60 summaries of the Beige Book, 60 minutes of the Federal Open Market Committee, 30 parts of 24 CFR and
50 items of annual reports (10-K), each cut after a paragraph to so many characters. Each build is a process of its own,
as under a schedule. By rules, and by a stand-in for a model that answers at once, so that what is counted is ours.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from measuring import make_parser

from rarefy.data_contracts.rows import Reply, Request

MODEL = {"provider": "refresh:answer", "model": "stand-in"}
SOME = {"query": ["character"], "document": ["reverse_order"], "context": []}
METHODS = {
    "rules": {"perturb": SOME},
    "model": {
        "llm": MODEL,
        "judge": MODEL | {"model": "judge"},
        "extract": {"methods": ["cover", "model"]},
        "ask": {"method": "model", "worth": 0},
        "grade": {"by": "model"},
        "perturb": SOME,
    },
}
EDIT = ("the economy", "the northern economy")  # in the middle of the edited document, or in its first sentence
asked: list[Request] = []

SENTENCE = re.compile(r"([A-Z][\w&]+(?: [A-Z][\w&]+)+) (\w+ed|is|was|are|were|has) ((?:[\w$%-]+ ?){1,5})[,.;]")
CHUNK = re.compile(r'<chunk id="(c\d+)"[^>]*>\n(.*?)\n</chunk>', re.S)
FACT = re.compile(r"<fact [^>]*>\n(.*?) \[\w+\] \| (.*?) \| (.*?) \[\w+\]\n", re.S)


def answer(requests: Sequence[Request]) -> Iterator[Reply]:
    """What the stand-in says: facts that a pattern finds, a question of each, full marks."""
    for request in requests:
        asked.append(request)
        prompt = request.messages[-1].content
        if chunks := CHUNK.findall(prompt):
            said: object = {"triplets": list(find_claims(chunks))}
        elif "<question>" in prompt:
            said = {"reason": "", "readability": 5, "clarity": 5, "correctness": 5}
        else:
            subject, relation, thing = FACT.findall(prompt)[-1]
            said = {"reason": "", "question": f"What is it that {subject} {relation}?", "answer": thing}
        yield Reply(request.request_id, json.dumps(said), finish_reason="stop", model="stand-in")


def find_claims(chunks: Iterable[tuple[str, str]]) -> Iterator[dict[str, str]]:
    """The facts of a window."""
    for label, text in chunks:
        for found in list(SENTENCE.finditer(text))[:4]:
            start = max(text.rfind(". ", 0, found.start()) + 1, text.rfind("\n", 0, found.start())) + 1
            end = text.find(".", found.end() - 1)
            words = text[start : end + 1 if end >= 0 else len(text)]
            one = {"subject": found[1], "relation": found[2], "object": found[3].strip()}
            yield {**one, "chunk_id": label, "source_sentence": words}


def main() -> None:
    """Build, refresh with nothing changed, refresh with one document edited; print what each took."""
    parser = make_parser(__doc__)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--characters", type=int, default=12_000)
    parser.add_argument("--method", default="")
    parser.add_argument("--one", default="", help="of a single build: its folder")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(build_once(Path(options.one), options.method)))
        return
    for method in METHODS:
        if options.method in ("", method):
            with TemporaryDirectory() as folder:
                compare_builds(method, Path(folder), options)


def compare_builds(method: str, place: Path, options: argparse.Namespace) -> None:
    """The three builds of a method, and what the edited document is of all of them."""
    sizes = write_corpus(options.corpora, place / "corpus", options.documents, options.characters)
    took = {"whole build": run_build(method, place, options), "nothing changed": run_build(method, place, options)}
    name = edit_document(place / "corpus")
    took["one edited"] = run_build(method, place, options)
    share = sizes[name] / sum(sizes.values())
    print(f"\nby {method}: {len(sizes)} documents, {sum(sizes.values()):,} characters; {name} edited, {share:.2%}\n")
    stages = [name for name, spent in took["whole build"]["stages"].items() if spent >= 0.1]
    print("| processor s | " + " | ".join(took) + " |\n|---|" + "---:|" * len(took))
    for label, read in (
        ("all, imports too", lambda one: one["cpu"]),
        ("of which before the first stage", lambda one: one["cpu"] - sum(one["stages"].values())),
        *((stage, lambda one, stage=stage: one["stages"].get(stage, 0.0)) for stage in stages),
    ):
        print(f"| {label} | " + " | ".join(f"{read(one):.1f}" for one in took.values()) + " |")
    for what in ("requests", "windows"):
        print(f"| {what} | " + " | ".join(f"{one[what]:,}" for one in took.values()) + " |")
    print("| wall s | " + " | ".join(f"{one['wall']:.1f}" for one in took.values()) + " |", flush=True)


def run_build(method: str, place: Path, options: argparse.Namespace) -> dict:
    """What one build took, in a process of its own."""
    command = [sys.executable, __file__, str(options.corpora), "--one", str(place), "--method", method]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()[-1])


def build_once(place: Path, method: str) -> dict:
    """Build, and measure stage by stage."""
    began = time.monotonic()
    import refresh as me  # this file again, as the provider of replies knows it

    from rarefy.flows.config import Config
    from rarefy.flows.engine.run import Run
    from rarefy.flows.refresh import refresh

    spent: dict[str, float] = defaultdict(float)
    stage = Run.stage

    def measured(self: Run, name: str, work: object) -> object:
        before = time.process_time()
        try:
            return stage(self, name, work)  # type: ignore[arg-type]
        finally:
            spent["contracts" if name.startswith("contract of") else name] += time.process_time() - before

    Run.stage = measured  # type: ignore[method-assign,assignment]
    config = Config.model_validate(METHODS[method])
    refresh.fn(str(place / "corpus"), str(place / "out"), config, str(place / "store"), quiet=True)
    windows = sum("Take the connected triplets" in one.messages[-1].content for one in me.asked)
    return {
        "cpu": time.process_time(),
        "wall": time.monotonic() - began,
        "stages": spent,
        "requests": len(me.asked),
        "windows": windows,
    }


def write_corpus(corpora: Path, folder: Path, wanted: int, characters: int) -> dict[str, int]:
    """The documents in a folder, with their lengths."""
    texts: dict[str, str] = {}
    for name, pattern, most in (
        ("beige", "economics/beige-book/*", 60),
        ("minutes", "economics/fomc-minutes/*", 60),
        ("cfr", "policy/ecfr-title24/*", 30),
    ):
        for file in sorted((corpora / pattern).parent.glob("*"))[: most * wanted // 200]:
            texts[f"{name}-{file.stem}{file.suffix}"] = file.read_text(encoding="utf-8-sig", errors="replace")
    for file in sorted((corpora / "finance/10k-json").glob("*.json")):
        filing = json.loads(file.read_text(encoding="utf-8"))
        for item in ("item_1", "item_7", "item_1A"):
            if len(filing.get(item, "")) > 2_000 and len(texts) < wanted:
                texts[f"10k-{file.stem}-{item}.txt"] = filing[item]
    folder.mkdir(parents=True)
    sizes = {}
    for name, text in texts.items():
        end = text.rfind("\n\n", characters // 2, characters)
        end = end if end > 0 else text.rfind(". ", 0, characters) + 1
        kept = text if len(text) <= characters else text[:end]
        (folder / name).write_text(kept, encoding="utf-8")
        sizes[name] = len(kept)
    return sizes


def edit_document(folder: Path) -> str:
    """The document with the median length of those that hold the words, edited in one sentence."""
    files = sorted(folder.glob("*.txt"), key=lambda file: (file.stat().st_size, file.name))
    files = [file for file in files if EDIT[0] in file.read_text(encoding="utf-8")]
    file = files[len(files) // 2]
    text = file.read_text(encoding="utf-8")
    at = text.find(EDIT[0], len(text) // 2)
    at = at if at >= 0 else text.find(EDIT[0])
    file.write_text(text[:at] + EDIT[1] + text[at + len(EDIT[0]) :], encoding="utf-8")
    return file.name


if __name__ == "__main__":
    main()
