"""Rows as a page shows them: the trial, what was shown, what was said, and what that was held for."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from rarefy.tasks.evaluate.results.drill.blocks import Block
from rarefy.tasks.evaluate.results.drill.differences import steps
from rarefy.tasks.evaluate.results.drill.texts import Lookup, Passages, Texts
from rarefy.tasks.evaluate.results.slices import told as slice_told
from rarefy.tasks.evaluate.results.wording import RETRIEVAL

LONG = 1_500  # characters of an answer, or of a judge's words
MOST_SHOWN = 100  # passages of a trial
_SETTING = "cell document retriever k order mix ratio scenario placed position bin".split()
_NOTHING = ("", "none", 0, -1.0, None)


class Rows:
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

    def told(self) -> list[list[Any]]:
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
            put(_cut(score.get("why"))),
            score.get("judge", ""),
            put(_cut(answer.get("text"))),
            answer.get("error", "" if answer or block.protocol == RETRIEVAL else "not_asked"),
            put(_cut(answer.get("detail"))),
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
            told = [
                row["hits_id"] if kind == "hits" else row["trial_id"],
                block.protocol,
                question,
                row.get("given", "retrieved"),
                slice_told(setting) if setting else "",
                self._wording_of(row["query_id"], question),
                [self._passages.put(name, answers) for name in names],
                list(row.get("ranks") or ()),
                row.get("skipped_because", ""),
            ]
            self._place[kind, at] = len(self.trials)
            self.trials.append(told)
        return self._place[kind, at]

    def _wording_of(self, name: str, question: int) -> int:
        """perturbation, text, the way from the original wording (0: there is none), similarity, entailment, detail.

        The similarity is None where it is not known.
        """
        if (name, question) not in self._wording:
            row = self._variants.get(name)
            asked = self._asked.get(question, {"text": ""})
            text = row["text"] if row else asked["text"]
            change = steps(asked["text"], text) if row and row["perturbation"] != "none" and asked["text"] else None
            alike = self._alike.get(name)
            alike = alike if alike is None else round(alike, 3)
            about = [alike, row["entailment"], self._texts.put(row["detail"])] if row else [None, "", 0]
            self._wording[name, question] = len(self.wordings)
            kind = row["perturbation"] if row else "none"
            self.wordings.append([kind, self._texts.put(text), change or 0, *about])
        return self._wording[name, question]


def _cut(text: str | None) -> str:
    text = text or ""
    return text if len(text) <= LONG else f"{text[:LONG]} … ({len(text) - LONG:,} more characters)"


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
