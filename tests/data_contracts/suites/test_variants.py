"""Rules for variants and pools: each breach is caught, and named with the value that broke it."""

import pytest

from rarefy.data_contracts.rows import Pool, Question, Similarity, Span, Swap, Variant, row_id
from rarefy.data_contracts.suites import SUITES
from rarefy.data_contracts.tables import from_table

NOBODY = "0123456789abcdef"  # a well-formed name of nothing
GOLDEN, NOISE = 3, 4  # rows of the first question, after itself, a query and a document variant

# row type, rule, which rows to change, how, and what the message must show
BREACHES = [
    (Variant, "the table has rows", "none", {}, "0"),
    (Variant, "variant_id is unique", "twice", {}, ""),
    (Variant, "variant_id is 16 hexadecimal digits", 0, {"variant_id": "V"}, "V"),
    (Variant, "side is query | document | context, or module:function", 0, {"side": "answer"}, "'answer'"),
    (Variant, "perturbation is snake_case, or module:function", 1, {"perturbation": "Swap letters"}, "'Swap letters'"),
    (Variant, "question_id names a Question", 0, {"question_id": NOBODY}, f"'{NOBODY}' is no Question"),
    (
        Variant,
        "its question was accepted",
        0,
        {"question_id": row_id("rejected question")},
        "was rejected: not_self_contained",
    ),
    (Variant, "the unperturbed variant reads as its question", 0, {"text": "What?"}, "reads 'What?'"),
    (Variant, "the document changed is a gold chunk", 2, {"chunk_id": ""}, "chunk '' is no gold chunk"),
    (Variant, "the document changed is a gold chunk", 1, {"chunk_id": NOBODY}, "on the query side"),
    (Variant, "chunk_id names a Chunk or is empty", 1, {"side": "context", "chunk_id": NOBODY}, "is no Chunk"),
    (
        Variant,
        "a kept question differs from its original",
        1,
        {"text": lambda text: text[::-1]},
        "reads as its question",
    ),
    (Variant, "what is kept is of its family, and was proven as that asks", NOISE, {"checks": ()}, "without no_answer"),
    (
        Variant,
        "what is kept is of its family, and was proven as that asks",
        NOISE,
        {"family": "golden"},
        "kept without answer_kept",
    ),
    (
        Variant,
        "what is kept is of its family, and was proven as that asks",
        NOISE,
        {"family": "format"},
        "which is of the document side",
    ),
    (Variant, "what is kept is of its family, and was proven as that asks", NOISE, {"family": ""}, "of family ''"),
    (Variant, "text not blank unless rejected", 1, {"text": ""}, "text blank"),
    (Variant, "rejected_because is a snake_case code or empty", 2, {"rejected_because": "NO"}, "'NO'"),
    (Variant, "every accepted question is there once unperturbed", "without first", {}, "0 unperturbed variants"),
    (
        Variant,
        "every accepted question is there once unperturbed",
        "again",
        {"variant_id": NOBODY},
        "2 unperturbed variants",
    ),
    (Variant, "family is a name or empty", 1, {"family": "my family"}, "my family"),
    (Variant, "method is rules | selection | model, or empty", 1, {"method": "magic"}, "magic"),
    (Variant, "a passage has a chunk", NOISE, {"chunk_id": ""}, "a context variant of no chunk"),
    (Variant, "number is at least 0", 1, {"number": -1}, "-1"),
    (Variant, "a kept variant has its number alone", "again", {"variant_id": NOBODY}, "kept before"),
    (Variant, "spans lie inside the text, in its chunk", GOLDEN, {"text": "Short."}, "is not inside its text"),
    (Variant, "spans lie inside the text, in its chunk", NOISE, {"spans": (Span(NOBODY, 0, 3),)}, f"chunk '{NOBODY}'"),
    (Variant, "entailment is a label each way, or empty", GOLDEN, {"entailment": "yes"}, "yes"),
    (Variant, "what was held to entail does so both ways", GOLDEN, {"entailment": "kept, changed"}, "'kept, changed'"),
    (Variant, "what was held to entail does so both ways", GOLDEN, {"entailment": ""}, "yet ''"),
    (Variant, "checks are snake_case codes, each once", 1, {"checks": ("Looks good",)}, "'Looks good'"),
    (Variant, "checks are snake_case codes, each once", 1, {"checks": ("same", "same")}, "a check twice"),
    (Similarity, "of is unique", "twice", {}, ""),
    (Similarity, "of is 16 hexadecimal digits", 0, {"of": "v"}, "v"),
    (Similarity, "kind is variant | merge, or module:function", 0, {"kind": "name"}, "'name'"),
    (Similarity, "method is embedding | words, or module:function", 0, {"method": "eye"}, "'eye'"),
    (Similarity, "cosine lies in -1..1", 0, {"cosine": 1.1}, "cosine 1.1"),
    (Pool, "pool_id is unique", "twice", {}, ""),
    (Pool, "pool_id is 16 hexadecimal digits", 0, {"pool_id": "P"}, "P"),
    (Pool, "question_id is unique", "twice", {}, ""),
    (Pool, "question_id names a Question", 0, {"question_id": NOBODY}, f"'{NOBODY}' is no Question"),
    (Pool, "neighbours names a Chunk", 0, {"neighbours": (NOBODY,)}, "is no Chunk"),
    (Pool, "strangers names a Chunk", 0, {"strangers": (NOBODY,)}, "is no Chunk"),
    (Pool, "no passage of a pool is gold", 0, {"neighbours": "gold"}, "gold chunk"),
    (Pool, "neighbours stand in a gold chunk's document", 0, {"neighbours": "strangers"}, "and no gold chunk is"),
    (Pool, "strangers stand in another document", 0, {"strangers": "neighbours"}, "as a gold chunk is"),
    (Pool, "a swap has a kind and two values that differ", 0, {"swaps": (Swap("a", "a", "ORG"),)}, "'a' for 'a'"),
    (Pool, "a swap has a kind and two values that differ", 0, {"counterfacts": (Swap("a", "b", ""),)}, "of kind ''"),
    (Pool, "every accepted question but absences has a pool", "without first", {}, ": none"),
]


@pytest.mark.parametrize(("row_type", "rule", "where", "changes", "shown"), BREACHES)
def test_a_breach_is_caught_and_named(breach, tables, row_type, rule, where, changes, shown):
    if row_type is Pool:
        row = next(from_table(tables[Pool], Pool))
        question = next(q for q in from_table(tables[Question], Question) if q.question_id == row.question_id)
        named = {"gold": question.chunk_ids, "neighbours": row.neighbours, "strangers": row.strangers}
        changes = {key: named.get(to, to) if isinstance(to, str) else to for key, to in changes.items()}
    result, message = breach(row_type, rule, where, changes)
    assert not result.success and result.count >= 1
    assert shown in result.examples[0]
    assert "some stage" in message and rule in message and row_type.__name__ in message


@pytest.mark.parametrize("row_type", [Variant, Pool, Similarity])
def test_every_rule_has_a_breach(row_type):
    rules = [rule.says for rule in SUITES[row_type].rules]
    assert len(set(rules)) == len(rules)
    assert {rule for its_type, rule, *_ in BREACHES if its_type is row_type} == set(rules)
