"""Rules for paths (RARE §3.3), the questions asked of them, and what models said of questions."""

from collections import defaultdict
from itertools import pairwise
from typing import Any

import pyarrow as pa

from rarefy.data_contracts.rows import KINDS, MULTI_HOP, WORKED_OUT, Chunk, Judgement, Path, Question, Triplet
from rarefy.data_contracts.suites.rule import (
    Judge,
    PartRule,
    Reference,
    References,
    RowRule,
    Suite,
    between,
    coded,
    dated,
    has_rows,
    hashed,
    look_up,
    look_up_answerable,
    matching,
    one_of,
    row_rule,
    span_fault,
    unique,
    written,
    written_unless_rejected,
)

_SIZES = {
    "single": (1, 1), "chain": (2, 3), "star": (2, 4), "inverted_star": (2, None),  # R12–R14
    "comparison": (2, 6), "change": (2, 2), "share": (2, 2), "superlative": (3, None),
}  # fmt: skip


def _check_size(pattern: str, triplet_ids: list[str]) -> str | None:
    if not triplet_ids or len(set(triplet_ids)) < len(triplet_ids):
        return f"triplets {triplet_ids} are none, or not distinct"
    low, high = _SIZES.get(pattern, (1, None))
    fits = low <= len(triplet_ids) and (high is None or len(triplet_ids) <= high)
    return None if fits else f"a {pattern} of {len(triplet_ids)} triplets"


def _check_links(references: References) -> Judge:
    ends = look_up(references[Triplet], "triplet_id", "subject_key", "object_key")
    figures = look_up(references[Triplet], "triplet_id", "subject_key", "period_end", "unit")

    def judge(pattern: str, triplet_ids: list[str]) -> str | None:
        if any(name not in ends for name in triplet_ids):
            return None  # its reference says so
        whose, when, units = zip(*(figures[name] for name in triplet_ids), strict=True)
        if pattern == "chain" and len(set(whose)) == len(set(when)) == 1 and all((*when, *units)):
            return None  # through a year: one figure singles it out, and another one is of it
        heads, tails = [ends[name][0] for name in triplet_ids], [ends[name][1] for name in triplet_ids]
        forward, backward = list(zip(tails, heads[1:], strict=False)), list(zip(heads, tails[1:], strict=False))
        chained = all(a == b for a, b in backward)  # the answer's triplet comes last, whichever end it is
        links = {
            "chain": backward if chained else forward,
            "star": list(pairwise(heads)),
            "inverted_star": list(pairwise(tails)),
        }
        broken = next(((a, b) for a, b in links.get(pattern, []) if a != b or not a), None)
        return f"a {pattern} from {broken[0]!r} to {broken[1]!r}" if broken else None

    return judge


def _check_triplets_were_accepted(references: References) -> Judge:
    reasons = look_up(references[Triplet], "triplet_id", "rejected_because")

    def judge(triplet_ids: list[str]) -> str | None:
        rejected = next((name for name in triplet_ids if reasons.get(name)), None)
        return f"triplet {rejected} was rejected: {reasons[rejected]}" if rejected else None

    return judge


def _check_chunks(references: References) -> Judge:
    homes = look_up(references[Triplet], "triplet_id", "chunk_id")

    def judge(triplet_ids: list[str], chunk_ids: list[str]) -> str | None:
        lost = next(
            (name for name in triplet_ids if homes.get(name, chunk_ids and chunk_ids[0]) not in chunk_ids), None
        )
        return f"the chunk of triplet {lost} is not among {chunk_ids}" if lost else None

    return judge


def _check_several_chunks(pattern: str, chunk_ids: list[str]) -> str | None:
    alone = pattern in MULTI_HOP and len(set(chunk_ids)) < 2
    return f"a {pattern} within {chunk_ids}" if alone else None


def _check_pivot(pattern: Any, pivot: Any) -> str | None:
    return "no pivot" if pattern in MULTI_HOP and not pivot.strip() else None


PATH = Suite(
    key="path_id",
    needs=(Triplet, Chunk),
    rules=(
        has_rows(),
        unique("path_id"),
        hashed("path_id"),
        one_of("pattern", *KINDS),
        written("domain"),
        Reference("triplet_ids", Triplet, "triplet_id"),
        Reference("chunk_ids", Chunk, "chunk_id"),
        row_rule("as many triplets as its pattern takes", ("pattern", "triplet_ids"), _check_size),
        RowRule("triplets linked as its pattern says", ("pattern", "triplet_ids"), _check_links),
        RowRule("triplets were accepted", ("triplet_ids",), _check_triplets_were_accepted),
        RowRule("the chunks of its triplets", ("triplet_ids", "chunk_ids"), _check_chunks),
        row_rule("multi-hop takes several chunks", ("pattern", "chunk_ids"), _check_several_chunks),
        row_rule("multi-hop has a pivot", ("pattern", "pivot"), _check_pivot),
    ),
)


def _check_path(references: References) -> Judge:
    paths = look_up(references[Path], "path_id", "pattern", "triplet_ids")

    def judge(path_id: str, pattern: str, triplet_ids: list[str]) -> str | None:
        if path_id not in paths:
            return None  # its reference says so
        its_pattern, its_triplets = paths[path_id]
        if pattern != its_pattern:
            return f"a {pattern} question on a {its_pattern} path"
        lost = next((name for name in its_triplets if name not in triplet_ids), None)
        return f"triplet {lost} of path {path_id} is not in the question's" if lost else None

    return judge


def _check_evidence(references: References) -> Judge:
    texts = look_up(references[Chunk], "chunk_id", "text")

    def judge(
        chunk_ids: list[str], evidence: list[str], places: list[str], starts: list[int], ends: list[int]
    ) -> str | None:
        if len(evidence) != len(places):
            return f"{len(evidence)} sentences, {len(places)} spans"
        for sentence, chunk_id, start, end in zip(evidence, places, starts, ends, strict=True):
            if chunk_id not in chunk_ids:
                return f"evidence in chunk {chunk_id}, not among {chunk_ids}"
            if chunk_id in texts and (fault := span_fault(texts[chunk_id], f"chunk {chunk_id}", start, end, sentence)):
                return fault
        return None

    return judge


def _check_evidence_places(evidence: list[str], places: list[str]) -> str | None:
    return f"{len(evidence)} sentences, {len(places)} places" if len(places) not in (0, len(evidence)) else None


def _check_has_evidence(rejected_because: str, pattern: str, chunk_ids: list[str], evidence: list[str]) -> str | None:
    if pattern == "absent":
        return f"nothing answers it, yet it has gold chunks {chunk_ids}" if chunk_ids or evidence else None
    if rejected_because or (chunk_ids and evidence):
        return None
    return f"accepted with {len(chunk_ids)} chunks and {len(evidence)} sentences of evidence"


def _check_members(rejected_because: str, pattern: str, members: list[str]) -> str | None:
    fits = len(set(members)) > 1 if pattern == "listing" else not members
    return None if fits or rejected_because else f"a {pattern} with members {members}"


def _check_accepted_triplets(references: References) -> Judge:
    reasons = look_up(references[Triplet], "triplet_id", "rejected_because")

    def judge(rejected_because: str, triplet_ids: list[str]) -> str | None:
        fallen = next((name for name in triplet_ids if reasons.get(name)), None)
        return f"accepted on triplet {fallen}: {reasons[fallen]}" if fallen and not rejected_because else None

    return judge


def _check_arithmetic(pattern: str, arithmetic: str, rejected_because: str) -> str | None:
    if pattern in WORKED_OUT and not rejected_because and not arithmetic.strip():
        return f"a {pattern} without its arithmetic"
    return f"a {pattern} with arithmetic {arithmetic!r}" if arithmetic and pattern not in WORKED_OUT else None


def _check_chance(pattern: str, chance: float) -> str | None:
    if not 0 <= chance <= 0.5:
        return f"a chance of {chance}, outside of 0 to 1/2"
    return f"a {pattern} with a chance of {chance}" if chance and pattern not in WORKED_OUT else None


def _check_no_split(reason: Any, split: Any) -> str | None:
    return f"rejected ({reason}), yet in {split!r}" if reason and split else None


def _check_alternatives(chunk_ids: list[str], alternatives: list[list[str]]) -> str | None:
    if alternatives and len(alternatives) != len(chunk_ids):
        return f"{len(alternatives)} lists of alternatives to {len(chunk_ids)} chunks"
    gold = next((name for names in alternatives for name in names if name in chunk_ids), None)
    return f"chunk {gold} is gold and an alternative" if gold else None


def _check_parts(chunk_ids: list[str], parts: list[list[str]]) -> str | None:
    stray = next((part for part in parts if not part or part[0] not in chunk_ids), None)
    return None if stray is None else f"part {stray} begins with no gold chunk"


_EVIDENCE = ("chunk_ids", "evidence", "evidence_spans.chunk_id", "evidence_spans.start", "evidence_spans.end")

QUESTION = Suite(
    key="question_id",
    needs=(Path, Triplet, Chunk),
    rules=(
        unique("question_id"),
        hashed("question_id"),
        one_of("pattern", *KINDS),
        Reference("path_id", Path, "path_id"),
        Reference("triplet_ids", Triplet, "triplet_id"),
        Reference("chunk_ids", Chunk, "chunk_id"),
        Reference("alternatives", Chunk, "chunk_id"),
        row_rule("alternatives to each gold chunk, or to none", ("chunk_ids", "alternatives"), _check_alternatives),
        Reference("parts", Chunk, "chunk_id"),
        row_rule("a part begins with its gold chunk", ("chunk_ids", "parts"), _check_parts),
        RowRule("its path's pattern and triplets", ("path_id", "pattern", "triplet_ids"), _check_path),
        RowRule("evidence verbatim in its chunks", _EVIDENCE, _check_evidence),
        row_rule("a place for each evidence, or for none", ("evidence", "evidence_places"), _check_evidence_places),
        RowRule(
            "accepted questions rest on accepted triplets",
            ("rejected_because", "triplet_ids"),
            _check_accepted_triplets,
        ),
        row_rule(
            "accepted questions have evidence, absences have none",
            ("rejected_because", "pattern", "chunk_ids", "evidence"),
            _check_has_evidence,
        ),
        row_rule("a listing alone has members", ("rejected_because", "pattern", "members"), _check_members),
        row_rule(
            "answers are computed where their kind says so",
            ("pattern", "arithmetic", "rejected_because"),
            _check_arithmetic,
        ),
        row_rule("a chance among things that are named", ("pattern", "chance"), _check_chance),
        written_unless_rejected("text", "answer"),
        written("domain"),
        dated("valid_from"),
        matching("split", r"^(?:train|test)?\Z", "train, test or empty"),
        row_rule("rejected questions are in no split", ("rejected_because", "split"), _check_no_split),
        coded("rejected_because"),
    ),
)

SCORES = ("readability", "clarity", "correctness")


def _check_scores(error: str, *scores: int) -> str | None:
    whole = all(score == 0 for score in scores) if error else all(1 <= score <= 5 for score in scores)
    return None if whole else f"scores {', '.join(map(str, scores))} with error {error!r}"


def _find_repeated_judgements(table: pa.Table, _: References) -> list[tuple[str, str]]:
    seen: set[tuple[str, str, int]] = set()
    twice = []
    columns = (table.column(name).to_pylist() for name in ("judgement_id", "question_id", "judge", "round"))
    for name, *key in zip(*columns, strict=True):
        if tuple(key) in seen:
            twice.append((name, "question {} by the {} judge in round {}".format(*key)))
        seen.add((key[0], key[1], key[2]))
    return twice


def _find_unjudged(table: pa.Table, references: References) -> list[tuple[str, str]]:
    columns = [table.column(name).to_pylist() for name in ("question_id", "judge", "error")]
    judged = {name for name, judge, error in zip(*columns, strict=True) if judge == "first" and not error}
    if not table.num_rows:
        return []  # nobody judges
    answerable = look_up_answerable(references[Question])
    return [(name, "accepted and not judged") for name in answerable if name not in judged]


def _check_gold_chunk(references: References) -> Judge:
    gold = look_up(references[Question], "question_id", "chunk_ids")

    def judge(question_id: str, chunk_id: str) -> str | None:
        named = chunk_id in gold.get(question_id, [chunk_id])
        return None if named else f"chunk {chunk_id} is no gold chunk of question {question_id}"

    return judge


def _check_right_answer(right: bool, answer: str, error: str) -> str | None:
    return f"right with answer {answer!r} and error {error!r}" if right and (error or not answer.strip()) else None


def _check_needs_several_chunks(references: References) -> Judge:
    reasons = look_up(references[Question], "question_id", "rejected_because")

    def judge(question_id: str, chunk_id: str, right: bool) -> str | None:
        accepted = right and reasons.get(question_id, "unknown") == ""
        return f"question {question_id} was accepted, though chunk {chunk_id} alone answers it" if accepted else None

    return judge


def _find_untried(table: pa.Table, references: References) -> list[tuple[str, str]]:
    columns = [table.column(name).to_pylist() for name in ("question_id", "chunk_id", "error")]
    tried: dict[str, set[str]] = defaultdict(set)
    for name, chunk_id, error in zip(*columns, strict=True):
        if not error:
            tried[name].add(chunk_id)
    if not table.num_rows:
        return []  # nobody asks
    standing = look_up(references[Question], "question_id", "rejected_because", "pattern", "chunk_ids")
    return [
        (name, f"accepted, but never asked with chunk {lost[0]} alone")
        for name, (reason, pattern, chunk_ids) in standing.items()
        if not reason and pattern in MULTI_HOP and (lost := [chunk for chunk in chunk_ids if chunk not in tried[name]])
    ]


JUDGEMENT = Suite(
    key="judgement_id",
    needs=(Question,),
    rules=(
        unique("judgement_id"),
        hashed("judgement_id"),
        Reference("question_id", Question, "question_id"),
        one_of("judge", "first", "second"),
        between("round", 0),
        row_rule("scores are 1 to 5, or 0 with an error", ("error", *SCORES), _check_scores),
        between("use", 0, 5),
        coded("error"),
        PartRule("a judge judges a question once a round", Judgement, _find_repeated_judgements),
        PartRule("every accepted question but absences was judged, once any was", Question, _find_unjudged),
    ),
)

PROBE = Suite(
    key="probe_id",
    needs=(Question, Chunk),
    rules=(
        unique("probe_id"),
        hashed("probe_id"),
        Reference("question_id", Question, "question_id"),
        Reference("chunk_id", Chunk, "chunk_id"),
        RowRule("the chunk is a gold chunk of its question", ("question_id", "chunk_id"), _check_gold_chunk),
        row_rule("what is right has an answer and no error", ("right", "answer", "error"), _check_right_answer),
        RowRule(
            "no accepted question is answered by one chunk",
            ("question_id", "chunk_id", "right"),
            _check_needs_several_chunks,
        ),
        coded("error"),
        PartRule("every accepted multi-hop question was tried on each chunk, once any was", Question, _find_untried),
    ),
)

UNANSWERED = Suite(
    key="unanswered_id",
    rules=(
        unique("unanswered_id"),
        hashed("unanswered_id"),
        written("stage"),
        written("about"),
        written("reason"),
        coded("reason"),
    ),
)
