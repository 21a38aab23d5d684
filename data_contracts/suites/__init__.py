"""The rules of every table, by row type: a row that breaks one is set aside, a broken table stops the run."""

from rarefy.data_contracts.rows import (
    Chunk,
    Document,
    Judgement,
    Merge,
    Path,
    Pool,
    Probe,
    Quarantined,
    Question,
    Similarity,
    Triplet,
    Unanswered,
    Variant,
)
from rarefy.data_contracts.suites.corpus import CHUNK, DOCUMENT, QUARANTINED
from rarefy.data_contracts.suites.evaluation import OF_EVALUATION
from rarefy.data_contracts.suites.facts import MERGE, TRIPLET
from rarefy.data_contracts.suites.questions import JUDGEMENT, PATH, PROBE, QUESTION, UNANSWERED
from rarefy.data_contracts.suites.rule import Suite
from rarefy.data_contracts.suites.variants import POOL, SIMILARITY, VARIANT

SUITES: dict[type, Suite] = {
    Document: DOCUMENT,
    Chunk: CHUNK,
    Triplet: TRIPLET,
    Merge: MERGE,
    Path: PATH,
    Question: QUESTION,
    Probe: PROBE,
    Judgement: JUDGEMENT,
    Pool: POOL,
    Variant: VARIANT,
    Similarity: SIMILARITY,
    Quarantined: QUARANTINED,
    Unanswered: UNANSWERED,
    **OF_EVALUATION,
}
