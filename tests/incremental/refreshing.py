"""A store that follows a folder of documents, refreshed as plain function calls, and what a fresh build would give."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from incremental import reader
from rarefy.flows.config import Config
from rarefy.flows.refresh import RefreshResult, refresh
from rarefy.tasks.store import journal
from rarefy.tasks.store.tables import Store

NO_VARIANTS = {"perturb": {"query": [], "document": [], "context": []}}
FEW = {"query": ["character"], "document": ["reverse_order"], "context": ["distracting", "irrelevant"]}
READER = {"provider": "incremental.reader:read", "model": "reader"}
BY_RULES = {"chunk": {"size": 40}, "perturb": FEW}
BY_MODEL = BY_RULES | {
    "llm": READER,
    "judge": READER | {"model": "judge"},
    "extract": {"methods": ["cover", "model"], "model": {"window": 2, "passes": 2}},
    "ask": {"method": "model", "worth": 0},
    "probe": {"by": "model"},
    "grade": {"by": "model"},
}
METHODS = {"rules": Config.model_validate(BY_RULES), "model": Config.model_validate(BY_MODEL)}


@dataclass
class Follower:
    """A benchmark in `place` that follows the documents in `place/corpus`."""

    place: Path
    config: Config

    def refresh(self, out: str = "out", store: str = "store") -> RefreshResult:
        """Go once; `reader.asked` holds what the model was asked in it."""
        reader.asked.clear()
        corpus, folder = str(self.place / "corpus"), str(self.place / out)
        return refresh.fn(corpus, folder, self.config, str(self.place / store), quiet=True)

    def names(self) -> set[str]:
        """What stands in the store, but for leases and caches."""
        store = self.place / "store"
        places = ("tables", "recipes", "versions")
        return {str(file.relative_to(store)) for place in places for file in (store / place).rglob("*")}

    def journal(self) -> list[journal.Version]:
        """The versions in the store."""
        return journal.list_versions(Store(self.place / "store"), journal.line_of(str(self.place / "out")))


def files(out: Path) -> dict[str, str]:
    """The manifest and every file that it names, by digest of its bytes; AssertionError where one is not as it says."""
    manifest = (out / "manifest.json").read_bytes()
    found = {"manifest.json": hashlib.sha256(manifest).hexdigest()}
    for name, promised in json.loads(manifest)["files"].items():
        found[name] = hashlib.sha256((out / name).read_bytes()).hexdigest()
        assert promised.removeprefix("sha256:") == found[name], name
    return found
