"""What comes back from a lent machine: weights in pieces, as many in a call as may come, and how
each phase learned."""

import hashlib
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pacing import say

if TYPE_CHECKING:
    from torch import nn

    from aesop.training.recipes import Recipe
    from aesop.training.run_folder import Material

REPORT_FILE = "told.json"  # record and journal of a phase, in its folder
PIECE_BYTES = 15 << 20
CURVE_EVERY = 500
# What one call may bring back.
MOST_FILES, MOST_BYTES = 8, 64 << 20
SENT_FILE = ".sent.json"


def write_pieces(path: Path, out: Path, name: str) -> None:
    """Cut a file into pieces that may come back."""
    content = path.read_bytes()
    for number, first in enumerate(range(0, len(content), PIECE_BYTES)):
        (out / f"{name}.weights.{number:02d}").write_bytes(content[first : first + PIECE_BYTES])


def human_flow_keeper(
    run: Path,
    out: Path,
    recipe: "Recipe",
    material: "Material",
    names: Callable[[int], tuple[str, ...]] = lambda _: ("kept-human-flow",),
) -> "Callable[[nn.Module, int], None]":
    """Sends the averaged weights home after every validation, under the names that the number of
    steps asks for: this machine may go away. They say where they come from, as any part does."""
    import torch

    from aesop.models.velocity import FlowTransformer
    from aesop.models.weights import new_part, save_part
    from aesop.training.run_folder import RunFolder, part_notes

    human = RunFolder(run, torch.device("cpu")).human_codec()

    def keep(network: "nn.Module", steps: int) -> None:
        assert isinstance(network, FlowTransformer)
        notes = part_notes(recipe, material, steps, f"step {steps} on the way")
        part = new_part("human-flow", network, (human,), material.encoder, notes)
        path = run / "kept.safetensors"
        save_part(part, path, "float16")
        for name in names(steps):
            write_pieces(path, out, name)
        say(f"human-flow: averaged weights after {steps} steps are kept")

    return keep


def hand_over(outbox: Path, out: Path) -> list[str]:
    """Copy what the outbox holds and nobody has yet into the folder that comes back with this call,
    until that is full; what is left is named. Records go first, then pieces in the order in which
    they were written, so that whole weights arrive before others begin. A file that has changed
    goes again."""
    note = outbox / SENT_FILE
    sent: dict[str, str] = json.loads(note.read_text(encoding="utf-8")) if note.exists() else {}
    there = [path.stat().st_size for path in out.rglob("*") if path.is_file()]
    files, size = len(there), sum(there)
    left: list[str] = []
    for path in sorted(_waiting(outbox), key=lambda it: (it.suffix != ".json", _written(it))):
        content = path.read_bytes()
        mark = hashlib.sha256(content).hexdigest()
        if sent.get(path.name) == mark:
            continue
        if left or files == MOST_FILES or size + len(content) > MOST_BYTES:
            left.append(path.name)
            continue
        (out / path.name).write_bytes(content)
        sent[path.name], files, size = mark, files + 1, size + len(content)
    note.write_text(json.dumps(sent), encoding="utf-8")
    return left


def _waiting(outbox: Path) -> list[Path]:
    return [path for path in outbox.iterdir() if path.name != SENT_FILE]


def _written(path: Path) -> tuple[int, str]:
    return path.stat().st_mtime_ns, path.name


def join_pieces(given: list[Path], run: Path) -> list[str]:
    """Put the pieces NAME.weights.00, .01 … together as run/NAME/weights.safetensors. A folder
    stands for the files in it."""
    from aesop.core.errors import WeightsError
    from aesop.models.weights import read_card

    pieces = [it for path in given for it in (path.iterdir() if path.is_dir() else (path,))]
    names = sorted({path.name.split(".weights.")[0] for path in pieces if ".weights." in path.name})
    if not names:
        raise WeightsError(
            f"There are no weights in {', '.join(map(str, given))}.",
            "Name files NAME.weights.00, .01 … or the folder they lie in.",
        )
    for name in names:
        own = sorted(path for path in pieces if path.name.startswith(f"{name}.weights."))
        target = run / name / "weights.safetensors"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(b"".join(path.read_bytes() for path in own))
        read_card(target)  # refuses what is not whole
        for path in pieces:  # "last-human-flow" comes from the phase "human-flow"
            if path.suffix == ".json" and name.endswith(path.stem):
                shutil.copyfile(path, target.with_name(REPORT_FILE))
    return names


def tell(runs: list[Path], out: Path, what: str) -> None:
    """Curves of every phase in the runs: all validations, and the training loss now and then."""
    phases: dict[str, object] = {}
    data: set[str] = set()
    for path in (path for run in runs for path in sorted(run.glob(f"*/{REPORT_FILE}"))):
        report = json.loads(path.read_text(encoding="utf-8"))
        record, journal = report["run"], report["journal"]
        data.add(record["data_sha256"])
        name = path.parent.name if len(runs) == 1 else f"{path.parts[-3]}/{path.parent.name}"
        phases[name] = {
            "seconds": round(report["seconds"], 1),
            "most_memory_bytes": report["most_memory_bytes"],
            "recipe": record["recipe"],
            "recipe_sha256": record["recipe_sha256"],
            "commit": record["code"]["commit"],
            "machine": record["machine"],
            "validation": [_rounded(it) for it in journal if it["kind"] == "validation"],
            "train": [
                _rounded({key: it[key] for key in ("step", "loss", "steps_per_second")})
                for it in journal
                if it["kind"] == "train" and it["step"] % CURVE_EVERY == 0
            ],
        }
    curves = {"what": what, "data_sha256": sorted(data), "phases": phases}
    out.write_text(json.dumps(curves, indent=1) + "\n", encoding="utf-8")


def _rounded(line: dict[str, float]) -> dict[str, float]:
    return {key: round(value, 6) for key, value in line.items() if key != "kind"}


def origin_in_report(folder: Path) -> dict[str, str]:
    """By which recipe and from which data the weights in a folder were trained, for their card."""
    path = folder / REPORT_FILE
    if not path.exists():
        sys.exit(f"{folder} does not say by which recipe it was trained: collect its report too")
    record = json.loads(path.read_text(encoding="utf-8"))["run"]
    recipe = record["recipe"]
    return {
        "recipe": record["recipe_sha256"],
        "data": record["data_sha256"],
        **{name: str(recipe[name]) for name in ("phase", "size", "seed")},
        "commit": record["code"]["commit"],
    }
