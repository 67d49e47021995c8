"""The paper's protocol: every choice is said, and the Director does what is said."""

from dataclasses import fields, replace
from pathlib import Path

import pytest
import torch

from aesop.core.errors import WeightsError
from aesop.director.body_finish import BODY_FINISHINGS
from aesop.director.director import Director, load_director
from aesop.director.finish import FINISHINGS
from aesop.director.protocols import MEASURED, PAPER, SHIPPED, SamplingProtocol
from aesop.flow.solvers import PRESETS
from aesop.models.phase_table import PhaseName
from aesop.models.weights import WEIGHTS_FILE, new_part, phase_folder, save_part
from tests.director.makers import PUSH_IN, WALK, HashEncoder, director_of, save_cast, walking

SECONDS = 2.36


def test_the_papers_choices_are_the_papers():
    assert (PAPER.human_guidance, PAPER.camera_guidance) == (1.0, 1.5)
    for preset in (PAPER.people.preset, PAPER.camera_preset):
        assert preset is not None and preset != "instant"
        assert (PRESETS[preset].method, PRESETS[preset].steps) == ("euler", 50)
    how = FINISHINGS[PAPER.finish]
    assert how.decoding == "paper"
    assert not (how.chooses_take or how.is_steadied or how.is_held)
    body = PAPER.people.finishing
    assert not (body.is_posed or body.is_corrected or body.chooses_take)
    assert (PAPER.human_latents, PAPER.aspect) == ("sampled", "decoded")


def test_every_choice_is_said():
    """A field that changed nothing in the words would be a choice that no table names."""
    others = {
        "people": replace(SHIPPED.people, preset="reference"),
        "human_guidance": 2.0,
        "camera_preset": "reference",
        "camera_guidance": 2.0,
        "finish": "best-take",
    }
    told = {field.name for field in fields(SamplingProtocol)} - {"name", "aspect"}
    assert told == others.keys()
    for name, value in others.items():
        changed = replace(SHIPPED, **{name: value})
        assert changed.choices != SHIPPED.choices, name
    said = {name for name, _ in PAPER.choices}
    assert {"human latents for the camera", "aspect", "people"} <= said
    ways = {FINISHINGS[finish]: replace(SHIPPED, finish=finish).choices for finish in FINISHINGS}
    assert len(set(ways.values())) == len(ways)
    assert {name for name, _ in MEASURED.camera_choices} < said
    people = {
        finish: replace(SHIPPED, people=replace(SHIPPED.people, finish=finish)).choices
        for finish in BODY_FINISHINGS
    }
    assert len(set(people.values())) == len(people)
    assert MEASURED.people.finish == "as-sampled" and PAPER.human_latents == "sampled"
    assert SHIPPED.human_latents == MEASURED.human_latents == "of the person shown"


def test_people_of_the_protocol_are_as_decoded(director: Director):
    """No bones of ours, no ground: what the codec says of the latents that the camera reads."""
    paper = Director(director.parts, people=PAPER.people)
    request = {"seconds": SECONDS, "seed": 5, "human_guidance": PAPER.human_guidance}
    plain, posed = paper.act(WALK, **request).motion, director.act(WALK, **request).motion
    assert float(posed.joints[..., 2].min()) == 0
    assert float(plain.joints[..., 2].min()) != 0
    shot = paper.shoot(WALK, PUSH_IN, **request, preset="reference", finish="as-sampled")
    assert torch.equal(shot.clip.motion.joints, plain.joints)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A training run with two camera phases, of different weights."""
    flat, folder = tmp_path / "flat", tmp_path / "run"
    flat.mkdir()
    save_cast(flat)
    parts: tuple[PhaseName, ...] = ("human-codec", "camera-codec", "human-flow", "camera-flow")
    for part in parts:
        target = phase_folder(folder, part) / WEIGHTS_FILE
        target.parent.mkdir(parents=True)
        target.write_bytes((flat / f"{part.replace('-', '_')}.safetensors").read_bytes())
    other = phase_folder(folder, "camera-flow-dpa") / WEIGHTS_FILE
    other.parent.mkdir()
    _save_other_flow(folder, other)
    return folder


def _save_other_flow(folder: Path, path: Path) -> None:
    parts = load_director(folder, encoder=HashEncoder()).parts
    network = parts.camera_flow.network
    with torch.no_grad():
        for values in network.parameters():
            values.mul_(0.9)
    codecs = (parts.human_codec, parts.camera_codec)
    save_part(new_part("camera-flow", network, codecs, parts.encoder), path)


def test_any_finished_camera_phase_films(run: Path):
    clip = walking(37)
    last, first, second = (
        load_director(run, encoder=HashEncoder(), phase=phase)
        for phase in (None, "camera-flow", "camera-flow-dpa")
    )
    identities = [it.parts.camera_flow.card.identity for it in (last, first, second)]
    assert identities[0] == identities[2] != identities[1]
    films = [it.film(clip, PUSH_IN, seed=1, finish="as-sampled") for it in (first, second)]
    assert not torch.equal(films[0].camera.centre, films[1].camera.centre)
    with pytest.raises(WeightsError, match=r"camera-flow-ipa.*among: camera-flow, camera-flow-dpa"):
        load_director(run, encoder=HashEncoder(), phase="camera-flow-ipa")
    with pytest.raises(WeightsError, match="trains no camera flow"):
        load_director(run, encoder=HashEncoder(), phase="human-flow")


def test_a_flat_folder_has_no_phases(tmp_path: Path):
    save_cast(tmp_path)
    assert director_of(tmp_path).parts.camera_flow is not None
    with pytest.raises(WeightsError, match="folder of a training run"):
        load_director(tmp_path, encoder=HashEncoder(), phase="camera-flow")
