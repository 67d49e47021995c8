"""glTF read back with pygltflib and evaluated by hand: poses, lens, units, skin."""

from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.export.gltf import write_glb
from aesop.export.mannequin_mesh import body_mesh, rest_places, y_up_from_world
from aesop.scene.rotation import matrix_from_quaternion_wxyz
from aesop.scene.shot import Shot
from aesop.scene.skeleton import JOINTS, PARENTS
from tests.export.makers import FRAMES, moving_shot
from tests.tolerances import GEOMETRY32, STORED32

pygltflib = pytest.importorskip("pygltflib")
KINDS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}
TYPES = {5126: np.float32, 5125: np.uint32, 5121: np.uint8}


class Read:
    """A .glb as other programs see it."""

    def __init__(self, path: Path) -> None:
        self.file = pygltflib.GLTF2().load(str(path))
        self.blob = self.file.binary_blob()
        (self.animation,) = self.file.animations

    def array(self, number: int) -> np.ndarray:
        accessor = self.file.accessors[number]
        view = self.file.bufferViews[accessor.bufferView]
        kind, width = TYPES[accessor.componentType], KINDS[accessor.type]
        flat = np.frombuffer(self.blob, kind, accessor.count * width, view.byteOffset)
        return flat.reshape(accessor.count, width)

    def track(self, node: int, path: str) -> np.ndarray | None:
        for channel in self.animation.channels:
            if channel.target.node == node and channel.target.path == path:
                return self.array(self.animation.samplers[channel.sampler].output)
        return None

    def local(self, node: int) -> torch.Tensor:
        """Transforms of a node relative to its parent at every frame."""
        matrix = torch.eye(4, dtype=torch.float64).repeat(FRAMES, 1, 1)
        turn, place = self.track(node, "rotation"), self.track(node, "translation")
        assert turn is not None
        wxyz = torch.from_numpy(np.roll(turn, 1, axis=1).copy()).double()
        matrix[:, :3, :3] = matrix_from_quaternion_wxyz(wxyz)
        still = self.file.nodes[node].translation
        matrix[:, :3, 3] = torch.as_tensor(still if place is None else place.copy()).double()
        return matrix

    def joints(self) -> torch.Tensor:
        world = [self.local(0)]
        for joint in range(1, JOINTS):
            assert joint in self.file.nodes[PARENTS[joint]].children
            world.append(world[PARENTS[joint]] @ self.local(joint))
        return torch.stack(world, dim=1)


def read(shot: Shot, path: Path) -> Read:
    write_glb(shot, path)
    return Read(path)


@pytest.mark.parametrize("moved_joint", [False, True])
def test_joints_are_where_ours_are(tmp_path: Path, moved_joint: bool):
    shot = moving_shot(moved_joint=moved_joint)
    found = read(shot, tmp_path / "a.glb").joints()[..., :3, 3]
    ours = shot.clip.motion.joints.double()
    assert (found - ours @ y_up_from_world(ours).T).abs().max() < GEOMETRY32


def test_the_camera_looks_where_ours_looks(tmp_path: Path):
    shot = moving_shot()
    found = read(shot, tmp_path / "a.glb").local(JOINTS + 1)
    turn = y_up_from_world(found)
    camera = shot.camera
    assert (found[:, :3, 3] - camera.centre.double() @ turn.T).abs().max() < GEOMETRY32
    # Right is right; up is against our down; it looks against its own z.
    ours = turn @ camera.world_from_camera.double()
    for axis, sign in ((0, 1), (1, -1), (2, -1)):
        assert (found[:, :3, axis] - sign * ours[:, :, axis]).abs().max() < GEOMETRY32


def test_the_lens_is_ours_and_moves_only_if_ours_does(tmp_path: Path):
    shot = moving_shot()
    zooming = read(shot, tmp_path / "a.glb")
    lens = zooming.file.cameras[0].perspective
    assert lens.aspectRatio == 1.85 and abs(lens.yfov - 0.6) < GEOMETRY32
    (pointer,) = [it for it in zooming.animation.channels if it.target.path == "pointer"]
    told = zooming.array(zooming.animation.samplers[pointer.sampler].output)[:, 0]
    assert np.array_equal(told, shot.camera.fov_vertical.numpy())
    assert zooming.file.extensionsUsed == ["KHR_animation_pointer"]
    still = read(moving_shot(zooms=False), tmp_path / "b.glb")
    assert not still.file.extensionsUsed
    assert not [it for it in still.animation.channels if it.target.path == "pointer"]


def test_times_are_seconds_at_the_rate_of_the_clip(tmp_path: Path):
    found = read(moving_shot(), tmp_path / "a.glb")
    times = found.array(found.animation.samplers[0].input)[:, 0]
    assert np.allclose(times, np.arange(FRAMES) / 25, atol=STORED32)


def test_the_skin_binds_the_body_at_rest(tmp_path: Path):
    found = read(moving_shot(), tmp_path / "a.glb")
    (skin,) = found.file.skins
    columns = found.array(skin.inverseBindMatrices).reshape(JOINTS, 4, 4)
    assert np.allclose(columns[:, 3, :3], -rest_places(), atol=GEOMETRY32)
    mesh = found.file.meshes[0].primitives[0]
    joints, weights = (
        found.array(getattr(mesh.attributes, it)) for it in ("JOINTS_0", "WEIGHTS_0")
    )
    assert joints.max() < JOINTS and np.allclose(weights.sum(1), 1)
    faces = found.array(mesh.indices)[:, 0]
    assert faces.max() < len(joints) and len(faces) % 3 == 0


def test_the_mesh_is_closed_faces_outward_and_stands_on_the_ground():
    mesh = body_mesh()
    corners = mesh.points[mesh.triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    # Triangles at the poles of a ball have no area.
    flat = np.linalg.norm(across, axis=1) < 1e-12
    facing = (across * mesh.normals[mesh.triangles].mean(1)).sum(1)
    assert bool((facing[~flat] > 0).all())
    assert -0.01 < mesh.points[:, 1].min() < 0.02 and 1.6 < mesh.points[:, 1].max() < 1.9


def test_a_clip_without_a_camera_has_none(tmp_path: Path):
    write_glb(moving_shot().clip, tmp_path / "a.glb")
    assert not Read(tmp_path / "a.glb").file.cameras
