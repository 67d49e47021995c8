"""Best take: marks, the choice, and what it must not change."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
import torch

from aesop.camera_words.attributes import CameraFacts, Step
from aesop.camera_words.fact_check import FactCheck
from aesop.camera_words.made_as_asked import AskedAndMade, MoveMade
from aesop.camera_words.outline import AskedCamera, AskedMove
from aesop.camera_words.request_reader import read_asked
from aesop.director import best_take
from aesop.director import finish as finish_module
from aesop.director.asked_hand import HandManner, steadied_as_asked
from aesop.director.best_take import TAKES, TAKES_BY_FACTS, Filming
from aesop.director.director import Director
from aesop.director.facts_filming import AskedFacts
from aesop.director.finish import Finish, check_finish, steadied
from aesop.director.requests import FilmRequest, RequestError, ShootRequest
from aesop.director.scene_cameras import Scene
from aesop.director.take_marks import (
    NEARLY,
    Choice,
    TakeMark,
    chosen,
    excused,
    marked,
    marked_by_facts,
)
from aesop.metrics.framing_metrics import Holding
from aesop.scene.camera import CameraPath, camera_looking_at
from aesop.scene.human import Clip
from aesop.scene.picture_format import AS_DECODED
from aesop.scene.shot import Shot
from aesop.scene.skeleton import JOINT
from tests.director.makers import PUSH_IN, TRUCK, WALK, walking
from tests.director.test_laws import apart, same_camera, same_motion
from tests.tolerances import FILMED32

FINE = Holding(0.0, 1.0, 2.0, 20.0, 1.0, 1.0)


def made(share: float, *, right: bool = True) -> AskedAndMade:
    return AskedAndMade((MoveMade(AskedMove("plain", 1), 0, 60, 1, share, right),))


def mark(take: int, share: float = 1.0, holding: Holding = FINE, *, right: bool = True) -> TakeMark:
    return TakeMark(take, made(share, right=right), holding)


def number(shot: Shot) -> int:
    (note,) = [it for it in shot.provenance.notes if it.startswith("seed ")]
    return int(note.split("take ")[1])


def ranking(shot: Shot) -> list[str]:
    return [note for note in shot.provenance.notes if note.startswith("best of")]


def test_nothing_wrong_is_no_fault_and_every_fault_counts():
    assert mark(0).fault == 0
    worse = [
        mark(0, 0.9),
        TakeMark(0, made(1.0, right=False), FINE),
        mark(0, 1.0, replace(FINE, empty_share=0.05)),
        mark(0, 1.0, replace(FINE, head_share=0.9)),
        mark(0, 1.0, replace(FINE, nearest_m=0.3)),
        mark(0, 1.0, replace(FINE, fastest_turn_dps=120.0)),
    ]
    assert all(it.fault > NEARLY for it in worse)
    assert TakeMark(0, None, FINE).fault == 0  # words that cannot be read are nobody's fault


def checks(right: int, wrong: int) -> tuple[FactCheck, ...]:
    return tuple(FactCheck(f"size:{at}", "x", at < right) for at in range(right + wrong))


def test_takes_that_were_asked_for_more_than_a_movement_are_marked_by_all_of_it():
    marks = [TakeMark(take, None, FINE, checks(take, 3 - take)) for take in range(4)]
    faults = [it.fault for it in marks]
    assert faults == sorted(faults, reverse=True) and faults[-1] == 0
    assert chosen(marks).take == 3
    assert "asked values 67%" in marks[2].text
    # A lost person is worse than one value in three, a value that had to be corrected is not.
    lost = TakeMark(4, None, replace(FINE, empty_share=0.5), checks(3, 0))
    corrected = TakeMark(5, None, FINE, checks(3, 0), corrected_share=1.0)
    assert chosen([marks[2], lost]).take == 2 and chosen([marks[2], corrected]).take == 5
    assert chosen([corrected, replace(marks[3], take=6)]).take == 6


def test_what_was_asked_for_is_no_fault():
    hasty = replace(FINE, fastest_turn_dps=200.0, head_share=0.5)
    whip = excused(hasty, CameraFacts(steps=(Step(turns=("whip-pan",)),)))
    tilt = excused(hasty, CameraFacts(steps=(Step(turns=("tilt-up",)),)))
    assert (whip.fastest_turn_dps, whip.head_share) == (0.0, 0.5)
    assert (tilt.fastest_turn_dps, tilt.head_share) == (200.0, 1.0)
    assert excused(hasty, CameraFacts(size_start="wide")) is hasty


def looking_down(height_m: float) -> CameraPath:
    """At the hips of somebody who walks, from straight above them but for a metre."""
    hips = walking(61).motion.joints[:, 0].double()
    centre = hips + hips.new_tensor([1.0, 0.0, height_m])
    return camera_looking_at(centre, hips, 0.6, 16 / 9)


def test_who_says_nothing_of_height_and_size_means_what_is_usual():
    """Of takes that do as asked the usual one is kept, whatever its number; what was asked for is
    usual, and doing as asked is worth more."""
    clip, follow = walking(61), CameraFacts(side="behind")
    above, tiny = looking_down(6.0), looking_down(16.0)
    for asked in (follow, replace(follow, height="eye")):
        marks = [marked_by_facts(0, one, clip, asked).unusual for one in (above, tiny)]
        is_free = asked.height is None
        assert (marks[0] > NEARLY) == is_free and marks[1] > marks[0] + NEARLY
    wanted = replace(follow, height="overhead", size_start="extreme-wide")
    assert marked_by_facts(0, tiny, clip, wanted).unusual == 0
    assert marked(0, tiny, clip, None).unusual == marked_by_facts(0, tiny, clip, follow).unusual
    odd = replace(mark(0), unusual=marked(0, tiny, clip, None).unusual)
    assert chosen([odd, mark(1)]).take == 1
    assert chosen([odd, TakeMark(1, made(1.0, right=False), FINE)]).take == 0
    assert chosen([odd, mark(1, 1.0, replace(FINE, empty_share=0.5))]).take == 0


def test_who_asks_for_a_close_up_means_the_face():
    """Unless another side is named; who asks for more of somebody may get any side."""
    clip = walking(61)  # towards −y
    neck = clip.motion.joints[:, JOINT["neck"]].double()
    ahead, behind = (
        camera_looking_at(neck + neck.new_tensor([0.0, y, 0.1]), neck, 0.3, 16 / 9)
        for y in (-1.6, 1.6)
    )
    for asked, is_fault in (
        (CameraFacts(size_start="close-up"), True),
        (CameraFacts(size_start="close-up", side="behind"), False),
        (CameraFacts(size_start="medium"), False),
    ):
        marks = [marked_by_facts(0, one, clip, asked).unusual for one in (ahead, behind)]
        assert (marks[1] > marks[0] + NEARLY) == is_fault


def test_who_names_a_face_or_a_side_does_not_mean_it_from_high_above():
    """Of takes that do as asked the one from about the person's height is kept; who asks to be high
    is, and from steeply below nobody means somebody who says nothing of it."""
    clip = walking(61)
    hips = clip.motion.joints[:, 0].double()

    def from_ahead(rise_m: float) -> CameraPath:
        return camera_looking_at(hips + hips.new_tensor([0.0, -3.0, rise_m]), hips, 0.6, 16 / 9)

    level, above, below = from_ahead(0.3), from_ahead(3.0), from_ahead(-0.4)
    for asked, is_fault in (
        (CameraFacts(face="throughout"), True),
        (CameraFacts(side="front"), True),
        (CameraFacts(side="front", height="high"), False),
        (CameraFacts(grip="handheld"), False),
    ):
        marks = [marked_by_facts(0, one, clip, asked).unusual for one in (level, above)]
        assert (marks[1] > marks[0] + NEARLY) == is_fault
    near = camera_looking_at(hips + hips.new_tensor([0.0, -0.9, -0.5]), hips, 0.6, 16 / 9)
    for one, is_fault in ((below, False), (near, True)):
        assert (marked(0, one, clip, None).unusual > NEARLY) == is_fault
    assert marked_by_facts(0, near, clip, CameraFacts(height="low")).unusual == 0


def test_a_head_behind_the_persons_own_arm_counts_as_a_fault():
    assert replace(mark(0), hidden_share=0.5).fault > NEARLY
    kept = chosen([replace(mark(0), hidden_share=0.5), mark(1, 0.95)])
    assert kept.take == 1


def test_of_somebody_who_goes_nowhere_no_take_is_the_wrong_one():
    """Who stays cannot be followed: all takes miss that alike, and a small sway of one more does
    not outweigh a head that is hidden."""
    asked = AskedMove("follow", None)
    moves = (MoveMade(asked, 0, 60, 0, share, right=share >= 0.5) for share in (0.52, 0.48))
    hidden, seen = (TakeMark(at, AskedAndMade((it,)), FINE) for at, it in enumerate(moves))
    assert chosen([replace(hidden, hidden_share=0.5), seen]).take == 1
    goes = MoveMade(asked, 0, 60, 0, 0.48, right=False, way_share=0.48)
    assert TakeMark(1, AskedAndMade((goes,)), FINE).fault > seen.fault + NEARLY


def test_who_asks_for_a_picture_alone_means_one_that_rests():
    """Of two takes with the picture that was asked for the one that rests is kept; where somebody
    asks for a way, or the camera goes with a person who goes, going is no fault."""
    clip, profile = walking(61), CameraFacts(side="profile-left")
    hips = clip.motion.joints[:, 0].double()
    beside = hips + hips.new_tensor([0.0, 5.0, 0.3])
    resting = camera_looking_at(beside[:1].expand(61, 3), hips, 0.6, 16 / 9)
    rise = hips.new_tensor([0.0, 0.0, 1.5]) * torch.linspace(0, 1, 61, dtype=torch.float64)[:, None]
    rising = camera_looking_at(beside[:1] + rise, hips, 0.6, 16 / 9)
    going = camera_looking_at(beside, hips, 0.6, 16 / 9)
    rest, risen, gone = (
        marked_by_facts(0, camera, clip, profile).unusual for camera in (resting, rising, going)
    )
    assert risen > rest + NEARLY and gone == rest
    for asked in (
        replace(profile, steps=(Step(moves=("boom-up",)),)),
        replace(profile, pace="slowly"),
        replace(profile, grip="dolly"),
        replace(profile, size_end="wide"),
    ):
        assert marked_by_facts(0, rising, clip, asked).unusual == rest


def test_a_push_in_that_comes_nearer_is_better_than_one_that_loses_the_person():
    clip = walking(61)
    root = clip.motion.root
    spread = (root[-1] - root[0]) / torch.linalg.vector_norm(root[-1] - root[0])
    asked = read_asked("push in")
    faults = list[float]()
    for share in (0.4, 1.6):  # of the person's way, from four metres behind
        centre = root[:1] - 4 * spread + share * (root - root[:1]) + torch.tensor([0.0, 0.0, 0.3])
        take = marked(0, camera_looking_at(centre, root, 0.6), clip, asked)
        assert take.made is not None and take.made.right
        faults.append(take.fault)
    assert faults[0] > faults[1] + NEARLY


@pytest.fixture
def contented(monkeypatch: pytest.MonkeyPatch) -> None:
    """Networks that have learnt nothing fall short; here nobody minds, and no take is made again
    for it."""
    monkeypatch.setattr(TakeMark, "falls_short", False)


@pytest.mark.usefixtures("contented")
def test_more_than_a_movement_gets_one_more_take(director: Director):
    more = director.film(walking(61), "a close-up from a low angle", seed=4)
    (note,) = ranking(more)
    assert note.startswith(f"best of {TAKES_BY_FACTS} takes") and "asked values" in note
    (note,) = ranking(director.film(walking(61), PUSH_IN, seed=4))
    assert note.startswith(f"best of {TAKES} takes") and "movement" in note


@pytest.mark.parametrize("obeys", [None, 0, TAKES - 1, TAKES, 2 * TAKES - 1])
def test_where_every_take_misses_the_words_as_many_are_filmed_again(
    director: Director, monkeypatch: pytest.MonkeyPatch, obeys: int | None
):
    """Once, and only for requests that need it; a take that obeys is found among all."""
    pull = "The camera pulls out."

    def made_by(self: Filming, trial: Scene, camera: CameraPath) -> TakeMark:
        is_right = trial.take == obeys or trial.request.camera_words == pull
        return mark(trial.take, 1.0 if is_right else 0.4, right=is_right)

    monkeypatch.setattr(Filming, "_mark", made_by)
    asked = [FilmRequest(walking(61), it, seed=4) for it in (PUSH_IN, pull)]
    shot, other = director.film_many(asked, finish="best-take")
    count = TAKES if obeys is not None and obeys < TAKES else 2 * TAKES
    assert ranking(shot)[0].startswith(f"best of {count} takes")
    assert ranking(other)[0].startswith(f"best of {TAKES} takes")
    assert number(shot) == (obeys or 0)


def test_what_a_camera_cannot_do_here_is_not_filmed_again():
    """Of somebody who goes nowhere no take follows; what else is wrong may be better elsewhere."""
    assert mark(0, 0.9, right=False).falls_short and not mark(0, 0.9).falls_short
    assert mark(0, 0.4).falls_short  # right for most of the time, and for hardly any of it
    follow = MoveMade(AskedMove("follow", 1), 0, 60, 1, 0.4, False)
    assert not TakeMark(0, AskedAndMade((follow,)), FINE).falls_short
    assert TakeMark(0, AskedAndMade((replace(follow, way_share=0.2),)), FINE).falls_short
    assert TakeMark(0, None, None).falls_short  # a camera that cannot exist
    assert not TakeMark(0, None, FINE).falls_short  # words were not checked


def test_the_best_take_is_chosen_and_near_equals_go_to_the_lower_number():
    assert chosen([mark(0, 0.5), mark(1, 0.9), mark(2, 0.7)]).take == 1
    assert chosen([mark(0, 0.9 - NEARLY / 2), mark(1, 0.9)]).take == 0
    assert chosen([mark(0, 0.9 - 2 * NEARLY), mark(1, 0.9)]).take == 1
    assert [it.take for it in chosen([mark(0, 0.5), mark(1, 0.9), mark(2, 0.7)]).ranking] == [
        1, 2, 0,
    ]  # fmt: skip


def test_a_camera_that_cannot_exist_is_chosen_only_if_none_can():
    impossible = TakeMark(0, None, None)
    assert chosen([impossible, mark(1, 0.0)]).take == 1
    assert chosen([impossible, replace(impossible, take=1)]).take == 0


@pytest.mark.parametrize("finish", ["best-take", "hand"])
def test_the_film_is_one_of_its_takes_and_says_which(director: Director, finish: Finish):
    clip = walking(61)
    film = director.film(clip, PUSH_IN, seed=4, finish=finish)
    takes = director.film_takes(clip, PUSH_IN, TAKES, seed=4, finish=finish)
    assert apart(film.camera, takes[number(film)].camera) < FILMED32
    assert [number(take) for take in takes] == list(range(TAKES))
    (note,) = ranking(film)
    assert all(f"take {take}:" in note for take in range(TAKES))
    assert not any(ranking(take) for take in takes)


def requests_of(director: Director, clips: int) -> tuple[FilmRequest, ...]:
    """Requests among whose takes the first is not the best, so that a choice shows."""
    found: list[FilmRequest] = []
    for seed in range(40):
        request = FilmRequest(walking(61, seed), PUSH_IN if seed % 2 else TRUCK)
        if number(director.film_many([request], finish="best-take")[0]) != 0:
            found.append(request)
        if len(found) == clips:
            return tuple(found)
    raise AssertionError("every first take is the best")


def test_a_take_is_chosen_once_for_all_intensities(director: Director):
    for request in requests_of(director, 2):
        at_one = director.film_many([request], finish="best-take")[0]
        swept = director.sweep(
            request.clip, request.camera_words, (0.5, 0.8, 1.0, 1.3), finish="best-take"
        )
        alone = [
            director.film(request.clip, request.camera_words, it.intensity, finish="best-take")
            for it in swept
        ]
        assert {number(shot) for shot in (*swept, *alone)} == {number(at_one)}
        assert {ranking(shot)[0] for shot in (*swept, *alone)} == set(ranking(at_one))
        assert all(
            apart(shot.camera, again.camera) < FILMED32
            for shot, again in zip(swept, alone, strict=True)
        )
        assert apart(swept[2].camera, at_one.camera) < FILMED32


def test_choosing_changes_neither_neighbours_nor_itself(director: Director):
    first, second = requests_of(director, 2)
    named = replace(first, take=1, intensity=0.8)
    alone = [director.film_many([it], finish="best-take")[0] for it in (first, named, second)]
    together = director.film_many([first, named, second], finish="best-take")
    for one, other in zip(alone, together, strict=True):
        assert number(one) == number(other)
        assert apart(one.camera, other.camera) < FILMED32


def losing(lost: Sequence[int]) -> Callable[[Filming, Scene, object], bool]:
    """As if the person were lost in these takes, whatever the hand does."""
    return lambda _, trial, __: trial.take in lost


@pytest.mark.usefixtures("contented")
def test_where_the_person_is_lost_takes_are_judged_as_shown_and_then_more_are_filmed(
    director: Director, monkeypatch: pytest.MonkeyPatch
):
    request = FilmRequest(walking(61), PUSH_IN, seed=4)
    monkeypatch.setattr(Filming, "loses_person", losing(()))
    usual = director.film_many([request])[0]
    judged: list[int] = []
    as_shown = Filming.shown_mark

    def spied(self: Filming, trial: Scene, camera: CameraPath) -> TakeMark:
        judged.append(trial.take)
        # As the hand shows them the last take is the best.
        return replace(as_shown(self, trial, camera), made=made(trial.take / 10), checks=None)

    monkeypatch.setattr(Filming, "shown_mark", spied)
    assert same_camera(director.film_many([request])[0].camera, usual.camera) and not judged
    monkeypatch.setattr(Filming, "loses_person", losing([number(usual)]))
    again = director.film_many([request])[0]
    assert judged == list(range(TAKES)) and ranking(again)[0].startswith(f"best of {TAKES} ")
    monkeypatch.setattr(Filming, "loses_person", losing(range(TAKES)))
    judged.clear()
    more = [director.film_many([replace(request, intensity=it)])[0] for it in (1.0, 0.7)]
    assert set(judged) == set(range(2 * TAKES))
    for shot in more:
        assert number(shot) >= TAKES and ranking(shot)[0].startswith(f"best of {2 * TAKES} ")
    assert number(more[0]) == number(more[1])
    # A request that names its take gets it.
    assert number(director.film_many([replace(request, take=1)])[0]) == 1


def test_who_asks_to_look_elsewhere_has_not_lost_anybody(
    director: Director, monkeypatch: pytest.MonkeyPatch
):
    """The frames without the person were asked for; and without a hand nothing is judged so."""
    clip = walking(61)
    camera = camera_looking_at(torch.full((61, 3), 9.0), torch.full((61, 3), 10.0), 0.5)
    # A hand that does nothing.
    monkeypatch.setattr(Filming, "_finished", lambda _, __, path: (path, [], None))
    cases: tuple[tuple[str, Finish, bool], ...] = (
        ("The camera tilts up to the sky.", "hand", False),
        (PUSH_IN, "best-take", False),
        (PUSH_IN, "hand", True),
    )
    for words, finish, is_lost in cases:
        trial = Scene(FilmRequest(clip, words, take=0), clip)
        texts = dict(zip([words], director.parts.encoder.encode_each([words]), strict=True))
        filming = Filming(director.parts, texts, "fast", finish, 4, None, None, AS_DECODED)
        key = best_take.choice_key(trial.request), 0
        assert filming.loses_person(trial, {key: camera}) is is_lost


def test_only_cameras_are_chosen(director: Director, monkeypatch: pytest.MonkeyPatch):
    """The person is `act`'s, bit for bit, whatever take their camera gets."""

    def last(marks: Sequence[TakeMark]) -> Choice:
        return Choice(TAKES - 1, tuple(marks))

    monkeypatch.setattr(best_take, "chosen", last)
    requests = [ShootRequest(WALK, it, 2.44, seed=7) for it in (PUSH_IN, TRUCK)]
    shots = director.shoot_many(requests, finish="best-take")
    for request, shot in zip(requests, shots, strict=True):
        person = director.act(WALK, 2.44, seed=request.seed).motion
        assert same_motion(person, shot.clip.motion)
    assert all(number(shot) == TAKES - 1 for shot in shots)


def test_as_sampled_is_the_first_take_bit_for_bit(director: Director):
    """What the paper's protocol measures: nothing is chosen, so nothing else is filmed."""
    clip, told = walking(61), list[tuple[int, int]]()

    def progress(done: int, of: int) -> None:
        told.append((done, of))

    for finish in ("as-sampled", "consistent"):
        open_take, first = (FilmRequest(clip, PUSH_IN, seed=4, take=it) for it in (None, 0))
        shots = [
            director.film_many([it], progress=progress, finish=finish)[0]
            for it in (open_take, first)
        ]
        assert same_camera(*[shot.camera for shot in shots])
        assert not ranking(shots[0])
    assert set(told) == {(1, 1)}


@pytest.mark.usefixtures("contented")
def test_progress_counts_takes_too(director: Director):
    told: list[tuple[int, int]] = []
    clip = walking(61)
    requests = [FilmRequest(clip, PUSH_IN, intensity) for intensity in (1.0, 0.7)]
    director.film_many(requests, progress=lambda done, of: told.append((done, of)))
    assert told[-1] == (TAKES + 1, TAKES + 1)


def test_long_motion_is_chosen_per_film(director: Director):
    clip = walking(331)
    film = director.film(clip, PUSH_IN, seed=4, finish="best-take")
    takes = director.film_takes(clip, PUSH_IN, TAKES, seed=4, finish="best-take")
    assert apart(film.camera, takes[number(film)].camera) < 1e-3


def test_an_unknown_finish_is_refused():
    with pytest.raises(RequestError, match="finish"):
        check_finish("polished")


def test_words_that_look_elsewhere_leave_the_aim_to_the_take(
    director: Director, monkeypatch: pytest.MonkeyPatch
):
    """Nobody is brought back into a picture that is meant to show the sky."""
    free: list[bool] = []

    def watched(
        camera: CameraPath,
        clip: Clip,
        asked: AskedCamera | None,
        is_aim_free: bool,
        manner: HandManner,
    ) -> tuple[CameraPath, list[str]]:
        free.append(is_aim_free)
        return steadied(camera, clip, asked, is_aim_free, manner)

    def watched_too(
        camera: CameraPath, clip: Clip, asked: AskedFacts, is_aim_free: bool, manner: HandManner
    ) -> tuple[CameraPath, list[str]]:
        free.append(is_aim_free)
        return steadied_as_asked(camera, clip, asked, is_aim_free, manner)

    monkeypatch.setattr(finish_module, "steadied", watched)
    monkeypatch.setattr(finish_module, "steadied_as_asked", watched_too)
    for words in ("the camera tilts up to the sky", PUSH_IN):
        director.film(walking(61), words, seed=4, finish="hand")
    assert set(free[:-1]) == {True} and free[-1] is False
