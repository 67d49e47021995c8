"""Train the reader of camera words on a lent GPU: several settings at once, one reader comes back.

    python lab/reader_h200.py pack PARCEL                             # here
    python3 lab/reader_h200.py train PARCEL "$OUT" --seconds 60       # there
    cp …/reader.safetensors src/aesop/weights/reader/                 # here again
    cp …/choosing.json results/reader/

A parcel holds MiniLM cut down to the bank's words, in half precision, and sentences as token
numbers. Settings train side by side in processes of their own; which of them, or which mean of
them, is best is decided on the part "choosing" of the bank.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "lab"), str(ROOT / "runs")]

from base_h200 import make_importable  # noqa: E402

if TYPE_CHECKING:
    from reader_training import Base, Choosing, Lesson

ENCODER_FILE, LESSONS_FILE = "reader_encoder.safetensors", "reader_lessons.safetensors"
SENTENCES = 320_000


def pack(parcel: Path, sentences: int) -> None:
    import torch
    from safetensors.torch import save_file

    import reader_training as training
    from aesop.camera_words.phrase_bank import other_texts, phrase_bank
    from aesop.text.minilm import WordPiece
    from travelling import travelled_tensors, write_travelling_encoder

    parcel.mkdir(parents=True, exist_ok=True)
    taught = training.taught_sentences(sentences)
    phrases = [phrase.text for phrase in phrase_bank() if phrase.part == "choosing"]
    phrases += [text.text for text in other_texts() if text.part == "choosing"]
    texts = [sentence.text for sentence in taught + training.choosing_sentences()]
    write_travelling_encoder([*texts, *phrases], parcel / ENCODER_FILE)
    _, pieces = travelled_tensors(parcel / ENCODER_FILE, torch.device("cpu"))
    lessons = training.Lesson.of(taught, WordPiece(pieces))
    tensors = {}
    for numbers, asked in zip(lessons.numbers, lessons.asked, strict=True):
        length = numbers.shape[1]
        tensors[f"numbers.{length}"] = numbers.to(torch.int16).contiguous()
        tensors[f"asked.{length}"] = _eight_in_one(asked)
    save_file(tensors, parcel / LESSONS_FILE)
    sizes = [path.stat().st_size / 2**20 for path in parcel.iterdir()]
    training.say(f"{sum(map(len, lessons.numbers))} sentences, {sum(sizes):.1f} MiB")


def _eight_in_one(asked):
    import numpy as np
    import torch

    return torch.from_numpy(np.packbits(asked.numpy(), axis=-1))


def unpacked(parcel: Path, device: str) -> "tuple[Base, Lesson]":
    """MiniLM and lessons on a device."""
    import numpy as np
    import torch
    from safetensors.torch import load_file

    import reader_training as training
    from aesop.camera_words.understanding import reader_values
    from aesop.text.minilm import WordPiece
    from travelling import travelled_tensors

    tensors, pieces = travelled_tensors(parcel / ENCODER_FILE, torch.device(device))
    base = training.Base(tensors, WordPiece(pieces), pieces["[UNK]"])
    packed = load_file(parcel / LESSONS_FILE)
    lengths = sorted(int(name.partition(".")[2]) for name in packed if name.startswith("numbers."))
    count = len(reader_values())
    numbers = tuple(packed[f"numbers.{length}"].to(torch.int32) for length in lengths)
    asked = tuple(
        torch.from_numpy(np.unpackbits(packed[f"asked.{it}"].numpy(), axis=-1, count=count)).bool()
        for it in lengths
    )
    return base, training.Lesson(numbers, asked).to(device)


def train_one(which: int, parcel: Path, folder: Path, device: str, length: dict) -> None:
    """One setting in a process of its own; its network is left in a folder."""
    make_importable()
    import torch

    import reader_training as training

    torch.set_num_threads(1)
    if device == "cuda":
        torch.set_float32_matmul_precision("high")
    base, lessons = unpacked(parcel, device)
    setting = training.SETTINGS[which]
    network = training.whole(training.train(base, lessons, setting, training.Length(**length)))
    torch.save(network.cpu().state_dict(), folder / f"{which}.pt")


def train(args: argparse.Namespace) -> None:
    import torch
    import torch.multiprocessing

    import reader_training as training
    from aesop.camera_words.reader_network import AdaptedReader, write_reader
    from aesop.camera_words.understanding import reader_values

    since = time.monotonic()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    length = {"updates": args.updates, "seconds": args.seconds}
    which = [int(it) for it in args.settings.split(",")]
    trained: dict[str, AdaptedReader] = {}
    with tempfile.TemporaryDirectory() as name:
        spawn = torch.multiprocessing.get_context("spawn")
        jobs = [
            spawn.Process(target=train_one, args=(it, args.parcel, Path(name), device, length))
            for it in which
        ]
        for job in jobs:
            job.start()
        base, _ = unpacked(args.parcel, device)
        part: Choosing = training.Choosing.of(base.wordpiece).to(device)
        for job in jobs:
            job.join()
        for it in which:
            path = Path(name) / f"{it}.pt"
            if not path.is_file():
                training.say(f"{training.SETTINGS[it].name} left nothing: it failed")
                continue
            network = AdaptedReader(len(reader_values()))
            network.load_state_dict(torch.load(path, weights_only=True))
            trained[training.SETTINGS[it].name] = network.to(device).eval()
    candidates = training.best_of(trained, base, part)
    write_reader(candidates[0].network, candidates[0].card, args.out / "reader.safetensors")
    report = training.report_of(candidates)
    (args.out / "choosing.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    size = (args.out / "reader.safetensors").stat().st_size / 1e6
    training.say(f"{report['chosen']}: {size:.2f} MB after {time.monotonic() - since:.0f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    packing = verbs.add_parser("pack")
    packing.add_argument("parcel", type=Path)
    packing.add_argument("--sentences", type=int, default=SENTENCES)
    training = verbs.add_parser("train")
    training.add_argument("parcel", type=Path)
    training.add_argument("out", type=Path)
    length = training.add_mutually_exclusive_group(required=True)
    length.add_argument("--seconds", type=float)
    length.add_argument("--updates", type=int)
    training.add_argument("--settings", default="0,1,2,3,4,5,6", help="numbers of settings")
    args = parser.parse_args()
    make_importable()
    if args.verb == "pack":
        pack(args.parcel, args.sentences)
    else:
        args.out.mkdir(parents=True, exist_ok=True)
        train(args)


if __name__ == "__main__":
    main()
