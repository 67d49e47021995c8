"""The picture that is asked for: aspect, pixels, lens and sensor."""

import math

import pytest
import torch

from aesop.core.errors import CameraError
from aesop.export.mannequin_mesh import focal_mm
from aesop.scene.picture_format import (
    AS_DECODED,
    PictureFormat,
    aspect_from_text,
    pixels_of,
    resolution_from_text,
)
from tests.scene.test_source import steady_camera
from tests.tolerances import GEOMETRY64


@pytest.mark.parametrize("aspect", [16 / 9, 2.39, 9 / 16, 1.0])
def test_the_vertical_field_of_view_stays(aspect: float):
    camera = steady_camera(7, aspect=1.61)
    framed = PictureFormat(aspect).framed(camera)
    assert torch.equal(framed.fov_vertical, camera.fov_vertical) and framed.aspect == aspect
    across, up = framed.tan_half_fov.unbind(-1)
    assert (across / up - aspect).abs().max() < GEOMETRY64
    assert torch.equal(framed.centre, camera.centre)


@pytest.mark.parametrize(("lens", "sensor"), [(85.0, 36.0), (24.0, 24.89), (14.0, 13.2)])
def test_a_lens_is_what_exports_say(lens: float, sensor: float):
    picture = PictureFormat(2.39, sensor_width_mm=sensor, lens_mm=lens)
    framed = picture.framed(steady_camera(7))
    assert (focal_mm(framed, sensor) - lens).abs().max() < lens * GEOMETRY64
    across = 2 * math.atan(sensor / 2 / lens)
    assert (framed.fov_horizontal - across).abs().max() < GEOMETRY64


def test_nothing_asked_changes_nothing():
    camera = steady_camera(7)
    assert AS_DECODED.framed(camera) is camera
    assert PictureFormat(camera.aspect).framed(camera) is camera


def test_words_for_pictures():
    assert aspect_from_text("16:9") == 16 / 9 and aspect_from_text(" 2.39") == 2.39
    assert aspect_from_text("9:16") == 9 / 16 and aspect_from_text("4/3") == 4 / 3
    assert resolution_from_text("1998x1080") == (1998, 1080)
    assert pixels_of(16 / 9) == (1920, 1080) and pixels_of(9 / 16) == (1080, 1920)
    assert PictureFormat(1.85, (1998, 1080)).resolution_px == (1998, 1080)


@pytest.mark.parametrize("text", ["", "16:0", "wide", "-2", "16:9:1", "nan", "1e3"])
def test_ratios_that_cannot_be_read_are_refused(text: str):
    with pytest.raises(CameraError, match="cannot be read"):
        aspect_from_text(text)


@pytest.mark.parametrize(
    ("picture", "fact"),
    [
        ({"aspect": 0.0}, "aspect ratio 0 "),
        ({"aspect": float("nan")}, "aspect ratio nan"),
        ({"lens_mm": 1.0}, "lens 1 mm"),
        ({"sensor_width_mm": -36.0}, "sensor's width -36 mm"),
        ({"resolution_px": (1920, 0)}, "1920 × 0"),
        ({"resolution_px": (1080, 1920)}, "have the aspect 0.562"),
        ({"aspect": None, "resolution_px": (1920, 1080)}, "decoded one"),
    ],
)
def test_pictures_that_no_camera_makes_are_refused(picture: dict[str, object], fact: str):
    with pytest.raises(CameraError, match=fact):
        PictureFormat(**picture)  # pyright: ignore[reportArgumentType] - wrong on purpose
