"""The preset instant: few fitted steps, and the director's laws hold for them as for many."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch

from aesop.core.errors import ClipError, WeightsError
from aesop.director.act_report import act_report
from aesop.director.best_take import Filming
from aesop.director.director import Director
from aesop.director.film_report import film_report
from aesop.director.protocols import PROTOCOLS
from aesop.director.requests import ActRequest, FilmRequest, RequestError
from aesop.director.trained_parts import ship
from aesop.flow.solvers import PresetName
from aesop.models.velocity import FlowTransformer
from aesop.models.weights import flat_name, new_part, part_file, save_part
from aesop.training.told_intensities import IntensityResponse, with_told_intensities
from tests.director.makers import (
    PUSH_IN,
    TRUCK,
    WALK,
    HashEncoder,
    director_of,
    save_few_steps,
    walking,
)
from tests.director.test_laws import apart, same_camera, same_motion
from tests.tolerances import FILMED32


@pytest.fixture(scope="module")
def instant(cast: Path, tmp_path_factory: pytest.TempPathFactory) -> Director:
    """The cast with few steps, rightly summed and otherwise made up."""
    folder = tmp_path_factory.mktemp("instant")
    for path in cast.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    save_few_steps(folder)
    return director_of(folder)


def test_without_few_steps_there_is_no_instant(director: Director):
    with pytest.raises(WeightsError, match="no few steps for its camera flow"):
        director.film(walking(61), PUSH_IN, preset="instant")


def test_guidance_that_nothing_was_fitted_to_is_refused(instant: Director):
    with pytest.raises(RequestError, match="guidance from 1 to 3, not 4"):
        instant.film(walking(61), PUSH_IN, guidance=4.0, preset="instant")


def test_who_names_no_preset_gets_the_quickest_that_was_fitted(
    instant: Director, director: Director
):
    """Few steps where the weights have them and guidance is as they were fitted to; in company
    that is not, too."""
    clip = walking(61)
    film = partial(FilmRequest, clip, PUSH_IN, seed=2, take=0)
    asked = [film(guidance=it) for it in (1.5, 4.0, 1.0, 3.0, 3.5)]
    by = ["instant", "fast", "instant", "instant", "fast"]
    together = instant.film_many(asked, finish="as-sampled")
    for request, preset, shot in zip(asked, by, together, strict=True):
        assert f"guidance {request.guidance:g}, preset {preset}" in shot.provenance.notes
        named = instant.film_many([request], preset, finish="as-sampled")[0]  # pyright: ignore[reportArgumentType]
        assert apart(shot.camera, named.camera) < FILMED32
    without = director.film(clip, PUSH_IN, seed=2, finish="as-sampled")
    assert "guidance 1.5, preset fast" in without.provenance.notes
    scene = instant.shoot(WALK, PUSH_IN, 2.36, seed=5, finish="as-sampled")
    assert "guidance 1.5, preset instant" in scene.provenance.notes


def test_no_film_is_made_before_all_requests_are_known_to_be_fine(
    instant: Director, monkeypatch: pytest.MonkeyPatch
):
    """Of two groups by preset, too: the second one's mistakes are told before the first is made."""
    monkeypatch.setattr(Filming, "shots", lambda *_: pytest.fail("a film was made"))
    clip = walking(61)
    bad = FilmRequest(replace(clip, fps=30.0), PUSH_IN, guidance=4.0)
    with pytest.raises(ClipError, match="30 frames per second"):
        instant.film_many([FilmRequest(clip, PUSH_IN), bad])


def test_steps_of_another_flow_do_not_film(instant: Director, tmp_path: Path):
    for path in instant.parts.folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    parts = instant.parts
    flow = FlowTransformer(parts.camera_flow.network.shape)
    codecs = parts.human_codec, parts.camera_codec
    other = new_part("camera-flow", flow.eval(), codecs, HashEncoder())
    save_part(other, tmp_path / flat_name("camera-flow"))
    with pytest.raises(WeightsError, match="no few steps for its camera flow"):
        director_of(tmp_path).film(walking(61), PUSH_IN, preset="instant")


def test_the_camera_depends_on_everything_asked_and_on_the_steps(instant: Director):
    clip = walking(61)

    def filmed(words: str = PUSH_IN, **asked: float | int) -> torch.Tensor:
        shot = instant.film(clip, words, preset="instant", finish="as-sampled", **asked)  # pyright: ignore[reportArgumentType]
        return shot.camera.centre

    first = filmed()
    assert torch.equal(first, filmed())
    fast = instant.film(clip, PUSH_IN, preset="fast", finish="as-sampled").camera.centre
    for other in (fast, filmed(TRUCK), filmed(seed=1), filmed(intensity=1.3), filmed(guidance=2.5)):
        assert float((first - other).abs().max()) > FILMED32


def test_the_flow_is_told_what_the_table_says(instant: Director, tmp_path: Path):
    """A film at an intensity is, to the bit, that of the same steps without a table at what the
    table tells; at one nothing changes, and on the way of many steps nothing ever does."""
    for path in instant.parts.folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    response = IntensityResponse((0.25, 0.5, 1.0, 1.5), (0.1, 0.3, 1.0, 1.3))
    steps = with_told_intensities(instant.parts.camera_steps.network, response)
    part = new_part("camera-steps", steps, (instant.parts.camera_flow,))
    save_part(part, tmp_path / flat_name("camera-steps"))
    known, clip = director_of(tmp_path), walking(61)
    for asked in (0.5, 1.0, 1.25):
        told = float(steps.told(torch.tensor([asked], dtype=torch.float64)))
        assert (told == asked) == (asked == 1)
        by_table = known.film(clip, PUSH_IN, asked, 3, preset="instant", finish="as-sampled")
        plain = instant.film(clip, PUSH_IN, told, 3, preset="instant", finish="as-sampled")
        assert same_camera(by_table.camera, plain.camera) and by_table.intensity == asked
        many = [it.film(clip, PUSH_IN, asked, 3, preset="fast") for it in (known, instant)]
        assert same_camera(many[0].camera, many[1].camera)


def test_nothing_about_the_camera_reaches_the_person(instant: Director):
    alone = instant.act(WALK, 2.36, seed=5).motion
    shoot = partial(instant.shoot, seed=5, preset="instant", finish="as-sampled")
    shot = shoot(WALK, PUSH_IN, 2.36)
    other = shoot(WALK, TRUCK, 2.36, intensity=1.4)
    assert same_motion(alone, shot.clip.motion) and same_motion(alone, other.clip.motion)
    assert not same_camera(shot.camera, other.camera)


def by(director: Director, preset: PresetName) -> Director:
    """The same parts, and people who are sampled by a preset."""
    people = replace(director.people, preset=preset, finish="as-sampled")
    return Director(director.parts, people=people)


def test_people_by_few_steps_keep_the_laws_of_people(instant: Director):
    """Another way to the same kind of person: the words, the noise and the guidance decide, and
    neither a camera nor company."""
    quick = by(instant, "instant")
    act = partial(quick.act, seconds=2.36, seed=5)
    first = act(WALK).motion
    assert same_motion(first, act(WALK).motion)
    others = [by(instant, "fast").act(WALK, 2.36, 5), act("a person sits"), act(WALK, seed=6)]
    others.append(act(WALK, human_guidance=2.0))
    for other in others:
        assert float((first.joints - other.motion.joints).abs().max()) > FILMED32
    shot = quick.shoot(WALK, PUSH_IN, 2.36, seed=5, finish="as-sampled")
    assert same_motion(first, shot.clip.motion)
    asked = [ActRequest(WALK, 2.36, 5), ActRequest("a person sits", 3.2, 5)]
    assert same_motion(first, quick.act_many(asked)[0].motion)
    cast = instant.parts.cast("as-sampled")
    assert cast.steps is not None
    notes = act(WALK).provenance.notes
    assert f"steps {cast.steps.card.identity[:12]}" in notes
    assert "preset instant, human guidance 4" in notes


def test_what_few_people_steps_were_not_fitted_to_is_refused(instant: Director, director: Director):
    with pytest.raises(WeightsError, match="no few steps for its human flow"):
        by(director, "instant").act(WALK, 2.36)
    with pytest.raises(RequestError, match="guidance from 1 to 6, not 7"):
        by(instant, "instant").act(WALK, 2.36, human_guidance=7.0)


def test_steps_are_a_setting_and_no_correction(instant: Director):
    """Whoever reads the report is told what was done to a film, not what it was made with."""
    shot = instant.film(walking(61), PUSH_IN, preset="instant")
    report = film_report(shot)
    clip = by(instant, "instant").act(WALK, 2.36)
    person = act_report(clip)
    assert report is not None and person is not None
    for it in (report, person):
        assert any(note.startswith("steps ") for note in it.settings)
        assert not any(note.startswith("steps ") for note in it.corrections)


def test_another_intensity_begins_where_one_does(instant: Director):
    clip = walking(61)
    sweep = partial(instant.sweep, seed=3, preset="instant", finish="best-take")
    shots = sweep(clip, PUSH_IN, (0.6, 1.0, 1.4))
    one = sweep(clip, PUSH_IN, (1.0,))[0].camera
    assert apart(shots[1].camera, one) < FILMED32
    for shot in (shots[0], shots[2]):
        # On the ground: above it every camera is lifted for itself.
        assert float((shot.camera.centre[0] - one.centre[0])[:2].norm()) < FILMED32
        assert apart(shot.camera, one) > FILMED32


def test_company_changes_no_film(instant: Director):
    """Long films, whose later windows begin with what is held, beside short ones."""
    clips = [walking(61), walking(413), walking(97, seed=5)]
    requests = [FilmRequest(clip, PUSH_IN, seed=2, take=0) for clip in clips]
    together = instant.film_many(requests, "instant", finish="as-sampled")
    for request, shot in zip(requests, together, strict=True):
        alone = instant.film_many([request], "instant", finish="as-sampled")[0]
        assert apart(shot.camera, alone.camera) < FILMED32


def test_shots_name_the_steps_and_the_paper_never_takes_them(instant: Director):
    film = instant.film(walking(61), PUSH_IN, preset="instant", finish="as-sampled")
    notes = film.provenance.notes
    flow, steps = instant.parts.camera_flow.card, instant.parts.camera_steps.card
    assert f"weights {flow.identity[:12]}" in notes and f"steps {steps.identity[:12]}" in notes
    assert "guidance 1.5, preset instant" in notes
    assert all(it.camera_preset != "instant" for it in PROTOCOLS.values())
    assert all(it.people.preset != "instant" for it in PROTOCOLS.values())


def test_few_steps_ship_with_their_flow(instant: Director, tmp_path: Path):
    ship(instant.parts, tmp_path)
    for part in ("camera-steps", "human-steps"):
        assert part_file(tmp_path, part) is not None
    request = FilmRequest(walking(61), PUSH_IN, seed=2, take=0)
    shipped, mine = (
        one.film_many([request], "instant", finish="as-sampled")[0].camera
        for one in (director_of(tmp_path), instant)
    )
    # Weights of half precision, in metres.
    assert 0 < apart(shipped, mine) < 0.2
