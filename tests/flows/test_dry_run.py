"""A rehearsal counts what would be asked and sends nothing."""

from rarefy.data_contracts.rows import Chunk, Pool, Question, Reply, Unanswered, Variant
from rarefy.data_contracts.tables import from_table, to_table
from rarefy.flows.models.request_forecast import dry_run
from rarefy.tasks.models.embed import EmbedConfig
from rarefy.tasks.models.llm import LLMConfig
from rarefy.tasks.models.llm.faults import REASONS, TRANSIENT, UNASKED
from rarefy.tasks.models.llm.reply_store import StoredReply, open_reply_store, reply_key
from rarefy.tasks.models.nli import NLIConfig
from rarefy.tasks.perturb import CATALOGUE, Case, PerturbConfig
from rarefy.tasks.perturb.model_drafts import list_requests
from rarefy.tasks.store.recipe import Job
from rarefy.tasks.store.tables import Store

TEXT = "Alto Corp sold 5 plants in 2024. It paid $4.5 billion for them. The buyer was Norr AB of Oslo."
ONE, TWO, THREE = (LLMConfig(provider="openai", model=f"m-{n}") for n in range(3))
DOCUMENT = ("simple", "llm_generated", "self_generated", "back_translation")


def rehearsed(store, llm, generator, nli, books=None, **more):
    """The tallies by model, and the variants, of two questions on one chunk."""
    asked = [
        Question(f"q{n}", "p", "single", f"Who was buyer {n} of the plants of Alto?", "Norr AB", (), (), ("c",), (), ())
        for n in range(2)
    ]
    given = {
        "questions": store.keep(to_table(asked, Question)),
        "chunks": store.keep(to_table([Chunk("c", "d", 0, len(TEXT), "text", "", TEXT, 30)], Chunk)),
        "pools": store.keep(to_table([], Pool)),
    }
    config = PerturbConfig(**{"by": "model", "query": ("grammar",), "document": DOCUMENT, "context": ()} | more)
    tools = {"embed": EmbedConfig(), "nli": NLIConfig(method="model", llm=nli), "llm": llm, "generator": generator}
    takes, makes = {"questions": Question, "chunks": Chunk, "pools": Pool}, {"variants": Variant, "left": Unanswered}
    job = Job("vary", "rarefy.tasks.perturb:vary", 1, takes, makes, config, tools)
    tallies = {}
    made = dry_run(job, given, store, books, tallies)
    return {tally.model.model: tally for tally in tallies.values()}, list(from_table(made["variants"], Variant))


def test_each_chunk_is_counted_once_a_translation_twice_and_each_comparison_both_ways(tmp_path):
    tallies, variants = rehearsed(Store(str(tmp_path)), ONE, TWO, THREE)
    assert tallies["m-0"].calls == 2 + 1 + 1 + 2  # two questions, simple, rewritten, there and back
    assert tallies["m-1"].calls == 1
    assert tallies["m-2"].calls == 2 * len(DOCUMENT)
    assert {v.rejected_because for v in variants if v.perturbation != "none"} == {"unanswered"}
    assert 0 < tallies["m-0"].likely < tallies["m-0"].most and tallies["m-2"].likely == 40 * 8


def test_what_one_model_is_asked_under_two_names_is_asked_once(tmp_path):
    tallies, _ = rehearsed(Store(str(tmp_path)), ONE, ONE, ONE)
    assert tallies["m-0"].calls == 6 + 2 * len(DOCUMENT)


def test_what_rules_make_is_compared_as_it_is(tmp_path):
    tallies, variants = rehearsed(
        Store(str(tmp_path)), ONE, TWO, THREE, by="rules", query=(), document=(), context=("golden_augmented",)
    )
    made = [row for row in variants if row.perturbation == "golden_augmented" and row.entailment]
    assert tallies["m-2"].calls == 2 * len({row.text for row in made}) and not tallies["m-0"].calls


def test_what_is_remembered_is_not_counted(tmp_path):
    case = Case("q0", "query", "Who was buyer 0 of the plants of Alto?")
    config = PerturbConfig(by="model", query=("grammar",), document=(), context=())
    (request,) = list_requests(CATALOGUE["grammar"], [case], config)
    books = open_reply_store("", tmp_path)
    name, made_of = reply_key(ONE.identity(), request)
    text = '{"texts": ["Of the plants of Alto, who was buyer 0?"]}'
    books.keep([], [StoredReply(name, made_of, Reply("x", text, finish_reason="stop"))])
    tallies, variants = rehearsed(Store(str(tmp_path)), ONE, TWO, THREE, books, document=())
    assert (tallies["m-0"].calls, tallies["m-0"].remembered) == (1, 1)
    assert next(v.text for v in variants if v.perturbation == "grammar") == "Of the plants of Alto, who was buyer 0?"


def test_a_rehearsal_is_told_from_every_failure():
    assert UNASKED not in REASONS and UNASKED not in TRANSIENT
