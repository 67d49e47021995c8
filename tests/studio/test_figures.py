"""The file's own skeleton and mesh on the stage: where our joints are, in parts of motions too."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aesop.export.gltf import write_glb
from tests.director.makers import walking
from tests.server.running import Client
from tests.studio.visiting import Visitor
from tests.tolerances import GEOMETRY32

Arrays = dict[str, np.ndarray]


def arrays_of(client: Client, motion: str, name: str) -> tuple[dict[str, Any], Arrays]:
    return Visitor(client, motion).arrays(f"/studio/motions/{motion}/{name}")


def test_the_bones_of_a_file_with_our_skeleton_are_our_joints(visitor: Visitor):
    facts, joints = arrays_of(visitor.client, visitor.motion, "joints")
    told, figure = arrays_of(visitor.client, visitor.motion, "figure")
    assert facts["own"] == "bones" and told["frames"] == facts["frames"]
    named = [told["names"].index(name) for name in ("pelvis", "head", "left_wrist")]
    ours = joints["joints"][:, [0, 15, 20]]
    # BVH has six digits of a centimetre; angles in degrees likewise, a body's length away.
    assert np.abs(figure["places"][:, named] - ours).max() < 100 * GEOMETRY32
    sticks = {tuple(pair) for pair in figure["sticks"].tolist()}
    hips, knee = told["names"].index("left_hip"), told["names"].index("left_knee")
    assert (hips, knee) in sticks and "points" not in figure


def test_a_part_has_the_skeleton_of_its_file(visitor: Visitor):
    client = visitor.client
    part = client.post(
        f"/studio/motions/{visitor.motion}/cut", {"start_s": 0.44, "stop_s": 1.64}
    ).json["id"]
    _, whole = arrays_of(client, visitor.motion, "figure")
    _, cut = arrays_of(client, part, "figure")
    assert len(cut["places"]) == 30
    apart = cut["places"] - whole["places"][11:41]
    # A part is set on the floor of its own.
    assert np.abs(apart - apart[0, 0]).max() < 100 * GEOMETRY32


@pytest.fixture
def character(client: Client, tmp_path: Path) -> str:
    write_glb(walking(53), tmp_path / "walk.glb")
    return client.upload((tmp_path / "walk.glb").read_bytes(), "walk.glb").json["id"]


def test_a_mesh_is_carried_to_where_the_person_is(client: Client, character: str):
    facts, joints = arrays_of(client, character, "joints")
    told, figure = arrays_of(client, character, "figure")
    assert facts["own"] == "mesh" and told["why_no_mesh"] is None
    world = np.tile(np.eye(4), (len(told["names"]), 1, 1))
    for frame in (0, 26, 52):
        world[:, :3, 3] = figure["places"][frame]
        world[:, :3, :3] = _matrices(figure["turns"][frame])
        slots = world[figure["slot_bone"]] @ figure["bone_from_mesh"].transpose(0, 2, 1)
        points = np.concatenate([figure["points"], np.ones((len(figure["points"]), 1))], axis=1)
        each = np.einsum("vkab,vb->vka", slots[figure["slots"]], points)[..., :3]
        there = (figure["weights"][..., None] * each).sum(1)
        person = joints["joints"][frame]
        assert np.abs(there.mean(0) - person.mean(0))[:2].max() < 0.15
        assert -0.05 < there[:, 2].min() < 0.1 and abs(there[:, 2].max() - 1.75) < 0.15


def _matrices(xyzw: np.ndarray) -> np.ndarray:
    x, y, z, w = xyzw.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.array(rows).transpose(2, 0, 1)


def test_a_person_without_a_file_has_no_skeleton_of_its_own(client: Client):
    job = client.post("/studio/people", {"words": "a person walks", "seconds": 2.0}).json["job"]
    visitor = Visitor(client, "")

    def made() -> list[str]:
        motions = visitor.project["motions"]
        return [one["id"] for one in motions if one["origin"].get("job") == job]

    visitor.until(lambda: bool(made()))
    facts, _ = arrays_of(client, made()[0], "joints")
    assert facts["own"] is None
    assert client.get(f"/studio/motions/{made()[0]}/figure").status == 404
