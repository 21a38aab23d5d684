"""How many requests a build will send to its models, and their tokens, money and minutes, each as a range."""

import hashlib
import heapq
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from rarefy.data_contracts.rows import KINDS, MULTI_HOP, WORKED_OUT, Reply, Request, Variant
from rarefy.data_contracts.tables import from_table
from rarefy.flows.config import OF_EVALUATION, Config
from rarefy.flows.engine.stages import STAGES
from rarefy.flows.models import roles
from rarefy.tasks.corpus.tokens import TokenCounter, counter
from rarefy.tasks.models import prompts
from rarefy.tasks.models.llm import LLM, InferenceContext, LLMConfig, RequestPolicy
from rarefy.tasks.models.llm.config import cost, price_of
from rarefy.tasks.models.llm.faults import UNASKED
from rarefy.tasks.models.llm.reply_store import ReplyStore, Usage
from rarefy.tasks.models.llm.sending import prompt_length
from rarefy.tasks.models.nli import NLI, Label, NLIConfig
from rarefy.tasks.models.nli.by_model import build_request, check_with
from rarefy.tasks.perturb import CATALOGUE, PerturbConfig
from rarefy.tasks.perturb.catalogue import Perturbation, count_wanted, is_written_by_model
from rarefy.tasks.perturb.proof import ENTAILMENT
from rarefy.tasks.questions.ask import choice
from rarefy.tasks.store.recipe import Inputs, Job
from rarefy.tasks.store.tables import Store, digest

# Tokens of a reply where no ledger knows better. From the recorded replies of a large model over 18 windows of real
# chunks: 350 triplets, 19 a window; questions, judgements and short answers, each in the JSON that is asked for.
REPLY = {stage.name: stage.reply for stage in STAGES if stage.reply} | {"nli": 40}
# Of the room that a reply with variants has: 36 recorded questions and 18 passages took 0.23 to 0.36 of it, the French
# of a back-translation 0.5
OF_ROOM = 1 / 3
SECONDS = 2.0  # to the first token of a reply, and
PER_SECOND = 60.0  # tokens of it after that, where no ledger knows: a large model behind an API
OPEN = {
    "answerable_from_one_chunk",
    "probe_unanswered",
    "not_judged",
}  # reasons that only models give: the gates let pass


@dataclass(frozen=True)
class History:
    """Averages of how a model has answered the requests of a stage; zeros where it never did."""

    asked: int = 0  # requests that were sent
    calls: float = 0.0  # per request: re-asks are calls too
    prompt: float = 0.0  # tokens per call
    per_character: float = 0.0  # tokens per character of the prompts
    completion: float = 0.0  # tokens per call
    cached: float = 0.0  # share of the prompt tokens that the provider's cache served
    seconds: float = 0.0  # per call


@dataclass(frozen=True)
class Rates:
    """Ratios between a build's numbers of rows; the defaults are good to a factor of two.

    They are of the same recorded replies: 326 triplets of 90 chunks hold; of the sample's 151 triplets 73 paths of one
    fact and 44 of several were made; 109 of 176 questions pass the gates.
    """

    paths_single: float = 1.7  # per chunk
    paths_multi: float = 1.0  # per chunk
    chunks_multi: float = 2.2  # gold chunks of a multi-hop question
    stand_single: float = 0.7  # share of the paths whose question passes the gates
    stand_multi: float = 0.55
    paths_by_rules: float = 0.3  # per chunk: of annual reports one, of prose none
    stand_by_rules: float = 0.8
    worth: float = 0.5  # share of what a model could ask about that it says is worth asking: 17 of 36 recorded ones
    kept_multi: float = 0.8  # share of the multi-hop questions that stand after they were tried on single chunks
    kept_graded: float = 0.8  # share of the judged questions that are kept; of the recorded ones 117 of 160
    builds: int = 0  # that these are from


def request_history(used: Iterable[Usage], stage: str, model: str) -> History:
    """How this model answered this stage, in all runs of the ledger."""
    lines = [one for one in used if one.stage == stage and one.model == model and one.outcome == "answered"]
    calls = sum(one.calls for one in lines)
    final = sum(one.calls for one in lines if one.final)
    if not calls or not final:
        return History()
    prompt = sum(one.prompt_tokens for one in lines)
    characters = sum(one.characters for one in lines)
    return History(
        asked=final,
        calls=calls / final,
        prompt=prompt / calls,
        per_character=prompt / characters if characters else 0.0,
        completion=sum(one.completion_tokens for one in lines) / calls,
        cached=sum(one.cached_tokens for one in lines) / prompt if prompt else 0.0,
        seconds=sum(one.seconds for one in lines) / calls,
    )


def rate_names(config: Config) -> list[str]:
    """The names under which the store keeps rates: of builds with this very config, then of builds like it."""
    apart = {
        "llm",
        "judge",
        "second_judge",
        "serving",
        "card",
        "perturb",
        "split",
        "quarantine_budget",
        "breach_budget",
        "embed",
        "generator",
        "nli",
        *OF_EVALUATION,
    }
    whole = config.model_dump(mode="json", exclude=apart)
    models = [config.llm.model, config.judge.model]
    like = [config.extract.methods, config.ask.method, config.ask.worth, config.graph.model_dump(mode="json")]
    return [f"estimates/rates-{digest(what)}" for what in ([*models, whole], [*models, like], like)]


def load_rates(store: Store, config: Config) -> Rates:
    """The rates of the last build like this one, else the defaults."""
    for name in rate_names(config):
        if found := read_json(store, name):
            return Rates(**found)
    return Rates()


def save_rates(store: Store, config: Config, rates: Rates) -> None:
    """Remember the rates of a build."""
    for name in rate_names(config):
        store.write(name, json.dumps(asdict(rates), sort_keys=True).encode())


def read_json(store: Store, name: str) -> dict[str, float] | None:
    """A small JSON object of the store; None where there is none."""
    try:
        found = json.loads(store.fs.cat_file(f"{store.root}/{name}"))
    except (FileNotFoundError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def measure_rates(chunks: int, paths: Sequence[tuple[str, int]], questions: Sequence[tuple[str, str]]) -> Rates:
    """The rates of a build with so many chunks, these paths (pattern, chunks) and these questions (pattern, reason)."""
    single = sum(pattern == "single" for pattern, _ in paths)
    multi = [count for pattern, count in paths if is_multi_hop(pattern)]
    dropped = Counter(pattern == "single" for pattern, why in questions if why == "not_worth_asking")
    worded = single - dropped[True], len(multi) - dropped[False]
    stood = [(pattern, why) for pattern, why in questions if why in {"", *OPEN} or why.startswith("judge_")]
    one = sum(pattern == "single" for pattern, _ in stood)
    by_rules = [sum(pattern in JUDGED_BY_RULES for pattern, _ in rows) for rows in (paths, stood)]
    many = [why not in OPEN - {"not_judged"} for pattern, why in stood if is_multi_hop(pattern)]
    default = Rates()
    judged = [why for _, why in questions if not why or why.startswith("judge_")]
    return Rates(
        paths_single=single / max(chunks, 1),
        paths_multi=len(multi) / max(chunks, 1),
        chunks_multi=sum(multi) / len(multi) if multi else default.chunks_multi,
        stand_single=one / worded[0] if worded[0] else default.stand_single,
        stand_multi=len(many) / worded[1] if worded[1] else default.stand_multi,
        paths_by_rules=by_rules[0] / max(chunks, 1),
        stand_by_rules=by_rules[1] / by_rules[0] if by_rules[0] else default.stand_by_rules,
        worth=sum(worded) / (single + len(multi)) if single + len(multi) else default.worth,
        kept_multi=sum(many) / len(many) if many else default.kept_multi,
        kept_graded=judged.count("") / len(judged) if any(judged) else default.kept_graded,
        builds=1,
    )


BLOCK = 256  # requests looked up together
SAMPLE = 200  # prompts whose tokens are counted, chosen by hash; the others go by their characters


@dataclass(eq=False)
class RequestTally:
    """Counts of what one model would be asked by a stage."""

    model: LLMConfig
    calls: int = 0
    remembered: int = 0  # answers that lie in the books: nothing would be sent
    characters: int = 0  # of the prompts to be sent, schemas among them, as the ledger counts them
    words: int = 0  # characters of their messages alone
    most: int = 0  # tokens of the replies, if each took all it may
    likely: float = 0.0  # tokens of the replies, where no ledger knows
    sample: list[tuple[int, str, str]] = field(default_factory=list)  # hash (negative), prompt, schema
    schemas: Counter[str] = field(default_factory=Counter)  # of the requests to be sent
    seen: set[str] = field(default_factory=set)  # keys: what is asked twice is sent once

    def add(self, request: Request, key: str, reply: float = 0.0) -> None:
        """Count a request that would be sent; `reply`: tokens of its reply, 0: a share of max_tokens."""
        if key in self.seen:
            return
        self.seen.add(key)
        text = "\n".join(message.content for message in request.messages)
        self.calls += 1
        self.characters += prompt_length(request)
        self.words += len(text)
        self.schemas[request.schema] += 1
        self.most += request.max_tokens
        self.likely += reply or OF_ROOM * request.max_tokens
        entry = (-int(hashlib.blake2b(key.encode(), digest_size=8).hexdigest(), 16), text, request.schema)
        (heapq.heappush if len(self.sample) < SAMPLE else heapq.heappushpop)(self.sample, entry)


@dataclass(frozen=True, eq=False)
class CountingModel:
    """A tool in place of a model: it answers what is remembered, counts the rest, and sends nothing."""

    tally: RequestTally
    books: ReplyStore | None
    reply: float = 0.0  # tokens of a reply; 0: by the room that it has

    def identity(self) -> dict[str, Any]:
        """The identity of the model."""
        return self.tally.model.identity()

    def connect(self, cache: Path, *, threads: int, means: InferenceContext) -> LLM:
        """The function that counts requests."""
        return self._ask

    def _ask(self, requests: Iterable[Request]) -> Iterator[Reply]:
        from rarefy.tasks.models.llm.reply_store import reply_key  # late, with what reads replies

        identity = self.identity()
        source = iter(requests)
        while block := list(islice(source, BLOCK)):
            keys = [reply_key(identity, request)[0] for request in block]
            known = self.books.find(keys) if self.books else {}
            for request, name in zip(block, keys, strict=True):
                yield self._answer(request, name, known.get(name), identity)

    def _answer(self, request: Request, name: str, reply: Reply | None, identity: dict[str, Any]) -> Reply:
        from rarefy.tasks.models.llm import structured
        from rarefy.tasks.models.llm.reply_store import reply_key

        asked, answer = request, reply and structured.accept_reply(reply, request)
        if reply and not answer:
            fault = structured.parse(reply.text, request.schema).fault
            asked = structured.build_reask(request, reply.text, fault)
            name = reply_key(identity, asked)[0]
            reply = self.books.find([name]).get(name) if self.books else None
            answer = reply and structured.accept_reply(reply, asked)
        if reply is None:
            self.tally.add(asked, name, self.reply)
            return Reply(request.request_id, error=UNASKED)
        self.tally.remembered += 1
        unread = replace(reply, request_id=request.request_id, error="unparsable")
        return replace(answer or unread, remembered=True)


@dataclass(frozen=True, eq=False)
class SupposedNLI:
    """A tool in place of an NLI check by a model: what is not remembered is counted, and taken to be entailed.

    So each variant is asked about once, as it is where the first draft holds.
    """

    config: NLIConfig
    model: CountingModel

    def identity(self) -> dict[str, Any]:
        """The identity of the NLI check."""
        return self.config.identity()

    def connect(self, cache: Path, *, threads: int, means: InferenceContext) -> NLI:
        """The check."""
        check = self.config.ask_after_rules(
            check_with(self.config, self.model.connect(cache, threads=threads, means=means))
        )

        def supposed(pairs: Iterable[tuple[str, str]], /) -> Iterator[Label]:
            for label in check(pairs):
                yield Label("entailment", 1.0) if label.error == UNASKED else label

        return supposed

    def expect(self, variants: Iterable[Variant], config: PerturbConfig) -> None:
        """Count the checks of variants that a model has yet to write: each is taken to be as long as its original.

        A few characters more tell them apart: what is asked twice counts once.
        """
        pairs = [
            pair
            for row in variants
            if row.rejected_because == "unanswered" and row.perturbation in CATALOGUE
            for entry in [CATALOGUE[row.perturbation]]
            if ENTAILMENT in entry.checks
            for number in range(count_wanted(entry, config))
            for other in [f"{row.text} ({entry.name} {number})"]
            for pair in ((row.text, other), (other, row.text))
        ]
        for _ in self.model.connect(Path(), threads=1, means=InferenceContext())(
            build_request(*pair, self.config) for pair in pairs
        ):
            pass


def dry_run(
    job: Job, given: Inputs, store: Store, books: ReplyStore | None, tallies: dict[str, RequestTally]
) -> dict[str, pa.Table]:
    """Run a job with remembered replies alone, adding the requests it would send to the tallies of its models.

    A model that is there under two arguments has one tally: what both ask is asked once.
    """
    tools = dict(job.tools)
    checks: SupposedNLI | None = None
    for name, tool in job.tools.items():
        model = roles.model_of_tool(tool)
        if model is None:
            continue
        tally = tallies.setdefault(model.model_dump_json(), RequestTally(model))
        if isinstance(tool, NLIConfig):
            tools[name] = checks = SupposedNLI(tool, CountingModel(tally, books, REPLY["nli"]))
        else:
            tools[name] = CountingModel(tally, books)
    made, _ = replace(job, tools=tools).run(given, store)
    if checks and isinstance(job.config, PerturbConfig):
        checks.expect(from_table(made["variants"], Variant), job.config)
    return made


Range = tuple[float, float, float]  # at least, likely, at most

UNSEEN: Range = (0.5, 1.0, 1.8)  # of numbers that no build like it has given

FRAME = 8  # tokens around the messages of a prompt: their roles and marks, by the chat templates of common models
LOOSE = 0.35  # of a token count by another tokenizer than the model's: numbers and tables differ most
CLOSE = 0.1  # of a count by the model's own tokenizer or its own ledger
OF_A_REPLY = (0.5, 1.6)  # how far replies lie from the default lengths
OF_A_KNOWN = (0.85, 1.15)  # and from those of the same stage and model


@dataclass(frozen=True)
class RequestForecast:
    """The forecast for one model and one stage."""

    stage: str
    model: str
    calls: Range
    prompt: Range  # tokens
    completion: Range  # tokens
    cost: Range  # in billionths of the currency
    minutes: Range
    currency: str  # "" where the config has no price for this model
    basis: str  # what the numbers rest on


def forecast(
    stage: str,
    model: LLMConfig,
    calls: Range,
    tally: RequestTally,
    past: History,
    serving: RequestPolicy,
    basis: str,
    tokens: Range = (0, 0, 0),
    reply: float = 0.0,
) -> RequestForecast:
    """The forecast for so many requests; the tally holds the prompts that are known.

    `tokens` are those of a prompt where no prompt could be seen and the ledger knows none either, `reply` those of a
    reply that the ledger does not know.
    """
    requests = tuple(count * (past.calls or 1.0) for count in calls)
    prompt, how = _prompt(model, tally, past, tokens)
    reply = past.completion or reply or float(REPLY[stage])
    low, high = OF_A_KNOWN if past.completion else OF_A_REPLY
    most = tally.most / tally.calls if tally.calls else float("inf")
    lengths = tuple(min(reply * by, most) for by in (low, 1.0, high))
    prompts = tuple(count * each for count, each in zip(requests, prompt, strict=True))
    replies = tuple(count * each for count, each in zip(requests, lengths, strict=True))
    price = price_of(model, serving.prices)
    batch = model.provider == "batch"
    free = past.cached if past.cached else 0.0
    money = tuple(
        float(cost(price, round(ins), round(outs), round(ins * free), batch=batch))
        for ins, outs in zip(prompts, replies, strict=True)
    )
    minutes = tuple(
        _minutes(count, ins + outs, outs / count if count else 0.0, past, serving, model)
        for count, ins, outs in zip(requests, prompts, replies, strict=True)
    )
    basis = f"{basis}; {how}; replies {'as before' if past.completion else f'of {reply:,.0f} tokens'}"
    name = model.model or model.provider
    ranges = (requests, prompts, replies, money, minutes)
    return RequestForecast(stage, name, *ranges, price.currency if price else "", basis)  # type: ignore[arg-type]


def count_tokens(model: LLMConfig, texts: Sequence[str]) -> tuple[int, bool]:
    """Tokens of these texts, and whether the model's own tokenizer counted them."""
    folder = Path(model.model).expanduser()
    own = model.provider == "vllm" and (folder / "tokenizer.json").is_file()
    count: TokenCounter = counter(str(folder) if own else "minilm")
    return sum(count(texts)), own


def _prompt(model: LLMConfig, tally: RequestTally, past: History, tokens: Range) -> tuple[Range, str]:
    """Tokens of one prompt, and how they were counted."""
    if not tally.calls:
        if past.prompt:
            return (past.prompt * (1 - CLOSE), past.prompt, past.prompt * (1 + CLOSE)), "prompts as long as before"
        return tokens, "prompts by the length of chunks"
    if past.per_character:
        each = tally.characters / tally.calls * past.per_character
        return (each * (1 - CLOSE), each, each * (1 + CLOSE)), "tokens per character as before"
    texts = [text for _, text, _ in tally.sample]
    found, own = count_tokens(model, texts)
    each = tally.words / tally.calls * found / max(sum(map(len, texts)), 1) + FRAME
    schemas, _ = count_tokens(model, [schema for _, _, schema in tally.sample])
    off = CLOSE if own else LOOSE
    # a server may count the schema among the prompt's tokens
    high = (each + schemas / len(texts)) * (1 + off) if not own else each * (1 + off)
    return (each * (1 - off), each, high), f"tokens counted with {'its own tokenizer' if own else 'minilm'}"


def _minutes(
    calls: float, tokens: float, reply: float, past: History, serving: RequestPolicy, model: LLMConfig
) -> float:
    if not calls or model.provider == "recorded":
        return 0.0
    each = past.seconds or SECONDS + reply / PER_SECOND
    seconds = max(calls * each / serving.concurrency, each)
    if serving.requests_per_minute:
        seconds = max(seconds, 60 * calls / serving.requests_per_minute)
    if serving.tokens_per_minute:
        seconds = max(seconds, 60 * tokens / serving.tokens_per_minute)
    return seconds / 60


AS_BEFORE: Range = (0.8, 1.0, 1.25)  # of the rates of a build like this one
CHARACTERS = 4  # per token of a prompt's own words


@dataclass(frozen=True)
class Counts:
    """Numbers of paths or questions of one chunk and of several; `wide`: chunks of the latter, on average.

    What is computed is asked by rules, whatever asks the rest; those questions are judged and varied like the others.
    """

    single: Range
    multi: Range
    wide: float
    by_rules: Range = (0, 0, 0)  # comparisons, changes, shares, superlatives, listings

    @property
    def several(self) -> Range:
        """Those that may have several gold chunks."""
        return add_ranges(self.multi, self.by_rules)

    @property
    def all(self) -> Range:
        """All together."""
        return add_ranges(self.single, self.several)

    def worth_asking(self, rates: Rates) -> "Counts":
        """The counts after a model said what is worth asking; what rules ask is not put to it."""
        share = worth_share(rates)
        return replace(self, single=multiply_ranges(self.single, share), multi=multiply_ranges(self.multi, share))

    def standing(self, rates: Rates) -> "Counts":
        """The counts after the gates."""
        low, _, high = AS_BEFORE if rates.builds else UNSEEN

        def kept(of: Range, share: float) -> Range:
            return multiply_ranges(of, (share * low, share, min(share * high, 1.0)))

        return replace(
            self,
            single=kept(self.single, rates.stand_single),
            multi=kept(self.multi, rates.stand_multi),
            by_rules=kept(self.by_rules, rates.stand_by_rules),
        )

    def tried(self, rates: Rates) -> "Counts":
        """The counts after questions were probed on each of their chunks alone."""
        low, _, _ = AS_BEFORE if rates.builds else UNSEEN
        return replace(self, multi=multiply_ranges(self.multi, (rates.kept_multi * low, rates.kept_multi, 1.0)))

    def graded(self, rates: Rates) -> "Counts":
        """The counts after the judge."""
        share = kept_share(rates)
        kept = {name: multiply_ranges(getattr(self, name), share) for name in ("single", "multi", "by_rules")}
        return replace(self, **kept)


def add_ranges(left: Range, right: Range) -> Range:
    """The sum of two ranges, end by end."""
    return left[0] + right[0], left[1] + right[1], left[2] + right[2]


def multiply_ranges(left: Range, right: Range) -> Range:
    """The product of two ranges, end by end."""
    return left[0] * right[0], left[1] * right[1], left[2] * right[2]


def worth_share(rates: Rates) -> Range:
    """The share of what a model could ask about that it says is worth asking."""
    low, _, _ = AS_BEFORE if rates.builds else UNSEEN
    return rates.worth * low, rates.worth, 1.0


def count_choices(counts: Counts) -> Range:
    """The requests for what is worth asking, before any question is worded."""
    return multiply_ranges(add_ranges(counts.single, counts.multi), (1 / choice.LIKELY,) * 3)


def worded_share(tally: RequestTally, rates: Rates) -> Range:
    """The share of a tally's requests that will be sent: of wordings, what a model will say is worth asking."""
    first = tally.schemas[choice.SCHEMA] / tally.calls if tally.calls else 0.0
    return add_ranges((first,) * 3, multiply_ranges((1 - first,) * 3, worth_share(rates))) if first else (1, 1, 1)


def kept_share(rates: Rates) -> Range:
    """The share of the questions before a judge that it keeps."""
    low, _, _ = AS_BEFORE if rates.builds else UNSEEN
    return rates.kept_graded * low, rates.kept_graded, 1.0


def count_rows(store: Store, name: str, reasons: tuple[str, ...]) -> Counts:
    """The counts of a table of paths, or of the questions in it with one of these reasons."""
    table = store.table(name)
    columns = [table["pattern"].to_pylist(), table["chunk_ids"].to_pylist()]
    columns.append(table["rejected_because"].to_pylist() if reasons else [""] * table.num_rows)
    rows = [(pattern, len(set(ids))) for pattern, ids, why in zip(*columns, strict=True) if why in (reasons or ("",))]
    ones = float(sum(pattern == "single" for pattern, _ in rows))
    many = [count for pattern, count in rows if is_multi_hop(pattern)]
    by_rules = float(sum(pattern in JUDGED_BY_RULES for pattern, _ in rows))
    return Counts((ones,) * 3, (float(len(many)),) * 3, sum(many) / len(many) if many else 1.0, (by_rules,) * 3)


JUDGED_BY_RULES = WORKED_OUT  # asked by rules, whatever asks the rest, and judged like them


def is_multi_hop(pattern: str) -> bool:
    """Whether a model asks for a pattern of several facts, and it is tried on single chunks: one's own too."""
    return pattern in MULTI_HOP or pattern not in KINDS


def guess_paths(chunks: int, rates: Rates) -> Counts:
    """The likely counts of paths for chunks from which no facts were extracted yet."""
    by = AS_BEFORE if rates.builds else UNSEEN
    single, multi, by_rules = (
        multiply_ranges((chunks * rate,) * 3, by)
        for rate in (rates.paths_single, rates.paths_multi, rates.paths_by_rules)
    )
    return Counts(single, multi, rates.chunks_multi, by_rules)


def prompt_overhead(stage: str) -> float:
    """Tokens of a prompt template's own words: of the longest role and of its frame."""
    task = next((one.prompts for one in STAGES if one.name == stage), "") or stage
    files = sorted(prompts.folder(task).glob("*.j2"), key=lambda file: -file.stat().st_size)
    put_in = [file for file in files if file.stem.partition(".")[2] == ""][:1]
    longest = [file for file in files if file.stem.endswith(".general")][:1]
    return sum(file.stat().st_size for file in (*put_in, *longest)) / CHARACTERS


QUESTION = 35.0  # tokens of one, on average of the recorded ones
PER_WORD = 1.4  # tokens of a word of a passage
UNSHOWN: Range = (
    0.0,
    0.02,
    0.1,
)  # of variants by rules, those that the rules do not show to be kept: 11 of the sample's 581
TURNS = {"back_translation": 2}  # requests of a role for one case, where they are several


@dataclass(frozen=True)
class RequestVolume:
    """Requests of one model, with the tokens of what each shows and of a reply to it, on average."""

    calls: Range
    shown: float
    reply: float


def count_variant_requests(config: Config, questions: Counts, chunks: int, words: float) -> Mapping[str, RequestVolume]:
    """The requests for writing and checking variants of so many questions, by argument of the stage's model.

    `chunks` is how many there are, `words` the tokens of one, on average.
    """
    volumes: dict[str, list[RequestVolume]] = defaultdict(list)
    for entry in roles.perturbations_asking_models(config):
        cases, text = _cases(entry, questions, chunks), _text(entry, config, words)
        several = count_wanted(entry, config.perturb)
        by_model = config.perturb.model_share if is_written_by_model(entry, config.perturb) else 0.0
        if by_model:
            calls = multiply_ranges(cases, (TURNS.get(entry.role, 1) * by_model,) * 3)
            volumes["generator" if entry.generator else "llm"].append(RequestVolume(calls, text, several * text))
        if ENTAILMENT in entry.checks and roles.model_of_tool(config.nli):
            by_rules = (1 - by_model,) * 3 if entry.rules else (0.0,) * 3
            asked = multiply_ranges(by_rules, UNSHOWN) if config.nli.rules_first else by_rules
            checks = multiply_ranges(cases, multiply_ranges((2.0 * several,) * 3, add_ranges((by_model,) * 3, asked)))
            volumes["nli"].append(RequestVolume(checks, 2 * text, REPLY["nli"]))
    return {argument: combine_volumes(asked) for argument, asked in volumes.items()}


def _cases(entry: Perturbation, questions: Counts, chunks: int) -> Range:
    if entry.side == "query" or entry.per == "question":
        return questions.all
    low, likely, high = (a + b * questions.wide for a, b in zip(questions.single, questions.several, strict=True))
    most = float(chunks) if entry.alone else high  # once for all questions on a chunk
    return min(low, most), min(likely, most), min(high, most)


def _text(entry: Perturbation, config: Config, words: float) -> float:
    """Tokens of what is changed."""
    if entry.side == "query":
        return QUESTION
    return min(words, config.perturb.passage * PER_WORD) if entry.side == "context" else words


def combine_volumes(asked: Sequence[RequestVolume]) -> RequestVolume:
    """The sum of several volumes of one model, with averages weighted by calls."""
    low, likely, high = (sum(one.calls[place] for one in asked) for place in range(3))
    weight = max(likely, 1e-9)
    shown, reply = (sum(getattr(one, name) * one.calls[1] for one in asked) / weight for name in ("shown", "reply"))
    return RequestVolume((low, likely, high), shown, reply)
