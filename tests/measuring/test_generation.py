"""Cases, answers kept on disk, and the methods that give them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.core.errors import StoreError
from aesop.data.store import Store
from aesop.director.director import Director
from aesop.director.protocols import MEASURED
from aesop.flow.solvers import PRESETS, Preset
from aesop.measuring import methods
from aesop.measuring.cases import Bench, Case, read_cases
from aesop.measuring.methods import (
    Ask,
    DirectorMethod,
    ReferenceMethod,
    film_request,
    generate,
    generate_part,
    reconstruct,
    shoot_request,
)
from aesop.metrics.metric_book import MetricError
from aesop.scene.shot import Shot
from tests.director.makers import director_of, save_cast
from tests.measuring.makers import FAST, ObedientMethod
from tests.tolerances import FILMED32, GEOMETRY32


def same(first: Shot, second: Shot) -> bool:
    return all(
        torch.equal(a, b)
        for a, b in (
            (first.camera.centre, second.camera.centre),
            (first.camera.world_from_camera, second.camera.world_from_camera),
            (first.clip.motion.joints, second.clip.motion.joints),
        )
    )


def test_cases_are_the_split_in_order_with_its_words_and_classes(store: Store):
    cases = read_cases(store, "test")
    assert [case.row for case in cases.cases] == store.split("test").tolist()
    assert len(cases.windows) == 11 and cases.left_out == ()
    for case in cases.cases:
        stored = store.shot(case.row)
        assert case.camera_words == stored.camera_captions[0]
        assert (case.target_tags == stored.tags).all()
        assert len(case.target_tags) == case.reference.frames - 1
    pure = read_cases(store, "test/pure")
    assert 0 < len(pure.cases) < len(cases.cases) and pure.sha256 != cases.sha256
    assert len(read_cases(store, "test", at_most=7).cases) == 7
    with pytest.raises(StoreError, match="no split"):
        read_cases(store, "holiday")


def test_windows_are_counted_once(bench: Bench):
    windows = [bench.cases.cases[place].human_row for place in bench.cases.windows.tolist()]
    assert len(windows) == len(set(windows)) == len({it.human_row for it in bench.cases.cases})
    assert len(bench.people) == 11 < len(bench.words)


def test_parts_of_the_work_are_the_whole_of_it(
    bench: Bench, cache: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(methods, "PIECE", 3)
    method, count = ObedientMethod(), len(bench.cases.cases)
    for part in range(5):
        generate_part(method, bench.cases, Ask("film", 1), cache, part, 5)
    assert method.asked == count
    shots = generate(method, bench.cases, Ask("film", 1), cache)
    assert method.asked == count == len(shots)


def test_answers_are_kept_and_never_asked_for_again(
    bench: Bench, cache: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(methods, "PIECE", 7)
    method, count = ObedientMethod(), len(bench.cases.cases)
    first = generate(method, bench.cases, Ask("film", 1), cache)
    again = generate(method, bench.cases, Ask("film", 1), cache)
    assert method.asked == count and all(map(same, first, again))
    generate(method, bench.cases, Ask("film", 2), cache)
    generate(method, bench.cases, Ask("film", 1, intensity=0.5), cache)
    assert method.asked == 3 * count
    pieces = sorted(cache.rglob("*.safetensors"))
    pieces[2].unlink()
    generate(method, bench.cases, Ask("film", 1), cache)
    generate(method, bench.cases, Ask("film", 2), cache)
    generate(method, bench.cases, Ask("film", 1, intensity=0.5), cache)
    assert 3 * count < method.asked <= 3 * count + 7


def test_answers_survive_the_disk(bench: Bench, cache: Path):
    for task in ("film", "codec"):
        back = generate(ReferenceMethod(), bench.cases, Ask(task), cache)
        for shot, wanted in zip(back, bench.cases.references, strict=True):
            assert torch.equal(shot.camera.centre, wanted.camera.centre)
            apart = shot.clip.motion.joints - wanted.clip.motion.joints
            assert apart.abs().max() < GEOMETRY32
            turns = shot.clip.motion.rotations - wanted.clip.motion.rotations
            assert turns.abs().max() < GEOMETRY32
            assert shot.camera.aspect == pytest.approx(wanted.camera.aspect, rel=GEOMETRY32)


def test_people_who_stand_elsewhere_come_back_there(bench: Bench, cache: Path):
    class Elsewhere(ReferenceMethod):
        def answer(self, cases: Sequence[Case], ask: Ask) -> list[Shot]:
            shots = [case.reference for case in cases]
            away = torch.tensor([3.0, -1.0, 0.0])
            return [
                replace(it, clip=replace(it.clip, motion=replace(
                    it.clip.motion, joints=it.clip.motion.joints + away))) for it in shots
            ]  # fmt: skip

    back = generate(Elsewhere(), bench.cases, Ask("shoot"), cache)
    moved = back[0].clip.motion.joints - bench.cases.references[0].clip.motion.joints
    torch.testing.assert_close(
        moved, torch.tensor([3.0, -1.0, 0.0]).expand_as(moved), rtol=0, atol=GEOMETRY32
    )


def test_wrong_answers_are_refused(bench: Bench, cache: Path):
    class Lazy(ReferenceMethod):
        def answer(self, cases: Sequence[Case], ask: Ask) -> list[Shot]:
            return [cases[0].reference] * (len(cases) - (1 if ask.seed else 0))

    with pytest.raises(MetricError, match="frames, not"):
        generate(Lazy(), bench.cases, Ask("film"), cache)
    with pytest.raises(MetricError, match="came back"):
        generate(Lazy(), bench.cases, Ask("film", 1), cache)
    assert not list(cache.rglob("*.safetensors"))


def test_damaged_pieces_are_told(bench: Bench, cache: Path):
    generate(ReferenceMethod(), bench.cases, Ask("film"), cache)
    next(cache.rglob("*.safetensors")).write_bytes(b"nothing")
    with pytest.raises(MetricError, match="Delete it"):
        generate(ReferenceMethod(), bench.cases, Ask("film"), cache)


def test_requests_share_noise_across_words_and_intensity_and_people_across_cameras(bench: Bench):
    first, second = bench.cases.cases[:2]
    assert first.human_row == second.human_row
    plain, other = shoot_request(first, Ask("shoot", 2)), shoot_request(second, Ask("shoot", 2))
    assert plain.acted == other.acted and plain.take != other.take
    asks = (Ask("film", 2), Ask("film", 2, 0.5), Ask("film", 2, is_reversed=True))
    noises = {(it.noise_seed, it.take) for it in (film_request(first, ask) for ask in asks)}
    assert len(noises) == 1
    assert film_request(first, asks[2]).camera_words == first.reversed_words
    different = {shoot_request(it, Ask("shoot", 2)).seed for it in bench.cases.cases}
    assert len(different) == 11


def test_answers_of_a_preset_that_has_changed_are_not_taken_for_its_own(
    director: Director, monkeypatch: pytest.MonkeyPatch
):
    method = DirectorMethod(director)
    before = {task: method.identity(task) for task in ("film", "shoot")}
    restless = DirectorMethod(director, replace(MEASURED, finish="as-sampled"))
    assert restless.identity("film") != before["film"]
    monkeypatch.setitem(PRESETS, "fast", Preset("euler", 7))  # of the people only
    assert method.identity("film") == before["film"]
    assert method.identity("shoot") != before["shoot"]
    monkeypatch.setitem(PRESETS, "reference", Preset("euler", 11))
    assert method.identity("film") != before["film"]


def test_the_director_and_the_codecs_answer(bench: Bench, director: Director, cache: Path):
    few = bench.cases.only(range(5))
    method = DirectorMethod(director, FAST)
    filmed = generate(method, few, Ask("film"), cache)
    acted = generate(method, few, Ask("shoot"), cache)
    coded = generate(method, few, Ask("codec"), cache)
    for case, film, shoot, codec in zip(few.cases, filmed, acted, coded, strict=True):
        assert torch.equal(film.clip.motion.joints, case.reference.clip.motion.joints)
        assert not torch.equal(shoot.clip.motion.joints, case.reference.clip.motion.joints)
        assert codec.frames == case.reference.frames
        assert bool(codec.camera.centre.isfinite().all())
    assert len({method.identity(task) for task in ("film", "shoot", "codec")}) == 3
    alone = reconstruct(director.parts, few.references[3:4])[0]
    np.testing.assert_allclose(alone.camera.centre, coded[3].camera.centre, atol=FILMED32)


def test_codecs_do_not_depend_on_whitening(bench: Bench, tmp_path: Path):
    """What flows see is undone before decoding, of the person's latents too."""
    save_cast(tmp_path)
    parts = director_of(tmp_path).parts
    few = bench.cases.references[:3]
    before = reconstruct(parts, few)
    for codec in (parts.human_codec.network, parts.camera_codec.network):
        width = codec.shape.latent
        codec.whitening.mean.copy_(torch.linspace(-1, 1, width))
        codec.whitening.spread.copy_(torch.linspace(0.5, 2, width))
    after = reconstruct(parts, few)
    for first, second in zip(before, after, strict=True):
        torch.testing.assert_close(first.camera.centre, second.camera.centre, rtol=0, atol=FILMED32)
        torch.testing.assert_close(
            first.clip.motion.joints, second.clip.motion.joints, rtol=0, atol=FILMED32
        )
