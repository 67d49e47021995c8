"""Our own motions as Acclaim's pairs of files, in bones whose axes lie anyhow."""

from collections.abc import Sequence
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.scene.human import Clip
from aesop.scene.rotation import euler_from_matrix
from aesop.scene.skeleton import JOINT_NAMES, JOINTS, PARENTS
from tests.files.foreign import Foreign, depth_first, naming

NAMES = naming(
    "root,lowerback,upperback,thorax,lowerneck,head",
    "femur,tibia,foot,toes,clavicle,humerus,radius,hand", "l{}", "r{}",
)  # fmt: skip
CMU_M = 0.0254 / 0.45  # its unit is 1/0.45 inch
_TIP = (0.0, 0.05, 0.07)


def _children(joint: int) -> list[int]:
    return [child for child in range(JOINTS) if PARENTS[child] == joint]


def write_acclaim(
    path: Path,
    clip: Clip,
    axes: Float[Tensor, "22 3 3"],
    order: str = "xyz",
    hinges: Sequence[str] = (),
    metres: float = CMU_M,
) -> Path:
    """The clip as `path` (.amc) and its .asf. Where several bones begin at one joint, rigid ones
    lead to them; `hinges` turn about x alone."""
    foreign = Foreign(metres=metres)
    axes = torch.cat([torch.eye(3).to(axes)[None], axes[1:]])  # the root has the world's
    turns, places = foreign.posed(clip)
    offsets = foreign.offsets()
    inside = axes.transpose(-1, -2) @ turns @ axes
    angles = torch.rad2deg(euler_from_matrix(inside, order[::-1])).flip(-1)
    own = torch.rad2deg(euler_from_matrix(axes, order[::-1])).flip(-1)
    bones, links = _skeleton(offsets, own, order, hinges, metres)
    spelled = " ".join(f"R{axis.upper()}" for axis in order)
    head = ["# made by a test", ":version 1.10", ":units", "  mass 1.0", "  length 0.45",
            "  angle deg", ":root", f"   order TX TY TZ {spelled}", f"   axis {order.upper()}",
            "   position 0 0 0", "   orientation 0 0 0"]  # fmt: skip
    text = [*head, ":bonedata", *bones, ":hierarchy", "  begin", *links, "  end"]
    path.with_suffix(".asf").write_text("\n".join(text) + "\n")
    rows = [":FULLY-SPECIFIED", ":DEGREES"]
    for frame in range(len(angles)):
        rows.append(str(frame + 1))
        for joint in depth_first():
            x_alone = 1 if JOINT_NAMES[joint] in hinges else 3
            numbers = angles[frame, joint, :x_alone].tolist()
            numbers = (places[frame, 0].tolist() if joint == 0 else []) + numbers
            rows.append(f"{NAMES[joint]} " + " ".join(f"{n:.9g}" for n in numbers))
    path.write_text("\n".join(rows) + "\n")
    return path


def _skeleton(
    offsets: Float[Tensor, "22 3"],
    own: Float[Tensor, "22 3"],
    order: str,
    hinges: Sequence[str],
    metres: float,
) -> tuple[list[str], list[str]]:
    """Lines of all bones, and of what hangs on what."""
    bones: list[str] = []
    links: list[str] = []

    def bone(name: str, end: Tensor, angles: Sequence[float], dof: str) -> None:
        length = float(torch.linalg.vector_norm(end))
        way = (end / length if length else end).tolist()
        numbers = [" ".join(f"{n:.12g}" for n in some) for some in (way, angles)]
        bones.extend(
            ["  begin", f"     id {len(bones)}", f"     name {name}",
             f"     direction {numbers[0]}", f"     length {length:.12g}",
             f"     axis {numbers[1]} {order.upper()}",
             *([f"    dof {dof}", "    limits (-160.0 20.0)"] if dof else []), "  end"]
        )  # fmt: skip

    for joint in depth_first():
        below, name = _children(joint), NAMES[joint]
        lone = joint > 0 and len(below) == 1
        if joint:
            end = offsets[below[0]] if lone else torch.zeros(3).to(offsets)
            end = end if below else end.new_tensor(_TIP) / metres
            dof = "rx" if JOINT_NAMES[joint] in hinges else " ".join(f"r{axis}" for axis in order)
            bone(name, end, own[joint].tolist(), dof)
        for child in [] if lone else below:
            bone(f"b{child}", offsets[child], [0.0, 0.0, 0.0], "")
            links.append(f"    b{child} {NAMES[child]}")
        hanging = [NAMES[below[0]]] if lone else [f"b{child}" for child in below]
        if hanging:
            links.append(f"    {name} " + " ".join(hanging))
    # A line may stand only after the one that names its first bone.
    links.sort(key=lambda line: _depth(line.split()[0]))
    return bones, links


def _depth(name: str) -> tuple[int, int]:
    helper = name not in NAMES
    joint = int(name[1:]) if helper else NAMES.index(name)
    steps, above = 0, joint
    while above > 0:
        steps, above = steps + 2, PARENTS[above]
    return steps - helper, joint
