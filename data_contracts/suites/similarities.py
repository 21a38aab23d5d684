"""Rules for how alike texts are; what they are of is not looked up: rows set aside may leave theirs behind."""

from rarefy.data_contracts.suites.rule import COSINE, Suite, between, hashed, one_of, unique

SIMILARITY = Suite(
    key="of",
    rules=(
        unique("of"),
        hashed("of"),
        one_of("kind", "variant", "merge"),
        one_of("method", "embedding", "words"),
        between("cosine", *COSINE),
    ),
)
