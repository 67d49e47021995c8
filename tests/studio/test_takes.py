"""Takes of the studio are the Director's films; turning one is filming it elsewhere with the same
noise; whatever was changed can be undone; the command line that is shown makes the same shot."""

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from aesop.camera_words.attributes import CameraFacts, Step
from aesop.cli import main
from aesop.cli.film_options import WeightOptions
from aesop.director.director import Director
from aesop.director.requests import FilmRequest
from aesop.director.rule_based import Operator
from aesop.fables.synthetic import synthetic_motion
from aesop.files.motion_files import read_motion
from aesop.files.shot_file import read_shot
from aesop.scene.camera import project_joints
from aesop.studio.motion_gallery import GALLERY
from aesop.studio.stage_arrays import packed, unpacked
from aesop.studio.studio_project import StudioProject, StudioTake
from aesop.studio.take_facts import shot_facts
from tests.director.makers import PUSH_IN, TRUCK, WALK
from tests.server.running import Client
from tests.studio.visiting import Visitor
from tests.tolerances import FILMED32, GEOMETRY32


def saved(client: Client, path: str, folder: Path, suffix: str = ".shot") -> Path:
    came = client.get(path)
    assert came.status == 200, came.body
    file = folder / f"came{suffix}"
    file.write_bytes(came.body)
    return file


def test_a_take_is_the_directors_film_to_the_bit(
    visitor: Visitor, director: Director, walk: Path, tmp_path: Path
):
    take = visitor.film(intensity=1.3, seed=5)
    assert take["state"] == "done" and take["facts"]["seed"] == 5 and not take["removed"]
    shot = read_shot(
        saved(visitor.client, f"/studio/takes/{take['id']}/export/shot.shot", tmp_path)
    )
    ours = director.film(read_motion(walk), PUSH_IN, 1.3, seed=5)
    assert torch.equal(shot.camera.centre, ours.camera.centre)
    assert torch.equal(shot.camera.world_from_camera, ours.camera.world_from_camera)


def test_what_the_page_draws_is_what_the_lens_sees(
    visitor: Visitor, director: Director, walk: Path
):
    """Rows that the page gets, projected as WebGL does, meet our own projection."""
    take = visitor.film(seed=7)
    facts, arrays = visitor.arrays(f"/studio/takes/{take['id']}/cameras")
    shot = director.film(read_motion(walk), PUSH_IN, 1.0, seed=7)
    _, person = visitor.arrays(f"/studio/motions/{visitor.motion}/joints")
    rows, joints = arrays["cameras"][0].astype(float), person["joints"].astype(float)
    x, y, z, w = rows[:, 3:7].T
    right = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)], -1)
    up = np.stack([2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)], -1)
    back = np.stack([2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)], -1)
    seen = joints - rows[:, None, :3]
    depth = -(seen * back[:, None]).sum(-1)
    tall = np.tan(rows[:, 7] / 2)[:, None]
    ndc = np.stack(
        [
            (seen * right[:, None]).sum(-1) / (depth * tall * facts["aspect"]),
            (seen * up[:, None]).sum(-1) / (depth * tall),
        ],
        -1,
    )
    ours = project_joints(shot.camera, shot.clip.motion.joints)
    before = ours.depth_m.numpy() > 0.1
    # Rows are stored in single precision, and pictures may be ten heads wide here.
    assert np.allclose(ndc[before], ours.ndc.numpy()[before], atol=100 * GEOMETRY32)
    assert before.any() and facts["intensities"] == [1.0]


def test_turning_a_take_keeps_its_noise(visitor: Visitor, director: Director, walk: Path):
    take = visitor.film(seed=11)
    assert visitor.client.post(f"/studio/takes/{take['id']}/fan", {}).json["jobs"] > 0
    visitor.until(lambda: {0.5, 1.0, 1.5} <= set(visitor.take(take["id"])["intensities"]))
    turned = visitor.change(take["id"], intensity=0.834)
    assert turned["intensity"] == 0.83 and not turned["is_filmed"]
    visitor.until(lambda: visitor.take(take["id"])["facts"] is not None)
    facts, arrays = visitor.arrays(f"/studio/takes/{take['id']}/cameras")
    intensities = facts["intensities"]
    assert intensities == sorted(intensities) and 0.83 in intensities
    clip, number = read_motion(walk), take["facts"]["take"]
    for at, intensity in enumerate(intensities):
        request = FilmRequest(clip, PUSH_IN, intensity, seed=11, take=number)
        ours = director.film_many([request], finish="hand")[0]
        assert facts["facts"][at]["take"] == number
        centre = arrays["cameras"][at][:, :3]
        # As the page asks, in its picture; the aspect does not move the camera of these networks.
        assert np.allclose(centre, ours.camera.centre.numpy(), atol=10 * FILMED32)
    assert visitor.change(take["id"], intensity=0.5)["is_filmed"]


def test_several_takes_have_seeds_of_their_own(visitor: Visitor):
    first = visitor.ask(words=TRUCK, takes=3)
    more = visitor.ask(words=TRUCK)
    takes = [visitor.filmed(name) for name in (*first, *more)]
    seeds = [take["seed"] for take in takes]
    assert len(set(seeds)) == 4 and seeds == list(range(seeds[0], seeds[0] + 4))


def test_words_of_pace_turn_the_take(visitor: Visitor):
    assert visitor.film(words="the camera slowly pushes in")["intensity"] == 0.7
    assert visitor.film(words="the camera slowly pushes in", intensity=1.2)["intensity"] == 1.2


def test_a_new_take_takes_the_place_of_a_draft(visitor: Visitor):
    """The old one stays until the new one is there, and comes back when that is undone."""
    old = visitor.film(words="The camera pushes")["id"]
    new = visitor.ask(words="The camera pushes in now", instead_of=old)[0]
    visitor.filmed(new)
    assert old not in visitor.strip and new in visitor.strip
    assert visitor.client.post("/studio/undo", {}).json["label"] == "film"
    assert old in visitor.strip and new not in visitor.strip
    visitor.client.post("/studio/redo", {})
    assert old not in visitor.strip and new in visitor.strip


def test_a_draft_that_was_never_filmed_gives_way(visitor: Visitor):
    """Who types on while a film waits gets the last words, in place of what was there at first."""
    old = visitor.film(words="The camera rests")["id"]
    passed = visitor.ask(words="The camera rests a", instead_of=old)[0]
    last = visitor.ask(words="The camera rests a while", instead_of=passed)[0]
    assert visitor.filmed(last)["state"] == "done"
    assert last in visitor.strip and not {old, passed} & set(visitor.strip)


def test_a_failed_film_says_why_and_is_no_take(visitor: Visitor):
    words = "blorp the frobnicator"  # the operator films nothing that it cannot read
    take = visitor.film(words=words, method="operator")
    assert take["state"] == "failed" and words in take["error"]["text"]
    assert take["id"] not in visitor.strip


def test_an_intensity_that_cannot_be_had_leaves_the_take_where_it_was(visitor: Visitor):
    take = visitor.film(words="follow her from behind", method="operator")
    assert take["state"] == "done", take
    visitor.change(take["id"], intensity=1.4)
    visitor.until(lambda: take["id"] in visitor.project["mistakes"])
    now = visitor.take(take["id"])
    assert now["intensity"] == 1.0 and now["facts"] is not None
    assert "as far as they do" in visitor.project["mistakes"][take["id"]]["text"]


def test_the_command_line_makes_the_same_shot(
    visitor: Visitor, director: Director, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(WeightOptions, "director", lambda *_: director)
    for more in ({"aspect": 4 / 3}, {"method": "operator", "intensity": 1.2}):
        take = visitor.film(**more)
        came = visitor.client.get(f"/studio/takes/{take['id']}/command").json["command"]
        words = shlex.split(came)
        assert words[:2] == ["aesop", "film"]
        main(words[1:])
        again = read_shot(tmp_path / words[-1])
        ours = saved(visitor.client, f"/studio/takes/{take['id']}/export/shot.shot", tmp_path)
        assert torch.equal(again.camera.centre, read_shot(ours).camera.centre)
        assert again.camera.aspect == read_shot(ours).camera.aspect


def test_a_part_of_a_motion_is_that_part(visitor: Visitor):
    cut = visitor.client.post(
        f"/studio/motions/{visitor.motion}/cut", {"start_s": 0.44, "stop_s": 1.6}
    )
    assert cut.status == 201 and cut.json["frames"] == 29
    _, whole = visitor.arrays(f"/studio/motions/{visitor.motion}/joints")
    _, part = visitor.arrays(f"/studio/motions/{cut.json['id']}/joints")
    assert np.array_equal(part["joints"], whole["joints"][11:40])
    take = visitor.film(motion=cut.json["id"])
    assert take["state"] == "done" and take["facts"]["seconds"] == 29 / 25


def test_people_from_words_become_motions(visitor: Visitor, director: Director):
    job = visitor.client.post("/studio/people", {"words": WALK, "seconds": 1.4, "seed": 3}).json[
        "job"
    ]

    def made() -> list[dict[str, Any]]:
        return [one for one in visitor.project["motions"] if one["origin"].get("job") == job]

    visitor.until(made)
    _, person = visitor.arrays(f"/studio/motions/{made()[0]['id']}/joints")
    ours = director.act(WALK, 1.4, seed=3)
    assert np.array_equal(person["joints"], ours.motion.joints.numpy())


def test_every_motion_of_the_gallery_can_be_filmed(visitor: Visitor):
    listed = visitor.client.get("/studio/gallery").json["motions"]
    assert [one["name"] for one in listed] == [one.name for one in GALLERY]
    for one in listed:
        kept = visitor.client.post("/studio/gallery", {"name": one["name"]}).json
        assert kept["is_filmable"] and kept["seconds"] == one["seconds"]


def exported_before(visitor: Visitor) -> dict[str, Any]:
    there = [take for take in visitor.project["takes"] if take["seed"] == 13]
    return there[0] if there else visitor.film(seed=13)


@pytest.mark.parametrize("suffix", [".glb", ".json", ".chan", ".bvh", ".png"])
def test_a_take_is_exported_as_it_is_turned(visitor: Visitor, suffix: str):
    take = exported_before(visitor)
    came = visitor.client.get(f"/studio/takes/{take['id']}/export/shot{suffix}")
    assert came.status == 200 and len(came.body) > 100
    assert f"1.00{suffix}" in came.headers["content-disposition"]


def test_thumbnails_are_pictures(visitor: Visitor):
    take = exported_before(visitor)
    came = visitor.client.get(f"/studio/takes/{take['id']}/thumb.png")
    assert came.status == 200 and came.body.startswith(b"\x89PNG")


def test_arrays_come_back_as_they_were_packed():
    dice = np.random.default_rng(3)
    arrays = {
        "a": dice.normal(size=(2, 3, 5)).astype(np.float32),
        "b": dice.integers(0, 60000, 7).astype(np.uint16),
        "c": dice.integers(0, 250, (11, 1)).astype(np.uint8),
        "d": dice.normal(size=(13,)).astype(np.float32),
    }
    for words in ("", "ä", "four"):
        facts, back = unpacked(packed({"words": words}, arrays))
        assert facts == {"words": words} and list(back) == list(arrays)
        assert all(np.array_equal(back[name], array) for name, array in arrays.items())


def test_undo_of_everything_and_redo_of_everything(tmp_path: Path):
    """Whatever a person does to takes: all of it undone is the beginning, redone the end."""
    project = StudioProject(tmp_path)
    project.begin()
    for name in "abc":
        take = StudioTake(name, 0, "m", "words", "model", None, None, 1, 0, 1.0)
        project.new_take(take, f"job {name}")
    before = project.takes()
    dice = np.random.default_rng(5)
    for name in "abc":
        project.filmed(project.take(name), {"travel_m": 1.0})
    for _ in range(29):
        field = dice.choice(["name", "starred", "removed", "intensity"])
        name = dice.choice(list("abc"))
        values = {
            "name": f"n{dice.integers(3)}",
            "starred": bool(dice.integers(2)),
            "removed": bool(dice.integers(2)),
            "intensity": float(dice.integers(3)),
        }
        project.change(field, name, {field: values[field]})
    after = project.takes()
    steps = 0
    while project.undo() is not None:
        steps += 1
    assert [(t.name, t.starred, t.removed, t.intensity) for t in project.takes()] == [
        (t.name, t.starred, t.removed, t.intensity) for t in before
    ]
    assert steps > 3
    for _ in range(steps):
        assert project.redo() is not None
    assert project.redo() is None and project.takes() == after
    project.undo()
    project.change("name", "a", {"name": "something new"})
    assert project.redo() is None
    project.close()


@pytest.mark.parametrize(
    ("step", "name"),
    [
        (Step(moves=("arc-left",)), "arc-left"),
        (Step(moves=("orbit",), extent="half"), "orbit"),
        (Step(zoom="zoom-in"), "zoom-in"),
        (Step(turns=("pan-right",)), "pan-right"),
        (Step(moves=("static",)), "static"),
    ],
)
def test_the_timeline_names_what_can_be_asked_for(step: Step, name: str):
    """A way around somebody is no truck, and a zoom no rest."""
    clip = synthetic_motion("stand", 251, np.random.default_rng(2)).clip
    shown = shot_facts(Operator().film_facts(clip, CameraFacts(steps=(step,))))["movements"]
    longest = max(shown, key=lambda it: it["stop"] - it["start"])
    assert longest["name"] == name
    assert all(0 <= it["start"] < it["stop"] <= 250 for it in shown)
