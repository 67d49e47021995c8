"""Carry the few-step student of an earlier camera flow over to a later one that was trained on from
it: no training, seconds of a processor.

    python lab/carry_student.py EARLIER LATER [-o LATER/camera_flow_student.safetensors]

Both are folders of weights as they ship, with one pair of codecs. The student's difference from its
own teacher is added to the later teacher (`aesop.training.student.carried_over`). How near it comes
is measured as that of any other: `aesop measure presets --preset instant`.
"""

import argparse
import sys
from pathlib import Path

from aesop.models.weights import (
    PartName,
    flat_name,
    load_camera_codec,
    load_camera_flow,
    load_camera_student,
    load_human_codec,
    new_part,
    part_file,
    save_part,
)
from aesop.text.minilm import MiniLM
from aesop.training.student import carried_over


def _file(folder: Path, part: PartName) -> Path:
    path = part_file(folder, part)
    if path is None:
        raise SystemExit(f"{folder} has no {part}.")
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("earlier", type=Path)
    parser.add_argument("later", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args()
    encoder = MiniLM()
    human = load_human_codec(_file(args.later, "human-codec"))
    codecs = human, load_camera_codec(_file(args.later, "camera-codec"), human)
    teacher = load_camera_flow(_file(args.earlier, "camera-flow"), codecs, encoder)
    student_file = _file(args.earlier, "camera-flow-student")
    student = load_camera_student(student_file, codecs, teacher.card, encoder)
    later = load_camera_flow(_file(args.later, "camera-flow"), codecs, encoder)
    notes = {
        "made": "carried over by lab/carry_student.py, not taught",
        "student": student.card.identity,
        "its teacher": teacher.card.identity,
    }
    made = carried_over(student.network, teacher.network, later.network)
    part = new_part("camera-flow-student", made, (*codecs, later), encoder, notes)
    path = args.output or args.later / flat_name("camera-flow-student")
    save_part(part, path, "int8")
    sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
