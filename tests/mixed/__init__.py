"""Questions and passages to mix contexts of."""

from rarefy.data_contracts.rows import Chunk, Question, Variant, row_id

SIZES = {
    "golden": 10,
    "distracting": 10,
    "low_quality": 7,
    "inconsequential": 7,
    "irrelevant": 7,
}  # Magic Mushroom §4.1
WORDS = "the report tells of matters that bear on this only from afar and goes on at length about them".split()


def question(name: str = "q", hops: int = 1, **more: object) -> Question:
    """A question with so many gold chunks."""
    values = {
        "question_id": name,
        "path_id": "p",
        "pattern": "single" if hops == 1 else "chain",
        "text": f"How many employees did Acme have ({name})?",
        "answer": "164,000",
        "aliases": (),
        "triplet_ids": (),
        "chunk_ids": tuple(f"{name}-c{at}" for at in range(hops)),
        "evidence": (),
        "evidence_spans": (),
    }
    return Question(**{**values, **more})


def variant(of: Question, family: str, at: int, **more: object) -> Variant:
    """A passage of a class; each of another length, and none like another."""
    chunk_id = of.chunk_ids[at % len(of.chunk_ids)] if family in ("golden", "distracting") else f"{family}-{at}"
    told = "Acme had 164,000 employees." if family == "golden" else "Nothing is said of it here."
    text = f"{told} {of.question_id} {family} passage {'x' * at}. " + " ".join(WORDS[: 5 + 3 * at % 13])
    values = {
        "variant_id": row_id(of.question_id, "context", family, str(at)),
        "question_id": of.question_id,
        "side": "context",
        "perturbation": family,
        "text": text,
        "chunk_id": chunk_id,
        "number": at,
        "family": family,
    }
    return Variant(**{**values, **more})


def pool(of: Question, **sizes: int) -> list[Variant]:
    """The passages of a question: as many of each class as Magic Mushroom has, or as said."""
    return [variant(of, family, at) for family, size in (SIZES | sizes).items() for at in range(size)]


def words(texts: object) -> list[int]:
    """Counts tokens as words."""
    return [len(text.split()) for text in texts]


def chunk(name: str, title: str) -> Chunk:
    return Chunk(name, "d", 0, 1, "text", "", "x", 1, title=title)
