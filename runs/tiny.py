"""All phases on the mini set, then a new person filmed by a new camera. What it makes is poor;
that every stage hands on what the next one needs is the point. Started by runs/tiny.sh."""

import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path

import torch

from aesop.data.store import open_store
from aesop.fables.build import build_mini
from aesop.features.human_features import human_to_features
from aesop.models.weights import load_camera_flow, load_human_flow
from aesop.pairs.direction_pairs import BuildRequest, build_direction
from aesop.pairs.intensity_pairs import build_intensity
from aesop.pairs.pair_files import PairSet, read_plan
from aesop.pairs.pair_recipe import fables
from aesop.preview.sheets import write_contact_sheet
from aesop.text.encoders import text_encoder
from aesop.training.batch_order import pairs_on_footage
from aesop.training.footage import Footage, ragged_from_clips, read_footage
from aesop.training.loop import Conduct
from aesop.training.phases import train
from aesop.training.recipe_book import all_recipes
from aesop.training.run_folder import Material, RunFolder, weights_path
from aesop.training.samples import sample_clips, sample_shots

CPU = torch.device("cpu")


def main(out: Path) -> None:
    start = time.monotonic()
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    build_mini(out / "store")
    store = open_store(out / "store")
    footage = read_footage(store, validation_clips=16)
    encoder = text_encoder("minilm")
    pairs = mined_pairs(out / "store", out / "pairs", footage[0])
    material = Material(*footage, encoder, pairs)
    run = out / "run"
    train(all_recipes("tiny"), material, run, Conduct(bar=sys.stderr.isatty(), sheets=True), CPU)
    write_joint_sample(run, material, out / "joint.png")
    sys.stderr.write(f"everything took {time.monotonic() - start:.0f} s\n")
    for path in sorted([*out.rglob("*.png"), *run.rglob("weights.safetensors")]):
        sys.stdout.write(f"{path}\n")


def mined_pairs(store: Path, out: Path, footage: Footage) -> PairSet:
    """Pairs by the rules, but for reconstructions: these codecs keep too little."""
    request = BuildRequest(store, None, out, fables())
    build_direction(request)
    build_intensity(request)
    return pairs_on_footage(read_plan(out), footage)


def write_joint_sample(run: Path, material: Material, out: Path) -> None:
    """A person from words, then a camera for that person from words."""
    folder, encoder = RunFolder(run, CPU), material.encoder
    human = folder.human_codec()
    codecs = human, folder.camera_codec(human)
    both = human.network, codecs[1].network
    human_flow = load_human_flow(weights_path(run, "human-flow"), human, encoder).network
    path = weights_path(run, "camera-flow-self-distilled")
    camera_flow = load_camera_flow(path, codecs, encoder).network
    seen = material.validation
    words = seen.human_captions[0][0]
    (clip,) = sample_clips(human.network, human_flow, encoder, [words], [100])
    acted = replace(
        seen,
        humans=ragged_from_clips([human_to_features(clip.motion).float()]),
        cameras=ragged_from_clips([torch.zeros(100, 14)]),
        human_of_shot=torch.zeros(1, dtype=torch.int64),
        human_names=("acted",),
        human_captions=((words,),),
    )
    (shot,) = sample_shots(both, camera_flow, encoder, acted, 1)
    write_contact_sheet(shot, out)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
