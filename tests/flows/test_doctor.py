"""What a config needs is looked at, and where it is missing there is a way out."""

import pytest
from endpoint import served

from rarefy.flows.cli import doctor, main
from rarefy.tasks.models.llm import LLMConfig

CONFIG = '[llm]\nprovider = "openai"\nmodel = "{model}"\n[ask]\nmethod = "model"\n'
KEY = "canary-3f9a1c7e5b"


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A server of the OpenAI protocol, its address and key in the environment."""
    with served(tmp_path / "log.jsonl", models=["m-1"], key=KEY) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield server


def examined(tmp_path, capsys, model="m-1", *more):
    (tmp_path / "c.toml").write_text(CONFIG.format(model=model))
    capsys.readouterr()
    code = main(["doctor", "--config", str(tmp_path / "c.toml"), "--store", str(tmp_path / "store"), *more])
    said = capsys.readouterr()
    assert KEY not in said.out + said.err
    found = {}
    for line in said.out.splitlines():
        state, rest = next((s, line[len(s) :].strip()) for s in ("ok", "not available", "wrong") if line.startswith(s))
        found[rest[:22].strip()] = (state, rest[22:].strip())
    return code, found


def test_all_is_well(server, tmp_path, capsys, api):
    code, found = examined(tmp_path, capsys)
    assert code == 0
    for what in ("config", "llm endpoint", "llm key", "llm models", "llm chat", "llm structured output", "embedder"):
        assert found[what][0] == "ok", found[what]
    assert found["llm log-probabilities"][0] == "ok"
    assert found["prefect"][0] == "ok" and found["store"][0] == "ok"
    assert found["llm price"][0] == "not available" and "--max-cost" in found["llm price"][1]


def test_a_server_that_ignores_schemas_and_logprobs_without_a_word_is_found_out(server, tmp_path, capsys, api):
    server.control(ignores=["response_format", "logprobs"])
    code, found = examined(tmp_path, capsys)
    assert code == 0, "the ladder reads such replies all the same"
    assert found["llm structured output"] == (
        "not available",
        "ignored without a word: replies are read, repaired, and asked for once more",
    )
    assert found["llm log-probabilities"][0] == "not available"


def test_a_wrong_key_is_told_without_the_key(server, tmp_path, capsys, api, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "another-canary-77d1")
    code, found = examined(tmp_path, capsys)
    assert code == 1
    assert found["llm chat"][0] == "wrong" and "set OPENAI_API_KEY" in found["llm chat"][1]
    assert not any("another-canary-77d1" in told for _, told in found.values())


def test_a_model_that_is_not_there_is_told_with_those_that_are(server, tmp_path, capsys, api):
    code, found = examined(tmp_path, capsys, "m-2")
    assert code == 1
    assert "m-2 is not listed; have m-1" in found["llm models"][1]


def test_no_endpoint_at_all(tmp_path, capsys, api, monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    code, found = examined(tmp_path, capsys)
    assert code == 1 and "set OPENAI_API_KEY" in found["llm endpoint"][1]
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    code, found = examined(tmp_path, capsys)
    assert code == 1 and "start the server, or check OPENAI_BASE_URL" in found["llm chat"][1]


def test_what_else_is_not_there_is_told_too(tmp_path, capsys, api, monkeypatch):
    monkeypatch.setenv("ELASTICSEARCH_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("RAREFY_REPLIES", "nonsense://there")
    code, found = examined(tmp_path, capsys, "m-1", "--dask", "tcp://127.0.0.1:9")
    assert code == 1
    for what in ("elasticsearch", "dask", "replies"):
        assert found[what][0] == "wrong", found


def test_the_offline_defaults_need_nothing(tmp_path, capsys, api):
    capsys.readouterr()
    assert main(["doctor", "--store", str(tmp_path / "store")]) == 0
    said = capsys.readouterr().out
    assert "the offline methods ask none" in said and "wrong" not in said


def test_every_model_of_the_config_is_looked_at_and_so_is_what_compares_texts(server, tmp_path, capsys, api):
    (tmp_path / "c.toml").write_text(
        CONFIG.format(model="m-1")
        + '[perturb]\nby = "model"\ndocument = ["source"]\n[generator]\nprovider = "openai"\nmodel = "m-1"\n'
        '[nli]\nmethod = "model"\nllm = { provider = "openai", model = "m-1" }\n'
    )
    capsys.readouterr()
    assert main(["doctor", "--config", str(tmp_path / "c.toml"), "--store", str(tmp_path / "store")]) == 0
    said = capsys.readouterr().out
    for what in ("llm chat", "generator chat", "nli.llm chat"):
        assert f"ok             {what}" in said
    assert "ok             entailment             by m-1" in said
    assert "the same texts" in said and "says itself whether they mean the same" in said


@pytest.mark.parametrize(("installed", "told"), [(True, "loaded when it is first asked"), (None, "install")])
def test_a_model_of_vllm_is_looked_for_and_not_loaded(installed, told, monkeypatch):
    monkeypatch.setattr(doctor, "find_spec", lambda name: installed)
    what, state, said = doctor._of_vllm(LLMConfig(provider="vllm", model="m"))
    assert (what, state) == ("vllm", "ok" if installed else "not available") and told in said
