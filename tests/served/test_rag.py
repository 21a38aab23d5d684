"""The rag system and SURE's oracle against vLLM's own server: what it takes, and that its numbers are the model's."""

import pytest

from rarefy.data_contracts.rows import Message, Passage
from rarefy.tasks.evaluate.systems.interface import SystemInput
from rarefy.tasks.evaluate.systems.rag import STRATEGIES, RagConfig, rag
from rarefy.tasks.evaluate.systems.rag.conversation import PACKS
from rarefy.tasks.evaluate.systems.rag.likelihood import LikelihoodConfig, score_continuations, score_oracle
from rarefy.tasks.models.llm import InferenceContext, LLMConfig, RequestPolicy

DOCUMENT = Passage("p", "Net sales of Acme rose to $47.5 billion in 2024.", "Acme 10-K")
# a tiny model of random weights rambles: what it says is cut, or no answer that its prompt asks for
SAID = {"", "truncated", "unparsable"}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_each_strategy_is_answered_under_every_protocol_and_never_rejected(strategy, connect, server):
    llm = connect("openai", "tiny", server)
    config = RagConfig(strategy=strategy, max_tokens=24, truncated="answer", temperature=1.0, dragin_threshold=0.1)
    asked = [
        SystemInput(f"{name}{n}", "What were net sales?", passages, name if name != "general" else "", "no such info")
        for name in PACKS
        for n, passages in enumerate([(DOCUMENT, DOCUMENT), ()])
    ]
    said = list(rag(config, llm, rate=lambda query, texts: [0.0] * len(texts))(asked))
    assert [one.asked_id for one in said] == [one.asked_id for one in asked]
    assert {one.error for one in said} <= SAID
    assert all(one.prompt_tokens and one.completion_tokens and one.model == "tiny" for one in said)
    if strategy == "dragin":
        assert {one.calls for one in said} >= {1, 2}, "a model of random weights is uncertain"


@pytest.fixture
def scored(server, tmp_path, monkeypatch):
    """scored("chat"): what `likelihoods` asks."""
    monkeypatch.setenv("OPENAI_BASE_URL", server)
    monkeypatch.setenv("OPENAI_API_KEY", "none")

    def connected(by):
        config = LikelihoodConfig(llm=LLMConfig(provider="openai", model="tiny"), by=by)
        means = InferenceContext(stage="oracle", run="r", serving=RequestPolicy(retries=0))
        return config, config.connect(tmp_path / by, threads=1, means=means)

    return connected


ANSWERS = [
    "Deloitte",
    "EY",
    "$47.5 billion",
    "the first quarter of 2024",
    "Müller-Lüdenscheidt",
    "São Paulo",
    "1,234.5 %",
]


@pytest.fixture(scope="module")
def network(model):
    """The same weights in transformers, in 32 bits: the log-probability of the tokens of a text behind a prompt."""
    torch = pytest.importorskip("torch")
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    weights = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32).eval()

    def told(prompt, text):
        whole = tokenizer(prompt + text, return_tensors="pt", return_offsets_mapping=True)
        offsets = whole.pop("offset_mapping")[0].tolist()
        with torch.inference_mode():
            logits = torch.log_softmax(weights(whole["input_ids"]).logits[0].float(), -1)
        ids = whole["input_ids"][0].tolist()
        # the blank before a word is its token's, so that a token counts that ends behind the prompt
        places = [at for at, (_, end) in enumerate(offsets) if end > len(prompt)]
        scored = [at for at in places if at]
        return float(sum(logits[at - 1, ids[at]] for at in scored)), len(places), len(scored)

    return tokenizer, told


@pytest.mark.parametrize("by", ["chat", "completions"])
def test_the_sums_are_those_of_the_model_itself(by, scored, network):
    tokenizer, told = network
    prompt = (Message("system", "Be brief."), Message("user", "Who audits Acme? What were net sales?"))
    turns = [{"role": one.role, "content": one.content} for one in prompt]
    plain = "\n".join(one.content for one in prompt)
    begins = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True) if by == "chat" else plain
    _, llm = scored(by)
    found = list(score_continuations([(answer, prompt, answer) for answer in ANSWERS], llm))
    for one in found:
        total, tokens, _ = told(begins, one.name if by == "chat" else f" {one.name}")
        assert (one.error, one.tokens) == ("", tokens), one
        assert one.logprob == pytest.approx(total, abs=0.05 * tokens), "weights of 16 bits there, of 32 here"
    assert len({one.logprob for one in found}) == len(ANSWERS)


def test_the_likelihood_of_a_bare_text(scored, network):
    _, told = network
    _, llm = scored("chat")
    text = "Net sales rose in 2024, as the table shows. Costs fell."
    (found,) = score_continuations([("a", (), text)], llm)
    total, tokens, number = told("", text)
    assert (found.tokens, found.scored) == (tokens, number)
    assert found.logprob == pytest.approx(total, abs=0.05 * tokens)


def test_the_oracle_of_documents(scored):
    config, llm = scored("chat")
    puts = [
        (f"q{n}", f"What were net sales in {n}?", DOCUMENT if n % 2 else None, ["EY", "$4", "z" * 40])
        for n in range(64)
    ]
    found = list(score_oracle(puts, config, llm))
    assert [one.name for one in found] == [name for name, *_ in puts]
    assert all(one.logprob is not None and one.logprob < 0 and one.answers == 2 for one in found)
