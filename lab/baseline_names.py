"""What the methods on a lent GPU are called, where they lie there, and what is noted of them."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import base_h200 as lent

if TYPE_CHECKING:
    from aesop.baselines.baseline_table import AnyMethod
    from aesop.measuring.cases import Task
    from aesop.models.phase_table import PhaseName, TrainingName

OURS, OUR_NAME = "aesop", "AESOP (same exposure)"
OUR_PHASE: "PhaseName" = "camera-flow"
PEOPLE = "aesop-people"
PEOPLE_PHASE: "PhaseName" = "human-flow"
# Who makes the person in a row of ours: a human flow of the same exposure, or the one that ships.
SHIPPED_PEOPLE_NAME = "AESOP (camera of the same exposure, people as shipped)"
OUR_CODECS = "AESOP AE (asym., same shots)"  # the row of all shots stays as it is
SHIPPED = lent.ROOT / "src" / "aesop" / "weights"
CODECS = "codecs"  # folder of a parcel: our codecs, where the tree travels without weights
JUDGED = "judged"  # folder of the validation cases by which guidance is chosen
CHOICES_FILE, GUIDANCE_FILE = "choices.json", "guidance.json"


def home() -> Path:
    """The run folder of all finished methods; `measure_h200.py` knows it as weights."""
    return lent.STATE / "weights" / "baselines"


def outbox() -> Path:
    """What waits to come back: more than one call may bring."""
    return lent.STATE / "outbox"


def has_weights(name: str) -> bool:
    """Whether a method can be asked on this machine; our own need codecs beside them."""
    from aesop.models.weights import part_file

    has_codecs = all(part_file(home(), it) is not None for it in ("human-codec", "camera-codec"))
    return phase_done(home(), name) and (has_codecs or name not in (OURS, PEOPLE))


def has_shipped_people(run: Path) -> bool:
    """Whether the human flow of a run was adopted, not trained there."""
    from aesop.models.weights import flat_name, read_card
    from aesop.training.run_folder import weights_path

    here, shipped = weights_path(run, PEOPLE_PHASE), SHIPPED / "base" / flat_name("human-flow")
    if not (here.exists() and shipped.exists()):  # the tree may have travelled without weights
        return False
    return read_card(here).identity == read_card(shipped).identity


def phase_called(name: str) -> "TrainingName":
    from aesop.models.phase_table import method_of

    method = method_of(name)
    if method is not None:
        return method
    if name not in (OURS, PEOPLE):
        sys.exit(f"there is no method {name}")
    return OUR_PHASE if name == OURS else PEOPLE_PHASE


def method_called(name: str) -> "AnyMethod":
    from aesop.baselines.baseline_table import METHODS
    from aesop.models.phase_table import method_of

    found = method_of(name)
    return METHODS[found] if found is not None else sys.exit(f"there is no method {name}")


def task_of(name: str) -> "Task":
    return method_called(name).task


def steps_of(name: str, args: argparse.Namespace) -> int:
    """As many for everybody, twice as many for whoever makes the person too."""
    from aesop.models.phase_table import JOINT_METHODS

    if name == "pulpmotion-ae":
        return args.codec_steps
    return args.steps * (2 if name in JOINT_METHODS else 1)


def phase_done(run: Path, name: str) -> bool:
    from aesop.training.run_folder import weights_path

    return weights_path(run, phase_called(name)).exists()


def read_notes(name: str) -> "dict[str, dict[str, object]]":
    path = home() / name
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write_notes(name: str, notes: "dict[str, dict[str, object]]") -> None:
    (home() / name).write_text(json.dumps(notes, indent=1) + "\n", encoding="utf-8")


def own_job(task: "Task") -> dict[str, object]:
    """A row of ours beside the methods of a task."""
    if task == "codec":
        return {"kind": "codec", "method": OUR_CODECS, "weights": "baselines"}
    name = SHIPPED_PEOPLE_NAME if task == "shoot" and has_shipped_people(home()) else OUR_NAME
    return {
        "kind": "task", "task": task, "method": name, "weights": f"baselines:{OUR_PHASE}",
    }  # fmt: skip
