"""Does a model answer, and does it keep what the stages ask of it? Asked with a few tokens."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from rarefy.data_contracts.rows import Message, Reply, Request
from rarefy.flows.config import Config
from rarefy.flows.models import roles
from rarefy.tasks.find import find
from rarefy.tasks.models.llm import InferenceContext, LLMConfig
from rarefy.tasks.models.llm.faults import REASONS, Failed, Unavailable
from rarefy.tasks.models.llm.prices import price_of
from rarefy.tasks.models.llm.secrets import address

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
# Large enough for oneDNN to take its kernels for bfloat16 (it leaves products of under 16 x 16 x 16 to others), in the
# shapes of a layer and of an attention, and a sort, for which torch has kernels of its own
PROBE = (
    sys.executable,
    "-c",
    """
import torch
if not torch.cuda.is_available():
    left = torch.ones(256, 256, dtype=torch.bfloat16)
    assert float((left @ left)[0, 0]) == 256
    torch.nn.functional.linear(left, left, left[0])
    heads = left.reshape(1, 4, 64, 256)
    torch.nn.functional.scaled_dot_product_attention(heads, heads, heads)
    torch.sort(left)
""",
)
PROBE_SECONDS = 120  # most of it is the import of torch on a busy machine
Told = tuple[str, str, str]  # what, state, what to do


def of_model(model: LLMConfig, config: Config) -> Iterator[Told]:
    """What there is to say of one model of the config."""
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
        told = f"{priced.prompt:g} in, {priced.completion:g} out, {priced.currency} per million, as of {priced.as_of}"
        yield "price", OK, told
    elif model.provider in HTTP:
        yield "price", MISSING, f"none for {model.model} in serving.prices: no cost is told, --max-cost cannot be used"


def _of_endpoint(model: LLMConfig) -> Iterator[Told]:
    prefix = model.endpoint if model.provider != "azure" or model.endpoint != "OPENAI" else "AZURE_OPENAI"
    where = os.environ.get(f"{prefix}_ENDPOINT" if model.provider == "azure" else f"{prefix}_BASE_URL", "")
    key = bool(os.environ.get(f"{prefix}_API_KEY"))
    if not where and not key:
        yield "endpoint", WRONG, f"set {prefix}_API_KEY, and {prefix}_BASE_URL where it is not OpenAI's own API"
        return
    yield "endpoint", OK, address(where) if where else "OpenAI's own API"
    yield (
        "key",
        OK if key else MISSING,
        f"{prefix}_API_KEY is {'set' if key else 'not set: fine where none is asked for'}",
    )
    yield from asyncio.run(_asked(model))


async def _asked(model: LLMConfig) -> list[Told]:
    """What the server says to four requests."""
    from rarefy.tasks.models.llm.endpoint import Endpoint

    try:
        server = Endpoint(model, InferenceContext())
    except (Unavailable, ValueError) as error:
        return [("endpoint", WRONG, str(error))]
    told: list[Told] = []
    try:
        told.append(await _listed(server, model))
        came = await _try(server, Request("chat", (Message("user", "Say yes."),), max_tokens=16))
        told.append(_chat(came, model))
        if told[-1][1] == WRONG:
            return told
        told.append(await _structured(server, model))
        told.append(await _logprobs(server))
    finally:
        await server.close()
    return told


async def _try(server: Any, request: Request) -> Reply | Exception:
    """The reply, or why there is none; a server that wants another field is asked once more."""
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


async def _listed(server: Any, model: LLMConfig) -> Told:
    import openai

    try:
        names = await server.models()
    except (openai.OpenAIError, ValueError) as error:
        return "models", MISSING, f"the server lists none ({type(error).__name__}); the chat below decides"
    if model.model in names:
        return "models", OK, f"{model.model} is one of {len(names)}"
    near = ", ".join(names[:10]) + (", …" if len(names) > 10 else "")
    return "models", MISSING, f"{model.model} is not listed; have {near}"


def _chat(came: Reply | Exception, model: LLMConfig) -> Told:
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


async def _structured(server: Any, model: LLMConfig) -> Told:
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


async def _logprobs(server: Any) -> Told:
    came = await _try(server, Request("logprobs", (Message("user", "Say yes."),), max_tokens=4, logprobs=2))
    if isinstance(came, Reply) and came.logprobs and came.logprobs[0].others:
        return "log-probabilities", OK, "told for each token, with alternatives"
    why = f"refused ({came})" if isinstance(came, Exception) else "left out without a word"
    return "log-probabilities", MISSING, f"{why}; no stage of a build needs them"


def of_nli(config: Config) -> Told:
    """What says whether a changed text means the same, and whether it is there; what its model says is told apart."""
    nli = config.nli
    if not roles.entails(config):
        return "entailment", MISSING, "no chosen perturbation asks for it"
    if nli.method == "rules":
        return (
            "entailment",
            OK,
            "by rules, which prove and infer nothing: all else is rejected (not_proved)",
        )
    if nli.method == "model":
        return "entailment", OK, f"by {roles.short(nli.llm.model)} ([nli] llm)"
    wrong = "; ".join(roles.faults_of_nli(config))
    return "entailment", WRONG if wrong else OK, wrong or f"by {nli.method} {nli.model}".rstrip()


def _of_vllm(model: LLMConfig) -> Told:
    installed = find_spec("vllm") is not None
    if model.extra.get("dtype") != "float32" and (killed := killed_by_bfloat16()):
        told = (
            f"this CPU cannot compute in bfloat16, whatever it announces: a small product {killed}; set "
            'extra = { dtype = "float32" } for this model, or use a GPU or an endpoint. For torch alone '
            "ONEDNN_MAX_CPU_ISA=AVX512_CORE_FP16 is a way out; vLLM's attention does not heed it"
        )
        return "vllm", WRONG if installed else MISSING, told
    if installed:
        return "vllm", OK, f"is installed here; {model.model} is loaded when it is first asked"
    way = 'install "rarefy[vllm]", or let Dask workers that have it (--dask) hold the model'
    return "vllm", MISSING, f"is not installed here; {way}"


def killed_by_bfloat16() -> str:
    """What killed a child process that computed in bfloat16 on this CPU; "" where it lived, or a GPU would do the work.

    Some virtual machines announce AMX and trap on it: only a child can try that.
    """
    # vLLM's own kernels do not heed it, so that the probe must not be spared by it either
    around = {name: value for name, value in os.environ.items() if name != "ONEDNN_MAX_CPU_ISA"}
    try:
        done = subprocess.run(PROBE, env=around, capture_output=True, timeout=PROBE_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return ""  # slow is not dead
    if done.returncode >= 0:  # a torch that cannot be imported is told of where it is needed
        return ""
    number = -done.returncode
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    return f"died of {name}"


def _of_recorded(model: LLMConfig) -> Told:
    try:
        model.identity()
    except OSError as error:
        return "recorded", WRONG, f"{model.model}: {error.strerror}"
    return "recorded", OK, f"{model.model} is there"


def _of_function(model: LLMConfig) -> Told:
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
