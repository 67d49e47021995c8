"""Rates, units and axes, out and back: the joints of a file and the exported camera, both
read by nothing of ours, make the pixels of the preview."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from aesop.export.export_files import write_export
from aesop.files.foreign_clip import METRES, Units
from aesop.files.motion_files import ReadOptions, read_motion
from aesop.scene.shot import Shot
from aesop.scene.skeleton import JOINT
from aesop.scene.source import UpAxis
from tests.export.test_file_world import SEEN, filmed
from tests.export.test_gltf import Read
from tests.files.foreign import DIALECTS, Foreign, write_foreign
from tests.files.makers import gait_clip

Usd = pytest.importorskip("pxr.Usd")
UsdGeom = pytest.importorskip("pxr.UsdGeom")
WIDTH_PX, HEIGHT_PX = 1920, 1080
Y_UP_FROM_Z_UP = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
# The promise of exports: half a pixel at 1080p.
PROMISED_PX = 0.5


@dataclass(frozen=True)
class Eyes:
    """An exported camera as somebody else reads it: turns look along −z with y up."""

    turns: np.ndarray
    places: np.ndarray
    tan_half_vertical: np.ndarray

    def pixels(self, points: np.ndarray, samples: list[int]) -> np.ndarray:
        apart = points - self.places[samples, None]
        x, y, z = np.moveaxis(apart @ self.turns[samples], -1, 0)
        down = self.tan_half_vertical[samples, None] * -z
        across = down * WIDTH_PX / HEIGHT_PX
        return np.stack([(1 + x / across) / 2 * WIDTH_PX, (1 - y / down) / 2 * HEIGHT_PX], axis=-1)


def bvh_places(path: Path) -> dict[str, np.ndarray]:
    """World places of every named joint of a BVH file, from its text."""
    header, block = path.read_text(encoding="utf-8").split("MOTION")
    numbers = np.loadtxt(block.strip().splitlines()[2:])
    names, parents, offsets, channels = [], [], [], []
    stack: list[int] = []
    words = iter(header.split()[1:])
    for word in words:
        if word in ("ROOT", "JOINT", "End"):
            names.append(next(words))
            parents.append(stack[-1] if stack else -1)
            channels.append([])
        elif word == "{":
            stack.append(len(names) - 1)
        elif word == "}":
            stack.pop()
        elif word == "OFFSET":
            offsets.append([float(next(words)) for _ in range(3)])
        elif word == "CHANNELS":
            channels[-1] = [next(words) for _ in range(int(next(words)))]
    turns, places, column = [], [], 0
    for parent, offset, kinds in zip(parents, offsets, channels, strict=True):
        values = dict(zip(kinds, numbers[:, column : column + len(kinds)].T, strict=True))
        column += len(kinds)
        moved = np.tile(np.array(offset), (len(numbers), 1))
        for axis, name in enumerate(("Xposition", "Yposition", "Zposition")):
            moved[:, axis] = values.get(name, moved[:, axis])
        order = "".join(kind[0] for kind in kinds if kind.endswith("rotation"))
        angles = [values[f"{axis}rotation"] for axis in order]
        turn = Rotation.identity(len(numbers))
        if order:
            turn = Rotation.from_euler(order, np.stack(angles, axis=-1), degrees=True)
        above = Rotation.identity(len(numbers)) if parent < 0 else turns[parent]
        base = np.zeros_like(moved) if parent < 0 else places[parent]
        turns.append(above * turn)
        places.append(base + above.apply(moved))
    return dict(zip(names, places, strict=True))


def from_csv(path: Path) -> Eyes:
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    table = {
        name: np.array([float(row[name]) for row in rows]) for name in rows[0] if name != "up_axis"
    }
    xyzw = np.stack([table[name] for name in ("qx", "qy", "qz", "qw")], axis=-1)
    places = np.stack([table[name] for name in "xyz"], axis=-1)
    lens = np.tan(np.deg2rad(table["fov_vertical_deg"]) / 2)
    return Eyes(Rotation.from_quat(xyzw).as_matrix(), places, lens)


def from_usda(path: Path) -> Eyes:
    stage = Usd.Stage.Open(str(path))
    (prim,) = [one for one in stage.Traverse() if one.IsA(UsdGeom.Camera)]
    camera, times = (
        UsdGeom.Camera(prim),
        np.arange(stage.GetStartTimeCode(), stage.GetEndTimeCode() + 1),
    )
    seen = [camera.GetCamera(Usd.TimeCode(time)) for time in times]
    matrices = np.array([np.array(one.transform) for one in seen])  # rows
    lens = np.array([one.verticalAperture / 2 / one.focalLength for one in seen])
    return Eyes(matrices[:, :3, :3].transpose(0, 2, 1), matrices[:, 3, :3], lens)


def from_chan(path: Path) -> Eyes:
    table = np.loadtxt(path)
    turns = Rotation.from_euler("zxy", table[:, [6, 4, 5]], degrees=True).as_matrix()
    return Eyes(turns, table[:, 1:4], np.tan(np.deg2rad(table[:, 7]) / 2))


def from_glb(path: Path) -> Eyes:
    read = Read(path)
    (node,) = [number for number, one in enumerate(read.file.nodes) if one.camera is not None]
    turn, place = read.track(node, "rotation"), read.track(node, "translation")
    assert turn is not None and place is not None
    fov = np.array(read.file.nodes[node].extras["fov_vertical_rad"])
    return Eyes(Rotation.from_quat(turn).as_matrix(), place.astype(float), np.tan(fov / 2))


READERS: dict[str, Callable[[Path], Eyes]] = {
    ".csv": from_csv,
    ".usda": from_usda,
    ".chan": from_chan,
    ".glb": from_glb,
}


def in_its_world(suffix: str, points: np.ndarray, units: Units, up: UpAxis) -> np.ndarray:
    """Points of the file as a program has them that read the file beside our export."""
    if suffix in (".chan", ".glb") and up == "z":
        points = points @ Y_UP_FROM_Z_UP.T
    return points * METRES[units] if suffix == ".glb" else points


@settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    units=st.sampled_from(("cm", "inch", "m", "mm")),
    up=st.sampled_from(("y", "z")),
    fps=st.sampled_from((24.0, 30.0, 60.0, 120.0)),
    written_fps=st.sampled_from((None, 24.0, 30.0, 60.0, 120.0)),
    size=st.sampled_from((0.83, 1.0, 1.19)),
)
def test_joints_of_the_file_are_seen_where_the_preview_has_them(
    units: Units, up: UpAxis, fps: float, written_fps: float | None, size: float, tmp_path: Path
):
    stretch = torch.full((22,), size, dtype=torch.float64)
    foreign = Foreign(metres=METRES[units], up=up, stretch=stretch)
    # A little over a second: all rates meet at 0 s and 1 s.
    path = write_foreign(tmp_path / "a.bvh", gait_clip(round(fps) + 7, fps), foreign)
    shot = filmed(read_motion(path, ReadOptions(units=units, up=up)))
    places = bvh_places(path)
    points = np.stack([places[DIALECTS["mixamo"][JOINT[name]]] for name in SEEN], axis=1)
    rate = fps if written_fps is None else written_fps
    # Instants that clip, file and export all have a frame for.
    seconds = [k / 25 for k in range(shot.frames) if _whole(k / 25 * fps) and _whole(k / 25 * rate)]
    assert len(seconds) >= 2
    ours = _preview_pixels(shot)[[round(time * 25) for time in seconds]]
    for suffix, read in READERS.items():
        export = tmp_path / f"a{suffix}"
        write_export(shot, export, fps=written_fps)
        eyes = read(export)
        theirs = in_its_world(suffix, points, units, up)[[round(time * fps) for time in seconds]]
        found = eyes.pixels(theirs, [round(time * rate) for time in seconds])
        apart = float(np.abs(found - ours).max())
        assert apart < PROMISED_PX, (suffix, apart)


def _whole(number: float) -> bool:
    return abs(number - round(number)) < 1e-9  # products of small whole numbers and 1/25


def _preview_pixels(shot: Shot) -> np.ndarray:
    ndc = shot.projection.ndc.double().numpy()[:, [JOINT[name] for name in SEEN]]
    return (ndc * (0.5, -0.5) + 0.5) * (WIDTH_PX, HEIGHT_PX)
