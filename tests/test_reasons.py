"""docs/reasons.md explains every reason of rejection that the code gives, and no other."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from rarefy.flows.config import Config
from rarefy.tasks.knowledge.supersede import SUPERSEDED
from rarefy.tasks.perturb.catalogue import CATALOGUE
from rarefy.tasks.perturb.checks import CHECKS
from rarefy.tasks.questions.gates import GATES
from rarefy.tasks.questions.grade import DIMENSIONS

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "reasons.md").read_text(encoding="utf-8")
EXPLAINED = re.findall(r"^\| `([a-z_]+)` \| \S", PAGE, re.M)

# Every string of words joined by "_" in these is a reason, but names of parts, perturbations, checks and fields
PLACES = [
    *(ROOT / "tasks" / "knowledge" / "extract").rglob("*.py"),
    *(ROOT / "tasks" / "questions").rglob("*.py"),
    *(ROOT / "tasks" / "perturb" / name for name in ("proof.py", "vary.py", "checks.py", "model_drafts.py")),
]
NO_REASONS = {*GATES, *CATALOGUE, *CHECKS} | set(
    "doc_id fiscal_year from_french inverted_star low_quality model_share not_shown not_there period_end "
    "state_of_incorporation to_french".split()
)
GIVEN = ("rejected_because", "refused")  # keywords whose strings are reasons, of one word too
GIVE = ("refuse", "Proof", "_refuse_if", "_refuse_unless")  # functions that take one


def strings(node: ast.AST) -> Iterator[str]:
    """What an expression may give: either side of a choice, and nothing of what is called in it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from (*strings(node.body), *strings(node.orelse))
    elif isinstance(node, ast.BoolOp):
        yield from (text for value in node.values for text in strings(value))


def given_reasons(tree: ast.AST) -> Iterator[str]:
    """The strings that are handed over as a reason: refuse("..."), rejected_because="..."."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in GIVEN:
            yield from strings(node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in GIVE:
            at = {"_refuse_if": 2, "_refuse_unless": 2}.get(node.func.id, 0)
            yield from (text for value in node.args[at : at + 1] for text in strings(value))


def all_strings(tree: ast.AST) -> Iterator[str]:
    """Every string of a module, without what follows a colon ("words_changed: 3 words became 4")."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value.partition(": ")[0]


def parse(paths: Iterable[Path]) -> Iterator[ast.AST]:
    return (ast.parse(path.read_text(encoding="utf-8")) for path in paths)


def test_every_reason_is_explained() -> None:
    joined = {s for tree in parse(PLACES) for s in all_strings(tree) if re.fullmatch(r"[a-z]+(_[a-z]+)+", s)}
    given = {s for tree in parse((ROOT / "tasks").rglob("*.py")) for s in given_reasons(tree)}
    assert len(joined) > 150 and len(given) > 50
    found = (joined - NO_REASONS) | (given - {""}) | {SUPERSEDED, *(f"judge_{name}" for name in DIMENSIONS)}
    assert not sorted(found - set(EXPLAINED))


def test_no_reason_is_explained_that_the_code_does_not_give() -> None:
    written = {s for tree in parse((ROOT / "tasks").rglob("*.py")) for s in all_strings(tree)}
    assert not sorted(set(EXPLAINED) - written - {f"judge_{name}" for name in DIMENSIONS})


def test_no_reason_is_explained_twice_in_a_stage() -> None:
    for section in re.split(r"^## ", PAGE, flags=re.M):
        codes = re.findall(r"^\| `([a-z_]+)` \| ", section, re.M)
        assert len(codes) == len(set(codes)), section.splitlines()[0]


def test_the_options_it_names_are_options() -> None:
    options = re.findall(r"`(ask|gates|grade|perturb)\.(\w+)", PAGE)
    assert options and all(name in type(getattr(Config(), part)).model_fields for part, name in options)
