"""Arrays on disk: NumPy reads them, they cannot be written to, and damage is noticed."""

import errno
from pathlib import Path

import numpy as np
import pytest

from aesop.core.errors import StoreError
from aesop.data.table import ArrayWriter, disk_errors, map_array, write_array


def written(path: Path, values: np.ndarray) -> Path:
    writer = ArrayWriter(path, values.dtype.str, values.shape[1:])
    for block in (values[:2], values[2:2], values[2:]):
        writer.append(block)
    writer.close()
    return path


@pytest.mark.parametrize("shape", [(5, 3, 2), (7,), (0, 3)])
@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8"])
def test_arrays_are_plain_npy_files(tmp_path: Path, shape: tuple[int, ...], dtype: str):
    values = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    path = written(tmp_path / "a.npy", values)
    for read in (np.load(path, allow_pickle=False), map_array(path, dtype, shape[1:])):
        assert read.dtype == values.dtype
        np.testing.assert_array_equal(read, values)


def test_maps_are_views_and_read_only(tmp_path: Path):
    mapped = map_array(written(tmp_path / "a.npy", np.ones((5, 3), np.float32)), "float32", (3,))
    assert not mapped.flags.writeable and not mapped.flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        mapped[0] = 2.0
    assert np.shares_memory(mapped[1:4], mapped)


@pytest.mark.parametrize("cut", [1, 12, 61, 128, 187])
def test_a_file_cut_short_is_noticed(tmp_path: Path, cut: int):
    path = written(tmp_path / "a.npy", np.ones((5, 3), np.float32))
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(StoreError, match=r"a\.npy is not the complete array"):
        map_array(path, "float32", (3,))


@pytest.mark.parametrize(("dtype", "item"), [("int32", (3,)), ("float32", (5,)), ("uint8", ())])
def test_another_type_or_shape_is_noticed(tmp_path: Path, dtype: str, item: tuple[int, ...]):
    path = written(tmp_path / "a.npy", np.ones((5, 3), np.float32))
    with pytest.raises(StoreError, match="is not the complete array"):
        map_array(path, dtype, item)


def test_a_missing_file_is_named(tmp_path: Path):
    with pytest.raises(StoreError, match=r"nowhere\.npy cannot be used: No such file"):
        map_array(tmp_path / "nowhere.npy", "float32", ())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_says_so(tmp_path: Path):
    (tmp_path / "a.npy").symlink_to("/dev/full")
    with pytest.raises(StoreError, match=r"No space left.*Free some room"):
        write_array(tmp_path / "a.npy", np.ones((10007, 3)))


@pytest.mark.parametrize(
    ("code", "remedy"),
    [(errno.EDQUOT, "Free some room"), (errno.EROFS, "you may read and"), (errno.EIO, "Check")],
)
def test_every_refusal_has_its_remedy(code: int, remedy: str):
    with pytest.raises(StoreError, match=remedy), disk_errors(Path("a")):
        raise OSError(code, "refused")
