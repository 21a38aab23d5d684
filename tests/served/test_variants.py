"""What is asked for variants, as a real server takes it: every schema, every length, both steps of a translation."""

import pytest

from rarefy.data_contracts.rows import Chunk, Pool
from rarefy.tasks.perturb import CATALOGUE, Case, PerturbConfig
from rarefy.tasks.perturb.model_drafts import CONVERSATIONS, write_drafts

TEXT = "Alto Corp sold 5 plants in 2024. It paid $4.5 billion for them. The buyer was Norr AB of Oslo."
NEAR = "Sales of pumps to hospitals rose by 7 % in 2023, while two older plants in the north of Norway were closed."
CONFIG = PerturbConfig(pools={"golden_augmented": 2, "distracting": 2, "counterfactual": 2, "inconsequential": 2})
# a tiny model of random weights rambles: what it says is cut, or no text that anybody could use
SAID = {"", "truncated", "unparsable"}


@pytest.fixture
def llm(connect, server):
    return connect("openai", "tiny", server)


@pytest.mark.parametrize("role", CONVERSATIONS)
def test_each_role_is_answered_and_never_rejected(llm, role):
    entry = next(entry for entry in CATALOGUE.values() if entry.role == role)
    chunks = {"near": Chunk("near", "d", 0, len(NEAR), "text", "", NEAR, 30)}
    case = Case(
        "c1", entry.side, TEXT, "q1", "Who bought the plants?", "Norr AB", chunk_id="gold",
        pool=Pool("p", "q1", ("near",), (), ()), chunks=chunks,
    )  # fmt: skip
    ((_, found, reply),) = write_drafts(entry, [case], CONFIG, llm)
    assert reply.error in SAID, reply
    assert reply.prompt_tokens > 100 and reply.completion_tokens > 0
    assert found or reply.error
