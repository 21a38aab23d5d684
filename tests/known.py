"""Systems whose robustness follows from their definition, and a small benchmark that has every kind of variant.

Every answer is one word that stands nowhere else, so that nobody needs a judge to see it.
"""

import dataclasses
import hashlib
import itertools
import json
import os
import time
from pathlib import Path

from rarefy.data_contracts.rows import Chunk, Question, Span, Variant, row_id
from rarefy.tasks.evaluate.systems.interface import SystemInput

CITIES = "Oslo Bergen Tromso Narva Turku Malmo Visby Riga Gdansk Kiel Aarhus Vaasa".split()
QUERY = {
    "character": "surface",
    "word": "surface",
    "grammar": "advanced",
    "irrelevant_detail": "advanced",
    "butter_fingers": "superficial",
    "upper_case": "superficial",
    "paraphrase": "paraphrase",
}
TYPOS = ("character", "butter_fingers")
DOCUMENT = {
    "back_translation": "back_translation",
    "json": "format",
    "html": "format",
    "reverse_order": "logic",
    "timestamp_pre": "metadata",
}
CONTEXT = {  # how many passages of each, as Magic Mushroom's pools
    "golden_passage": ("golden", 10),
    "distracting": ("distracting", 10),
    "debris": ("low_quality", 7),
    "inconsequential": ("inconsequential", 7),
    "irrelevant": ("irrelevant", 7),
}
UNKNOWN = "Atlantis"  # in no passage and no answer


def _question(n: int, city: str) -> tuple[Question, Chunk]:
    text = f"Company {n} was founded long ago. Company {n} is based in {city}. It sells pumps."
    gold = Chunk(row_id("chunk", n), f"doc-{n}", 0, len(text), "text", "", text, 20, title=f"Report of company {n}")
    sentence = f"Company {n} is based in {city}."
    start = text.index(sentence)
    question = Question(
        row_id("question", n),
        row_id("path", n),
        "single" if n % 2 else "chain",
        f"Where is company {n} based?",
        city,
        (),
        (),
        (gold.chunk_id,),
        (sentence,),
        (Span(gold.chunk_id, start, start + len(sentence)),),
        entity=f"Company {n}",
        domain=("finance", "economics", "policy")[n % 3],
        split="test",
    )
    return question, gold


def _variants(question: Question, gold: Chunk) -> list[Variant]:
    name, city, made = question.question_id, question.answer, []

    def add(side: str, perturbation: str, text: str, **told: object) -> None:
        number = told.get("number", 0)
        made.append(Variant(row_id(name, side, perturbation, str(number)), name, side, perturbation, text, **told))  # type: ignore[arg-type]

    add("query", "none", question.text)
    for perturbation, family in QUERY.items():
        add("query", perturbation, f"{question.text} ({perturbation})", family=family, method="rules")
    deleted = gold.text.replace(f" {question.evidence[0]}", "")
    add("document", "answer_deleted", deleted, chunk_id=gold.chunk_id, family="deletion", method="rules")
    for perturbation, family in DOCUMENT.items():
        text = f"{perturbation}: {gold.text}"
        add("document", perturbation, text, chunk_id=gold.chunk_id, family=family, method="rules")
    for perturbation, (family, count) in CONTEXT.items():
        for number in range(count):
            said = city if family == "golden" else UNKNOWN if family == "distracting" else "nowhere in particular"
            text = f"{perturbation} {number}: {question.entity} is in {said}."
            told = {"number": number, "family": family, "chunk_id": gold.chunk_id, "method": "rules"}
            add("context", perturbation, text, **told)
    for perturbation, told in (("distraction_before", "Noise. {}"), ("distraction_after", "{} Noise.")):
        text = told.format(gold.text)
        add("context", perturbation, text, chunk_id=gold.chunk_id, family="distraction", method="selection")
    return made


def benchmark(place: Path, questions: int = len(CITIES)) -> Path:
    """Write the benchmark into a folder, as `rarefy perturb` writes one."""
    made = [_question(n, city) for n, city in enumerate(CITIES[:questions])]
    tables = {
        "questions": [question for question, _ in made],
        "chunks": [chunk for _, chunk in made],
        "variants": [row for question, chunk in made for row in _variants(question, chunk)],
    }
    place.mkdir(parents=True)
    files = {}
    for name, rows in tables.items():
        lines = [json.dumps(dataclasses.asdict(row), ensure_ascii=False) for row in rows]
        (place / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        files[f"{name}.jsonl"] = hashlib.sha256((place / f"{name}.jsonl").read_bytes()).hexdigest()
    (place / "manifest.json").write_text(json.dumps({"recipe": row_id(*sorted(files.values())), "files": files}))
    return place


def _gold(asked: SystemInput) -> str:
    return CITIES[int(asked.query.lower().partition("company ")[2].split()[0])]


def right(asked: SystemInput) -> str:
    """Always right, whatever it is shown."""
    return _gold(asked)


def right_unless_typo(asked: SystemInput) -> str:
    """Right unless the question has a typo."""
    return UNKNOWN if any(f"({typo})" in asked.query for typo in TYPOS) else _gold(asked)


def finds(asked: SystemInput) -> dict[str, object]:
    """Right, and retrieves the gold passage under a name of its own unless the question has a typo."""
    typo = any(f"({typo})" in asked.query for typo in TYPOS)
    n = CITIES.index(_gold(asked))
    text = "Nobody knows." if typo else _question(n, CITIES[n])[1].text
    return {"answer": _gold(asked), "retrieved": [{"id": f"page-{n}", "text": f"Page {n}. {text}"}]}


def finds_more(asked: SystemInput) -> dict[str, object]:
    """As `finds`, and another passage behind it."""
    found = finds(asked)
    more = {"id": "page-of-nothing", "text": "Nobody knows anything of this page."}
    return {"answer": found["answer"], "retrieved": [*found["retrieved"], more]}  # type: ignore[misc]


def finds_nothing(asked: SystemInput) -> dict[str, object]:
    """Right, and says that it retrieved nothing."""
    return {"answer": _gold(asked), "retrieved": []}


def refuses(asked: SystemInput) -> str:
    """Refuses always."""
    return "I cannot answer the question."


def reads(asked: SystemInput) -> str:
    """Right where the answer stands in what it is shown, else it refuses: it knows nothing by itself."""
    city = _gold(asked)
    return city if any(city in one.text for one in asked.passages or ()) else "I cannot answer the question."


def parrot(asked: SystemInput) -> str:
    """Says what the last passage says, refuses where it is shown none."""
    last = asked.passages[-1].text if asked.passages else ""
    found = [city for city in (*CITIES, UNKNOWN) if city in last]
    return found[0] if found else "I cannot answer the question."


def forgets(asked: SystemInput) -> str:
    """Knows every answer, and loses it where it is shown more than ten passages."""
    return UNKNOWN if len(asked.passages or ()) > 10 else _gold(asked)


def biased(asked: SystemInput) -> str:
    """Reads the first three passages alone, and guesses where the answer does not stand there."""
    city = _gold(asked)
    return city if any(city in one.text for one in (asked.passages or ())[:3]) else UNKNOWN


_asked = itertools.count(1)


def dies(asked: SystemInput) -> str:
    """The same, but the process ends with its hundredth answer where KNOWN_DIES is set."""
    if "KNOWN_DIES" in os.environ and next(_asked) >= 100:
        os._exit(9)
    return biased(asked)


def mute(asked: SystemInput) -> str | None:
    """Gives back what is no answer, until KNOWN_SPEAKS is set."""
    return _gold(asked) if "KNOWN_SPEAKS" in os.environ else None


def rambles(asked: SystemInput) -> str:
    """Raises for one wording in four, and says of the others what no rule can score."""
    if row_id(asked.query) < "4":
        raise LookupError("no such index")
    return "It is somewhere by the water, as far as anybody remembers."


_LOADED: list[bool] = []


def loads(asked: SystemInput) -> str:
    """Is right, and slow at first, as what loads a model when it is first asked."""
    if not _LOADED:
        time.sleep(0.4)
        _LOADED.append(True)
    return right(asked)


SYSTEMS = (right, right_unless_typo, refuses, reads, parrot, forgets, biased)
for _system in (*SYSTEMS, dies, mute, rambles, loads):
    _system.takes = ("closed_book", "passages")  # type: ignore[attr-defined]
mute.takes = ("own",)  # type: ignore[attr-defined]  # asked less often than a function may fail in a row
