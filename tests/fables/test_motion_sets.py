"""Sets of takes beside CMU's: their table, splits, cycles, and users' own."""

from pathlib import Path

import numpy as np
import pytest

from aesop.core.errors import FileError
from aesop.fables.motion_sets import (
    COLUMNS,
    MOTION_SETS,
    cycles_of,
    import_set,
    motion_set,
    parse_set_takes,
    read_set_takes,
    split_of_take,
)
from aesop.fables.synthetic import synthetic_motion
from aesop.files.bvh_clip import CalibrationFrame, read_bvh_clip, write_bvh
from tests.tolerances import GEOMETRY32

ROW = "mine\thop\tme\t4.0\tno\tno\thops\tone\ttwo\tthree"


def walk(path: Path, frames: int = 101) -> Path:
    write_bvh(synthetic_motion("walk", frames, np.random.default_rng(3)).clip, path)
    return path


def test_every_take_is_there_once_and_every_set_has_a_licence():
    takes = read_set_takes()
    assert len({take.id for take in takes}) == len(takes) == 2058 + 112 + 313 + 69
    assert {take.set_name for take in takes} == set(MOTION_SETS)
    assert all(motion_set.licence for motion_set in MOTION_SETS.values())


def test_no_performer_is_in_two_splits():
    splits: dict[str, set[str]] = {}
    for take in read_set_takes():
        splits.setdefault(take.performer, set()).add(split_of_take(take))
    assert {len(some) for some in splits.values()} == {1}
    assert {"train", "validation", "test"} == set().union(*splits.values())


def test_only_short_cycles_are_repeated():
    for take in read_set_takes():
        times = cycles_of(take)
        assert times == 1 or take.is_cycle
        if take.is_cycle:
            assert times * take.take.seconds >= 2.0 > (times - 1) * take.take.seconds


def test_a_table_of_ones_own_is_read_and_a_wrong_one_refused(tmp_path: Path):
    header = "\t".join(COLUMNS)
    (take,) = parse_set_takes(f"{header}\n{ROW}\n", "own.tsv")
    assert take.id == "mine/hop" and take.take.captions == ("one", "two", "three")
    walk(tmp_path / "hop.bvh")
    (imported,) = import_set(motion_set("mine"), [take], tmp_path, tmp_path / "cache")
    assert imported.fault is None and imported.clip().name == "hop"
    for table in ("a\tb\n", f"{header}\nmine\thop\n", f"{header}\n{ROW.replace('4.0', 'long')}\n"):
        with pytest.raises(FileError, match=r"own\.tsv"):
            parse_set_takes(table, "own.tsv")


def test_a_cycle_goes_on_where_it_ended(tmp_path: Path):
    path = walk(tmp_path / "walk.bvh", 51)
    once, thrice = (read_bvh_clip(path, cycles=times).motion for times in (1, 3))
    assert thrice.frames == 3 * (once.frames - 1) + 1
    travel = once.root[-1, :2] - once.root[0, :2]
    gone = thrice.root[-1, :2] - thrice.root[0, :2]
    assert float((gone - 3 * travel).abs().max()) < GEOMETRY32


def test_a_frame_of_another_file_calibrates_and_must_fit(tmp_path: Path):
    path, other = walk(tmp_path / "walk.bvh"), walk(tmp_path / "other.bvh", 53)
    clip = read_bvh_clip(path, calibration=CalibrationFrame(other, 0))
    assert "frame 0 of other.bvh" in " ".join(clip.provenance.notes)
    own = read_bvh_clip(path, calibration=CalibrationFrame(path, 0))
    # Both files begin in one pose, so they calibrate alike.
    assert float((clip.motion.joints - own.motion.joints).abs().max()) < 0.02
    with pytest.raises(FileError, match="no frame 53"):
        read_bvh_clip(path, calibration=CalibrationFrame(other, 53))
