"""Whatever is done to documents, a refresh ends where a build of the final ones from nothing ends, to the byte."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from incremental import papers, reader
from incremental.refreshing import METHODS, Follower, files

from rarefy.flows.engine.run import Run
from rarefy.flows.faults import UsageFault

UNHURRIED = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
FEW = settings(max_examples=8, deadline=None, suppress_health_check=UNHURRIED)


@pytest.fixture(autouse=True)
def no_contracts(monkeypatch):
    """What holds of the tables is tested elsewhere, and takes most of the time of a build this small."""
    monkeypatch.setattr(Run, "hold", lambda run, stage, row_type, tables, judged=False: tables)


@pytest.mark.parametrize("method", METHODS)
@FEW
@given(edits=st.lists(st.lists(papers.steps, min_size=1, max_size=3), min_size=1, max_size=4))
def test_any_edits_end_byte_identical_to_a_fresh_build(method, edits):
    with TemporaryDirectory() as folder:
        follower = Follower(Path(folder), METHODS[method])
        papers.put(papers.START, follower.place / "corpus")
        follower.refresh()
        held, versions = [papers.START], [follower.journal()[-1].version]
        for some in edits:
            corpus = held[-1]
            for step in some:
                corpus = papers.done(corpus, step, held)
            held.append(corpus)
            papers.put(corpus, follower.place / "corpus")
            fault = went(follower)
            version = follower.journal()[-1].version
            versions += [version] if version != versions[-1] else []
            assert [entry.version for entry in follower.journal()] == versions
        assert [entry.number for entry in follower.journal()] == list(range(1, len(versions) + 1))
        assert [entry.parent for entry in follower.journal()] == ["", *versions[:-1]]
        before = follower.names()
        assert went(follower) == fault
        assert follower.names() == before and reader.asked == []
        assert went(follower, "fresh", "other store") == fault
        if not fault:
            assert files(follower.place / "out") == files(follower.place / "fresh")


def went(follower, *places):
    """Refresh, and tell why there is no benchmark of these documents; "" where there is one."""
    try:
        follower.refresh(*places)
    except UsageFault as fault:  # what the papers say may give no question at all
        return str(fault).partition("; what there is to look at lies in ")[0]
    return ""
