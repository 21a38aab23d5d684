"""A key goes to its endpoint and nowhere else: a canary through every way that a call can fail."""

import json
import logging
import pickle
import traceback
from urllib.parse import quote

import pytest
from endpoint import served
from hypothesis import given
from hypothesis import strategies as st

from rarefy.data_contracts.rows import Message, Request
from rarefy.flows.faults import Fault, SpentFault, UsageFault
from rarefy.tasks.models.llm import InferenceContext, LLMConfig, RequestPolicy, unanswered
from rarefy.tasks.models.llm.reply_store import open_reply_store
from rarefy.tasks.models.llm.secrets import redacted, strip_address
from rarefy.tasks.refresh.feeds.faults import FeedFault, Refused, TryLater
from rarefy.tasks.store.tables import Store

# one of the shape that everybody knows, one of no shape at all, and one that is written otherwise in an address
CANARIES = ["sk-proj-Canary0123456789Canary", "Canary_Zx81_without_shape", "Canary/+Zx81==&q"]
FAULTS = [
    "400+key",
    "401+key",
    "403+key",
    "404+key",
    "429-ms=5+key",
    "quota+key",
    "500+key",
    "502+key",
    "html+key",
    "error-200+key",
    "too-long+key",
    "filter-400+key",
    "no-n+key",
    "refusal+key",
    "filter+key",
    "hang",
    "slow=5",
    "cut-before",
    "cut-headers",
    "cut-body",
    "reset",
    "half",
    "nothing",
    "no-choices",
    "prose",
    "fenced",
]
SCHEMA = json.dumps({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})


def chain(error):
    """All that can be seen of an exception: its traceback, and those it came from, hidden ones too."""
    told = ["".join(traceback.format_exception(error)), repr(error), str(error), repr(vars(error))]
    for before in (error.__cause__, error.__context__):
        if before is not None:
            told += chain(before)
    return told


def all_told(config, means, prompts, cache, *, schema=""):
    """Everything that asking these leaves behind: rows, exceptions, files, pickles."""
    told = [repr(config), repr(means), config.model_dump_json(), json.dumps(config.identity())]
    try:
        llm = config.connect(cache, threads=1, means=means)
        requests = [Request(f"q{n}", (Message("user", text),), schema=schema) for n, text in enumerate(prompts)]
        told.append(repr(llm))
        for reply in llm(requests):
            told += [repr(reply), repr(unanswered("s", "about", reply))]
    except Exception as error:
        told += chain(error)
    books = open_reply_store(means.books, cache)
    told += [repr(books.usage("")), repr(books.explain("q0")), repr(books.explain(""))]
    files = [file.read_bytes() for file in cache.rglob("*") if file.is_file()]
    return "\n".join(told).encode(), b"".join(files), pickle.dumps((config, means))


def assert_nowhere(key, *told):
    for form in {key, quote(key), quote(key, safe=""), json.dumps(key)[1:-1], key.encode().hex()}:
        for text in told:
            at = text.find(form.encode())
            assert at < 0, text[max(0, at - 200) : at + 100]


@pytest.fixture
def heard(caplog, capfd):
    """Every log record of every library, and all that is printed."""
    caplog.set_level(logging.DEBUG)
    for name in ("openai", "httpx", "httpx2", "httpcore", "httpcore2", "aiohttp", "asyncio", "rarefy"):
        logging.getLogger(name).setLevel(logging.DEBUG)

    def everything():
        records = [repr(vars(record)) + record.getMessage() for record in caplog.records]
        out, err = capfd.readouterr()
        return "\n".join([caplog.text, *records, out, err]).encode()

    yield everything
    for name in ("openai", "httpx", "httpx2", "httpcore", "httpcore2", "aiohttp", "asyncio", "rarefy"):
        logging.getLogger(name).setLevel(logging.NOTSET)


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory):
    with served(tmp_path_factory.mktemp("secrets") / "log.jsonl") as running:
        yield running


MEANS = InferenceContext(
    stage="s",
    run="r",
    serving=RequestPolicy(retries=1, try_deadline=0.3, call_deadline=1, watchdog=0.1, failure_budget=1),
)


@pytest.mark.parametrize("key", CANARIES)
def test_the_key_is_told_by_no_failure(key, endpoint, heard, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    monkeypatch.setenv("OPENAI_API_KEY", key)
    config = LLMConfig(provider="openai", model="m")
    stops = ("401", "403", "404", "quota")
    together = [f"[[do: {fault}]]" for fault in FAULTS if not fault.startswith(stops)]
    told = list(all_told(config, MEANS, together, tmp_path / "together", schema=SCHEMA))
    for fault in (fault for fault in FAULTS if fault.startswith(stops)):
        told += all_told(config, MEANS, [f"[[do: {fault}]]"], tmp_path / fault)
    assert b"[key]" in b"".join(told)  # the endpoint did tell it
    assert_nowhere(key, *told, heard())


@pytest.mark.parametrize("key", CANARIES)
def test_a_wrong_key_that_the_endpoint_repeats_is_not_repeated(key, heard, tmp_path, monkeypatch):
    with served(tmp_path / "log.jsonl", key="the right one", echo_key=True) as strict:
        monkeypatch.setenv("MINE_BASE_URL", strict.url)
        monkeypatch.setenv("MINE_API_KEY", key)
        told = all_told(LLMConfig(provider="openai", model="m", endpoint="MINE"), MEANS, ["x"], tmp_path / "cache")
    assert b"Unavailable" in told[0] and b"MINE_API_KEY" in told[0]
    assert_nowhere(key, *told, heard())


@pytest.mark.parametrize("key", CANARIES)
@pytest.mark.parametrize("where", ["user", "query"])
@pytest.mark.parametrize("state", ["there", "closed", "unknown"])
def test_a_key_in_the_address_is_told_by_nobody(key, where, state, endpoint, heard, tmp_path, monkeypatch):
    host = {"there": endpoint.url.split("/")[2], "closed": "127.0.0.1:9", "unknown": "no-such-host.invalid"}[state]
    inside = quote(key, safe="")
    url = f"http://me:{inside}@{host}/v1" if where == "user" else f"http://{host}/v1?api-key={inside}"
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    prompts = ["fine", "[[do: 500+key]]", "[[do: 400]]", "[[do: cut-body]]", "[[do: hang]]"]
    told = all_told(LLMConfig(provider="openai", model="m"), MEANS, prompts, tmp_path / "cache")
    assert_nowhere(key, *told, heard())


def test_azure_tells_no_key_either(endpoint, heard, tmp_path, monkeypatch):
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", endpoint.url.removesuffix("/v1"))
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", CANARIES[1])
    monkeypatch.setenv("OPENAI_API_VERSION", "2025-03-01-preview")
    prompts = ["fine", *(f"[[do: {fault}]]" for fault in ("400+key", "500+key", "html+key", "refusal+key", "hang"))]
    told = all_told(LLMConfig(provider="azure", model="m"), MEANS, prompts, tmp_path / "cache")
    assert b"error=''" in told[0]  # one was answered
    assert_nowhere(CANARIES[1], *told, heard())


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer {key}",
        "authorization: bearer {key}, then more",
        '{{"Authorization": "Bearer {key}"}}',
        "{{'api-key': '{key}'}}",
        "Incorrect API key provided: {key}.",
        "http://me:{key}@host:80/v1 refused",
        "GET /v1?api_key={key}&model=m",
    ],
)
def test_redaction_knows_the_key_of_the_environment_in_any_writing(text, monkeypatch):
    for key in CANARIES:
        monkeypatch.setenv("OPENAI_API_KEY", key)
        for form in (key, quote(key, safe="")):
            assert form not in redacted(text.format(key=form)), form


def test_redaction_leaves_other_words_alone(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    for text in ("none of them", "the token limit is 8192 tokens", "key figures: basic earnings per share"):
        assert redacted(text) == text
    assert strip_address("https://me:secret@host/v1?api-key=x") == "https://host/v1"


LETTERS = st.text(st.characters(codec="ascii", exclude_characters=" \"'<>", exclude_categories=["Cc"]), min_size=6)
SCHEMES = st.sampled_from(["http", "https", "postgresql", "postgresql+asyncpg", "s3", "redis", "tcp", "sqlite"])
SECRETS = st.sampled_from(
    ["key", "api_key", "token", "access_token", "sig", "password", "client_secret", "X-Amz-Signature", "passwd", "pwd"]
)


@given(SCHEMES, st.from_regex(r"[a-z]{0,5}", fullmatch=True), LETTERS, st.sampled_from(["", ":80", "/x", "/x?a=1"]))
def test_no_password_of_an_address_is_told_however_it_is_written(scheme, user, password, rest):
    password = f"Zx81{password}"
    told = redacted(f"cannot open {scheme}://{user}:{password}@host{rest}: refused", most=10_000)
    assert "Zx81" not in told and password not in told
    assert told == f"cannot open {scheme}://[key]@host{rest}: refused"


@given(SCHEMES, SECRETS, st.from_regex(r"[A-Za-z0-9+/=%_.-]{6,40}", fullmatch=True), st.sampled_from("?&;"))
def test_no_secret_in_the_query_of_an_address_is_told(scheme, name, secret, before):
    told = redacted(f"{scheme}://host/x?a=1{before}{name}=Zx81{secret}&b=2 refused", most=10_000)
    assert told == f"{scheme}://host/x?a=1{before}{name}=[key]&b=2 refused"


@pytest.mark.parametrize(
    "text",
    [
        "http://127.0.0.1:4200/api does not answer",
        "tcp://10.0.0.1:8786 is gone; write to me@example.org",
        "http://[::1]:80/x",
        "s3://bucket/a@b.html",
        "https://host/a?page=2&monkeys=3#x@y",
    ],
)
def test_an_address_without_secrets_stays_as_it_is(text):
    assert redacted(text) == text


def test_a_user_alone_may_be_a_token_and_is_not_told():
    assert redacted("https://ghp_abcdef@github.com/x") == "https://[key]@github.com/x"


def test_faults_and_what_a_store_is_called_hold_no_password():
    address_ = "postgresql://me:Zx81pass@host/db"
    for kind in (Fault, UsageFault, SpentFault, FeedFault, Refused, TryLater):
        assert str(kind(f"--replies {address_}: gone")) == "--replies postgresql://[key]@host/db: gone"
    assert "Zx81" not in Store("memory://me:Zx81pass@host/db").told
