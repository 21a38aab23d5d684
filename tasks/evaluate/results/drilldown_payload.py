"""The drill-down data of the page: from numbers to rows, trials, answers and verdicts, and to passages and evidence."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
from markupsafe import Markup

from rarefy.data_contracts.rows import answer_in_words
from rarefy.tasks.evaluate.results.drilldown_rows import (
    OUTCOMES,
    Block,
    NumberRows,
    build_blocks,
    find_partners,
    select_rows,
)
from rarefy.tasks.evaluate.results.wording import RETRIEVAL, join_slice

# JSON inside HTML

# "</script>" and "<!--" end or change a script element; U+2028 and U+2029 end lines in older JavaScript; the rest would
# turn the direction of what follows in the source of the page, or be dropped on the way, as lone surrogates in UTF-8
_UNSAFE = re.compile("[<>&\x7f\ufeff\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def json_script(data: Any) -> Markup:
    """The data as JSON for a `<script type="application/json">`; ValueError where it holds NaN."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(_UNSAFE.sub(lambda character: f"\\u{ord(character[0]):04x}", text))


# Word differences

_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
LEAST = 0.25  # share of the variant's words that it has from the original; under it, a diff only confuses
# 12: twelve units are kept; -3: three are dropped; "new": these come in. Units are UTF-16, as in JavaScript
Steps = list[Any]


def diff_steps(before: str, after: str) -> Steps | None:
    """The edit steps from one text to the other, word by word; None where they have too little in common."""
    from rapidfuzz.distance import LCSseq  # late: with the page alone

    old, new = _WORDS.findall(before), _WORDS.findall(after)
    steps: Steps = []
    kept = 0
    removed = added = ""  # of the change that is open: what comes in stands after what it replaces
    operations = LCSseq.opcodes(old, new)
    for at, step in enumerate(operations):
        old_text, new_text = "".join(old[step.src_start : step.src_end]), "".join(new[step.dest_start : step.dest_end])
        same = step.tag == "equal"
        kept += step.src_end - step.src_start if same else 0
        if same and not (old_text.isspace() and (removed or added) and at + 1 < len(operations)):
            steps += _change_steps(removed, added)
            removed = added = ""
            steps.append(utf16_length(old_text))
        else:  # the space between two changed words is no reason to show two changes
            removed, added = removed + old_text, added + new_text
    steps += _change_steps(removed, added)
    return steps if kept >= LEAST * max(1, len(new)) else None


def _change_steps(removed: str, added: str) -> Steps:
    return [*([-utf16_length(removed)] if removed else []), *([added] if added else [])]


def utf16_length(text: str) -> int:
    """The length of a text in UTF-16 units, in which JavaScript counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def apply_steps(before: str, steps: Steps) -> str:
    """The variant made from its original by the steps, as the page's script does it (for tests)."""
    coded = before.encode("utf-16-le", "surrogatepass")
    at, parts = 0, []
    for step in steps:
        if isinstance(step, str):
            parts.append(step)
        else:
            if step > 0:
                parts.append(coded[at : at + 2 * step].decode("utf-16-le", "surrogatepass"))
            at += 2 * abs(step)
    return "".join(parts)


# Texts and passages

FULL = 2_000_000  # characters of passages that are carried whole
PARTS = 400_000  # and in part, beyond that
LONGEST = 8_000  # characters of one passage
EXCERPT = 320
_KEEP = ("golden", "distraction")  # families of the context side that tell what their gold chunk told


class Texts:
    """A list of distinct texts, and the place of each."""

    def __init__(self) -> None:
        self.texts: list[str] = [""]
        self._place: dict[str, int] = {"": 0}

    def put(self, text: str | None) -> int:
        """The place of a text, new where it is not there yet."""
        text = text or ""
        if text not in self._place:
            self._place[text] = len(self.texts)
            self.texts.append(text)
        return self._place[text]


class Lookup:
    """Rows of a table by name, read only on request: the table may be large."""

    def __init__(self, table: pa.Table, name: str) -> None:
        self._table = table
        self._place = {one: at for at, one in enumerate(table[name].to_pylist())}

    def __contains__(self, name: str) -> bool:
        return name in self._place

    def take(self, names: Iterable[str]) -> dict[str, dict[str, Any]]:
        """The rows of these names that are there, in the order of the names."""
        have = [name for name in dict.fromkeys(names) if name in self._place]
        rows = self._table.take([self._place[name] for name in have]).to_pylist() if have else []
        return dict(zip(have, rows, strict=True))


class Passages:
    """The passages of the page: whole, as an excerpt, or by name alone, as the size budget allows."""

    def __init__(self, texts: Texts, chunks: Lookup, variants: Lookup, full: int = FULL, parts: int = PARTS) -> None:
        self._texts, self._chunks, self._variants = texts, chunks, variants
        self._full, self._parts = full, parts
        self._place: dict[tuple[str, str], int] = {}
        self._known: dict[str, dict[str, Any]] = {}
        self.rows: list[list[Any]] = []

    def load(self, names: Iterable[str]) -> None:
        """Fetch the rows of these passages, and of the chunks that they were made of, at once."""
        wanted = [name for name in names if name not in self._known]
        variants = self._variants.take(name for name in wanted if name not in self._chunks)
        self._known |= self._chunks.take([*wanted, *(row["chunk_id"] for row in variants.values())])
        self._known |= variants

    def put(self, name: str, answers: tuple[str, ...] = ()) -> int:
        """The place of a chunk or variant; `answers` are what an excerpt should show."""
        if (name, "") in self._place:
            return self._place[name, ""]
        row = self._known.get(name)
        if row is None:
            return self._keep(name, [name, 0, 0, 2, -1, 0, "", "", 0])
        if "variant_id" in row:
            return self._variant(name, row, answers)
        text, cut = self._room(row["text"], answers)
        title = " › ".join(filter(None, (row["title"], row["section"])))
        heading = self._texts.put(" · ".join(filter(None, (title, row["place"]))))
        return self._keep(name, [name, heading, text, cut, -1, 0, "", name, 1])

    def outside(self, passage: Mapping[str, Any], answers: tuple[str, ...] = ()) -> int:
        """The place of a passage that a system retrieved itself: its own words, whatever the benchmark has."""
        name, own_text = passage["passage_id"], passage["text"]
        if (name, own_text) not in self._place:
            chunk = name if name in self._chunks else ""
            text, cut = self._room(own_text, answers)
            row = [name, self._texts.put(passage["title"]), text, cut, -1, 0, "", chunk, 1]
            self._place[name, own_text] = len(self.rows)
            self.rows.append(row)
        return self._place[name, own_text]

    def _variant(self, name: str, row: Mapping[str, Any], answers: tuple[str, ...]) -> int:
        original = self.put(row["chunk_id"], answers) if row["chunk_id"] in self._known else -1
        base = self.rows[original] if original >= 0 else None
        keeps = int(row["family"] != "deletion" if row["side"] == "document" else row["family"] in _KEEP)
        heading = base[1] if base else 0
        about = [row["perturbation"], row["chunk_id"], keeps]
        if base and base[3] == 0:
            whole = self._known[row["chunk_id"]]["text"]
            change = diff_steps(whole, row["text"]) if len(row["text"]) <= LONGEST else None
            if change is not None:
                self._full -= sum(len(one) for one in change if isinstance(one, str))
                return self._keep(name, [name, heading, 0, 0, original, change, *about])
        text, cut = self._room(row["text"], answers)
        return self._keep(name, [name, heading, text, cut, original, 0, *about])

    def _keep(self, name: str, row: list[Any]) -> int:
        self._place[name, ""] = len(self.rows)
        self.rows.append(row)
        return self._place[name, ""]

    def _room(self, text: str, answers: tuple[str, ...]) -> tuple[int, int]:
        """Place of the text, and 0 where it is whole, 1 where it is a part, 2 where there is no room for any."""
        if len(text) <= min(self._full, LONGEST):
            self._full -= len(text)
            return self._texts.put(text), 0
        part = excerpt(text, answers)
        if len(part) <= self._parts:
            self._parts -= len(part)
            return self._texts.put(part), 1
        return 0, 2


def excerpt(text: str, answers: tuple[str, ...], size: int = EXCERPT) -> str:
    """A part of the text around the first of the answers that is in it, else its beginning."""
    found = [at for at in (text.lower().find(answer.lower()) for answer in answers if answer) if at >= 0]
    start = max(0, min(found, default=0) - size // 2)
    end = min(len(text), start + size)
    return f"{'… ' if start else ''}{text[start:end]}{' …' if end < len(text) else ''}"


# Questions

AROUND = 240  # characters of the document before and after the sentence


def question_records(tables: Mapping[str, pa.Table], texts: Texts, places: Iterable[int]) -> dict[int, list[Any]]:
    """By place in the table: id, text, answer, aliases, gold chunks, evidence, pattern, domain, entity, period.

    Chunks that state what a gold one states are among the gold chunks.

    A piece of evidence is the document's title, its id, the section, chunk_id, the text before, the sentence, the text
    after, where the sentence begins in the document (-1 where that is not known), and its place in the source.
    """
    places = sorted(set(places))
    rows = dict(zip(places, tables["questions"].take(places).to_pylist(), strict=True)) if places else {}
    chunks = Lookup(tables["chunks"], "chunk_id").take(name for row in rows.values() for name in row["chunk_ids"])
    return {place: _question(row, chunks, texts) for place, row in rows.items()}


def _question(row: Mapping[str, Any], chunks: Mapping[str, Any], texts: Texts) -> list[Any]:
    spans = row["evidence_spans"] or []
    evidence = [
        _evidence(span, chunks.get(span["chunk_id"]), sentence, place, texts)
        for span, sentence, place in zip(
            spans, row["evidence"], row["evidence_places"] or [""] * len(spans), strict=False
        )
    ]
    evidence += [_evidence({"chunk_id": ""}, None, sentence, "", texts) for sentence in row["evidence"][len(spans) :]]
    said = answer_in_words(row["answer"], row["aliases"], row["pattern"])
    return [
        row["question_id"],
        texts.put(row["text"]),
        texts.put(said),
        [texts.put(form) for form in (row["answer"], *row["aliases"]) if form != said],
        [*row["chunk_ids"], *chain.from_iterable(row["alternatives"])],  # all that is marked as gold
        evidence,
        *(row.get(name) or "" for name in ("pattern", "domain", "entity", "period")),
    ]


def _next_word(text: str, at: int) -> int:
    """The beginning of the first whole word from a place on."""
    if at <= 0:
        return 0
    found = text.find(" ", at)
    return at if found < 0 else found + 1


def _evidence(
    span: Mapping[str, Any], chunk: Mapping[str, Any] | None, sentence: str, place: str, texts: Texts
) -> list[Any]:
    if chunk is None:
        return [0, "", 0, span["chunk_id"], 0, texts.put(sentence), 0, -1, place]
    start, end, text = span["start"], span["end"], chunk["text"]
    before, after = text[_next_word(text, start - AROUND) : start], text[end : end + AROUND].rsplit(" ", 1)[0]
    return [
        texts.put(chunk["title"]),
        chunk["doc_id"],
        texts.put(chunk["section"]),
        chunk["chunk_id"],
        texts.put(("… " if start > AROUND else "") + before),
        texts.put(text[start:end]),
        texts.put(after + (" …" if end + AROUND < len(text) else "")),
        chunk["start"] + start,
        place,
    ]


# Rows

LONG = 1_500  # characters of an answer, or of a judge's words
MOST_SHOWN = 100  # passages of a trial
_SETTING = "cell document retriever k order mix ratio scenario placed position bin".split()
_NOTHING = ("", "none", 0, -1.0, None)


class RowBuilder:
    """The chosen rows of all blocks; `trials`, `wordings` and `systems` are what they point to."""

    def __init__(
        self,
        tables: Mapping[str, pa.Table],
        texts: Texts,
        passages: Passages,
        blocks: Sequence[Block],
        chosen: Sequence[tuple[int, int]],
    ) -> None:
        self._texts, self._passages, self._blocks, self._chosen = texts, passages, blocks, chosen
        self.trials: list[list[Any]] = []
        self.wordings: list[list[Any]] = []
        self.systems: list[str] = []
        self._place: dict[tuple[str, int], int] = {}
        self._wording: dict[tuple[str, int], int] = {}
        self._rows = {name: self._taken(tables, name) for name in ("trials", "answers", "scores", "hits")}
        self._variants = Lookup(tables["variants"], "variant_id").take(self._queries())
        beside = Lookup(tables["similarities"], "of") if "similarities" in tables else None
        self._alike = {name: row["cosine"] for name, row in beside.take(self._variants).items()} if beside else {}
        at = sorted({int(blocks[block].question[row]) for block, row in chosen} - {-1})
        self.questions = at
        self._asked = dict(zip(at, tables["questions"].take(at).to_pylist(), strict=True)) if at else {}
        self._load()

    def build(self) -> list[list[Any]]:
        """Each row: trial, system, outcome, robust, value, status, stage, matched, why, judge, answer, error, detail,

        passages shown, share of gold, is the answer in them, what it retrieved itself, calls, tokens, seconds.
        """
        return [self._row(self._blocks[block], row) for block, row in self._chosen]

    def _taken(self, tables: Mapping[str, pa.Table], name: str) -> dict[int, dict[str, Any]]:
        """The rows of a table that the chosen rows point to, by place."""
        field = {"trials": "trial", "hits": "trial", "answers": "answer", "scores": "score"}[name]
        wanted = sorted(
            {
                int(getattr(self._blocks[block], field)[row])
                for block, row in self._chosen
                if (self._blocks[block].protocol == RETRIEVAL) == (name == "hits")
            }
            - {-1}
        )
        return dict(zip(wanted, tables[name].take(wanted).to_pylist(), strict=True)) if wanted else {}

    def _queries(self) -> list[str]:
        return [row["query_id"] for name in ("trials", "hits") for row in self._rows[name].values()]

    def _load(self) -> None:
        """Gold passages first: where there is no room for all, it is for these."""
        gold = [name for row in self._asked.values() for name in row["chunk_ids"]]
        shown = [name for row in self._rows["trials"].values() for name in row["passage_ids"][:MOST_SHOWN]]
        found = [name for row in self._rows["hits"].values() for name in row["chunk_ids"][:10]]
        self._passages.load([*gold, *shown, *found])
        for row in self._asked.values():
            for name in row["chunk_ids"]:
                self._passages.put(name, (row["answer"], *row["aliases"]))

    def _row(self, block: Block, at: int) -> list[Any]:
        question = int(block.question[at])
        asked = self._asked.get(question)
        answers = (asked["answer"], *asked["aliases"]) if asked else ()
        trial = self._trial(block, int(block.trial[at]), question, answers)
        if block.system not in self.systems:
            self.systems.append(block.system)
        answer = self._rows["answers"].get(int(block.answer[at]), {})
        score = self._rows["scores"].get(int(block.score[at]), {})
        robust = block.robust[at]
        put, outside = self._texts.put, self._passages.outside
        return [
            trial,
            self.systems.index(block.system),
            int(block.outcome[at]),
            None if np.isnan(robust) else int(robust),
            score.get("value"),
            score.get("status", ""),
            score.get("stage", ""),
            put(score.get("matched")),
            put(_truncate(score.get("why"))),
            score.get("judge", ""),
            put(_truncate(answer.get("text"))),
            answer.get("error", "" if answer or block.protocol == RETRIEVAL else "not_asked"),
            put(_truncate(answer.get("detail"))),
            answer.get("shown", 0),
            answer.get("gold", -1.0),
            answer.get("answer_shown"),
            [outside(one, answers) for one in (answer.get("retrieved") or [])[:MOST_SHOWN]],
            [answer.get(name, 0) for name in ("calls", "prompt_tokens", "completion_tokens")],
            round(answer.get("seconds") or 0.0, 2),
        ]

    def _trial(self, block: Block, at: int, question: int, answers: tuple[str, ...]) -> int:
        """id, protocol, question, given, setting, wording, passages, ranks, why it was skipped."""
        kind = "hits" if block.protocol == RETRIEVAL else "trials"
        if (kind, at) not in self._place:
            row = self._rows[kind][at]
            names = row["chunk_ids"][:10] if kind == "hits" else row["passage_ids"][:MOST_SHOWN]
            setting = {name: _plain(row[name]) for name in _SETTING if row.get(name) not in _NOTHING}
            record = [
                row["hits_id"] if kind == "hits" else row["trial_id"],
                block.protocol,
                question,
                row.get("given", "retrieved"),
                join_slice(setting) if setting else "",
                self._wording_of(row["query_id"], question),
                [self._passages.put(name, answers) for name in names],
                list(row.get("ranks") or ()),
                row.get("skipped_because", ""),
            ]
            self._place[kind, at] = len(self.trials)
            self.trials.append(record)
        return self._place[kind, at]

    def _wording_of(self, name: str, question: int) -> int:
        """perturbation, text, the way from the original wording (0: there is none), similarity, entailment, detail.

        The similarity is None where it is not known.
        """
        if (name, question) not in self._wording:
            row = self._variants.get(name)
            asked = self._asked.get(question, {"text": ""})
            text = row["text"] if row else asked["text"]
            change = (
                diff_steps(asked["text"], text) if row and row["perturbation"] != "none" and asked["text"] else None
            )
            alike = self._alike.get(name)
            alike = alike if alike is None else round(alike, 3)
            about = [alike, row["entailment"], self._texts.put(row["detail"])] if row else [None, "", 0]
            self._wording[name, question] = len(self.wordings)
            kind = row["perturbation"] if row else "none"
            self.wordings.append([kind, self._texts.put(text), change or 0, *about])
        return self._wording[name, question]


def _truncate(text: str | None) -> str:
    text = text or ""
    return text if len(text) <= LONG else f"{text[:LONG]} … ({len(text) - LONG:,} more characters)"


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


# The whole payload


def drilldown_payload(
    summary: Mapping[str, Any], tables: Mapping[str, pa.Table], numbers: Iterable[tuple[int, dict[str, Any], bool]]
) -> dict[str, Any]:
    """The data of the page's script; its shape is written down in docs/results.md.

    `numbers` are (name, row of the summary's figures, is it a headline). KeyError where a table is not there.
    """
    tables = {**tables, "questions": tables["questions"].sort_by("question_id")}  # whatever order they come in
    found = list(build_blocks(summary, tables))
    sets = select_rows(found, numbers)
    wanted = _shown_rows(sets)
    beside = dict(_partner_rows(found, wanted))
    extra = [(block, row) for (block, _), rows in beside.items() for _, row in rows]
    every = list(dict.fromkeys([*wanted, *extra]))
    place = {one: at for at, one in enumerate(every)}
    texts = Texts()
    passages = Passages(texts, Lookup(tables["chunks"], "chunk_id"), Lookup(tables["variants"], "variant_id"))
    rows = RowBuilder(tables, texts, passages, found, every)
    records = rows.build()
    for one, row in zip(every, records, strict=True):
        row.append([[label, place[one[0], other]] for label, other in beside.get(one, ())])
    return {
        "outcomes": list(OUTCOMES),
        "systems": rows.systems,
        "protocols": {name: about.get("title", "") for name, about in summary["protocols"].items()},
        "questions": question_records(tables, texts, rows.questions),
        "trials": rows.trials,
        "wordings": rows.wordings,
        "rows": records,
        "passages": passages.rows,
        "texts": texts.texts,
        "sets": {name: _set(one, place) for name, one in sets.items()},
    }


def _shown_rows(sets: Mapping[int, NumberRows]) -> list[tuple[int, int]]:
    """Block and row of everything that is shown, what the first numbers show first."""
    return list(dict.fromkeys((one.block, row) for one in sets.values() for row in one.rows))


def _partner_rows(
    found: Sequence[Block], wanted: Iterable[tuple[int, int]]
) -> Iterator[tuple[tuple[int, int], list[tuple[str, int]]]]:
    by_block: dict[int, list[int]] = {}
    for block, row in wanted:
        by_block.setdefault(block, []).append(row)
    for block, rows in by_block.items():
        for row, others in find_partners(found[block], rows).items():
            yield (block, row), others


def _set(one: NumberRows, place: Mapping[tuple[int, int], int]) -> list[Any]:
    return [list(one.counts), [place[one.block, row] for row in one.rows], "; ".join(one.unused)]
