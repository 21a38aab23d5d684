"""vLLM in this process: many requests at once, through one engine that is loaded once and stays (architecture §4)."""

import atexit
import json
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from typing import Any

from rarefy.data_contracts.rows import Reply, Request, Token
from rarefy.tasks.models.llm.config import InferenceContext, LLMConfig
from rarefy.tasks.models.llm.faults import Unavailable, mark_unusable
from rarefy.tasks.models.llm.structured import response_format

# vLLM reads these when it is imported: it reports to nobody, downloads nothing and says only what is wrong
_QUIET = {
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "VLLM_LOGGING_LEVEL": "WARNING",
    "VLLM_WORKER_MULTIPROC_METHOD": "spawn",  # there are threads here
}
_OF_REQUESTS = "chat_template_kwargs"  # the one field of `extra` that is no argument of the engine
_TOO_LONG = ("maximum context length", "maximum model length", "prompt is too long")
_LEAST = -9999.0  # for minus infinity, which JSON does not have; vLLM's server says the same
_KEPT = ("top_p", "top_k", "min_p", "presence_penalty", "frequency_penalty", "repetition_penalty")


def vllm(config: LLMConfig, means: InferenceContext) -> Callable[[Sequence[Request]], Iterator[Reply]]:
    """A function that answers many requests together: a reply for each, with its id, in no promised order.

    `config.model` is a folder or a name in Hugging Face's cache; `config.extra` are arguments of vLLM's engine
    (tensor_parallel_size, max_model_len, ...) and chat_template_kwargs. ValueError where vLLM is not installed;
    Unavailable where the model cannot be loaded.
    """
    found = find_spec("vllm")
    if found is None or found.origin is None:  # none, or just some folder of that name
        raise ValueError(
            'provider "vllm" needs vLLM in this environment: pip install "rarefy[vllm]" for an environment that holds '
            "both, or make one for the workers with infra/vllm/install.sh (vLLM's pins and Prefect's rarely meet) and "
            'start them there; or serve the model and ask it as provider = "openai"'
        )
    engine = _engine(config.model, json.dumps(config.extra, sort_keys=True))
    return lambda requests: engine.answer(requests, config)


class Engine:
    """One loaded model. Calls are taken one after the other; vLLM schedules each as a whole."""

    def __init__(self, model: str, arguments: dict[str, Any]) -> None:
        _surroundings(arguments)
        from vllm import LLM

        try:
            self.llm = LLM(model=model, **{**_usual(), **arguments})
        except (OSError, ValueError, TypeError, RuntimeError, AssertionError) as error:
            reason = f"{type(error).__name__}: {_one_line(error)}"
            raise Unavailable(
                f"vLLM cannot load {model!r} ({reason}); check [llm] model and extra; nothing is downloaded: a name "
                "must be in Hugging Face's cache"
            ) from error
        # its own way to end comes too late where something has set up exits before: Python then waits for it for ever
        atexit.register(self.llm.llm_engine.engine_core.shutdown, timeout=5)
        self.defaults = self.llm.get_default_sampling_params()  # the model's own, as vLLM's server takes them
        self.context = int(self.llm.model_config.max_model_len)
        self._unkept: set[str] = set()  # schemas that no grammar here can hold
        self._lock = threading.Lock()

    def answer(self, requests: Sequence[Request], config: LLMConfig) -> Iterator[Reply]:
        """A reply for each request; one that vLLM does not take is answered with why, beside its siblings."""
        from vllm.exceptions import VLLMServerError

        with self._lock:
            requests_by_number: dict[str, Request] = {}  # by vLLM's own number
            refused: list[Reply] = []
            try:
                for request in requests:
                    taken = self._enqueue(request, config)
                    if isinstance(taken, Reply):
                        refused.append(taken)
                    else:
                        requests_by_number[taken] = request
                outputs = self.llm.wait_for_completion(use_tqdm=False)
            except VLLMServerError as error:
                raise Unavailable(f"vLLM's engine has died; its own log says why ({_one_line(error)})") from error
        yield from refused
        for output in outputs:
            # an output to no request of ours was left by a call that was broken off
            if request_of := requests_by_number.pop(_number(output.request_id), None):
                yield self._reply(request_of, output, config.model)

    def _enqueue(self, request: Request, config: LLMConfig) -> str | Reply:
        """The number that vLLM gave the request, or the reply that says why it did not take it."""
        from vllm.exceptions import VLLMServerError

        turns = [{"role": message.role, "content": message.content} for message in request.messages]
        schema = request.schema if config.structured != "none" and request.schema not in self._unkept else ""
        try:
            (number,) = self.llm.enqueue_chat(
                [turns],
                [self._parameters(request, schema)],
                use_tqdm=False,
                chat_template_kwargs=config.extra.get(_OF_REQUESTS),
            )
        except VLLMServerError:
            raise
        except Exception as error:  # the chat template's own faults as well: whatever it is, it is this request's
            message = _one_line(error)
            if any(words in message for words in _TOO_LONG):
                return Reply(request.request_id, model=config.model, error="too_long", detail=message)
            if schema and config.structured == "auto":  # then only the prompt asks; every reply is checked all the same
                self._unkept.add(schema)
                return self._enqueue(request, config)
            return Reply(
                request.request_id, model=config.model, error="rejected", detail=f"{type(error).__name__}: {message}"
            )
        return _number(number)

    def _parameters(self, request: Request, schema: str) -> Any:
        from vllm import SamplingParams
        from vllm.sampling_params import StructuredOutputsParams

        kept = {name: getattr(self.defaults, name) for name in _KEPT}
        constraint = StructuredOutputsParams(json=response_format(schema)["json_schema"]["schema"]) if schema else None
        return SamplingParams(
            **kept,
            temperature=request.temperature,
            max_tokens=request.max_tokens,
            seed=request.seed,
            logprobs=request.logprobs,
            structured_outputs=constraint,
        )

    def _reply(self, request: Request, output: Any, model: str) -> Reply:
        made = output.outputs[0]
        prompt, completion = len(output.prompt_token_ids or ()), len(made.token_ids)
        reply = Reply(
            request.request_id,
            text=made.text,
            finish_reason=made.finish_reason or "",
            prompt_tokens=prompt,
            completion_tokens=completion,
            cached_tokens=output.num_cached_tokens or 0,
            logprobs=tuple(_tokens(made, request.logprobs)),
            model=model,
        )
        if made.finish_reason == "length" and completion < request.max_tokens and prompt + completion >= self.context:
            why = f"prompt ({prompt} tokens) and reply fill the context of {self.context}"
            return replace(reply, error="too_long", detail=why)
        if made.finish_reason in ("error", "abort", None):
            return replace(reply, error="server_error", detail=f"vLLM ended it: {made.finish_reason}")
        return mark_unusable(reply)


def _surroundings(arguments: dict[str, Any]) -> None:
    """The environment as vLLM must find it; whatever is set already stays."""
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    several = any(int(arguments.get(f"{kind}_parallel_size", 1)) > 1 for kind in ("tensor", "pipeline"))
    if multiprocessing.current_process().daemon and not several:  # a Dask worker under its nanny may start no process
        os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")


def _usual() -> dict[str, Any]:
    """Arguments of the engine where the config says nothing."""
    from vllm.platforms import current_platform

    # without the second a model may write spaces until max_tokens, which every grammar of JSON allows
    usual: dict[str, Any] = {
        "enable_prefix_caching": True,
        "structured_outputs_config": {"backend": "xgrammar", "disable_any_whitespace": True},
    }
    if current_platform.is_cpu():  # vLLM 0.32 dies there of a seeded request whose prompt it takes in pieces
        usual["enable_chunked_prefill"] = False
    return usual


@cache
def _engine(model: str, extra: str) -> Engine:
    """The engine of this model in this process: loading takes from seconds to minutes."""
    return Engine(model, {name: value for name, value in json.loads(extra).items() if name != _OF_REQUESTS})


def _tokens(made: Any, most: int | None) -> Iterable[Token]:
    """The tokens of a reply with their log-probabilities and the `most` likeliest at each place, as a server would."""
    if most is None:
        return
    for token, position in zip(made.token_ids, made.logprobs or (), strict=False):
        ranked = sorted(position.values(), key=lambda one: -one.logprob)[:most]
        yield Token(
            position[token].decoded_token or "",
            max(float(position[token].logprob), _LEAST),
            tuple(one.decoded_token or "" for one in ranked),
            tuple(max(float(one.logprob), _LEAST) for one in ranked),
        )


def _number(name: str) -> str:
    """vLLM's number of a request: inside, it goes by that number, a dash and chance."""
    return name.partition("-")[0]


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:500]
