"""Long motion: windows cover it, hold on to what is filmed, and join without a jolt."""

from dataclasses import replace
from itertools import pairwise

import pytest
import torch

from aesop.director import long_motion as room
from aesop.director.director import Director, load_director
from aesop.director.long_motion import (
    FADE_FRAMES,
    OVERLAP_FRAMES,
    LongFilm,
    fade,
    held_share,
    joined,
    windows_of,
)
from aesop.director.requests import FilmRequest
from aesop.director.sampling import CameraCondition, tokens_of
from aesop.flow.guided_sampling import HeldTokens, keeping
from aesop.flow.path import sampling_times
from aesop.flow.solvers import SOLVERS, SolverName
from aesop.models.codec import STRIDE
from aesop.scene.camera import CameraPath, camera_looking_at
from aesop.scene.human import MAX_FRAMES, cut
from aesop.scene.rotation import geodesic_distance, matrix_from_axis_angle
from tests.director.makers import PUSH_IN, walking
from tests.tolerances import FILMED32, GEOMETRY32, GEOMETRY64, SOLVED64


@pytest.mark.parametrize("frames", [25, 300, 301, 303, 396, 504, 505, 709, 1001, 7919])
def test_windows_cover_the_clip_in_passes_the_networks_can_take(frames: int):
    found = windows_of(frames)
    assert found[0].start == 0 and found[-1].stop == frames
    for window in found:
        assert window.start % STRIDE == 0 and 0 < window.stop - window.start <= MAX_FRAMES
    for before, after in pairwise(found):
        overlap = before.stop - after.start
        assert overlap > OVERLAP_FRAMES - STRIDE and overlap % STRIDE == 0
    # Linear cost: never more windows than the length asks for.
    assert len(found) <= 1 + -(-max(frames - MAX_FRAMES, 0) // (MAX_FRAMES - OVERLAP_FRAMES))


def test_overlaps_are_kept_firmly_then_let_go():
    share = held_share(24)
    assert bool((share[:12] == 1).all()) and bool((share.diff()[12:] < 0).all())
    assert 0 < float(share[-1]) < 0.1
    rise = fade(96)
    assert float(rise[FADE_FRAMES[0]]) == 0 and float(rise[FADE_FRAMES[1]]) == 1
    assert bool((rise.diff() >= 0).all()) and float(rise.diff().max()) < 0.04
    short = fade(24)
    assert float(short[0]) == 0 and float(short[-1]) == 1 and bool((short.diff() >= 0).all())


@pytest.mark.parametrize("method", ["euler", "adams_bashforth2", "adams_moulton2"])
def test_held_tokens_arrive_where_they_are_known_to_be(method: SolverName, dice: torch.Generator):
    known, noise = (torch.randn(2, 7, 3, generator=dice) for _ in range(2))
    share = torch.tensor([1.0, 1.0, 1.0, 0.5, 0.0, 0.0, 0.0]).expand(2, 7)[..., None]
    wild = keeping(lambda latents, _: latents.cos() * 3, HeldTokens(known, share))
    answer = SOLVERS[method](wild, noise, sampling_times(11))
    assert (answer - known)[:, :3].abs().max() < GEOMETRY32
    free = SOLVERS[method](lambda latents, _: latents.cos() * 3, noise, sampling_times(11))
    assert torch.allclose(answer[:, 4:], free[:, 4:], atol=GEOMETRY32)


def circling(frames: int, offset: float) -> CameraPath:
    angle = torch.linspace(0, 2, frames, dtype=torch.float64) + offset
    centre = 3 * torch.stack([angle.cos(), angle.sin(), 0.1 * angle], dim=-1)
    return camera_looking_at(centre, torch.zeros(frames, 3, dtype=torch.float64), 0.7)


def test_joining_a_path_to_its_own_continuation_changes_nothing():
    whole = circling(401, 0.0)
    cut_at, stop = 204, 300
    parts = [
        replace(
            whole,
            centre=whole.centre[part],
            world_from_camera=whole.world_from_camera[part],
            fov_vertical=whole.fov_vertical[part],
        )
        for part in (slice(0, stop), slice(cut_at, 401))
    ]
    path = joined(parts[0], parts[1], cut_at)
    assert (path.centre - whole.centre).abs().max() < GEOMETRY64
    assert geodesic_distance(path.world_from_camera, whole.world_from_camera).max() < SOLVED64


def changes(camera: CameraPath) -> torch.Tensor:
    """Change of velocity, of turn rate and of field of view from frame to frame."""
    speed = camera.centre.double().diff(dim=0).diff(dim=0)
    turn = camera.world_from_camera.double()
    rate = geodesic_distance(turn[:-1], turn[1:])
    columns = (
        torch.linalg.vector_norm(speed, dim=-1),
        rate.diff().abs(),
        camera.fov_vertical.double().diff()[1:].abs(),
    )
    return torch.stack(columns, dim=-1)


def test_paths_that_differ_by_centimetres_and_degrees_join_within_a_hand_held_tremor():
    """A codec's error between two windows disappears in what a hand does anyway."""
    before, after = circling(300, 0.0), circling(300, 0.0)
    shift = torch.tensor([0.05, -0.03, 0.02], dtype=torch.float64)
    turn = matrix_from_axis_angle(torch.tensor([0.02, 0.03, -0.01], dtype=torch.float64))
    later = slice(204, 300)
    after = CameraPath(
        turn @ after.world_from_camera[later],
        after.centre[later] + shift,
        after.fov_vertical[later] + 0.02,
        after.aspect,
    )
    added = changes(joined(before, after, 204)) - changes(before)
    tremor = torch.tensor([1e-3, 1e-3, 1e-3])  # metres, radians, radians per frame
    assert bool((added.abs().amax(0) < tremor).all())


def test_seams_of_trained_weights_are_as_smooth_as_the_windows_they_join(
    monkeypatch: pytest.MonkeyPatch,
):
    """Joining adds nothing: the largest of a hundred changes where two windows meet is that of the
    windows themselves in the same frames, whose camera may be hasty there or not. Next to frames
    elsewhere it would be a matter of luck (1.05 to 1.64 times as large, by weights and seeds)."""
    seams: list[torch.Tensor] = []
    own: list[torch.Tensor] = []

    def spied(before: CameraPath, after: CameraPath, start: int) -> CameraPath:
        path, count = joined(before, after, start), FADE_FRAMES[1]
        seams.append(changes(path)[start : start + count])
        both = changes(before)[start : start + count], changes(after)[:count]
        own.append(torch.maximum(*both))
        return path

    monkeypatch.setattr(room, "joined", spied)
    director, clip = load_director(), walking(709)
    requests = [
        FilmRequest(clip, words, seed=seed, take=0)
        for words in (PUSH_IN, "The camera trucks left.")
        for seed in (0, 1)
    ]
    director.film_many(requests, finish="consistent")
    assert len(seams) == len(requests) * (len(windows_of(709)) - 1)
    at_seams, inside = (torch.quantile(torch.cat(it), 0.99, dim=0) for it in (seams, own))
    # 0.91, 0.84 and 0.77 with the shipped weights.
    assert bool((at_seams <= 1.25 * inside).all()), (at_seams, inside)


def test_the_first_window_of_a_long_motion_is_the_film_of_its_first_frames(director: Director):
    clip = walking(501)
    # As decoded: a floor is told by the whole of a film.
    camera = director.film(clip, PUSH_IN, seed=0, finish="as-sampled").camera
    first = director.film(cut(clip, 0, 300), PUSH_IN, seed=0, finish="as-sampled").camera
    fading = windows_of(501)[1].start + FADE_FRAMES[0]
    assert (camera.centre[:fading] - first.centre[:fading]).abs().max() < FILMED32


def test_windows_read_one_noise(director: Director, dice: torch.Generator):
    """The tokens that two windows share have the same noise in both."""
    noise = torch.randn(tokens_of(501), 3, generator=dice)
    (words,) = director.parts.encoder.encode_each([PUSH_IN])
    filming = LongFilm(walking(501), CameraCondition(words, 1.0, 1.5, noise))
    for number, window in enumerate(filming.windows):
        seen = filming.condition(director.parts, number).noise
        first = window.start // STRIDE
        assert torch.equal(seen, noise[first : first + tokens_of(window.stop - window.start)])


def test_without_holding_on_windows_would_disagree(
    director: Director, monkeypatch: pytest.MonkeyPatch
):
    """The law above would notice: a fade of one frame between free windows jolts."""
    clip = walking(709)
    smooth = changes(director.film(clip, PUSH_IN).camera).amax(0)
    monkeypatch.setattr(room, "held_share", lambda tokens: torch.zeros(tokens))
    monkeypatch.setattr(room, "fade", lambda frames: (torch.arange(frames) > 40).double())
    rough = changes(director.film(clip, PUSH_IN).camera).amax(0)
    assert float(rough[0]) > 1.5 * float(smooth[0])
