"""What the card says about headings, the Director obeys."""

from pathlib import Path

import torch
from pytest import MonkeyPatch

from aesop.director import long_motion
from aesop.director.sampling import encode_people
from aesop.models.weights import Yaw, flat_name, read_card
from aesop.scene.human import HumanMotion, turned
from aesop.scene.shot import Placement, place_camera
from tests.director.makers import PUSH_IN, director_of, save_cast, walking
from tests.director.test_laws import apart
from tests.tolerances import FILMED32, GEOMETRY32

QUARTER = torch.tensor(1.3)


def filmed_both_ways(folder: Path, yaw: Yaw, monkeypatch: MonkeyPatch) -> tuple[float, list[float]]:
    """How far the camera of a turned person is from the turned camera, and the headings that the
    networks met."""
    save_cast(folder, yaw=yaw)
    director, met = director_of(folder), list[float]()

    def spy(parts: object, motions: list[HumanMotion]) -> object:
        met.extend(float(motion.yaw[0]) for motion in motions)
        return encode_people(parts, motions)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(long_motion, "encode_people", spy)
    clip = walking(37)
    turn = type(clip)(turned(clip.motion, QUARTER), clip.fps, clip.name, clip.provenance)
    first, second = (director.film(it, PUSH_IN, seed=3, finish="as-sampled") for it in (clip, turn))
    placed = place_camera(first.camera, Placement(QUARTER, torch.zeros(3)))
    return apart(placed, second.camera), met


def test_people_are_turned_to_face_one_way_unless_the_weights_say_otherwise(
    tmp_path: Path, monkeypatch: MonkeyPatch
):
    for name in ("canonical", "kept"):
        (tmp_path / name).mkdir()
    away, met = filmed_both_ways(tmp_path / "canonical", "canonical", monkeypatch)
    assert away < FILMED32 and max(map(abs, met)) < GEOMETRY32
    away, met = filmed_both_ways(tmp_path / "kept", "kept", monkeypatch)
    assert abs(met[-1] - met[0]) > 1.2 and away > 0.01  # another heading is another request


def test_cards_without_the_field_are_canonical_and_are_written_as_before(tmp_path: Path):
    save_cast(tmp_path)
    path = tmp_path / flat_name("human-codec")
    assert read_card(path).yaw == "canonical" and b'"yaw"' not in path.read_bytes()[:4000]
    save_cast(tmp_path, yaw="kept")
    assert read_card(path).yaw == "kept" and b'\\"yaw\\"' in path.read_bytes()[:4000]
