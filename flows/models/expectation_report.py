"""What to expect of a corpus in plain words, and the lines that name a model where rules will not do."""

from rarefy.flows.config import Config
from rarefy.flows.engine.progress import WIDTH
from rarefy.flows.engine.run import Part, Run
from rarefy.flows.models.expected_questions import Expected, Range, expect

OF_RULES_ON_PROSE = ("prose",)  # methods whose place the model takes
WAY_OUT = (
    "The rules read tables, cover pages and simple sentences. A model takes facts from all prose; write model.toml:"
)
LINES = """\
[llm]                        # who takes facts and asks; for a server of yours the name of its model
provider = "openai"
model = "gpt-4.1-mini"
[judge]                      # who judges the questions: another model, where you have one
provider = "openai"
model = "gpt-4.1"
[extract]
methods = [{methods}]
[ask]
method = "model"
[probe]
by = "model"
[grade]
by = "model"
"""
COMMANDS = """\
export OPENAI_API_KEY=...                            # a model of OpenAI, or
export OPENAI_BASE_URL=http://localhost:8000/v1      # one on this machine: vLLM, SGLang, Ollama, llama.cpp
rarefy estimate {corpus} --config model.toml
rarefy build {corpus} --out {out} --config model.toml
"""


def say(run: Run, config: Config, parts: list[Part], corpus: str, out: str) -> None:
    """Say on the board what to expect, unless nobody sees it, a model takes part, or the facts are there already.

    A fault is said too, and ends nothing: the stage that meets it again names the document.
    """
    if run.board.quiet and not run.board.seen:
        return
    try:
        made = expect(run, config, parts)
    except Exception as error:
        met = "; ".join([f"{type(error).__name__}: {error}", *getattr(error, "__notes__", ())])
        run.board.say(f"{'expect':<{WIDTH}} no forecast ({met})")
        return
    if made:
        first, *more = told(made, config, corpus, out)
        run.board.say(f"{'expect':<{WIDTH}} {first}")
        for line in more:  # as they are to be copied
            run.board.say(line)


def told(made: Expected, config: Config, corpus: str, out: str = "DIR") -> list[str]:
    """The forecast in one line; where it is next to nothing, with the lines that name a model."""
    sampled = f"from {made.documents:,} of {made.of:,} documents" if made.documents < made.of else "from all documents"
    if not made.few:
        parts = [f"{about(made.single)} single"]
        parts += [f"{span(one)} {pattern.replace('_', ' ')}" for pattern, one in made.multi.items()]
        return [f"about {about(made.total)} questions: {', '.join(parts)} ({sampled})"]
    count = round(made.total)
    found = f"about {count:,} question{'s' * (count != 1)}" if count else "no question"
    return [f"next to nothing: {found} by rules ({sampled})", *lines(config, corpus, out)]


def lines(config: Config, corpus: str, out: str = "DIR") -> list[str]:
    """The lines that name a model for a corpus, of a remote or a local server: what to write, and what to run."""
    return [WAY_OUT, *toml(config).splitlines(), "and run", *COMMANDS.format(corpus=corpus, out=out).splitlines()]


def toml(config: Config) -> str:
    """A config with which a model takes facts and asks: the methods of this one, but those that read prose by rules."""
    methods = [name for name in config.extract.methods if name not in (*OF_RULES_ON_PROSE, "model")]
    return LINES.format(methods=", ".join(f'"{name}"' for name in (*methods, "model")))


def about(count: float) -> str:
    """A number with two digits that count."""
    whole = round(count)
    return f"{round(whole, 2 - len(str(whole))):,}" if whole >= 100 else f"{whole:,}"


def span(of: Range) -> str:
    """From where to where."""
    low, high = about(of.low), about(of.high)
    return low if low == high else f"{low} to {high}"
