"""Seeds of the camera flow, their mean and what is distilled, at tiny size on a CPU."""

import json
from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

import pieces
import seeds_h200
from aesop.models.weights import flat_name, load_camera_flow, read_card
from aesop.training.loop import Conduct
from aesop.training.phases import train
from aesop.training.recipes import Recipe
from aesop.training.run_folder import Material, RunFolder, weights_path
from tests.tolerances import rounded32
from tests.training.makers import HashEncoder, make_footage, small_recipe

CPU = torch.device("cpu")
SEEDS, STEPS, SHOTS = (3, 5, 11), 7, 5


def _small(phase: str, *_: object) -> Recipe:
    return small_recipe(phase, STEPS)  # pyright: ignore[reportArgumentType]


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with every network's home, and the outbox, after one training."""
    state = tmp_path_factory.mktemp("state")
    footage = make_footage(7, 2, seed=1, frames=(29, 48))
    footage = replace(footage, shot_kinds=("movements", "vocabulary") * 7)
    material = Material(footage, make_footage(3, 1, seed=2, frames=(29, 48)), HashEncoder())
    first = ("human-codec", "camera-codec", "camera-flow")
    train([small_recipe(it, 2) for it in first], material, state / "first", Conduct(), CPU)
    args = Namespace(
        size="tiny",
        steps=STEPS,
        validate_every=STEPS,
        rows=3,
        rate=1e-2,
        codecs=state / "first",
        parcel=None,
        start=weights_path(state / "first", "camera-flow"),
        compiled=False,
        seeds=list(SEEDS),
        above=1.08,
        distil_shots=SHOTS,
        distil_steps=2,
        validation_clips=3,
    )

    def here(*_: object) -> Material:
        return material

    put: list[tuple[str, Path | Callable[..., object]]] = [
        ("seeds_h200.OUTBOX", state / "outbox"),
        ("seeds_h200.HOMES", state / "weights"),
        ("base_h200.STATE", state),
        ("base_h200.material_here", here),
        ("aesop.training.recipe_book.recipe_for", _small),
    ]
    with pytest.MonkeyPatch.context() as patch:
        for name, value in put:
            patch.setattr(name, value)
        seeds_h200.train(args)
    return state / "weights"


def _weights(homes: Path, name: str) -> dict[str, torch.Tensor]:
    return load_file(weights_path(homes / name, "camera-flow"))


def test_seeds_begin_alike_and_end_apart_and_their_mean_is_one(homes: Path):
    begun = load_file(weights_path(homes.parent / "first", "camera-flow"))
    ended = [_weights(homes, f"seed{seed}") for seed in SEEDS]
    mean = _weights(homes, seeds_h200.MEAN)
    moved = 0
    for name, values in begun.items():
        three = torch.stack([weights[name] for weights in ended])
        largest = float(three.abs().max())
        assert float((three.mean(0) - mean[name]).abs().max()) <= rounded32(3, largest)
        moved += int(not torch.equal(three[0], values) and not torch.equal(three[0], three[1]))
    assert moved > len(begun) / 2


def test_who_validates_best_is_chosen_and_distilled(homes: Path):
    told = json.loads((homes.parent / "outbox" / "seeds.json").read_text(encoding="utf-8"))
    losses = told["validation"]
    assert set(losses) == {*(f"seed{seed}" for seed in SEEDS), seeds_h200.MEAN}
    assert told["chosen"] == min(losses, key=losses.__getitem__)
    chosen, plain = _weights(homes, seeds_h200.CHOSEN), _weights(homes, told["chosen"])
    assert all(torch.equal(chosen[name], values) for name, values in plain.items())
    card = read_card(weights_path(homes / seeds_h200.CHOSEN, "camera-flow-self-distilled"))
    before = read_card(weights_path(homes / seeds_h200.CHOSEN, "camera-flow"))
    assert card.identity != before.identity and card.partners == before.partners
    settings = json.loads(
        (homes / "chosen" / "camera-flow-self-distilled" / "run.json").read_text(encoding="utf-8")
    )
    distillation = settings["recipe"]["self_distillation"]
    assert distillation["above"] == 1.08 and distillation["shots"] == SHOTS


def test_finished_seeds_are_not_trained_again(homes: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(seeds_h200, "OUTBOX", homes.parent / "outbox")
    told = json.loads((homes.parent / "outbox" / "seeds.json").read_text(encoding="utf-8"))
    finished = seeds_h200.finished_seeds()
    assert finished == {name: told["validation"][name] for name in map("seed{}".format, SEEDS)}
    monkeypatch.setattr(seeds_h200, "OUTBOX", homes.parent / "nothing yet")
    assert seeds_h200.finished_seeds() == {}


def test_what_is_measured_is_what_ships(homes: Path):
    """The folder that is measured holds the bytes that come home, beside the codecs."""
    shipped = weights_path(homes / seeds_h200.SHIPPED, "camera-flow-self-distilled")
    outbox = homes.parent / "outbox"
    came = sorted(outbox.glob("camera-flow-self-distilled.weights.*"))
    assert shipped.read_bytes() == b"".join(it.read_bytes() for it in came)
    human = RunFolder(homes / seeds_h200.SHIPPED, CPU).human_codec()
    codecs = human, RunFolder(homes / seeds_h200.SHIPPED, CPU).camera_codec(human)
    load_camera_flow(shipped, codecs, HashEncoder())


def test_everything_comes_home_as_it_ships(
    homes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(pieces, "MOST_FILES", 3)
    outbox, calls = homes.parent / "outbox", 0
    while True:
        out = tmp_path / f"call-{calls}"
        out.mkdir()
        left = pieces.hand_over(outbox, out)
        calls += 1
        if not left:
            break
    assert calls > 2
    came = [path for path in sorted(tmp_path.rglob("*.weights.*"))]
    names = {path.name.partition(".")[0] for path in came}
    assert names == {*(f"seed{seed}" for seed in SEEDS), "mean", "camera-flow-self-distilled"}
    human = RunFolder(homes / "chosen", CPU).human_codec()
    codecs = human, RunFolder(homes / "chosen", CPU).camera_codec(human)
    for name in names:
        path = tmp_path / f"{name}-{flat_name('camera-flow')}"
        mine = sorted(it for it in came if it.name.startswith(f"{name}.weights."))
        path.write_bytes(b"".join(it.read_bytes() for it in mine))
        load_camera_flow(path, codecs, HashEncoder())
