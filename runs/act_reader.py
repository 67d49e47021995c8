"""The reader of acts: fitted to the phrases that are taught, judged on those of another writer.

python runs/act_reader.py train        # src/aesop/weights/reader/act_reader.safetensors
python runs/act_reader.py measure      # results/reader/act_reader.json
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

# Read when torch starts its threads: threads that spin while waiting slow each other down.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import torch

from aesop.core.hashing import text_sha256
from aesop.core.machine import code_state, this_machine
from aesop.director.act_reader import (
    NOTHING,
    READER_FILE,
    ActPhrase,
    ActReader,
    ActReading,
    act_phrases,
    fitted_look,
    load_act_reader,
    save_act_reader,
    sentence_vectors,
)
from aesop.director.asked_actions import asked_actions
from aesop.director.plain_acts import MAY_BE, SURELY_READ, family_of, plain_words
from aesop.models.weights import shipped_folder
from aesop.text.minilm import MiniLM

PENALTY = 3e-4  # of 1e-4 to 3e-3, chosen on the choosing phrases
RESULT = Path("results/reader/act_reader.json")
SHARES = (0.3, 0.4, SURELY_READ, 0.6, 0.7)


def main(args: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("task", choices=("train", "measure"))
    parser.add_argument("-o", "--output", type=Path, help="the file that is written")
    asked = parser.parse_args(args)
    shipped = shipped_folder("reader") / READER_FILE
    if asked.task == "train":
        train(asked.output or shipped)
    else:
        measure(shipped, asked.output or RESULT)


def train(path: Path) -> None:
    """On what is taught, a third of a minute of one core."""
    taught, encoder = [it for it in act_phrases() if it.part == "taught"], MiniLM()
    acts = tuple(sorted({it.act for it in taught}))
    vectors = sentence_vectors([it.words for it in taught], encoder)
    numbers = torch.tensor([acts.index(it.act) for it in taught])
    weights, bias = fitted_look(vectors, numbers, len(acts), PENALTY)
    save_act_reader(ActReader(acts, weights, bias, encoder), path)
    sys.stdout.write(f"{path}\n")


def measure(reader_file: Path, path: Path) -> None:
    """How much is read at several chances, and how much of that is right."""
    reader = load_act_reader(reader_file, MiniLM())
    assert reader is not None
    judged = [it for it in act_phrases() if it.part == "choosing"]
    readings = reader.read_each([it.words for it in judged])
    rows = [
        {
            "chance": least,
            **counted(
                judged,
                [act if chance >= least else NOTHING for act, chance in map(_likeliest, readings)],
            ),
        }
        for least in SHARES
    ]
    phrases = "\n".join(f"{it.part}\t{it.act}\t{it.words}" for it in act_phrases())
    result = {
        "phrases": {"taught": len(act_phrases()) - len(judged), "judged": len(judged)},
        "phrases_sha256": text_sha256(phrases),
        "asked": sum(it.act != NOTHING for it in judged),
        "thresholds": {"surely_read": SURELY_READ, "may_be": MAY_BE},
        "by_rules_alone": counted(judged, [ruled(it.words) for it in judged]),
        "rows": rows,
        "code": asdict(code_state(Path(__file__).parent)),
        "machine": asdict(this_machine(torch.device("cpu"))),
        "repeat": "python runs/act_reader.py measure",
    }
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{path}\n")


def _likeliest(reading: ActReading) -> tuple[str, float]:
    return reading.likeliest


def ruled(words: str) -> str:
    """The one act that rules alone read in words, where there are plain words for it."""
    named = asked_actions(words)
    return family_of(named[0].name) if len(named) == 1 and plain_words(words) else NOTHING


def counted(judged: Sequence[ActPhrase], found: Sequence[str]) -> dict[str, float]:
    """What was read of sentences, `NOTHING` being nothing read."""
    read = [(it.act, act) for it, act in zip(judged, found, strict=True) if act != NOTHING]
    right = sum(wanted == act for wanted, act in read)
    return {
        "read": len(read),
        "right_of_read": right / len(read),
        "read_of_asked": right / sum(it.act != NOTHING for it in judged),
        "nothing_read_as_an_act": sum(wanted == NOTHING for wanted, _ in read),
    }


if __name__ == "__main__":
    main()
