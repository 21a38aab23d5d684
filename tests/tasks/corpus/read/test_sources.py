from pathlib import Path

import pytest

from rarefy.tasks.corpus.read.sources import list_sources


def test_a_missing_corpus_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        list_sources(tmp_path / "nowhere")


def test_files_are_listed_in_the_order_of_their_paths_and_hidden_ones_are_not(tmp_path: Path) -> None:
    for name in ("b.txt", "a/z.md", "a/b/c.html", ".git/config", "a/.x.txt", "Thumbs.db"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    found = list_sources(tmp_path)
    assert [source.path for source in found] == ["a/b/c.html", "a/z.md", "b.txt"]
    assert [source.media_type for source in found] == ["text/html", "text/markdown", "text/plain"]


def test_loops_of_links_are_cut_and_a_folder_is_listed_under_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.txt").write_text("a")
    (tmp_path / "real" / "loop").symlink_to(tmp_path)
    (tmp_path / "alias").symlink_to(tmp_path / "real")
    assert [source.path for source in list_sources(tmp_path)] == ["real/a.txt"]


def test_the_version_depends_on_the_bytes_and_not_on_the_place(tmp_path: Path) -> None:
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text("the same")
    (one,), (two,) = list_sources(tmp_path / "here"), list_sources(tmp_path / "there")
    assert one == two and one.location != two.location
    (tmp_path / "there" / "a.txt").write_text("the Same")
    assert list_sources(tmp_path / "there")[0].digest != one.digest


def test_a_single_file_is_a_corpus_even_when_it_is_a_readme(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Text")
    (source,) = list_sources(tmp_path / "README.md")
    assert (source.path, source.media_type, source.alone) == ("README.md", "text/markdown", True)


def test_a_name_that_is_no_unicode_is_still_a_name(tmp_path: Path) -> None:
    with open(bytes(tmp_path) + b"/caf\xe9.txt", "w") as file:  # noqa: PTH123
        file.write("x")
    (source,) = list_sources(tmp_path)
    assert source.path.encode("utf-8") and Path(source.location).exists()
