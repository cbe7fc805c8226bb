"""Writing a file: the old content or the new, its rights and its place kept, and no litter."""

import fcntl
import os
import stat
from pathlib import Path

import pytest

from tacit import atomic_file
from tacit.errors import InputError
from tests.fuzz.trials import run_module, trials


@pytest.fixture
def path(tmp_path):
    (tmp_path / "model").write_text("old")
    return tmp_path / "model"


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


def test_mode_and_symbolic_links_are_kept(path, tmp_path):
    path.chmod(0o640)
    (tmp_path / "there").mkdir()
    link = tmp_path / "there" / "latest"
    link.symlink_to("../model")
    atomic_file.write_text(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert names(tmp_path) == ["model", "there"]
    assert names(tmp_path / "there") == ["latest"]


def test_a_link_to_a_file_that_is_not_there_makes_it(tmp_path):
    (tmp_path / "link").symlink_to("file")
    atomic_file.write_text(tmp_path / "link", "new")
    assert (tmp_path / "file").read_text() == "new"
    assert (tmp_path / "link").is_symlink()


def test_what_is_no_file_is_refused(path, tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    for wrong, sentence in (
        (tmp_path / "loop", "loop of symbolic links"),
        (tmp_path, "is a folder"),
        (tmp_path / "pipe", "a device or a pipe"),
        ("/dev/null", "a device or a pipe"),
        (tmp_path / "nowhere" / "x", "does not exist; create it first"),
        (path / "x", "path"),
    ):
        with pytest.raises(InputError, match=sentence):
            atomic_file.write_text(wrong, "new")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)  # noqa: PTH116


def test_an_error_inside_leaves_the_old_file(path):
    with pytest.raises(KeyError), atomic_file.replacing(path) as temporary:
        temporary.write_text("half")
        raise KeyError
    assert path.read_text() == "old"
    assert names(path.parent) == ["model"]


def test_a_folder_that_vanishes_is_named(tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    gone = pytest.raises(InputError, match="could not be written: No such file")
    with gone, atomic_file.replacing(folder / "model") as temporary:
        temporary.unlink()
        folder.rmdir()


@pytest.mark.parametrize("call", ["fsync", "fchmod"])
def test_a_disk_that_fails_late_leaves_the_old_file(path, monkeypatch, call):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(InputError, match="No space left"):
        atomic_file.write_text(path, "new")
    assert path.read_text() == "old"
    assert names(path.parent) == ["model"]


def test_file_and_folder_reach_the_disk_in_this_order(path, monkeypatch):
    done = []
    sync, rename = os.fsync, os.replace

    def note(handle):
        done.append(str(Path(f"/proc/self/fd/{handle}").readlink()))
        sync(handle)

    monkeypatch.setattr(os, "fsync", note)
    monkeypatch.setattr(os, "replace", lambda *names: done.append("rename") or rename(*names))
    atomic_file.write_text(path, "new")
    assert done[0].endswith(".part")
    assert done[1:] == ["rename", str(path.parent)]


def test_stale_files_go_and_those_of_living_writers_stay(path):
    stale, alive, other = (path.parent / f".{name}.part" for name in ("model.abc", "model.def", "another.abc"))
    for one in (stale, alive, other):
        one.touch()
    with alive.open("rb+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        atomic_file.write_text(path, "new")
        assert names(path.parent) == [".another.abc.part", ".model.def.part", "model"]
    atomic_file.write_text(path, "newer")
    assert names(path.parent) == [".another.abc.part", "model"]


def test_two_writers_of_one_name_do_not_disturb_each_other(path):
    with atomic_file.replacing(path) as first:
        first.write_text("first")
        with atomic_file.replacing(path) as second:
            second.write_text("second")
        assert path.read_text() == "second"
    assert path.read_text() == "first"
    assert names(path.parent) == ["model"]


def test_names_as_long_as_the_system_allows(tmp_path):
    for name in ("x" * 255, "ü" * 127):
        atomic_file.write_text(tmp_path / name, "new")
        assert (tmp_path / name).read_text() == "new"
    assert len(names(tmp_path)) == 2


def test_saves_that_are_killed_or_run_out_of_room_leave_a_good_file():
    run_module("tests.fuzz.saving", "kills", trials(10))
    run_module("tests.fuzz.saving", "full", trials(10))
