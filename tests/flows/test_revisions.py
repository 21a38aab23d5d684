"""Real filings that change under one name: what the diff says, and what a model is shown of it again."""

import shutil
from collections import Counter

import pytest
from incremental import filings, reader
from incremental.refreshing import NO_VARIANTS, READER, Follower

from rarefy.flows.config import Config
from rarefy.flows.engine.run import Run
from rarefy.tasks.sample import CORPUS

SIZES = (5, 1)  # chunks of a window: as RARE has it, and each alone
YEARS = {"apple": ("aapl-fy2024.html", "aapl-fy2025.html"), "nvidia": ("nvda-fy2023.html", "nvda-fy2024.html")}


def config(size):
    methods = {"methods": ["cover", "tables", "model"], "model": {"window": size}}
    return Config.model_validate({"llm": READER, "extract": methods} | NO_VARIANTS)


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """Of each size of windows a benchmark of one filing, and every chunk that the model was shown for it."""
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            Run, "hold", lambda run, stage, row_type, tables, judged=False: tables
        )  # contracts are tested elsewhere
        for size in SIZES:
            follower = Follower(tmp_path_factory.mktemp(f"by{size}"), config(size))
            filings.put(sample("aapl-fy2024.html"), follower.place / "corpus" / "apple.html")
            follower.refresh()
            found[size] = follower.place, reader.windows()
        yield found


@pytest.fixture(params=SIZES)
def follower(request, known, tmp_path):
    """A copy of that benchmark, to go on with, and what the model was shown for it."""
    place, seen = known[request.param]
    copy = Follower(shutil.copytree(place, tmp_path / "copy"), config(request.param))
    shutil.rmtree(copy.place / "store" / "versions")  # those of another folder
    copy.refresh()
    assert reader.asked == []
    return copy, seen


def sample(name):
    return (CORPUS / name).read_text(encoding="utf-8")


def told(changes, kind):
    rows = [row for row in changes.rows if row.kind == kind]
    return [(row.change, row.section.split(" > ")[-1], row.before, row.after) for row in rows]


def test_the_diff_of_a_filing_edited_by_hand_says_just_what_was_edited(follower):
    follower, _ = follower
    filings.put(filings.edited(sample("aapl-fy2024.html")), follower.place / "corpus" / "apple.html")
    changes = follower.refresh().changes
    added, deleted = told(changes, "sections")
    assert added[:2] == ("added", "Human Capital") and all(words in added[3] for words in filings.ADDED[1:2])
    assert deleted[:2] == ("deleted", "Competition")
    edited, moved = told(changes, "paragraphs")
    assert edited[0] == "edited" and edited[2].replace(*filings.RESTATED) == edited[3] != edited[2]
    assert moved[0] == "moved" and moved[1] == "Note 2 – Revenue" and moved[2] == moved[3]
    assert moved[2].startswith(filings.MOVED)
    restated = [row for row in changes.rows if row.change in ("restated", "answer_changed")]
    assert {(row.kind, row.before, row.after) for row in restated} == {
        ("triplets", *filings.RESTATED),
        ("questions", *filings.RESTATED),
        ("questions", "3.1%", "4.0%"),  # from fiscal year 2022, which was not restated
    }
    counts = changes.counts
    assert counts["chunks_added"] == counts["chunks_removed"] == 3
    # how many absences are asked follows from how many other questions there are
    asked = [row for row in changes.rows if row.kind == "questions" and row.change in ("added", "retired")]
    assert {row.after or row.before for row in asked} <= {"not stated in the documents"} and len(asked) <= 4
    assert not {name for name in counts if name.startswith("triplets_")} - {
        "triplets_unchanged", "triplets_moved", "triplets_restated",
    }  # fmt: skip


def test_only_touched_chunks_are_shown_to_the_model_again(follower):
    follower, seen = follower
    filings.put(filings.edited(sample("aapl-fy2024.html")), follower.place / "corpus" / "apple.html")
    follower.refresh()
    shown(reader.windows(), seen, follower, touched=3)  # the figure's, the paragraph's, and the sections', side by side


@pytest.mark.parametrize("company", YEARS)
def test_next_years_filing_in_place_of_this_years_shows_only_what_is_new(company, tmp_path, monkeypatch):
    monkeypatch.setattr(Run, "hold", lambda run, stage, row_type, tables, judged=False: tables)
    follower = Follower(tmp_path, config(1))
    before, after = YEARS[company]
    filings.put(sample(before), tmp_path / "corpus" / "filing.html")
    follower.refresh()
    seen = reader.windows()
    filings.put(sample(after), tmp_path / "corpus" / "filing.html")
    found = follower.refresh()
    assert [entry.number for entry in follower.journal()] == [1, 2]
    assert [row[0] for row in told(found.changes, "documents")] == ["edited"]
    new = found.changes.counts["chunks_added"]
    shown(reader.windows(), seen, follower, touched=new)


def test_a_second_refresh_asks_nothing_and_makes_nothing(follower):
    follower, _ = follower
    before = follower.names()
    found = follower.refresh()
    assert (found.status, reader.asked, follower.names()) == ("unchanged", [], before)


def test_another_name_of_the_file_asks_nothing(follower):
    follower, _ = follower
    (follower.place / "corpus" / "apple.html").rename(follower.place / "corpus" / "Apple 2024.html")
    found = follower.refresh()
    assert reader.asked == []
    assert [row[0] for row in told(found.changes, "documents")] == ["renamed"]


def test_a_filing_put_back_asks_nothing_and_is_the_version_that_it_was(follower):
    follower, _ = follower
    file = follower.place / "corpus" / "apple.html"
    (first,) = follower.journal()
    filings.put(filings.edited(sample("aapl-fy2024.html")), file)
    follower.refresh()
    filings.put(sample("aapl-fy2024.html"), file)
    found = follower.refresh()
    assert reader.asked == []
    assert [entry.number for entry in follower.journal()] == [1, 2, 3]
    assert found.version.version == first.version


def shown(windows, seen, follower, touched):
    """All that is new is shown: alone, or with its neighbours, and now and then a cut beside it moved."""
    known = Counter(text for window in seen for text in window)
    new = [[text for text in window if text not in known] for window in windows]
    assert sum(map(len, new)) == touched
    assert len(windows) <= touched
    if follower.config.extract.model.window == 1:
        assert sum(map(len, windows)) == touched, "an unchanged chunk was shown again"
