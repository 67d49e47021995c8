"""All six phases on the mini set, then a new person filmed by a new camera. What it makes is poor;
that every stage hands on what the next one needs is the point. Started by runs/tiny.sh."""

import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import assert_never

import torch

from aesop.data.fables.mini import build_mini
from aesop.data.records import StoredShot
from aesop.data.store import Store, decode, open_store
from aesop.features.camera import camera_to_features
from aesop.features.human import human_to_features
from aesop.models.weights import load_camera_flow, load_human_flow
from aesop.pairs.records import Member, PairKind, PairSet, TrainingPair
from aesop.preview.stills import write_contact_sheet
from aesop.scene.camera import CameraPath
from aesop.text.choice import text_encoder
from aesop.training.footage import read_footage
from aesop.training.loop import Conduct
from aesop.training.parts import RunFolder, weights_path
from aesop.training.phase_run import Material
from aesop.training.phases import train
from aesop.training.ragged import ragged_from_clips
from aesop.training.recipe_book import all_recipes
from aesop.training.samples import Codecs, sample_clips, sample_shots

CPU = torch.device("cpu")
PAIRS = 12
STILL_M = 0.1  # a camera that travels less has nothing to scale or reverse


def main(out: Path) -> None:
    start = time.monotonic()
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    build_mini(out / "store")
    store = open_store(out / "store")
    footage = read_footage(store, validation_clips=16)
    encoder = text_encoder("minilm")
    material = Material(*footage, encoder, simple_pairs(store))
    run = out / "run"
    train(all_recipes("tiny"), material, run, Conduct(bar=sys.stderr.isatty(), sheets=True), CPU)
    write_joint_sample(run, material, out / "joint.png")
    sys.stderr.write(f"everything took {time.monotonic() - start:.0f} s\n")
    for path in sorted([*out.rglob("*.png"), *run.rglob("weights.safetensors")]):
        sys.stdout.write(f"{path}\n")


def simple_pairs(store: Store) -> PairSet:
    """Stand-ins for mined pairs: travel reversed or scaled about the first centre, unscreened."""
    pairs: list[TrainingPair] = []
    for row in store.split("train").tolist():
        shot = store.shot(row)
        moves = float(decode(shot)[1].travel) >= STILL_M
        kinds: tuple[PairKind, ...] = ("direction", "active") if moves else ("null",)
        pairs += [
            pair_of(shot, kind)
            for kind in kinds
            if sum(pair.kind == kind for pair in pairs) < PAIRS
        ]
    return PairSet(tuple(pairs), sha256="made by runs/tiny.py")


def pair_of(shot: StoredShot, kind: PairKind) -> TrainingPair:
    motion, camera = decode(shot)
    words = shot.camera_captions

    def member(travel: float, captions: tuple[str, ...], intensity: float) -> Member:
        moved = scaled(camera, travel)
        return Member(camera_to_features(moved, motion.root), captions, intensity)

    match kind:
        case "direction":
            both = member(1.0, words, 1.0), member(-1.0, shot.reversed_captions, 1.0)
        case "active":
            both = member(0.6, words, 0.6), member(1.4, words, 1.4)
        case "null":
            both = member(1.0, words, 1.0), member(1.0, words, 1.4)
        case _:
            assert_never(kind)
    return TrainingPair(kind, f"{kind} {shot.id}", shot.human_id, *both)


def scaled(camera: CameraPath, factor: float) -> CameraPath:
    first = camera.centre[:1]
    return replace(camera, centre=first + factor * (camera.centre - first))


def write_joint_sample(run: Path, material: Material, path: Path) -> None:
    """A person from words, then a camera for that person from words."""
    folder, encoder = RunFolder(run, CPU), material.encoder
    human = folder.human_codec()
    codecs = human, folder.camera_codec(human)
    both = Codecs(codecs[0].network, codecs[1].network)
    human_flow = load_human_flow(weights_path(run, "human-flow"), human, encoder).network
    camera_flow = load_camera_flow(weights_path(run, "camera-flow-ipa"), codecs, encoder).network
    seen = material.validation
    words = seen.human_captions[0][0]
    (clip,) = sample_clips(both, human_flow, encoder, [words], [100])
    acted = replace(
        seen,
        humans=ragged_from_clips([human_to_features(clip.motion).float()]),
        cameras=ragged_from_clips([torch.zeros(100, 14)]),
        human_of_shot=torch.zeros(1, dtype=torch.int64),
        human_names=("acted",),
        human_captions=((words,),),
    )
    (shot,) = sample_shots(both, camera_flow, encoder, acted, 1)
    write_contact_sheet(shot, path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
