"""A folder watched, and a refresh for what changed in it."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from rarefy.flows.build import build
from rarefy.flows.cli import main
from rarefy.flows.config import Config, load
from rarefy.flows.faults import Fault, SpentFault
from rarefy.flows.serving import folder_watch
from rarefy.flows.serving.folder_watch import Follower, follow, look, poll
from rarefy.tasks.refresh.feeds.config import FolderConfig
from rarefy.tasks.refresh.feeds.folder import Moment
from rarefy.tasks.refresh.feeds.watched import load_seen, remember_read, scan_documents
from rarefy.tasks.refresh.refresh_queue import pending_requests, remove_requests, request_refresh
from rarefy.tasks.store.tables import Store

FOLDER = FolderConfig(settle=10, hold=60)


class Scene:
    """A corpus, a store, a clock, and a refresh that only counts."""

    def __init__(self, place: Path) -> None:
        self.corpus = place / "corpus"
        self.corpus.mkdir()
        self.store = Store(place / "store")
        self.said: list[str] = []
        self.seconds = 100.0
        self.saw: list[list[str]] = []  # what each refresh read
        self.during: list[Callable[[], None]] = []  # what happens while the next refresh runs
        self.follower = Follower(self.store, "line", self.refresh, self.said.append, clock=lambda: self.seconds)

    def refresh(self) -> None:
        """As the real one: what was asked for is listed before the documents are, and answered after."""
        while wants := pending_requests(self.store, "line"):
            self.saw.append(sorted(path.name for path in self.corpus.iterdir()))
            if self.during:
                self.during.pop(0)()
            remove_requests(self.store, wants)

    def poll(self, after: float = 0.0, **more: object) -> str:
        self.seconds += after
        return poll(self.store, "line", str(self.corpus), FOLDER, self.said.append, self.moment, **more).message

    def moment(self) -> Moment:
        return Moment("boot", self.seconds)

    def follow(self, *events: Callable[[], object]) -> None:
        """Follow; at each pause the next thing happens, and after the last it is over."""
        todo = [*events]

        def sleep(seconds: float) -> None:
            self.seconds += seconds
            if not todo:
                raise KeyboardInterrupt
            todo.pop(0)()

        with pytest.raises(KeyboardInterrupt):
            follow(self.follower, str(self.corpus), FOLDER, 30, sleep, moment=self.moment)

    def write(self, name: str, text: str) -> None:
        (self.corpus / name).write_text(text)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def nothing() -> None:
    """Time passes."""


def test_a_document_that_came_is_asked_for_once_it_settled(scene):
    scene.write("a.txt", "a")
    assert "waiting for 1 to settle (a.txt)" in scene.poll()
    assert pending_requests(scene.store, "line") == []
    assert scene.poll(after=10) == "1 added (a.txt)"
    assert [one.why for one in pending_requests(scene.store, "line")] == [f"{scene.corpus}: 1 added (a.txt)"]
    assert scene.poll(after=30) == "1 documents, nothing new"
    assert len(pending_requests(scene.store, "line")) == 1


def test_what_happened_is_told_apart(scene):
    for name in "abcd":
        scene.write(f"{name}.txt", name)
    scene.poll()
    scene.poll(after=10)
    scene.write("a.txt", "another a")
    (scene.corpus / "b.txt").unlink()
    (scene.corpus / "c.txt").rename(scene.corpus / "z.txt")
    scene.write("e.txt", "e")
    scene.poll()
    told = scene.poll(after=10)
    assert told == "1 added (e.txt); 1 edited (a.txt); 1 deleted (b.txt); 1 renamed (c.txt to z.txt)"


def test_what_was_seen_survives_the_process(scene):
    scene.write("a.txt", "a")
    scene.poll()
    again = Store(scene.store.url)
    moment = Moment("boot", scene.seconds + 10)
    found = poll(again, "line", str(scene.corpus), FOLDER, scene.said.append, lambda: moment)
    assert found.moves.added == ("a.txt",)


def test_a_damaged_memory_is_told_and_costs_one_refresh(scene):
    scene.write("a.txt", "a")
    scene.poll()
    scene.poll(after=10)
    [memory] = Path(scene.store.root, "feeds").glob("line-*.json")
    memory.write_bytes(memory.read_bytes()[:20])
    scene.poll()
    assert any("is damaged" in line and "begun anew" in line for line in scene.said)
    assert scene.poll(after=10) == "1 added (a.txt)"
    assert scene.poll() == "1 documents, nothing new"


def test_a_crash_before_what_was_seen_is_remembered_starts_it_once_more(scene):
    scene.write("a.txt", "a")
    scene.poll()

    def crash() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scene.poll(after=10, then=crash)
    started: list[int] = []
    assert scene.poll(then=lambda: started.append(1)) == "1 added (a.txt)"
    assert started == [1]


def test_a_folder_that_is_not_there_or_suddenly_empty_deletes_nothing(scene):
    """A disk that is not mounted looks like this."""
    scene.write("a.txt", "a")
    scene.poll()
    scene.poll(after=10)
    remove_requests(scene.store, pending_requests(scene.store, "line"))
    (scene.corpus / "a.txt").rename(scene.corpus.parent / "aside.txt")
    for _ in range(3):
        assert "nothing is taken for deleted" in scene.poll(after=30)
    scene.corpus.rmdir()
    assert "is not there" in scene.poll(after=30)
    assert pending_requests(scene.store, "line") == []
    scene.corpus.mkdir()
    (scene.corpus.parent / "aside.txt").rename(scene.corpus / "a.txt")
    scene.poll(after=30)
    assert scene.poll(after=30) == "1 documents, nothing new"


def test_each_watched_place_of_a_benchmark_has_a_memory_of_its_own(scene, tmp_path):
    scene.write("a.txt", "a")
    scene.poll()
    scene.poll(after=10)
    other = tmp_path / "other"
    other.mkdir()
    found = poll(scene.store, "line", str(other), FOLDER, scene.said.append, scene.moment)
    assert not found.moves and "nothing is taken" not in found.message


def test_the_loop_refreshes_once_for_what_came_together_and_looks_sooner_while_files_settle(scene):
    scene.write("a.txt", "a")
    scene.write("b.txt", "b")
    scene.follow(nothing, nothing, nothing, nothing)
    assert scene.saw == [["a.txt", "b.txt"]]
    assert scene.seconds == 100 + 10 + 4 * 30


def test_several_triggers_while_a_refresh_runs_become_one_following_refresh(scene):
    def busy() -> None:
        for name in "bcd":  # three people, each with a document and a trigger
            scene.write(f"{name}.txt", name)
            request_refresh(scene.store, "line", f"{name} came")

    scene.write("a.txt", "a")
    scene.during.append(busy)
    scene.follow(nothing, nothing)
    assert scene.saw[:2] == [["a.txt"], ["a.txt", "b.txt", "c.txt", "d.txt"]]
    scene.saw.clear()
    scene.follow(nothing, nothing, nothing)
    assert len(scene.saw) <= 1, "the watch sees the three files too, and asks for them once"
    assert pending_requests(scene.store, "line") == []


def test_a_half_written_file_is_not_read_by_a_refresh_for_another(scene):
    scene.write("whole.txt", "whole")
    scene.write("growing.txt", "g")
    grow = [lambda n=n: scene.write("growing.txt", "g" * (n + 2)) for n in range(3)]
    scene.follow(*grow, nothing, nothing)
    assert scene.saw == [["growing.txt", "whole.txt"]]
    assert (scene.corpus / "growing.txt").read_text() == "gggg"


def test_a_refresh_that_fails_is_told_and_tried_again_ever_later_and_at_once_when_something_changes(scene):
    tried: list[float] = []

    def fails() -> None:
        tried.append(scene.seconds)
        raise Fault("the model does not answer")

    scene.follower.refresh = fails
    scene.write("a.txt", "a")
    scene.follow(*[nothing] * 12)
    assert [round(later - before) for before, later in pairwise(tried)] == [60, 120]
    assert any(
        line.endswith("the model does not answer; tried again in 60 s, or when something changes")
        for line in scene.said
    )
    assert pending_requests(scene.store, "line")
    before = len(tried)
    scene.follow(lambda: scene.write("a.txt", "mended"), nothing, nothing)
    assert len(tried) == before + 1


def test_a_budget_that_is_spent_ends_the_loop_and_a_bug_is_no_fault(scene):
    def spent() -> None:
        raise SpentFault("--max-cost is reached")

    scene.write("a.txt", "a")
    scene.follower.refresh = spent
    with pytest.raises(SpentFault):
        scene.follow(nothing, nothing)
    request_refresh(scene.store, "line", "again")

    def bug() -> None:
        raise KeyError("x")

    scene.follower.refresh = bug
    with pytest.raises(KeyError):
        scene.follower.catch_up(30)


def test_a_place_that_cannot_be_looked_at_for_a_while_is_looked_at_again(scene, monkeypatch):

    real, failing = (
        folder_watch.scan_documents,
        [OSError(5, "Input/output error"), PermissionError(13, "Permission denied")],
    )

    def flaky(*args):
        if failing:
            raise failing.pop(0)
        return real(*args)

    monkeypatch.setattr(folder_watch, "scan_documents", flaky)
    scene.write("a.txt", "a")
    scene.follow(*[nothing] * 4)
    assert sum("cannot look" in line for line in scene.said) == 2
    assert scene.saw == [["a.txt"]]


@pytest.fixture
def at_once(tmp_path, monkeypatch) -> list[str]:
    """The command that looks once at a folder of one document."""
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.txt").write_text("a")
    (tmp_path / "my.toml").write_text("[feeds.folder]\nsettle = 0.1\n")
    where = ["--out", str(tmp_path / "out"), "--store", str(tmp_path / "store"), "--config", str(tmp_path / "my.toml")]
    return ["watch", str(tmp_path / "corpus"), *where, "--once", "--every", "1"]


def test_once_a_place_that_cannot_be_looked_at_is_a_failure(at_once, monkeypatch, capsys):

    def broken(*args: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(folder_watch, "scan_documents", broken)
    assert main(at_once) == 1
    said = capsys.readouterr().err
    assert said.count("cannot look: [Errno 5] Input/output error") == 1
    assert "again" not in said


def test_once_a_place_in_which_nothing_is_left_is_a_failure(at_once, tmp_path, monkeypatch, capsys):
    from rarefy.flows.refresh import refresh

    monkeypatch.setattr(refresh, "fn", lambda *args, **limits: None)
    monkeypatch.setattr("rarefy.flows.reports.version_report.show_refresh", lambda *args: None)
    assert main(at_once) == 0
    (tmp_path / "corpus" / "a.txt").unlink()
    assert main(at_once) == 1
    assert "nothing is taken for deleted (is it mounted?" in capsys.readouterr().err


def test_once_a_refresh_that_fails_is_a_failure_and_stays_asked_for(at_once, tmp_path, monkeypatch, capsys):
    from rarefy.flows.refresh import refresh

    def failing(*args: object, **limits: object) -> None:
        raise Fault("the disk is full")

    monkeypatch.setattr(refresh, "fn", failing)
    for _ in range(2):  # the second finds nothing new, and what was asked for undone
        assert main([*at_once, "--quiet"]) == 1
        assert capsys.readouterr().err == "rarefy: the refresh failed: the disk is full\n"
    monkeypatch.setattr(refresh, "fn", lambda *args, **limits: None)
    assert main([*at_once, "--quiet"]) == 0


def test_once_a_failure_that_is_mended_while_others_settle_is_none(scene):
    scene.write("a.txt", "a")
    request_refresh(scene.store, "line", "a")
    real, failing = scene.refresh, [Fault("no space left")]

    def flaky() -> None:
        if failing:
            raise failing.pop()
        real()

    scene.follower.refresh = flaky

    def sleep(seconds: float) -> None:
        scene.seconds += seconds

    follow(scene.follower, str(scene.corpus), FOLDER, 30, sleep, once=True, moment=scene.moment)
    assert "the refresh failed: no space left" in scene.said
    assert scene.saw == [["a.txt"]] and pending_requests(scene.store, "line") == []


def test_one_look_of_a_deployment_says_why_a_refresh_is_wanted(tmp_path):
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.txt").write_text("a")
    config = Config.model_validate({"feeds": {"folder": {"settle": 0}}})
    done: list[str] = []
    given = (str(tmp_path / "corpus"), str(tmp_path / "out"), str(tmp_path / "store"), config)
    slept: list[float] = []
    looks = [look(*given, then=lambda: done.append("started"), sleep=slept.append) for _ in range(2)]
    assert looks == ["1 added (a.txt)", ""]
    assert (done, slept) == (["started"], [0])


def test_what_a_build_has_read_is_not_asked_for_and_what_changed_meanwhile_is(scene):
    line, corpus = "line", str(scene.corpus)
    for name in ("a.txt", "b.txt", "c.txt"):
        scene.write(name, name)
    scene.poll()  # all three have to settle
    listed = scan_documents(corpus, load_seen(scene.store, line, corpus)[0])
    scene.write("b.txt", "while the build ran")
    (scene.corpus / "c.txt").unlink()
    scene.write("d.txt", "new")
    remember_read(scene.store, line, corpus, listed)
    scene.poll(after=30)
    assert scene.poll(after=30) == "1 added (d.txt); 1 edited (b.txt); 1 deleted (c.txt)"
    assert scene.poll(after=30) == "3 documents, nothing new"


def test_a_bucket_is_watched(tmp_path):
    import fsspec

    memory = fsspec.filesystem("memory")
    memory.pipe_file("/watched/a.txt", b"a")
    store = Store(tmp_path / "store")

    def look_twice(at: float) -> folder_watch.PollResult:
        given = (store, "line", "memory://watched", FolderConfig(settle=0), print)
        poll(*given, lambda: Moment("b", at))
        return poll(*given, lambda: Moment("b", at + 1))

    try:
        assert look_twice(1.0).moves.added == ("a.txt",)
        memory.pipe_file("/watched/b.txt", b"b")
        memory.rm_file("/watched/a.txt")
        moves = look_twice(3.0).moves
        assert (moves.added, moves.deleted) == (("b.txt",), ("a.txt",))
    finally:
        memory.store.clear()


def test_what_cannot_be_watched_is_told_before_anything_is_started(tmp_path, capsys):
    (tmp_path / "corpus").mkdir()
    out = ["--out", str(tmp_path / "out"), "--store", str(tmp_path / "store")]
    assert main(["watch", str(tmp_path / "nowhere"), *out]) == 2
    assert "no such file or folder" in capsys.readouterr().err
    within = ["--out", str(tmp_path / "corpus" / "out"), "--store", str(tmp_path / "corpus" / ".rarefy")]
    assert main(["watch", str(tmp_path / "corpus"), *within]) == 2
    assert "the next build would read its files as documents" in capsys.readouterr().err


def test_with_a_deployment_each_want_starts_it_once(tmp_path, monkeypatch):
    from rarefy.flows.serving.folder_watch import make_deployment_starter

    started: list[str] = []
    monkeypatch.setattr(
        "rarefy.flows.serving.flow_runs.start_deployment", lambda name, **more: started.append(name) or name
    )
    store, said = Store(tmp_path), list[str]()
    follower = Follower(
        store, "line", make_deployment_starter("flow/deployment", store, "line", said.append), said.append
    )
    follower.catch_up(30)
    assert started == []
    follower.moved("a came")
    for _ in range(3):  # its run waits, or is under way
        follower.catch_up(30)
    assert started == said == ["flow/deployment"]
    follower.moved("b came")
    follower.catch_up(30)
    remove_requests(store, pending_requests(store, "line"))
    follower.catch_up(30)
    assert len(started) == 2


def test_a_deployment_needs_a_server(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    (tmp_path / "corpus").mkdir()
    where = ["--out", str(tmp_path / "out"), "--store", str(tmp_path / "store"), "--deployment", "a/b"]
    assert main(["watch", str(tmp_path / "corpus"), *where]) == 2
    assert "PREFECT_API_URL is not set" in capsys.readouterr().err


def test_watch_once_makes_the_benchmark_that_a_build_makes_and_follows_an_edit(built, tmp_path, capsys):
    """The real refresh, without a Prefect server."""
    place = tmp_path / "place"
    shutil.copytree(built / "corpus", place / "corpus")
    shutil.copytree(built / "store", place / "store")
    quick = (built / "quick.toml").read_text() + "[feeds.folder]\nsettle = 0.2\n"
    (place / "quick.toml").write_text(quick)
    before = os.environ.pop("PREFECT_API_URL", None)
    try:
        where = ["--out", str(place / "out"), "--store", str(place / "store"), "--config", str(place / "quick.toml")]
        watch = ["watch", str(place / "corpus"), *where, "--once", "--every", "1"]
        assert main(watch) == 0
        assert "3 added" in capsys.readouterr().err
        names = ("documents", "questions", "triplets", "chunks")
        for name in names:
            made, wanted_ = (folder / "out" / f"{name}.parquet" for folder in (place, built))
            assert made.read_bytes() == wanted_.read_bytes()
        edited = place / "corpus" / "acme.html"
        edited.write_text(edited.read_text().replace("Oslo", "Molde"))
        assert main(watch) == 0
        assert "1 edited (acme.html)" in capsys.readouterr().err
        assert "Molde" in (place / "out" / "chunks.jsonl").read_text()
        assert main(watch) == 0
        assert "edited" not in capsys.readouterr().err
        edited.write_text(edited.read_text().replace("Molde", "Bergen"))
        build.fn(
            str(place / "corpus"), str(place / "out"), load(place / "quick.toml"), str(place / "store"), quiet=True
        )
        assert main(watch) == 0
        assert "edited" not in capsys.readouterr().err  # a build has read it
    finally:
        if before is not None:
            os.environ["PREFECT_API_URL"] = before


@pytest.mark.crash
def test_the_loop_ends_with_the_signal_of_a_service_manager(tmp_path):
    (tmp_path / "corpus").mkdir()
    where = ["--out", str(tmp_path / "out"), "--store", str(tmp_path / "store")]
    command = [sys.executable, "-m", "rarefy.flows.cli", "watch", str(tmp_path / "corpus"), *where]
    environment = {name: value for name, value in os.environ.items() if name != "PREFECT_API_URL"}
    # as a shell starts what it puts into the background: Ctrl-C is not for it
    ignoring = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])"
    )
    command = [sys.executable, "-c", ignoring, *command]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    killer = threading.Timer(120, process.kill)
    killer.start()
    try:
        assert process.stderr is not None
        assert any("watching" in line for line in process.stderr)
        process.send_signal(signal.SIGTERM)
        rest = process.stderr.read()
        assert process.wait() == 130
        assert "interrupted" in rest and "Traceback" not in rest
    finally:
        killer.cancel()
        process.kill()
        process.wait()


def test_an_object_store_that_does_not_answer_for_a_while_ends_no_loop(scene, monkeypatch):
    """Its client's exceptions are of many kinds; a bug of ours is none of them."""

    class EndpointConnectionError(Exception):
        pass

    EndpointConnectionError.__module__ = "botocore.exceptions"
    real, failing = folder_watch.scan_documents, [EndpointConnectionError("Could not connect")]

    def flaky(*args):
        if failing:
            raise failing.pop()
        return real(*args)

    monkeypatch.setattr(folder_watch, "scan_documents", flaky)
    scene.write("a.txt", "a")
    scene.follow(*[nothing] * 3)
    assert any("cannot look: Could not connect" in line for line in scene.said)
    assert scene.saw == [["a.txt"]]
    monkeypatch.setattr(folder_watch, "scan_documents", lambda *args: {}[0])
    with pytest.raises(KeyError):
        follow(scene.follower, str(scene.corpus), FOLDER, 30, lambda seconds: None, moment=scene.moment)
