"""Train the reader of camera words on a lent GPU.

    python lab/reader_h200.py pack PARCEL                # here: MiniLM cut down to the bank's words
    python3 lab/reader_h200.py train PARCEL "$OUT"       # there: half a minute
    cp …/reader.safetensors src/aesop/weights/reader/    # here again

`python runs/reader.py train` does the same on a CPU with the whole encoder, in half an hour.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "lab"), str(ROOT / "runs")]

from base_h200 import make_importable  # noqa: E402

ENCODER_FILE = "reader_encoder.safetensors"


def main() -> None:
    command, parcel, *rest = sys.argv[1:]
    make_importable()
    import torch

    import reader
    from aesop.text.minilm import WordPiece
    from travelling import travelled_tensors, write_travelling_encoder

    path = Path(parcel) / ENCODER_FILE
    if command == "pack":
        path.parent.mkdir(parents=True, exist_ok=True)
        sentences = reader.taught_sentences() + reader.choosing_sentences()
        write_travelling_encoder([sentence.text for sentence in sentences], path)
        return
    tensors, pieces = travelled_tensors(path, torch.device("cuda"))
    base = reader.Base(tensors, WordPiece(pieces), pieces["[UNK]"])
    reader.train(base, Path(rest[0]) / "reader.safetensors", "cuda")


if __name__ == "__main__":
    main()
