"""Keys of jobs: to JSON and back, and to what the Director is asked."""

import json
from math import degrees

import pytest
import torch

from aesop.core.errors import AesopError
from aesop.scene.camera import camera_looking_at
from aesop.scene.camera_keys import KeyedCamera
from aesop.server.job_requests import FilmJob, job_as_json, job_from_json, job_schema
from aesop.server.key_jobs import KeyJob, kept_job
from tests.director.makers import PUSH_IN, walking
from tests.tolerances import GEOMETRY64


def key_job(key: KeyedCamera) -> KeyJob:
    """Inverse of what a job's key becomes."""
    lens = key.fov_vertical
    return KeyJob(
        seconds=key.seconds,
        centre_m=tuple(key.centre.double().tolist()),
        world_from_camera=tuple(map(tuple, key.world_from_camera.double().tolist())),
        fov_vertical_deg=None if lens is None else degrees(lens),
    )


def test_keys_and_kept_parts_survive_json_and_reach_the_request():
    clip = walking(53)
    root = clip.motion.root.double()
    camera = camera_looking_at(root + torch.tensor([1.0, -3.0, 0.2]), root, 0.7)
    key = KeyedCamera(1.6, camera.world_from_camera[40], camera.centre[40], 0.7)
    job = FilmJob(
        motion="0" * 16,
        words=PUSH_IN,
        keys=(key_job(key),),
        kept=(kept_job(camera, range(3, 14)),),
    )
    assert job_from_json("film", json.loads(json.dumps(job_as_json(job)))) == job
    (request,) = job.requests(lambda _: clip)
    request.check()
    assert request.keys is not None
    (met,), (part,) = request.keys.keys, request.keys.kept
    assert torch.equal(met.centre, key.centre) and met.seconds == 1.6
    assert met.fov_vertical == pytest.approx(0.7)
    assert part.frames == range(3, 14)
    assert float((part.camera.fov_vertical - 0.7).abs().max()) < GEOMETRY64
    (free,) = FilmJob(motion="0" * 16, words=PUSH_IN).requests(lambda _: clip)
    assert free.keys is None


@pytest.mark.parametrize(
    "keys",
    [
        {},
        [3],
        [{"seconds": 1}],
        [{"seconds": 1, "centre_m": [1, 2], "world_from_camera": [[1, 0, 0]] * 3}],
        [{"seconds": 1, "centre_m": [1, 2, 3], "world_from_camera": [[1, 0], [0, 1, 0], [0]]}],
        [{"seconds": 1, "centre_m": [1, 2, 3], "world_from_camera": 5}],
        [{"seconds": "1", "centre_m": [1, 2, 3], "world_from_camera": [[1, 0, 0]] * 3}],
        [{"seconds": 1, "centre_m": [1, 2, 3], "world_from_camera": [[1, 0, 0]] * 3, "x": 1}],
        [{"seconds": 1, "centre_m": [1, 2, 3], "world_from_camera": [[1, 0, 0]] * 3}],
    ],
)
def test_what_is_no_key_is_refused(keys: object):
    with pytest.raises(AesopError):
        job = job_from_json("film", {"motion": "0" * 16, "words": PUSH_IN, "keys": keys})
        for request in job.requests(lambda _: walking(53)):
            request.check()


def test_the_description_says_what_a_key_is():
    described = job_schema("sweep")["properties"]["keys"]["items"]
    assert described["required"] == ["seconds", "centre_m", "world_from_camera"]
    assert described["properties"]["world_from_camera"]["items"]["items"] == {"type": "number"}
