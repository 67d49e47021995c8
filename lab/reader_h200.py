"""Train the reader of camera words on a lent GPU: several settings at once, all of which come back.

    python lab/reader_h200.py pack PARCEL                                # here
    python3 lab/reader_h200.py train PARCEL "$OUT" --seconds 60          # there
    python lab/reader_h200.py install PARCEL …/reader-*.safetensors -o build/readers    # here again
    python runs/reader.py choose build/readers/*.safetensors

A parcel holds MiniLM cut down to the bank's words, in eight bits; what a reader changes is written
anew here, so that with MiniLM as it is published it comes to the same. Sentences are composed
there by a few processes. Settings train side by side in processes of their own; which of them, or
which mean of them, is best is decided here, on the part "choosing" of the bank.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "lab"), str(ROOT / "runs")]

from base_h200 import make_importable  # noqa: E402

if TYPE_CHECKING:
    from torch import Tensor

    from aesop.camera_words.reader_network import AdaptedReader
    from reader_training import Base, Choosing, Lesson

# Updates or seconds; plain, since a new process reads it before it can import the package.
Length = tuple[int | None, float | None]
ENCODER_FILE, LESSONS_FILE = "reader_encoder.safetensors", "lessons.safetensors"
LONGEST_CHOSEN_ON = 96  # tokens: requests that choose may be longer than those that teach
PACKED_SENTENCES = 20_000  # whose words travel, besides those of the bank itself


def pack(parcel: Path) -> None:
    """MiniLM with the pieces of all words that may be said; a rare misspelling may lack its own and
    is then spelt in smaller ones."""
    import string

    import reader_training as training
    from aesop.camera_words.phrase_bank import other_texts, phrase_bank
    from travelling import write_travelling_encoder

    texts = [phrase.text for phrase in phrase_bank() if phrase.part in ("train", "choosing")]
    texts += [text.text for text in other_texts() if text.part != "judged"]
    drawn = training.taught_sentences(PACKED_SENTENCES) + training.choosing_sentences()
    texts += [sentence.text for sentence in drawn]
    words = sorted({word for text in texts for word in text.lower().split()})
    letters = string.ascii_lowercase + string.digits
    spelt = [*letters, *(f"{letter}qx{letter}" for letter in letters)]
    longest = " ".join("a" * LONGEST_CHOSEN_ON)
    parcel.mkdir(parents=True, exist_ok=True)
    path = parcel / ENCODER_FILE
    write_travelling_encoder([*words, *spelt, longest], path, in_bytes=True)
    size = path.stat().st_size / 2**20
    training.say(f"{len(words)} words, {size:.1f} MiB")


def loaded_base(parcel: Path, device: str) -> "Base":
    """MiniLM on a device."""
    import torch

    import reader_training as training
    from aesop.text.minilm import WordPiece
    from travelling import travelled_tensors

    tensors, pieces = travelled_tensors(parcel / ENCODER_FILE, torch.device(device))
    return training.Base(tensors, WordPiece(pieces), pieces["[UNK]"])


def install(parcel: Path, trained: Path, path: Path) -> None:
    """A reader that was trained on the parcel's MiniLM, as one for MiniLM as it is published; its
    temperature and thresholds are chosen again, since no word is missing here."""
    import reader_training as training
    from aesop.camera_words.reader_network import read_reader, write_reader
    from aesop.text.minilm import load_wordpiece, packaged_folder, published_tensors

    network, _ = read_reader(trained)
    folder = packaged_folder()
    published, wordpiece = published_tensors(folder), load_wordpiece(folder)
    rebase(network, loaded_base(parcel, "cpu").tensors, published)
    base = training.Base(published, wordpiece, wordpiece("\u2603")[1])  # no word of the vocabulary
    best = training.candidate("installed", network, base, training.Choosing.of(wordpiece))
    write_reader(network, best.card, path)
    training.say(json.dumps(training.report_of([best])["tried"]))


def rebase(
    network: "AdaptedReader", before: Mapping[str, "Tensor"], after: Mapping[str, "Tensor"]
) -> None:
    """Change what a reader adds to one encoder so that with another it comes to the same."""
    import torch

    with torch.no_grad():
        for name, change in network.changes().items():
            change += before[f"{name}.weight"] - after[f"{name}.weight"]


def compose(seed: int, parcel: Path, folder: Path, sentences: int) -> None:
    """A share of the lessons, in a process of its own; it is left in a folder."""
    make_importable()
    from safetensors.torch import save_file

    import reader_training as training

    base = loaded_base(parcel, "cpu")
    drawn = training.taught_sentences(sentences, seed)
    save_file(training.Lesson.of(drawn, base.wordpiece).tensors, folder / f"{seed}.lesson")


def composed(args: argparse.Namespace, folder: Path) -> "Lesson":
    """All lessons, drawn by a few processes."""
    import torch.multiprocessing
    from safetensors.torch import load_file

    import reader_training as training

    spawn = torch.multiprocessing.get_context("spawn")
    share = args.sentences // args.composers
    jobs = [
        spawn.Process(target=compose, args=(seed, args.parcel, folder, share))
        for seed in range(args.composers)
    ]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    files = sorted(folder.glob("*.lesson"))
    return training.joined([training.Lesson.from_tensors(load_file(path)) for path in files])


def train_one(which: int, parcel: Path, folder: Path, device: str, length: Length) -> None:
    """One setting in a process of its own; its network is left in a folder."""
    make_importable()
    import torch
    from safetensors.torch import load_file

    import reader_training as training

    torch.set_num_threads(1)
    if device == "cuda":
        torch.set_float32_matmul_precision("high")
    base = loaded_base(parcel, device)
    lessons = training.Lesson.from_tensors(load_file(folder / LESSONS_FILE, device))
    setting = training.SETTINGS[which]
    network = training.whole(training.train(base, lessons, setting, training.Length(*length)))
    torch.save(network.cpu().state_dict(), folder / f"{which}.pt")


def train(args: argparse.Namespace) -> None:
    import torch
    import torch.multiprocessing
    from safetensors.torch import save_file

    import reader_training as training
    from aesop.camera_words.reader_network import AdaptedReader, write_reader
    from aesop.camera_words.understanding import reader_values

    since = time.monotonic()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    length = (args.updates, args.seconds)
    which = [int(it) for it in args.settings.split(",")]
    trained: dict[str, AdaptedReader] = {}
    with tempfile.TemporaryDirectory() as name:
        lessons = composed(args, Path(name))
        save_file(lessons.tensors, Path(name) / LESSONS_FILE)
        count = sum(map(len, lessons.numbers))
        training.say(f"{count} sentences after {time.monotonic() - since:.0f} s")
        spawn = torch.multiprocessing.get_context("spawn")
        jobs = [
            spawn.Process(target=train_one, args=(it, args.parcel, Path(name), device, length))
            for it in which
        ]
        for job in jobs:
            job.start()
        base = loaded_base(args.parcel, device)
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
    for name, network in trained.items():
        one = training.candidate(name, network, base, part)
        path = args.out / f"reader-{name}.safetensors"
        write_reader(network, one.card, path)
        report = json.dumps(training.report_of([one])["tried"])
        training.say(f"{report}: {path.stat().st_size / 1e6:.2f} MB")
    training.say(f"all after {time.monotonic() - since:.0f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    packing = verbs.add_parser("pack")
    packing.add_argument("parcel", type=Path)
    training = verbs.add_parser("train")
    training.add_argument("parcel", type=Path)
    training.add_argument("out", type=Path)
    length = training.add_mutually_exclusive_group(required=True)
    length.add_argument("--seconds", type=float)
    length.add_argument("--updates", type=int)
    training.add_argument("--sentences", type=int, default=420_000, help="that are composed")
    training.add_argument("--composers", type=int, default=3, help="processes that compose")
    training.add_argument("--settings", default="1,2,3,4,5", help="numbers of settings")
    installing = verbs.add_parser("install")
    installing.add_argument("parcel", type=Path)
    installing.add_argument("trained", type=Path, nargs="+")
    installing.add_argument("-o", "--output", type=Path, required=True, help="a folder")
    args = parser.parse_args()
    make_importable()
    if args.verb == "pack":
        pack(args.parcel)
    elif args.verb == "install":
        args.output.mkdir(parents=True, exist_ok=True)
        for trained in args.trained:
            install(args.parcel, trained, args.output / trained.name)
    else:
        args.out.mkdir(parents=True, exist_ok=True)
        train(args)


if __name__ == "__main__":
    main()
