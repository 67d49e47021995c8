"""Keys of takes: the camera meets views that were set, keeps parts that were kept, at every
intensity; and the command line that is shown names the same."""

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from aesop.cli import main
from aesop.cli.film_options import WeightOptions
from aesop.director.director import Director
from aesop.files.shot_file import read_shot
from aesop.scene.shot import Shot
from tests.server.running import Client
from tests.studio.visiting import Visitor
from tests.tolerances import FILMED32

NEAR_M = 0.01  # what keys promise (docs/keyframes.md)
KEPT = (0.4, 1.0)


def shot_of(client: Client, take: str, folder: Path) -> Shot:
    came = client.get(f"/studio/takes/{take}/export/shot.shot")
    assert came.status == 200, came.body
    path = folder / f"{take}_{len(list(folder.iterdir()))}.shot"  # shots lie in their files
    path.write_bytes(came.body)
    return read_shot(path)


def view(shot: Shot, frame: int, seconds: float, aside_m: float) -> dict[str, Any]:
    """A camera of a shot, a little aside, as the page sends it."""
    centre = shot.camera.centre[frame].double() + torch.tensor([aside_m, 0.0, 0.1])
    return {
        "seconds": seconds,
        "centre_m": centre.tolist(),
        "world_from_camera": shot.camera.world_from_camera[frame].double().tolist(),
        "fov_vertical_deg": float(torch.rad2deg(shot.camera.fov_vertical[frame].double())),
    }


@pytest.fixture
def plain(visitor: Visitor) -> dict[str, Any]:
    there = [one for one in visitor.project["takes"] if one["seed"] == 37 and not one["keys"]]
    return there[0] if there else visitor.film(seed=37)


def test_a_take_meets_its_keys_at_every_intensity(
    visitor: Visitor, plain: dict[str, Any], tmp_path: Path
):
    before = shot_of(visitor.client, plain["id"], tmp_path)
    keys = [view(before, 0, 0.0, 0.3), view(before, 40, 1.6, -0.2)]
    take = visitor.film(seed=37, keys=keys)
    assert [key["seconds"] for key in take["keys"]] == [0.0, 1.6] and plain["id"] in visitor.strip
    visitor.change(take["id"], intensity=0.7)
    visitor.until(lambda: visitor.take(take["id"])["facts"] is not None)
    for intensity in (0.7, 1.0):
        visitor.change(take["id"], intensity=intensity)
        shot = shot_of(visitor.client, take["id"], tmp_path)
        assert shot.intensity == intensity and shot.keys is not None
        for key, frame in zip(keys, (0, 40), strict=True):
            away = shot.camera.centre[frame].double() - torch.tensor(key["centre_m"]).double()
            assert float(away.norm()) < NEAR_M


def test_a_kept_part_stays_to_the_bit_and_the_rest_does_not(
    visitor: Visitor, plain: dict[str, Any], tmp_path: Path
):
    before = shot_of(visitor.client, plain["id"], tmp_path)
    keep = [{"take": plain["id"], "start_s": KEPT[0], "stop_s": KEPT[1]}]
    take = visitor.film(keep=keep)
    assert take["kept"] == [{"start": 10, "stop": 25}] and take["seed"] != 37
    after = shot_of(visitor.client, take["id"], tmp_path)
    assert torch.equal(after.camera.centre[10:25], before.camera.centre[10:25])
    assert not torch.equal(after.camera.centre[25:], before.camera.centre[25:])


def test_the_command_meets_the_same_keys(
    visitor: Visitor,
    plain: dict[str, Any],
    cast: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    director: Director,
):
    before = shot_of(visitor.client, plain["id"], tmp_path)
    key = view(before, 40, 1.6, 0.25)
    keep = {"take": plain["id"], "start_s": KEPT[0], "stop_s": KEPT[1]}
    take = visitor.film(seed=41, keys=[key], keep=[keep])
    ours = shot_of(visitor.client, take["id"], tmp_path)
    command = visitor.client.get(f"/studio/takes/{take['id']}/command").json["command"]
    assert "--at 1.6:" in command and "--keep 0.4-0.96" in command
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(WeightOptions, "director", lambda *_: director)
    main(shlex.split(command)[1:])
    written = read_shot(tmp_path / shlex.split(command)[-1])
    apart = (written.camera.centre - ours.camera.centre).abs().max()
    assert float(apart) < 10 * FILMED32


@pytest.mark.parametrize(
    "change",
    [
        {"seconds": 99.0},
        {"centre_m": [0.0, 1.0]},
        {"world_from_camera": [[1, 0, 0], [0, 1, 0], [0, 0, 0]]},
        {"fov_vertical_deg": "wide"},
        {"lens": 35},
    ],
)
def test_keys_that_nobody_can_meet_are_refused(
    visitor: Visitor, plain: dict[str, Any], tmp_path: Path, change: dict[str, Any]
):
    key = view(shot_of(visitor.client, plain["id"], tmp_path), 0, 0.0, 0.0) | change
    count = len(visitor.project["takes"])
    asked = {"motion": visitor.motion, "words": "the camera pushes in", "keys": [key]}
    came = visitor.client.post("/studio/takes", asked)
    assert came.status == 400 and came.json["error"]["remedy"]
    assert len(visitor.project["takes"]) == count


def test_an_empty_part_cannot_be_kept(visitor: Visitor, plain: dict[str, Any]):
    for start, stop in ((1.0, 0.4), (50.0, 60.0)):
        keep = [{"take": plain["id"], "start_s": start, "stop_s": stop}]
        asked = {"motion": visitor.motion, "words": "the camera pushes in", "keep": keep}
        assert visitor.client.post("/studio/takes", asked).status == 400
    assert np.isfinite(plain["intensity"])
