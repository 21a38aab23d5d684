"""Record the models of the packaged benchmark, and make it anew: python infra/record_sample.py [--ask].

It is built as tasks/sample/sample.toml says. A request without a recorded reply is a fault; with --ask it is put to the
model of that name (writer, judge, generator) behind OPENAI_BASE_URL. Replies that no request wants are dropped. The
vectors of all texts that `make demo` embeds are written too, and used from then on.
"""

import argparse
import shutil
import sqlite3
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import cache as remembered
from pathlib import Path

from rarefy.data_contracts.rows import Reply, Request
from rarefy.flows.build import build
from rarefy.flows.config import Config, load
from rarefy.flows.evaluate import evaluate
from rarefy.tasks.models.embed import shipped
from rarefy.tasks.models.llm import LLM
from rarefy.tasks.models.llm.config import InferenceContext, LLMConfig, RequestPolicy
from rarefy.tasks.models.llm.faults import Failed
from rarefy.tasks.models.llm.recorded import Recorded, line, recording
from rarefy.tasks.sample import BENCHMARK, CONFIG, CORPUS, RECORDED, VECTORS

MODELS = ("writer", "judge", "generator")
KEPT = "replies.jsonl"
PATIENT = RequestPolicy(concurrency=64, call_deadline=36_000, try_deadline=36_000)

asks = False  # whether a model is asked where a reply is missing
cache = Path()  # of replies that come in this run
used: dict[str, set[str]] = {name: set() for name in MODELS}  # lines by model


def _answering(name: str) -> Callable[[Iterable[Request]], Iterator[Reply]]:
    """A provider (`provider = "record_sample:NAME"`) that knows what is recorded, asks for the rest, and notes both."""

    def answer(requests: Iterable[Request]) -> Iterator[Reply]:
        given = list(requests)
        known = {request.request_id: reply for request in given if (reply := _recorded(name, request))}
        missing = [request for request in given if request.request_id not in known]
        if missing and not asks:
            print(f"{name}: {len(missing)} requests without a recorded reply; see --ask", file=sys.stderr)
        told = _connect(name)(missing) if missing and asks else (Reply(r.request_id, error="lost") for r in missing)
        known |= {reply.request_id: reply for reply in told}
        for request in given:
            reply = known[request.request_id]
            if not reply.error:
                used[name].add(line(request, Reply("", reply.text), by="said"))
            yield reply

    return answer


writer, judge, generator = (_answering(name) for name in MODELS)


def _recorded(name: str, request: Request) -> Reply | None:
    try:
        return _recordings(name).answer(request)
    except (Failed, ValueError):  # there is none of it, or none at all
        return None


@remembered
def _recordings(name: str) -> Recorded:
    return Recorded(RECORDED / name)


def _connect(name: str) -> LLM:
    """The model of that name, whose replies are kept as they come, lest a run that is stopped loses them."""
    means = InferenceContext(stage="record", run="record", serving=PATIENT)
    model = LLMConfig(provider="openai", model=name).connect(cache, threads=1, means=means)
    return recording(model, RECORDED / name / KEPT, by="said")


def record(out: Path) -> None:
    """Build with models that are asked, and write the replies that were wanted and the vectors."""
    for name in MODELS:
        (RECORDED / name).mkdir(parents=True, exist_ok=True)
    written = tomllib.loads(CONFIG.read_text(encoding="utf-8"))
    for name, model in written["models"].items():
        model |= {"provider": f"{Path(__file__).stem}:{name}", "model": name}
    bench, store = str(out / "benchmark"), str(out / "store")
    build(str(CORPUS), bench, Config.model_validate(written), store=store)
    evaluate(bench, str(out / "result"), names=["extractive"], questions=60, store=store)  # as `make demo` has it
    with sqlite3.connect(out / "store" / "embeddings.sqlite") as kept:
        shipped.write(kept.execute("SELECT key, vector FROM vectors"), VECTORS)
    shipped.vectors.cache_clear()
    for name, lines in used.items():
        (RECORDED / name / KEPT).write_text("".join(f"{text}\n" for text in sorted(lines)), encoding="utf-8")


def ship(out: Path) -> None:
    """Build from the recorded replies alone, and put what an evaluation reads where the package has it."""
    built = out / "shipped"
    build(str(CORPUS), str(built), load(CONFIG), store=str(out / "shipped-store"))
    shutil.rmtree(BENCHMARK, ignore_errors=True)
    BENCHMARK.mkdir(parents=True)
    for file in sorted(built.iterdir()):
        if file.suffix == ".parquet" or file.name == "manifest.json":
            shutil.copyfile(file, BENCHMARK / file.name)


if __name__ == "__main__":
    import record_sample  # under its own name, as the config has it

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ask", action="store_true", help="put what is not recorded to the models")
    record_sample.asks = parser.parse_args().ask
    with tempfile.TemporaryDirectory() as place:
        record_sample.cache = Path(place) / "replies"
        record_sample.record(Path(place))
        record_sample.ship(Path(place))
