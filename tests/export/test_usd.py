"""USD read back with usd-core: stage, skeleton, camera."""

from typing import Any

import numpy as np
import pytest

from aesop.export.usd import write_usda
from tests.export.makers import FRAMES, moving_shot
from tests.tolerances import GEOMETRY32, STORED32

Usd = pytest.importorskip("pxr.Usd")
Gf = pytest.importorskip("pxr.Gf")
UsdGeom = pytest.importorskip("pxr.UsdGeom")
UsdSkel = pytest.importorskip("pxr.UsdSkel")
UsdShade = pytest.importorskip("pxr.UsdShade")

SHOT = moving_shot(moved_joint=True)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory):
    path = tmp_path_factory.mktemp("usd") / "a.usda"
    write_usda(SHOT, path)
    return Usd.Stage.Open(str(path))


def test_units_axes_and_rate_are_declared(stage: Any):
    assert UsdGeom.GetStageUpAxis(stage) == "Z"
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1
    assert stage.GetTimeCodesPerSecond() == 25 and stage.GetFramesPerSecond() == 25
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0, FRAMES - 1)
    assert stage.GetDefaultPrim().GetPath() == "/shot"


def test_the_camera_is_ours(stage: Any):
    camera = UsdGeom.Camera(stage.GetPrimAtPath("/shot/camera"))
    for frame in range(0, FRAMES, 7):
        found = camera.GetCamera(frame)
        ours = SHOT.camera
        across = np.rad2deg(float(ours.fov_horizontal[frame]))
        up = np.rad2deg(float(ours.fov_vertical[frame]))
        assert abs(found.GetFieldOfView(Gf.Camera.FOVHorizontal) - across) < np.rad2deg(GEOMETRY32)
        assert abs(found.GetFieldOfView(Gf.Camera.FOVVertical) - up) < np.rad2deg(GEOMETRY32)
        # Rows of a USD matrix are the axes: right, up, and against the way it looks.
        matrix = np.array(found.transform)
        turn = ours.world_from_camera[frame].numpy()
        assert np.abs(matrix[:3, :3].T - turn * np.array([1, -1, -1])).max() < GEOMETRY32
        assert np.abs(matrix[3, :3] - ours.centre[frame].numpy()).max() < GEOMETRY32


def test_a_sensor_is_thirty_six_millimetres_wide(stage: Any):
    camera = UsdGeom.Camera(stage.GetPrimAtPath("/shot/camera"))
    tenths_of_a_metre = camera.GetHorizontalApertureAttr().Get()
    assert abs(tenths_of_a_metre / 10 - 0.036) < STORED32


def test_joints_are_where_ours_are(stage: Any):
    cache = UsdSkel.Cache()
    root = UsdSkel.Root(stage.GetPrimAtPath("/shot/person"))
    cache.Populate(root, Usd.PrimDefaultPredicate)
    query = cache.GetSkelQuery(UsdSkel.Skeleton(stage.GetPrimAtPath("/shot/person/skeleton")))
    assert query.HasBindPose() and len(query.GetJointOrder()) == 22
    for frame in range(0, FRAMES, 7):
        found = np.array(query.ComputeJointSkelTransforms(frame))[:, 3, :3]
        assert np.abs(found - SHOT.clip.motion.joints[frame].numpy()).max() < GEOMETRY32


def test_the_mannequin_follows_the_skeleton(stage: Any):
    """Skinned by the library: every vertex stays near the joint it is bound to."""
    cache = UsdSkel.Cache()
    root = UsdSkel.Root(stage.GetPrimAtPath("/shot/person"))
    cache.Populate(root, Usd.PrimDefaultPredicate)
    mesh = stage.GetPrimAtPath("/shot/person/mannequin")
    skin = cache.GetSkinningQuery(mesh)
    query = cache.GetSkelQuery(UsdSkel.Skeleton(stage.GetPrimAtPath("/shot/person/skeleton")))
    points = UsdGeom.Mesh(mesh).GetPointsAttr().Get()
    assert skin.ComputeSkinnedPoints(query.ComputeSkinningTransforms(13), points, 13)
    bound = np.array(skin.GetJointIndicesPrimvar().Get())
    apart = np.array(points) - SHOT.clip.motion.joints[13].numpy()[bound]
    assert np.linalg.norm(apart, axis=1).max() < 0.6


def test_words_survive(stage: Any):
    camera = stage.GetPrimAtPath("/shot/camera")
    told = camera.GetAttribute("aesop:cameraWords").Get()
    assert told == 'the camera "pushes in", past the person – slowly'


def test_every_triangle_has_one_material_with_the_colour_of_its_vertices(stage: Any):
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/shot/person/mannequin"))
    tints = np.array(mesh.GetDisplayColorAttr().Get())
    faces = np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3)
    subsets = UsdShade.MaterialBindingAPI(mesh.GetPrim()).GetMaterialBindSubsets()
    found = np.full((len(faces), 3), np.nan)
    for subset in subsets:
        numbers = np.array(subset.GetIndicesAttr().Get())
        assert np.isnan(found[numbers]).all()
        material, _ = UsdShade.MaterialBindingAPI(subset.GetPrim()).ComputeBoundMaterial()
        shader = material.ComputeSurfaceSource()[0]
        assert shader.GetIdAttr().Get() == "UsdPreviewSurface"
        found[numbers] = np.array(shader.GetInput("diffuseColor").Get())
    assert np.abs(tints[faces] - found[:, None]).max() < STORED32
