"""Answers of systems that are paid or slow, kept as they come: whoever is killed goes on where it was (SQLite)."""

import json
import zlib
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from rarefy.data_contracts.rows import Passage, row_id
from rarefy.tasks.evaluate.systems.interface import SystemOutput
from rarefy.tasks.models.sql_store import Schema, SQLiteDatabase
from rarefy.tasks.private import make_folder

APPLICATION_ID = 0x72617361  # of its files: "rasa"


class AnswerStore:
    """The answers of one system in a file that any number of threads and processes share. Errors are never kept.

    Every method may raise an OSError that names the file and the way out.
    """

    def __init__(self, file: Path, identity: dict[str, object]) -> None:
        from sqlalchemy import Column, LargeBinary, MetaData, Table, Text, func, select

        self.system = row_id("system", json.dumps(identity, sort_keys=True))
        metadata = MetaData()
        system, question = Column("system", Text, primary_key=True), Column("asked_id", Text, primary_key=True)
        answer = Column("said", LargeBinary, nullable=False)
        answers = Table("answers", metadata, system, question, answer, sqlite_with_rowid=False)
        self._database = SQLiteDatabase(file, Schema(metadata, "its answers are then asked for again", APPLICATION_ID))
        self._lookup = self._database.lookup(select(question, answer).where(system == self.system), question)
        self._count = select(func.count()).where(system == self.system)
        self._insert = self._database.insert(answers).on_conflict_do_nothing()
        make_folder(file.parent)

    def find(self, asked_ids: Sequence[str]) -> dict[str, SystemOutput]:
        """The answers kept to these."""
        rows = self._database.read(lambda connection: list(self._lookup(connection, asked_ids)))
        return {asked_id: _decode(content) for asked_id, content in rows}

    def count(self) -> int:
        """How many answers of the system are kept."""
        return int(self._database.read(lambda connection: connection.execute(self._count).fetchone()[0]))

    def keep(self, output: SystemOutput) -> SystemOutput:
        """The answer, once it is kept; another process's, where that was first. An error is only given back."""
        if output.error:
            return output
        row = {"system": self.system, "asked_id": output.asked_id, "said": _encode(output)}
        is_new = self._database.write(lambda connection: connection.execute(self._insert, **row).rowcount)
        return output if is_new else self.find([output.asked_id])[output.asked_id]


def _encode(output: SystemOutput) -> bytes:
    return zlib.compress(json.dumps(asdict(output), ensure_ascii=False).encode(), 1)


def _decode(content: bytes) -> SystemOutput:
    fields = json.loads(zlib.decompress(content))
    return replace(SystemOutput(**fields), retrieved=tuple(Passage(**passage) for passage in fields["retrieved"]))
