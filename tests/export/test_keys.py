"""Few Bézier keys: always within the bound, few where a curve is smooth, and the same curve in
every program that reads them."""

import itertools
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation

from aesop.cli.film_outputs import shot_targets, write_shot_files
from aesop.core.errors import FileError
from aesop.export.bezier_keys import (
    MOST_APART_DEGREES,
    MOST_APART_M,
    BezierKeys,
    euler_xyz_keys,
    fitted_keys,
    lens_keys,
    matrices_from_euler_xyz,
    matrices_from_quaternion_xyzw,
    place_keys,
    quaternion_xyzw_keys,
)
from aesop.export.delivery import Delivery
from aesop.export.export_files import write_export
from aesop.export.mannequin_mesh import world_from_gl_camera, y_up_from_world
from aesop.files.motion_files import read_motion
from aesop.scene.rotation import matrix_from_axis_angle
from tests.export.makers import FRAMES, moving_shot
from tests.export.test_blender import PYTHON
from tests.export.test_file_world import filmed, foreign_file
from tests.export.test_gltf import Read
from tests.tolerances import GEOMETRY32, SOLVED64

SHOT = moving_shot()


def degrees_apart(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Angles between turns, by the trace."""
    trace = np.einsum("fij,fij->f", first, second)
    return np.rad2deg(np.arccos(np.clip((trace - 1) / 2, -1, 1)))


def wandering(frames: int, roughness: float, seed: int) -> np.ndarray:
    """A smooth walk in three numbers, with as much trembling as asked for."""
    dice = np.random.default_rng(seed)
    time = np.linspace(0, 1, frames)[:, None]
    waves = sum(
        dice.normal(size=3) * np.sin(2 * np.pi * k * time + dice.uniform(0, 6, 3)) / k
        for k in range(1, 5)
    )
    return np.asarray(waves) + roughness * dice.normal(size=(frames, 3))


@pytest.mark.parametrize("frames", [1, 2, 3, 5, 101])
@pytest.mark.parametrize("roughness", [0.0, 0.002, 0.05])
def test_every_frame_is_within_a_centimetre_and_a_tenth_of_a_degree(frames: int, roughness: float):
    places = wandering(frames, roughness, seed=frames)
    fitted = place_keys(places)
    apart = np.linalg.norm(fitted.at(np.arange(frames)) - places, axis=-1)
    assert apart.max() <= MOST_APART_M
    assert fitted.frames[0] == 0 and fitted.frames[-1] == frames - 1
    turns = matrix_from_axis_angle(torch.from_numpy(wandering(frames, roughness, seed=7)))
    for keys, matrices in (
        (euler_xyz_keys(turns), matrices_from_euler_xyz),
        (quaternion_xyzw_keys(turns), matrices_from_quaternion_xyzw),
    ):
        found = matrices(keys.at(np.arange(frames)))
        # The arc cosine is off by the root of its argument's rounding.
        assert degrees_apart(found, turns.numpy()).max() <= MOST_APART_DEGREES + 1e-5


def test_a_cubic_has_two_keys_and_is_met_exactly():
    time = np.arange(61.0)[:, None] / 60
    cubic = np.concatenate([time**3 - time, 2 * time**2, 1 - 3 * time], axis=1)
    fitted = place_keys(cubic)
    assert fitted.frames.tolist() == [0, 60]
    assert np.abs(fitted.at(np.arange(61)) - cubic).max() < SOLVED64
    assert np.allclose(fitted.slopes[0], np.array([-1, 0, -3]) / 60, atol=SOLVED64)


def test_smooth_cameras_have_few_keys_and_no_key_is_idle():
    fitted = place_keys(SHOT.camera.centre.double().numpy())
    assert len(fitted.frames) <= FRAMES // 6
    places = wandering(151, 0, seed=3)
    keys = place_keys(places).frames.tolist()
    # Doubling the bound never needs more keys.
    wide = fitted_keys(places, lambda found: np.linalg.norm(found - places, axis=-1) / 0.04)
    assert len(wide.frames) < len(keys) < 40


def test_handles_at_a_third_make_the_same_curve():
    """What Blender draws: a Bézier curve in time and value, by de Casteljau."""
    keys = BezierKeys(np.array([2, 13]), np.array([[1.0], [4.0]]), np.array([[0.7], [-0.2]]))
    start, end = np.array([2, 1.0]), np.array([13, 4.0])
    points = [start, start + np.array([1, 0.7]) * 11 / 3, end - np.array([1, -0.2]) * 11 / 3, end]
    for share in np.linspace(0, 1, 7):
        level = points
        while len(level) > 1:
            level = [(1 - share) * a + share * b for a, b in itertools.pairwise(level)]
        frame, value = level[0]
        assert abs(keys.at(np.array([frame]))[0, 0] - value) < SOLVED64


def test_the_lens_is_judged_by_its_field_of_view():
    lengths = np.linspace(24, 70, 41)[:, None] + 0.05 * np.sin(np.arange(41))[:, None]

    def field(mm: np.ndarray) -> np.ndarray:
        return 2 * np.arctan(10 / mm[:, 0])

    keys = lens_keys(lengths, field)
    apart = np.rad2deg(np.abs(field(keys.at(np.arange(41))) - field(lengths)))
    assert apart.max() <= MOST_APART_DEGREES and len(keys.frames) < 10


def test_gltf_splines_are_within_the_bound_as_the_standard_evaluates_them(tmp_path: Path):
    write_export(SHOT, tmp_path / "a.glb", keys=True)
    read = Read(tmp_path / "a.glb")
    (node,) = [number for number, one in enumerate(read.file.nodes) if one.camera is not None]
    tracks = {
        channel.target.path: read.animation.samplers[channel.sampler]
        for channel in read.animation.channels
        if channel.target.node in (node, None)
    }
    assert {sampler.interpolation for sampler in tracks.values()} == {"CUBICSPLINE"}
    seconds = np.arange(FRAMES) / 25
    turn, camera = y_up_from_world(SHOT.camera.centre).numpy(), SHOT.camera
    places = spline(read, tracks["translation"], seconds)
    ours = camera.centre.numpy() @ turn.T
    assert np.linalg.norm(places - ours, axis=-1).max() <= MOST_APART_M + GEOMETRY32
    found = matrices_from_quaternion_xyzw(spline(read, tracks["rotation"], seconds))
    true = turn @ world_from_gl_camera(camera).numpy()
    # Single precision under an arc cosine.
    assert degrees_apart(found, true).max() <= MOST_APART_DEGREES + 0.01
    lens = spline(read, tracks["pointer"], seconds)[:, 0]
    fov = camera.fov_vertical.numpy()
    assert np.rad2deg(np.abs(lens - fov)).max() <= MOST_APART_DEGREES


def spline(read: Read, sampler: object, seconds: np.ndarray) -> np.ndarray:
    """glTF 2.0, appendix C: in-tangent, value, out-tangent per key; tangents per second."""
    times = read.array(getattr(sampler, "input"))[:, 0]  # noqa: B009 - no types in pygltflib
    output = read.array(getattr(sampler, "output")).astype(np.float64)  # noqa: B009
    before, value, after = output.reshape(len(times), 3, -1).transpose(1, 0, 2)
    piece = np.clip(np.searchsorted(times, seconds, side="right") - 1, 0, len(times) - 2)
    length = (times[piece + 1] - times[piece])[:, None]
    t = (seconds - times[piece])[:, None] / length
    return (
        (2 * t**3 - 3 * t**2 + 1) * value[piece]
        + length * (t**3 - 2 * t**2 + t) * after[piece]
        + (3 * t**2 - 2 * t**3) * value[piece + 1]
        + length * (t**3 - t**2) * before[piece + 1]
    )


@pytest.mark.parametrize("in_file", [False, True])
def test_keys_in_json_are_within_the_bound_of_the_frames_beside_them(in_file: bool, tmp_path: Path):
    """Read by scipy's Hermite splines, in the file's unit where there is a file."""
    shot, metres = SHOT, 1.0
    if in_file:
        shot, metres = filmed(read_motion(foreign_file(tmp_path, "cm", "y", 30.0, 1.13))), 0.01
    write_export(shot, tmp_path / "a.json", keys=True)
    write_export(shot, tmp_path / "plain.json")
    table, plain = (
        json.loads((tmp_path / name).read_text(encoding="utf-8"))
        for name in ("a.json", "plain.json")
    )
    keys = table.pop("keys")
    assert table == plain
    rows = table["frames"]

    def spline_of(name: str) -> tuple[np.ndarray, np.ndarray]:
        told = keys[name]
        curve = CubicHermiteSpline(told["frames"], told["values"], told["slopes_per_frame"])
        assert 2 <= len(told["frames"]) < len(rows)
        return curve([row["frame"] for row in rows]), np.array([row[name] for row in rows])

    found, true = spline_of("centre" if in_file else "centre_m")
    assert np.linalg.norm(found - true, axis=-1).max() * metres <= MOST_APART_M + GEOMETRY32
    found, true = (
        Rotation.from_quat(np.roll(quaternions, -1, axis=1))
        for quaternions in spline_of("quaternion_wxyz_gl")
    )
    apart = np.rad2deg((found.inv() * true).magnitude())
    assert apart.max() <= MOST_APART_DEGREES + 1e-6  # scipy's own rounding
    found, true = spline_of("fov_vertical_deg")
    assert np.abs(found[:, 0] - true).max() <= MOST_APART_DEGREES + SOLVED64


def test_what_becomes_of_keys_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    paths = [tmp_path / name for name in ("a.glb", "a.csv", "a.usda")]
    write_shot_files(SHOT, shot_targets(paths, 1, keys=True)[0], delivery=Delivery(keys=True))
    told = capsys.readouterr().err
    assert "no keys, but a value a frame: .csv, .usda" in told
    assert "a.glb: In Blender" in told and "Blender drops the tangents" in told
    write_shot_files(SHOT, paths[:1])
    assert "tangents" not in capsys.readouterr().err


def test_keys_are_refused_where_no_file_can_hold_them(tmp_path: Path):
    with pytest.raises(FileError, match=r"a\.csv cannot hold them.*\.py"):
        write_export(SHOT, tmp_path / "a.csv", keys=True)
    assert not (tmp_path / "a.csv").exists()


def test_the_command_gives_keys_to_the_files_that_can_hold_them(tmp_path: Path):
    paths = [tmp_path / name for name in ("a.py", "a.csv")]
    assert shot_targets(paths, 1, keys=True) == [paths]
    write_shot_files(SHOT, paths, delivery=Delivery(keys=True))
    write_export(SHOT, tmp_path / "b.py", keys=True)
    write_export(SHOT, tmp_path / "b.csv")
    for suffix in (".py", ".csv"):
        assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()
    with pytest.raises(FileError, match="--keys"):
        shot_targets(paths[1:], 1, keys=True)


@pytest.mark.skipif(PYTHON is None, reason="no Blender (bpy) for Python here")
def test_blender_draws_the_curves_within_the_bound(tmp_path: Path):
    path = tmp_path / "a.py"
    write_export(SHOT, path, keys=True)
    reader = Path(__file__).with_name("blender_reader.py")
    words = [str(PYTHON), str(reader), str(path), "1", *map(str, range(FRAMES))]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    (line,) = [one for one in done.stdout.splitlines() if one.startswith("SEEN ")] or [done.stderr]
    frames = json.loads(line.removeprefix("SEEN "))["frames"]
    matrices, camera = np.array([frame["matrix"] for frame in frames]), SHOT.camera
    apart = np.linalg.norm(matrices[:, :3, 3] - camera.centre.numpy(), axis=-1)
    assert apart.max() <= MOST_APART_M + GEOMETRY32
    true = world_from_gl_camera(camera).numpy()
    # Single precision under an arc cosine.
    assert degrees_apart(matrices[:, :3, :3], true).max() <= MOST_APART_DEGREES + 0.01
    half = np.array([frame["half_tangent"] for frame in frames])
    wide = np.arctan(camera.tan_half_fov.numpy()[:, 0])
    # The bound is on the vertical field of view; the horizontal one is 1.85 times as wide or less.
    assert np.rad2deg(2 * np.abs(np.arctan(half) - wide)).max() <= 1.85 * MOST_APART_DEGREES
