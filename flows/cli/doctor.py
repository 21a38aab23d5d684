"""Is everything there that a config needs? Looked at, models with a few tokens, and what to do where it is not."""

import asyncio
import json
import os
import shutil
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.error import URLError

from rarefy.data_contracts.rows import Message, Reply, Request
from rarefy.flows.config import Config
from rarefy.flows.engine.reachability import check_store
from rarefy.flows.faults import Fault, UsageFault
from rarefy.flows.models import accounting, roles
from rarefy.tasks.find import find
from rarefy.tasks.foreign_code import escape_controls
from rarefy.tasks.models.llm import InferenceContext, LLMConfig
from rarefy.tasks.models.llm.config import price_of
from rarefy.tasks.models.llm.faults import REASONS, Failed, Unavailable
from rarefy.tasks.models.llm.secrets import redacted, strip_address
from rarefy.tasks.store.tables import Store

OK, MISSING, WRONG = "ok", "not available", "wrong"
SECONDS = 60.0  # for one try: a server that has just started compiles at its first request
HTTP = ("openai", "azure", "batch")
# The prompt asks for something else than the schema allows: who keeps to the schema all the same is held to it
SCHEMA = {
    "type": "object",
    "properties": {"colour": {"type": "string", "enum": ["ochre", "teal"]}},
    "required": ["colour"],
    "additionalProperties": False,
}
Result = tuple[str, str, str]  # what, state, what to do: the fields of a Finding


def of_model(model: LLMConfig, config: Config) -> Iterator[Result]:
    """Yield findings on one model of the config."""
    priced = price_of(model, config.serving.prices)
    if model.provider in HTTP:
        yield from _of_endpoint(model)
    elif model.provider == "vllm":
        yield _of_vllm(model)
    elif model.provider == "recorded":
        yield _of_recorded(model)
    else:
        yield _of_function(model)
    if priced:
        price = f"{priced.prompt:g} in, {priced.completion:g} out, {priced.currency} per million, as of {priced.as_of}"
        yield "price", OK, price
    elif model.provider in HTTP:
        yield "price", MISSING, f"none for {model.model} in serving.prices: no cost is shown, --max-cost cannot be used"


def _of_endpoint(model: LLMConfig) -> Iterator[Result]:
    prefix = model.endpoint if model.provider != "azure" or model.endpoint != "OPENAI" else "AZURE_OPENAI"
    where = os.environ.get(f"{prefix}_ENDPOINT" if model.provider == "azure" else f"{prefix}_BASE_URL", "")
    key = bool(os.environ.get(f"{prefix}_API_KEY"))
    if not where and not key:
        yield "endpoint", WRONG, f"set {prefix}_API_KEY, and {prefix}_BASE_URL where it is not OpenAI's own API"
        return
    yield "endpoint", OK, strip_address(where) if where else "OpenAI's own API"
    yield (
        "key",
        OK if key else MISSING,
        f"{prefix}_API_KEY is {'set' if key else 'not set: fine where none is asked for'}",
    )
    yield from asyncio.run(_asked(model))


async def _asked(model: LLMConfig) -> list[Result]:
    """Findings from four requests to a model's server."""
    from rarefy.tasks.models.llm.endpoint import Endpoint

    try:
        server = Endpoint(model, InferenceContext())
    except (Unavailable, ValueError) as error:
        return [("endpoint", WRONG, str(error))]
    results: list[Result] = []
    try:
        results.append(await _listed(server, model))
        came = await _try(server, Request("chat", (Message("user", "Say yes."),), max_tokens=16))
        results.append(_chat(came, model))
        if results[-1][1] == WRONG:
            return results
        results.append(await _structured(server, model))
        results.append(await _logprobs(server))
    finally:
        await server.close()
    return results


async def _try(server: Any, request: Request) -> Reply | Exception:
    """The reply, or the error; a server that wants another field is asked once more."""
    try:
        return await server(request, SECONDS)  # type: ignore[no-any-return]
    except Failed as failed:
        if failed.reason != "rejected" or not failed.again:
            return failed
    except Unavailable as error:
        return error
    try:
        return await server(request, SECONDS)  # type: ignore[no-any-return]
    except (Failed, Unavailable) as error:
        return error


async def _listed(server: Any, model: LLMConfig) -> Result:
    import openai

    try:
        names = await server.models()
    except (openai.OpenAIError, ValueError) as error:
        return "models", MISSING, f"the server lists none ({type(error).__name__}); the chat below decides"
    if model.model in names:
        return "models", OK, f"{model.model} is one of {len(names)}"
    near = ", ".join(names[:10]) + (", …" if len(names) > 10 else "")
    return "models", MISSING, f"{model.model} is not listed; have {near}"


def _chat(came: Reply | Exception, model: LLMConfig) -> Result:
    if isinstance(came, Unavailable):
        return "chat", WRONG, str(came)
    if isinstance(came, Failed) and came.reason in ("connection", "timeout"):
        way = f"start the server, or check {model.endpoint}_BASE_URL, which usually ends in /v1, and the network"
        return "chat", WRONG, f"no answer ({came.detail}); {way}"
    if isinstance(came, Failed):
        return "chat", WRONG, f"{came.reason}: {came.detail}"
    assert isinstance(came, Reply)
    if came.error and came.error not in ("truncated", "empty"):
        return "chat", WRONG, f"{REASONS[came.error]}: {came.detail}"
    metered = "" if came.prompt_tokens else "; it tells no usage, so that tokens and costs are estimates"
    other = f", though {model.model} was asked" if came.model and came.model != model.model else ""
    return "chat", OK, f"{came.model} answers{other}{metered}"


async def _structured(server: Any, model: LLMConfig) -> Result:
    if model.structured == "none":
        return "structured output", MISSING, 'not asked for (structured = "none"): replies are read and repaired'
    asked = (Message("user", "Write a short poem about rain. Do not write JSON."),)
    came = await _try(server, Request("schema", asked, schema=json.dumps(SCHEMA), max_tokens=64))
    if isinstance(came, Exception):
        return "structured output", MISSING, f"refused ({came}): replies are read, repaired, and asked for once more"
    try:
        kept = json.loads(came.text)["colour"] in ("ochre", "teal")
    except (ValueError, LookupError, TypeError):
        kept = False
    if kept:
        return "structured output", OK, "a schema is kept even against the prompt"
    if came.error == "truncated" and came.text.lstrip()[:1] == "{":  # a poem does not begin so
        return "structured output", OK, "a schema is begun even against the prompt, and cut: the model pads or rambles"
    return "structured output", MISSING, "ignored without a word: replies are read, repaired, and asked for once more"


async def _logprobs(server: Any) -> Result:
    came = await _try(server, Request("logprobs", (Message("user", "Say yes."),), max_tokens=4, logprobs=2))
    if isinstance(came, Reply) and came.logprobs and came.logprobs[0].others:
        return "log-probabilities", OK, "given for each token, with alternatives"
    why = f"refused ({came})" if isinstance(came, Exception) else "left out without a word"
    return "log-probabilities", MISSING, f"{why}; no stage of a build needs them"


def of_nli(config: Config) -> Result:
    """Whether [nli] is there, which says whether a changed text means the same; its model has findings of its own."""
    nli = config.nli
    if not roles.needs_entailment(config):
        return "entailment", MISSING, "no chosen perturbation asks for it"
    if nli.method == "rules":
        return (
            "entailment",
            OK,
            "by rules, which prove and infer nothing: all else is rejected (not_proved)",
        )
    if nli.method == "model":
        return "entailment", OK, f"by {roles.short_name(nli.llm.model)} ([nli] llm)"
    wrong = "; ".join(roles.faults_of_nli(config))
    return "entailment", WRONG if wrong else OK, wrong or f"by {nli.method} {nli.model}".rstrip()


def _of_vllm(model: LLMConfig) -> Result:
    if find_spec("vllm") is not None:
        return "vllm", OK, f"is installed here; {model.model} is loaded when it is first asked"
    way = 'install "rarefy[vllm]", or let Dask workers that have it (--dask) hold the model'
    return "vllm", MISSING, f"is not installed here; {way}"


def _of_recorded(model: LLMConfig) -> Result:
    try:
        model.identity()
    except OSError as error:
        return "recorded", WRONG, f"{model.model}: {error.strerror}"
    return "recorded", OK, f"{model.model} is there"


def _of_function(model: LLMConfig) -> Result:
    try:
        ask = find(model.provider, {})
        reply = next(iter(ask([Request("chat", (Message("user", "Say yes."),), max_tokens=16)])), None)
    except ValueError as error:
        return "provider", WRONG, str(error)
    except Exception as error:  # whatever somebody's own code stumbles on is what to tell
        return "provider", WRONG, f"{model.provider} fails: {type(error).__name__}: {error}"
    if reply is None or reply.request_id != "chat":
        return "provider", WRONG, f"{model.provider} gives no reply with the request's id"
    return "provider", OK, f"{model.provider} answers"


ROOM = 5 * 2**30  # bytes: models in memory are not on this disk, but a corpus of thousands of filings is


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at, its state, and what to do about it."""

    what: str
    state: str  # ok | not available: the config does without | wrong: what the config needs is not there
    detail: str


def examine(config: Config, file: Path | None, store: str, dask: str) -> Iterator[Finding]:
    """Yield a finding for each thing that a build with this config needs, as soon as it was looked at."""
    yield from _check("config", lambda: _config(config, file))
    named = {section: model for section, model in roles.models_by_section(config).items() if model.provider}
    for section, model in named.items():
        yield from (Finding(f"{section} {what}", state, detail) for what, state, detail in of_model(model, config))
    if not named:
        yield Finding("model", MISSING, "none in the config, and none is needed: the offline methods ask none")
    yield Finding(*of_nli(config))
    yield from _check("embedder", lambda: _embedder(config, store))
    yield from _check("store", lambda: _disk(store))
    yield from _check("replies", lambda: _books(config, store))
    yield from _check("prefect", _prefect)
    yield from _dask(dask)
    yield from _elasticsearch()


def show(findings: Iterator[Finding]) -> bool:
    """Print findings as they come; returns whether nothing is wrong."""
    fine = True
    for finding in findings:
        print(f"{finding.state:<14} {finding.what:<22} {escape_controls(redacted(finding.detail, 1_000))}", flush=True)
        fine = fine and finding.state != WRONG
    return fine


def _check(what: str, look: Callable[[], str]) -> Iterator[Finding]:
    try:
        yield Finding(what, OK, look())
    except (Fault, OSError, ValueError, ImportError) as error:
        yield Finding(what, WRONG, str(error))


def _config(config: Config, file: Path | None) -> str:
    from rarefy.flows.engine.config_check import check_config, config_remarks

    check_config(config, file)
    for remark in config_remarks(config):
        print(f"{'remark':<14} {'config':<22} {remark}")
    return str(file) if file else "the offline defaults"


def _embedder(config: Config, store: str) -> str:
    embed = config.embed.connect(
        accounting.cache_folder(Store(store)), threads=1, means=InferenceContext(serving=config.serving)
    )
    began = time.monotonic()
    vector = embed(["Is anybody there?"])
    return f"{config.embed.model}: {vector.shape[1]} dimensions, {time.monotonic() - began:.1f} s"


def _disk(store: str) -> str:
    made = Store(store)
    if not made.local:
        check_store(store)
        return f"{strip_address(store)} can be written"
    folder = Path(made.root)
    nearest = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if not os.access(nearest, os.W_OK):
        raise UsageFault(f"{nearest} may not be written; grant permission, or choose another --store")
    free = shutil.disk_usage(nearest).free
    if free < ROOM:
        raise UsageFault(f"{made.root}: {free / 2**30:.1f} GiB free, under {ROOM // 2**30}; free some space")
    return f"{made.root}: {free / 2**30:.0f} GiB free"


def _books(config: Config, store: str) -> str:
    url = os.environ.get(accounting.REPLIES, "")
    place = accounting.cache_folder(Store(store))
    where = strip_address(url) if url else str(place / "replies.sqlite")
    if not url and not (place / "replies.sqlite").exists():
        return f"{where}: will be begun by the first build that asks a model"
    used = accounting.reply_store(Store(store), InferenceContext(books=url)).usage("")
    return f"{where}: {sum(one.calls for one in used):,} calls in the ledger"


def _prefect() -> str:
    from rarefy.flows.engine import prefect_server

    own = "PREFECT_API_URL" not in os.environ
    prefect_server.start()
    prefect_server.wait()
    return "a temporary server starts" if own else f"{strip_address(os.environ['PREFECT_API_URL'])} answers"


def _dask(scheduler: str) -> Iterator[Finding]:
    if not scheduler:
        yield Finding("dask", MISSING, "no --dask: documents are worked on in this process or in --workers")
        return
    from distributed import Client

    try:
        with Client(scheduler, timeout="10s") as client:
            workers = client.scheduler_info()["workers"]
            versions = set(client.run(lambda: sys.version_info[:2]).values())
    except (OSError, ValueError) as error:
        yield Finding("dask", WRONG, f"{scheduler}: no scheduler answers ({error}); start one with `dask scheduler`")
        return
    if not workers:
        yield Finding("dask", WRONG, f"{scheduler}: no worker; start some with `dask worker {scheduler}`")
    elif versions != {sys.version_info[:2]}:
        found_versions = ", ".join(".".join(map(str, one)) for one in sorted(versions))
        yield Finding("dask", WRONG, f"{scheduler}: workers have Python {found_versions}; use the same everywhere")
    else:
        yield Finding("dask", OK, f"{scheduler}: {len(workers)} workers")


def _elasticsearch() -> Iterator[Finding]:
    url = os.environ.get("ELASTICSEARCH_URL", "")
    if not url:
        yield Finding("elasticsearch", MISSING, "ELASTICSEARCH_URL is not set; no build needs it")
        return
    headers = {"Authorization": f"ApiKey {key}"} if (key := os.environ.get("ELASTICSEARCH_API_KEY")) else {}
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
            urllib.request.Request(url, headers=headers), timeout=10
        ) as answer:
            known = answer.headers.get("X-Elastic-Product") == "Elasticsearch"
    except (URLError, OSError, ValueError) as error:
        detail = (
            f"{strip_address(url)} does not answer ({getattr(error, 'reason', error)}); start it, or unset the variable"
        )
        yield Finding("elasticsearch", WRONG, detail)
        return
    detail = f"{strip_address(url)} answers" if known else f"{strip_address(url)} answers, but is no Elasticsearch"
    yield Finding("elasticsearch", OK if known else WRONG, detail)
