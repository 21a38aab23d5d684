"""The rules of every table, by row type."""

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
from rarefy.data_contracts.suites.benchmark import QUESTION
from rarefy.data_contracts.suites.corpus import CHUNK, DOCUMENT, QUARANTINED
from rarefy.data_contracts.suites.evaluation import OF_EVALUATION
from rarefy.data_contracts.suites.facts import MERGE, TRIPLET
from rarefy.data_contracts.suites.model_judgements import JUDGEMENT, PROBE, UNANSWERED
from rarefy.data_contracts.suites.patterns import PATH
from rarefy.data_contracts.suites.pools import POOL
from rarefy.data_contracts.suites.rule import Suite
from rarefy.data_contracts.suites.similarities import SIMILARITY
from rarefy.data_contracts.suites.variants import VARIANT

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
