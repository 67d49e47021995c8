"""What comes back from a lent machine: weights in pieces, and how each phase learned."""

import json
import shutil
from pathlib import Path

REPORT_FILE = "told.json"  # record and journal of a phase, in its folder
PIECE_BYTES = 15 << 20
CURVE_EVERY = 500


def write_pieces(path: Path, out: Path, name: str) -> None:
    """Cut a file into pieces that may come back."""
    content = path.read_bytes()
    for number, first in enumerate(range(0, len(content), PIECE_BYTES)):
        (out / f"{name}.weights.{number:02d}").write_bytes(content[first : first + PIECE_BYTES])


def join_pieces(pieces: list[Path], run: Path) -> list[str]:
    """Put the pieces NAME.weights.00, .01 … together as run/NAME/weights.safetensors."""
    from aesop.models.weights import read_card

    names = sorted({path.name.split(".weights.")[0] for path in pieces if ".weights." in path.name})
    for name in names:
        own = sorted(path for path in pieces if path.name.startswith(f"{name}.weights."))
        target = run / name / "weights.safetensors"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(b"".join(path.read_bytes() for path in own))
        read_card(target)  # refuses what is not whole
        for path in pieces:
            if path.name == f"{name}.json":
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
