"""What a comparison is made of: a system in a result's folder, and what two versions of a benchmark have in common."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ValidationError

from rarefy.data_contracts.rows import row_id
from rarefy.flows.engine.benchmark_folder import migrate_table
from rarefy.flows.faults import UsageFault
from rarefy.tasks.evaluate.protocols.frame import Frame
from rarefy.tasks.evaluate.protocols.magic_mushroom import LENGTH, POSITION
from rarefy.tasks.evaluate.results.wording import count_calls
from rarefy.tasks.refresh.versions.questions import is_same_answer, pair_same_questions

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = 1  # of a result's folder
TABLES = ("trials", "answers", "scores", "questions", "chunks")
UNREAD = {"detail", "why"}  # long texts that no number is made of
ALIKE = ("retrieval", "package")  # sections of a summary: where they differ it is said


@dataclass(frozen=True)
class Side:
    """A system in a result's folder."""

    folder: str
    system: str
    benchmark: str  # version
    about: Mapping[str, Any]  # the summary


def load_sides(a: Path, b: Path, named: Sequence[str]) -> tuple[Side, Side]:
    """A system of each of two results' folders: the one that is named for both, or for each, or the only one."""
    first, second = read_summary(a), read_summary(b)  # both are there, before either is looked into
    return _choose_system(a, first, named[:1]), _choose_system(b, second, named[-1:])


def _choose_system(folder: Path, about: Mapping[str, Any], named: Sequence[str]) -> Side:
    systems = about["systems"]
    (name,) = named or ([*systems] if len(systems) == 1 else [""])
    if name not in systems:
        there = ", ".join(sorted(systems))
        problem = f"has no system {name!r}" if name else "has several systems: say which with --system"
        raise UsageFault(f"{folder} {problem}; there: {there}")
    return Side(str(folder), name, str(about["benchmark"]["version"]), about)


def read_summary(folder: Path) -> dict[str, Any]:
    """The summary of a result's folder; UsageFault where there is none that this version reads."""
    place = Path(folder) / "summary.json"
    try:
        about: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
        schema, _ = about["schema"], (about["systems"], about["benchmark"]["version"], about["figures"])
        _ = about["protocols"].values(), about["correctness"], about["left_out"]  # all that is looked at below
    except FileNotFoundError:
        if not Path(folder).exists():
            raise UsageFault(f"{folder}: no such folder; check the path") from None
        raise UsageFault(f"{folder} holds no result: no summary.json in it (`rarefy evaluate ... --out DIR`)") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageFault(f"{place} is not a summary of `rarefy evaluate` ({error!r}); make the result again") from error
    if schema != SCHEMA:
        raise UsageFault(f"{place} is a result of schema {schema}, not {SCHEMA}: make it again with this rarefy")
    return about


def shared_protocols(first: Side, second: Side, asked: Sequence[str]) -> list[str]:
    """The protocols that both results have, or those of them that were asked for."""
    there = [name for name in first.about["protocols"] if name in second.about["protocols"]]
    lacking = [name for name in asked if name not in there]
    if lacking or not there:
        problem = f"no {', '.join(lacking)} in both results" if lacking else "the results have no protocol in common"
        raise UsageFault(f"{problem}; both have: {', '.join(there) or 'none'}")
    return [name for name in there if not asked or name in asked]


def describe_unlike_options(first: Side, second: Side, protocols: Sequence[str]) -> list[str]:
    """A line for each option that changes what a score means and differs between the two sides."""
    pairs = {"correctness": [one.about["correctness"] for one in (first, second)]}
    pairs |= {name: [one.about["protocols"][name]["options"] for one in (first, second)] for name in protocols}
    lines = []
    for section, both in pairs.items():
        left, right = ({row["name"]: row["value"] for row in rows} for rows in both)
        lines += [
            f"{section}.{name}: {json.dumps(left.get(name))} in {first.folder}, "
            f"{json.dumps(right.get(name))} in {second.folder}"
            for name in sorted({*left, *right})
            if left.get(name) != right.get(name)
        ]
    return lines


def describe_other_differences(first: Side, second: Side) -> list[str]:
    """A line for each other difference that may be what changed the numbers."""
    lines = []
    if first.benchmark != second.benchmark:
        versions = f"{first.benchmark} and {second.benchmark}"
        lines.append(f"benchmark: versions {versions}; compared on the questions that are the same in both")
    left, right = (one.about["benchmark"].get("split") for one in (first, second))
    if left != right:
        lines.append(f"benchmark: questions of the split {left!r} and of {right!r}")
    for side in (first, second):
        if budget := side.about.get("budget"):
            option = "--quick" if "questions" in budget else f"--budget {budget['calls']}"
            lines.append(f"{side.folder} asked {count_calls(budget)} ({option}): compared on what both asked")
    for section in ALIKE:
        left, right = first.about.get(section), second.about.get(section)
        if left != right:
            lines.append(f"{section}: not the same on both sides ({_differing_entries(left, right)})")
    return lines


def _differing_entries(left: Any, right: Any) -> str:
    """The entries that differ."""
    if not isinstance(left, Mapping) or not isinstance(right, Mapping):
        return f"{left} and {right}"
    return ", ".join(
        f"{name}: {left.get(name)} and {right.get(name)}"
        for name in sorted({*left, *right})
        if left.get(name) != right.get(name)
    )


def load_tables(side: Side, *more: str) -> dict[str, pa.Table]:
    """The tables of a result that numbers are computed from, and `more` by name."""
    return {name: _table(Path(side.folder), name, side.about) for name in (*TABLES, *more)}


def build_frames(side: Side, protocols: Sequence[str], tables: Mapping[str, pa.Table]) -> dict[str, Frame]:
    """The frame of each protocol."""
    from rarefy.flows.engine.aggregate import frames  # late: it imports all that figures come from

    about = side.about
    only = {
        **about,
        "systems": {side.system: about["systems"][side.system]},
        "protocols": {name: about["protocols"][name] for name in protocols},
    }
    return {name: one for _, name, one in frames(tables, only)}


def _table(folder: Path, name: str, about: Mapping[str, Any]) -> pa.Table:
    """A table of a result."""
    place = folder / f"{name}.parquet"
    try:
        there = pq.read_schema(place).names
        table = pq.read_table(place, columns=[column for column in there if column not in UNREAD])
        return migrate_table(name, table, about, place)
    except FileNotFoundError:
        raise UsageFault(f"{place} is not there: the result is not whole; run its `rarefy evaluate` again") from None
    except pa.ArrowException as error:
        raise UsageFault(f"{place} cannot be read ({error}); run its `rarefy evaluate` again") from error


def options_of_protocol(model: Any, side: Side, protocol: str) -> Any:
    """The options that a protocol was run with."""
    values = {row["name"]: row["value"] for row in side.about["protocols"][protocol]["options"]}
    try:
        return model(**values)
    except ValidationError as error:
        raise UsageFault(f"{side.folder}: this rarefy does not know these options of {protocol}: {error}") from error


def documents_of_questions(frame: Frame) -> list[str]:
    """The document of each question; UsageFault where none is known."""
    of = dict(zip(frame.rows["question_id"], frame.rows["doc_id"], strict=True))
    if not any(of.values()):
        raise UsageFault("no question's document is known here: cluster by question (statistics.cluster)")
    return [of[name] for name in frame.questions]


Tables = Mapping[str, pa.Table]
# What a trial asks for. Passages, ranks, context_id, gold and noise say what came of that with these documents.
SLOT = (
    "question_id cell given query_id query number document chunk_id retriever k order mix ratio scenario placed "
    "position bin"
).split()
ASKED_IN = {"position": POSITION, "bin": LENGTH}  # in the other cells these two say what came of it
SAME, OTHER, UNKNOWN = "same", "other", "unknown"  # the passages of a pair of trials, on its two sides


@dataclass(frozen=True)
class CommonQuestions:
    """The ids of the questions of two versions, sorted, by what became of them."""

    kept: tuple[str, ...]  # text and answer are the same in both, as for `rarefy diff`: the core
    changed: tuple[str, ...]  # in both by name, with another answer or wording: in both of the next two
    retired: tuple[str, ...]  # put to A alone, or changed
    new: tuple[str, ...]  # put to B alone, or changed
    moved: tuple[str, ...] = ()  # of the core: proved by other sentences than before


def compare_questions(first: pa.Table, second: pa.Table) -> CommonQuestions:
    """Compare the question tables of two results, once `align_names` has given the same question the same name."""
    ours, theirs = ({row["question_id"]: row for row in _questions(side)} for side in (first, second))
    both = sorted({*ours} & {*theirs})
    kept = tuple(
        name for name in both if ours[name]["text"] == theirs[name]["text"] and is_same_answer(ours[name], theirs[name])
    )
    moved = tuple(name for name in kept if ours[name]["evidence"] != theirs[name]["evidence"])
    alone = [tuple(sorted({*one} - {*kept})) for one in (ours, theirs)]
    return CommonQuestions(kept, tuple(sorted({*both} - {*kept})), *alone, moved)


def _questions(table: pa.Table) -> list[dict[str, Any]]:
    columns = ["question_id", "language", "text", "answer", "aliases", "evidence"]
    rows: list[dict[str, Any]] = table.select(columns).to_pylist()
    return sorted(rows, key=lambda row: str(row["question_id"]))


def align_names(first: Tables, second: Tables) -> dict[str, pa.Table]:
    """The tables of the first version, its questions and their wordings with the names that they have in the second.

    A question of the same words has another name where its document was renamed (see `pair_same_questions`).
    """
    pairs = pair_same_questions(*(_questions(side["questions"]) for side in (first, second)))
    questions = {
        was["question_id"]: now["question_id"] for was, now in pairs if was["question_id"] != now["question_id"]
    }
    if not questions:
        return dict(first)
    ours = {key: name for key, name in _wordings(first["variants"]) if key[0] in questions}
    theirs = dict(_wordings(second["variants"]))
    wordings = {name: theirs.get((questions[key[0]], *key[1:]), name) for key, name in ours.items()}
    tables = {name: _renamed(table, "question_id", questions) for name, table in first.items()}
    return tables | {"trials": _renamed(tables["trials"], "query_id", questions | wordings)}


def _wordings(variants: pa.Table) -> Iterator[tuple[tuple[Any, ...], str]]:
    """Question, perturbation, number and text of each wording, with its name."""
    columns = ("question_id", "perturbation", "number", "text", "side", "variant_id")
    for *key, side, name in zip(*(variants[column].to_pylist() for column in columns), strict=True):
        if side == "query":
            yield tuple(key), name


def _renamed(table: pa.Table, column: str, names: Mapping[str, str]) -> pa.Table:
    if column not in table.schema.names:
        return table
    at = table.schema.get_field_index(column)
    values = [names.get(name, name) for name in table[column].to_pylist()]
    return table.set_column(at, table.schema.field(at), pa.array(values, table.schema.field(at).type))


def pair_trials(first: "pd.DataFrame", second: "pd.DataFrame") -> list[tuple[str, str]]:
    """Pairs of ids of trials of two versions that ask the same: first by their own id, then by their slot.

    A noise document that only one version has (SURE) stands for one of the same question that only the other has, in
    the order of their names: which chunk is noise depends on the corpus. Several trials of one slot are paired in the
    order of theirs.
    """
    by_name = sorted({*first["trial_id"]} & {*second["trial_id"]})
    left, right = (side[~side["trial_id"].isin(by_name)] for side in (first, second))
    places: dict[tuple[Any, ...], list[str]] = defaultdict(list)
    ours, theirs = _documents(first), _documents(second)
    for key, name in sorted(_slots(left, {})):
        places[key].append(name)
    found = [(name, name) for name in by_name]
    for key, name in sorted(_slots(right, _stand_ins(ours, theirs))):
        if places[key]:
            found.append((places[key].pop(0), name))
    return found


def _slots(rows: "pd.DataFrame", named: Mapping[tuple[str, str], str]) -> Iterator[tuple[tuple[Any, ...], str]]:
    at = {name: place for place, name in enumerate(SLOT)}
    for *slot, name in zip(*(rows[column] for column in (*SLOT, "trial_id")), strict=True):
        for column, cell in ASKED_IN.items():
            if slot[at["cell"]] != cell:
                slot[at[column]] = ""
        slot[at["chunk_id"]] = named.get((slot[at["question_id"]], slot[at["chunk_id"]]), slot[at["chunk_id"]])
        yield tuple(slot), name


def _documents(rows: "pd.DataFrame") -> dict[str, set[str]]:
    """The chunks that trials of each question are about."""
    found: dict[str, set[str]] = defaultdict(set)
    for question, chunk in set(zip(rows["question_id"], rows["chunk_id"], strict=True)):
        if chunk:
            found[question].add(chunk)
    return found


def _stand_ins(first: Mapping[str, set[str]], second: Mapping[str, set[str]]) -> dict[tuple[str, str], str]:
    """Which chunk of the first version stands for a chunk that only the second one has."""
    found = {}
    for question, chunks in second.items():
        there = first.get(question, set())
        gone, came = sorted(there - chunks), sorted(chunks - there)
        found |= {(question, new): old for old, new in zip(gone, came, strict=False)}
    return found


def digest_passages(tables: Tables, system: str, wanted: Iterable[str]) -> dict[str, str]:
    """By trial, the digest of the texts and titles that the system was shown, from top to bottom.

    Where the system retrieves itself: of what it says it found; a trial of which it says nothing is left out.
    """
    names = set(wanted)
    texts = _texts(tables)
    found = {}
    columns = ("trial_id", "given", "passage_ids")
    own = set()
    for name, given, passage_ids in zip(*(tables["trials"][one].to_pylist() for one in columns), strict=True):
        if given == "own":
            own.add(name)
        elif name in names:
            found[name] = row_id(given, *(texts.get(one, one) for one in passage_ids))
    answers = tables["answers"].select(["trial_id", "system", "retrieved"]).to_pylist() if own & names else ()
    for row in answers:
        name, passages = row["trial_id"], row["retrieved"]
        if row["system"] == system and name in own and name in names and passages:
            digests = (
                row_id(one["title"], one["text"]) if one["text"] else texts.get(one["passage_id"], one["passage_id"])
                for one in passages
            )
            found[name] = row_id("own", *digests)
    return found


def _texts(tables: Tables) -> dict[str, str]:
    """A digest of each passage of a benchmark as a system is shown it, by name."""
    from rarefy.tasks.evaluate.systems.answer import OF_LAYOUT  # late: it loads every protocol

    columns = ("chunk_id", "title", "text")
    chunks = list(zip(*(tables["chunks"][one].to_pylist() for one in columns), strict=True))
    titles = {name: title for name, title, _ in chunks}
    found = {name: row_id(title, text) for name, title, text in chunks}
    columns = ("variant_id", "side", "family", "chunk_id", "text")
    for name, side, family, chunk_id, text in zip(
        *(tables["variants"][one].to_pylist() for one in columns), strict=True
    ):
        if side != "query":
            found[name] = row_id("" if family in OF_LAYOUT else titles.get(chunk_id, ""), text)
    return found
