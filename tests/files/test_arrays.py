"""NumPy files are opened without trusting them."""

import gzip
import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.core.errors import FileError
from aesop.files.arrays import MAX_ARRAY_BYTES, array_shape, open_archive, read_array
from aesop.files.motion_files import read_motion


@pytest.mark.parametrize("dtype", ["<f4", ">f8", "<f2", "<i4", ">u2"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_numbers_come_back_whatever_their_layout(tmp_path: Path, dtype: str, order: str) -> None:
    values = np.arange(7 * 5 * 3).reshape(7, 5, 3)
    stored = np.array(values, dtype=dtype, order=order)  # pyright: ignore[reportCallIssue, reportArgumentType]
    np.save(tmp_path / "a.npy", stored)
    np.savez_compressed(tmp_path / "a.npz", a=stored)
    expected = torch.from_numpy(values).double()
    assert torch.equal(read_array(tmp_path / "a.npy", (None, 5, 3)), expected)
    assert torch.equal(open_archive(tmp_path / "a.npz").numbers("a", (None, 5, 3)), expected)
    assert array_shape(tmp_path / "a.npy") == (7, 5, 3)
    assert open_archive(tmp_path / "a.npz").shape("a") == (7, 5, 3)


def test_one_number_is_read_from_a_scalar_and_from_an_array_of_one(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", scalar=np.array(120.5), single=np.array([59.94]))
    archive = open_archive(tmp_path / "a.npz")
    assert archive.number("scalar") == 120.5
    assert archive.number("single") == 59.94


def test_pickles_are_never_opened(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (Path.touch, (str(tmp_path / "sprung"),))

    objects = np.array([Trap(), Trap()], dtype=object)
    np.save(tmp_path / "a.npy", objects, allow_pickle=True)
    np.savez(tmp_path / "a.npz", a=objects, b=np.arange(5.0))
    with pytest.raises(FileError, match=r"a\.npy is pickled"):
        read_array(tmp_path / "a.npy", (None,))
    archive = open_archive(tmp_path / "a.npz")
    with pytest.raises(FileError, match=r"'a' in .*a\.npz is pickled"):
        archive.numbers("a", (None,))
    assert archive.numbers("b", (None,)).tolist() == [0, 1, 2, 3, 4]
    assert not (tmp_path / "sprung").exists()


def test_a_missing_array_is_named_and_the_others_are_listed(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", poses=np.zeros((5, 3)), betas=np.zeros(7))
    with pytest.raises(FileError, match=r"a\.npz has no array 'trans'; it has 'poses', 'betas'"):
        open_archive(tmp_path / "a.npz").numbers("trans", (None, 3))


def test_wrong_shapes_and_kinds_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", a=np.zeros((5, 3)), b=np.array(["x", "y"]), c=np.zeros(3, complex))
    archive = open_archive(tmp_path / "a.npz")
    with pytest.raises(FileError, match=r"\(5, 3\); \(frames, 7\) is needed"):
        archive.numbers("a", (None, 7))
    for name in "bc":
        with pytest.raises(FileError, match="not numbers"):
            archive.numbers(name, (None,))


def test_the_first_frame_that_is_not_finite_is_named(tmp_path: Path) -> None:
    values = np.zeros((11, 3))
    values[7, 1], values[9, 0] = np.inf, np.nan
    np.save(tmp_path / "a.npy", values)
    with pytest.raises(FileError, match=r"a\.npy.*not finite, first in frame 7"):
        read_array(tmp_path / "a.npy", (None, 3))
    np.savez(tmp_path / "a.npz", trans=values)
    with pytest.raises(FileError, match=r"'trans' in .*a\.npz.*not finite, first in frame 7"):
        open_archive(tmp_path / "a.npz").numbers("trans", (None, 3))


def _header(shape: tuple[int, ...]) -> bytes:
    stream = io.BytesIO()
    description = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, description)
    return stream.getvalue()


def test_absurd_claims_are_refused_before_memory_is_taken(tmp_path: Path) -> None:
    frames = MAX_ARRAY_BYTES // 24 + 1
    path = tmp_path / "a.npy"
    path.write_bytes(_header((frames, 3)))
    with pytest.raises(FileError, match=r"a\.npy has the shape .*MiB"):
        read_array(path, (None, 3))
    path.write_bytes(_header((1000, 3)) + bytes(240))
    with pytest.raises(FileError, match="ends after 240 of 24000 bytes"):
        read_array(path, (None, 3))
    path.write_bytes(_header((-5, 3)))
    with pytest.raises(FileError):
        read_array(path, (None, 3))


def test_a_zip_bomb_is_refused_by_its_description(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("poses.npy", "w", force_zip64=True) as stream,
    ):
        stream.write(_header((MAX_ARRAY_BYTES // 24 + 1, 3)))
        for _ in range(64):
            stream.write(bytes(2**20))
    assert path.stat().st_size < 2**17
    with pytest.raises(FileError, match="MiB"):
        open_archive(path).numbers("poses", (None, 3))


@pytest.mark.parametrize("content", [b"", b"PK", b"\x93NUMPY", b"not an array at all" * 9])
def test_other_files_are_refused_by_name(tmp_path: Path, content: bytes) -> None:
    for name in ("x.npy", "x.npz"):
        (tmp_path / name).write_bytes(content)
    with pytest.raises(FileError, match=r"x\.npy"):
        read_array(tmp_path / "x.npy", (None, 3))
    with pytest.raises(FileError, match=r"x\.npz"):
        open_archive(tmp_path / "x.npz")


def test_a_file_we_may_not_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.save(tmp_path / "a.npy", np.zeros((5, 3)))
    monkeypatch.setattr("aesop.files.importing.os.access", lambda *_: False)
    with pytest.raises(FileError, match=r"a\.npy cannot be opened: permission denied"):
        read_array(tmp_path / "a.npy", (None, 3))


def test_an_archive_without_arrays_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("readme.txt", "no arrays here")
    with pytest.raises(FileError, match=r"x\.npz holds no arrays"):
        open_archive(tmp_path / "x.npz")


def test_missing_files_and_folders_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"gone\.npy cannot be opened: no such file"):
        read_array(tmp_path / "gone.npy", (None, 3))
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(FileError, match=r"folder\.npz is not a file"):
        open_archive(tmp_path / "folder.npz")


@pytest.mark.parametrize("name", ["a.bvh", "a.glb", "a.fbx", "a.npy", "a.npz", "a.pt"])
@pytest.mark.parametrize(
    ("content", "fact"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:3\n", "pointer of Git LFS.*pull"),
        (b"\n<!DOCTYPE html><html>", "a web page.*Download the file itself"),
        (gzip.compress(b"HIERARCHY", mtime=0), "packed with gzip.*Unpack"),
        (b"PK\x03\x04" + bytes(40), "a zip archive.*Unpack"),
    ],
    ids=["pointer", "page", "gzip", "zip"],
)
def test_what_wraps_a_motion_is_told_from_it(
    tmp_path: Path, name: str, content: bytes, fact: str
) -> None:
    """Whatever it is called; only NumPy's and torch's archives are zip files themselves."""
    path = tmp_path / name
    path.write_bytes(content)
    is_usual = content.startswith(b"PK") and path.suffix in (".npz", ".pt")
    with pytest.raises(FileError, match="damaged" if is_usual else fact):
        read_motion(path)
