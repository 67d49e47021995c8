"""Damaged files end in a valid clip or in an error that names the file; in nothing else."""

import io
import json
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

from aesop.core.errors import AesopError
from aesop.files.motion_files import read_motion
from aesop.files.shot_file import read_shot
from tests.files.samples import write_samples

ARCHIVES = ("amass", "smplx", "hymotion", "kimodo")
ARRAYS = ("joints", "features")
OURS = ("clip", "shot")
ALL = (*ARCHIVES, *ARRAYS, *OURS, "bvh")

ODD_NUMBERS = (
    "nan", "inf", "-inf", "1e308", "-1e30", "0", "-1", "1e-300", "99999999999", "x", "", "1,5",
)  # fmt: skip


def thorough(examples: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The same examples on every machine; ten seconds for one file would be a hang."""
    return settings(
        max_examples=examples,
        deadline=timedelta(seconds=10),
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )


class Samples:
    """The bytes of one valid file of each kind, and a folder to damage them in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        paths = write_samples(folder, frames=7)
        self.names = {kind: path.name for kind, path in paths.items()}
        self.contents = {kind: path.read_bytes() for kind, path in paths.items()}
        for path in folder.iterdir():  # the skeleton beside a motion among them
            path.unlink()

    def check(self, kind: str, data: bytes) -> None:
        """The law of this file."""
        path = self.folder / self.names[kind]
        path.write_bytes(data)
        try:
            clip = read_motion(path)
            if kind == "shot":
                read_shot(path)
        except AesopError as problem:
            assert path.name in str(problem) and problem.remedy
        else:
            motion = clip.motion
            assert motion.frames >= 2 and 1 <= clip.fps <= 1000
            assert motion.joints.shape == (motion.frames, 22, 3)
            assert motion.rotations.shape == (motion.frames, 22, 3, 3)
            assert bool(torch.isfinite(motion.joints).all())
            assert bool(torch.isfinite(motion.rotations).all())
        finally:
            assert list(self.folder.iterdir()) == [path]
            path.unlink()

    def arrays(self, kind: str) -> dict[str, np.ndarray]:
        loaded = np.load(io.BytesIO(self.contents[kind]), allow_pickle=False)
        return {"": loaded} if kind in ARRAYS else dict(loaded)

    def check_arrays(self, kind: str, arrays: dict[str, np.ndarray]) -> None:
        stream = io.BytesIO()
        if kind in ARRAYS:
            np.save(stream, arrays[""], allow_pickle=True)
        else:
            np.savez(stream, **arrays)  # pyright: ignore[reportArgumentType]
        self.check(kind, stream.getvalue())


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Samples:
    return Samples(tmp_path_factory.mktemp("fuzz"))


@pytest.mark.parametrize("kind", ALL)
def test_the_undamaged_file_is_read(samples: Samples, kind: str) -> None:
    path = samples.folder / samples.names[kind]
    path.write_bytes(samples.contents[kind])
    assert read_motion(path).frames >= 2
    path.unlink()


@pytest.mark.parametrize("kind", ALL)
@given(share=st.floats(0, 1))
@thorough(10)
def test_cut_off_anywhere(samples: Samples, kind: str, share: float) -> None:
    data = samples.contents[kind]
    samples.check(kind, data[: int(share * len(data))])


# Where a flipped byte hurts most: the descriptions at the start and, for archives, at the end.
places = st.one_of(
    st.integers(0, 600), st.integers(-600, -1), st.floats(0, 1).map(lambda share: share)
)


@pytest.mark.parametrize("kind", ALL)
@given(edits=st.lists(st.tuples(places, st.binary(min_size=0, max_size=4)), min_size=1, max_size=4))
@thorough(20)
def test_bytes_replaced_or_inserted(
    samples: Samples, kind: str, edits: list[tuple[int | float, bytes]]
) -> None:
    data = bytearray(samples.contents[kind])
    for place, new in edits:
        at = int(place * len(data)) if isinstance(place, float) else place % len(data)
        if len(new) % 2:
            data[at : at + len(new)] = new
        else:
            data[at:at] = new
    samples.check(kind, bytes(data))


@pytest.mark.parametrize("kind", ALL)
@given(data=st.binary(max_size=300), keep=st.sampled_from([0, 0, 6, 10, 80]))
@thorough(10)
def test_noise_after_an_honest_beginning(
    samples: Samples, kind: str, data: bytes, keep: int
) -> None:
    samples.check(kind, samples.contents[kind][:keep] + data)


@st.composite
def damaged_arrays(
    draw: st.DrawFn,
) -> Callable[[dict[str, np.ndarray]], dict[str, np.ndarray]]:
    """One way to spoil one array of a file."""
    choice = draw(st.integers(0, 99))
    place = draw(st.floats(0, 0.999))
    value = draw(st.sampled_from([np.nan, np.inf, -np.inf, 1e308, -1e38, 1e12, 0.0, 1e-320]))
    kind = draw(st.sampled_from(["number", "row", "all", "drop", "shape", "cast", "object", "cut"]))
    dtype = draw(st.sampled_from(["f2", "i8", "u1", "c16", "U5", "bool", "M8[s]", "V3", "S4"]))
    columns = draw(st.integers(0, 5))

    def damage(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        spoiled = dict(arrays)
        name = sorted(spoiled)[choice % len(spoiled)]
        spoiled[name] = _damaged(spoiled[name], kind, place, value, dtype, columns)
        if kind == "drop" and name:
            del spoiled[name]
        return spoiled

    return damage


def _damaged(
    array: np.ndarray, kind: str, place: float, value: float, dtype: str, columns: int
) -> np.ndarray:
    numeric = array.dtype.kind == "f"
    with np.errstate(all="ignore"):
        match kind:
            case "number" if numeric:
                array = array.copy()
                array.reshape(-1)[int(place * array.size)] = value
            case "row" if numeric and array.ndim:
                array = array.copy()
                array[int(place * len(array))] = value
            case "all" if numeric:
                array = np.full_like(array, value)
            case "shape":
                array = np.zeros(array.shape[1:]) if columns % 2 else array[None]
            case "cast" if numeric:
                array = np.zeros(array.shape, dtype) if columns % 2 else array.astype("f2")
            case "object":
                array = np.array([{"a": 1}] * 3, dtype=object)
            case "cut" if array.ndim:
                array = array[:columns]
            case _:
                pass
    return array


@pytest.mark.parametrize("kind", [*ARCHIVES, *ARRAYS])
@given(damage=damaged_arrays())
@thorough(25)
def test_numbers_shapes_and_keys_spoiled(
    samples: Samples,
    kind: str,
    damage: Callable[[dict[str, np.ndarray]], dict[str, np.ndarray]],
) -> None:
    samples.check_arrays(kind, damage(samples.arrays(kind)))


@given(
    edits=st.lists(
        st.tuples(st.floats(0, 0.999), st.sampled_from(ODD_NUMBERS)), min_size=1, max_size=3
    )
)
@thorough(35)
def test_numbers_of_a_bvh_replaced(samples: Samples, edits: list[tuple[float, str]]) -> None:
    text = samples.contents["bvh"].decode()
    for share, word in edits:
        numbers = list(re.finditer(r"-?\d+(\.\d+)?(e-?\d+)?", text))
        # Half of the edits go to the hierarchy and the two lines of the header, few as they are.
        early = [n for n in numbers if n.start() < text.index("Frame Time") + 30]
        pool = early if len(word) % 2 else numbers
        chosen = pool[int(share * len(pool))]
        text = text[: chosen.start()] + word + text[chosen.end() :]
    samples.check("bvh", text.encode())


@given(
    edits=st.lists(
        st.tuples(st.floats(0, 0.999), st.sampled_from(["drop", "double", "swap", "join"])),
        min_size=1,
        max_size=3,
    )
)
@thorough(35)
def test_lines_of_a_bvh_lost_or_doubled(samples: Samples, edits: list[tuple[float, str]]) -> None:
    lines = samples.contents["bvh"].decode().splitlines(keepends=True)
    for share, what in edits:
        at = int(share * (len(lines) - 1))
        match what:
            case "drop":
                del lines[at]
            case "double":
                lines.insert(at, lines[at])
            case "swap":
                lines[at], lines[at + 1] = lines[at + 1], lines[at]
            case _:
                lines[at] = lines[at].rstrip("\n")
    samples.check("bvh", "".join(lines).encode())


@pytest.mark.parametrize("kind", OURS)
@given(damage=damaged_arrays(), entry=st.integers(0, 99), word=st.sampled_from(ODD_NUMBERS))
@thorough(25)
def test_entries_and_tensors_of_our_own_files_spoiled(
    samples: Samples,
    kind: str,
    damage: Callable[[dict[str, np.ndarray]], dict[str, np.ndarray]],
    entry: int,
    word: str,
) -> None:
    data = samples.contents[kind]
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    entries: dict[str, str] = header["__metadata__"]
    names = sorted(entries)
    if entry % 2:
        entries[names[entry % len(names)]] = word
    arrays = {name: tensor.numpy() for name, tensor in load_tensors(data).items()}
    tensors = {
        name: torch.from_numpy(np.ascontiguousarray(array))
        for name, array in damage(arrays).items()
        if array.dtype.kind in "fiub" and array.dtype.str[1:] != "u8"
    }
    samples.check(kind, save_tensors(tensors, entries))
