from pathlib import Path
from random import Random

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.read import ReadConfig, read_corpus
from rarefy.tasks.corpus.read.duplicates import DuplicatesConfig, flag_duplicates

CONFIG = DuplicatesConfig()


def text_of(seed: int, words: int = 2000) -> list[str]:
    random = Random(seed)
    return [f"word{random.randrange(3000)}" for _ in range(words)]


def changed(words: list[str], every: int) -> str:
    return " ".join("new" + word if n % every == 0 else word for n, word in enumerate(words))


def test_equal_and_nearly_equal_documents_are_flagged_and_others_are_not() -> None:
    base = text_of(1)
    documents = [
        ("c-same", " ".join(base).upper() + " \n", ""),
        ("b-near", changed(base, 400), ""),  # 5 of 2000 words: 25 shingles of each, Jaccard 0.975
        ("a-first", " ".join(base), ""),
        ("d-half", changed(base, 20), ""),  # a quarter of the shingles changed on either side, Jaccard 0.6
        ("e-other", " ".join(text_of(2)), ""),
    ]
    flagged = flag_duplicates(documents, CONFIG)
    assert flagged["c-same"] == ("a-first", 1.0)
    assert flagged["b-near"][0] == "a-first" and 0.9 <= flagged["b-near"][1] < 1
    assert set(flagged) == {"b-near", "c-same"}
    assert flag_duplicates(reversed(documents), CONFIG) == flagged


def test_reports_on_two_periods_repeat_each_other_only_when_as_good_as_equal() -> None:
    base = text_of(3)
    near, nearest = changed(base, 150), changed(base, 1999)
    documents = [("a", " ".join(base), "2023-12-31"), ("b", near, "2024-12-31"), ("c", nearest, "2025-12-31")]
    assert set(flag_duplicates(documents, CONFIG)) == {"c"}
    assert set(flag_duplicates([(name, text, "2023-12-31") for name, text, _ in documents], CONFIG)) == {"b", "c"}


def test_of_two_that_are_nearly_the_same_the_earlier_place_is_the_original_and_of_equal_ones_the_smaller_name() -> None:
    base = text_of(5)
    near = changed(base, 400)
    documents = [("a", " ".join(base), ""), ("b", near, ""), ("c", near, "")]
    places = {"a": 2, "b": 1, "c": 0}
    flagged = flag_duplicates(documents, CONFIG, places)
    assert flagged["a"][0] == "b" and flagged["c"] == ("b", 1.0) and "b" not in flagged
    assert flag_duplicates(reversed(documents), CONFIG, places) == flagged


def test_what_is_repeated_repeats_nothing_itself() -> None:
    base = text_of(4)
    near = changed(base, 400)
    flagged = flag_duplicates([("a", " ".join(base), ""), ("b", near, ""), ("c", near, "")], CONFIG)
    assert {original for original, _ in flagged.values()} == {"a"} and flagged["b"] == flagged["c"]


def test_short_and_empty_documents_do_no_harm() -> None:
    assert flag_duplicates([("a", "", ""), ("b", "one two", ""), ("c", "one two", ""), ("d", "three", "")], CONFIG) == {
        "c": ("b", 1.0)
    }


def test_two_fiscal_years_of_a_company_are_two_documents(sample: Path) -> None:
    rows = [row for row in read_corpus(sample, ReadConfig()) if isinstance(row, Document)]
    assert flag_duplicates(((row.doc_id, row.text, "") for row in rows), CONFIG) == {}


def test_minutes_filed_under_several_dates_are_found(shared: Path) -> None:
    folder = shared / "corpora/economics/fomc-minutes"
    rows = [row for file in sorted(folder.glob("*=2001-0[34]*")) for row in read_corpus(file, ReadConfig())]
    flagged = flag_duplicates(((r.doc_id, r.text, r.period_end) for r in rows if isinstance(r, Document)), CONFIG)
    assert [similarity for _, similarity in flagged.values()] == [1.0, 1.0]
    assert len({original for original, _ in flagged.values()}) == 1
