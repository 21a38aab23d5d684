"""What a stage's rows depend on besides rows and config: files by their bytes, packages by their version."""

import pytest

from rarefy.flows.engine import stages


def test_a_folder_is_its_files_and_their_names(tmp_path):
    (tmp_path / "a.txt").write_text("one")
    before = stages.current_digest(tmp_path)
    (tmp_path / "a.pyc").write_text("compiled: it says nothing new")
    assert stages.current_digest(tmp_path) == before
    (tmp_path / "a.txt").rename(tmp_path / "b.txt")
    assert stages.current_digest(tmp_path) != before
    assert stages.current_digest(tmp_path / "none") == ""


def test_a_part_is_the_file_of_its_module():
    assert stages.file_of("rarefy.flows.engine.stages:current_digest").name.endswith("stages.py")


@pytest.mark.parametrize("name", ["no_such_module_anywhere:part", "sys.none:part"])
def test_a_module_that_is_not_there_is_told_rather_than_taken_for_the_current_folder(name):
    with pytest.raises((ValueError, ModuleNotFoundError), match=name.partition(":")[0].partition(".")[0]):
        stages.file_of(name)


def test_a_package_that_is_not_installed_has_no_version():
    assert stages.version_of("pandas")
    assert stages.version_of("no-such-package-anywhere") == ""
