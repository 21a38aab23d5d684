"""Whatever befalls a refresh, a reader finds the old benchmark whole or none or the new one, and the next run heals.

RAREFY_ALL_WRITES=1 kills it between any two writes, where otherwise some are drawn.
"""

import functools
import json
import os
import random
import shutil
import signal
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import failing_writes
import pytest
from failing_writes import QUICK, go, gone

from rarefy.flows import refresh as refreshing
from rarefy.flows.config import Config
from rarefy.flows.engine import benchmark_folder
from rarefy.flows.faults import UsageFault
from rarefy.flows.refresh import refresh
from rarefy.tasks.export import files as export_files
from rarefy.tasks.export.files import sha256
from rarefy.tasks.refresh import refresh_queue
from rarefy.tasks.store import journal
from rarefy.tasks.store.lease import current_holder, hold_lease
from rarefy.tasks.store.tables import Store

pytestmark = pytest.mark.crash
ALL = bool(os.environ.get("RAREFY_ALL_WRITES"))
KILLS, EARLY_KILLS, FULL = 6, 1, 3
TTL = 6.0  # seconds after which a lease that cannot be read, or whose holder is frozen, is taken over here
TEXT = """FORM 10-K
For the fiscal year ended December 31, 2024

{name}

(Exact name of registrant as specified in its charter)

{name} is headquartered in {city}. {name} acquired {city} Instruments in March 2024.

We employed 1,{employees} people as of December 31, 2024. The financial statements were audited by {auditor}.
"""


def document(place: Path, file: str, name: str, city: str, auditor: str) -> None:
    text = TEXT.format(name=name, city=city, auditor=auditor, employees=100 + len(name))
    (place / "corpus" / f"{file}.txt").write_text(text)


def edit(place: Path) -> None:
    """One document is edited, one removed, one added."""
    document(place, "acme", "Acme Pumps Inc.", "Bergen", "Meyer LLP")
    (place / "corpus" / "fjord.txt").unlink()
    document(place, "tarn", "Tarn Motors Ltd.", "Drammen", "Berg LLP")


def files(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def line(place: Path) -> str:
    return journal.line_of(str(place / "out"))


def entries(place: Path) -> list[tuple[int, str, str, dict[str, int]]]:
    store = Store(place / "store")
    assert journal.list_damaged(store) == []
    return [(one.number, one.version, one.parent, one.changes) for one in journal.list_versions(store, line(place))]


class Scene:
    """One place, and the states that it can be put into: `old` (edited since), `ready` (all tables made), `new`."""

    def __init__(self, folder: Path) -> None:
        self.place, self.kept = folder / "place", folder / "kept"
        (self.place / "corpus").mkdir(parents=True)
        document(self.place, "acme", "Acme Pumps Inc.", "Oslo", "Meyer LLP")
        document(self.place, "fjord", "Fjord Systems Corp", "Stavanger", "Halvorsen LLP")
        assert go(self.place).status == "refreshed"
        self.before = files(self.place / "out")
        edit(self.place)
        self.keep("old")
        assert go(self.place, "aside").status == "refreshed"
        shutil.rmtree(self.place / "aside")
        self.keep("ready")
        assert go(self.place).status == "refreshed"
        self.after, self.entries = files(self.place / "out"), entries(self.place)
        self.tables = {path.name for path in (self.place / "store" / "tables").iterdir()}
        self.keep("new")
        self.versions = {json.loads(told["manifest.json"])["version"] for told in (self.before, self.after)}
        assert len(self.versions) == len(self.entries) == 2

    def keep(self, name: str) -> None:
        shutil.copytree(self.place, self.kept / name)

    def put(self, name: str) -> Path:
        shutil.rmtree(self.place)
        return shutil.copytree(self.kept / name, self.place)

    def whole(self) -> bool:
        """Is there a benchmark? AssertionError where there is half of one."""
        out = self.place / "out"
        if not (out / "manifest.json").exists():
            return False
        told = json.loads((out / "manifest.json").read_bytes())
        assert told["version"] in self.versions
        assert all(sha256(out / name) == digest for name, digest in told["files"].items())
        return True

    def healed(self) -> None:
        """The next run ends as one that nothing befell."""
        go(self.place)
        assert files(self.place / "out") == self.after
        assert entries(self.place) == self.entries
        store = Store(self.place / "store")
        assert refresh_queue.pending_requests(store, line(self.place)) == [] and current_holder(store) is None
        assert self.tables <= {path.name for path in (self.place / "store" / "tables").iterdir()}
        assert go(self.place).status == "unchanged"


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    return Scene(tmp_path_factory.mktemp("faults"))


@pytest.fixture(scope="module")
def writes(scene, tmp_path_factory) -> Callable[[str], list[str]]:
    """The writes of an undisturbed refresh from a state on."""

    @functools.cache
    def told(state: str) -> list[str]:
        place, log = scene.put(state), tmp_path_factory.mktemp("writes") / "log"
        code, said = failing_writes.run(gone, str(place), before=functools.partial(failing_writes.counted, place, log))
        assert (code, said) == (0, "refreshed")
        return log.read_text().splitlines()

    return told


def drawn(total: int, share: int, of: int) -> list[int]:
    """The writes that one of so many tests looks at: all are looked at by some of them, or one by each."""
    mine = range(share + 1, total + 1, of)
    return list(mine) if ALL else [random.Random(share).choice(mine)]


@pytest.mark.parametrize(
    ("state", "share", "of"),
    [("ready", n, KILLS) for n in range(KILLS)] + [("old", n, EARLY_KILLS) for n in range(EARLY_KILLS)],
)
def test_killed_between_any_two_writes_it_leaves_nothing_half_and_the_next_heals(scene, writes, state, share, of):
    told = writes(state)
    for number in drawn(len(told), share, of):
        place = scene.put(state)
        code, said = failing_writes.run(
            gone, str(place), before=functools.partial(failing_writes.killed, place, number)
        )
        assert code == -signal.SIGKILL, said
        swapping = any(one.startswith("os.remove out/manifest.json") for one in told[: number - 1])
        assert scene.whole() or swapping, f"killed before {told[number - 1]}"
        scene.healed()


def test_killed_while_it_swaps_there_is_no_benchmark_rather_than_half_of_one(scene, writes):
    told = writes("ready")
    number = told.index("os.remove out/manifest.json") + 12
    place = scene.put("ready")
    failing_writes.run(gone, str(place), before=functools.partial(failing_writes.killed, place, number))
    assert not scene.whole()
    with pytest.raises(UsageFault, match="no finished benchmark"):
        benchmark_folder.open_benchmark(place / "out", Store(place / "reader"))
    scene.healed()


def test_killed_between_the_journal_and_the_changes_the_next_tells_them(scene, writes):
    told = writes("ready")
    number = next(n for n, one in enumerate(told, 1) if one.startswith("open") and "changes.md" in one)
    place = scene.put("ready")
    failing_writes.run(gone, str(place), before=functools.partial(failing_writes.killed, place, number))
    assert scene.whole()
    found = go(place)
    assert found.status == "refreshed" and found.changes is not None and found.before.number == 1
    scene.healed()


@pytest.mark.parametrize("share", range(FULL))
def test_a_full_disk_is_named_and_leaves_what_stood_there(scene, writes, share):
    told = writes("ready")
    room = [number for number, one in enumerate(told, 1) if one.split()[0] in failing_writes.NEEDS_ROOM]
    for place_of in drawn(len(room), share, FULL):
        number = room[place_of - 1]
        place = scene.put("ready")
        code, said = failing_writes.run(gone, str(place), before=functools.partial(failing_writes.full, place, number))
        assert scene.whole(), told[number - 1]
        if number < len(told) - 12:  # the last of all, giving up the lease, does without
            assert code == 1 and "No space left on device" in said and str(place) in said, (said, told[number - 1])
        scene.healed()


def test_what_may_not_grow_so_large_is_named_and_leaves_what_stood_there(scene):
    place = scene.put("ready")
    code, said = failing_writes.run(gone, str(place), before=functools.partial(failing_writes.small, 4000))
    assert code == 1 and "File too large" in said and str(place) in said, said
    assert files(place / "out") == scene.before | {
        name: content for name, content in files(place / "out").items() if name.startswith("contracts.")
    }
    scene.healed()


def test_a_store_that_cannot_be_written_is_named_and_nothing_is_published(scene):
    place = scene.put("ready")
    code, said = failing_writes.run(
        gone, str(place), before=functools.partial(failing_writes.read_only, place / "store")
    )
    assert code == 1 and "Read-only file system" in said and str(place / "store") in said
    assert files(place / "out") == scene.before
    scene.healed()


DAMAGES: dict[str, Callable[[Path], object]] = {
    "gone": Path.unlink,
    "emptied": lambda path: path.write_bytes(b""),
    "zeroed": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "cut": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "flipped": lambda path: path.write_bytes(
        (content := path.read_bytes())[: len(content) // 2] + b"~" + content[len(content) // 2 + 1 :]
    ),
}


@pytest.mark.parametrize("state", ["ready", "new"])
@pytest.mark.parametrize("seed", [1] if not ALL else range(10))
def test_half_of_a_store_lost_or_damaged_is_made_anew(scene, state, seed, monkeypatch):
    place, chance = scene.put(state), random.Random(seed)
    monkeypatch.setattr(refreshing, "hold_lease", functools.partial(hold_lease, ttl=TTL))
    for path in sorted(path for path in (place / "store").rglob("*") if path.is_file()):
        if chance.random() < 0.5 and "versions" not in path.parts:
            DAMAGES[chance.choice(sorted(DAMAGES))](path)
    found = go(place)
    built = {name: content for name, content in files(place / "out").items() if not name.startswith("changes.")}
    assert built == {name: content for name, content in scene.after.items() if not name.startswith("changes.")}
    assert found.version.number == 2
    assert current_holder(Store(place / "store")) is None


def test_what_changed_since_a_version_that_is_lost_is_said_to_be_unknown(scene, capsys):
    place = scene.put("ready")
    first = journal.list_versions(Store(place / "store"), line(place))[0]
    (place / "store" / "tables" / f"{first.tables['questions']}.parquet").unlink()
    store = str(place / "store")
    found = refresh.fn(str(place / "corpus"), str(place / "out"), Config.model_validate(QUICK), store, quiet=False)
    assert found.status == "refreshed" and found.changes is None and found.version.number == 2
    assert "since version 1 cannot be told" in capsys.readouterr().err
    assert go(place).status == "unchanged"


@pytest.mark.parametrize("damage", [*DAMAGES])
def test_a_journal_that_was_damaged_counts_on_and_says_so(scene, damage):
    place = scene.put("ready")
    (path,) = (place / "store" / "versions" / line(place)).iterdir()
    DAMAGES[damage](path)
    found = go(place)
    numbers = [one.number for one in journal.list_versions(Store(place / "store"), line(place))]
    assert found.version.number == (1 if damage == "gone" else 2) and numbers[-1] == found.version.number
    assert scene.whole()


@pytest.mark.parametrize("days", [-900, 900])
def test_a_clock_that_is_set_between_two_refreshes_does_no_harm(scene, monkeypatch, days):
    place = scene.put("ready")

    class Set(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + timedelta(days=days)

    clock = time.time
    monkeypatch.setattr(time, "time", lambda: clock() + 86_400 * days)
    for module in (journal, refresh_queue):
        monkeypatch.setattr(module, "datetime", Set)
    found = go(place)
    assert abs((datetime.fromisoformat(found.version.created) - datetime.now(UTC)).days) > 800
    assert files(place / "out") == scene.after and entries(place) == scene.entries
    assert journal.latest_version(Store(place / "store"), line(place)).number == 2
    monkeypatch.undo()
    assert go(place).status == "unchanged"
    document(place, "vann", "Vann Turbines AS", "Moss", "Meyer LLP")
    assert go(place).version.number == 3
    assert [number for number, *_ in entries(place)] == [1, 2, 3]


def test_refreshes_that_start_together_are_one_and_perhaps_a_following_one(scene):
    place = scene.put("ready")
    context = failing_writes.processes()
    start, said = context.Barrier(3), context.Queue()
    processes = [context.Process(target=failing_writes.together, args=(start, said, str(place))) for _ in range(3)]
    for process in processes:
        process.start()
    told = sorted(said.get(timeout=300) for _ in processes)
    for process in processes:
        process.join()
    assert set(told) <= {"busy", "refreshed", "unchanged"} and told.count("refreshed") == 1
    assert files(place / "out") == scene.after and entries(place) == scene.entries
    assert refresh_queue.pending_requests(Store(place / "store"), line(place)) == []


def test_what_arrives_while_one_runs_is_seen_by_exactly_one_following(scene, monkeypatch):
    place = scene.put("ready")
    shutil.move(place / "corpus" / "tarn.txt", place / "tarn.txt")
    listed, arrived, rounds, ended = threading.Event(), threading.Event(), [], []
    real = refreshing.build_and_compare

    def slow(run, *given):
        rounds.append(run)
        sources = run.list_sources

        def seen(corpus, *of):
            found = sources(corpus, *of)
            listed.set()
            assert arrived.wait(120)
            return found

        run.list_sources = seen
        return real(run, *given)

    monkeypatch.setattr(refreshing, "build_and_compare", slow)
    first = threading.Thread(target=lambda: ended.append(go(place)))
    first.start()
    try:
        assert listed.wait(120)
        shutil.move(place / "tarn.txt", place / "corpus" / "tarn.txt")
        assert [go(place).status for _ in range(2)] == ["busy", "busy"]
    finally:
        arrived.set()
        first.join()
    assert len(rounds) == 2 and ended[0].status == "refreshed"
    assert files(place / "out")["manifest.json"] == scene.after["manifest.json"]
    assert refresh_queue.pending_requests(Store(place / "store"), line(place)) == []


def test_one_by_other_settings_waits_and_is_not_taken_for_the_same(scene, monkeypatch):
    place = scene.put("ready")
    begun, free, ended = threading.Event(), threading.Event(), []
    real = refreshing.build_and_compare

    def slow(run, corpus, out, config, limit=0, as_of=""):
        if not limit:
            begun.set()
            assert free.wait(120)
        return real(run, corpus, out, config, limit, as_of)

    monkeypatch.setattr(refreshing, "build_and_compare", slow)
    monkeypatch.setattr(refreshing, "AGAIN", 0.05)
    monkeypatch.setattr(refreshing, "hold_lease", functools.partial(hold_lease, ttl=TTL))
    threads = [
        threading.Thread(target=lambda limit=limit: ended.append((limit, go(place, limit=limit)))) for limit in (0, 1)
    ]
    threads[0].start()
    assert begun.wait(120)
    threads[1].start()
    time.sleep(0.5)
    assert ended == []
    free.set()
    for thread in threads:
        thread.join()
    assert [limit for limit, _ in ended] == [0, 1]
    assert {limit: done.status for limit, done in ended} == {0: "refreshed", 1: "refreshed"}
    assert ended[1][1].version.counts["documents"] == 1


@pytest.mark.parametrize("where", ["open out/.manifest.json", "os.rename out/.chunks.jsonl"])
def test_one_that_is_frozen_and_goes_on_publishes_nothing_over_its_successor(scene, where, monkeypatch):
    place = scene.put("ready")
    context = failing_writes.processes()
    here, there = context.Pipe()
    before = functools.partial(failing_writes.frozen, place, where)
    process = context.Process(target=failing_writes._told, args=(there, before, gone, (str(place), TTL)))
    process.start()
    there.close()
    try:
        until = time.monotonic() + 120
        while Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
            assert time.monotonic() < until
            time.sleep(0.05)
        document(place, "vann", "Vann Turbines AS", "Moss", "Meyer LLP")
        monkeypatch.setattr(export_files, "PATIENCE", 0.5)
        monkeypatch.setattr(refreshing, "hold_lease", functools.partial(hold_lease, ttl=TTL))
        if where.startswith("open"):
            newer = go(place)
        else:  # it holds the folder for the moment that it takes to put files in their places
            with pytest.raises(BlockingIOError, match="end it if it hangs"):
                go(place)
    finally:
        os.kill(process.pid, signal.SIGCONT)
    assert "LeaseLost" in here.recv()
    process.join()
    here.close()
    if where.startswith("open"):
        assert json.loads((place / "out" / "manifest.json").read_bytes())["version"] == newer.version.version
    else:
        assert scene.whole()
    assert go(place).status in {"unchanged", "refreshed"}
    found = journal.latest_version(Store(place / "store"), line(place))
    assert json.loads((place / "out" / "manifest.json").read_bytes())["version"] == found.version
    assert go(place).status == "unchanged"


def test_an_evaluation_that_reads_while_it_is_refreshed_never_mixes_two_versions(scene, monkeypatch, tmp_path):
    place = scene.put("ready")
    real = benchmark_folder.mix.read_rows
    known = {}
    for name in ("old", "new"):
        opened = benchmark_folder.open_benchmark(scene.kept / name / "out", Store(tmp_path / "apart"), split="all")
        known[opened.version] = (opened.questions, opened.chunks, opened.variants)
    reads = []

    def rows(*given, **more):
        found = list(real(*given, **more))
        if not reads:
            go(place)  # the first table is read of the old version, all others of the new one
        reads.append(found)
        return found

    monkeypatch.setattr(benchmark_folder.mix, "read_rows", rows)
    opened = benchmark_folder.open_benchmark(place / "out", Store(tmp_path / "store"), split="all")
    assert len(reads) > 3, "it was read again"
    assert known[opened.version] == (opened.questions, opened.chunks, opened.variants)
    assert opened.version == json.loads(scene.after["manifest.json"])["version"]
    monkeypatch.undo()
    before = benchmark_folder.open_benchmark(scene.kept / "old" / "out", Store(tmp_path / "store"), split="all")
    assert known[before.version] == (before.questions, before.chunks, before.variants)


def test_two_that_write_into_one_folder_both_end_and_the_folder_is_whole(scene):
    place = scene.put("ready")
    ends = []
    threads = [threading.Thread(target=lambda: ends.append(_built(place))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ends) == 2 and scene.whole()
    assert not [name for name in files(place / "out") if name.endswith(".part")]


def _built(place: Path) -> object:
    from rarefy.flows.build import build

    return build.fn(
        str(place / "corpus"), str(place / "out"), Config.model_validate(QUICK), str(place / "store"), quiet=True
    )
