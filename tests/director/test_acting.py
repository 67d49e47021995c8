"""Takes of people: one is chosen by its words and its body, without a look at any camera."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.director.act_report import HARDLY_FITS, SELDOM, act_report
from aesop.director.acting import (
    ACTED_SOURCE,
    HEARD,
    PERSON_TAKES,
    READ_AS,
    SURELY,
    UNCHOSEN,
    PersonMark,
    best_first,
    hears_plain,
)
from aesop.director.director import Director, load_director
from aesop.director.film_report import film_report
from aesop.director.plain_acts import plain_words
from aesop.director.requests import ActRequest, ShootRequest
from aesop.director.sampling import USUAL_PEOPLE
from aesop.evaluators.evaluator import ContrastivePair, EncoderShape
from aesop.evaluators.evaluator_weights import save_evaluator
from aesop.models.weights import new_part, save_part
from aesop.scene.human import HumanMotion, Provenance
from tests.director.makers import (
    PUSH_IN,
    TEXT,
    TRUCK,
    WALK,
    WAVE,
    HashEncoder,
    director_of,
    save_cast,
    walking,
)
from tests.models.makers import awake
from tests.tolerances import FILMED32

SECONDS = 1.48  # 37 frames


def mark(take: int, fit: float, bent_m: float = 0.0, sliding: float = 0.0) -> PersonMark:
    return PersonMark(take, fit, bent_m, sliding)


def test_the_first_take_is_kept_unless_another_is_surely_better():
    order = [it.take for it in best_first([mark(0, 0.5), mark(1, 0.8), mark(2, 0.7)])]
    assert order == [1, 2, 0]
    for first, kept in ((0.8 - 0.9 * SURELY, 0), (0.8 - 1.1 * SURELY, 2)):
        takes = [mark(0, first), mark(1, 0.79), mark(2, 0.8), mark(3, 0.6)]
        assert best_first(takes)[0].take == kept
        assert [it.take for it in best_first(takes) if it.take != 0] == [2, 1, 3]


def test_a_body_that_had_to_be_bent_or_slides_loses():
    better = 0.6 + SURELY / 2
    assert best_first([mark(0, 0.6, bent_m=0.03), mark(1, better)])[0].take == 1
    assert best_first([mark(0, 0.6, sliding=0.9), mark(1, better)])[0].take == 1
    assert best_first([mark(0, 0.6), mark(1, better)])[0].take == 0
    faults = [mark(0, 0.6, bent_m=bent).fault for bent in (0.0, 0.01, 0.02, 0.04, 4.0)]
    assert faults == sorted(faults) and faults[-1] == faults[-2]


@pytest.fixture(scope="module")
def chooser(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An untrained evaluator of people that reads the same words as the cast."""
    shape = EncoderShape(199, width=14, layers=1, heads=2, feed_forward=11)
    pair = ContrastivePair(shape, replace(shape, features=TEXT))
    awake(pair, torch.Generator().manual_seed(5))
    path = tmp_path_factory.mktemp("evaluator") / "chooser.safetensors"
    save_evaluator(pair, "tmr", HashEncoder(), path, {})
    return path


@pytest.fixture(scope="module")
def choosing(cast: Path, chooser: Path) -> Director:
    return load_director(cast, encoder=HashEncoder(), chooser=chooser)


def apart(first: HumanMotion, second: HumanMotion) -> float:
    return float((first.joints - second.joints).abs().max())


def test_the_kept_take_is_one_of_the_takes_and_all_are_told(choosing: Director):
    kept = choosing.act(WALK, SECONDS, seed=3)
    facts = act_report(kept)
    assert facts is not None and facts.take is not None
    assert facts.ranking[0].take == facts.take
    assert sorted(rank.take for rank in facts.ranking) == list(range(PERSON_TAKES))
    named = choosing.act_many([ActRequest(WALK, SECONDS, 3, take) for take in range(PERSON_TAKES)])
    # A take that is named is made alone, and one that is chosen among others: rounding differs.
    distances = [apart(kept.motion, clip.motion) for clip in named]
    assert distances[facts.take] < FILMED32
    assert all(far > FILMED32 for take, far in enumerate(distances) if take != facts.take)
    assert f"take {facts.take}, the best of {PERSON_TAKES}" in facts.text


@pytest.mark.parametrize("fit", [-0.17, HARDLY_FITS - 0.01, HARDLY_FITS, 0.93])
def test_who_hardly_fits_the_words_is_told(fit: float):
    """By the kept take alone: another one may be worse."""
    marks = [PersonMark(1, fit, 0.01, 0.2), PersonMark(0, -0.4, 0.01, 0.2)]
    note = f"best of 2 takes: {'; '.join(mark.text for mark in marks)}"
    origin = Provenance(ACTED_SOURCE, notes=("seed 3, take 1", note))
    facts = act_report(replace(walking(29), provenance=origin))
    assert facts is not None and facts.fit == pytest.approx(fit, abs=0.006)  # two digits
    is_doubted = "hardly what the words say" in facts.text and "read in English" in facts.text
    assert is_doubted == (fit < HARDLY_FITS)


TYPED = "our tired dentist kneels by the chair"


def test_half_of_the_takes_hear_plain_words_and_the_first_hears_what_was_typed(choosing: Director):
    """Noise goes by seed and take: a take that hears plain words is that of who typed those."""
    plain = plain_words(TYPED)
    assert plain is not None and plain_words(plain) == plain
    takes = range(2 * PERSON_TAKES)
    assert [hears_plain(take) for take in takes] == 2 * [False, False, True, True]
    for words in (TYPED, plain):
        first = choosing.with_people("standing").act(words, SECONDS, seed=3).motion
        named = choosing.act_many([ActRequest(words, SECONDS, 3, 0)])[0].motion
        assert apart(named, first) < FILMED32
    made = {
        words: choosing.act_many([ActRequest(words, SECONDS, 3, take) for take in takes])
        for words in (TYPED, plain)
    }
    for take, (typed, said) in enumerate(zip(made[TYPED], made[plain], strict=True)):
        assert torch.equal(typed.motion.joints, said.motion.joints) == hears_plain(take)
        told, facts = f"{HEARD}{plain}", act_report(typed)
        assert facts is not None and facts.heard == (plain if hears_plain(take) else None)
        assert (told in typed.provenance.notes) == hears_plain(take)
        assert (f'heard as "{plain}"' in facts.text) == hears_plain(take)


@pytest.mark.parametrize("finish", ["as-decoded", "as-sampled", "standing"])
def test_who_is_not_chosen_hears_every_word_as_typed(choosing: Director, finish: str):
    plain = plain_words(TYPED)
    assert plain is not None
    way = choosing.with_people(finish)  # pyright: ignore[reportArgumentType]
    for take in range(PERSON_TAKES):
        requests = [ActRequest(words, SECONDS, 3, take) for words in (TYPED, plain)]
        typed, said = way.act_many(requests)
        assert apart(typed.motion, said.motion) > FILMED32
        assert not any(note.startswith(HEARD) for note in typed.provenance.notes)


def told_of(words: str, fit: float = 0.8, *more: str) -> str:
    note = f"best of 1 takes: {mark(0, fit).text}"
    origin = Provenance(ACTED_SOURCE, notes=("seed 3, take 0", note, *more))
    facts = act_report(replace(walking(29), name=words, provenance=origin))
    assert facts is not None
    assert json.loads(facts.as_json())["limits"] == list(facts.limits)
    return facts.text


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("two people shake hands", "one person is made, not several"),
        ("three old men jump", "one person is made, not several"),
        ("a couple dances a waltz", "one person is made, not several"),
        ("they punch each other", "one person is made, not several"),
        ("A big dog runs", "a person is made, not a big dog"),
        ("a clerk does jumping jacks", f"jumping jacks: seldom right, {SELDOM['jumping jacks']}"),
    ],
)
def test_what_no_take_can_be_is_told(words: str, told: str):
    assert told in told_of(words)


@pytest.mark.parametrize(
    "words",
    [
        "a person walks",
        "a man crawls like a dog",
        "she runs away from a bear",
        "a nurse pats a horse",
        "he raises both of his arms",
        "he raises both hands",
        "a couple of disco moves",
        "a speaker bows in front of many people",
    ],
)
def test_of_one_person_nothing_of_the_kind_is_told(words: str):
    text = told_of(words)
    assert "is made" not in text and "seldom" not in text


def test_words_that_were_read_are_not_doubted():
    """The chooser's cosine says little of who claps: the words were read, and that is told."""
    assert "hardly what the words say" in told_of("una mujer aplaude", 0.1)
    read = f"{READ_AS}{plain_words('a spectator claps')}"
    assert "hardly" not in told_of("a spectator claps", 0.1, read)


def test_equal_requests_get_the_same_person_alone_and_among_others(choosing: Director):
    alone = choosing.act(WALK, SECONDS, seed=3).motion
    among = choosing.act_many(
        [
            ActRequest(WAVE, SECONDS, 3),
            ActRequest(WALK, SECONDS, 3),
            ActRequest(WALK, SECONDS, 3, 1),
        ]
    )
    assert torch.equal(among[1].motion.joints, alone.joints)


def test_no_camera_has_a_say_in_who_is_chosen(choosing: Director):
    alone = choosing.act(WALK, SECONDS, seed=3).motion
    requests = [
        ShootRequest(WALK, PUSH_IN, SECONDS, seed=3),
        ShootRequest(WALK, TRUCK, SECONDS, seed=3, guidance=3.0),
        ShootRequest(WALK, PUSH_IN, SECONDS, 0.6, seed=3, camera_seed=11),
    ]
    for request in requests:
        (shot,) = choosing.shoot_many([request])
        assert torch.equal(shot.clip.motion.joints, alone.joints)
    takes = [ShootRequest(WALK, PUSH_IN, SECONDS, seed=3, take=take) for take in range(2)]
    for shot in choosing.shoot_many(takes):
        assert torch.equal(shot.clip.motion.joints, alone.joints)


def test_without_a_chooser_the_first_take_is_kept_and_it_is_said(director: Director):
    clip = director.act(WALK, SECONDS, seed=3)
    facts = act_report(clip)
    assert facts is not None and facts.take == 0 and facts.ranking == ()
    assert UNCHOSEN in facts.text
    first = director.with_people("standing").act(WALK, SECONDS, seed=3)
    assert torch.equal(clip.motion.joints, first.motion.joints)
    told = act_report(first)
    assert told is not None and UNCHOSEN not in told.text


def test_a_chooser_that_reads_other_words_is_not_asked(chooser: Path, tmp_path: Path):
    class OtherEncoder(HashEncoder):
        name, fingerprint = "other", "1" * 64

    save_cast(tmp_path, OtherEncoder())
    director = load_director(tmp_path, encoder=OtherEncoder(), chooser=chooser)
    facts = act_report(director.act(WALK, SECONDS, seed=3))
    assert facts is not None and UNCHOSEN in facts.text


@pytest.mark.parametrize("finish", ["as-decoded", "as-sampled", "standing"])
def test_only_the_last_finish_chooses(choosing: Director, finish: str):
    clip = choosing.with_people(finish).act(WALK, SECONDS, seed=3)  # pyright: ignore[reportArgumentType]
    facts = act_report(clip)
    assert facts is not None and facts.take == 0 and facts.ranking == ()
    if finish != "standing":
        assert facts.corrections == ()


@pytest.fixture
def any_clip(monkeypatch: pytest.MonkeyPatch) -> None:
    """Untrained people run at thirty metres a second, which no film would accept."""

    def accept(*_: object) -> None:
        return None

    monkeypatch.setattr("aesop.director.requests.check_clip", accept)


@pytest.mark.usefixtures("any_clip")
def test_the_camera_of_a_person_is_what_film_makes_of_it(director: Director):
    """It reads the person who is shown, encoded anew; as in the paper, the latents sampled."""
    shot = director.shoot(WALK, PUSH_IN, SECONDS, seed=3)
    film = director.film(shot.clip, PUSH_IN, seed=3)
    assert (shot.camera.centre - film.camera.centre).abs().max() < FILMED32
    paper = director.with_people("as-decoded")
    decoded = paper.shoot(WALK, PUSH_IN, SECONDS, seed=3, finish="as-sampled")
    again = paper.film(decoded.clip, PUSH_IN, seed=3, finish="as-sampled")
    assert (decoded.camera.centre - again.camera.centre).abs().max() > FILMED32


def test_the_report_of_a_shot_tells_of_its_person(choosing: Director):
    shot = choosing.shoot(WALK, PUSH_IN, SECONDS, seed=3)
    facts = film_report(shot)
    assert facts.person is not None and facts.person == act_report(shot.clip)
    assert f"the person: {facts.person.text}" in facts.text
    assert '"person": {"words"' in facts.as_json()
    assert film_report(choosing.film(walking(37), PUSH_IN)).person is None


@pytest.mark.usefixtures("any_clip")
def test_people_may_come_from_a_training_of_their_own(cast: Path, tmp_path: Path):
    """The camera keeps its codec and its bytes; it reads the new people as it reads any."""
    folder = tmp_path / "mixed"
    folder.mkdir()
    for path in cast.glob("*.safetensors"):
        (folder / path.name).write_bytes(path.read_bytes())
    plain = director_of(folder)
    film = plain.film(walking(37), PUSH_IN, seed=2)
    own = plain.parts
    _other_people(own.human_codec.network, own.human_flow.network, folder / "people")
    mixed = director_of(folder)
    assert torch.equal(mixed.film(walking(37), PUSH_IN, seed=2).camera.centre, film.camera.centre)
    was, now = director_of(cast).act(WALK, SECONDS, seed=3), mixed.act(WALK, SECONDS, seed=3)
    assert apart(was.motion, now.motion) > FILMED32
    shot = mixed.shoot(WALK, PUSH_IN, SECONDS, seed=3)
    again = mixed.film(shot.clip, PUSH_IN, seed=3)
    assert (shot.camera.centre - again.camera.centre).abs().max() < FILMED32
    paper = replace(USUAL_PEOPLE, finish="as-decoded")
    decoded = [
        Director(it.parts, people=paper).act(WALK, SECONDS, seed=3)
        for it in (director_of(cast), mixed)
    ]
    assert torch.equal(decoded[0].motion.joints, decoded[1].motion.joints)


def _other_people(codec: torch.nn.Module, flow: torch.nn.Module, folder: Path) -> None:
    """The same networks with other numbers in them."""
    folder.mkdir()
    with torch.no_grad():
        for network in (codec, flow):
            for values in network.parameters():
                values.mul_(0.9)
    first = new_part("human-codec", codec)  # pyright: ignore[reportArgumentType]
    save_part(first, folder / "human_codec.safetensors")
    second = new_part("human-flow", flow, (first,), HashEncoder())  # pyright: ignore[reportArgumentType]
    save_part(second, folder / "human_flow.safetensors")


@pytest.mark.parametrize("words", [WALK, TYPED])
def test_marks_follow_the_words(choosing: Director, words: str):
    """Fits are cosines: of vectors that the evaluator says of motion and words, of plain ones where
    there are such."""
    judge = choosing.parts.chooser
    assert judge is not None
    takes = choosing.act_many([ActRequest(words, SECONDS, 3, take) for take in range(PERSON_TAKES)])
    people = judge.embed_people([clip.motion for clip in takes])
    said = judge.embed_words([plain_words(words) or words])[0]
    fits = people @ said / np.linalg.norm(people, axis=-1) / np.linalg.norm(said)
    facts = act_report(choosing.act(words, SECONDS, seed=3))
    assert facts is not None
    for rank in facts.ranking:
        assert f"words {fits[rank.take]:.2f}" in rank.mark


def test_plain_words_choose_without_being_sure():
    takes = [mark(0, 0.79), mark(1, 0.6), mark(2, 0.8), mark(3, 0.78)]
    assert best_first(takes)[0].take == 0
    assert [it.take for it in best_first(takes, 0.0)] == [2, 0, 3, 1]
