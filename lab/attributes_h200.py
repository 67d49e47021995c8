"""`aesop measure attributes` on a lent GPU, which has neither takes nor a text encoder.

Here, with the package installed, motions of the bed and the encoder are packed:

    python lab/attributes_h200.py pack PARCEL --takes CMU_BVH --side tune

There the parcel lies beside the repository, and weights in a folder:

    PYTHONPATH=src:lab python lab/attributes_h200.py measure PARCEL --weights W \
        --method as-sampled --films 440 --out $OUT

Films as sampled need no reader of words; with `hand` plain terms are read by the lexicon, so that
only `--words plain` can be filmed there.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import torch

from aesop.camera_words.plain_teller import PLAIN_TERMS
from aesop.cli.terminal import progress_bar, remark
from aesop.core.errors import AesopError
from aesop.core.hashing import text_sha256
from aesop.director.director import load_director
from aesop.director.finish import FINISHINGS, usual_picture
from aesop.director.requests import FilmRequest
from aesop.fables.takes import find_takes
from aesop.files.motion_files import read_motion, write_motion
from aesop.measuring.attribute_obedience import (
    FilmsAmount,
    FilmsPlan,
    attributes_page,
    idiom_sentences,
    measure_attributes,
    plain_sentences,
)
from aesop.measuring.bed import Cut, bed_clip, clip_hash, read_bed
from aesop.measuring.methods import filming_code
from aesop.measuring.runs import write_json
from aesop.scene.human import MAX_FRAMES
from aesop.scene.shot import Shot
from travelling import TravellingMiniLM, write_travelling_encoder

ROOT = Path(__file__).resolve().parents[1]
ENCODER, MOTIONS = "encoder.safetensors", "motions"


def pack(args: argparse.Namespace) -> None:
    """Motions of one side of the bed of at most 12 s, and an encoder for every sentence."""
    folder = args.parcel / MOTIONS / args.side
    folder.mkdir(parents=True, exist_ok=True)
    found = find_takes(args.takes, ROOT / "build" / "bed")
    folders = {take: path.parent for take, path in found.items()}
    for motion in read_bed(ROOT / "runs" / "bed.json").of(args.side):
        source = motion.source
        clip = bed_clip(motion, folders[source.take] if isinstance(source, Cut) else args.takes)
        if clip.frames <= MAX_FRAMES:
            write_motion(clip, folder / f"{motion.name}.clip")
    words = [it.words for it in (*plain_sentences(), *idiom_sentences())]
    write_travelling_encoder([*words, *PLAIN_TERMS.values()], args.parcel / ENCODER)
    remark(f"{len(list(folder.iterdir()))} motions, {len(words)} sentences: {args.parcel}")


def measure(args: argparse.Namespace) -> None:
    """The command's numbers, for motions that travelled."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cudnn.allow_tf32 = False  # films are the CPU's
    encoder = TravellingMiniLM(args.parcel / ENCODER, torch.device(device))
    director = load_director(args.weights, device, encoder)
    paths = sorted((args.parcel / MOTIONS / args.side).glob("*.clip"))
    clips = [read_motion(path) for path in paths]
    plan = FilmsPlan(
        method=args.method,
        weights=director.parts.camera_flow.card.identity,
        motions=f"bed {args.side}",
        motions_sha256=text_sha256(" ".join(clip_hash(clip) for clip in clips)),
        code_sha256=filming_code(),
        choices=(("preset", "fast"), ("intensity", "1")),
    )

    def film(requests: Sequence[FilmRequest]) -> list[Shot]:
        picture = usual_picture(args.method)
        return director.film_many(requests, finish=args.method, picture=picture)

    kinds = ("plain", "idiom") if args.words == "both" else (args.words,)
    amount = FilmsAmount(args.films, args.seed, kinds, together=64 if device == "cuda" else 4)
    lines = args.out / f"{args.method}_bed_{args.side}.jsonl"
    result = measure_attributes(film, clips, amount, lines, plan, progress_bar)
    write_json(lines.with_suffix(".json"), result)
    remark(attributes_page(result))


def main(args: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    verbs = parser.add_subparsers(required=True)
    packing, measuring = verbs.add_parser("pack"), verbs.add_parser("measure")
    for verb, do in ((packing, pack), (measuring, measure)):
        verb.add_argument("parcel", type=Path)
        verb.add_argument("--side", choices=("tune", "test"), default="tune")
        verb.set_defaults(do=do)
    packing.add_argument("--takes", type=Path, required=True)
    measuring.add_argument("--weights", type=Path, help="those that came with AESOP if not given")
    measuring.add_argument("--method", choices=tuple(FINISHINGS), default="as-sampled")
    measuring.add_argument("--words", choices=("both", "plain", "idiom"), default="both")
    measuring.add_argument("--films", type=int, default=440)
    measuring.add_argument("--seed", type=int, default=0)
    measuring.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args(args)
    try:
        asked.do(asked)
    except AesopError as mistake:
        remark(str(mistake))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
